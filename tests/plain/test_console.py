"""Console: line breaks, and input without answers of the terminal."""

import io
import sys

import pytest

from cardtable.plain import console, players

LINE = "Play 1: six of clubs; 2: eight of clubs; 3: queen-high."


@pytest.mark.parametrize(
    ("terminal", "printed"),
    [(True, ["Play 1: six of", "clubs; 2: eight of", "clubs;", "3: queen-high."]), (False, [LINE])],
)
def test_terminal_lines_break_between_words(monkeypatch, capsys, terminal, printed):
    monkeypatch.setattr(console, "measure_terminal", lambda _stream: (18, 24) if terminal else (0, 0))
    console.print_lines(LINE, "short")
    assert capsys.readouterr().out.splitlines() == [*printed, "short"]


@pytest.mark.parametrize(
    ("line", "typed"),
    [
        ("play 6c\n", "play 6c"),
        ("\x1b]11;rgb:0000/0000/0000\x1b\\1\n", "1"),
        ("\x1b]11;rgb:0000/0000/0000\x071\n", "1"),
        ("\x1b]11;rgb:0000/0000/00001\n", ""),
        ("\x9d11;rgb:0000/0000/0000\x9c1\n", "1"),
        ("1\x1bP>|XTerm(390)\x1b\\0\n", "10"),
        ("\x1b_Gi=1;OK\x1b\\\x1b^a\x1b\\\x1bXb\x1b\\hint\n", "hint"),
        ("\x1b[?62;22c\x1b[>1;10;0c\x1b[?997;1n\x1b[24;80Rhint\n", "hint"),
        ("\x1b[200~say hello\x1b[201~\n", "say hello"),
        ("hi\x1b[Ant\x1bOA\n", "hint"),
        ("\x1b[?62;", ""),
        ("\x1b", ""),
    ],
)
def test_terminal_answers_are_removed_from_input(monkeypatch, line, typed):
    monkeypatch.setattr(sys, "stdin", io.StringIO(line))
    assert console.read_line() == typed


def test_password_retains_blanks(monkeypatch):
    monkeypatch.setattr(players, "getpass", lambda _prompt: "\x1b[?62c two words ")
    assert players.read_hidden("Password: ") == " two words "
