"""The deal of the day."""

from collections import Counter
from datetime import date, timedelta

from cardtable.games import KEYS
from cardtable.store import daily


def test_games_take_turns_in_the_order_of_the_picker():
    first = date(1970, 1, 1)
    days = [first + timedelta(days=n) for n in range(3 * len(KEYS))]
    assert [daily.game_of(day) for day in days] == [*KEYS] * 3
    assert Counter(daily.game_of(date(2026, 11, 1) + timedelta(days=n)) for n in range(len(KEYS))) == Counter(KEYS)


def test_the_number_of_the_deal_is_the_date():
    assert daily.seed_of(date(2026, 11, 20)) == 20261120
    assert daily.seed_of(date(2031, 2, 3)) == 20310203
