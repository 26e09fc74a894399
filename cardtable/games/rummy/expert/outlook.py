"""What a round of Rummy will bring, before it is over: fitted to rounds of steady players, both hands known."""

from cardtable.engine.cards import PACK_52, Cards, each
from cardtable.engine.contract import Seat
from cardtable.games.rummy.expert.planning import AROUND, layings, near
from cardtable.games.rummy.expert.playing import Round
from cardtable.games.rummy.rules.combinations import worth


def outlook(left: Round, seat: Seat) -> list[float]:
    """The points of the round to be expected by seat, when ``seat`` is to draw.

    Both race to lay everything down at once: what counts is how few loose cards a hand has beside the other one, and
    how much is at stake if the other one is out first.
    """
    free = PACK_52 & ~left.on_table
    points, loose, weight, links = _hand(left, seat, free)
    others_points, others_loose, others_weight, others_links = _hand(left, 1 - seat, free)
    lead = (
        9.56
        + 0.96 * (left.laid[seat] - left.laid[1 - seat])
        + 1.49 * points
        - 1.66 * others_points
        + 0.68 * weight
        - 0.58 * others_weight
        - 1.82 * loose
        + 0.62 * others_loose
        + 2.02 * links
        - 1.85 * others_links
        + (21.09 + 2.26 * (others_points + others_weight) + 1.24 * others_points) / (loose + 1)
        - (12.49 + 2.83 * (points + weight) - 0.4 * points) / (others_loose + 1)
    )
    together = 30 + 0.8 * sum(left.laid) + 0.74 * (weight + others_weight)
    found = [(together - lead) / 2] * 2
    found[seat] += lead
    return found


def _hand(left: Round, seat: Seat, free: Cards) -> tuple[int, int, int, int]:
    """The points that can be laid, how many cards are loose then, what they count, and what they nearly make."""
    hand = left.hands[seat]
    found = [(laying.points - laying.rest.bit_count(), laying.rest) for laying in layings(hand, left.end)]
    points, rest = max(found)
    links = 0
    for c in each(rest):
        around = AROUND[c]
        links += near(c, rest & around, free & ~hand & around)
    loose = rest.bit_count()
    return points + loose, loose, worth(rest), links
