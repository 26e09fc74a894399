"""Rummy played on fast: turns by the rule policy, on plain ints.

It weighs as ``policy.py`` does and looks at nothing that the seat to act does not know.  For speed who draws one card
goes on by what was seen before: so nine turns in ten are those of the policy.
"""

from functools import cache, lru_cache
from typing import Final

from cardtable.engine.cards import ACE, BIT, PACK_52, SUIT, Card, Cards, iter_cards, mask_of
from cardtable.engine.game import Seat
from cardtable.games.rummy.expert.meld_planner import AROUND, PAIRS, Laying, completes, layings, near
from cardtable.games.rummy.policy import (
    FEW,
    FITTING,
    LAST_CARDS,
    LATE,
    MATCH,
    MEAN,
    NEARLY,
    SOON,
    UNKNOWN,
)
from cardtable.games.rummy.rules.actions import MOST_ONES
from cardtable.games.rummy.rules.legal_turns import Ends, ends, runs, ways
from cardtable.games.rummy.rules.melds import (
    ABOVE,
    BELOW,
    COMBINATIONS,
    FITS,
    FOURTH,
    HIGH_ACE,
    LESS_LOW,
    LOW_ACE,
    MASK,
    PLACES,
    SUM,
    WORTH,
    at,
    worth,
)
from cardtable.games.rummy.rules.state import RummyState

_OF_MASK: Final = {MASK[number]: number for number in COMBINATIONS}
_WHERE: Final = {1 << PLACES * suit + place: BIT[at(suit, place)] for suit in range(4) for place in range(PLACES)}


@lru_cache(maxsize=4096)
def fitting(end: Ends) -> Cards:
    """The cards that can be added on the table."""
    fits, places = end.fourth, end.above | end.below
    while places:
        low = places & -places
        fits |= _WHERE[low]
        places ^= low
    return fits


class Round:
    """What is left of a round, changed in place as it is played on."""

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
        "turns",
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
        self.turns = state.turns
        self.keep = state.options.taken_cards == "must-keep"

    def _look(self, seat: Seat) -> None:
        """What the seat to act makes of what is seen."""
        other = 1 - seat
        self.other_shown = shown = self.shown[other]
        face_up = mask_of(self.pile)
        self.hidden = hidden = PACK_52 & ~(self.hands[seat] | face_up | self.on_table | shown)
        self.free = hidden | face_up
        self.other_size = size = self.hands[other].bit_count()
        self.share = (size - shown.bit_count()) / max(1, hidden.bit_count())
        self.risk = min(1.0, SOON / min(len(self.stock) / 2 + 1, size + 0.5))
        self.fits = fitting(self.end)
        self.given: dict[int, float] = {}

    def play(self, seat: Seat, must: Card | None, barred: Cards, *, drew: bool, turns: int) -> Seat | None:
        """Play so many turns, the first one of ``seat``, which has drawn or not.

        Returns whose turn it is then; nobody's, if the round is over.
        """
        plan = None
        for _ in range(turns):
            self._look(seat)
            if not drew:
                plan, must, barred = self._begin(seat)
                if must is not None:
                    self._look(seat)
            if plan is None:
                _, plan = self._plan(self.hands[seat], 0 if must is None else BIT[must], barred)
            self._act(seat, plan, must, barred)
            if not self.hands[seat] or not self.stock:
                return None
            seat, drew, plan = 1 - seat, False, None
            self.turns += 1
        return seat

    def _begin(self, seat: Seat) -> tuple[Laying | None, Card | None, Cards]:
        """Draw as it is best, with the plan, if the pile was of use, what must be used and what may not be dropped."""
        number, plan = self._depth(self.hands[seat])
        if not plan:
            self.hands[seat] |= BIT[self.stock.pop()]
            self.ones = 0
            return None, None, 0
        taken, must = mask_of(self.pile[-number:]), self.pile[-number] if number > 1 else None
        del self.pile[-number:]
        self.hands[seat] |= taken
        self.shown[seat] |= taken
        self.ones = self.ones + 1 if must is None else 0
        return plan, must, taken if self.keep or must is None else 0

    def _depth(self, hand: Cards) -> tuple[int, Laying | None]:
        """How many cards of the pile to take, and what for; no plan, if the stock is better."""
        best, number, plan = self._plan(hand, 0, 0, turn_ends=False)[0] + UNKNOWN, 0, None
        taken = 0
        for depth, card in enumerate(reversed(self.pile), 1):
            taken |= BIT[card]
            if depth == 1:
                if self.ones == MOST_ONES or not (taken & self.fits or completes(card, hand & AROUND[card])):
                    continue
                value, found = self._plan(hand | taken, 0, taken)
            elif self._usable(card, hand | taken):
                value, found = self._plan(hand | taken, BIT[card], taken if self.keep else 0)
            else:
                continue
            if value > best and (depth > 1 or not found.rest & taken):
                best, number, plan = value, depth, found
        return number, plan

    def _usable(self, card: Card, hand: Cards) -> bool:
        """Whether a card can be laid with those of a hand."""
        for way in ways(card, self.end):  # noqa: SIM110 - a generator would take twice the time
            if not way & ~hand:
                return True
        return False

    def _act(self, seat: Seat, plan: Laying, must: Card | None, barred: Cards) -> None:
        """Lay what is to be laid of a plan, and drop a card."""
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
        if self.turns >= LATE:
            self._lay_late(seat, plan)
        hand = self.hands[seat]
        if not hand:
            return
        card = self._least(rest & ~barred or hand & ~barred or hand, rest)
        self.hands[seat] ^= BIT[card]
        self.shown[seat] &= ~BIT[card]
        self.pile.append(card)

    def _lay_late(self, seat: Seat, plan: Laying) -> None:
        """Lay what nobody can add to: complete groups, and what else has no card that may come."""
        hand, coming = self.hands[seat], self.free | self.other_shown
        melds = tuple([meld for meld in plan.melds if not meld & ~hand and not FITS[_OF_MASK[meld]] & coming])
        if melds or plan.fourths & hand:
            self._lay(seat, melds, 0, plan.fourths & hand)

    def _lay(self, seat: Seat, melds: tuple[Cards, ...], longer: Cards, fourths: Cards) -> None:
        """New combinations, cards that go on to sequences and cards that complete groups come onto the table."""
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
        """The best way to lay down a hand, as ``policy.Sight.plan`` has it, and its value."""
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
        """What the cards left are worth."""
        if turn_ends and not rest & (rest - 1):
            return MEAN * self.other_size
        free, risk, given = self.free, self.risk, self.given
        each_near = (1 - risk) * NEARLY
        total, least = 0.0, 1e9
        for c in iter_cards(rest):
            around = AROUND[c]
            kept = each_near * near(c, rest & around, free & around) - risk * WORTH[c]
            total += kept
            if turn_ends and kept < least and not BIT[c] & barred:
                loss = kept + (given[c] if c in given else self._given(c))
                least = min(least, loss)
        return total - least if turn_ends else total

    def _least(self, loose: Cards, rest: Cards) -> Card:
        """The card that costs least to drop."""
        free, risk = self.free, self.risk
        each_near = (1 - risk) * NEARLY
        best, least = Card(0), 1e9
        for c in iter_cards(loose):
            around = AROUND[c]
            links = near(c, rest & around, free & around)
            loss = each_near * links - risk * WORTH[c] + self._given(c)
            if loss < least:
                best, least = c, loss
        return best

    def _given(self, card: Card) -> float:
        """What the other player may make of a card that is dropped."""
        given = self.given.get(card)
        if given is None:
            if BIT[card] & self.fits:
                given = FITTING * WORTH[card]
            else:
                share, around = self.share, AROUND[card]
                sure, one, two = match(card, self.hidden & around, self.other_shown & around)
                given = MATCH * (sure + share * (one + share * two))
            self.given[card] = given
        return given


@cache
def match(card: Card, hidden: Cards, shown: Cards) -> tuple[int, int, int]:
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
    ups, less = above >> shift, 0
    for low, high in _joined(part, ups):
        if ups >> low & 1:
            above = above & ~(1 << shift + low) | (1 << shift + high + 1 if high < HIGH_ACE else 0)
        else:
            below = below & ~(1 << shift + high) | (1 << shift + low - 1 if low else 0)
            less += LESS_LOW * (low == LOW_ACE)
    return above, below, less


def _joined(part: int, ups: int) -> list[tuple[int, int]]:
    """Cards of a suit that are added, as runs of places: with an ace high, if it goes on to a sequence so."""
    others = (part & (1 << ACE) - 1) << 1
    if not part >> ACE:
        return runs(others)
    high = runs(others | 1 << HIGH_ACE)
    if ups >> high[-1][0] & 1:
        return high
    return runs(others | 1 << LOW_ACE)
