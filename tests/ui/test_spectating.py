"""Watching a session that another program plays."""

from contextlib import closing

import pytest

from cardtable.engine.game import CHANCE, OVER
from cardtable.session.session_events import Stage
from cardtable.store import sessions
from cardtable.store.settings import Settings
from cardtable.ui.table.model import controller
from tests.ui.screen_text import screen_text
from tests.ui.table_host import QUICK, Host, session, until

SMALL = (80, 24)


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    """Poll the journal without delay."""
    monkeypatch.setattr(controller, "POLL_INTERVAL", 0.001)


def act(table, decisions=1):
    """Play the first legal action for each decision; deal rounds as they come."""
    for _ in range(decisions):
        if table.turn == CHANCE:
            table.advance()
        if table.turn != OVER:
            table.play(table.turn, table.view(table.turn).legal[0])


@pytest.fixture
def played():
    """Yield a session in its first round that is open in another program."""
    with closing(session("rikiki", 11)) as playing:
        act(playing.referee, 2)
        yield playing


def shown(app):
    """Return the number of decisions that the watching program has received."""
    return app.table.session.referee.decisions


async def looks_on(pilot, app):
    await until(pilot, lambda: app.table.frame.spectator_reason)
    await pilot.pause()


@pytest.mark.promise(
    "The picker and new tables",
    "A session that is open in another program can be watched as it is played, without a curtain.",
)
async def test_the_second_program_follows_each_decision_to_the_end_of_the_session(played, home):
    app = Host(sessions.resume(played.path), QUICK)
    async with app.run_test(size=SMALL) as pilot:
        await looks_on(pilot, app)
        assert "Open elsewhere: you are only watching." in screen_text(app)
        for _ in range(12):
            act(played.referee)
            await until(pilot, lambda: app.view == played.referee.view(0))
        played.referee.say("well played", 1)
        await until(pilot, lambda: "well played" in screen_text(app))
        while played.referee.playing:
            act(played.referee)
        await until(pilot, lambda: app.table.frame.stage is Stage.ROUND_END)
        act(played.referee)
        await until(pilot, lambda: app.table.frame.stage is Stage.PLAY)
        act(played.referee, 5000)
        played.referee.advance()
        await until(pilot, lambda: app.table.frame.stage is Stage.SESSION_END)
        assert app.table.frame.ranks == played.referee.ranks
        await until(pilot, lambda: app.table.session.path == home / "archive" / played.path.name)
        await pilot.press("enter")
        assert app.told, "Enter leads back"


async def test_what_is_taken_back_there_is_taken_back_here(played):
    app = Host(sessions.open_read_only(played.path), QUICK)
    async with app.run_test(size=SMALL) as pilot:
        await looks_on(pilot, app)
        assert "You are watching." in screen_text(app)
        act(played.referee)
        await until(pilot, lambda: shown(app) == 3)
        played.referee.undo(2)
        await until(pilot, lambda: shown(app) == 1)
        await until(pilot, lambda: "taken back" in screen_text(app))
        played.referee.void("clock")
        await until(pilot, lambda: "time is up" in screen_text(app))
        await until(pilot, lambda: app.view == played.referee.view(0))


async def test_tricks_do_not_wait_for_a_key_while_more_is_played():
    with closing(session("gurka", 11)) as playing:
        act(playing.referee)
        app = Host(sessions.open_read_only(playing.path), Settings(pace=0, trick_pause="key"))
        async with app.run_test(size=SMALL) as pilot:
            await looks_on(pilot, app)
            act(playing.referee, 12)
            await until(pilot, lambda: shown(app) == 13)


async def test_given_up_and_taken_back_elsewhere_is_told_and_followed(played):
    app = Host(sessions.open_read_only(played.path), QUICK)
    async with app.run_test(size=SMALL) as pilot:
        await looks_on(pilot, app)
        played.close()
        sessions.abandon(played.path)
        await until(pilot, lambda: "It has been given up in another program." in screen_text(app))
        sessions.restore(sessions.find_path(played.header.id))
        await until(pilot, lambda: "given up" not in screen_text(app))
        with closing(sessions.resume(played.path)) as again:
            act(again.referee)
            await until(pilot, lambda: shown(app) == 3)


@pytest.mark.promise(
    "The picker and new tables",
    "If a watched session can no longer be read, the table shows the time of the position on the screen.",
)
async def test_since_when_the_picture_stands_is_told_where_it_cannot_be_followed(played):
    app = Host(sessions.open_read_only(played.path), QUICK)
    async with app.run_test(size=SMALL) as pilot:
        await looks_on(pilot, app)
        whole = played.path.read_bytes()
        played.path.write_bytes(whole[:-20] + b"x" * 20 + b"\n{}\n")
        await until(pilot, lambda: "This is how it stood at " in app.table.frame.banner)
        told = app.table.frame.banner
        await pilot.pause(0.05)
        assert app.table.frame.banner == told, "since the same moment"
        played.path.write_bytes(whole)
        await until(pilot, lambda: not app.table.frame.banner)
        played.path.unlink()
        await until(pilot, lambda: "No such file" in app.table.frame.banner)


@pytest.mark.promise(
    "The picker and new tables",
    "A session that is open in another program can be watched as it is played, without a curtain.",
)
async def test_a_hot_seat_table_that_is_open_elsewhere_says_so_at_once_without_a_curtain():
    with closing(session("rikiki", 11, people=2)) as playing:
        act(playing.referee, 2)
        hands = [playing.referee.view(seat).hand for seat in range(2)]
        app = Host(sessions.resume(playing.path), QUICK)
        async with app.run_test(size=SMALL) as pilot:
            await looks_on(pilot, app)
            assert app.table.frame.stage is Stage.PLAY
            text = screen_text(app)
            assert "Open elsewhere: you are only watching." in text
            assert "press Enter" not in text
            assert app.view.hand not in hands, "nobody's hand is seen"
            await pilot.press("?")
            keys = screen_text(app)
            for word in ("take back", "hint", "play or say it", "choose, or play", "order of the hand", "any card"):
                assert word not in keys
            assert "score sheet" in keys
            act(playing.referee)
            await until(pilot, lambda: shown(app) == 3)
