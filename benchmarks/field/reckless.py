"""Says anything and plays well: bids and contracts are drawn by lot, the cards played as a tree search finds best.

There are two more with a style: ``bold`` bids what is legal above what flat playouts find best, ``timid`` below.
"""

from collections.abc import Callable
from functools import partial
from random import Random

from flat import Flat
from ismcts import Ismcts

from cardtable.engine.game import Action, AnyGame, Declaration, View


class Reckless:
    """Bids and declares by lot, or ``above`` what seems best."""

    def __init__(self, game: AnyGame, above: int = 0) -> None:
        if not (game.exact_bids or (game.has_contracts and not above)):
            raise LookupError(f"{game.about.title} has no bids{'' if above else ' or contracts'}")
        self.game, self.above = game, above
        self.plays, self.bids = Ismcts(game), Flat(game)

    def choose(self, view: View, rng: Random, stop: Callable[[], bool]) -> Action:
        """A word by lot or style, a card by search."""
        said = [action for action in view.legal if isinstance(action, Declaration) or action.kind == "bid"]
        if not said or self.game.contract(view) is not None:
            return self.plays.choose(view, rng, stop)
        if not self.above:
            return rng.choice(said)
        wanted = (self.bids.choose(view, rng, stop).amount or 0) + self.above
        return min(said, key=lambda bid: abs((bid.amount or 0) - wanted))


bold = partial(Reckless, above=1)
timid = partial(Reckless, above=-1)
