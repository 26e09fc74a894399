"""What a play tells of a hand: the cards of the suit that might have been played in its place."""

from collections.abc import Iterator, Sequence
from typing import Final

from cardtable.engine.cards import BIT, OF_SUIT, SUIT, Card, Cards
from cardtable.engine.contract import Seat
from cardtable.engine.tricks import Order

PASSED_OVER: Final = -0.49
"""What it adds to the logarithm of how likely a hand is that it still has some of a group of such cards.

Fitted to rounds of Rikiki of 10 cards with robots of several styles, ours and others, among which it differs little.
"""


def passed_over(trick: Sequence[Card], leader: Seat, order: Order, seats: int) -> Iterator[tuple[Seat, Cards]]:
    """Groups of cards that were passed over, each with the seat that did so.

    They are the cards of the suit below the one that was played, those between it and the card that headed the trick,
    and those above, where it might have headed the trick with them and did not.
    """
    best = trick[0]
    for place, card in enumerate(trick):
        seat, suit = (leader + place) % seats, OF_SUIT[SUIT[card]]
        below, above = suit & BIT[card] - 1, suit & -BIT[card] & ~BIT[card]
        if place and SUIT[card] == SUIT[best]:
            under_best, over_best = suit & BIT[best] - 1, suit & -BIT[best] & ~BIT[best]
            groups = [below & under_best, (below & over_best) or (above & under_best)]
            if card < best:
                groups.append(over_best)
        elif place and SUIT[card] == SUIT[trick[0]]:
            groups = [below, above]
        else:
            groups = [below]
        yield from [(seat, group) for group in groups if group]
        if place and order.winner((best, card)):
            best = card
