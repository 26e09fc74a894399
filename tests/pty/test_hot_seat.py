"""Hot seat and passwords: no trace of a hand, no hand before a password, and no password in the output."""

import re

import pytest

from cardtable.store import paths, profiles
from tests.pty.playing import wait_for_curtain
from tests.pty.terminal import SHORT_KEY_INTERVAL, Terminal, run_in_parallel

ALTERNATE, NORMAL = b"\x1b[?1049h", b"\x1b[?1049l"
"""To the screen that is never scrolled back to, and from it to the usual one."""
POINTER = b"22"
"""Number of the sequence that sets the shape of the mouse pointer."""
SEATS = "person:Anna,person:Tom,steady,steady"
OVERLAY_KEYS = {",": "escape", "\x10": "escape", "i": "escape", "m": "escape"}
"""Keys of settings, palette, rules and messages, with the keys that close them."""


def read_curtain_screens(home, seed):
    """Return the screens of the first curtain and of everything that can be laid over it."""
    with Terminal(home, "play", "bridge", "--seed", seed, "--seats", "person:Anna,person:Tom") as terminal:
        terminal.wait("press Enter")
        wait_for_curtain(terminal)
        screens = [terminal.text]
        for key, back in OVERLAY_KEYS.items():
            terminal.send(key)
            terminal.wait(lambda: terminal.text != screens[0])
            terminal.wait_until_quiet(0.1)
            screens.append(terminal.text)
            terminal.send(back)
            terminal.wait(lambda: terminal.text == screens[0])
            wait_for_curtain(terminal)
        assert terminal.quit() == 0
        return screens


def test_curtain_and_overlays_do_not_depend_on_cards(home):
    one, other = run_in_parallel(lambda seed: read_curtain_screens(home / seed, seed), ("7", "8"))
    assert one == other


@pytest.mark.parametrize("key", ["ctrl+q", "hang up"])
def test_nothing_of_the_table_remains_after_quitting(home, key):
    with Terminal(home, "play", "ten_down", "--seed", "7", "--seats", SEATS) as terminal:
        terminal.wait("press Enter")
        terminal.wait("Your bid.", press="enter")
        if key == "hang up":
            terminal.process.terminate()
            terminal.wait_for_end()
        else:
            terminal.quit()
        before, _, rest = bytes(terminal.output).partition(ALTERNATE)
        during, _, after = rest.rpartition(NORMAL)
        assert NORMAL not in during, "everything was on the alternate screen"
        left = [re.sub(rb"\x1b\[[<>=?]?[\d;$]*[a-zA-Z]", b"", part).decode().strip() for part in (before, after)]
        [path] = paths.sessions_folder().glob("*.jsonl")
        goodbye = "" if key == "hang up" else f"Saved. To continue: cardtable resume {path.stem}"
        assert left == ["", goodbye], "the main screen gets no name and no card"
        assert set(re.findall(rb"\x1b\](\d+)", terminal.output)) <= {POINTER}, "no window title and no notification"


@pytest.fixture
def registered_player(home, monkeypatch):
    """Register Anna with a password that this process's program has not yet accepted."""
    monkeypatch.setenv("CARDTABLE_HOME", str(home))
    profiles.register("Anna", password="sesame77", again="sesame77")


def test_password_at_the_curtain_is_never_shown(home, registered_player):
    with Terminal(home, "play", "rikiki", "--seed", "7") as terminal:
        terminal.wait("Anna, your password")
        wait_for_curtain(terminal)
        terminal.send("wrong", "enter", until="That is not the password")
        terminal.wait_until_quiet(SHORT_KEY_INTERVAL)
        terminal.send("sesame77", "enter", until="Your bid")
        assert terminal.quit() == 0
        assert b"sesame77" not in terminal.output
        assert b"wrong" not in terminal.output


def test_password_in_plain_text_is_hidden(home, registered_player):
    with Terminal(home, "play", "rikiki", "--seed", "7", "--plain") as terminal:
        terminal.wait("Password of Anna (it is not shown):")
        terminal.send("sesame77", "enter", until="Your hand: ")
        assert b"sesame77" not in terminal.output
