"""What one seat may know of King."""

from cardtable.engine.cards import OF_SUIT, SUIT, Card, Cards
from cardtable.engine.contract import Seat
from cardtable.engine.tricks import TrickView
from cardtable.games.king.rules.actions import STAKE, Bargain, Options
from cardtable.games.king.rules.contracts import KING, Contract, Kind


class KingView(TrickView, frozen=True):
    """What one seat may know of King."""

    options: Options
    dealer: Seat
    contract: Contract | None
    """What is played, or what stands until the dealer leads; ``None`` before it is named."""
    declared: tuple[tuple[Contract, ...], ...]
    """The contracts that each dealer has had in finished rounds."""
    first: Card | None
    """The first card of the round; until it lies the contract may be changed."""
    absent: tuple[Cards, ...]
    """Cards each seat has shown not to hold."""
    taken: tuple[Cards, ...]
    """The tricks of each seat."""
    points: tuple[int, ...]
    """Points of each seat in this round."""
    bargains: tuple[Bargain, ...]
    """What was offered in this round, and answered."""
    unclaimed: int
    """What is left to share of the offer that the others answer; 0 while there is none."""
    offered: bool
    """Whether the seat to act has made an offer before this card."""

    @property
    def left(self) -> int:
        """What is left to collect of a negative contract, in points; 0 in others."""
        if self.contract is None or self.contract.kind is not Kind.NEGATIVE:
            return 0
        return STAKE + sum(self.points)

    @property
    def complete(self) -> int:
        """Complete tricks."""
        return sum(self.won)

    @property
    def scored(self) -> tuple[Cards, ...]:
        """The cards that score by themselves, by the seat that has taken them."""
        scoring = self.contract.scoring if self.contract else 0
        return tuple([cards & scoring for cards in self.taken])

    @property
    def king_falls(self) -> bool:
        """Whether this seat has to play KH to the trick, and not just to follow suit."""
        if not self.trick:
            return False
        follows = self.hand & OF_SUIT[SUIT[self.trick[0]]]
        return sum([action.uses() for action in self.legal]) == KING != (follows or self.hand)
