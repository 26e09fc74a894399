"""Output to terminals without other characters than ASCII, without colours or without a mouse."""

import re

import pytest

from tests.pty.terminal import Terminal

SGR = re.compile(rb"\x1b\[([\d;:]*)m")
PLAIN = {b"", b"0", b"1", b"2", b"3", b"4", b"7", b"22", b"23", b"24", b"27"}
"""Codes of bold, dim, italic, underlined, reversed, and their ends."""
MOUSE = (b"?1000h", b"?1002h", b"?1003h", b"?1006h", b"?1015h", b"?1016h")
QUICK = "pace = 0\ntrick_pause = 0\n"
ACCENTED = 'theme = "Ren\u00e9"\n'
"""Setting that is quoted in a message, although its value has a letter that is not ASCII."""


def look_around(terminal):
    """Play a round of Rikiki with every overlay, open the form of a new table, quit."""
    terminal.wait("Your bid")
    for key, shown in (("h", "Hint"), ("s", "Score sheet"), ("?", "Keys")):
        terminal.send(key)
        terminal.wait(shown)
        terminal.send(key)
        terminal.wait(lambda words=shown: words not in terminal.text)
    terminal.wait(lambda: re.search(r"Round \d+ is over", terminal.text), press="enter")
    terminal.send("escape")
    terminal.wait("Go on")
    terminal.send("n")
    terminal.wait("House rules of Rikiki")
    terminal.send("escape")
    terminal.wait("Go on")
    assert terminal.leave() == 0
    assert b"Traceback" not in terminal.output


@pytest.mark.promise(
    "Settings and display", "`--ascii`, `--mono`, NO_COLOR, `--no-mouse` and letters for suits are obeyed."
)
def test_with_ascii_nothing_else_goes_out(home):
    (home / "settings.toml").write_text(QUICK + ACCENTED, encoding="utf-8")
    with Terminal(home, "play", "rikiki", "--ascii") as terminal:
        terminal.wait("Wrong in your files")
        terminal.send("enter")
        look_around(terminal)
        assert bytes(terminal.output).isascii()


def test_where_the_terminal_has_no_other_signs_nothing_else_goes_out(home):
    (home / "settings.toml").write_text(QUICK, encoding="utf-8")
    with Terminal(home, "play", "rikiki", environment={"PYTHONIOENCODING": "latin-1"}) as terminal:
        look_around(terminal)
        assert bytes(terminal.output).isascii()


def test_ascii_can_stand_alone(home):
    with Terminal(home, "--ascii") as terminal:
        terminal.wait("? help")
        assert "\n  >|3S" in terminal.text, "the cursor is on Rikiki and its card"
        assert terminal.leave() == 0
        assert bytes(terminal.output).isascii()


def codes(terminal):
    """Return the codes of colours and other attributes in the output."""
    return {code for found in SGR.findall(terminal.output) for code in found.split(b";")}


@pytest.mark.promise(
    "Settings and display", "`--ascii`, `--mono`, NO_COLOR, `--no-mouse` and letters for suits are obeyed."
)
def test_without_colours_none_goes_out(home):
    (home / "settings.toml").write_text(QUICK, encoding="utf-8")
    with Terminal(home, "play", "rikiki", "--mono") as terminal:
        look_around(terminal)
        assert {b"1", b"2", b"7"} <= codes(terminal) <= PLAIN


@pytest.mark.promise(
    "Settings and display", "`--ascii`, `--mono`, NO_COLOR, `--no-mouse` and letters for suits are obeyed."
)
def test_the_variable_for_no_colours_is_minded(home):
    with Terminal(home, environment={"NO_COLOR": "1"}) as terminal:
        terminal.wait("? help")
        assert terminal.leave() == 0
        assert {b"1", b"7"} <= codes(terminal) <= PLAIN


def test_an_empty_variable_says_nothing(home):
    with Terminal(home, environment={"NO_COLOR": ""}) as terminal:
        terminal.wait("? help")
        assert b"38;2;" in terminal.output
        assert terminal.leave() == 0


def test_the_mouse_is_asked_for_unless_it_is_to_be_left_alone(home):
    with Terminal(home) as terminal:
        terminal.wait("? help")
        assert b"?1000h" in terminal.output
        assert terminal.leave() == 0


@pytest.mark.promise(
    "Settings and display", "`--ascii`, `--mono`, NO_COLOR, `--no-mouse` and letters for suits are obeyed."
)
@pytest.mark.parametrize(
    ("arguments", "settings_text"), [(("--no-mouse",), ""), ((), "mouse = false\n")], ids=["flag", "setting"]
)
def test_without_the_mouse_the_terminal_is_asked_for_no_reports(home, arguments, settings_text):
    (home / "settings.toml").write_text(settings_text, encoding="utf-8")
    with Terminal(home, *arguments) as terminal:
        terminal.wait("? help")
        assert terminal.leave() == 0
        assert not [mode for mode in MOUSE if mode in terminal.output]


def test_a_terminal_with_sixteen_colours_gets_the_theme_for_them(home):
    with Terminal(home, environment={"TERM": "xterm", "COLORTERM": None}) as terminal:
        terminal.wait("? help")
        assert b"38" not in codes(terminal)
        assert {b"44", b"107"} <= codes(terminal), "the panel is blue, cards are white"
        assert terminal.leave() == 0
