"""All robots, views from random sessions in which a robot has a choice, and the expert's choice."""

from functools import cache
from itertools import product
from random import Random

from cardtable.engine.game import OVER
from cardtable.engine.referee import Referee
from cardtable.games import GAMES, KEYS
from cardtable.robots.kit.levels import LEVELS
from cardtable.robots.kit.robot import RandomRobot, decide, make_robot

SAMPLE_INTERVAL = 17
"""One view per this number of decisions is sampled; it is prime, so that every phase occurs."""
SLOW_ROBOT_VIEWS = 6
"""Number of views for slow robots."""
FAST_LEVELS = [level for level in LEVELS if level != "expert"]
ROBOTS = list(product(LEVELS, KEYS))
"""All robots, as pairs of level and game."""


@cache
def collect_positions(key, sessions=3):
    """Return views with several legal actions, each with the session's seed and the decisions so far."""
    positions = []
    for seed in range(sessions):
        game, rng = GAMES[key], Random(seed)
        table = Referee(game, game.about.usual_seats, game.options(), seed)
        while table.turn != OVER:
            table.advance()
            while table.turn >= 0:
                view = table.view(table.turn)
                if len(view.legal) > 1 and table.decisions % SAMPLE_INTERVAL == 0:
                    positions.append((view, seed, table.decisions))
                table.play(table.turn, RandomRobot().choose(view, rng, lambda: False))
    return positions


def select_positions(level, key):
    """Return the views of `collect_positions`, or a few of them, from all phases, for a slow robot."""
    positions = collect_positions(key)
    if level in FAST_LEVELS:
        return positions
    kinds = {}
    for position in positions:
        kinds.setdefault(frozenset(str(action).partition(" ")[0] for action in position[0].legal), []).append(position)
    return [
        position for alike in kinds.values() for position in alike[:: -(-len(kinds) * len(alike) // SLOW_ROBOT_VIEWS)]
    ]


def choose_expert_action(game, seed=1):
    """Return the expert's action in notation for the seat on turn of a `ScriptedGame`."""
    return str(decide(make_robot("expert", game.game.about.key), game.view(), seed, 0))
