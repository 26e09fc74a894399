"""Claim at the table: a key plays out the rest of a round whose points are decided."""

import pytest

from cardtable.engine.log_entries import SystemLogEntry
from cardtable.engine.referee import ClaimVerdict
from cardtable.engine.tricks import Play
from cardtable.session.session_events import Stage
from cardtable.ui.keys.table_keys import TABLE
from tests.ui.screen_text import screen_text
from tests.ui.table_host import TableApp, confirm_curtain, create_session, open_table, wait_for_input, wait_until

[REST] = [key for key in TABLE.keys if key.name == "rest"]


async def play_until_choice(pilot, app, condition):
    """Play until there is a choice of cards in a position that satisfies a condition."""
    for _ in range(2000):
        await wait_for_input(pilot, app)
        several = (
            app.table.frame.waiting
            and len([action for action in app.table.frame.view.legal if isinstance(action, Play)]) > 1
        )
        if several and condition(app.table.session.referee):
            return app.table.frame
        assert app.table.frame.stage is not Stage.SESSION_END
        app.table.table_keys.action_commit()
    raise AssertionError("the position was not reached")


def is_decided(table):
    return table.check_claim(table.turn)() is ClaimVerdict.DECIDED


def read_action_lines(app):
    return [line for line in app.table.session.path.read_text(encoding="utf-8").splitlines() if '"action"' in line]


@pytest.mark.parametrize(("key", "seed"), [("rikiki", 8), ("king", 6), ("rifki", 5), ("gurka", 4)])
async def test_claim_plays_out_round_and_can_be_undone(key, seed):
    app = TableApp(create_session(key, seed))
    async with app.run_test(size=(80, 24)) as pilot:
        await play_until_choice(pilot, app, is_decided)
        before, line_count, number = app.table.frame.view, len(read_action_lines(app)), app.table.frame.view.round
        await pilot.press("c")
        await wait_until(pilot, lambda: app.table.frame.stage is not Stage.PLAY)
        table = app.table.session.referee
        assert len(table.scores) == number
        assert len(read_action_lines(app)) > line_count
        assert all('"action":"play ' in line for line in read_action_lines(app)[line_count:])
        assert any(isinstance(note, SystemLogEntry) and note.what == "plays out" for note in app.table.frame.messages)
        if app.table.frame.stage is Stage.SESSION_END:
            return
        await wait_for_input(pilot, app)
        await pilot.press("u")
        await wait_until(pilot, lambda: app.table.frame.waiting)
        assert app.table.frame.view == before


async def test_undecided_claim_is_refused():
    app = TableApp(create_session("rikiki", 5))
    async with app.run_test(size=(80, 24)) as pilot:
        await play_until_choice(pilot, app, lambda table: table.round == 5 and not is_decided(table))
        before = app.table.frame.view
        await pilot.press("c")
        await wait_until(pilot, lambda: "Can't claim yet" in app.table.frame.reason)
        await pilot.pause()
        assert app.table.frame.view is before
        assert app.table.frame.waiting
        assert app.table.frame.reason in screen_text(app)


async def test_play_cancels_pending_claim():
    app = TableApp(create_session("rikiki", 8))
    async with app.run_test(size=(80, 24)) as pilot:
        await play_until_choice(pilot, app, is_decided)
        line_count = len(read_action_lines(app))
        app.table.action_rest()
        app.table.table_keys.action_commit()
        await wait_for_input(pilot, app)
        await wait_until(
            pilot, lambda: not [work for work in app.workers if work.group == "rest" and not work.is_finished]
        )
        assert len(read_action_lines(app)) <= line_count + 4
        assert not any(isinstance(note, SystemLogEntry) for note in app.table.frame.messages)


def is_claim_enabled(app):
    return app.table.is_enabled(REST)


async def test_no_claim_during_bidding():
    app = TableApp(create_session("rikiki", 5))
    async with open_table(app, (80, 24)):
        assert not is_claim_enabled(app)


@pytest.mark.parametrize("key", ["bridge", "rummy"])
async def test_no_claim_in_games_without_tricks(key):
    app = TableApp(create_session(key, 5, seats=2))
    async with open_table(app, (80, 24)):
        assert app.table.frame.waiting
        assert not is_claim_enabled(app)


async def test_no_claim_with_another_person():
    app = TableApp(create_session("gurka", 5, people=2))
    async with app.run_test(size=(80, 24)) as pilot:
        await confirm_curtain(pilot, app)
        assert not is_claim_enabled(app)
