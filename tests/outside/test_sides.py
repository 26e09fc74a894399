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
from cardtable.robots.kit.robot import RandomRobot
from cardtable.robots.kit.search_spec import make_side_lead
from cardtable.session.session_events import Stage
from cardtable.ui.new_table import SEATING, NewTableForm
from cardtable.ui.table.paint import board
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import compute_layout
from cardtable.wording import score_sheet
from tests.records.archive_sessions import make_summary
from tests.ui.canvas_rendering import APPEARANCE, make_view_frame, render_round_end

GAME = GAMES["spades"]
NAMES = ["Ada", "Bo", "You", "Cy"]
SIDES = ((0, 2), (1, 3))


@cache
def play_one_round():
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


def create_round_end_frame():
    table, _ = play_one_round()
    return make_view_frame(GAME, table.view(2), NAMES, scores=tuple(table.scores), stage=Stage.ROUND_END)


def with_minus_sign(text):
    return f"{text}".replace("-", "−")


def test_header_has_a_total_per_side():
    mine, others = (play_one_round()[0].totals[seat] for seat in (2, 1))
    canvas = Canvas(80, 24, APPEARANCE)
    board.paint_header(canvas, compute_layout(80, 24), create_round_end_frame())
    assert (
        str(canvas)
        .splitlines()[0]
        .rstrip()
        .endswith(f"You & Ada {with_minus_sign(mine)}  Cy & Bo {with_minus_sign(others)}")
    )


@pytest.mark.parametrize("size", [(60, 18), (80, 24), (120, 40)])
def test_round_end_has_points_once_per_side(size):
    rows = [row.split() for row in str(render_round_end(create_round_end_frame(), *size)).splitlines()]
    rows = [row for row in rows if row and row[0] in NAMES]
    score = play_one_round()[0].scores[-1]
    assert [row[:3] for row in rows] == [[NAMES[seat], *map(str, score.figures[seat])] for seat in (2, 0, 3, 1)]
    made = [[word for word in row[3:] if word[0] in "+−"][:1] for row in rows]
    assert made == [[with_minus_sign(f"{score.points[2]:+}")], [], [with_minus_sign(f"{score.points[1]:+}")], []]


def test_plain_text_totals_and_places_of_sides():
    assert speech_text.describe_partnerships(NAMES, SIDES, 2) == ["Partners: You and Ada; Cy and Bo."]
    assert speech_text.format_by_side(NAMES, (5, 7, 5, 7), SIDES) == "You and Ada 5, Bo and Cy 7"
    places = position_text.describe_ranking(NAMES, (2, 1, 2, 1), (5, 7, 5, 7), (5, 7, 5, 7), SIDES)
    assert places == ["1st: Bo and Cy, 7.", "2nd: You and Ada, 5."]
    assert score_sheet.format_standing(NAMES, FinishedSheet()) == "over: 1. Bo & Cy 7, 2. You & Ada 5"


class FinishedSheet:
    """Score sheet of a finished session."""

    game, seats, sides, columns, scores = GAME, 4, SIDES, GAME.columns, ()
    totals, ranks = (5, 7, 5, 7), (2, 1, 2, 1)


def test_match_has_one_level_per_side():
    match = Match("spades", "expert", "random", "random", 4, GAME.options(), 1, 1)
    assert [seating.levels for seating in match.list_seatings()] == [
        ("expert", "random", "expert", "random"), ("random", "expert", "random", "expert")
    ]  # fmt: skip
    with pytest.raises(ValueError, match="Spades with 2 sides has no other places for a field"):
        Match("spades", "expert", "random", "steady", 4, GAME.options(), 1, 1)


def test_lead_is_measured_against_the_other_side():
    view = play_one_round()[0].view(2)
    assert make_side_lead(GAME)(view, [10, 4, 10, 4]) == 6


def test_partners_are_rated_together(tmp_path, monkeypatch):
    monkeypatch.setenv("CARDTABLE_HOME", str(tmp_path))
    ratings, seats = Ratings(), [Player("Anna"), Player("Bert"), Player("Cleo"), Player("Dora")]
    ratings.add(make_summary("Anna Bert Cleo Dora", [1, 2, 1, 2], game="spades"), seats, SIDES)
    mus = [ratings.players[player].mu for player in seats]
    assert mus[0] == mus[2] > MU > mus[1] == mus[3]


def test_new_table_names_partners():
    table = NewTableForm("spades")
    table.choose(SEATING, "listed")
    assert table.own_side_name == f"{table.names[0]} & {table.names[2]}"
    table.open("king", table.today)
    assert table.own_side_name == ""
