"""Watching robots by keyboard only."""

from tests.pty.terminal import Terminal


def test_watch_pause_leave_and_resume(home):
    with Terminal(home, "play", "king", "--seats", "steady,expert,novice,steady", "--seed", "5") as terminal:
        terminal.wait("Speed")
        terminal.wait("Paused", press="p")
        terminal.wait("p continue")
        terminal.send("v", ".", "right")
        terminal.send("escape")
        terminal.wait("Continue: King")
        terminal.wait("Paused", press="enter")
        assert terminal.quit() == 0
        assert b"Traceback" not in terminal.output
