"""Which seats of a session count in ratings and seasons."""

import pytest
from msgspec.structs import replace

from cardtable.engine.game import no_partnerships
from cardtable.engine.journal import Terms
from cardtable.records.competition_results import list_leavings
from cardtable.records.counted_seats import find_counted_seats
from cardtable.records.ratings import Player
from cardtable.store.profiles import ProfileStore
from cardtable.store.seasons import Season
from tests.records.test_ratings import get_means, rate_sessions
from tests.records.test_seasons import compute, list_places, make_session

RATED = Terms(rated=True, aids=False)
SEASON = Season("Spring", ("rikiki",), rules=1)
PARTNERS = ((0, 2), (1, 3))


def make_counted(numbers, *, late=(0, 0, 0, 0), players="Anna Bob Cleo steady", ranks=(1, 2, 3, 4), **changes):
    """Return the summary of a session on terms in which people have made these numbers of 20 choices each."""
    session = make_session(players, list(ranks))
    header = replace(session.header, terms=RATED, cardtable=4)
    figures = {"own": (*numbers, 0)[:4], "due": (20,) * 4, "late": late}
    return replace(session, header=header, **{**figures, **changes})


@pytest.mark.parametrize(
    ("session", "sides", "seats", "losers"),
    [
        pytest.param(lambda: make_counted((20, 15, 15)), None, {0, 1, 2, 3}, set(), id="three quarters"),
        pytest.param(lambda: make_counted((20, 15, 14)), None, {0, 1, 3}, set(), id="one with less"),
        pytest.param(lambda: make_counted((20, 14, 0)), None, set(), set(), id="alone"),
        pytest.param(
            lambda: make_counted((20, 20, 5), lost=((2, "left"),)), None, {0, 1, 2, 3}, {2}, id="lost among players"
        ),
        pytest.param(lambda: make_counted((20, 0, 5), lost=((2, "left"),)), None, {2}, {2}, id="only who has lost"),
        pytest.param(
            lambda: make_counted((20, 20, 10), late=(0, 0, 10, 0)), None, {0, 1, 2, 3}, {2}, id="late too often"
        ),
        pytest.param(lambda: make_counted((20, 10, 0), late=(0, 10, 0, 0)), None, {1}, {1}, id="late against nobody"),
        pytest.param(
            lambda: make_counted((20, 20, 5), lost=((2, "clock"),)), PARTNERS, {1, 2, 3}, {2}, id="partner of a loser"
        ),
        pytest.param(
            lambda: make_counted((20, 20, 20), marks=frozenset(["one-network"])), None, set(), set(), id="one network"
        ),
        pytest.param(
            lambda: make_counted((20, 20, 20), marks=frozenset(["one-network", "networks-differ"])),
            None,
            {0, 1, 2, 3},
            set(),
            id="networks differ",
        ),
        pytest.param(
            lambda: make_counted((), own=None, due=None, late=None, lost=((1, "left"),)), None, {1}, {1}, id="abandoned"
        ),
    ],
)
def test_counted_seats(home, session, sides, seats, losers):
    counted = find_counted_seats(session(), sides or no_partnerships(4), is_strict=True)
    assert (counted.seats, counted.losers) == (seats, losers)


def test_loser_ranks_last_in_ratings_and_nobody_gains_alone(home):
    both = get_means(rate_sessions(make_counted((5, 20, 20), lost=((0, "left"),), ranks=(1, 2, 3, 4))))
    assert both[Player("Anna")] < both[Player("Cleo")] < both[Player("Bob")]
    alone = get_means(rate_sessions(make_counted((20, 5, 5), lost=((1, "left"),), ranks=(1, 4, 2, 3))))
    assert [*alone] == [Player("Bob")]
    assert alone[Player("Bob")] < 1000
    casual = make_counted((20, 20, 20))
    casual = replace(casual, header=replace(casual.header, terms=Terms()))
    assert not rate_sessions(casual).players


@pytest.mark.parametrize(("rules", "names"), [(0, ["Anna", "Bob", "Cleo"]), (1, ["Bob"])])
def test_older_seasons_keep_their_rule(home, rules, names):
    session = make_counted((20, 5, 5), lost=((1, "left"),), ranks=(1, 4, 2, 3))
    (table,) = compute(replace(SEASON, rules=rules), session)
    assert sorted(row.nick for row in table.rows) == names


def test_loser_has_the_worst_points_of_the_table(home):
    session = make_counted((5, 20, 20), lost=((0, "left"),), ranks=(1, 2, 3, 4))
    session = replace(session, totals=(90, 10, -20, 0))
    (table,) = compute(replace(SEASON, ranked_by="points"), session)
    assert list_places(table) == [(1, "Bob"), (2, "Anna"), (2, "Cleo")]


def test_session_that_was_added_counts_for_all(home):
    session = make_counted((20, 5, 5))
    (table,) = compute(replace(SEASON, added=("s",)), session)
    assert len(table.rows) == 3


def test_many_leavings_are_told(home):
    left = make_counted((20, 20, 5), lost=((0, "left"), (1, "clock")))
    assert list_leavings([left] * 2, ProfileStore()) == []
    assert [number for _, number in list_leavings([left] * 3, ProfileStore())] == [3]
