"""Hands that wander: from one guess to the next a few unseen cards change places, and rather where that is likelier.

Metropolis' rule: after enough exchanges each sharing comes up as often as it is likely.
"""

from collections.abc import Callable, Iterator, Sequence
from math import exp
from random import Random
from typing import Final, TypeVar

from cardtable.engine.cards import BIT, OF_SUIT, SUIT, Card, Cards, iter_cards
from cardtable.engine.game import Seat
from cardtable.engine.tricks import Order

FIRST: Final = 80
"""Exchanges that are tried before the first guess is told."""
BETWEEN: Final = 10
"""Those from one to the next."""


def metropolis_hands(
    hands: Sequence[Cards],
    seat: Seat,
    aside: Cards,
    banned: Sequence[Cards],
    likely: Callable[[Seat, Cards], float],
    rng: Random,
) -> Iterator[list[Cards]]:
    """The hands of all seats, again and again, as ``seat``, whose own one stays, may guess them.

    It sets out from ``hands`` with the cards of ``aside`` in nobody's; the hand of seat ``i`` is to be free of
    ``banned[i]``.  ``rejection_sample`` is the logarithm of how likely the seat has such a hand.
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
    """A world of at most so many, taken as often as what was said in it is likely, or else the likeliest."""
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
"""What it adds to the logarithm of how likely a hand is that it still has some of a group of such cards.

Fitted to rounds of Rikiki of 10 cards with robots of several styles, ours and others, among which it differs little.
"""


def unplayed_groups(trick: Sequence[Card], leader: Seat, order: Order, seats: int) -> Iterator[tuple[Seat, Cards]]:
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


LIMIT: Final = 1 << 12
"""Answers of a kind that are remembered at most."""

T = TypeVar("T")


class Memo(dict[int, T]):
    """Answers by key, found when they are first asked for."""

    def __init__(self, find: Callable[[int], T]) -> None:
        self._find = find

    def __missing__(self, key: int) -> T:
        if len(self) >= LIMIT:
            self.clear()
        self[key] = found = self._find(key)
        return found
