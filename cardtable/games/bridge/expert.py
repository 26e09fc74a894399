"""Bridge for the searcher: rounds are played on by the rule policy, card by card."""

from collections.abc import Sequence
from math import exp, inf, sqrt
from random import Random
from typing import Final

from cardtable.engine.cards import (
    ACE,
    BIT,
    CARDS,
    EIGHT,
    JACK,
    OF_RANK,
    OF_SUIT,
    RANK,
    SEVEN,
    SIX,
    SUIT,
    Card,
    Cards,
    iter_cards,
)
from cardtable.engine.game import CHANCE, Action, Seat
from cardtable.games.bridge.policy import CARD, JACK_KEPT, NEIGHBOUR, OUT, PASSED, ahead, shares, steady
from cardtable.games.bridge.rules.actions import FOUR, JACK_POINTS, LIMIT, effect, fitting, last_move, worth
from cardtable.games.bridge.rules.state import BridgeState, BridgeView, imagine
from cardtable.robots.kit.search import SearchSpec, fixed_rollout, independent_samples

WORLDS: Final = 400
BEHIND: Final = 2.0
"""Standard errors by which a candidate may fall behind: few, so that what is close gets many worlds."""
SWING: Final = 24.0
"""Points of lead that a round may turn: the scale of the chances in a session.  Whoever counts these and not the points
won 46 % of its sessions against two steady robots with 25 of them, and else 41 % (800 in each seating, each ± 1 %)."""
PACE: Final = 16.0
"""Points by which the highest total grows in a round."""
_SIXES: Final = OF_RANK[SIX]
_JACKS: Final = OF_RANK[JACK]
_WORKING: Final = frozenset((SEVEN, EIGHT, ACE))
"""Ranks that do something to the others."""
_ALONE: Final = tuple(
    [(CARD + worth(BIT[c]) + PASSED * (RANK[c] == ACE), OF_SUIT[SUIT[c]], OF_RANK[RANK[c]]) for c in CARDS[:52]]
)
"""What the rule policy gains when it is rid of a card; its suit and its rank."""
_JACKS_KEPT: Final = (0.0, *[JACK_KEPT * (1 - 1 / nearest) for nearest in range(1, 37)])
"""What it loses with a jack, by how many cards that one of the others has who has fewest."""


def rollout(state: BridgeState, luck: float) -> Sequence[float]:
    """Points of the round when all play on as the rule policy does; ``state`` is used up."""
    while state.turn == CHANCE and state.playing:
        state.apply(state.draw_chance(Random(luck)))
    if not state.playing:
        return [-points for points in state.points]
    played_on = Round(state, luck)
    played_on.play(state)
    return [-points for points in played_on.points]


class Round:
    """A round as it is played on, with all that still matters of it."""

    __slots__ = ("blind", "eights", "hands", "jacks", "luck", "multiplier", "points", "seats", "stack")

    def __init__(self, state: BridgeState, luck: float) -> None:
        self.hands, self.stack, self.blind = state.hands, state.stack, state.blind
        self.seats, self.multiplier, self.luck = len(state.hands), state.multiplier, luck
        self.eights, self.jacks = state.options.eights, state.options.jacks
        self.points: list[int] = []

    def play(self, state: BridgeState) -> None:  # noqa: PLR0912 - one loop, kept tight
        """Play to the end of the round from where ``state`` stands."""
        hands, stack, blind, seats = self.hands, self.stack, self.blind, self.seats
        mover, named, run = state.mover, state.named, state.run
        move = last_move(state.played)
        rank, number, drew = RANK[move[-1]] if move else None, len(move), bool(state.drew)
        if state.finisher is not None and rank is not None:
            self._finish(mover, rank, number)
            return
        while True:
            hand = hands[mover]
            if rank is None or rank == SIX:
                fit = hand & fitting(stack[-1] if stack else None, named)
            else:
                fit = hand & OF_RANK[rank]
            if run == FOUR and rank is not None:
                if self._calls(mover):
                    self._finish(mover, rank, number)
                    return
                run = 0
            if fit:
                card = self._best(mover, fit) if fit & (fit - 1) else CARDS[fit.bit_length() - 1]
                number = number + 1 if rank == RANK[card] else 1
                rank = RANK[card]
                run = run + 1 if stack and RANK[stack[-1]] == rank else 1
                stack.append(card)
                hands[mover] = hand = hand ^ BIT[card]
                named = None
                if not hand and rank != SIX:
                    self._finish(mover, rank, number)
                    return
                if rank == SIX or run == FOUR or hand & OF_RANK[rank]:
                    continue
            elif rank is None and drew:
                mover, drew = (mover + 1) % seats, False
                continue
            elif rank is None or rank == SIX:
                if blind:
                    hands[mover] = hand | BIT[blind.pop()]
                elif not self._draw(mover):
                    return
                drew = True
                continue
            if rank in _WORKING:
                worked = effect(seats, mover, rank, number, self._shares(mover, rank, number))
                for seat in worked.due:
                    if not self._draw(seat):
                        return
                mover = worked.heir
            else:
                if rank == JACK:
                    named = max(range(4), key=[(hand & suit).bit_count() for suit in OF_SUIT].__getitem__)
                mover = (mover + 1) % seats
            rank, number, drew = None, 0, False

    def _calls(self, mover: Seat) -> bool:
        hidden = sum([hand.bit_count() for seat, hand in enumerate(self.hands) if seat != mover])
        return ahead(self.hands[mover], hidden, self.seats)

    def _draw(self, seat: Seat) -> bool:
        """Draw a card; tells whether there was one.  If not, the round is over."""
        if not self.blind:
            if len(self.stack) == 1:
                self._count()
                return False
            self.blind += self.stack[:-1]
            del self.stack[:-1]
            Random(self.luck + self.multiplier).shuffle(self.blind)
            self.multiplier += 1
        self.hands[seat] |= BIT[self.blind.pop()]
        return True

    def _best(self, mover: Seat, fit: Cards) -> Card:
        hand, jack = self.hands[mover], 0.0
        if hand & _JACKS:
            jack = _JACKS_KEPT[min([held.bit_count() for seat, held in enumerate(self.hands) if seat != mover])]
        return _best(hand, fit, jack)[1]

    def _shares(self, mover: Seat, rank: int, number: int) -> bool:
        if self.eights == "choose":
            return rank == EIGHT and number > 1 and shares(self.seats, mover, number)
        return self.eights == "share"

    def _finish(self, mover: Seat, rank: int, number: int) -> None:
        """The mover is out or has called bridge: what its last cards do, and the count."""
        for seat in effect(self.seats, mover, rank, number, self._shares(mover, rank, number)).due:
            if not self._draw(seat):
                return
        self._count()
        if rank != JACK or self.jacks == "off":
            return
        points = JACK_POINTS * number * self.multiplier
        if self.jacks == "plus":
            self.points = [p + points * (seat != mover) for seat, p in enumerate(self.points)]
        else:
            self.points[mover] -= points

    def _count(self) -> None:
        self.points = [self.multiplier * worth(hand) for hand in self.hands]


def _best(hand: Cards, fit: Cards, jack: float) -> tuple[float, Card]:
    """The card of ``fit`` that the rule policy plays, and how much better the turn leaves the hand than it is.

    That is what ``Plan.after`` finds, reckoned for what goes instead of for what stays.
    """
    most, best = -inf, CARDS[0]
    while fit:
        bit = fit & -fit
        fit ^= bit
        card = CARDS[bit.bit_length() - 1]
        left = hand ^ bit
        gain, suit, rank = _ALONE[card]
        if bit & _JACKS:
            gain -= jack
        if bit & _SIXES:
            more = left & fitting(card, None)
            gain += _best(left, more, jack)[0] if more else NEIGHBOUR * (left & suit).bit_count()
        elif not left & rank:
            gain = gain + NEIGHBOUR * (left & suit).bit_count() if left else OUT
        else:
            same = left & rank
            left ^= same
            ending = [(left & OF_SUIT[SUIT[other]]).bit_count() for other in iter_cards(same)]
            gain = gain * (1 + len(ending)) + NEIGHBOUR * max(ending) if left else OUT
        if gain > most:
            most, best = gain, card
    return most, best


def value(view: BridgeView, points: Sequence[float]) -> float:
    """How well the seat of ``view`` stands in the session after these points.

    That is the share of the others whom it is likely to be ahead of in the end.
    """
    totals = [total - gained for total, gained in zip(view.totals, points, strict=True)]
    totals = [0 if total == LIMIT else total for total in totals]
    own, most = totals[view.seat], max(totals)
    leads = [total - own for seat, total in enumerate(totals) if seat != view.seat]
    if most > LIMIT:
        return sum([(lead > 0) + (lead == 0) / 2 for lead in leads]) / len(leads)
    swing = _swing(most)
    return sum([1 / (1 + exp(-lead / swing)) for lead in leads]) / len(leads)


def _swing(most: float) -> float:
    """The lead that may still be turned where so many points are the highest total."""
    return SWING * sqrt(1 + (LIMIT - most) / PACE)


def in_points(view: BridgeView, share: float) -> float:
    """The lead that is worth as much as such a share where all totals are equal, above that which there is now."""
    now = value(view, (0,) * len(view.totals))
    return 4 * _swing(max(view.totals)) * (share - now)


def by_rule(view: BridgeView) -> Action:
    """What the rule policy does."""
    return steady(view, Random(0))


GUIDE: Final = SearchSpec(
    independent_samples(imagine),
    fixed_rollout(rollout),
    WORLDS,
    value=value,
    rule=by_rule,
    in_points=in_points,
    drop_threshold=BEHIND,
)
