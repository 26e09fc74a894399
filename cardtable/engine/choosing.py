"""From legal actions to cards one can point at; knows no game and no screen."""

from collections.abc import Sequence

from cardtable.engine.cards import Cards
from cardtable.engine.contract import Action


def pointable(legal: Sequence[Action], chosen: Cards = 0) -> Cards:
    """The cards that may be added to those ``chosen`` on the way to some action."""
    reach = 0
    for action in legal:
        if action.uses() & chosen == chosen:
            reach |= action.uses()
    return reach & ~chosen


def ready(legal: Sequence[Action], chosen: Cards) -> list[Action]:
    """The actions that use exactly the cards ``chosen``."""
    return [action for action in legal if action.uses() == chosen]
