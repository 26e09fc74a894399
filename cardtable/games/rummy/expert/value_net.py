"""Value network of Rummy: expected points of the round, from both hands and the stock.

A one-hidden-layer ReLU network with 19 inputs (the size of the stock and nine ``HandFeatures`` of each hand), 12 hidden
units and one output: the points that the seat to draw will still win, minus the points that the other seat will still
win.

It is fitted to the outcomes of 3,200,000 positions of steady players, steady players with occasional other moves,
experts, and players who hurry, grab or stumble against steady ones (``games/rummy/experiments.md``). A network fitted
to steady players alone plays worse. The program that played these rounds and fitted the weights is not in the
repository, and neither its seeds nor the loss that it minimised are recorded; the weights cannot be computed again.
"""

from functools import cache
from math import fsum
from operator import mul
from typing import Final, NamedTuple

from cardtable.engine.cards import BIT, PACK_52, Card, Cards, iter_cards
from cardtable.engine.game import Seat
from cardtable.games.rummy.expert.rollouts import (
    PARTNER_PAIRS,
    PARTNERS,
    RoundSimulation,
    count_near_melds,
    find_lay_off_cards,
    list_layouts,
)
from cardtable.games.rummy.rules.melds import sum_points

MAX_LOOSE_CARDS: Final = 3
"""Largest number of loose cards with which a hand may go out within a turn."""


class HiddenUnit(NamedTuple):
    """Weights of one hidden unit of the network."""

    gain: float
    """Output weight, in points for each unit of activation."""
    bias: float
    stock: float
    """Weight of the number of cards in the stock."""
    own: tuple[float, ...]
    """Weights of the features of the seat to draw, in the order of ``HandFeatures``."""
    other: tuple[float, ...]
    """Weights of the features of the other seat, in the order of ``HandFeatures``."""


class HandFeatures(NamedTuple):
    """Features of a hand, the inputs of the network."""

    points: int
    """Sum of the points of the cards that can be laid."""
    loose: int
    """Number of loose cards, which cannot be laid."""
    weight: int
    """Sum of the points of the loose cards."""
    links: int
    """Number of near-melds (three-card melds that lack just one available card), counted once for each loose card in
    them.
    """
    alone: int
    """Number of loose cards that are in no near-meld."""
    alone_weight: int
    """Points of the loose cards that are in no near-meld."""
    size: int
    """Number of cards in the hand."""
    last: int
    """Number of stock cards with which the hand could go out within a turn."""
    last_face_up: int
    """1 if the hand could go out with the top card of the face-up pile, else 0."""


def predict(simulation: RoundSimulation, seat: Seat) -> list[float]:
    """Return the points of the round that each seat is expected to make; ``seat`` is to draw.

    The network estimates the difference between the seats. Their sum is a linear function of the points laid and held.
    """
    own, other = compute_features(simulation, seat), compute_features(simulation, 1 - seat)
    stock, lead = len(simulation.stock), simulation.laid[seat] - simulation.laid[1 - seat] + OUTPUT_BIAS
    for gain, bias, by_stock, by_own, by_other in HIDDEN_UNITS:
        activation = bias + by_stock * stock + fsum(map(mul, by_own, own)) + fsum(map(mul, by_other, other))
        if activation > 0:
            lead += gain * activation
    together = 30 + 0.8 * sum(simulation.laid) + 0.74 * (own.weight + other.weight)
    points = [(together - lead) / 2] * 2
    points[seat] += lead
    return points


def compute_features(simulation: RoundSimulation, seat: Seat) -> HandFeatures:
    """Return the features of a seat's hand, laid out for many points and few loose cards.

    Each loose card counts as a loss of one point in the choice of the layout.
    """
    hand, free = simulation.hands[seat], PACK_52 & ~simulation.on_table
    points, rest = max(
        [(laying.points - laying.rest.bit_count(), laying.rest) for laying in list_layouts(hand, simulation.end)]
    )
    loose, links, alone = rest.bit_count(), 0, 0
    for c in iter_cards(rest):
        around = PARTNERS[c]
        number = count_near_melds(c, rest & around, free & ~hand & around)
        links += number
        if not number:
            alone |= BIT[c]
    last = face_up = 0
    if loose <= MAX_LOOSE_CARDS:
        fits = find_lay_off_cards(simulation.end)
        last = sum([_can_go_out_with(c, hand, rest, fits) for c in simulation.stock])
        face_up = sum([_can_go_out_with(c, hand, rest, fits) for c in simulation.pile[-1:]])
    return HandFeatures(
        points + loose,
        loose,
        sum_points(rest),
        links,
        alone.bit_count(),
        sum_points(alone),
        hand.bit_count(),
        last,
        face_up,
    )


def _can_go_out_with(card: Card, hand: Cards, rest: Cards, fits: Cards) -> bool:
    """Return True if a hand with the loose cards ``rest`` may go out with ``card`` in addition.

    ``fits`` holds the cards that can be laid off on the table.
    """
    if not rest:
        return True
    around = PARTNERS[card]
    used = _count_used_cards(card, hand & around, rest & around)
    if used is None and BIT[card] & fits:
        used = 0
    return used is not None and rest.bit_count() - used <= 1


@cache
def _count_used_cards(card: Card, around: Cards, loose: Cards) -> int | None:
    """Return the largest number of loose cards that form a three-card meld with ``card``; ``None`` if there is no meld.

    ``around`` holds the cards of the hand. To make the cache effective, callers restrict both sets to
    ``PARTNERS[card]``.
    """
    return max([(two & loose).bit_count() for two in PARTNER_PAIRS[card] if not two & ~around], default=None)


OUTPUT_BIAS: Final = 27.2
"""Output bias, in points."""
HIDDEN_UNITS: Final = (
    HiddenUnit(
        -17.2,
        1.81,
        0.0779,
        (-0.00812, 0.249, -0.0286, 0.00575, -0.00884, -0.00761, -0.0653, 0.264, 0.548),
        (-0.00122, -0.172, -0.00969, 0.0242, -0.0719, 0.0106, -0.0598, -0.28, -0.701),
    ),
    HiddenUnit(
        17.6,
        -2.11,
        -0.000317,
        (0.0235, 0.236, 0.0056, -0.0127, -0.0813, 0.00515, 0.143, -0.104, 3.08),
        (-0.00165, -0.0927, 0.00814, 0.00164, -0.0541, 0.0103, -0.112, -0.264, -0.587),
    ),
    HiddenUnit(
        20.7,
        -0.114,
        0.0614,
        (0.00228, -0.0326, -0.0084, 0.0354, 0.149, -0.0109, 0.00583, -0.0939, -0.224),
        (-0.00105, 0.266, 0.000741, -0.00716, -0.124, 0.00572, -0.295, -0.0529, -0.0563),
    ),
    HiddenUnit(
        -19.6,
        -0.549,
        -0.0177,
        (0.0137, -0.0667, 0.0278, -0.0182, -0.0455, 0.00125, -0.118, -0.185, -2.73),
        (0.0124, -0.127, -0.00443, 0.0565, 0.234, -0.0255, 0.0401, 0.248, -6.21),
    ),
    HiddenUnit(
        15.0,
        -1.07,
        0.0584,
        (-0.000738, -0.229, 0.00297, 0.00452, -0.125, -0.00338, -0.0465, -0.128, 1.67),
        (0.0118, 0.172, -0.0144, 0.0016, 0.0575, -0.0101, 0.096, 0.189, -1.8),
    ),
    HiddenUnit(
        42.6,
        -0.115,
        -0.00077,
        (0.000259, 0.051, 0.00208, -0.00966, -0.0574, 0.00618, 0.0386, -0.0357, -0.927),
        (-0.0262, 0.265, -0.0294, -0.00204, 0.0689, -0.0192, -0.0807, -0.0187, -0.629),
    ),
    HiddenUnit(
        -24.9,
        -0.362,
        0.00651,
        (-0.0139, 0.0923, -0.0157, 0.00816, 0.0109, -0.00996, -0.173, -0.199, -2.47),
        (-0.00212, 0.197, 0.000869, 0.00924, 0.0761, 0.000896, 0.1, -0.0297, -0.738),
    ),
    HiddenUnit(
        -28.7,
        -0.494,
        0.00638,
        (-0.00683, 0.104, 0.0104, -0.0402, -0.0858, 0.0132, -0.0773, -0.254, -5.22),
        (0.0327, -0.0783, 0.00994, -0.000662, -0.0435, -0.00712, 0.0771, 0.117, 0.729),
    ),
    HiddenUnit(
        27.7,
        -0.383,
        -0.0393,
        (0.00657, -0.151, -0.0267, 0.0411, -0.159, 0.0162, 0.0301, 0.15, 0.0426),
        (0.0153, 0.0143, 0.0122, 0.0129, -0.0848, 0.00749, -0.0252, -0.0844, 0.0352),
    ),
    HiddenUnit(
        12.6,
        0.0617,
        -0.0048,
        (0.00998, 0.0249, 0.00466, -0.00366, 0.118, -0.0236, -0.0224, 0.339, 0.845),
        (-0.00138, 0.0158, 0.0195, -0.0979, -0.22, 0.0125, -0.0147, -0.156, 0.476),
    ),
    HiddenUnit(
        -37.4,
        -0.49,
        0.00652,
        (0.00577, 0.0674, -0.00606, 0.00679, 0.0245, 0.00129, 0.101, -0.0295, -0.573),
        (-0.000266, -0.301, -0.00731, 0.0314, -0.227, 0.0143, 0.0103, -0.0339, 0.00566),
    ),
    HiddenUnit(
        19.3,
        0.482,
        0.013,
        (0.0171, -0.281, -0.00739, 0.0549, -0.0377, -0.00387, 0.00931, 0.127, -5.59),
        (0.00505, 0.0636, 0.00129, -0.00481, -0.0132, 0.00978, -0.0336, -0.118, 0.141),
    ),
)
