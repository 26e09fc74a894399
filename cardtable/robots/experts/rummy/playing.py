"""Rummy played on fast: the whole rest of a round by the rule policy, on plain ints.

It weighs as ``policies/rummy.py`` does and looks at nothing that the seat to act does not know.
"""

from functools import cache, lru_cache
from typing import Final

from cardtable.engine.cards import BIT, PACK_52, SUIT, Card, Cards, each, of
from cardtable.engine.contract import Seat
from cardtable.games.rummy import RummyState
from cardtable.games.rummy.combinations import (
    ABOVE,
    BELOW,
    COMBINATIONS,
    FOURTH,
    LOW_ACE,
    MASK,
    PLACES,
    SUM,
    WORTH,
    at,
    worth,
)
from cardtable.games.rummy.rules import MOST_ONES
from cardtable.games.rummy.turns import Ends, ends, runs, ways
from cardtable.robots.experts.rummy.planning import AROUND, PAIRS, Laying, layings, near
from cardtable.robots.policies.rummy import (
    FEW,
    FITTING,
    LAST_CARDS,
    MATCH,
    MEAN,
    NEARLY,
    SOON,
    UNKNOWN,
)

_OF_MASK: Final = {MASK[number]: number for number in COMBINATIONS}
_WHERE: Final = {1 << PLACES * suit + place: BIT[at(suit, place)] for suit in range(4) for place in range(PLACES)}


@lru_cache(maxsize=4096)
def _fits(end: Ends) -> Cards:
    """The cards that can be added on the table."""
    fits, places = end.fourth, end.above | end.below
    while places:
        low = places & -places
        fits |= _WHERE[low]
        places ^= low
    return fits


class Round:
    """What is left of a round; ``play`` plays it to its end."""

    __slots__ = (
        "end",
        "fits",
        "free",
        "given",
        "hands",
        "hidden",
        "keep",
        "laid",
        "on_table",
        "ones",
        "other_shown",
        "other_size",
        "pile",
        "risk",
        "share",
        "shown",
        "stock",
    )

    def __init__(self, state: RummyState) -> None:
        self.hands = list(state.hands)
        self.shown = list(state.shown)
        self.laid = list(state.laid)
        self.pile = list(state.pile)
        self.stock = list(state.stock)
        self.end = ends(state.table)
        self.on_table = sum([MASK[combination] for combination in state.table])
        self.ones = state.ones
        self.keep = state.options.taken_cards == "must-keep"

    def _look(self, seat: int) -> None:
        """What the seat to act makes of what is seen."""
        other = 1 - seat
        self.other_shown = shown = self.shown[other]
        face_up = of(self.pile)
        self.hidden = hidden = PACK_52 & ~(self.hands[seat] | face_up | self.on_table | shown)
        self.free = hidden | face_up
        self.other_size = size = self.hands[other].bit_count()
        self.share = (size - shown.bit_count()) / max(1, hidden.bit_count())
        self.risk = min(1.0, SOON / min(len(self.stock) / 2 + 1, size + 0.5))
        self.fits = _fits(self.end)
        self.given: dict[int, float] = {}

    def play(self, seat: Seat, must: Card | None, barred: Cards, *, drew: bool, turns: int) -> Seat | None:
        """Play so many turns, the first one of ``seat``, which has drawn or not.

        Returns whose turn it is then; nobody's, if the round is over.
        """
        plan = None
        for _ in range(turns):
            self._look(seat)
            if not drew:
                plan, must, barred = self._draw(seat)
                if must is not None:
                    self._look(seat)
            if plan is None:
                _, plan = self._plan(self.hands[seat], 0 if must is None else BIT[must], barred)
            self._act(seat, plan, must, barred)
            if not self.hands[seat] or not self.stock:
                return None
            seat, drew, plan = 1 - seat, False, None
        return seat

    def _draw(self, seat: int) -> tuple[Laying | None, Card | None, Cards]:
        hand, pile = self.hands[seat], self.pile
        best = self._plan(hand, 0, 0, turn_ends=False)[0] + UNKNOWN
        number, plan, must, bars = 0, None, None, 0
        with_taken = hand
        if pile:
            top = pile[-1]
            bit = BIT[top]
            with_taken |= bit
            if self.ones < MOST_ONES and (bit & self.fits or _useful(top, hand & AROUND[top])):
                value, found = self._plan(with_taken, 0, bit)
                if value > best:
                    best, number, plan, bars = value, 1, found, bit
        for depth in range(2, len(pile) + 1):
            deepest = pile[-depth]
            with_taken |= BIT[deepest]
            for way in ways(deepest, self.end):
                if not way & ~with_taken:
                    break
            else:
                continue
            barred = with_taken & ~hand if self.keep else 0
            value, found = self._plan(with_taken, BIT[deepest], barred)
            if value > best:
                best, number, plan, must, bars = value, depth, found, deepest, barred
        if not number:
            self.hands[seat] |= BIT[self.stock.pop()]
            self.ones = 0
            return None, None, 0
        taken = of(pile[-number:])
        del pile[-number:]
        self.hands[seat] |= taken
        self.shown[seat] |= taken
        self.ones = self.ones + 1 if number == 1 else 0
        return plan, must, bars

    def _act(self, seat: int, plan: Laying, must: Card | None, barred: Cards) -> None:
        rest = plan.rest
        if not rest & (rest - 1) or len(self.stock) <= LAST_CARDS or self.other_size <= FEW:
            self._lay(seat, plan.melds, plan.longer, plan.fourths)
        elif must is not None:
            bit = BIT[must]
            if bit & plan.fourths:
                self._lay(seat, (), 0, bit)
            elif bit & plan.longer:
                suit = SUIT[must]
                self._lay(seat, (), plan.longer & (0x1FFF << 13 * suit), 0)
            else:
                self._lay(seat, tuple([meld for meld in plan.melds if meld & bit]), 0, 0)
        hand = self.hands[seat]
        if not hand:
            return
        loose = rest & ~barred or hand & ~barred
        card = self._least(loose, rest)
        self.hands[seat] ^= BIT[card]
        self.shown[seat] &= ~BIT[card]
        self.pile.append(card)

    def _lay(self, seat: int, melds: tuple[Cards, ...], longer: Cards, fourths: Cards) -> None:
        above, below, fourth = self.end
        points, laid = worth(fourths), longer | fourths
        fourth &= ~fourths
        for meld in melds:
            number = _OF_MASK[meld]
            points += SUM[number]
            above |= ABOVE[number]
            below |= BELOW[number]
            fourth |= FOURTH[number]
            laid |= meld
        if longer:
            points += worth(longer)
            for suit in range(4):
                part = longer >> 13 * suit & 0x1FFF
                if part:
                    above, below, less = _longer(suit, part, above, below)
                    points -= less
        self.end = Ends(above, below, fourth)
        self.on_table |= laid
        self.laid[seat] += points
        self.hands[seat] &= ~laid
        self.shown[seat] &= ~laid

    def _plan(self, hand: Cards, must: Cards, barred: Cards, *, turn_ends: bool = True) -> tuple[float, Laying]:
        best, most = None, -1e9
        for plan in layings(hand, self.end):
            rest = plan.rest
            if must & rest or (rest and not rest & ~barred):
                continue
            value = plan.points + self._left(rest, barred, turn_ends)
            if value > most:
                most, best = value, plan
        return most, best or Laying(0, hand, (), 0, 0)

    def _left(self, rest: Cards, barred: Cards, turn_ends: bool) -> float:
        if turn_ends and not rest & (rest - 1):
            return MEAN * self.other_size
        free, risk, given = self.free, self.risk, self.given
        each_near = (1 - risk) * NEARLY
        total, least = 0.0, 1e9
        for c in each(rest):
            around = AROUND[c]
            kept = each_near * near(c, rest & around, free & around) - risk * WORTH[c]
            total += kept
            if turn_ends and kept < least and not BIT[c] & barred:
                loss = kept + (given[c] if c in given else self._given(c))
                least = min(least, loss)
        return total - least if turn_ends else total

    def _least(self, loose: Cards, rest: Cards) -> Card:
        free, risk = self.free, self.risk
        each_near = (1 - risk) * NEARLY
        best, least = Card(0), 1e9
        for c in each(loose):
            around = AROUND[c]
            links = near(c, rest & around, free & around)
            loss = each_near * links - risk * WORTH[c] + self._given(c)
            if loss < least:
                best, least = c, loss
        return best

    def _given(self, card: Card) -> float:
        given = self.given.get(card)
        if given is None:
            if BIT[card] & self.fits:
                given = FITTING * WORTH[card]
            else:
                share, around = self.share, AROUND[card]
                sure, one, two = _match(card, self.hidden & around, self.other_shown & around)
                given = MATCH * (sure + share * (one + share * two))
            self.given[card] = given
        return given


@cache
def _useful(card: Card, around: Cards) -> bool:
    """Whether a card completes a combination, or nearly completes two, with these cards around it."""
    links = 0
    for others in PAIRS[card]:
        missing = others & ~around
        if not missing:
            return True
        links += not missing & (missing - 1)
    return links > 1


@cache
def _match(card: Card, hidden: Cards, shown: Cards) -> tuple[int, int, int]:
    """Points of combinations of three with the card of which the other player holds both others: surely, if one
    hidden card is there, if two are."""
    found = [0, 0, 0]
    for two in PAIRS[card]:
        if not two & ~(hidden | shown):
            found[(two & hidden).bit_count()] += WORTH[card] + worth(two)
    return found[0], found[1], found[2]


def _longer(suit: int, part: int, above: int, below: int) -> tuple[int, int, int]:
    """Ends after cards of a suit have been added, and how much less than usual an ace among them counts."""
    shift = PLACES * suit
    ups, downs = above >> shift, below >> shift
    places, less = (part & 0xFFF) << 1, 0
    if part >> 12:
        if places | 1 and (downs & 1 or _reaches(places, downs)):
            places |= 1
        else:
            places |= 1 << 13
    for low, high in runs(places):
        if ups >> low & 1:
            above = above & ~(1 << shift + low) | (1 << shift + high + 1 if high < 13 else 0)
        else:
            below = below & ~(1 << shift + high) | (1 << shift + low - 1 if low else 0)
            if low == LOW_ACE:
                less = 14
    return above, below, less


def _reaches(places: int, downs: int) -> bool:
    """Whether the run that begins with a two goes on to a sequence."""
    high = 0
    while places >> high + 1 & 1:
        high += 1
    return bool(high and downs >> high & 1)
