"""Personal bests, and runs of wins and of days."""

from datetime import date, timedelta

import pytest
from msgspec.structs import replace

from cardtable.records import statistics
from cardtable.records.personal_bests import find_achievements
from cardtable.records.ratings import Player
from cardtable.records.statistics import count_days_until, count_most_days, find_local_day
from cardtable.store import paths
from tests.records.archive_sessions import aggregate_records, archive_random_session, make_summary, write_daily_session

ANNA = Player("Anna")
DAY = 24 * 60 * 60
NOON = 1_700_000_000
"""A time at noon in UTC, so that it is the same day in most time zones."""


def collect(*sessions):
    """Return Anna's statistics in Bridge over summaries in order."""
    records = {}
    for session in sessions:
        statistics.add_session(records, session, [ANNA, None], None)
    return records[ANNA, "bridge"]


@pytest.mark.parametrize(
    ("days", "until", "most"), [([], 0, 0), ([5], 1, 1), ([3, 4, 5], 3, 3), ([1, 2, 3, 5], 1, 3), ([2, 3], 0, 2)]
)
def test_days_in_a_row(days, until, most):
    assert (count_days_until(set(days), 5), count_most_days(set(days))) == (until, most)


@pytest.mark.parametrize(
    ("results", "current", "most"),
    [("WW", 2, 2), ("WWLW", 1, 2), ("WUW", 2, 2), ("WCW", 2, 2), ("WOLW", 1, 1), ("WWG", 0, 2), ("L", 0, 0)],
    ids=["won", "lost between", "undo between", "coach between", "open hands, then lost", "given up", "lost"],
)
def test_wins_in_a_row(results, current, most):
    """W: won, L: lost, U: lost with an undo, C: lost with the coach, O: won with open hands, G: given up."""
    kinds = {
        "W": {"ranks": [1, 2]},
        "L": {"ranks": [2, 1]},
        "U": {"ranks": [2, 1], "undone": 1},
        "C": {"ranks": [2, 1], "coached": True},
        "O": {"ranks": [1, 2], "open_hands": "on"},
        "G": {},
    }
    figures = collect(*[make_summary("Anna Bob", ended=i, id_=str(i), **kinds[k]) for i, k in enumerate(results)])
    assert (figures.wins_in_a_row, figures.most_wins_in_a_row) == (current, most)


def test_totals_are_compared_under_the_same_rules():
    figures = collect(
        make_summary("Anna Bob", [1, 2], id_="a"),
        make_summary("Anna Bob", [3, 1], id_="b"),
        make_summary("Anna Bob", [5, 1], id_="other rules", eights="share"),
        make_summary("Anna Bob", [9, 1], id_="undone", undone=3),
    )
    ranges = {
        (rules.seats, rules.options): (each.best, each.worst, each.session)
        for rules, each in figures.total_ranges.items()
    }
    assert ranges == {(2, ()): (-30, -10, "b"), (2, (("eights", "share"),)): (-50, -50, "other rules")}
    assert figures.main_range.sessions == 2


def test_seat_that_has_lost_sets_no_best():
    figures = collect(replace(make_summary("Anna Bob", [2, 1]), lost=((0, "left"),)))
    assert (figures.total_ranges, figures.places) == ({}, {2: 1})


def archive_days(*days, game="gurka", players="Anna random random random", first_seed=40):
    """Archive one random session for each day, counted from ``NOON``; return their referees."""
    return [
        archive_random_session(game, players, id_=f"s{i:02}", seed=first_seed + i, ended=NOON + day * DAY)
        for i, day in enumerate(days)
    ]


def get_path(number):
    return paths.archive_folder() / f"s{number:02}.jsonl"


def compute_expected_bests(tables, days, sign):
    """Return the bests that the last session has beaten, from all results; ``sign`` is -1 if the lowest total wins."""
    totals = [table.totals[0] * sign for table in tables]
    rounds = [max(score.points[0] * sign for score in table.scores) for table in tables]
    runs = [len(run) for run in "".join("LW"[table.ranks[0] == 1] for table in tables).split("L")]
    known, today = {find_local_day(NOON) + day for day in days[:-1]}, find_local_day(NOON) + days[-1]
    run, most = count_days_until({*known, today}, today), count_most_days(known)
    bests = {
        "total": (totals[-1], max(totals[:-1], default=1000)),
        "round": (rounds[-1], max(rounds[:-1], default=1000)),
    }
    beaten = {kind: (best * sign, before * sign) for kind, (best, before) in bests.items() if best > before}
    if runs[-1] > max([1, *runs[:-1]]):
        beaten["wins"] = runs[-1], max([*runs[:-1], runs[-1] - 1])
    return {**beaten, "days": (run, most)} if run > max(1, most) else beaten


@pytest.mark.parametrize(("game", "sign", "met"), [("gurka", -1, "total wins days"), ("rikiki", 1, "total round days")])
def test_beaten_bests_agree_with_all_sessions(game, sign, met):
    days, kinds = [0, 1, 1, 2, 5, 6, 7, 8, 9, 9, 9], set()
    tables = archive_days(*days, game=game, first_seed=90)
    for number in range(len(days)):
        expected = compute_expected_bests(tables[: number + 1], days[: number + 1], sign)
        bests = find_achievements(get_path(number), [0]).beaten[0]
        assert {best.kind: (best.value, best.before) for best in bests} == expected
        kinds.update(expected)
    assert kinds >= set(met.split())


def test_no_best_with_help():
    archive_days(0, 1)
    archive_random_session(
        "gurka", "Anna random random random", id_="s02", seed=42, ended=NOON + 2 * DAY, open_hands="on"
    )
    assert find_achievements(get_path(2), [0]).beaten == {0: ()}


def test_unread_archive_is_not_read_for_bests():
    archive_days(0, 1, 2)
    assert find_achievements(get_path(2), [0], max_unread=2).beaten == {}
    aggregate_records()
    assert find_achievements(get_path(2), [0], max_unread=0).beaten[0]


def test_streak_of_daily_deals():
    """A second session, one begun later and one with other rules count for no day; a missed day ends the run."""
    first = date(2026, 11, 2)
    on_time = [write_daily_session(first + timedelta(days=day)) for day in (0, 1, 2, 4, 5)]
    again = write_daily_session(first + timedelta(days=5), id_="again", begun=1)
    late = write_daily_session(first + timedelta(days=6), begun=2)
    streaks = [(each.day, each.streak) for each in (find_achievements(path, [0]) for path in (*on_time, again, late))]
    assert streaks == [
        *[(first + timedelta(days=day), streak) for day, streak in ((0, 1), (1, 2), (2, 3), (4, 1), (5, 2))],
        (None, 0),
        (None, 0),
    ]
