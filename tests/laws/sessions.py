"""Ways to play all games that the program comes with."""

from cardtable.games import GAMES
from cardtable.testing.cases import MAX_EVENTS, list_cases
from tests.budgets import LONG

LOOKED_AT = MAX_EVENTS if LONG else 250
"""Decisions of a session that costly laws look at."""
CASES_OF = {key: list_cases(game) for key, game in GAMES.items()}
CASES = [case for cases in CASES_OF.values() for case in cases]


def share_of(number, case):
    """This case's part of what is to be done for each game, rounded up."""
    return -(-number // len(CASES_OF[case.game.about.key]))
