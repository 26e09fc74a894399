"""Whether the deal of the day is going on, or has been played."""

from datetime import UTC, date, datetime, timedelta
from random import Random

import msgspec
import pytest

from cardtable.store import sessions, setup, today
from cardtable.store.seating import GUEST
from cardtable.store.summaries import listing
from tests.store.playing import play

DAY = date(2026, 11, 20)
"""A day of Gurka."""


def begin(table, day=DAY, hour=12):
    return sessions.create(
        table.game, table.seats, table.options, table.seed, now=datetime(day.year, day.month, day.day, hour, tzinfo=UTC)
    )


def test_at_first_there_is_none():
    assert today.session(DAY, GUEST) is None


def test_begun_it_is_open_and_then_given_up():
    session = begin(setup.of_the_day(DAY))
    play(session.table, Random(1), 10)
    session.close()
    found = today.session(DAY, GUEST)
    assert (found.path, found.state) == (session.path, "open")
    sessions.give_up(session.path)
    assert today.session(DAY, GUEST).state == "given-up"


def test_played_to_its_end_it_has_a_result_and_the_first_one_counts():
    ids = []
    for seed in range(2):
        session = begin(setup.of_the_day(DAY), hour=12 + seed)
        play(session.table, Random(seed), 10_000)
        session.close()
        ids.append(session.header.id)
    sessions.give_up(given_up().path)
    found = today.session(DAY, GUEST)
    assert (found.id, found.state) == (ids[0], "over")
    assert len(found.ranks) == len(found.totals) == 4
    begin(setup.of_the_day(DAY), hour=20).close()
    assert today.session(DAY, GUEST).state == "open", "it is played again"


def test_each_player_has_her_own():
    session = begin(setup.of_the_day(DAY, "Anna"))
    play(session.table, Random(1), 10_000)
    session.close()
    assert today.session(DAY, "Anna").state == "over"
    assert today.session(DAY, "Tom") is None
    assert today.session(DAY, GUEST) is None


def given_up():
    session = begin(setup.of_the_day(DAY), hour=1)
    session.close()
    return session


@pytest.mark.parametrize("shift", [-1, 1])
def test_on_the_day_before_and_after_there_is_another_deal(shift):
    begin(setup.of_the_day(DAY)).close()
    sessions.give_up(listing()[0].path)
    assert today.session(DAY + timedelta(days=shift), GUEST) is None


def test_with_other_cards_other_robots_or_other_house_rules_it_is_another_deal():
    deal = setup.of_the_day(DAY)
    experts = tuple([msgspec.structs.replace(who, robot="expert") if who.robot else who for who in deal.seats])
    other = deal.game.options(round_clock=5)
    for table in (deal._replace(seed=1), deal._replace(seats=experts), deal._replace(options=other)):
        begin(table).close()
    assert len(listing()) == 3
    assert today.session(DAY, GUEST) is None


def test_of_the_archive_those_of_the_day_only_are_read(monkeypatch):
    begin(setup.of_the_day(DAY), DAY - timedelta(days=5)).close()
    sessions.give_up(listing()[0].path)
    monkeypatch.setattr("cardtable.store.files.read_session", lambda path: pytest.fail("it was read"))
    assert today.session(DAY, GUEST) is None
