"""Watching a session that another program plays."""

from contextlib import asynccontextmanager, closing

import pytest

from cardtable.engine.game import CHANCE, OVER
from cardtable.session.session_events import Stage
from cardtable.store import sessions, summaries
from cardtable.store.settings import Settings
from cardtable.ui.table.model import controller
from tests.ui.driver import at_table
from tests.ui.table_host import QUICK, TableApp, create_session


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
    with closing(create_session("rikiki", 11)) as playing:
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


async def test_spectator_sees_whom_table_waits_for():
    with closing(create_session("gurka", 5, seats=4)) as playing:
        while playing.referee.turn != 0:
            play_decisions(playing.referee)
    async with watch(sessions.open_read_only(playing.path)) as table:
        await table.sees("You are watching.  You are to act")


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


async def test_trick_pause_is_skipped_while_behind():
    with closing(create_session("gurka", 11)) as playing:
        play_decisions(playing.referee)
        async with watch(sessions.open_read_only(playing.path), Settings(robot_pace=0, trick_pause="key")) as table:
            play_decisions(playing.referee, 12)
            await table.wait_until(lambda: table.decisions == 13)


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
