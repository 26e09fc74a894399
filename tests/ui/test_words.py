from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from cardtable.ui.words import age, counted, cut, day, does, signed, wrap

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


def test_what_does_not_fit_ends_in_an_ellipsis():
    assert cut("Bartholomew", 8) == "Barthol…"
    assert cut("Bo", 8) == "Bo"
    assert cut("two words", 5) == "two…"
    assert cut("漢字漢字", 5) == "漢字…"
    assert cut("anything", 0) == ""


def test_lines_are_broken_between_words():
    assert wrap("you must follow hearts", 12) == ["you must", "follow", "hearts"]
    assert wrap("one\ntwo three", 20) == ["one", "two three"]
    assert wrap("", 10) == [""]


def test_a_word_longer_than_the_line_is_broken_inside():
    assert wrap("see /a/very/long/name now", 8) == ["see", "/a/very/", "long/nam", "e now"]


def test_words_may_be_wider_than_they_are_written():
    assert wrap("a TS b", 6, lambda text: len(text.replace("TS", "10 of spades"))) == ["a", "TS", "b"]


@given(st.text("ab 漢\u0301\n", max_size=60), st.integers(2, 20))
def test_nothing_is_lost_and_nothing_is_too_wide(text, width):
    lines = wrap(text, width)
    assert all(cell_len(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert cell_len(cut(text.replace("\n", ""), width)) <= width


def test_what_somebody_does_is_said_to_you_in_another_form():
    assert [does(name, "starts") for name in ("Ada", "You")] == ["Ada starts", "You start"]
