"""Every robot, and views from random sessions for it to choose in."""

from functools import cache
from itertools import product
from random import Random

from cardtable.engine.game import OVER
from cardtable.engine.referee import Referee
from cardtable.games import GAMES, KEYS
from cardtable.robots.kit.levels import LEVELS
from cardtable.robots.kit.rollouts import RandomRobot

EVERY = 17
"""One view of so many decisions is kept: prime, so that it meets every phase."""
FEW = 6
"""Views for robots that think long."""
QUICK = [level for level in LEVELS if level != "expert"]
ROBOTS = list(product(LEVELS, KEYS))
"""All that there are, by level and game."""


@cache
def positions(key, sessions=3):
    """Views in which there is something to choose, each with the session's seed and the decisions so far."""
    found = []
    for seed in range(sessions):
        game, rng = GAMES[key], Random(seed)
        table = Referee(game, game.about.usual_seats, game.options(), seed)
        while table.turn != OVER:
            table.advance()
            while table.turn >= 0:
                view = table.view(table.turn)
                if len(view.legal) > 1 and table.decisions % EVERY == 0:
                    found.append((view, seed, table.decisions))
                table.play(table.turn, RandomRobot().choose(view, rng, lambda: False))
    return found


def positions_for(level, key):
    """Those views, or for a robot that thinks long a few of them, from all phases."""
    found = positions(key)
    if level in QUICK:
        return found
    kinds = {}
    for position in found:
        kinds.setdefault(frozenset(str(action).partition(" ")[0] for action in position[0].legal), []).append(position)
    return [position for alike in kinds.values() for position in alike[:: -(-len(kinds) * len(alike) // FEW)]]
