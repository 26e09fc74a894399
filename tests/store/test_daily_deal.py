"""The deal of the day, and whether it is going on or has been played."""

from collections import Counter
from datetime import UTC, date, datetime, timedelta
from random import Random

import msgspec
import pytest

from cardtable.games import KEYS
from cardtable.store import session_setup, sessions
from cardtable.store.seating import GUEST
from cardtable.store.summaries import list_unfinished
from tests.store.playing import play

DAY = date(2026, 11, 20)
"""A day of Gurka."""


def begin(table, day=DAY, hour=12):
    return sessions.create(
        table.game, table.seats, table.options, table.seed, now=datetime(day.year, day.month, day.day, hour, tzinfo=UTC)
    )


@pytest.mark.promise(
    "The picker and new tables",
    "The deal of the day sets game and cards by the date; each player has their own result.",
)
def test_games_take_turns_in_the_order_of_the_picker():
    first = date(1970, 1, 1)
    days = [first + timedelta(days=n) for n in range(3 * len(KEYS))]
    assert [session_setup.get_daily_game(day) for day in days] == [*KEYS] * 3
    assert Counter(
        session_setup.get_daily_game(date(2026, 11, 1) + timedelta(days=n)) for n in range(len(KEYS))
    ) == Counter(KEYS)


@pytest.mark.promise(
    "The picker and new tables",
    "The deal of the day sets game and cards by the date; each player has their own result.",
)
def test_the_number_of_the_deal_is_the_date():
    assert session_setup.get_daily_seed(date(2026, 11, 20)) == 20261120
    assert session_setup.get_daily_seed(date(2031, 2, 3)) == 20310203


def test_at_first_there_is_none():
    assert session_setup.find_daily_session(DAY, GUEST) is None


@pytest.mark.promise(
    "The picker and new tables",
    "The deal of the day sets game and cards by the date; each player has their own result.",
)
def test_begun_it_is_open_and_then_given_up():
    session = begin(session_setup.create_daily_setup(DAY))
    play(session.referee, Random(1), 10)
    session.close()
    found = session_setup.find_daily_session(DAY, GUEST)
    assert (found.path, found.state) == (session.path, "open")
    sessions.abandon(session.path)
    assert session_setup.find_daily_session(DAY, GUEST).state == "given-up"


def test_played_to_its_end_it_has_a_result_and_the_first_one_counts():
    ids = []
    for seed in range(2):
        session = begin(session_setup.create_daily_setup(DAY), hour=12 + seed)
        play(session.referee, Random(seed), 10_000)
        session.close()
        ids.append(session.header.id)
    sessions.abandon(given_up().path)
    found = session_setup.find_daily_session(DAY, GUEST)
    assert (found.id, found.state) == (ids[0], "over")
    assert len(found.ranks) == len(found.totals) == 4
    begin(session_setup.create_daily_setup(DAY), hour=20).close()
    assert session_setup.find_daily_session(DAY, GUEST).state == "open", "it is played again"


@pytest.mark.promise(
    "The picker and new tables",
    "The deal of the day sets game and cards by the date; each player has their own result.",
)
def test_each_player_has_her_own():
    session = begin(session_setup.create_daily_setup(DAY, "Anna"))
    play(session.referee, Random(1), 10_000)
    session.close()
    assert session_setup.find_daily_session(DAY, "Anna").state == "over"
    assert session_setup.find_daily_session(DAY, "Tom") is None
    assert session_setup.find_daily_session(DAY, GUEST) is None


def given_up():
    session = begin(session_setup.create_daily_setup(DAY), hour=1)
    session.close()
    return session


@pytest.mark.parametrize("shift", [-1, 1])
def test_on_the_day_before_and_after_there_is_another_deal(shift):
    begin(session_setup.create_daily_setup(DAY)).close()
    sessions.abandon(list_unfinished()[0].path)
    assert session_setup.find_daily_session(DAY + timedelta(days=shift), GUEST) is None


def test_with_other_cards_other_robots_or_other_house_rules_it_is_another_deal():
    deal = session_setup.create_daily_setup(DAY)
    experts = tuple([msgspec.structs.replace(who, robot="expert") if who.robot else who for who in deal.seats])
    other = deal.game.options(round_clock=5)
    for table in (deal._replace(seed=1), deal._replace(seats=experts), deal._replace(options=other)):
        begin(table).close()
    assert len(list_unfinished()) == 3
    assert session_setup.find_daily_session(DAY, GUEST) is None


def test_of_the_archive_those_of_the_day_only_are_read(monkeypatch):
    begin(session_setup.create_daily_setup(DAY), DAY - timedelta(days=5)).close()
    sessions.abandon(list_unfinished()[0].path)
    monkeypatch.setattr("cardtable.store.session_files.read_session", lambda path: pytest.fail("it was read"))
    assert session_setup.find_daily_session(DAY, GUEST) is None
