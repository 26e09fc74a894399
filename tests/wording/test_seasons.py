"""Periods of seasons: local dates and times, also where the clocks change."""

import re
from datetime import UTC, datetime
from itertools import pairwise

import msgspec
import pytest

from cardtable.records.competition_results import SeasonResults
from cardtable.store.seasons import Season
from cardtable.wording import seasons


def to_utc(seconds):
    return datetime.fromtimestamp(seconds, UTC).strftime("%m-%d %H:%M")


@pytest.mark.parametrize(
    ("name", "text", "begin", "end"),
    [
        ("UTC", "2026-11-05", "11-05 00:00", "11-06 00:00"),
        ("Europe/Budapest", "2026-11-05", "11-04 23:00", "11-05 23:00"),
        ("Europe/Budapest", "2026-11-05T19:30", "11-05 18:30", "11-05 18:30"),
        ("Europe/Budapest", "2026-11-05 19:30", "11-05 18:30", "11-05 18:30"),
        # Days of 23 and 25 hours; 02:30 occurs twice on the second.
        ("Europe/Budapest", "2026-03-29", "03-28 23:00", "03-29 22:00"),
        ("Europe/Budapest", "2026-10-25", "10-24 22:00", "10-25 23:00"),
        ("Europe/Budapest", "2026-10-25T02:30", "10-25 00:30", "10-25 00:30"),
        # Clocks set forward at midnight: the day begins at 01:00.
        ("Africa/Cairo", "2026-04-24", "04-23 22:00", "04-24 21:00"),
        # Clocks set back to midnight: it occurs twice, and the day begins with the first.
        ("America/Havana", "2026-11-01", "11-01 04:00", "11-02 05:00"),
        ("Asia/Kathmandu", "2026-11-05", "11-04 18:15", "11-05 18:15"),
    ],
)
def test_dates_and_times_are_local(set_zone, name, text, begin, end):
    set_zone(name)
    assert to_utc(seasons.parse_moment(text)) == begin
    assert to_utc(seasons.parse_moment(text, as_end=True)) == end


@pytest.mark.parametrize("name", ["Europe/Budapest", "Africa/Cairo", "America/Havana", "Australia/Lord_Howe"])
def test_days_follow_each_other_without_gap_or_overlap(set_zone, name):
    set_zone(name)
    days = [f"2026-{month:02}-{day:02}" for month in range(1, 13) for day in range(1, 29)]
    for day, following in [each for each in pairwise(days) if not each[1].endswith("-01")]:
        assert seasons.parse_moment(day, as_end=True) == seasons.parse_moment(following)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("2026-03-29T02:30", "clock skips that time"),
        *[(text, "enter a date") for text in ("", "tomorrow", "2026-02-30", "2026-11-05T25:00", "20261105",
                                              "2026-11-05T19:30Z", "1971-12-31", "9987-01-01", "２０２６-11-05")],
    ],
)  # fmt: skip
def test_invalid_moments(set_zone, text, error):
    set_zone("Europe/Budapest")
    with pytest.raises(ValueError, match=error):
        seasons.parse_moment(text, as_end=True)


def test_description_names_the_zone_of_each_time(set_zone):
    set_zone("Europe/Budapest")
    begins, ends = seasons.parse_moment("2026-10-01"), seasons.parse_moment("2026-10-31", as_end=True)
    season = Season("Autumn", ("rikiki", "king"), begins, ends, "average", final=())
    assert seasons.format_season(season) == ("Rikiki, King; from 2026-10-01 CEST to 2026-10-31 CET; closed")
    assert seasons.describe_season(SeasonResults(season, [], ["s"], ())) == (
        "Rikiki, King: 0 sessions begun from 2026-10-01 CEST to 2026-10-31 CET.",
        "1 session of the season cannot be found any more.",
        "Places by average points.",
        "The season is closed.",
        "Dates and times are those of the host.",
    )
    assert seasons.describe_season(SeasonResults(Season("All", ("king",)), [], [], ()))[0] == "King: 0 sessions."


@pytest.mark.parametrize(
    ("name", "begins", "ends", "period"),
    [
        ("Europe/Budapest", "2026-11-05", "2026-11-05", "from 2026-11-05 to 2026-11-05 CET"),
        ("Europe/Budapest", "2026-11-05", None, "from 2026-11-05 CET on"),
        ("Europe/Budapest", None, "2026-11-05 03:00", "until 2026-11-05 03:00 CET"),
        ("Europe/Budapest", "2026-11-05T18:00", "2026-11-06T03:00", "from 2026-11-05 18:00 to 2026-11-06 03:00 CET"),
        ("Africa/Cairo", "2026-04-24", "2026-04-24", "from 2026-04-24 to 2026-04-24 EEST"),
        ("America/Havana", "2026-10-31", "2026-10-31", "from 2026-10-31 to 2026-10-31 CDT"),
        ("America/Havana", "2026-11-01", "2026-11-01", "from 2026-11-01 CDT to 2026-11-01 CST"),
    ],
)
def test_period_as_text(set_zone, name, begins, ends, period):
    set_zone(name)
    season = Season(
        "S", ("king",), begins and seasons.parse_moment(begins), ends and seasons.parse_moment(ends, as_end=True)
    )
    assert seasons.format_period(season) == period


@pytest.mark.parametrize("name", ["Pacific/Kiritimati", "Etc/GMT+12"])
def test_first_and_last_year_can_be_stored_and_shown(set_zone, name):
    set_zone(name)
    season = Season("S", ("king",), seasons.parse_moment("1972-01-01"), seasons.parse_moment("9986-12-31", as_end=True))
    stored = msgspec.json.decode(msgspec.json.encode(season), type=Season)
    assert re.fullmatch(r"from 1972-01-01( UTC\S+)? to 9986-12-31 UTC\S+", seasons.format_period(stored))
