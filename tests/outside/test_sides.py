"""Partnership game, at the table and wherever totals and places are shown."""

from functools import cache
from random import Random

import pytest

from cardtable.engine.game import CHANCE
from cardtable.engine.referee import Referee
from cardtable.games import GAMES
from cardtable.plain import position_text, speech_text
from cardtable.records.ratings import MU, Player, Ratings
from cardtable.robots.arena import Match
from cardtable.robots.kit.rollouts import RandomRobot
from cardtable.robots.kit.search import make_side_lead
from cardtable.session.session_events import Stage
from cardtable.ui.new_table.model import NewTable
from cardtable.ui.table.paint import board
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import compute_layout
from cardtable.wording import score_sheet
from cardtable.wording.log_entries import format_messages
from tests.records.archived import make_summary
from tests.ui.painted import APPEARANCE, make_view_frame, render_round_end, render_sheet

GAME = GAMES["spades"]
NAMES = ["Ada", "Bo", "You", "Cy"]
SIDES = ((0, 2), (1, 3))


@cache
def played():
    """Return a referee after a round of random robots, and the log entries of the last card."""
    table, robot, rng = Referee(GAME, 4, GAME.options(), 5), RandomRobot(), Random(1)
    before = []
    while not table.scores:
        if table.turn == CHANCE:
            table.advance()
            continue
        before = [table.view(seat) for seat in range(4)]
        action = robot.choose(before[table.turn], rng, lambda: False)
        table.play(table.turn, action)
    notes = GAME.narrate(action, before[2], table.view(2))
    return table, notes


def frame():
    table, _ = played()
    return make_view_frame(GAME, table.view(2), NAMES, scores=tuple(table.scores), stage=Stage.ROUND_END)


def told(text):
    return f"{text}".replace("-", "−")


def test_the_header_has_a_total_for_each_side_ones_own_first():
    mine, others = (played()[0].totals[seat] for seat in (2, 1))
    canvas = Canvas(80, 24, APPEARANCE)
    board.paint_header(canvas, compute_layout(80, 24), frame())
    assert str(canvas).splitlines()[0].rstrip().endswith(f"You & Ada {told(mine)}  Cy & Bo {told(others)}")


@pytest.mark.parametrize("size", [(60, 18), (80, 24), (120, 40)])
def test_at_the_end_of_a_round_points_stand_once_a_side(size):
    rows = [row.split() for row in str(render_round_end(frame(), *size)).splitlines()]
    rows = [row for row in rows if row and row[0] in NAMES]
    score = played()[0].scores[-1]
    assert [row[:3] for row in rows] == [[NAMES[seat], *map(str, score.figures[seat])] for seat in (2, 0, 3, 1)]
    made = [[word for word in row[3:] if word[0] in "+−"][:1] for row in rows]
    assert made == [[told(f"{score.points[2]:+}")], [], [told(f"{score.points[1]:+}")], []]


def test_the_score_sheet_has_a_column_for_each_side():
    names, _, _, first, *_ = str(render_sheet(frame(), 0)).splitlines()[2:]
    score = played()[0].scores[0]
    both = ["+".join([str(score.figures[seat][head]) for seat in (2, 0)]) for head in (0, 1)]
    assert "You & Ada" in names
    assert first.split()[:5] == ["1", *both, told(f"{score.points[2]:+}"), told(score.totals[2])]


def test_partners_make_their_points_together():
    said = [f"{one.sender} {one.text}" for one in format_messages(played()[1], NAMES, joins=False)]
    points = played()[0].scores[-1].points
    sides = zip(("You & Ada", "Bo & Cy"), points[:2], strict=True)
    assert said[-2:] == [told(f"{names} {made:+} in round 1") for names, made in sides]


def test_in_plain_lines_totals_and_places_are_those_of_sides():
    assert speech_text.describe_partnerships(NAMES, SIDES, 2) == ["Partners: You and Ada; Cy and Bo."]
    assert speech_text.format_by_side(NAMES, (5, 7, 5, 7), SIDES) == "You and Ada 5, Bo and Cy 7"
    places = position_text.describe_ranking(NAMES, (2, 1, 2, 1), (5, 7, 5, 7), (5, 7, 5, 7), SIDES)
    assert places == ["Place 1: Bo and Cy, 7.", "Place 2: You and Ada, 5."]
    assert score_sheet.format_standing(NAMES, Ended()) == "over: 1. Bo & Cy 7, 2. You & Ada 5"


class Ended:
    """Score sheet of a finished session."""

    game, seats, sides, columns, scores = GAME, 4, SIDES, GAME.columns, ()
    totals, ranks = (5, 7, 5, 7), (2, 1, 2, 1)


def test_in_a_match_a_whole_side_is_of_one_level():
    match = Match("spades", "expert", "random", "random", 4, GAME.options(), 1, 1)
    assert [seating.levels for seating in match.list_seatings()] == [
        ("expert", "random", "expert", "random"), ("random", "expert", "random", "expert")
    ]  # fmt: skip
    with pytest.raises(ValueError, match="Spades with 2 sides has no other places for a field"):
        Match("spades", "expert", "random", "steady", 4, GAME.options(), 1, 1)


def test_what_is_worth_most_is_measured_against_the_other_side():
    view = played()[0].view(2)
    assert make_side_lead(GAME)(view, [10, 4, 10, 4]) == 6


def test_partners_are_rated_together():
    ratings, seats = Ratings(), [Player("Anna"), Player("Bo"), Player("Cleo"), Player("Dee")]
    ratings.add(make_summary("Anna Bo Cleo Dee", [1, 2, 1, 2], game="spades"), seats, SIDES)
    mus = [ratings.players[player].mu for player in seats]
    assert mus[0] == mus[2] > MU > mus[1] == mus[3]


def test_a_new_table_says_who_plays_with_whom():
    table = NewTable("spades", wants_random_seats=False)
    assert table.own_side_name == f"{table.names[0]} & {table.names[2]}"
    table.open("king", table.today)
    assert table.own_side_name == ""
