"""Fast rollouts of Rummy: layouts of hands, and turns of the rule policy, computed on integers.

The evaluation is that of ``policy.py`` and uses only what the seat to act knows. For speed, a seat that draws a single
card keeps the counts from before the draw; nine of ten turns equal the policy's. A near-meld is a three-card meld that
lacks just one card.
"""

from collections.abc import Iterator
from functools import cache, lru_cache, reduce
from itertools import islice, product
from operator import or_
from typing import Final, NamedTuple

from cardtable.engine.cards import (
    ACE,
    BIT,
    COPY_OFFSET,
    OF_RANK,
    OF_SUIT,
    PACK_52,
    SUIT,
    Card,
    Cards,
    iter_cards,
    mask_of,
)
from cardtable.engine.game import Seat
from cardtable.games.rummy.policy import (
    CERTAIN_END,
    LATE_TURN,
    LAY_OFF_WEIGHT,
    LOW_STOCK,
    MATCH_WEIGHT,
    MEAN_CARD_POINTS,
    NEAR_MELD_VALUE,
    SMALL_HAND,
    STOCK_VALUE,
    lay_sequences,
)
from cardtable.games.rummy.rules import RummyState
from cardtable.games.rummy.rules.actions import MAX_SINGLE_TAKES
from cardtable.games.rummy.rules.legal_turns import (
    OpenEnds,
    find_open_ends,
    find_table_cards,
    get_suit_ends,
    iter_ways_to_lay,
    split_into_runs,
)
from cardtable.games.rummy.rules.melds import (
    BIT_ABOVE,
    BIT_BELOW,
    CARD_POINTS,
    COMBINATION_POINTS,
    COMBINATIONS,
    FOURTH_CARD,
    GROUPS_IN,
    HIGH_ACE,
    LAY_OFF_CARDS,
    LOW_ACE,
    LOW_ACE_DISCOUNT,
    MASK,
    SUIT_SIZE,
    THREE_CARD_MELDS,
    get_card_at,
    sum_points,
)

MAX_LAYOUTS: Final = 64
"""Largest number of layouts considered for a hand; large hands have thousands."""
_RANK_BITS: Final = (1 << 13) - 1
PARTNER_PAIRS: Final = tuple(
    [tuple([three ^ BIT[c] for three in THREE_CARD_MELDS if three & BIT[c]]) for c in range(COPY_OFFSET)]
)
"""For each card, the pairs of cards that form a three-card meld with it."""
PARTNERS: Final = tuple([reduce(or_, pairs) for pairs in PARTNER_PAIRS])
"""For each card, all cards that are in a three-card meld with it."""


class HandLayout(NamedTuple):
    """Layout of a hand in a rollout, with the points laid only, so that it can be cached by hand and table."""

    points: int
    """Points of the melds and lay-offs."""
    rest: Cards
    """Cards that remain in the hand."""
    melds: tuple[Cards, ...]
    """New melds, each as a set of cards."""
    sequence_cards: Cards
    """Cards to lay off on sequences."""
    fourths: Cards
    """Cards that complete groups of three on the table."""


@cache
def completes_meld(card: Card, around: Cards) -> bool:
    """Return True if ``card`` forms a three-card meld with cards of ``around``.

    To make the cache effective, callers pass only cards of ``PARTNERS[card]``.
    """
    return any(not others & ~around for others in PARTNER_PAIRS[card])


@cache
def count_near_melds(card: Card, rest: Cards, free: Cards) -> int:
    """Return the number of three-card melds that ``card`` and one card of ``rest`` form with a third card of ``free``.

    To make the cache effective, callers restrict both sets to ``PARTNERS[card]``.
    """
    number = 0
    for others in PARTNER_PAIRS[card]:
        missing = others & ~rest
        if missing & free and not missing & (missing - 1):
            number += 1
    return number


class _BestSequences(NamedTuple):
    """Sequences of one suit that score the most points."""

    points: int
    cards: Cards
    """All cards that are melded or laid off."""
    melds: tuple[Cards, ...]
    sequence_cards: Cards
    """Cards to lay off on sequences."""


@lru_cache(maxsize=65536)
def _find_best_sequences(suit: int, part: Cards, above: int, below: int) -> tuple[_BestSequences, Cards]:
    """Return the best sequences of a suit, with the ace low or high, and all cards that can be part of a sequence.

    ``above`` and ``below`` have a bit for each index that extends a sequence on the table.
    """
    ranks = part >> 13 * suit
    others = (ranks & ~(1 << ACE)) << 1
    best, linked = _BestSequences(-1, 0, (), 0), 0
    for ace in (LOW_ACE, HIGH_ACE) if ranks >> ACE else (LOW_ACE,):
        points, melds, longer = lay_sequences(suit, others | (ranks >> ACE) << ace, above, below)
        cards = longer | sum(melds)
        linked |= cards
        if points > best.points:
            best = _BestSequences(points, cards, melds, longer)
    return best, linked


@lru_cache(maxsize=16384)
def list_layouts(hand: Cards, end: OpenEnds) -> tuple[HandLayout, ...]:
    """Return the sensible layouts of a hand, at most ``MAX_LAYOUTS``; there is always at least one."""
    ends = [get_suit_ends(end, suit) for suit in range(4)]
    whole = [_find_best_sequences(suit, hand & OF_SUIT[suit], *ends[suit]) for suit in range(4)]
    linked = 0
    for _, cards in whole:
        linked |= cards
    layouts = []
    for groups in islice(product(*_iter_group_choices(hand, end.fourth, linked)), MAX_LAYOUTS):
        taken = longer = 0
        for group in groups:
            taken |= group
        melds = tuple([group for group in groups if group and not group & end.fourth])
        laid, points = taken, sum_points(taken)
        for suit, part in enumerate(OF_SUIT):
            best, _ = _find_best_sequences(suit, hand & part & ~taken, *ends[suit]) if taken & part else whole[suit]
            more, cards, sequences, additions = best
            points += more
            laid |= cards
            melds += sequences
            longer |= additions
        layouts.append(HandLayout(points, hand & ~laid, melds, longer, taken & end.fourth))
    return tuple(layouts)


def _iter_group_choices(hand: Cards, fourth: Cards, linked: Cards) -> Iterator[tuple[Cards, ...]]:
    """Yield, for each rank, the groups that can be laid, and 0 (no group) if one of its cards is in ``linked``.

    ``linked`` holds the cards that can be part of a sequence. Groups leave out only such cards.
    """
    c, d, h, s = hand & _RANK_BITS, hand >> 13 & _RANK_BITS, hand >> 26 & _RANK_BITS, hand >> 39
    some = hand & fourth
    ranks = c & d & (h | s) | h & s & (c | d) | (some | some >> 13 | some >> 26 | some >> 39) & _RANK_BITS
    while ranks:
        low = ranks & -ranks
        ranks ^= low
        same_rank = hand & OF_RANK[low.bit_length() - 1]
        alone = same_rank & ~linked
        groups = (same_rank,) if same_rank & fourth else tuple([MASK[group] for group in GROUPS_IN[same_rank]])
        yield groups[-1:] if alone == same_rank else (*[group for group in groups if not alone & ~group], 0)


def find_loose_cards(hand: Cards, end: OpenEnds) -> Cards:
    """Return the cards that remain after the layout with the most points."""
    return max(list_layouts(hand, end)).rest


_COMBINATION_OF: Final = {MASK[number]: number for number in COMBINATIONS}
_CARD_AT_PLACE: Final = {
    1 << SUIT_SIZE * suit + index: BIT[get_card_at(suit, index)] for suit in range(4) for index in range(SUIT_SIZE)
}


@lru_cache(maxsize=4096)
def find_lay_off_cards(end: OpenEnds) -> Cards:
    """Return the cards that can be laid off on the table."""
    fits, indices = end.fourth, end.above | end.below
    while indices:
        low = indices & -indices
        fits |= _CARD_AT_PLACE[low]
        indices ^= low
    return fits


class RoundSimulation:
    """Simulation of the rest of a round, changed in place; a copy of the relevant parts of a state."""

    __slots__ = (
        "end", "fits", "free", "gifts", "hands", "hidden", "keep", "laid", "on_table", "ones", "other_shown",
        "other_size", "pile", "risk", "share", "shown", "stock", "turns",
    )  # fmt: skip

    def __init__(self, state: RummyState) -> None:
        self.hands = list(state.hands)
        self.shown = list(state.shown)
        self.laid = list(state.laid)
        self.pile = list(state.pile)
        self.stock = list(state.stock)
        self.end = find_open_ends(state.table)
        self.on_table = find_table_cards(state.table)
        self.ones = state.ones
        self.turns = state.turns
        self.keep = state.options.taken_cards == "must-keep"

    def _update_knowledge(self, seat: Seat) -> None:
        """Update the counts and probabilities to the knowledge of ``seat``, which is to act."""
        other = 1 - seat
        self.other_shown = shown = self.shown[other]
        face_up = mask_of(self.pile)
        self.hidden = hidden = PACK_52 & ~(self.hands[seat] | face_up | self.on_table | shown)
        self.free = hidden | face_up
        self.other_size = size = self.hands[other].bit_count()
        self.share = (size - shown.bit_count()) / max(1, hidden.bit_count())
        self.risk = min(1.0, CERTAIN_END / min(len(self.stock) / 2 + 1, size + 0.5))
        self.fits = find_lay_off_cards(self.end)
        self.gifts: dict[int, float] = {}

    def play_turns(self, seat: Seat, must: Card | None, barred: Cards, *, drew: bool, turns: int) -> Seat | None:
        """Play ``turns`` turns, the first by ``seat``, and return the seat to act next.

        ``must``, ``barred`` and ``drew`` describe the turn in progress; ``drew`` is True if ``seat`` has already drawn.
        Returns ``None`` if the round has ended.
        """
        plan = None
        for _ in range(turns):
            self._update_knowledge(seat)
            if not drew:
                plan, must, barred = self._draw(seat)
                if must is not None:
                    self._update_knowledge(seat)
            if plan is None:
                _, plan = self._find_best_plan(self.hands[seat], 0 if must is None else BIT[must], barred)
            self._lay_and_discard(seat, plan, must, barred)
            if not self.hands[seat] or not self.stock:
                return None
            seat, drew, plan = 1 - seat, False, None
            self.turns += 1
        return seat

    def _draw(self, seat: Seat) -> tuple[HandLayout | None, Card | None, Cards]:
        """Draw for ``seat``; return the plan for cards taken from the pile, the mandatory card and the barred cards.

        After a draw from the stock the plan and the mandatory card are ``None``.
        """
        number, plan = self._choose_depth(self.hands[seat])
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

    def _choose_depth(self, hand: Cards) -> tuple[int, HandLayout | None]:
        """Return the number of pile cards to take and the plan for them; 0 and ``None`` if the stock is better."""
        best, number, plan = self._find_best_plan(hand, 0, 0, turn_ends=False)[0] + STOCK_VALUE, 0, None
        taken = 0
        for depth, card in enumerate(reversed(self.pile), 1):
            taken |= BIT[card]
            if depth == 1:
                if self.ones == MAX_SINGLE_TAKES or not (
                    taken & self.fits or completes_meld(card, hand & PARTNERS[card])
                ):
                    continue
                value, layout = self._find_best_plan(hand | taken, 0, taken)
            elif self._can_lay(card, hand | taken):
                value, layout = self._find_best_plan(hand | taken, BIT[card], taken if self.keep else 0)
            else:
                continue
            if value > best and (depth > 1 or not layout.rest & taken):
                best, number, plan = value, depth, layout
        return number, plan

    def _can_lay(self, card: Card, hand: Cards) -> bool:
        """Return True if ``card`` can be melded or laid off, with no other cards than those of ``hand``."""
        for cards in iter_ways_to_lay(card, self.end):  # noqa: SIM110 - a generator would take twice the time
            if not cards & ~hand:
                return True
        return False

    def _lay_and_discard(self, seat: Seat, plan: HandLayout, must: Card | None, barred: Cards) -> None:
        """Lay the necessary part of a plan, and discard.

        The whole plan is laid to go out or if the end is near, else only the part with the mandatory card.
        """
        rest = plan.rest
        if not rest & (rest - 1) or len(self.stock) <= LOW_STOCK or self.other_size <= SMALL_HAND:
            self._lay(seat, plan.melds, plan.sequence_cards, plan.fourths)
        elif must is not None:
            bit = BIT[must]
            if bit & plan.fourths:
                self._lay(seat, (), 0, bit)
            elif bit & plan.sequence_cards:
                suit = SUIT[must]
                self._lay(seat, (), plan.sequence_cards & (0x1FFF << 13 * suit), 0)
            else:
                self._lay(seat, tuple([meld for meld in plan.melds if meld & bit]), 0, 0)
        if self.turns >= LATE_TURN:
            self._lay_late(seat, plan)
        hand = self.hands[seat]
        if not hand:
            return
        card = self._choose_discard(rest & ~barred or hand & ~barred or hand, rest)
        self.hands[seat] ^= BIT[card]
        self.shown[seat] &= ~BIT[card]
        self.pile.append(card)

    def _lay_late(self, seat: Seat, plan: HandLayout) -> None:
        """Lay melds that cannot be extended: full groups, and melds for which no fitting card is available."""
        hand, reachable = self.hands[seat], self.free | self.other_shown
        melds = tuple(
            [meld for meld in plan.melds if not meld & ~hand and not LAY_OFF_CARDS[_COMBINATION_OF[meld]] & reachable]
        )
        if melds or plan.fourths & hand:
            self._lay(seat, melds, 0, plan.fourths & hand)

    def _lay(self, seat: Seat, melds: tuple[Cards, ...], longer: Cards, fourths: Cards) -> None:
        """Lay new melds, cards ``longer`` on sequences, and cards ``fourths`` on groups."""
        above, below, fourth = self.end
        points, laid = sum_points(fourths), longer | fourths
        fourth &= ~fourths
        for meld in melds:
            number = _COMBINATION_OF[meld]
            points += COMBINATION_POINTS[number]
            above |= BIT_ABOVE[number]
            below |= BIT_BELOW[number]
            fourth |= FOURTH_CARD[number]
            laid |= meld
        if longer:
            points += sum_points(longer)
            for suit in range(4):
                part = longer >> 13 * suit & 0x1FFF
                if part:
                    above, below, less = _extend_open_ends(suit, part, above, below)
                    points -= less
        self.end = OpenEnds(above, below, fourth)
        self.on_table |= laid
        self.laid[seat] += points
        self.hands[seat] &= ~laid
        self.shown[seat] &= ~laid

    def _find_best_plan(
        self, hand: Cards, must: Cards, barred: Cards, *, turn_ends: bool = True
    ) -> tuple[float, HandLayout]:
        """Return the value of the best layout of a hand, and the layout.

        The value is computed like that of ``policy.ViewEvaluation.find_best_plan``. ``must`` is a set of at most one
        card.
        """
        best, most = None, -1e9
        for plan in list_layouts(hand, self.end):
            rest = plan.rest
            if must & rest or (rest and not rest & ~barred):
                continue
            value = plan.points + self._evaluate_rest(rest, barred, turn_ends)
            if value > most:
                most, best = value, plan
        return most, best or HandLayout(0, hand, (), 0, 0)

    def _evaluate_rest(self, rest: Cards, barred: Cards, turn_ends: bool) -> float:
        """Return the value of the remaining cards, computed as in ``policy.ViewEvaluation``."""
        if turn_ends and not rest & (rest - 1):
            return MEAN_CARD_POINTS * self.other_size
        free, risk, gifts = self.free, self.risk, self.gifts
        each_near = (1 - risk) * NEAR_MELD_VALUE
        total, least = 0.0, 1e9
        for c in iter_cards(rest):
            around = PARTNERS[c]
            card_value = each_near * count_near_melds(c, rest & around, free & around) - risk * CARD_POINTS[c]
            total += card_value
            if turn_ends and card_value < least and not BIT[c] & barred:
                loss = card_value + (gifts[c] if c in gifts else self._compute_gift(c))
                least = min(least, loss)
        return total - least if turn_ends else total

    def _choose_discard(self, loose: Cards, rest: Cards) -> Card:
        """Return the card of ``loose`` with the fewest points, of several the one with the lowest cost as a discard."""
        free, risk = self.free, self.risk
        each_near = (1 - risk) * NEAR_MELD_VALUE
        best, least = Card(0), 1e9
        fewest = min([CARD_POINTS[c] for c in iter_cards(loose)])
        for c in [c for c in iter_cards(loose) if CARD_POINTS[c] == fewest]:
            around = PARTNERS[c]
            links = count_near_melds(c, rest & around, free & around)
            loss = each_near * links - risk * CARD_POINTS[c] + self._compute_gift(c)
            if loss < least:
                best, least = c, loss
        return best

    def _compute_gift(self, card: Card) -> float:
        """Return the value of a discarded card to the opponent, in points; cached for the turn."""
        gift = self.gifts.get(card)
        if gift is None:
            if BIT[card] & self.fits:
                gift = LAY_OFF_WEIGHT * CARD_POINTS[card]
            else:
                share, around = self.share, PARTNERS[card]
                sure, one, two = count_match_points(card, self.hidden & around, self.other_shown & around)
                gift = MATCH_WEIGHT * (sure + share * (one + share * two))
            self.gifts[card] = gift
        return gift


@cache
def count_match_points(card: Card, hidden: Cards, shown: Cards) -> tuple[int, int, int]:
    """Return the points of the three-card melds with ``card`` that need 0, 1 and 2 hidden cards of the opponent.

    The opponent may hold cards of ``hidden`` and holds all cards of ``shown``.
    """
    points = [0, 0, 0]
    for two in PARTNER_PAIRS[card]:
        if not two & ~(hidden | shown):
            points[(two & hidden).bit_count()] += CARD_POINTS[card] + sum_points(two)
    return points[0], points[1], points[2]


def _extend_open_ends(suit: int, part: int, above: int, below: int) -> tuple[int, int, int]:
    """Return the indices above and below sequences after cards are laid off, and the points lost by a low ace.

    ``part`` has a bit for each rank of ``suit`` that is laid off.
    """
    shift = SUIT_SIZE * suit
    ups, less = above >> shift, 0
    for low, high in _split_laid_cards(part, ups):
        if ups >> low & 1:
            above = above & ~(1 << shift + low) | (1 << shift + high + 1 if high < HIGH_ACE else 0)
        else:
            below = below & ~(1 << shift + high) | (1 << shift + low - 1 if low else 0)
            less += LOW_ACE_DISCOUNT if low == LOW_ACE else 0
    return above, below, less


def _split_laid_cards(part: int, ups: int) -> list[tuple[int, int]]:
    """Split the laid-off cards of a suit into runs of indices; the ace is high if it extends a sequence at the top.

    ``ups`` has a bit for each index directly above a sequence.
    """
    others = (part & (1 << ACE) - 1) << 1
    if not part >> ACE:
        return split_into_runs(others)
    high = split_into_runs(others | 1 << HIGH_ACE)
    if ups >> high[-1][0] & 1:
        return high
    return split_into_runs(others | 1 << LOW_ACE)
