"""What a player wants of a round, game by game, and what actions are called in a sentence.

An aim is told by the own points of the round, since these are what the searcher counts.
"""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from cardtable.engine.bidding import Bid
from cardtable.engine.cards import NAME, SUIT
from cardtable.engine.contract import Action, View
from cardtable.engine.tricks import Play


class Aim(NamedTuple):
    """Something that a round brings or does not."""

    told: str
    """What happens then, in words, after the name of a card; of an action without cards what it does."""
    reached: Callable[[float], bool]
    """Whether it did, by the own points of the round."""
    lost: str = ""
    """What is said where it cannot happen any more."""


def name(action: Action) -> str:
    """What an action is called at the beginning of a sentence; cards in notation."""
    if isinstance(action, Play):
        return NAME[action.card]
    text = str(action)
    return text[0].upper() + text[1:]


def inside(action: Action) -> str:
    """What an action is called within a sentence."""
    called = name(action)
    return called if isinstance(action, Play) else called[0].lower() + called[1:]


def aim(game: str, view: View) -> Aim | None:
    """What the seat of the view wants; ``None`` where it wants points and nothing else."""
    found = _AIMS.get(game)
    return found(view) if found else None


def trump(view: Any) -> int | None:
    """The trump suit of the round."""
    if hasattr(view, "trump_card"):
        return None if view.trump_card is None else SUIT[view.trump_card]
    contract = getattr(view, "contract", None)
    found: int | None = contract.trump if contract else getattr(view, "trump", None)
    return found


def _exact(view: Any) -> Aim:
    """Rikiki and Ten Down: ten points at least are for a bid that comes out."""
    if isinstance(view.legal[0], Bid):
        return Aim("comes out", _comes_out)
    missing = view.bids[view.seat] - view.won[view.seat]
    lost = "" if 0 <= missing <= view.sizes[view.seat] else "your bid is lost"
    return Aim("your bid comes out", _comes_out, lost)


def _comes_out(points: float) -> bool:
    return points >= 10


_AIMS: Final[dict[str, Callable[[Any], Aim | None]]] = {"rikiki": _exact, "ten_down": _exact}
