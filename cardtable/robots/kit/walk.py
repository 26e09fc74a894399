"""Hands that wander: from one guess to the next a few unseen cards change places, and rather where that is likelier.

Metropolis' rule: after enough exchanges each sharing comes up as often as it is likely.
"""

from collections.abc import Callable, Iterator, Sequence
from math import exp
from random import Random
from typing import Final

from cardtable.engine.cards import BIT, Cards, each
from cardtable.engine.contract import Seat

FIRST: Final = 80
"""Exchanges that are tried before the first guess is told."""
BETWEEN: Final = 10
"""Those from one to the next."""


def walk(
    hands: Sequence[Cards],
    seat: Seat,
    aside: Cards,
    banned: Sequence[Cards],
    likely: Callable[[Seat, Cards], float],
    rng: Random,
) -> Iterator[list[Cards]]:
    """The hands of all seats, again and again, as ``seat``, whose own one stays, may guess them.

    It sets out from ``hands`` with the cards of ``aside`` in nobody's; the hand of seat ``i`` is to be free of
    ``banned[i]``.  ``likely`` is the logarithm of how likely the seat has such a hand.
    """
    nobody = len(hands)
    parts, free = [*hands, aside], [*banned, 0]
    where = {card: holder for holder, part in enumerate(parts) if holder != seat for card in each(part)}
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
