"""Reckless: bids and names contracts at random, and plays its cards by tree search.

Two variants have a style: ``bold`` bids one more than flat Monte Carlo finds best, ``timid`` one less.
"""

from collections.abc import Callable
from functools import partial
from random import Random

from flat import Flat
from ismcts import Ismcts

from cardtable.engine.game import Action, AnyGame, Declaration, View


class Reckless:
    """A robot that bids and names contracts at random, or ``above`` the best bid by a number of tricks."""

    def __init__(self, game: AnyGame, above: int = 0) -> None:
        if not (game.exact_bids or (game.has_contracts and not above)):
            raise LookupError(f"{game.about.title} has no bids{'' if above else ' or contracts'}")
        self.game, self.above = game, above
        self.plays, self.bids = Ismcts(game), Flat(game)

    def choose(self, view: View, rng: Random, stop: Callable[[], bool]) -> Action:
        """Return a bid or contract at random or by style, or a card by search."""
        declarations = [action for action in view.legal if isinstance(action, Declaration) or action.kind == "bid"]
        if not declarations or self.game.contract(view) is not None:
            return self.plays.choose(view, rng, stop)
        if not self.above:
            return rng.choice(declarations)
        target = (self.bids.choose(view, rng, stop).amount or 0) + self.above
        return min(declarations, key=lambda bid: abs((bid.amount or 0) - target))


bold = partial(Reckless, above=1)
timid = partial(Reckless, above=-1)
