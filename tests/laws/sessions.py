"""Cases of all built-in games for the tests of the rules."""

from cardtable.engine.game import CHANCE, OVER
from cardtable.games import GAMES
from cardtable.testing.cases import MAX_EVENTS, list_cases
from tests.budgets import LONG

MAX_DECISIONS = MAX_EVENTS if LONG else 250
"""Number of decisions of a session that expensive checks examine."""
CASES_BY_GAME = {key: list_cases(game) for key, game in GAMES.items()}
CASES = [case for cases in CASES_BY_GAME.values() for case in cases]


def get_share(number, case):
    """Return the part of a game's trials that falls to a case, rounded up."""
    return -(-number // len(CASES_BY_GAME[case.game.about.key]))


def is_waiting(game, state):
    """Return True if nothing happens in this state without an action of a player."""
    if state.turn == CHANCE:
        return state.finished and not state.playing
    return state.turn == OVER or not game.forced_silent_action(state.view(state.turn))
