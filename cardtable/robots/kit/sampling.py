"""Sampling of hidden hands in proportion to their likelihood: a Metropolis sampler and rejection sampling.

The Metropolis sampler (Metropolis et al., 1953) swaps unseen cards between hands, and accepts each swap with a
probability of min(1, ratio of likelihoods). After enough swaps each distribution of the cards is drawn as often as it
is likely.
"""

from collections.abc import Callable, Iterator, Sequence
from math import exp
from random import Random
from typing import Final, TypeVar

from cardtable.engine.cards import BIT, OF_SUIT, SUIT, Card, Cards, iter_cards
from cardtable.engine.game import Seat
from cardtable.engine.tricks import Order

FIRST: Final = 80
"""Proposed swaps before the first sample (burn-in)."""
BETWEEN: Final = 10
"""Proposed swaps between two samples."""


def metropolis_hands(
    hands: Sequence[Cards],
    seat: Seat,
    aside: Cards,
    banned: Sequence[Cards],
    likely: Callable[[Seat, Cards], float],
    rng: Random,
) -> Iterator[list[Cards]]:
    """Yield hands of all seats, without end, as samples of the knowledge of ``seat``, whose own hand is fixed.

    The chain starts from ``hands``, with the cards of ``aside`` in no hand; the hand of seat ``i`` never holds a card
    of ``banned[i]``. ``likely(i, hand)`` is the logarithm of the (unnormalised) likelihood of a hand. Each item is a
    new list.
    """
    nobody = len(hands)
    parts, free = [*hands, aside], [*banned, 0]
    where = {card: holder for holder, part in enumerate(parts) if holder != seat for card in iter_cards(part)}
    cards, draw = [*where], rng.random
    worth = [likely(holder, part) if holder != seat else 0.0 for holder, part in enumerate(hands)] + [0.0]
    exchanges = FIRST
    while True:
        for _ in range(exchanges if cards else 0):
            one, other = cards[int(draw() * len(cards))], cards[int(draw() * len(cards))]
            a, b = where[one], where[other]
            if a == b or free[a] & BIT[other] or free[b] & BIT[one]:
                continue
            both = BIT[one] | BIT[other]
            of_a = 0.0 if a == nobody else likely(a, parts[a] ^ both)
            of_b = 0.0 if b == nobody else likely(b, parts[b] ^ both)
            gain = of_a + of_b - worth[a] - worth[b]
            if gain >= 0 or draw() < exp(gain):
                parts[a], parts[b], worth[a], worth[b] = parts[a] ^ both, parts[b] ^ both, of_a, of_b
                where[one], where[other] = b, a
        yield parts[:nobody]
        exchanges = BETWEEN


W = TypeVar("W")


def rejection_sample(guess: Callable[[], tuple[float, W]], rng: Random, tries: int) -> W:
    """Return a world drawn by rejection sampling (von Neumann, 1951), or the likeliest of ``tries`` rejected worlds.

    ``guess`` returns the likelihood of the observed bids and plays in a world, from 0 to 1, and the world.
    """
    best, most = None, -1.0
    for _ in range(tries):
        likeness, world = guess()
        if rng.random() < likeness:
            return world
        if likeness > most:
            best, most = world, likeness
    assert best is not None
    return best


PASSED_OVER: Final = -0.49
"""Log-likelihood added to a hand that still holds a card of a group that the seat passed over.

Fitted to rounds of Rikiki with 10 cards, played by robots of several styles, own and foreign; the styles differ little.
"""


def unplayed_groups(trick: Sequence[Card], leader: Seat, order: Order, seats: int) -> Iterator[tuple[Seat, Cards]]:
    """Yield groups of cards that a seat passed over in a trick, each with the seat.

    The groups are the cards of the suit below the played card, those between it and the card that headed the trick, and
    those above, with which the seat could have headed the trick.
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


LIMIT: Final = 1 << 12
"""Largest number of entries of a ``Memo``; a full memo is cleared."""

T = TypeVar("T")


class Memo(dict[int, T]):
    """Cache of a function of an integer key, filled on first access and cleared at ``LIMIT`` entries."""

    def __init__(self, find: Callable[[int], T]) -> None:
        self._find = find

    def __missing__(self, key: int) -> T:
        if len(self) >= LIMIT:
            self.clear()
        self[key] = found = self._find(key)
        return found
