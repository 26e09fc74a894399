"""Output to terminals without other characters than ASCII, without colours or without a mouse."""

import re

import pytest

from tests.cli.test_hostile_variables import TERMS
from tests.pty.terminal import Terminal, run_in_parallel

SGR = re.compile(rb"\x1b\[([\d;:]*)m")
COLOURLESS_CODES = {b"", b"0", b"1", b"2", b"3", b"4", b"7", b"22", b"23", b"24", b"27"}
"""Codes of bold, dim, italic, underlined, reversed, and their ends."""
MOUSE_MODES = (b"?1000h", b"?1002h", b"?1003h", b"?1006h", b"?1015h", b"?1016h")
QUICK = "robot_pace = 0\ntrick_pause = 0\n"
INVALID_THEME = 'theme = "Ren\u00e9"\n'
"""Setting that is quoted in a message, although its value has a letter that is not ASCII."""


def show_all_screens(terminal):
    """Play a round of Rikiki with every overlay, open the form of a new table, quit."""
    terminal.wait("Your bid")
    for key, title in (("h", "Hint"), ("s", "Score sheet"), ("?", "Keys")):
        terminal.send(key, until=title)
        terminal.send("escape")
        terminal.wait(lambda words=title: words not in terminal.text)
    terminal.wait(lambda: re.search(r"Round \d+ is over", terminal.text), press="enter", quick=True)
    terminal.send("escape", until="Continue:")
    terminal.send("n", until="House rules of Rikiki")
    terminal.send("escape", until="Continue:")
    assert terminal.quit() == 0


def test_table_on_any_kind_of_terminal(home):
    def play_on(kind):
        with Terminal(home, "play", "rikiki", environment={"TERM": kind}) as terminal:
            terminal.wait(f"TERM={kind} cannot" if kind in ("dumb", "unknown") else "Your bid")

    run_in_parallel(play_on, TERMS)


def test_ascii_option(home):
    (home / "settings.toml").write_text(QUICK + INVALID_THEME, encoding="utf-8")
    with Terminal(home, "play", "rikiki", "--ascii") as terminal:
        terminal.wait("Problems in your files")
        terminal.send("enter")
        show_all_screens(terminal)
        assert bytes(terminal.output).isascii()


def list_sgr_codes(terminal):
    """Return the codes of colours and other attributes in the output."""
    return {code for codes in SGR.findall(terminal.output) for code in codes.split(b";")}


def test_mono_option_on_a_latin_1_terminal(home):
    (home / "settings.toml").write_text(QUICK, encoding="utf-8")
    with Terminal(home, "play", "rikiki", "--mono", environment={"PYTHONIOENCODING": "latin-1"}) as terminal:
        show_all_screens(terminal)
        assert bytes(terminal.output).isascii()
        assert {b"1", b"2", b"7"} <= list_sgr_codes(terminal) <= COLOURLESS_CODES


def test_picker_in_ascii_and_without_colours(home):
    with Terminal(home, "--ascii", environment={"NO_COLOR": "1"}) as terminal:
        terminal.wait("? help")
        assert "\n  >|3S" in terminal.text, "the cursor is on Rikiki and its card"
        assert terminal.quit() == 0
        assert bytes(terminal.output).isascii()
        assert {b"1", b"7"} <= list_sgr_codes(terminal) <= COLOURLESS_CODES


def test_colours_and_mouse_by_default(home):
    with Terminal(home, environment={"NO_COLOR": ""}) as terminal:
        terminal.wait("? help")
        assert b"38;2;" in terminal.output
        assert b"?1000h" in terminal.output
        assert terminal.quit() == 0


@pytest.mark.parametrize(
    ("arguments", "settings_text"), [(("--no-mouse",), ""), ((), "mouse = false\n")], ids=["flag", "setting"]
)
def test_mouse_is_disabled_by_flag_or_setting(home, arguments, settings_text):
    (home / "settings.toml").write_text(settings_text, encoding="utf-8")
    with Terminal(home, *arguments) as terminal:
        terminal.wait("? help")
        assert terminal.quit() == 0
        assert not [mode for mode in MOUSE_MODES if mode in terminal.output]


def test_sixteen_colours(home):
    with Terminal(home, environment={"TERM": "xterm", "COLORTERM": None}) as terminal:
        terminal.wait("? help")
        assert b"38" not in list_sgr_codes(terminal)
        assert {b"40", b"107"} <= list_sgr_codes(terminal), "the felt is black, cards are white"
        assert terminal.quit() == 0
