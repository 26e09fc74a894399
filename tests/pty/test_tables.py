"""Tables in the picker: first hand, two people by keyboard only, two programs at once, abandoning."""

import re

from cardtable.store import paths
from tests.pty.playing import create_session, wait_for_turn
from tests.pty.terminal import Terminal

HAND_ROWS = slice(17, 23)


def test_first_hand_after_two_keys(home):
    with Terminal(home) as terminal:
        terminal.wait("Rummy")
        terminal.send("down", "enter")
        terminal.wait(lambda: terminal.rows[0].startswith(" King"))
        wait_for_turn(terminal)
        hand = "".join(terminal.rows[HAND_ROWS])
        assert "King" in terminal.rows[0]
        assert sum(hand.count(suit) for suit in "♠♥♦♣") >= 10, "at least ten of thirteen cards are visible"
        assert terminal.quit() == 0


def test_first_hand_in_new_home_after_two_keys(tmp_path):
    with Terminal(tmp_path / "new") as terminal:
        terminal.wait("Deal me in")
        terminal.send("enter", until="n new table")
        terminal.wait_until_quiet(0.5)  # a second Enter would be ignored at once
        terminal.send("enter", until="You bid")
        assert terminal.quit() == 0
    with Terminal(tmp_path / "new") as terminal:
        terminal.wait("Continue: Rikiki")
        assert terminal.quit() == 0


def test_open_session_is_not_abandoned_by_another_program(home):
    id_ = create_session()
    with Terminal(home, "resume", id_) as playing, Terminal(home) as picker:
        playing.wait("? help")
        picker.wait("Continue: Rikiki")
        picker.send("g")
        picker.confirm("Abandon Rikiki")
        picker.wait("open in another program")
        assert (paths.sessions_folder() / f"{id_}.jsonl").is_file()
        assert playing.quit() == 0
        picker.send("g")
        picker.confirm("Abandon Rikiki")
        picker.wait(lambda: re.search(r"\bu undo\b", picker.text))  # the question before says that u "undoes that"
        assert (paths.archive_folder() / f"{id_}.jsonl").is_file()
        picker.send("u", until="Continue: Rikiki")
        assert picker.quit() == 0
    assert (paths.sessions_folder() / f"{id_}.jsonl").is_file()
