"""Watching: a table of robots with its playback, and a session that another program plays."""

from contextlib import asynccontextmanager, closing

import pytest
from msgspec.structs import replace

from cardtable.engine.cards import iter_cards
from cardtable.engine.game import CHANCE, OVER
from cardtable.session.session_events import Stage
from cardtable.store import sessions, summaries
from cardtable.store.settings import Settings
from cardtable.ui.table.model import controller
from cardtable.wording.formatting import format_card
from tests.ui.driver import LARGE, SMALL, at_table
from tests.ui.table_host import QUICK, TableApp, create_session
from tests.ui.test_hint import ScriptedAdvisor

SLOW = Settings(robot_pace=2, animation=False)


def create_robot_session(key="king", seed=5, *, seats=4, **options):
    return create_session(key, seed, seats=seats, people=0, **options)


@asynccontextmanager
async def open_paused(key="king", seed=5, seats=4, size=SMALL, settings=SLOW, **options):
    """Open a table of robots, paused with the first cards on the table."""
    async with at_table(TableApp(create_robot_session(key, seed, seats=seats), settings, **options), size) as table:
        await table.wait_until(lambda: table.frame.view.playing)
        await table.press("p")
        await table.wait_until(lambda: table.frame.active_robot is None)
        yield table


async def step(table):
    """Let the next robot act."""
    before = table.decisions
    await table.press(".")
    await table.wait_for_decision(before + 1)


async def test_robots_play_whole_session(monkeypatch, home):
    monkeypatch.setattr("cardtable.ui.table.model.view_model._MIN_ROUND_SECONDS", 0)
    stages = set()
    async with at_table(TableApp(create_robot_session("gurka", limit=21), QUICK)) as table:
        show = table.screen.view_model.on_change
        table.screen.view_model.on_change = lambda: (stages.add(table.frame.stage), show())
        await table.wait_until(lambda: table.frame.stage is Stage.SESSION_END)
        assert Stage.ROUND_END in stages
        assert table.frame.ranks
        await table.press("enter")
        assert table.app.requests, "Enter leaves the page"
    assert list((home / "archive").glob("*.jsonl"))


async def test_p_pauses_and_continues():
    async with open_paused(settings=QUICK) as table:
        await table.sees("Paused.")
        count = table.decisions
        await table.pilot.pause(0.3)
        assert table.decisions == count
        await table.press("p")
        await table.wait_until(lambda: table.decisions > count + 3)
        await table.sees("Speed 5 of 5")


async def test_step_makes_one_decision_and_pauses():
    async with at_table(TableApp(create_robot_session(), SLOW)) as table:
        await table.wait_until(lambda: table.frame.view.playing)
        for number in range(1, 12):
            await step(table)
            assert (table.decisions, table.frame.playback.paused) == (number, True)


async def test_paused_table_with_open_hands_golden():
    async with at_table(TableApp(create_robot_session(), SLOW)) as table:
        await table.wait_until(lambda: table.frame.view.playing)
        table.screen.table_keys.action_open_hands()
        for number in range(1, 4):
            table.screen.table_keys.action_step()
            await table.wait_until(
                lambda number=number: table.decisions == number and table.frame.thinking_robot is not None
            )
        await table.sees("Cy is next")
        await table.check_golden_in_sizes("watching")


async def test_v_toggles_all_hands():
    async with open_paused() as table:
        closed = table.text
        await table.press("v")
        for view in table.frame.others.values():
            assert all(label[:-1] in table.text for label in format_cards(view.hand))
        await table.press("v")
        assert table.text == closed


def format_cards(cards):
    return [format_card(card) for card in iter_cards(cards)]


async def test_spectator_never_acts():
    async with open_paused() as table:
        count = table.decisions
        await table.press("enter space down 5 t u shift+right backspace")
        await table.click(28, 20)
        await table.pilot.pause(0.15)
        assert table.decisions == count
        assert table.frame.playback.paused


async def test_resumed_session_is_paused():
    async with at_table(TableApp(create_robot_session(), QUICK)) as table:
        await table.wait_until(lambda: table.decisions > 5)
        await table.press("escape")
        await table.wait_until(lambda: table.app.requests)
    path = table.screen.session.path
    async with at_table(TableApp(sessions.resume(path), QUICK)) as table:
        await table.sees("Paused")
        count = table.decisions
        assert count > 5
        await table.wait_until(lambda: table.frame.messages)
        await table.press("p")
        await table.wait_until(lambda: table.decisions > count)


async def test_hint_for_spectator_names_robot():
    async with open_paused("rikiki", 11, size=LARGE, robot_client=ScriptedAdvisor()) as table:
        await table.press("h")
        await table.wait_until(lambda: table.frame.advice)
        await table.sees(f"Hint for {table.frame.names[table.frame.view.turn]}", "they will probably make their bid")
        assert "your" not in table.text
        table.screen.view_model.show(view=replace(table.view, turn=-1, legal=()))
        await table.press("h")
        assert "Hint for" not in table.text, "it is nobody's turn"


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    """Poll the journal without delay."""
    monkeypatch.setattr(controller, "POLL_INTERVAL", 0.001)


def play_decisions(table, decisions=1):
    """Play the first legal action for each decision; deal rounds as they come."""
    for _ in range(decisions):
        if table.turn == CHANCE:
            table.advance()
        if table.turn != OVER:
            table.play(table.turn, table.view(table.turn).legal[0])


@pytest.fixture
def played_session():
    """Yield a session in its first round that is open in another program."""
    with closing(create_session("rikiki", 11, length="short")) as playing:
        play_decisions(playing.referee, 2)
        yield playing


@asynccontextmanager
async def watch(session, settings=QUICK):
    async with at_table(TableApp(session, settings)) as table:
        await table.wait_until(lambda: table.frame.spectator_reason)
        yield table


async def test_spectator_follows_session_to_its_end(played_session, home):
    async with watch(sessions.resume(played_session.path)) as table:
        await table.sees("Open elsewhere: you are only watching.")
        for _ in range(12):
            play_decisions(played_session.referee)
            await table.wait_until(lambda: table.view == played_session.referee.view(0))
        played_session.referee.say("well played", 1)
        await table.sees("well played")
        while played_session.referee.playing:
            play_decisions(played_session.referee)
        await table.wait_until(lambda: table.frame.stage is Stage.ROUND_END)
        play_decisions(played_session.referee)
        await table.wait_until(lambda: table.frame.stage is Stage.PLAY)
        play_decisions(played_session.referee, 5000)
        played_session.referee.advance()
        await table.wait_until(lambda: table.frame.stage is Stage.SESSION_END)
        assert table.frame.ranks == played_session.referee.ranks
        await table.wait_until(lambda: table.screen.session.path == home / "archive" / played_session.path.name)
        await table.press("enter")
        assert table.app.requests, "Enter leaves the page"


async def test_spectator_of_a_session_at_home_can_sit_down():
    with closing(create_session("gurka", 5, seats=4)) as playing:
        while playing.referee.turn != 0:
            play_decisions(playing.referee)
    async with watch(sessions.open_read_only(playing.path)) as table:
        await table.sees("You are watching.  Enter sits down")


async def test_take_back_and_new_deal_are_followed(played_session):
    async with watch(sessions.open_read_only(played_session.path)) as table:
        await table.sees("You are watching.")
        play_decisions(played_session.referee)
        await table.wait_until(lambda: table.decisions == 3)
        played_session.referee.undo(2)
        await table.wait_until(lambda: table.decisions == 1)
        await table.sees("move undone")
        played_session.referee.void("clock")
        await table.sees("time is up")
        await table.wait_until(lambda: table.view == played_session.referee.view(0))


async def test_abandoned_and_restored_session_is_followed(played_session):
    async with watch(sessions.open_read_only(played_session.path)) as table:
        played_session.close()
        sessions.abandon(played_session.path)
        await table.sees("The session was abandoned in another program.")
        sessions.restore(summaries.find_path(played_session.header.id))
        await table.sees_no_more("The session was abandoned")
        with closing(sessions.resume(played_session.path)) as again:
            play_decisions(again.referee)
            await table.wait_until(lambda: table.decisions == 3)


async def test_unreadable_journal_shows_time_of_position(played_session):
    async with watch(sessions.open_read_only(played_session.path)) as table:
        whole = played_session.path.read_bytes()
        played_session.path.write_bytes(whole[:-20] + b"x" * 20 + b"\n{}\n")
        await table.wait_until(lambda: "As of " in table.frame.banner)
        banner = table.frame.banner
        await table.pilot.pause(0.05)
        assert table.frame.banner == banner, "the time in the banner stays the same"
        played_session.path.write_bytes(whole)
        await table.wait_until(lambda: not table.frame.banner)
        played_session.path.unlink()
        await table.wait_until(lambda: "No such file" in table.frame.banner)


async def test_hot_seat_session_elsewhere_needs_no_curtain():
    with closing(create_session("rikiki", 11, people=2)) as playing:
        play_decisions(playing.referee, 2)
        hands = [playing.referee.view(seat).hand for seat in range(2)]
        async with watch(sessions.resume(playing.path)) as table:
            assert table.frame.stage is Stage.PLAY
            await table.sees("Open elsewhere: you are only watching.")
            assert "press Enter" not in table.text
            assert table.view.hand not in hands, "the spectator sees no hand"
            await table.press("?")
            keys = table.text
            for word in ("undo", "hint", "play or choose", "choose, or play", "order of the hand", "any card"):
                assert word not in keys
            assert "score sheet" in keys
            play_decisions(playing.referee)
            await table.wait_until(lambda: table.decisions == 3)
