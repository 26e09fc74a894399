"""King."""

from random import Random

from cardtable.engine.contract import Action
from cardtable.games.king import KingView


def steady(view: KingView, rng: Random) -> Action:
    """Any."""
    return next((action for action in view.legal if action.uses()), view.legal[0])


def novice(view: KingView, rng: Random) -> Action:
    """Any."""
    return rng.choice(view.legal)
