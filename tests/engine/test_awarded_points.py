"""Points awarded in the middle of a round: Pegging, which test_marks holds to the laws of every game."""

from random import Random

from cardtable.engine import game
from cardtable.engine.cards import card
from cardtable.engine.chance import Deal
from cardtable.engine.game import CHANCE, OVER
from cardtable.engine.log_entries import MadePoints
from cardtable.engine.plugin_guard import guard_game
from cardtable.engine.tricks import PLAY
from tests.toy import loner
from tests.toy.loner import LonerState
from tests.toy.pegging import GAME, Options, PeggingState


def deal(*hands):
    """State of the first round with these hands on top of the pack."""
    state = PeggingState(len(hands), Options())
    dealt = [card(name) for text in hands for name in text.split()]
    state.apply(Deal((*dealt, *[c for c in range(52) if c not in dealt])))
    return state


def play(state, *names):
    for name in names:
        state.apply(PLAY[card(name)])


def test_award_counts_at_once_and_belongs_to_the_round():
    state = deal("7S 2H 2D 2C", "8S 3H 3D 3C")
    play(state, "7S", "8S")
    assert (state.totals, state.awarded, state.score) == ((0, 2), (0, 2), None)
    play(state, "2H", "3H", "2D", "3D", "2C")
    play(state, "3C")
    assert state.score.points == (0, 2)
    assert (state.totals, state.awarded) == ((0, 2), (0, 0))
    assert state.turn == CHANCE


def test_imagined_session_has_a_score_that_the_table_accepts():
    state = LonerState(3, loner.Options())
    state.apply(state.draw_chance(Random(1)))
    state.award(1, 2)
    imagined = guard_game(loner.GAME, RuntimeError).imagine(state.view(0), Random(1))
    assert imagined.score.figures == ((0,), (0,), (0,))
    assert imagined.view(0).awarded == (0, 2, 0)


def test_session_ends_inside_a_round():
    state = deal("7S 2H 2D 2C", "8S 3H 3D 3C")
    state.totals = (0, 10)
    state.score = game.Score(game.EndingTitle(""), ((), ()), (0, 10), ((), ()), (0, 10))
    play(state, "7S", "8S")
    assert (state.turn, state.totals, state.score.points) == (OVER, (0, 12), (0, 2))


def test_round_points_are_listed_with_awarded_points():
    state = deal("7S 2H 2D 2C", "8S 3H 3D 3C")
    play(state, "7S", "8S", "2H", "3H", "2D", "3D", "2C")
    before = state.view(0)
    play(state, "3C")
    assert MadePoints(1, 2, 1) in GAME.narrate(PLAY[card("3C")], before, state.view(0))
