"""Sampling of hidden hands in proportion to their likelihood, by a Metropolis sampler or by rejection.

The Metropolis sampler (Metropolis et al., 1953) swaps two unseen cards between hands, and accepts the swap with
probability min(1, ratio of the likelihoods). After enough swaps, each distribution of the cards is sampled in
proportion to its likelihood.
"""

from collections.abc import Callable, Iterator, Sequence
from math import exp
from random import Random
from typing import Final, TypeVar

from cardtable.engine.cards import BIT, OF_SUIT, SUIT, Card, Cards, iter_cards
from cardtable.engine.game import Seat
from cardtable.engine.tricks import Order

BURN_IN_SWAPS: Final = 80
"""Number of proposed swaps before the first sample (burn-in)."""
SWAPS_BETWEEN_SAMPLES: Final = 10
"""Number of proposed swaps between two samples."""


def iter_metropolis_hands(
    hands: Sequence[Cards],
    seat: Seat,
    undealt: Cards,
    excluded_cards: Sequence[Cards],
    log_likelihood: Callable[[Seat, Cards], float],
    rng: Random,
) -> Iterator[list[Cards]]:
    """Yield samples of the hands of all seats without end, each as a new list.

    The hand of ``seat`` is the same in all of them.

    The Markov chain starts from ``hands``, with the cards of ``undealt`` in no hand. The hand of seat ``i`` never holds
    a card of ``excluded_cards[i]``. ``log_likelihood(i, hand)`` is the logarithm of the likelihood of a hand of seat
    ``i``, up to a constant.
    """
    nobody = len(hands)
    parts, free = [*hands, undealt], [*excluded_cards, 0]
    holders = {card: holder for holder, part in enumerate(parts) if holder != seat for card in iter_cards(part)}
    cards, draw = [*holders], rng.random
    worth = [log_likelihood(holder, part) if holder != seat else 0.0 for holder, part in enumerate(hands)] + [0.0]
    exchanges = BURN_IN_SWAPS
    while True:
        for _ in range(exchanges if cards else 0):
            one, other = cards[int(draw() * len(cards))], cards[int(draw() * len(cards))]
            a, b = holders[one], holders[other]
            if a == b or free[a] & BIT[other] or free[b] & BIT[one]:
                continue
            both = BIT[one] | BIT[other]
            of_a = 0.0 if a == nobody else log_likelihood(a, parts[a] ^ both)
            of_b = 0.0 if b == nobody else log_likelihood(b, parts[b] ^ both)
            gain = of_a + of_b - worth[a] - worth[b]
            if gain >= 0 or draw() < exp(gain):
                parts[a], parts[b], worth[a], worth[b] = parts[a] ^ both, parts[b] ^ both, of_a, of_b
                holders[one], holders[other] = b, a
        yield parts[:nobody]
        exchanges = SWAPS_BETWEEN_SAMPLES


W = TypeVar("W")


def sample_by_rejection(sample: Callable[[], tuple[float, W]], rng: Random, max_tries: int) -> W:
    """Return a world drawn by rejection sampling (von Neumann, 1951), or the likeliest of ``max_tries`` rejected
    worlds.

    ``sample`` returns a world, preceded by the likelihood of the observed bids and plays in it, from 0 to 1. Requires
    ``max_tries`` of at least 1.
    """
    best, most = None, -1.0
    for _ in range(max_tries):
        likeness, world = sample()
        if rng.random() < likeness:
            return world
        if likeness > most:
            best, most = world, likeness
    assert best is not None
    return best


PASSED_OVER: Final = -0.49
"""Log-likelihood added for each group of cards that a seat passed over and of which its hand still holds a card.

The value was fitted to rounds of Rikiki with 10 cards, played by robots of several styles.
"""


def iter_unplayed_groups(trick: Sequence[Card], leader: Seat, order: Order, seats: int) -> Iterator[tuple[Seat, Cards]]:
    """Yield the groups of cards that the seats passed over in a trick, each with its seat.

    A seat that follows suit passes over three groups: the cards of the suit below both its card and the card that
    headed the trick, the cards between these two, and, if its card does not head the trick, the cards above the heading
    one. If the trick has been ruffed, the groups are the cards below and above its card. A seat that leads, discards or
    ruffs passes over the lower cards of the suit it plays. ``leader`` led to the trick, which ``order`` decides.
    """
    best = trick[0]
    for index, card in enumerate(trick):
        seat, suit = (leader + index) % seats, OF_SUIT[SUIT[card]]
        below, above = suit & BIT[card] - 1, suit & -BIT[card] & ~BIT[card]
        if index and SUIT[card] == SUIT[best]:
            under_best, over_best = suit & BIT[best] - 1, suit & -BIT[best] & ~BIT[best]
            groups = [below & under_best, (below & over_best) or (above & under_best)]
            if card < best:
                groups.append(over_best)
        elif index and SUIT[card] == SUIT[trick[0]]:
            groups = [below, above]
        else:
            groups = [below]
        yield from [(seat, group) for group in groups if group]
        if index and order.winner((best, card)):
            best = card


MEMO_SIZE: Final = 1 << 12
"""Maximum number of entries of a ``Memo``."""

T = TypeVar("T")


class Memo(dict[int, T]):
    """Cache of a function with an integer argument, filled on first access and cleared when it has ``MEMO_SIZE``
    entries.
    """

    def __init__(self, compute: Callable[[int], T]) -> None:
        self._compute = compute

    def __missing__(self, key: int) -> T:
        if len(self) >= MEMO_SIZE:
            self.clear()
        self[key] = value = self._compute(key)
        return value
