"""What one seat may know of Rummy."""

from typing import NamedTuple

from cardtable.engine.cards import Card, Cards
from cardtable.engine.contract import Seat, View
from cardtable.games.rummy.rules.actions import Options
from cardtable.games.rummy.rules.turns import Table


class Past(NamedTuple):
    """A turn that is over, as everybody saw it; what a view has, too, means the same."""

    seat: Seat
    drop: Card
    """The card that ended it; all else is as it was just before."""
    taken: Cards
    """The cards taken from the face-up pile; none from the stock."""
    table: Table
    pile: tuple[Card, ...]
    shown: tuple[Cards, ...]
    stock: int
    others: int
    """Cards in the other hand."""


class RummyView(View, frozen=True):
    """What one seat may know of Rummy."""

    options: Options
    first: Seat | None
    """Who starts the first round; ``None`` before that is drawn."""
    sizes: tuple[int, ...]
    """Cards in each hand."""
    table: Table
    """The combinations, in the order in which they were laid."""
    owners: tuple[Seat, ...]
    """Who laid each of them."""
    laid: tuple[int, ...]
    """What the cards count that each seat has melded or added in this round."""
    pile: tuple[Card, ...]
    """Face up; the top card is the last."""
    stock: int
    """Cards that lie face down."""
    shown: tuple[Cards, ...]
    """Cards that each seat certainly holds, as everybody knows: those taken from the face-up pile."""
    drew: bool
    """Whether the seat to act has drawn in this turn."""
    taken: Cards
    """The cards taken from the face-up pile in this turn."""
    must: Card | None
    """The card that must still be melded or added in this turn."""
    barred: Cards
    """The cards that may not be dropped in this turn."""
    ones: int
    """How many turns in a row have begun with ``take 1``."""
    turns: int
    """Turns of this round so far, the present one included."""
    past: tuple[Past, ...]
    """Those of them that are over, in order."""
    counted: tuple[Cards, ...]
    """All hands as they were counted, until the next deal; none during a round."""
    forfeited: Seat | None
    """Who has lost the session by the clock."""
