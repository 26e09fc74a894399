"""Results of seasons, computed from summaries of sessions, and of tournaments."""

from contextlib import closing
from fractions import Fraction
from random import Random

import pytest
from msgspec.structs import replace

from cardtable.engine.game import no_partnerships
from cardtable.engine.journal import Occupant
from cardtable.records import competition_results
from cardtable.records.competition_results import (
    compute_scores,
    create_round_table,
    create_standings,
    extract_deals,
    list_counted_deals,
)
from cardtable.store.profiles import Profile, ProfileStore
from cardtable.store.seasons import Season
from cardtable.store.tournaments import TournamentDeal
from tests.records.archive_sessions import make_summary
from tests.store.playing import play_randomly
from tests.store.tournament_tables import begin, play_rounds, store_tournament

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
    ("make_case", "counts"),
    [
        (lambda: make_session(FOUR, [1, 2, 3, 4]), True),
        (lambda: make_session("Anna Bob steady steady", [1, 2, 3, 4]), True),
        (lambda: make_session("Anna steady steady steady", [1, 2, 3, 4]), False),
        (lambda: make_session("steady steady steady steady", [1, 2, 3, 4]), False),
        (lambda: make_session(FOUR, None), False),
        (lambda: make_session(FOUR, [1, 2, 3, 4], game="king"), False),
        (lambda: make_session(FOUR, [1, 2, 3, 4], host=None), False),
        (lambda: replace(make_session(FOUR, [1, 2, 3, 4], host=None), marks=frozenset({"at-club"})), True),
        (lambda: replace(make_session(FOUR, [1, 2, 3, 4]), marks=frozenset({"private"})), False),
        (lambda: make_session(FOUR, [1, 2, 3, 4], open_hands="on"), False),
        (lambda: make_session(FOUR, [1, 2, 3, 4], undone=1), False),
        (lambda: replace(make_session(FOUR, [1, 2, 3, 4]), seen_before=True), False),
        (lambda: replace_seat(make_session("Anna Bob steady steady", [1, 2, 3, 4]), 1), True),
    ],
    ids=["people", "two people", "one person", "robots", "abandoned", "other game", "at home", "continued at the club",
         "private", "open hands", "undone", "known deal", "substitute"],
)  # fmt: skip
def test_which_sessions_count_by_themselves(make_case, counts):
    session = make_case()
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
    reasons = "where robots or another player decided, or too few people played to the end"
    assert table.notes == (f"Not counted: 1 seat, {reasons}.",)


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
        ((1, 2, 3, 4), (), ("1", "2/3", "1/3", "0")), ((1, 1, 3), (), ("3/4", "3/4", "0")),
        ((1, 1, 1), (), ("1/2", "1/2", "1/2")), ((1, 2, 1, 2), ((0, 2), (1, 3)), ("1", "0", "1", "0")),
        ((1, 1, 1, 1), ((0, 2), (1, 3)), ("1/2",) * 4),
    ],
)  # fmt: skip
def test_share_of_opponents_beaten(ranks, sides, expected):
    partnerships = sides or no_partnerships(len(ranks))
    shares = competition_results.compute_beaten_shares(ranks, partnerships)
    assert shares == tuple(map(Fraction, expected))
    assert sum(shares) / len(shares) == Fraction(1, 2)


# --- results of tournaments: scores compared with the other tables, and the deals that count


def set_results(tournament, *results):
    """Return the tournament with the results of a finished first round, a list of points for each table."""
    tables = [
        replace(
            table, deals=tuple([each if isinstance(each, TournamentDeal) else TournamentDeal(each) for each in deals])
        )
        for table, deals in zip(tournament.rounds[0].tables, results, strict=True)
    ]
    return tournament.replace_round(0, replace(tournament.rounds[0], tables=tuple(tables), state="finished"))


def test_scores_have_a_mean_of_zero_in_each_seat():
    tournament, results = store_tournament("rikiki"), []
    for number in (0, 1):
        with closing(begin(tournament, number)) as session:
            play_rounds(session, Random(number), 6)
            results.append(extract_deals(session.journal()))
    finished = set_results(tournament, *results)
    assert list_counted_deals(finished.rounds[0]) == [*range(6)]
    for deal in range(6):
        scores = compute_scores(finished, 0, deal)
        assert [sum(in_seat) for in_seat in zip(*scores, strict=True)] == [0] * 4
        assert any(any(row) for row in scores)
    totals = [row.figures[0] for row in create_standings(finished).rows]
    assert sum(totals) == 0
    assert totals == sorted(totals, reverse=True)


def test_void_and_unplayed_deals_count_at_no_table():
    tournament = store_tournament("rikiki")
    finished = set_results(
        tournament,
        [(1, 2, 3, 4), TournamentDeal((9, 9, 9, 9), void=True), (10, 0, 0, 0), (5, 5, 5, 5)],
        [(3, 2, 1, 0), (7, 7, 7, 7), (0, 0, 10, 0)],
    )
    assert list_counted_deals(finished.rounds[0]) == [0, 2]
    assert compute_scores(finished, 0, 0) == ((-1, 0, 1, 2), (1, 0, -1, -2))
    table = create_standings(finished)
    assert {row.nick: row.figures[0] for row in table.rows} == {
        "Anna": 4, "Bob": 0, "Cleo": -4, "Dan": 2, "Emil": -4, "Finn": 0, "Gina": 4, "Hugo": -2,
    }  # fmt: skip
    assert [(row.place, row.nick) for row in table.rows[:3]] == [(1, "Anna"), (1, "Gina"), (3, "Dan")]
    assert "2 deals did not count: void or not played at one of the tables." in table.notes
    assert create_round_table(finished, 0).rows[4].figures == (2, 1, 1.0, -5.0)


def test_player_renamed_to_the_nick_of_a_guest_has_a_result_of_their_own():
    finished = set_results(store_tournament("rikiki"), [(1, 2, 3, 4)], [(3, 2, 1, 0)])
    bob = Occupant("Bob", player="0123456789abcdef")
    renamed = finished.convert_people(lambda person: bob if person.name == "Anna" else person)
    assert sorted(row.figures[0] for row in create_standings(renamed).rows if row.nick == "Bob") == [-1, 0]


def test_fewest_points_win_in_gurka():
    finished = set_results(store_tournament("gurka"), [(0, 0, 0, 9)], [(0, 0, 0, 1)])
    table = create_standings(finished)
    assert (table.rows[0].nick, table.rows[-1].nick) == ("Hugo", "Dan")
    assert "Fewer points are better." in table.notes


def test_void_rounds_and_robot_decisions_are_found_in_the_journal():
    tournament = store_tournament("rikiki")
    with closing(begin(tournament, 0)) as session:
        table = session.referee
        play_randomly(table, Random(1), 3)
        table.void("clock")
        play_rounds(session, Random(2), 1)
        table.change_occupant(2, Occupant("Ada", "random"))
        play_rounds(session, Random(3), 2)
        table.change_occupant(2, Occupant("Cleo"))
        play_rounds(session, Random(4), 3)
        play_randomly(table, Random(5), 6)
        table.change_occupant(2, Occupant("Ada", "random"))
        play_rounds(session, Random(6), 4)
        deals = extract_deals(session.journal())
        assert [deal.void for deal in deals] == [True, False, False, False]
        assert [deal.robots for deal in deals] == [(), (2,), (), (2,)]
        assert [deal.absent for deal in deals] == [(), (2,), (), ()]
        assert [deal.points for deal in deals] == [score.points for score in table.scores]


def test_person_with_a_substitute_has_the_score_of_the_seat():
    finished = set_results(store_tournament("rikiki"), [TournamentDeal((8, 0, 0, 0), robots=(0,))], [(0, 0, 0, 0)])
    [anna] = [row for row in create_standings(finished).rows if row.nick == "Anna"]
    assert anna.figures == (4.0, 4.0, 1, 1)


def test_person_who_never_came_has_no_place():
    absent, tournament = TournamentDeal((8, 0, 0, 0), robots=(0, 1), absent=(0,)), store_tournament("rikiki")
    table = create_standings(set_results(tournament, [absent], [(0, 0, 0, 0)]))
    places = {row.nick: row.place for row in table.rows}
    assert (places["Anna"], places["Bob"], table.rows[-1].nick) == (None, 1, "Anna")
    assert "A place requires decisions of one's own in half of the rounds." in table.notes
    present = replace(absent, absent=())
    table = create_standings(set_results(tournament, [absent, present], [(0, 0, 0, 0), (0, 0, 0, 0)]))
    assert table.rows[0].nick == "Anna"
