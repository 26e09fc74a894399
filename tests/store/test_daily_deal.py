"""Deal of the day: game, seed, and the state of its session."""

from collections import Counter
from datetime import UTC, date, datetime, timedelta
from random import Random

import msgspec
import pytest

from cardtable.games import KEYS
from cardtable.store import session_setup, sessions
from cardtable.store.seating import GUEST
from cardtable.store.summaries import list_unfinished
from tests.store.playing import play_randomly

DAY = date(2026, 11, 20)
"""Day with Gurka as its game."""


def begin_on_day(table, day=DAY, hour=12):
    return sessions.create(
        table.game, table.seats, table.options, table.seed, now=datetime(day.year, day.month, day.day, hour, tzinfo=UTC)
    )


def test_games_rotate_in_picker_order():
    first = date(1970, 1, 1)
    days = [first + timedelta(days=n) for n in range(3 * len(KEYS))]
    assert [session_setup.get_daily_game(day) for day in days] == [*KEYS] * 3
    assert Counter(
        session_setup.get_daily_game(date(2026, 11, 1) + timedelta(days=n)) for n in range(len(KEYS))
    ) == Counter(KEYS)


def test_daily_seed_is_the_date():
    assert session_setup.get_daily_seed(date(2026, 11, 20)) == 20261120
    assert session_setup.get_daily_seed(date(2031, 2, 3)) == 20310203


def test_no_daily_session_at_first():
    assert session_setup.find_daily_session(DAY, GUEST) is None


def test_state_is_open_then_abandoned():
    session = begin_on_day(session_setup.create_daily_setup(DAY))
    play_randomly(session.referee, Random(1), 10)
    session.close()
    summary = session_setup.find_daily_session(DAY, GUEST)
    assert (summary.path, summary.state) == (session.path, "open")
    sessions.abandon(session.path)
    assert session_setup.find_daily_session(DAY, GUEST).state == "abandoned"


def test_first_finished_session_of_the_day_counts():
    ids = []
    for seed in range(2):
        session = begin_on_day(session_setup.create_daily_setup(DAY), hour=12 + seed)
        play_randomly(session.referee, Random(seed), 10_000)
        session.close()
        ids.append(session.header.id)
    sessions.abandon(begin_early_session().path)
    summary = session_setup.find_daily_session(DAY, GUEST)
    assert (summary.id, summary.state) == (ids[0], "over")
    assert len(summary.ranks) == len(summary.totals) == 4
    begin_on_day(session_setup.create_daily_setup(DAY), hour=20).close()
    assert session_setup.find_daily_session(DAY, GUEST).state == "open", "it is played again"


def finish_deal(shift):
    day = DAY + timedelta(days=shift)
    session = begin_on_day(session_setup.create_daily_setup(day), day)
    play_randomly(session.referee, Random(1), 20_000)
    session.close()


def test_days_in_a_row_count_up_to_today_or_yesterday():
    assert session_setup.count_daily_streak(DAY, GUEST) == 0
    for shift in (-4, -2, -1):
        finish_deal(shift)
    assert session_setup.count_daily_streak(DAY, GUEST) == 2, "today's deal can still be played"
    finish_deal(0)
    begin_on_day(session_setup.create_daily_setup(DAY), hour=20).close()
    assert session_setup.count_daily_streak(DAY, GUEST) == 3
    assert session_setup.count_daily_streak(DAY, "Anna") == 0
    assert session_setup.count_daily_streak(DAY + timedelta(days=2), GUEST) == 0


def test_each_player_has_own_daily_session():
    session = begin_on_day(session_setup.create_daily_setup(DAY, "Anna"))
    play_randomly(session.referee, Random(1), 10_000)
    session.close()
    assert session_setup.find_daily_session(DAY, "Anna").state == "over"
    assert session_setup.find_daily_session(DAY, "Tom") is None
    assert session_setup.find_daily_session(DAY, GUEST) is None


def begin_early_session():
    session = begin_on_day(session_setup.create_daily_setup(DAY), hour=1)
    session.close()
    return session


@pytest.mark.parametrize("shift", [-1, 1])
def test_adjacent_days_have_other_deals(shift):
    begin_on_day(session_setup.create_daily_setup(DAY)).close()
    sessions.abandon(list_unfinished()[0].path)
    assert session_setup.find_daily_session(DAY + timedelta(days=shift), GUEST) is None


def test_changed_setup_is_not_the_daily_deal():
    deal = session_setup.create_daily_setup(DAY)
    experts = tuple(
        [msgspec.structs.replace(occupant, robot="expert") if occupant.robot else occupant for occupant in deal.seats]
    )
    other = deal.game.options(round_clock=5)
    for table in (deal._replace(seed=1), deal._replace(seats=experts), deal._replace(options=other)):
        begin_on_day(table).close()
    assert len(list_unfinished()) == 3
    assert session_setup.find_daily_session(DAY, GUEST) is None


def test_only_archived_sessions_of_the_day_are_read(monkeypatch):
    begin_on_day(session_setup.create_daily_setup(DAY), DAY - timedelta(days=5)).close()
    sessions.abandon(list_unfinished()[0].path)
    monkeypatch.setattr("cardtable.store.session_files.read_session", lambda path: pytest.fail("it was read"))
    assert session_setup.find_daily_session(DAY, GUEST) is None
