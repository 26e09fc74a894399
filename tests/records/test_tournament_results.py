"""Results of tournaments: scores compared with the other tables, and the deals that count."""

from contextlib import closing
from fractions import Fraction
from random import Random

from msgspec.structs import replace

from cardtable.engine.journal import Occupant
from cardtable.records.competition_results import (
    compute_scores,
    create_round_table,
    create_standings,
    extract_deals,
    list_counted_deals,
)
from cardtable.store.tournaments import TournamentDeal
from tests.store.playing import play_randomly
from tests.store.tournament_tables import begin, play_rounds, store_tournament


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
        scores = compute_scores(finished.rounds[0], deal)
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
    assert compute_scores(finished.rounds[0], 0) == ((-1, 0, 1, 2), (1, 0, -1, -2))
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


def test_mean_of_three_tables_is_exact():
    tournament = store_tournament("rikiki")
    round_ = tournament.rounds[0]
    points = [(1, 0, 0, 0), (0, 0, 0, 0), (0, 0, 0, 1)]
    tables = tuple([replace(round_.tables[0], deals=(TournamentDeal(each),)) for each in points])
    assert compute_scores(replace(round_, tables=tables), 0)[0][0] == Fraction(2, 3)


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
    assert "Somebody for whom robots made all decisions has no place." in table.notes
    present = replace(absent, absent=())
    table = create_standings(set_results(tournament, [absent, present], [(0, 0, 0, 0), (0, 0, 0, 0)]))
    assert table.rows[0].nick == "Anna"
