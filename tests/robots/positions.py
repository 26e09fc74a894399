"""Views from random sessions, for robots to choose in."""

from functools import cache
from random import Random

from cardtable.engine.contract import OVER
from cardtable.engine.table import Table
from cardtable.games import GAMES
from cardtable.robots.simple import Chancer

EVERY = 17
"""One view of so many decisions is kept: prime, so that it meets every phase."""


@cache
def positions(key, sessions=3):
    """Views in which there is something to choose, each with the session's seed and the decisions so far."""
    found = []
    for seed in range(sessions):
        game, rng = GAMES[key], Random(seed)
        table = Table(game, game.about.usual_seats, game.options(), seed)
        while table.turn != OVER:
            table.go_on()
            while table.turn >= 0:
                view = table.view(table.turn)
                if len(view.legal) > 1 and table.decisions % EVERY == 0:
                    found.append((view, seed, table.decisions))
                table.play(table.turn, Chancer().choose(view, rng, lambda: False))
    return found
