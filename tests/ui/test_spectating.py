"""Watching a session that another program plays."""

from contextlib import closing

import pytest

from cardtable.engine.game import CHANCE, OVER
from cardtable.session.session_events import Stage
from cardtable.store import sessions, summaries
from cardtable.store.settings import Settings
from cardtable.ui.table.model import controller
from tests.ui.screen_text import screen_text
from tests.ui.table_host import QUICK, TableApp, create_session, wait_until

SMALL = (80, 24)


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


def count_decisions(app):
    """Return the number of decisions that the watching program has received."""
    return app.table.session.referee.decisions


async def wait_until_watching(pilot, app):
    await wait_until(pilot, lambda: app.table.frame.spectator_reason)
    await pilot.pause()


async def test_spectator_follows_session_to_its_end(played_session, home):
    app = TableApp(sessions.resume(played_session.path), QUICK)
    async with app.run_test(size=SMALL) as pilot:
        await wait_until_watching(pilot, app)
        assert "Open elsewhere: you are only watching." in screen_text(app)
        for _ in range(12):
            play_decisions(played_session.referee)
            await wait_until(pilot, lambda: app.view == played_session.referee.view(0))
        played_session.referee.say("well played", 1)
        await wait_until(pilot, lambda: "well played" in screen_text(app))
        while played_session.referee.playing:
            play_decisions(played_session.referee)
        await wait_until(pilot, lambda: app.table.frame.stage is Stage.ROUND_END)
        play_decisions(played_session.referee)
        await wait_until(pilot, lambda: app.table.frame.stage is Stage.PLAY)
        play_decisions(played_session.referee, 5000)
        played_session.referee.advance()
        await wait_until(pilot, lambda: app.table.frame.stage is Stage.SESSION_END)
        assert app.table.frame.ranks == played_session.referee.ranks
        await wait_until(pilot, lambda: app.table.session.path == home / "archive" / played_session.path.name)
        await pilot.press("enter")
        assert app.requests, "Enter leaves the page"


async def test_spectator_sees_whom_table_waits_for():
    with closing(create_session("gurka", 5, seats=4)) as playing:
        while playing.referee.turn != 0:
            play_decisions(playing.referee)
    app = TableApp(sessions.open_read_only(playing.path), QUICK)
    async with app.run_test(size=SMALL) as pilot:
        await wait_until_watching(pilot, app)
        assert "You are watching.  You are to act" in screen_text(app)


async def test_take_back_and_new_deal_are_followed(played_session):
    app = TableApp(sessions.open_read_only(played_session.path), QUICK)
    async with app.run_test(size=SMALL) as pilot:
        await wait_until_watching(pilot, app)
        assert "You are watching." in screen_text(app)
        play_decisions(played_session.referee)
        await wait_until(pilot, lambda: count_decisions(app) == 3)
        played_session.referee.undo(2)
        await wait_until(pilot, lambda: count_decisions(app) == 1)
        await wait_until(pilot, lambda: "move undone" in screen_text(app))
        played_session.referee.void("clock")
        await wait_until(pilot, lambda: "time is up" in screen_text(app))
        await wait_until(pilot, lambda: app.view == played_session.referee.view(0))


async def test_trick_pause_is_skipped_while_behind():
    with closing(create_session("gurka", 11)) as playing:
        play_decisions(playing.referee)
        app = TableApp(sessions.open_read_only(playing.path), Settings(robot_pace=0, trick_pause="key"))
        async with app.run_test(size=SMALL) as pilot:
            await wait_until_watching(pilot, app)
            play_decisions(playing.referee, 12)
            await wait_until(pilot, lambda: count_decisions(app) == 13)


async def test_abandoned_and_restored_session_is_followed(played_session):
    app = TableApp(sessions.open_read_only(played_session.path), QUICK)
    async with app.run_test(size=SMALL) as pilot:
        await wait_until_watching(pilot, app)
        played_session.close()
        sessions.abandon(played_session.path)
        await wait_until(pilot, lambda: "The session was abandoned in another program." in screen_text(app))
        sessions.restore(summaries.find_path(played_session.header.id))
        await wait_until(pilot, lambda: "given up" not in screen_text(app))
        with closing(sessions.resume(played_session.path)) as again:
            play_decisions(again.referee)
            await wait_until(pilot, lambda: count_decisions(app) == 3)


async def test_unreadable_journal_shows_time_of_position(played_session):
    app = TableApp(sessions.open_read_only(played_session.path), QUICK)
    async with app.run_test(size=SMALL) as pilot:
        await wait_until_watching(pilot, app)
        whole = played_session.path.read_bytes()
        played_session.path.write_bytes(whole[:-20] + b"x" * 20 + b"\n{}\n")
        await wait_until(pilot, lambda: "As of " in app.table.frame.banner)
        banner = app.table.frame.banner
        await pilot.pause(0.05)
        assert app.table.frame.banner == banner, "the time in the banner stays the same"
        played_session.path.write_bytes(whole)
        await wait_until(pilot, lambda: not app.table.frame.banner)
        played_session.path.unlink()
        await wait_until(pilot, lambda: "No such file" in app.table.frame.banner)


async def test_hot_seat_session_elsewhere_needs_no_curtain():
    with closing(create_session("rikiki", 11, people=2)) as playing:
        play_decisions(playing.referee, 2)
        hands = [playing.referee.view(seat).hand for seat in range(2)]
        app = TableApp(sessions.resume(playing.path), QUICK)
        async with app.run_test(size=SMALL) as pilot:
            await wait_until_watching(pilot, app)
            assert app.table.frame.stage is Stage.PLAY
            text = screen_text(app)
            assert "Open elsewhere: you are only watching." in text
            assert "press Enter" not in text
            assert app.view.hand not in hands, "the spectator sees no hand"
            await pilot.press("?")
            keys = screen_text(app)
            for word in ("undo", "hint", "play or choose", "choose, or play", "order of the hand", "any card"):
                assert word not in keys
            assert "score sheet" in keys
            play_decisions(playing.referee)
            await wait_until(pilot, lambda: count_decisions(app) == 3)
