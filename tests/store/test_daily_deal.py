"""Deal of the day: game, seed, and the state of its session."""

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


def play(setup=None, day=DAY, hour=12, decisions=0):
    """Begin a session at an hour of a day, by default with the deal of the day, play decisions and close it."""
    game, seats, options, seed, *_ = setup or session_setup.create_daily_setup(DAY)
    session = sessions.create(game, seats, options, seed, now=datetime(day.year, day.month, day.day, hour, tzinfo=UTC))
    play_randomly(session.referee, Random(hour), decisions)
    session.close()
    return session


def find_state(nick=GUEST, day=DAY):
    summary = session_setup.find_daily_session(day, nick)
    return summary and summary.state


def test_games_rotate_in_picker_order():
    assert [session_setup.get_daily_seed(date(*day)) for day in ((2026, 11, 20), (2031, 2, 3))] == [20261120, 20310203]
    days = [date(1970, 1, 1) + timedelta(days=n) for n in range(3 * len(KEYS))]
    assert [session_setup.get_daily_game(day) for day in days] == [*KEYS] * 3


def test_state_is_open_then_abandoned():
    session = play(decisions=10)
    summary = session_setup.find_daily_session(DAY, GUEST)
    assert (summary.path, summary.state) == (session.path, "open")
    sessions.abandon(session.path)
    assert find_state() == "abandoned"


def test_first_finished_session_of_the_day_counts():
    first, _ = play(decisions=10_000), play(hour=13, decisions=10_000)
    sessions.abandon(play(hour=1).path)
    summary = session_setup.find_daily_session(DAY, GUEST)
    assert (summary.id, summary.state) == (first.header.id, "over")
    play(hour=20)
    assert find_state() == "open", "it is played again"


def test_days_in_a_row_count_up_to_today_or_yesterday():
    assert session_setup.load_daily_progress(DAY, GUEST).streak == 0
    for shift in (-4, -2, -1):
        day = DAY + timedelta(days=shift)
        play(session_setup.create_daily_setup(day), day, decisions=20_000)
    assert session_setup.load_daily_progress(DAY, GUEST).streak == 2, "today's deal can still be played"
    play(decisions=20_000)
    play(hour=20)
    assert session_setup.load_daily_progress(DAY, GUEST).streak == 3
    assert session_setup.load_daily_progress(DAY, "Anna").streak == 0
    assert session_setup.load_daily_progress(DAY + timedelta(days=2), GUEST).streak == 0


def test_each_player_has_own_daily_session():
    play(session_setup.create_daily_setup(DAY, "Anna"), decisions=10_000)
    assert [find_state(nick) for nick in ("Anna", "Tom", GUEST)] == ["over", None, None]


@pytest.mark.parametrize("shift", [-1, 1])
def test_adjacent_days_have_other_deals(shift):
    sessions.abandon(play().path)
    assert find_state(day=DAY + timedelta(days=shift)) is None


def test_changed_setup_is_not_the_daily_deal():
    deal = session_setup.create_daily_setup(DAY)
    experts = tuple([msgspec.structs.replace(each, robot="expert") if each.robot else each for each in deal.seats])
    for change in ({"seed": 1}, {"seats": experts}, {"options": deal.game.options(round_clock=5)}):
        play(deal._replace(**change))
    assert len(list_unfinished()) == 3
    assert find_state() is None
