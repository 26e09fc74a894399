"""Keys in a window that becomes too small and large enough again during play."""

import pytest

from tests.pty.playing import create_session, read_lines, wait_for_turn
from tests.pty.terminal import Terminal

SMALL, USUAL = (40, 10), (80, 24)


def resize(terminal, size, *keys):
    """Resize the window, press keys at once, and wait for the picture."""
    terminal.resize(*size)
    terminal.send(*keys)
    terminal.wait(lambda: ("Window too small" in terminal.text) is (size == SMALL) and terminal.text.strip())
    terminal.wait_until_quiet()


def test_nothing_is_played_blindly(home):
    session = create_session("king", 5)
    with Terminal(home, "resume", session) as terminal:
        wait_for_turn(terminal)
        before, lines = terminal.text, read_lines(home / "sessions" / f"{session}.jsonl")
        for _ in range(3):
            resize(terminal, SMALL, "enter")
            terminal.send("enter", "down", "enter", "q")
            terminal.wait_until_quiet()
            resize(terminal, USUAL, "enter")
            terminal.wait(lambda: terminal.text == before)
        assert read_lines(home / "sessions" / f"{session}.jsonl") == lines
        terminal.wait(lambda: read_lines(home / "sessions" / f"{session}.jsonl") != lines, press="enter")
        assert terminal.quit() == 0


@pytest.mark.parametrize("answer", ["", "enter", "\x03"], ids=repr)
def test_quitting(home, answer):
    with Terminal(home, "resume", create_session()) as terminal:
        wait_for_turn(terminal)
        resize(terminal, SMALL)
        if answer:
            terminal.send("\x03")
            terminal.wait("Enter quit   Esc stay")
        terminal.send(answer or "ctrl+q")
        assert terminal.wait_for_end() == 0
