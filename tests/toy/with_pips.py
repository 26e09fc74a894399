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
from cardtable.store.settings import Settings
from cardtable.ui.app import CardtableApp
from cardtable.ui.toolkit.preferences import Preferences
from tests.ui.screen_text import screen_text
from tests.ui.table_host import TableApp, create_session, wait_for_input, wait_until

SIZES = [(60, 18), (80, 24), (120, 40)]


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
    app = TableApp(create_session("pips", 7, seats=3, length="short"))
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_for_input(pilot, app)
        await pilot.press("h")
        await wait_until(pilot, lambda: app.table.frame.advice)
        await pilot.pause()
        assert str(app.table.frame.advice.lines[0].name) == "Count double"
        assert "Count double" in " ".join(screen_text(app).split())
        await pilot.press("enter")
        await wait_for_input(pilot, app)
        assert app.view.stake == 2
        await pilot.press("enter")
        await wait_for_input(pilot, app)
        for key, words in (("l", "previous"), ("s", "Score sheet")):
            await pilot.press(key)
            assert words in screen_text(app)
            await pilot.press("escape")
        while app.table.frame.stage is not Stage.SESSION_END:
            await pilot.press("enter")
            await wait_for_input(pilot, app)
        assert "The session is over." in screen_text(app)
        await pilot.press("d")
        await wait_until(pilot, lambda: "Last deal   Pips   round 1, " in screen_text(app))
        await pilot.press("w")
        await wait_until(pilot, lambda: "You chose count double" in " ".join(screen_text(app).split()))


async def test_picker_lists_and_resumes():
    app = CardtableApp(Preferences(Settings(robot_pace=0)))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(*["down"] * (len(KEYS) - 1))
        assert re.search(r"2♣ +Pips +the highest card takes the trick +2-4 +3 rounds", screen_text(app))
        await pilot.press("i")
        await wait_until(pilot, lambda: "The highest card takes the trick, whatever its suit" in screen_text(app))
        await pilot.press("escape", "n")
        await wait_until(pilot, lambda: "How long a session is" in screen_text(app))
        await pilot.press("escape", "enter")
        await wait_until(pilot, lambda: "h hint" in screen_text(app))
        await pilot.press("escape")
        await wait_until(pilot, lambda: "Continue: Pips, round 1 of 3" in screen_text(app))
