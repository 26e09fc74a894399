"""Scores of tournaments by the rules of docs/tournament-rules.md: no-shows, leavers, and the means of people alone."""

import re
from contextlib import closing
from pathlib import Path
from random import Random

from msgspec.structs import replace

from cardtable.engine.journal import LostLine, Occupant, PlayerClock, Terms
from cardtable.games import GAMES
from cardtable.records.competition_results import compute_scores, create_round_table, create_standings, extract_deals
from cardtable.store import sessions
from cardtable.store.tournaments import Tournament, TournamentDeal, TournamentRound, TournamentTable
from tests.session.session_player import NOW
from tests.store.playing import CLUB_ID, play_randomly

PAGE = Path(__file__).parents[2] / "docs" / "tournament-rules.md"
CLOCK = PlayerClock(60, 600)
HUGO = Occupant("Hugo")


def read_example():
    """Return the rows of the example on the page: name, points and score on both boards, and score of the round."""
    rows = re.findall(r"^\| \d \| \d \| (\w+) \|(.+)\|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    return [(name, [int(cell) if cell.strip() else None for cell in cells.split("|")]) for name, cells in rows]


def create_example(game, sign):
    """Return the tournament of the example: Emil leaves during board 1, and Hugo has not checked in."""
    rows = read_example()
    occupants = [Occupant(name, "steady" if name == "robot" else None) for name, _ in rows]
    tables = []
    for first in range(0, len(rows), 2):
        deals = [TournamentDeal(tuple([sign * numbers[at] for _, numbers in rows[first : first + 2]])) for at in (0, 2)]
        if rows[first][0] == "Emil":
            deals = [replace(deals[0], robots=(0,), left=(0,)), replace(deals[1], robots=(0,), absent=(0,), left=(0,))]
        tables.append(TournamentTable(tuple(occupants[first : first + 2]), "", tuple(deals)))
    came = tuple([occupant for occupant in occupants if not occupant.robot])
    played = TournamentRound(tuple(tables), "finished", came)
    return Tournament(
        "0" * 16, "Cup", game, GAMES[game].options().to_header(), (*came, HUGO), (played,), "steady", 120, False, 0,
        "0" * 64, clock=CLOCK,
    )  # fmt: skip


def test_scores_are_those_of_the_page():
    cup, rows = create_example("ten_down", 1), read_example()
    assert len(rows) == 8
    boards = [[score for row in compute_scores(cup, 0, deal) for score in row] for deal in (0, 1)]
    assert list(zip(*boards, strict=True)) == [(numbers[1], numbers[3]) for _, numbers in rows]
    standings = create_standings(cup)
    by_nick = {row.nick: row for row in standings.rows}
    assert {nick: row.figures[1] for nick, row in by_nick.items()} == {
        **{name: numbers[4] for name, numbers in rows if name != "robot"}, "Hugo": 0
    }  # fmt: skip
    assert (by_nick["Hugo"].place, by_nick["Emil"].place, by_nick["Emil"].figures[2:]) == (None, 5, (2, 2))
    assert {"Not there in round 1: Hugo.", "Lost by leaving or by time in round 1: Emil."} <= {*standings.notes}
    assert create_round_table(cup, 0).rows[-1].figures == (4, 2, None, None)


def test_scores_are_mirrored_where_the_fewest_points_win():
    cup, mirrored = create_example("ten_down", 1), create_example("gurka", -1)
    for deal in (0, 1):
        for row, other in zip(compute_scores(cup, 0, deal), compute_scores(mirrored, 0, deal), strict=True):
            assert [score and -score for score in row] == list(other)


def test_leaver_of_one_of_two_tables_gains_nothing():
    """No other result is left in the seat, and the result itself is its own mean."""
    cup = create_example("ten_down", 1)
    table = cup.rounds[0].tables[2]
    alone = cup.replace_round(0, replace(cup.rounds[0], tables=(table,)))
    assert compute_scores(alone, 0, 0) == ((0, 0),)


def test_lost_seats_are_found_in_the_journal():
    """Bob's clock runs out in round 2, and he leaves in round 3."""
    game, seats = GAMES["rikiki"], tuple(map(Occupant, ("Anna", "Bob", "Cleo", "Dan")))
    terms = Terms(rated=True, aids=False, clock=CLOCK)
    with closing(sessions.create(game, seats, game.options(), 1, now=NOW, host_id=CLUB_ID, terms=terms)) as session:
        table, rng = session.referee, Random(1)

        def play_to_end_of_round():
            finished = len(table.scores)
            while len(table.scores) == finished:
                play(None)

        def play(why):
            table.advance()
            level = "novice" if table.turn in table.occupants.lost or why else None
            table.play(table.turn, rng.choice(table.state.legal()), robot=level, why=why)

        play_to_end_of_round()
        play_randomly(table, rng, 1)
        while table.turn != 1:
            play(None)
        play("clock")
        play_to_end_of_round()
        while table.actor != 1:
            play(None)
        table.record_line(LostLine(1, "left", "novice"))
        for _ in range(2):
            play_to_end_of_round()
        deals = extract_deals(session.journal())
    assert [(deal.robots, deal.absent, deal.left) for deal in deals] == [
        ((), (), ()),
        ((1,), (), ()),
        ((1,), (), (1,)),
        ((1,), (1,), (1,)),
    ]
