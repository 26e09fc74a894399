"""Claim at the table: a key plays out the rest of a round whose points are decided."""

import pytest

from cardtable.engine.claim import ClaimVerdict
from cardtable.engine.log_entries import SystemLogEntry
from cardtable.engine.tricks import Play
from cardtable.session.session_events import Stage
from cardtable.ui.toolkit.keys.bindings import TABLE
from tests.ui.screen_text import screen_text
from tests.ui.table_host import Host, asked, session, until

[REST] = [key for key in TABLE.keys if key.name == "rest"]


async def playing(pilot, app, holds):
    """Play until there is a choice of cards in a position that satisfies a condition."""
    for _ in range(2000):
        await asked(pilot, app)
        several = (
            app.table.frame.waiting
            and len([action for action in app.table.frame.view.legal if isinstance(action, Play)]) > 1
        )
        if several and holds(app.table.session.referee):
            return app.table.frame
        assert app.table.frame.stage is not Stage.SESSION_END
        app.table.table_keys.action_commit()
    raise AssertionError("the position never came")


def decided(table):
    return table.check_claim(table.turn)() is ClaimVerdict.DECIDED


def lines(app):
    return [line for line in app.table.session.path.read_text(encoding="utf-8").splitlines() if '"action"' in line]


@pytest.mark.promise("The table", "`c` plays out the rest of a round if every possible play gives the same points.")
@pytest.mark.parametrize(("key", "seed"), [("rikiki", 5), ("king", 5), ("rifki", 5), ("gurka", 4)])
async def test_the_rest_is_played_out_at_once_and_can_be_taken_back(key, seed):
    app = Host(session(key, seed))
    async with app.run_test(size=(80, 24)) as pilot:
        await playing(pilot, app, decided)
        before, held, number = app.table.frame.view, len(lines(app)), app.table.frame.view.round
        await pilot.press("c")
        await until(pilot, lambda: app.table.frame.stage is not Stage.PLAY)
        table = app.table.session.referee
        assert len(table.scores) == number
        assert len(lines(app)) > held
        assert all('"action":"play ' in line for line in lines(app)[held:])
        assert any(isinstance(note, SystemLogEntry) and note.what == "plays out" for note in app.table.frame.messages)
        if app.table.frame.stage is Stage.SESSION_END:
            return
        await asked(pilot, app)
        await pilot.press("u")
        await until(pilot, lambda: app.table.frame.waiting)
        assert app.table.frame.view == before


async def test_what_is_not_decided_is_said_and_nothing_is_played():
    app = Host(session("rikiki", 5))
    async with app.run_test(size=(80, 24)) as pilot:
        await playing(pilot, app, lambda table: table.round == 5 and not decided(table))
        before = app.table.frame.view
        await pilot.press("c")
        await until(pilot, lambda: "decided" in app.table.frame.reason or "too many" in app.table.frame.reason.lower())
        await pilot.pause()
        assert app.table.frame.view is before
        assert app.table.frame.waiting
        assert app.table.frame.reason in screen_text(app)


async def test_an_answer_that_was_overtaken_by_a_card_is_forgotten():
    app = Host(session("rikiki", 5))
    async with app.run_test(size=(80, 24)) as pilot:
        await playing(pilot, app, decided)
        held = len(lines(app))
        app.table.action_rest()
        app.table.table_keys.action_commit()
        await asked(pilot, app)
        await until(pilot, lambda: not [work for work in app.workers if work.group == "rest" and not work.is_finished])
        assert len(lines(app)) <= held + 4
        assert not any(isinstance(note, SystemLogEntry) for note in app.table.frame.messages)


def works(app):
    return app.table.is_enabled(REST)


async def test_bids_are_no_rest():
    app = Host(session("rikiki", 5))
    async with app.run_test(size=(80, 24)) as pilot:
        await asked(pilot, app)
        assert not works(app)


@pytest.mark.parametrize("key", ["bridge", "rummy"])
async def test_where_there_are_no_tricks_the_key_does_nothing(key):
    app = Host(session(key, 5, seats=2))
    async with app.run_test(size=(80, 24)) as pilot:
        await asked(pilot, app)
        assert app.table.frame.waiting
        assert not works(app)


async def test_another_person_s_plays_are_hers():
    app = Host(session("gurka", 5, people=2))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.table.frame.stage is Stage.CURTAIN and app.table.controller.is_awaiting_input)
        await pilot.press("enter")
        await until(pilot, lambda: app.table.frame.waiting)
        assert not works(app)
