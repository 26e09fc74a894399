"""What a round of Rummy will bring, before it is over, both hands and the stock known.

A small neural net tells what the seat that is to draw will win from then on, more than the other one: cells that each
add nothing or what their sum is above 0.  It is fitted to how 180,000 rounds of steady players went on.
"""

from functools import cache
from operator import mul
from typing import Final, NamedTuple

from cardtable.engine.cards import BIT, PACK_52, Card, Cards, each
from cardtable.engine.contract import Seat
from cardtable.games.rummy.expert.planning import AROUND, PAIRS, layings, near
from cardtable.games.rummy.expert.playing import Round, fitting
from cardtable.games.rummy.rules.combinations import worth

FEW: Final = 3
"""Loose cards with which a hand may be out in a turn."""


class Cell(NamedTuple):
    """A cell of the net."""

    gain: float
    """What the points that are won change by, where its sum is 1."""
    bias: float
    stock: float
    """What each card of the stock adds to the sum, ..."""
    own: tuple[float, ...]
    """... each mark of the seat that is to draw, as in ``Marks``, ..."""
    other: tuple[float, ...]
    """... and each of the other one."""


class Marks(NamedTuple):
    """What a hand promises."""

    points: int
    """Of what can be laid down."""
    loose: int
    """Cards that cannot."""
    weight: int
    """Their points."""
    links: int
    """Combinations of three that lack one card only, which may still come, counted once for each loose card in one."""
    alone: int
    """Loose cards in none, ..."""
    alone_weight: int
    """... and their points."""
    size: int
    """Cards of the hand."""
    last: int
    """Cards of the stock with which it could be out in a turn, ..."""
    last_face_up: int
    """... and of the face-up card, 1 or 0."""


def outlook(left: Round, seat: Seat) -> list[float]:
    """The points of the round to be expected by seat, when ``seat`` is to draw."""
    own, other = marks(left, seat), marks(left, 1 - seat)
    stock, lead = len(left.stock), left.laid[seat] - left.laid[1 - seat] + BASE
    for gain, bias, by_stock, by_own, by_other in CELLS:
        told = bias + by_stock * stock + sum(map(mul, by_own, own)) + sum(map(mul, by_other, other))
        if told > 0:
            lead += gain * told
    together = 30 + 0.8 * sum(left.laid) + 0.74 * (own.weight + other.weight)
    found = [(together - lead) / 2] * 2
    found[seat] += lead
    return found


def marks(left: Round, seat: Seat) -> Marks:
    """What the hand of a seat promises, laid down for points and for few loose cards."""
    hand, free = left.hands[seat], PACK_52 & ~left.on_table
    points, rest = max([(laying.points - laying.rest.bit_count(), laying.rest) for laying in layings(hand, left.end)])
    loose, links, alone = rest.bit_count(), 0, 0
    for c in each(rest):
        around = AROUND[c]
        number = near(c, rest & around, free & ~hand & around)
        links += number
        if not number:
            alone |= BIT[c]
    last = face_up = 0
    if loose <= FEW:
        fits = fitting(left.end)
        last = sum([_ends(c, hand, rest, fits) for c in left.stock])
        face_up = sum([_ends(c, hand, rest, fits) for c in left.pile[-1:]])
    return Marks(
        points + loose, loose, worth(rest), links, alone.bit_count(), worth(alone), hand.bit_count(), last, face_up
    )


def _ends(card: Card, hand: Cards, rest: Cards, fits: Cards) -> bool:
    """Whether a hand in which the cards of ``rest`` are loose may be out with one card more."""
    if not rest:
        return True
    around = AROUND[card]
    used = _used(card, hand & around, rest & around)
    if used is None and BIT[card] & fits:
        used = 0
    return used is not None and rest.bit_count() - used <= 1


@cache
def _used(card: Card, around: Cards, loose: Cards) -> int | None:
    """How many loose cards make a combination of three with this one, the most of all; none, if there is none.

    Of the hand and of its loose cards only those around the card are given.
    """
    return max([(two & loose).bit_count() for two in PAIRS[card] if not two & ~around], default=None)


BASE: Final = 11.0
"""What is won where no cell adds anything."""
CELLS: Final = (
    Cell(
        -19.7,
        -0.71,
        0.0557,
        (0.00267, 0.0373, 0.0106, -0.0139, -0.0378, 0.0102, -0.0299, -0.4, -8.4),
        (0.0295, -0.229, 0.00121, 0.0343, -0.00819, -0.0169, 0.0322, 0.127, 2.41),
    ),
    Cell(
        16.9,
        -1.34,
        -0.0837,
        (0.00862, 0.19, -0.00137, -0.00542, 0.423, -0.0564, -0.00957, 0.511, 2.41),
        (0.0251, -0.178, 0.039, 0.0256, 0.0147, 0.0113, -0.118, -0.17, -0.1),
    ),
    Cell(
        24.8,
        -0.287,
        0.0346,
        (0.00516, -0.508, -0.0242, 0.0865, -0.0727, -0.00455, 0.0349, -0.0153, -0.173),
        (0.0161, 0.185, 0.000212, -0.00863, -0.0503, 0.00772, 0.0434, -0.0157, -0.142),
    ),
    Cell(
        20.0,
        1.4,
        -0.0367,
        (0.0153, -0.195, 0.00268, 0.031, -0.137, 0.01, 0.13, 0.203, -8.71),
        (-0.0109, 0.0681, 0.00185, -0.0207, -0.0106, 0.0179, -0.106, -0.392, 1.41),
    ),
    Cell(
        -31.1,
        -0.402,
        0.0149,
        (0.00911, 0.191, -0.00265, -0.0118, 0.068, -0.00291, 0.0288, 0.0105, -0.568),
        (0.00845, -0.417, -0.0191, 0.0773, -0.231, 0.0199, 0.0128, -0.0753, -0.319),
    ),
    Cell(
        -20.2,
        -0.907,
        -0.11,
        (0.0062, -0.0113, 0.0183, 0.000318, 0.0366, 0.00102, -0.195, -0.725, -1.24),
        (0.0216, 0.168, 0.0114, 0.0106, 0.193, -0.0147, 0.105, 0.284, -5.92),
    ),
    Cell(
        -16.7,
        1.83,
        0.0173,
        (-0.0346, -0.0624, -0.0193, -0.0213, -0.0897, 0.00858, 0.114, 0.225, 1.83),
        (0.00401, -0.0564, 0.0163, -0.0101, -0.311, 0.0433, -0.0508, -0.413, 0.0934),
    ),
    Cell(
        12.7,
        -2.76,
        0.0337,
        (0.0275, 0.142, 0.00927, 0.0035, 0.163, -0.0159, 0.113, -0.396, 7.31),
        (-0.00294, -0.158, 0.0171, -0.0111, -0.367, 0.0363, -0.0663, -0.333, -0.841),
    ),
)
