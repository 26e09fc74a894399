from datetime import UTC, datetime, timedelta, timezone

import pytest

from cardtable.engine.words import counted
from cardtable.wording.words import age, day, does, signed

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("then", "said"),
    [
        ("2026-11-20T11:59:30", "just now"),
        ("2026-11-20T12:00:05", "just now"),
        ("2027-01-01T00:00:00", "just now"),
        ("2026-11-20T11:59:00", "1 minute ago"),
        ("2026-11-20T11:58:00", "2 minutes ago"),
        ("2026-11-20T11:00:01", "59 minutes ago"),
        ("2026-11-20T11:00:00", "1 hour ago"),
        ("2026-11-20T00:00:00", "12 hours ago"),
        ("2026-11-19T23:59:59", "yesterday"),
        ("2026-11-19T00:00:00", "yesterday"),
        ("2026-11-18T23:59:59", "2 days ago"),
        ("2026-11-14T08:00:00", "6 days ago"),
        ("2026-11-13T08:00:00", "13 Nov"),
        ("2026-01-02T08:00:00", "2 Jan"),
        ("2025-12-31T08:00:00", "31 Dec 2025"),
    ],
)
def test_how_long_ago_is_said_at_noon(then, said):
    assert age(datetime.fromisoformat(then).replace(tzinfo=UTC), NOON) == said


def test_minutes_are_counted_across_midnight():
    midnight = datetime(2026, 11, 20, 0, 10, tzinfo=UTC)
    assert age(midnight - timedelta(minutes=20), midnight) == "20 minutes ago"


def test_yesterday_is_a_day_of_the_reader():
    here = timezone(timedelta(hours=9))
    morning = datetime(2026, 11, 21, 8, 0, tzinfo=here)
    assert age(datetime(2026, 11, 20, 16, 0, tzinfo=UTC), morning) == "7 hours ago"
    assert age(datetime(2026, 11, 20, 14, 0, tzinfo=UTC), morning) == "yesterday"


def test_days_numbers_and_things():
    assert day(NOON) == "20 Nov"
    assert signed(-112) == "\u2212112"
    assert signed(9) == "9"
    assert [counted(n, "round") for n in (0, 1, 2)] == ["0 rounds", "1 round", "2 rounds"]


def test_what_somebody_does_is_said_to_you_in_another_form():
    assert [does(name, "starts", "start") for name in ("Ada", "You")] == ["Ada starts", "You start"]
