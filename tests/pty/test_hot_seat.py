"""Hot seat: no trace of a hand on the terminal."""

import re

import pytest

from tests.pty.terminal import Terminal, side_by_side

ALTERNATE, NORMAL = b"\x1b[?1049h", b"\x1b[?1049l"
"""To the screen that is never scrolled back to, and from it to the usual one."""
POINTER = b"22"
"""Number of the sequence that sets the shape of the mouse pointer."""
SEEN = 0.8
"""Seconds after which keys count at a curtain."""
SEATS = "person:Anna,person:Tom,steady,steady"
LEAVES = {",": "escape", "\x10": "escape", "i": "escape", "m": "escape"}
"""Keys of settings, palette, rules and messages, with the keys that close them."""


def screens_at_the_first_curtain(home, seed):
    """Return the screens of the first curtain and of everything that can be laid over it."""
    with Terminal(home, "play", "bridge", "--seed", seed, "--seats", "person:Anna,person:Tom") as terminal:
        terminal.wait("press Enter")
        terminal.rest(SEEN)
        found = [terminal.text]
        for key, back in LEAVES.items():
            terminal.send(key)
            terminal.wait(lambda: terminal.text != found[0])
            terminal.rest(0.1)
            found.append(terminal.text)
            terminal.send(back)
            terminal.wait(lambda: terminal.text == found[0])
            terminal.rest(SEEN)
        assert terminal.leave() == 0
        return found


def test_no_screen_over_a_curtain_tells_which_cards_were_dealt(home):
    one, other = side_by_side(lambda seed: screens_at_the_first_curtain(home / seed, seed), ("7", "8"))
    assert one == other


@pytest.mark.promise("Hot seat and hidden cards", "No screen shows another player's hand before the round has ended.")
@pytest.mark.promise(
    "Hot seat and hidden cards", "Nothing of the table remains on the terminal after the program has ended."
)
@pytest.mark.parametrize("key", ["ctrl+q", "hang up"])
def test_who_has_left_leaves_nothing_of_the_table_behind(home, key):
    with Terminal(home, "play", "ten_down", "--seed", "7", "--seats", SEATS) as terminal:
        terminal.wait("press Enter")
        terminal.wait("Your bid.", press="enter")
        if key == "hang up":
            terminal.process.terminate()
            terminal.wait_for_end()
        else:
            terminal.leave()
        before, _, rest = bytes(terminal.output).partition(ALTERNATE)
        during, _, after = rest.rpartition(NORMAL)
        assert NORMAL not in during, "all of it was on the screen that is not kept"
        for left in (before, after):
            assert not re.sub(rb"\x1b\[[<>=?]?[\d;$]*[a-zA-Z]", b"", left).strip(), "nothing else is told"
        assert set(re.findall(rb"\x1b\](\d+)", terminal.output)) <= {POINTER}, "no title of the window, no notice"
