"""Score tables to test with, and sessions of the engine as people with real cards would enter them."""

from importlib import import_module
from random import Random

from cardtable.engine import options as house
from cardtable.engine.cards import SUITS
from cardtable.engine.game import CHANCE, OVER
from cardtable.engine.journal import Occupant
from cardtable.engine.referee import Referee
from cardtable.games import GAMES
from cardtable.scoring.score_table import ScoreTable, ScoreTableHeader, ScoreTableLine

NAMES = ("Anna", "Tom", "Ida", "Lea", "Max", "Eva")


def header(game, seats=None, first=0, **options):
    seats = seats or GAMES[game].about.usual_seats
    rules = house.read(GAMES[game].options, options, seats)
    return ScoreTableHeader(
        cardtable_scores=1,
        id=f"20261122-120000-{game}-cards-7f3a",
        game=game,
        created="2026-11-22T12:00:00Z",
        first=first,
        options=rules.to_dict(),
        seats=tuple([Occupant(name) for name in NAMES[:seats]]),
    )


def table(game, seats=None, first=0, **options):
    return ScoreTable(header(game, seats, first, **options))


def enter(score_table, **entered):
    """Count a round."""
    score_table.apply(ScoreTableLine(round=entered))
    return score_table.sheet.scores[-1]


def refused(score_table, **entered):
    """Why a round is not counted; nothing has changed."""
    before = list(score_table.rounds), score_table.sheet.running_totals
    try:
        score_table.apply(ScoreTableLine(round=entered))
    except ValueError as error:
        assert (list(score_table.rounds), score_table.sheet.running_totals) == before
        return str(error)
    raise AssertionError("it was counted")


def played(game, seed, seats=None, **options):
    """A session of random play, and its rounds as they would be entered; the header's ``first`` besides.

    How a round of a game is entered, ``entered.py`` beside the tests of its rules says.
    """
    entered = import_module(f"tests.games.{game}.entered").entered
    seats = seats or GAMES[game].about.usual_seats
    rng = Random(seed)
    engine = Referee(GAMES[game], seats, house.read(GAMES[game].options, options, seats), seed=seed)
    rounds, first = [], 0
    while engine.turn != OVER:
        if engine.turn == CHANCE:
            engine.advance()
            continue
        state, before = engine._state, len(engine.scores)
        if engine.round == 1:
            first = FIRSTS.get(game, lambda _: 0)(state)
        engine.play(engine.turn, rng.choice(engine.view(engine.turn).legal))
        if len(engine.scores) > before:
            rounds.append(entered(engine._state, engine.scores[-1]))
    return engine, first, rounds


FIRSTS = {"rifki": lambda state: state.starter, "rummy": lambda state: state.first}
"""Whose round the first one is, where that is not seat 0."""


def column(score, place):
    return tuple(figures[place] for figures in score.figures)


def bids_entered(_state, score):
    """A round of a game of exact bids."""
    entered = {"bids": column(score, 0), "tricks": column(score, 1)}
    return entered if score.title.no_trump else {"trump": SUITS[score.title.trump]} | entered
