"""Settings in a terminal."""

from cardtable.store import settings
from tests.pty.terminal import Terminal


def test_last_change_is_saved_at_an_immediate_quit(home):
    with Terminal(home) as terminal:
        terminal.wait("? help")
        terminal.send(",")
        terminal.wait("saved in settings.toml")
        terminal.send("2", "right", "3", *["right"] * 5, "ctrl+q")
        assert terminal.wait_for_end() == 0
    chosen, complaints = settings.load()
    assert complaints == []
    assert (chosen.hand_order, chosen.robot_pace, chosen.trick_pause) == ("suit", 1.0, 0.0)
