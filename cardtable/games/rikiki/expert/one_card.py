"""Bids of a round of one card each, counted: all that the others may hold, each as likely as their bids say.

Two of the unknown cards are gone through one by one; of the third, that of the last of these seats to bid, it is
enough how many of the cards that are left would take the trick and how many would not.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple, TypeAlias

from cardtable.engine.bidding import open_bids
from cardtable.engine.cards import BIT, CARDS, COPY, PACK_52, RANK, SUIT, Card, each
from cardtable.games.rikiki.expert.playouts import judge
from cardtable.games.rikiki.rules import SEATS, RikikiView
from cardtable.games.rikiki.rules.scoring import scored
from cardtable.robots.kit.bidding_expert import likeliness
from cardtable.robots.kit.bidding_policy import USUAL, nearest
from cardtable.robots.kit.search import Outcome

Place: TypeAlias = int
"""Of a seat in the order of bidding; who bids first leads."""
Bids: TypeAlias = tuple[int, ...]
"""By place."""


class Third(NamedTuple):
    """What the third unknown seat may hold, under a suit that is led and after the bids before its own."""

    strengths: list[int]
    """Of its cards, from low to high."""
    sums: tuple[list[float], list[float]]
    """By its bid, 0 or 1: how likely so many of these are together, from none on."""
    each: dict[Card, tuple[int, float]]
    """What it bids with a card, and how likely that one is."""


class OneCard:
    """A view of such a round in which its seat is to bid.

    ``odd`` is how odd a bid is that is so much off what a card should take, beyond rounding.
    """

    def __init__(self, view: RikikiView, odd: float) -> None:
        turned = 0 if view.trump_card is None else BIT[view.trump_card]
        self._dealer, self._options = view.dealer, view.options
        by_place = [view.bids[(view.dealer + place) % SEATS] for place in range(SEATS)]
        self._made = tuple([bid for bid in by_place if bid is not None])
        self._me: Place = len(self._made)
        self._own = each(view.hand)[0]
        self._unseen = each(PACK_52 & ~view.hand & ~turned)
        judged = judge(1, view.trump_card)
        self._takes = {card: judged(BIT[card]) for card in self._unseen}
        self._likely = [
            {card: likeliness(self._made[place] + self._less(place), takes, odd) for card, takes in self._takes.items()}
            if place < self._me
            else dict.fromkeys(self._unseen, 1.0)
            for place in range(SEATS)
        ]
        self._strengths = [strengths(led, view.trump) for led in range(4)]
        self._thirds: dict[tuple[int, Bids], Third] = {}

    def outcomes(self, bid: int) -> list[Outcome]:
        """All that may come of a bid, the bonuses aside."""
        found: defaultdict[tuple[Bids, Place], float] = defaultdict(float)
        for bids, taker, chance in self._worlds(bid):
            found[bids, taker] += chance
        whole = sum(found.values())
        return [Outcome(chance / whole, self._points(bids, taker)) for (bids, taker), chance in found.items()]

    def _points(self, bids: Bids, taker: Place) -> Sequence[float]:
        by_place = [scored(bid, int(place == taker)) for place, bid in enumerate(bids)]
        return [by_place[(seat - self._dealer) % SEATS] for seat in range(SEATS)]

    def _worlds(self, bid: int) -> Iterator[tuple[Bids, Place, float]]:
        """Bids, who takes the trick, and how likely that is; the same may come more than once."""
        first, second, third = (place for place in range(SEATS) if place != self._me)
        for x in self._unseen:
            led = self._strengths[SUIT[x if self._me else self._own]]
            best = max((led[self._own], self._me), (led[x], first))
            for y in self._unseen:
                chance = self._likely[first][x] * self._likely[second][y]
                if y == x or not chance:
                    continue
                bids = self._bids({first: x, second: y}, bid)
                cards = self._third(third, SUIT[x if self._me else self._own], bids[:third])
                strength, taker = max(best, (led[y], second))
                at = bisect_right(cards.strengths, strength)
                for said, sums in enumerate(cards.sums):
                    below = sums[at] - sum([likely for told, likely in (cards.each[x], cards.each[y]) if told == said])
                    whole = (*bids[:third], said, *bids[third:])
                    yield whole, taker, chance * below
                    yield whole, third, chance * (sums[-1] - sums[at])

    def _bids(self, cards: dict[Place, Card], bid: int) -> Bids:
        """All bids but that of the third seat, which has none of these cards."""
        told: list[int] = []
        for place in range(SEATS):
            if place == self._me:
                told.append(bid)
            elif place in cards:
                told.append(self._bid(place, cards[place], tuple(told)))
        return tuple(told)

    def _bid(self, place: Place, card: Card, before: Bids) -> int:
        """What is bid at a place: what was said there, else what the rule policy would say."""
        if place < self._me:
            return self._made[place]
        hooked = place == SEATS - 1 and self._options.binds(1)
        return nearest(open_bids(1, before, hooked=hooked), self._takes[card] - USUAL.less(1, before, SEATS)).tricks

    def _less(self, place: Place) -> float:
        return USUAL.less(1, self._made[:place], SEATS)

    def _third(self, place: Place, led: int, before: Bids) -> Third:
        if (led, before) not in self._thirds:
            known = {card: (self._bid(place, card, before), self._likely[place][card]) for card in self._unseen}
            order = sorted(self._unseen, key=self._strengths[led].__getitem__)
            none, one = (
                list(accumulate([known[card][1] * (known[card][0] == said) for card in order], initial=0.0))
                for said in (0, 1)
            )
            strong = [self._strengths[led][card] for card in order]
            self._thirds[led, before] = Third(strong, (none, one), known)
        return self._thirds[led, before]


def strengths(led: int, trump: int | None) -> list[int]:
    """By card: what beats what under a suit that is led; 0 takes nothing."""
    above = {led: 1} | ({} if trump is None else {trump: 14})
    return [RANK[card] + above[SUIT[card]] if SUIT[card] in above else 0 for card in CARDS[:COPY]]
