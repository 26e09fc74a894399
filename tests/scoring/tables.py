"""Score tables for tests, and sessions of the engine as entries of score tables."""

from importlib import import_module
from random import Random

import msgspec

from cardtable.engine import options as house
from cardtable.engine.cards import SUITS
from cardtable.engine.checksummed_jsonl import seal
from cardtable.engine.game import CHANCE, OVER
from cardtable.engine.journal import Occupant
from cardtable.engine.referee import ignore_event
from cardtable.games import GAMES
from cardtable.scoring.score_table import ScoreTable, ScoreTableHeader, ScoreTableLine
from cardtable.testing.cases import Case

NAMES = ("Anna", "Tom", "Ida", "Lea", "Max", "Eva")


def create_header(game, seats=None, first=0, **options):
    seats = seats or GAMES[game].about.usual_seats
    rules = house.read(GAMES[game].options, options, seats)
    return ScoreTableHeader(
        cardtable_scores=2,
        id=f"20261122-120000-{game}-cards-7f3a",
        game=game,
        created="2026-11-22T12:00:00Z",
        first=first,
        options=rules.to_dict(),
        seats=tuple([Occupant(name) for name in NAMES[:seats]]),
    )


def encode_table(header, lines):
    """Return the bytes of the file of a score table."""
    return seal([msgspec.json.encode(value) for value in (header, *lines)])


def create_table(game, seats=None, first=0, **options):
    return ScoreTable(create_header(game, seats, first, **options))


def enter_round(score_table, **entered):
    """Enter a round and return its score."""
    score_table.apply(ScoreTableLine(round=entered))
    return score_table.sheet.scores[-1]


def get_refusal(score_table, **entered):
    """Return the reason why a round is refused, and check that nothing has changed."""
    before = list(score_table.rounds), score_table.sheet.running_totals
    try:
        score_table.apply(ScoreTableLine(round=entered))
    except ValueError as error:
        assert (list(score_table.rounds), score_table.sheet.running_totals) == before
        return str(error)
    raise AssertionError("it was counted")


def play_session_with_entries(game, seed, seats=None, **options):
    """Play a session of random robots; return the engine, the header's ``first`` and the entries of all rounds.

    ``entered.py`` beside the tests of each game makes the entry of a round.
    """
    seats = seats or GAMES[game].about.usual_seats
    return play_case_with_entries(Case(GAMES[game], seats, house.read(GAMES[game].options, options, seats)), seed)


def play_case_with_entries(case, seed):
    game, rng = case.game.about.key, Random(seed)
    create_entry = import_module(f"tests.games.{game}.entered").create_entry
    engine = case.create_referee(seed, ignore_event)
    rounds, first = [], 0
    while engine.turn != OVER:
        if engine.turn == CHANCE:
            engine.advance()
            continue
        state, before = engine.state, len(engine.scores)
        if engine.round == 1:
            first = FIRST_SEATS.get(game, lambda _: 0)(state)
        engine.play(engine.turn, rng.choice(engine.view(engine.turn).legal))
        if len(engine.scores) > before:
            rounds.append(create_entry(engine.state, engine.scores[-1]))
    return engine, first, rounds


FIRST_SEATS = {"rifki": lambda state: state.starter, "rummy": lambda state: state.first}
"""Functions that find the seat of the first round in games where it is not seat 0."""


def get_column(score, place):
    return tuple(figures[place] for figures in score.figures)


def create_bid_entry(_state, score):
    """Return the entry of a round of a game with exact bids."""
    entered = {"bids": get_column(score, 0), "tricks": get_column(score, 1)}
    return entered if score.title.no_trump else {"trump": SUITS[score.title.trump]} | entered
