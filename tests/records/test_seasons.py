"""Results of seasons, computed from summaries of sessions."""

from fractions import Fraction

import pytest
from msgspec.structs import replace

from cardtable.engine.game import no_partnerships
from cardtable.engine.journal import Occupant
from cardtable.records import competition_results
from cardtable.store.profiles import Profile, ProfileStore
from cardtable.store.seasons import Season
from tests.records.archive_sessions import make_summary

NOON = 1_795_953_600
"""2026-11-29T12:00:00Z."""


def make_session(players, ranks, *, id_="s", created="2026-11-29T12:00:00Z", host="club", game="rikiki", **options):
    """Return the summary of a finished session of the club, with points of ten times the negative rank."""
    session = make_summary(players, ranks, id_=id_, game=game, **options)
    return replace(session, header=replace(session.header, host=host, created=created))


def replace_seat(session, seat):
    """Return the session with a robot in the seat, as a substitute or for good."""
    header, seats = session.header, list(session.header.seats)
    replaced, seats[seat] = ((seat, seats[seat]),), Occupant("Ada", "steady")
    return replace(session, header=replace(header, seats=tuple(seats)), replaced_occupants=replaced)


def compute(season, *sessions, profiles=(), robots=False):
    selected = competition_results.select_sessions(season, sessions)
    return competition_results.compute_tables(season, selected, ProfileStore(players=profiles), include_robots=robots)


def list_places(table):
    return [(row.place, row.nick) for row in table.rows]


SEASON = Season("Autumn", ("rikiki",))
FOUR = "Anna Bob Cleo Dan"


@pytest.mark.parametrize(
    ("session", "counts"),
    [
        (make_session(FOUR, [1, 2, 3, 4]), True),
        (make_session("Anna Bob steady steady", [1, 2, 3, 4]), True),
        (make_session("Anna steady steady steady", [1, 2, 3, 4]), False),
        (make_session("steady steady steady steady", [1, 2, 3, 4]), False),
        (make_session(FOUR, None), False),
        (make_session(FOUR, [1, 2, 3, 4], game="king"), False),
        (make_session(FOUR, [1, 2, 3, 4], host=None), False),
        (replace(make_session(FOUR, [1, 2, 3, 4], host=None), marks=frozenset({"at-club"})), True),
        (replace(make_session(FOUR, [1, 2, 3, 4]), marks=frozenset({"private"})), False),
        (make_session(FOUR, [1, 2, 3, 4], open_hands="on"), False),
        (make_session(FOUR, [1, 2, 3, 4], undone=1), False),
        (replace(make_session(FOUR, [1, 2, 3, 4]), seen_before=True), False),
        (replace_seat(make_session("Anna Bob steady steady", [1, 2, 3, 4]), 1), True),
    ],
    ids=["people", "two people", "one person", "robots", "abandoned", "other game", "at home", "continued at the club",
         "private", "open hands", "undone", "known deal", "substitute"],
)  # fmt: skip
def test_which_sessions_count_by_themselves(session, counts):
    assert competition_results.counts_by_itself(SEASON, session) is counts
    assert bool(competition_results.select_sessions(replace(SEASON, left_out=("s",)), [session])) is False


@pytest.mark.parametrize(
    ("begins", "ends", "counts"),
    [(None, None, True), (NOON, None, True), (NOON + 1, None, False), (None, NOON, False), (None, NOON + 1, True)],
)
def test_period_excludes_its_end(begins, ends, counts):
    season = replace(SEASON, begins=begins, ends=ends)
    assert competition_results.counts_by_itself(season, make_session(FOUR, [1, 2, 3, 4])) is counts


def test_added_and_final_sessions():
    at_home, early, regular = (
        make_session(FOUR, [1, 2, 3, 4], id_="home", host=None),
        make_session(FOUR, [1, 2, 3, 4], id_="early", created="2026-10-01T12:00:00Z"),
        make_session(FOUR, [1, 2, 3, 4], id_="regular"),
    )
    others = make_session(FOUR, [1, 2, 3, 4], id_="king", game="king"), make_session(FOUR, None, id_="abandoned")

    def select(season):
        return [each.id for each in competition_results.select_sessions(season, [regular, at_home, early, *others])]

    season = replace(SEASON, begins=NOON)
    assert select(season) == ["regular"]
    assert select(replace(season, added=("home", "early", "king", "abandoned"))) == ["early", "home", "regular"]
    assert select(replace(season, final=("home",))) == ["home"]


def test_equal_results_share_a_place_and_names_follow_profiles():
    anna, bob = (Occupant(name, player=f"{name:0>16}") for name in ("a", "b"))
    first = make_session(FOUR, [1, 2, 2, 4], id_="one")
    first = replace(first, header=replace(first.header, seats=(anna, bob, *first.header.seats[2:])))
    second = make_session("Cleo Dan", [1, 2], id_="two", game="rikiki")
    profiles = (Profile("Agatha", id=f"{'a':0>16}"),)
    [table] = compute(SEASON, first, second, profiles=profiles)
    assert [(row.place, row.nick, row.kind, row.figures) for row in table.rows] == [
        (1, "Agatha", "member", (1, 1, 100.0, -10, -10.0)),
        (2, "Cleo", "former", (2, 1, 75.0, -30, -15.0)),
        (3, "b", "former", (1, 0, 50.0, -20, -20.0)),
        (4, "Dan", "former", (2, 0, 0.0, -60, -30.0)),
    ]
    assert [list_places(table) for table in compute(replace(SEASON, ranked_by="points"), first, second)] == [
        [(1, "a"), (2, "b"), (3, "Cleo"), (4, "Dan")]
    ]
    [least] = compute(replace(SEASON, least=2), first, second)
    assert list_places(least) == [(1, "Cleo"), (2, "Dan"), (None, "a"), (None, "b")]
    assert least.notes == ("A place requires 2 sessions.",)


def test_replaced_seat_counts_for_nobody():
    [table] = compute(SEASON, replace_seat(make_session(FOUR, [1, 2, 3, 4]), 0), robots=True)
    assert [(row.nick, round(row.figures[2])) for row in table.rows] == [("Bob", 67), ("Cleo", 33), ("Dan", 0)]
    assert table.notes == ("Not counted: 1 seat, in which a robot substituted or the player changed.",)


def test_robots_are_listed_on_request():
    session = make_session("Anna Bob steady steady", [3, 4, 1, 2])
    assert list_places(compute(SEASON, session)[0]) == [(1, "Anna"), (2, "Bob")]
    assert list_places(compute(SEASON, session, robots=True)[0]) == [(1, "Steady"), (2, "Anna"), (3, "Bob")]


def test_several_games_have_a_table_of_all():
    season = Season("Autumn", ("rikiki", "gurka"), ranked_by="average")
    one = make_session("Anna Bob", [1, 2], id_="one")
    two = make_session("Anna Bob Cleo", [2, 1, 3], id_="two", game="gurka")
    overall, rikiki, gurka = compute(season, one, two)
    assert (overall.title, overall.ranked_by) == ("All games", "beaten_percent")
    assert [(row.nick, row.figures) for row in overall.rows] == [
        ("Anna", (2, 1, 75.0)), ("Bob", (2, 1, 50.0)), ("Cleo", (1, 0, 0.0))
    ]  # fmt: skip
    assert list_places(rikiki) == [(1, "Anna"), (2, "Bob")]
    assert list_places(gurka) == [(1, "Cleo"), (2, "Anna"), (3, "Bob")]  # the fewest points win
    assert gurka.notes == ("The fewest points win.",)


@pytest.mark.parametrize(
    ("ranks", "sides", "expected"),
    [
        ((1, 2, 3, 4), (), ("1", "2/3", "1/3", "0")),
        ((1, 1, 3), (), ("3/4", "3/4", "0")),
        ((1, 1, 1), (), ("1/2", "1/2", "1/2")),
        ((1, 2, 1, 2), ((0, 2), (1, 3)), ("1", "0", "1", "0")),
        ((1, 1, 1, 1), ((0, 2), (1, 3)), ("1/2",) * 4),
    ],
)
def test_share_of_opponents_beaten(ranks, sides, expected):
    partnerships = sides or no_partnerships(len(ranks))
    shares = competition_results.compute_beaten_shares(ranks, partnerships)
    assert shares == tuple(map(Fraction, expected))
    assert sum(shares) / len(shares) == Fraction(1, 2)
