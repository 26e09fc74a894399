"""Texts about personal bests and runs of days."""

from datetime import date

import pytest

from cardtable.records.personal_bests import BeatenBest
from cardtable.records.statistics import PlayerStatistics
from cardtable.wording.statistics import format_beaten, list_streaks

TODAY = date(2026, 11, 26)


@pytest.mark.parametrize(
    ("best", "name", "text"),
    [
        (BeatenBest("total", 214, 190), "You", "Your best total in Rikiki: 214 (was 190)"),
        (BeatenBest("total", -3, -12), "Anna", "Anna's best total in Rikiki: −3 (was −12)"),
        (
            BeatenBest("total", 90, 80, usual_rules=False),
            "You",
            "Your best total in Rikiki with these house rules: 90 (was 80)",
        ),
        (BeatenBest("round", 36, 34), "You", "Your best round in Rikiki: +36 (was +34)"),
        (BeatenBest("wins", 4, 3), "You", "Your longest run of wins in Rikiki: 4 (was 3)"),
        (BeatenBest("days", 5, 4), "You", "Your longest run of days with a finished session: 5 (was 4)"),
    ],
)
def test_beaten_best(best, name, text):
    assert format_beaten(best, "rikiki", name) == text


@pytest.mark.parametrize(
    ("days_ago", "rows"),
    [
        ([], []),
        ([0, 1, 2], [("Days in a row now", "3"), ("Most days in a row", "3")]),
        ([1, 2, 5], [("Days in a row now", "2"), ("Most days in a row", "2")]),
        ([2, 3, 4], [("Most days in a row", "3")]),
    ],
    ids=["none", "until today", "until yesterday", "ended"],
)
def test_days_in_a_row(days_ago, rows):
    days = {TODAY.toordinal() - ago for ago in days_ago}
    assert list_streaks(PlayerStatistics(days=days), TODAY) == rows
    daily = [(name.replace("Days", "Daily deals").replace("days", "daily deals"), value) for name, value in rows]
    assert list_streaks(PlayerStatistics(days=days, daily_deals=days), TODAY) == [*rows, *daily]
