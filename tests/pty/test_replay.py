"""Replay on a terminal: on the screen, and in plain text with Enter for the next trick."""

import re

from cardtable.games import GAMES
from cardtable.session.simulation import Plan, simulate
from tests.pty.terminal import Terminal

PROMPT = re.compile(r"\n> $")


def simulate_session(folder):
    path = folder / "one.jsonl"
    [session] = simulate(Plan("gurka", 1, 4, ("steady",) * 4, GAMES["gurka"].options(seats=4)))
    path.write_bytes(session.journal)
    return str(path)


def test_replay_on_screen_and_new_session_from_it(home, tmp_path):
    with Terminal(home, "replay", simulate_session(tmp_path)) as terminal:
        terminal.wait("round 1 of")
        terminal.wait("card 1 of 4", press="right")
        terminal.wait("card 4 of 4", press="down")
        terminal.send("v")
        terminal.wait("Ada's view")
        terminal.send("g")
        terminal.confirm("A new session starts at this moment")
        terminal.wait("h hint")
        terminal.send("escape")
        terminal.wait("Continue: Gurka")
        assert terminal.quit() == 0
        assert b"Traceback" not in terminal.output


def test_replay_in_plain_text(home, tmp_path):
    with Terminal(home, "replay", simulate_session(tmp_path), "--plain") as terminal:

        def typed(text):
            before = len(terminal.output)
            terminal.send(text + "\r")
            terminal.wait(lambda: PROMPT.search(terminal.output.decode()[before:]))
            return terminal.output.decode()[before:]

        terminal.wait(lambda: PROMPT.search(terminal.output.decode()))
        assert "Dee's hand: " in terminal.output.decode()
        assert typed("").count("Trick") == 1
        rest = typed("round")
        assert "Trick 7" in rest
        assert "Round 2," in rest
        assert "Trick 1:" not in rest.split("Round 2,")[1]
        terminal.send("quit\r")
        assert terminal.wait_for_end() == 0
