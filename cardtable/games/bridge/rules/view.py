"""What one seat may know of Bridge."""

from cardtable.engine.cards import OF_RANK, PACK_36, RANK, SIX, Card, Cards
from cardtable.engine.contract import Seat, View
from cardtable.engine.holdings import Holding, absent_from
from cardtable.games.bridge.rules.actions import Options, fitting, last_move


class BridgeView(View, frozen=True):
    """What one seat may know of Bridge."""

    options: Options
    starter: Seat
    """Who starts the round or, between rounds, the next one."""
    mover: Seat
    """Whose turn it is, also while chance is to speak."""
    sizes: tuple[int, ...]
    """Cards in each hand."""
    stack: tuple[Card, ...]
    """Open; the top card is the last."""
    blind: int
    """Cards in the blind."""
    buried: Cards
    """The cards that the blind was last made of: it holds no others."""
    holdings: tuple[Holding, ...]
    """What everybody knows of each hand."""
    run: int
    """What the bridge monitor shows; after a reshuffle it may be more than the stack."""
    named: int | None
    """The suit that must follow the jack on top."""
    named_by: Seat | None
    multiplier: int
    played: tuple[Card, ...]
    """The cards played in this turn."""
    drew: int
    """Cards that ``mover`` has drawn in this turn since the last one played."""
    due: tuple[Seat, ...]
    """Who is to draw, card by card, as soon as the stack is shuffled."""
    heir: Seat | None
    """Whose turn it is after the forced draws that are under way."""
    finisher: Seat | None
    """Who went out or called bridge."""
    bridged: bool
    """Whether the round was ended by bridge."""
    counted: tuple[Cards, ...]
    """All hands as they were counted, until the next deal; none during a round."""
    points: tuple[int, ...]
    """Points of the round finished last."""

    @property
    def fits(self) -> Cards:
        """The cards that may begin the next turn or cover a 6, whoever holds them."""
        return fitting(self.stack[-1] if self.stack else None, self.named)

    @property
    def possible(self) -> Cards:
        """The cards that may be played now, whoever holds them."""
        if not self.playing or self.finisher is not None:
            return 0
        if not self.played or RANK[self.played[-1]] == SIX:
            return self.fits
        return OF_RANK[RANK[self.played[-1]]]

    @property
    def last_move(self) -> tuple[Card, ...]:
        """The cards of one rank that were played last in this turn."""
        return last_move(self.played)

    @property
    def lacks(self) -> tuple[Cards, ...]:
        """The cards that each seat certainly does not hold, as everybody knows."""
        return tuple([PACK_36 & absent_from(holding) for holding in self.holdings])
