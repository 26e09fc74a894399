"""Rule policy of Rummy: plan the best layout of the hand, hold melds back until the end is near, discard low cards.

Plans are compared in points: the points of the cards laid, minus the points of the remaining cards in case the round
ends soon, plus the points that the remaining cards may earn with one more card. The constants were tuned in duplicate
matches.
"""

from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import product
from math import exp, fsum
from random import Random
from typing import Final, NamedTuple

from cardtable.engine.cards import ACE, BIT, OF_RANK, OF_SUIT, PACK_52, Card, Cards, iter_cards, mask_of
from cardtable.engine.game import Action
from cardtable.games.rummy.rules import RummyView
from cardtable.games.rummy.rules.actions import STOCK, TAKE, Add, Drop, Meld, Take
from cardtable.games.rummy.rules.legal_turns import (
    OpenEnds,
    Table,
    find_open_ends,
    find_table_cards,
    get_suit_ends,
    split_into_runs,
)
from cardtable.games.rummy.rules.melds import (
    CARD_POINTS,
    COMBINATION_POINTS,
    FOURTH_CARD,
    GROUPS_IN,
    HIGH_ACE,
    LAY_OFF_CARDS,
    LOW_ACE,
    LOW_ACE_DISCOUNT,
    MASK,
    MIN_MELD_CARDS,
    SPAN,
    THREE_CARD_MELDS,
    sum_points,
)

STOCK_VALUE: Final = 8.0
"""Value of an unseen card from the stock, in points."""
STOCK_VALUE_HURRIED: Final = 14.0
"""Value of an unseen card from the stock, in points, if the opponent hurries.

It is higher than ``STOCK_VALUE``, since taking from the pile shows what the player collects.
"""
NEAR_MELD_VALUE: Final = 2.0
"""Value, in points, of each near-meld of a card: a three-card meld that lacks just one card, which is still available.
"""
MATCH_WEIGHT: Final = 0.7
"""Weight of the points that the opponent may make with a discarded card."""
MATCH_WEIGHT_HURRIED: Final = 2.4
"""``MATCH_WEIGHT`` if the opponent hurries and so takes every card from the pile that they can use."""
HURRY_THRESHOLD: Final = 0.7
"""Smallest estimated probability at which the opponent is taken to hurry."""
LAY_OFF_WEIGHT: Final = 1.4
"""Factor on the points of a discarded card that the opponent could lay off."""
MEAN_CARD_POINTS: Final = 7.6
"""Average points of a card; going out is worth this for each card in the opponent's hand."""
CERTAIN_END: Final = 2.0
"""Number of turns left, or of cards in the opponent's hand, at which the end of the round counts as certain."""
LOW_STOCK: Final = 2
"""Largest stock with which melds are no longer held back, since there may be no further turn."""
NO_PLAN_VALUE: Final = -1e9
"""Value if there is no plan, lower than the value of any plan."""
SMALL_HAND: Final = 4
"""Largest hand of the opponent with which melds are no longer held back, since the opponent may go out on their next
turn.
"""
LATE_TURN: Final = 14
"""First turn of a round in which an opponent who has laid no cards may go out at once."""
INITIAL_STOCK: Final = 25
MAX_LAID_POINTS: Final = 120
"""Number of points laid above which ``estimate_hurry`` does not rise further."""


def steady(view: RummyView, _rng: Random) -> Action:
    """Choose an action by the rule policy, with knowledge of the cards taken by the opponent.

    Melds are held back for as long as possible, since the opponent can lay off on them. Late in a round, melds that
    cannot be extended are laid. They do not help the opponent, but would count against the hand if the opponent went
    out.
    """
    sight = ViewEvaluation(view, watchful=True)
    return _choose_action(view, sight, patient=can_wait(view)) if view.drew else _choose_draw(view, sight)


def can_wait(view: RummyView) -> bool:
    """Return True if there will be time later to lay melds that are held back now."""
    return view.stock > LOW_STOCK and view.sizes[1 - view.seat] > SMALL_HAND


def novice(view: RummyView, _rng: Random) -> Action:
    """Choose an action like a player who lays melds at once and forgets what the opponent has taken from the pile."""
    sight = ViewEvaluation(view, watchful=False)
    return _choose_action(view, sight, patient=False) if view.drew else _choose_draw(view, sight)


def estimate_hurry(view: RummyView) -> float:
    """Return the probability that the opponent lays all melds at once, given the points they have laid so far.

    The estimate is a logistic regression, fitted to equal numbers of rounds of robots that hurry and of robots that
    wait.
    """
    laid = view.laid[1 - view.seat]
    odds = 0.697 - 0.383 * (INITIAL_STOCK - view.stock) + 0.064 * min(laid, MAX_LAID_POINTS) - (0.0 if laid else 1.204)
    return 1 / (1 + exp(-odds))


class Plan(NamedTuple):
    """Layout of a hand as the rule policy plans it, with the value of all that follows from it."""

    value: float
    """Value of the plan in points, the remaining cards included."""
    melds: list[Cards]
    """New melds, each as a set of cards."""
    sequence_cards: Cards
    """Cards to lay off on sequences."""
    fourths: Cards
    """Cards that complete groups of three on the table."""
    rest: Cards
    """Cards that remain in the hand."""


class SuitLayout(NamedTuple):
    """Layout of the cards of one suit in the longest possible sequences."""

    points: int
    melds: tuple[Cards, ...]
    sequence_cards: Cards


def _choose_draw(view: RummyView, sight: "ViewEvaluation") -> Action:
    """Return the draw that allows the best plan.

    The top card of the pile is taken alone only if the plan lays it, never in the hope of a later meld.
    """
    keep = view.options.taken_cards == "must-keep"
    choice: Action = STOCK
    best = sight.find_best_plan(view.hand, turn_ends=False).value + (
        STOCK_VALUE_HURRIED if sight.hurried else STOCK_VALUE
    )
    for action in view.legal:
        if isinstance(action, Take):
            taken = mask_of(view.pile[-action.number :])
            must = view.pile[-action.number] if action.number > 1 else None
            barred = taken if keep or must is None else 0
            plan = sight.find_best_plan(view.hand | taken, must, barred)
            if plan.value > best and (action.number > 1 or not plan.rest & taken):
                best, choice = plan.value, TAKE[action.number]
    return choice


def is_safe_to_lay(view: RummyView, sight: "ViewEvaluation", action: Action) -> bool:
    """Return True from turn ``LATE_TURN`` on if ``action`` lays cards that the opponent cannot extend."""
    return view.turns >= LATE_TURN and sight.cannot_be_extended(action, view.table)


def _choose_action(view: RummyView, sight: "ViewEvaluation", *, patient: bool) -> Action:
    """Return the next step of the best plan, or the best discard.

    A patient player lays cards only if the turn or the round cannot end otherwise, and late in a round also melds that
    cannot be extended.
    """
    plan = sight.find_best_plan(view.hand, view.must, view.barred)
    drops = [action for action in view.legal if isinstance(action, Drop)]
    out = not plan.rest & (plan.rest - 1)
    to_lay = list(iter_steps(view, plan))
    if patient and drops and not out:
        to_lay = [step for step in to_lay if is_safe_to_lay(view, sight, step[1])]
    if to_lay:
        return max(to_lay, key=lambda step: step[0])[1]
    loose = [action for action in drops if action.cards_used() & plan.rest] or drops
    return min(loose, key=lambda drop: sight.rank_discard(drop.card, plan.rest), default=view.legal[0])


def iter_steps(view: RummyView, plan: Plan) -> Iterator[tuple[tuple[bool, int], Action]]:
    """Yield the legal actions that are part of ``plan``, each with its priority.

    The priority puts the use of the mandatory card first, then the points.
    """
    must = 0 if view.must is None else BIT[view.must]
    for action in view.legal:
        if isinstance(action, Meld):
            if action.cards_used() in plan.melds:
                yield (bool(action.cards_used() & must), COMBINATION_POINTS[action.combination]), action
        elif isinstance(action, Add):
            group = FOURTH_CARD[view.table[action.number - 1]]
            if action.cards_used() & (plan.fourths if group else plan.sequence_cards):
                yield (bool(action.cards_used() & must), CARD_POINTS[action.card]), action


class ViewEvaluation:
    """Card counts and estimates of the rule policy for one view.

    If ``watchful`` is False, the cards that the opponent has taken from the pile are forgotten.
    """

    def __init__(self, view: RummyView, *, watchful: bool) -> None:
        other = 1 - view.seat
        self.ends = find_open_ends(view.table)
        self.fits: Cards = 0
        for combination in view.table:
            self.fits |= LAY_OFF_CARDS[combination]
        gone = mask_of(view.pile) | find_table_cards(view.table)
        self.shown = view.shown[other] if watchful else 0
        self.watchful = watchful
        self.hurried = watchful and estimate_hurry(view) > HURRY_THRESHOLD
        self.match = MATCH_WEIGHT_HURRIED if self.hurried else MATCH_WEIGHT
        self.unseen = PACK_52 & ~(view.hand | gone | self.shown)
        self.free = self.unseen | mask_of(view.pile)
        self.size = view.sizes[other]
        self.share: float = (self.size - self.shown.bit_count()) / max(1, self.unseen.bit_count())
        self.risk: float = min(1.0, CERTAIN_END / min(view.stock / 2 + 1, self.size + 0.5))

    def find_best_plan(
        self, hand: Cards, must: Card | None = None, barred: Cards = 0, *, turn_ends: bool = True
    ) -> Plan:
        """Return the best plan that uses the card ``must``, if any.

        If ``turn_ends``, the plan includes a discard. A plan that leaves cards must leave one that is not in
        ``barred``. If there is no such plan, the value is ``NO_PLAN_VALUE`` and nothing is laid.
        """
        best = Plan(NO_PLAN_VALUE, [], 0, 0, hand)
        for groups in product(*_iter_group_choices(hand, self.ends)):
            plan = _make_plan(hand, groups, self.ends)
            if (must is not None and BIT[must] & plan.rest) or (plan.rest and not plan.rest & ~barred):
                continue
            value = plan.value + self._evaluate_rest(plan.rest, barred, turn_ends)
            if value > best.value:
                best = plan._replace(value=value)
        return best

    def _evaluate_rest(self, rest: Cards, barred: Cards, turn_ends: bool) -> float:
        """Return the value of the remaining cards, less the cost of the cheapest discard if ``turn_ends``.

        If the discard leaves no card, this is the value of going out.
        """
        if turn_ends and not rest & (rest - 1):
            return MEAN_CARD_POINTS * self.size
        value = fsum([self._evaluate_kept_card(c, rest) for c in iter_cards(rest)])
        return (
            value - min([self.compute_discard_cost(c, rest) for c in iter_cards(rest & ~barred)])
            if turn_ends
            else value
        )

    def _evaluate_kept_card(self, card: Card, rest: Cards) -> float:
        """Return the value of a card that stays in the hand together with the rest, in points."""
        nearly = 0
        for three in _list_three_card_melds(card):
            missing = three & ~rest
            if missing & self.free and not missing & (missing - 1):
                nearly += 1
        return (1 - self.risk) * NEAR_MELD_VALUE * nearly - self.risk * CARD_POINTS[card]

    def cannot_be_extended(self, action: Action, table: Table) -> bool:
        """Return True if ``action`` lays cards that cannot be extended.

        This holds for a full group and for a meld of which all fitting cards are in the player's hand or on the table.
        """
        if isinstance(action, Meld):
            return not LAY_OFF_CARDS[action.combination] & (self.free | self.shown)
        return isinstance(action, Add) and FOURTH_CARD[table[action.number - 1]] != 0

    def rank_discard(self, card: Card, rest: Cards) -> tuple[int, float]:
        """Return the sort key of a discard, the best one first.

        A watchful player keeps high cards, whose melds score more, and so gives the opponent only low ones.
        """
        return CARD_POINTS[card] if self.watchful else 0, self.compute_discard_cost(card, rest)

    def compute_discard_cost(self, card: Card, rest: Cards) -> float:
        """Return the cost of a discard in points: the card's value to the player plus its value to the opponent."""
        gift = 0.0
        if BIT[card] & self.fits:
            gift = LAY_OFF_WEIGHT * CARD_POINTS[card]
        elif self.watchful:
            gift = self.match * fsum(
                [
                    self._compute_holding_probability(three & ~BIT[card]) * sum_points(three)
                    for three in _list_three_card_melds(card)
                ]
            )
        return self._evaluate_kept_card(card, rest) + gift

    def _compute_holding_probability(self, two: Cards) -> float:
        """Return the probability that the opponent holds both of two cards."""
        if two & ~(self.unseen | self.shown):
            return 0.0
        both = self.share if two & self.shown else self.share * self.share
        return 1.0 if not two & self.unseen else both


@cache
def _list_three_card_melds(card: Card) -> tuple[Cards, ...]:
    return tuple([three for three in THREE_CARD_MELDS if three & BIT[card]])


def _make_plan(hand: Cards, groups: tuple[Cards, ...], end: OpenEnds) -> Plan:
    """Return the plan that lays ``groups`` first and then the longest sequences; its value is only the points laid.

    A group of 0 stands for no group of that rank.
    """
    melds, longer, points = [group for group in groups if group and not group & end.fourth], 0, 0
    fourths, rest = 0, hand
    for group in groups:
        points += sum_points(group)
        fourths |= group & end.fourth
        rest &= ~group
    for suit in range(4):
        layout = _find_best_layout(suit, rest & OF_SUIT[suit], *get_suit_ends(end, suit))
        points += layout.points
        longer |= layout.sequence_cards
        melds += layout.melds
    for meld in melds:
        rest &= ~meld
    return Plan(points, melds, longer, fourths, rest & ~longer)


def _iter_group_choices(hand: Cards, end: OpenEnds) -> Iterator[tuple[Cards, ...]]:
    """Yield, for each rank, the groups that can be laid, and 0 (no group) if one of its cards fits a sequence.

    Groups leave out only cards that can be part of a sequence.
    """
    linked = 0
    for suit in range(4):
        linked |= _find_sequence_cards(suit, hand & OF_SUIT[suit], *get_suit_ends(end, suit))
    for same in OF_RANK:
        same_rank = hand & same
        alone = same_rank & ~linked
        groups = [same_rank] if same_rank & end.fourth else [MASK[group] for group in GROUPS_IN.get(same_rank, ())]
        if alone == same_rank and groups:
            yield (groups[-1],)
        elif groups:
            yield (*[group for group in groups if not alone & ~group], 0)


@lru_cache(maxsize=65536)
def _find_best_layout(suit: int, part: Cards, above: int, below: int) -> SuitLayout:
    """Return the better layout of the cards of a suit in sequences, with the ace low or high.

    ``above`` and ``below`` have a bit for each index that extends a sequence on the table.
    """
    return max(_list_layouts(suit, part, above, below))


@lru_cache(maxsize=65536)
def _find_sequence_cards(suit: int, part: Cards, above: int, below: int) -> Cards:
    """Return the cards of a suit that can be part of a sequence, with the ace low or high."""
    linked = 0
    for layout in _list_layouts(suit, part, above, below):
        linked |= layout.sequence_cards | sum(layout.melds)
    return linked


def _list_layouts(suit: int, part: Cards, above: int, below: int) -> list[SuitLayout]:
    """Return the layouts of the cards of a suit in the longest sequences, one for each position of the ace."""
    ranks = part >> 13 * suit
    others = (ranks & ~(1 << ACE)) << 1
    index_sets = {others | (ranks >> ACE) << ace for ace in (LOW_ACE, HIGH_ACE)}
    return [lay_sequences(suit, indices, above, below) for indices in index_sets]


def lay_sequences(suit: int, indices: int, above: int, below: int) -> SuitLayout:
    """Return the layout of a set of indices of a suit: lay-offs on sequences of the table, and new sequences."""
    points, melds, longer = 0, [], 0
    for low, high in split_into_runs(indices):
        cards = SPAN[suit][low][high]
        if above >> low & 1 or below >> high & 1:
            longer |= cards
        elif high - low + 1 >= MIN_MELD_CARDS:
            melds.append(cards)
        else:
            continue
        points += sum_points(cards) - (LOW_ACE_DISCOUNT if low == LOW_ACE else 0)
    return SuitLayout(points, tuple(melds), longer)
