"""Rummy: plan what the hand can be laid down in, keep it until the end is near, drop what helps nobody.

A ``Plan`` says how a hand could be laid down.  All is weighed in points: those of the cards laid,
those that the cards left count against the hand if the round ends too soon, and those that they
may bring with one more card.  The numbers were chosen in duplicate matches.
"""

from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import product
from math import exp
from random import Random
from typing import Final, NamedTuple

from cardtable.engine.cards import ACE, BIT, OF_RANK, OF_SUIT, PACK_52, Card, Cards, iter_cards, mask_of
from cardtable.engine.game import Action
from cardtable.games.rummy.rules.actions import STOCK, TAKE, Add, Drop, Meld, Take
from cardtable.games.rummy.rules.legal_turns import Ends, Table, ends, places_of, runs
from cardtable.games.rummy.rules.melds import (
    FITS,
    FOURTH,
    GROUPS_IN,
    HIGH_ACE,
    LESS_LOW,
    LOW_ACE,
    MASK,
    SHORTEST,
    SPAN,
    SUM,
    WORTH,
    worth,
)
from cardtable.games.rummy.rules.state import RummyView

UNKNOWN: Final = 8.0
"""What a card from the stock is worth, before it is seen."""
UNKNOWN_HURRIED: Final = 14.0
"""The same while the other player hurries: who takes from the pile, shows what she collects."""
NEARLY: Final = 2.0
"""What it is worth that a combination lacks one card only, for each of the cards that it has."""
MATCH: Final = 0.7
"""How much of what the other player may make of a card that is dropped counts."""
MATCH_HURRIED: Final = 2.4
"""The same while she hurries, who takes as deep as she can use."""
SURE: Final = 0.7
"""So likely it must be that the other player hurries: +7.3 ± 2.6 points a round against her, -0.4 ± 2.5 else."""
FITTING: Final = 1.4
"""How often its points a card counts that fits on the table, if the other player gets it."""
MEAN: Final = 7.6
"""The mean points of a card."""
SOON: Final = 2.0
"""How near the end is: this many turns, or this many cards in the other hand, make it certain."""
LAST_CARDS: Final = 2
"""With so many cards face down there may be no other turn: nothing is kept back any more."""
NOTHING: Final = -1e9
"""Less than any plan is worth."""
FEW: Final = 4
"""So few cards in the other hand may be gone in the next turn: the same."""
LATE: Final = 14
"""From this turn on the other hand, if nothing of it was laid down, may be gone at once."""
DRAWN: Final = 25
"""Cards of the stock at the beginning."""
SAYS: Final = 120
"""More points laid than these say nothing more of who hurries."""
CARELESS: Final = 0.1
"""How often a novice does just anything."""


def steady(view: RummyView, _rng: Random) -> Action:
    """What a player does who remembers what was taken, and lays nothing down before it must be.

    Melds on the table are of use to the other player, who adds to them: to lay them at once costs 8.3 ± 1.3 points a
    round (1,000 deals).  Late in a round what nobody can add to is laid, since it is of no use to the other one and
    counts against the hand if she goes out: +7.2 ± 2.6 points a round (700 deals) among those who wait, and no loss to
    those who hurry.
    """
    sight = Sight(view, watchful=True)
    return _act(view, sight, patient=can_wait(view)) if view.drew else _draw(view, sight)


def can_wait(view: RummyView) -> bool:
    """Return whether there will be time to lay melds that are kept back now."""
    return view.stock > LAST_CARDS and view.sizes[1 - view.seat] > FEW


def novice(view: RummyView, rng: Random) -> Action:
    """What a player does who lays down at once, forgets what the other one took, and is careless now and then."""
    if rng.random() < CARELESS:
        return rng.choice(view.legal)
    sight = Sight(view, watchful=False)
    return _act(view, sight, patient=False) if view.drew else _draw(view, sight)


def hurry(view: RummyView) -> float:
    """How likely it is that the other player lays down at once all that she can, by what she has laid so far.

    Fitted to rounds of robots that hurry and of robots that wait, as often the one as the other.
    """
    laid = view.laid[1 - view.seat]
    odds = 0.697 - 0.383 * (DRAWN - view.stock) + 0.064 * min(laid, SAYS) - 1.204 * (not laid)
    return 1 / (1 + exp(-odds))


class Plan(NamedTuple):
    """How a hand could be laid down."""

    value: float
    """What that is worth, with what is left."""
    melds: list[Cards]
    """New combinations."""
    longer: Cards
    """Cards that go on to sequences."""
    fourths: Cards
    """Cards that complete groups."""
    rest: Cards
    """What is left of the hand."""


class Layout(NamedTuple):
    """How cards of one suit can be laid down in sequences, each as long as it can be."""

    points: int
    melds: tuple[Cards, ...]
    longer: Cards


def _draw(view: RummyView, sight: "Sight") -> Action:
    """Return the draw after which the hand can be laid down best.

    The top card alone is taken only if it belongs to a meld. Taking it in the hope of one costs 0.7 ± 0.6 points a
    round (4,000 deals); never taking it alone costs 18.6 ± 2.5 points (1,000 deals).
    """
    keep = view.options.taken_cards == "must-keep"
    choice: Action = STOCK
    best = sight.plan(view.hand, turn_ends=False).value + (UNKNOWN_HURRIED if sight.hurried else UNKNOWN)
    for action in view.legal:
        if isinstance(action, Take):
            taken = mask_of(view.pile[-action.number :])
            must = view.pile[-action.number] if action.number > 1 else None
            barred = taken if keep or must is None else 0
            plan = sight.plan(view.hand | taken, must, barred)
            if plan.value > best and (action.number > 1 or not plan.rest & taken):
                best, choice = plan.value, TAKE[action.number]
    return choice


def settled(view: RummyView, sight: "Sight", action: Action) -> bool:
    """Whether it is late in the round, and this lays what nobody can add to."""
    return view.turns >= LATE and sight.closed(action, view.table)


def _act(view: RummyView, sight: "Sight", *, patient: bool) -> Action:
    """The next step of the best plan, if it is to be carried out now, or the best card to drop.

    Who is patient lays nothing that is not needed, and late in a round only that to which nobody can add.
    """
    plan = sight.plan(view.hand, view.must, view.barred)
    drops = [action for action in view.legal if isinstance(action, Drop)]
    out = not plan.rest & (plan.rest - 1)
    to_lay = list(steps(view, plan))
    if patient and drops and not out:
        to_lay = [step for step in to_lay if settled(view, sight, step[1])]
    if to_lay:
        return max(to_lay, key=lambda step: step[0])[1]
    loose = [action for action in drops if action.cards_used() & plan.rest]
    return min(loose or drops, key=lambda drop: sight.loss(drop.card, plan.rest), default=view.legal[0])


def steps(view: RummyView, plan: Plan) -> Iterator[tuple[tuple[bool, int], Action]]:
    """What of the plan can be done now, with how urgent it is and how many points it brings."""
    must = 0 if view.must is None else BIT[view.must]
    for action in view.legal:
        if isinstance(action, Meld):
            if action.cards_used() in plan.melds:
                yield (bool(action.cards_used() & must), SUM[action.combination]), action
        elif isinstance(action, Add):
            group = FOURTH[view.table[action.number - 1]]
            if action.cards_used() & (plan.fourths if group else plan.longer):
                yield (bool(action.cards_used() & must), WORTH[action.card]), action


class Sight:
    """What a player makes of what is seen: a novice forgets what the other player took."""

    def __init__(self, view: RummyView, *, watchful: bool) -> None:
        other = 1 - view.seat
        self.ends = ends(view.table)
        self.fits: Cards = 0
        gone = mask_of(view.pile)
        for combination in view.table:
            self.fits |= FITS[combination]
            gone |= MASK[combination]
        self.shown = view.shown[other] if watchful else 0
        self.watchful = watchful
        self.hurried = watchful and hurry(view) > SURE
        self.match = MATCH_HURRIED if self.hurried else MATCH
        self.unseen = PACK_52 & ~(view.hand | gone | self.shown)
        self.free = self.unseen | mask_of(view.pile)
        self.size = view.sizes[other]
        self.share: float = (self.size - self.shown.bit_count()) / max(1, self.unseen.bit_count())
        self.risk: float = min(1.0, SOON / min(view.stock / 2 + 1, self.size + 0.5))

    def plan(self, hand: Cards, must: Card | None = None, barred: Cards = 0, *, turn_ends: bool = True) -> Plan:
        """The best plan that uses ``must`` and, if the turn ends with it, leaves a card to drop that is not barred."""
        best = Plan(NOTHING, [], 0, 0, hand)
        for groups in product(*_groups(hand, self.ends)):
            plan = _planned(hand, groups, self.ends)
            if (must is not None and BIT[must] & plan.rest) or (plan.rest and not plan.rest & ~barred):
                continue
            value = plan.value + self._left(plan.rest, barred, turn_ends)
            if value > best.value:
                best = plan._replace(value=value)
        return best

    def _left(self, rest: Cards, barred: Cards, turn_ends: bool) -> float:
        """What the cards left are worth, less one to drop; the other hand, if there are none."""
        if turn_ends and not rest & (rest - 1):
            return MEAN * self.size
        value = sum([self._kept(c, rest) for c in iter_cards(rest)])
        return value - min([self.loss(c, rest) for c in iter_cards(rest & ~barred)]) if turn_ends else value

    def _kept(self, card: Card, rest: Cards) -> float:
        """What a card is good for in the hand."""
        nearly = 0
        for three in _around(card):
            missing = three & ~rest
            nearly += missing & self.free != 0 and not missing & (missing - 1)
        return (1 - self.risk) * NEARLY * nearly - self.risk * WORTH[card]

    def closed(self, action: Action, table: Table) -> bool:
        """Whether this lays what the other player can never add to: a whole group, or one whose cards cannot come."""
        if isinstance(action, Meld):
            return not FITS[action.combination] & (self.free | self.shown)
        return isinstance(action, Add) and FOURTH[table[action.number - 1]] != 0

    def loss(self, card: Card, rest: Cards) -> float:
        """What it costs to drop a card, in the own hand and by what the other player may make of it."""
        given = 0.0
        if BIT[card] & self.fits:
            given = FITTING * WORTH[card]
        elif self.watchful:
            given = self.match * sum([self._held(three & ~BIT[card]) * worth(three) for three in _around(card)])
        return self._kept(card, rest) + given

    def _held(self, two: Cards) -> float:
        """How likely it is that the other hand holds two cards."""
        if two & ~(self.unseen | self.shown):
            return 0.0
        both = self.share if two & self.shown else self.share * self.share
        return 1.0 if not two & self.unseen else both


@cache
def _around(card: Card) -> tuple[Cards, ...]:
    """The combinations of three cards that hold this one."""
    return tuple([three for three in MASK if three.bit_count() == SHORTEST and three & BIT[card]])


def _planned(hand: Cards, groups: tuple[Cards, ...], end: Ends) -> Plan:
    """The plan that lays these groups, or adds to them, and then the longest sequences; its value are their points."""
    melds, longer, points = [group for group in groups if group and not group & end.fourth], 0, 0
    fourths, rest = 0, hand
    for group in groups:
        points += worth(group)
        fourths |= group & end.fourth
        rest &= ~group
    for suit in range(4):
        layout = _layout(suit, rest & OF_SUIT[suit], *places_of(end, suit))
        points += layout.points
        longer |= layout.longer
        melds += layout.melds
    for meld in melds:
        rest &= ~meld
    return Plan(points, melds, longer, fourths, rest & ~longer)


def _groups(hand: Cards, end: Ends) -> Iterator[tuple[Cards, ...]]:
    """For each rank what to lay of it as a group; nothing, too, if one of its cards can go into a sequence."""
    linked = 0
    for suit in range(4):
        linked |= _linked(suit, hand & OF_SUIT[suit], *places_of(end, suit))
    for same in OF_RANK:
        held = hand & same
        alone = held & ~linked
        groups = [held] if held & end.fourth else [MASK[group] for group in GROUPS_IN.get(held, ())]
        if alone == held and groups:
            yield (groups[-1],)
        elif groups:
            yield (*[group for group in groups if not alone & ~group], 0)


@lru_cache(maxsize=65536)
def _layout(suit: int, part: Cards, above: int, below: int) -> Layout:
    """The better way to lay down cards of a suit, with an ace low or high."""
    return max(_layouts(suit, part, above, below))


@lru_cache(maxsize=65536)
def _linked(suit: int, part: Cards, above: int, below: int) -> Cards:
    """The cards of a suit that can go into a sequence, with an ace low or high."""
    linked = 0
    for layout in _layouts(suit, part, above, below):
        linked |= layout.longer | sum(layout.melds)
    return linked


def _layouts(suit: int, part: Cards, above: int, below: int) -> list[Layout]:
    """The ways to lay down cards of a suit in sequences as long as they can be."""
    ranks = part >> 13 * suit
    others = (ranks & ~(1 << ACE)) << 1
    ways = {others | (ranks >> ACE) << ace for ace in (LOW_ACE, HIGH_ACE)}
    return [_laid(suit, places, above, below) for places in ways]


def _laid(suit: int, places: int, above: int, below: int) -> Layout:
    """The sequences among these places, on the table or new ones."""
    points, melds, longer = 0, [], 0
    for low, high in runs(places):
        cards = SPAN[suit][low][high]
        if above >> low & 1 or below >> high & 1:
            longer |= cards
        elif high - low + 1 >= SHORTEST:
            melds.append(cards)
        else:
            continue
        points += worth(cards) - (LESS_LOW if low == LOW_ACE else 0)
    return Layout(points, tuple(melds), longer)
