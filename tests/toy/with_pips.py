"""Pips in all parts of the program; run by ``test_game_template.py`` with Pips in the package."""

import io
import re
import sys

import pytest

from cardtable.cli.main import run
from cardtable.games import ABOUT, GAMES, KEYS
from cardtable.robots.hints import advise
from cardtable.robots.kit.levels import LEVELS
from cardtable.robots.kit.robot import decide, make_generator, make_robot
from cardtable.session.session_events import Stage
from tests.ui.driver import sit_at, start_program
from tests.ui.table_host import create_session


@pytest.fixture
def run_command(capfd):
    """Return a function that runs a command and returns its output."""

    def run_line(line):
        assert run(line.split()) == 0
        return capfd.readouterr().out

    return run_line


def test_is_found(run_command):
    assert ABOUT["pips"].title == "Pips"
    assert run_command("rules pips").startswith("# Pips\n\nThe highest card takes the trick")


@pytest.mark.parametrize("level", LEVELS)
def test_robots_of_every_level(run_command, tmp_path, level):
    out = tmp_path / "one.jsonl"
    assert run_command(f"simulate pips --sessions 1 --seed 1 --seats {level},{level},{level} --output {out}")
    assert re.fullmatch(r"ok \S+ pips rounds=3 totals=[\d,]+\n", run_command(f"verify {out}"))


def test_hint_compares_all_actions():
    state = GAMES["pips"].start(3, GAMES["pips"].options())
    state.apply(state.draw_chance(make_generator(1, 0, 0)))
    view = state.view(state.turn)
    advice = advise("pips", view, make_generator(1, 0, 0), lambda: False)
    assert {line.action for line in advice.lines} == set(view.legal)
    assert decide(make_robot("expert", "pips"), view, 1, 0) == advice.lines[0].action


def test_play_and_resume_in_plain_text(run_command, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("count double\n\n1\nsheet\nprevious\n"))
    output = run_command("play pips --plain --seed 7 --seats me,steady,steady")
    assert "1: count single; 2: double." in output
    assert "You count double." in output
    assert "The previous trick: " in output
    monkeypatch.setattr(sys, "stdin", io.StringIO("1\n" * 20))
    output = run_command("resume --plain")
    assert "Round 3 is over. Totals: You " in output
    assert "You take the last trick." in output or "takes the last trick." in output
    assert " pips over 3 " in run_command("list")


async def test_whole_session_on_screen():
    async with sit_at(create_session("pips", 7, seats=3, length="short")) as table:
        await table.press("h")
        await table.wait_until(lambda: table.frame.advice)
        assert table.frame.advice.lines[0].name == "Count double"
        for _ in range(2):
            await table.press("enter")
            await table.wait_for_input()
        assert table.view.stake == 2
        for key, words in (("l", "previous"), ("s", "Score sheet")):
            await table.press(key)
            await table.sees(words)
            await table.press("escape")
        await table.play_until(lambda frame: frame.stage is Stage.SESSION_END)
        await table.sees("The session is over.")
        await table.press("d")
        await table.sees("Last deal   Pips   round 1, ")
        await table.press("w")
        await table.reads("You chose to count double")


async def test_picker_lists_and_resumes():
    async with start_program(robot_pace=0, key_guard=0) as program:
        await program.press("down " * (len(KEYS) - 1))
        assert re.search(r"2♣ +Pips +the highest card takes the trick +2-4 +3 rounds", program.text)
        for keys, words in (
            ("i", "The highest card takes the trick, whatever its suit"),
            ("escape n", "How long a session is"),
            ("escape enter", "h hint"),
            ("escape", "Continue: Pips, round 1 of 3"),
        ):
            await program.press(keys)
            await program.sees(words)
