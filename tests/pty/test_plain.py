"""Plain text on a terminal: hidden hands, Ctrl+C, discarded input; and a replay, in plain text and on the screen."""

import re

from cardtable.games import GAMES
from cardtable.plain.console import CLEAR_SEQUENCE
from cardtable.session.simulation import Plan, simulate
from cardtable.store import summaries
from tests.pty.terminal import Terminal

TURN = re.compile(r"(Anna|Bob)'s turn - press Enter\r\n> $")
PROMPT = re.compile(r"\n> $")
HAND = re.compile(r"Your hand: (.*)\.\r\n")


def read_answer(terminal, typed=None):
    """Type a line and read to the next prompt; return the text since then, or since the screen was last cleared."""
    before = len(terminal.output)
    if typed is not None:
        terminal.send(f"{typed}\r")
    terminal.wait(lambda: PROMPT.search(terminal.output[before:].decode(errors="replace")))
    return terminal.output[before:].decode().rpartition(CLEAR_SEQUENCE)[2]


def test_hand_appears_on_a_cleared_screen(home):
    with Terminal(home, "play", "bridge", "--plain", "--seed", "7", "--seats", "person:Anna,person:Bob") as terminal:
        hands, answer = {}, read_answer(terminal)
        for _ in range(4):
            name = TURN.search(answer)[1]
            assert answer.startswith(("So far:", "Since your last turn, just now:"))
            assert "Your hand" not in answer
            answer = read_answer(terminal, "")
            while not TURN.search(answer):
                hands[name] = HAND.findall(answer)[-1]
                assert all(hand not in answer for player, hand in hands.items() if player != name and "," in hand)
                answer = read_answer(terminal, "1")
        assert set(hands) == {"Anna", "Bob"}
        read_answer(terminal, "")
        terminal.send("quit\r")
        assert terminal.wait_for_end() == 0
        assert terminal.output.decode().rpartition(CLEAR_SEQUENCE)[2].startswith("Saved. To continue: "), (
            "the screen is cleared on leaving"
        )
        assert b"\x1b[3J" in terminal.output
        rest = terminal.output.replace(CLEAR_SEQUENCE.encode(), b"").decode()
        assert all(character.isprintable() for character in rest if character not in "\r\n")


def test_ctrl_c_saves_and_exits_with_130(home):
    with Terminal(home, "play", "ten_down", "--plain", "--seed", "7", "--seats", "me,random") as terminal:
        terminal.wait("Your hand: ")
        terminal.send("bid 4\r", until="You bid 4.")
        terminal.wait(lambda: PROMPT.search(terminal.output.decode()))
        terminal.send("\x03")
        assert terminal.wait_for_end() == 130
        [summary] = summaries.list_unfinished()
        assert summary.error is None
        assert b'"bid 4"' in summary.path.read_bytes()
        assert terminal.modes == terminal.modes_before


def test_end_of_round_waits_for_enter_or_undo(home):
    with Terminal(home, "play", "rikiki", "--plain", "--seed", "7", "--seats", "me,random,random,random") as terminal:
        terminal.wait("Your hand: ")
        terminal.send("bid 1\r", until="Press Enter for the next round.")
        terminal.send("undo\r", until="Move undone.")
        terminal.wait_until_quiet()
        terminal.send("bid 0\r", until="You bid 0.")
        terminal.wait_until_quiet()
        terminal.send("enter", until="Round 2: 2 cards each")
        terminal.send("\x04")
        assert terminal.wait_for_end() == 0
        assert "Saved. To continue: " in terminal.text


def test_input_before_a_curtain_is_discarded(home):
    with Terminal(home, "play", "ten_down", "--plain", "--seed", "7", "--seats", "person:Anna,person:Bob") as terminal:
        name = TURN.search(read_answer(terminal))[1]
        read_answer(terminal, "")
        before = len(terminal.output)
        asked = re.compile(r"(Anna|Bob)'s turn - press Enter\r\n[^>]*> $")  # what was typed may show before the sign
        terminal.send("bid 4\r\rbid 3\r\r")
        terminal.wait(lambda: CLEAR_SEQUENCE.encode() in terminal.output[before:])
        terminal.send("\rbid 3\r")
        terminal.wait(lambda: asked.search(terminal.output[before:].decode(errors="replace")))
        terminal.wait_until_quiet()
        following = asked.search(terminal.output[before:].decode(errors="replace"))[1]
        assert following != name
        assert HAND.findall(terminal.output.decode().rpartition(CLEAR_SEQUENCE)[2]) == []
        assert "Your hand" in read_answer(terminal, "")


def simulate_session(folder):
    path = folder / "one.jsonl"
    [session] = simulate(Plan("gurka", 1, 4, ("steady",) * 4, GAMES["gurka"].options(seats=4)))
    path.write_bytes(session.journal)
    return str(path)


def test_replay_on_screen(home, tmp_path):
    with Terminal(home, "replay", simulate_session(tmp_path)) as terminal:
        terminal.wait("round 1 of")
        terminal.wait("card 1 of 4", press="right")
        assert terminal.quit() == 0


def test_replay_in_plain_text(home, tmp_path):
    with Terminal(home, "replay", simulate_session(tmp_path), "--plain") as terminal:
        assert "Dee's hand: " in read_answer(terminal)
        assert read_answer(terminal, "").count("Trick") == 1
        rest = read_answer(terminal, "round")
        assert "Trick 7" in rest
        assert "Round 2," in rest
        assert "Trick 1:" not in rest.split("Round 2,")[1]
        terminal.send("quit\r")
        assert terminal.wait_for_end() == 0
