"""Expert for Bridge: Monte Carlo search with rollouts of the rule policy in determinized states."""

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
"""Deficit, in standard errors, at which a candidate is dropped; low, so that close candidates are evaluated in many
worlds.
"""
SWING: Final = 24.0
"""Lead, in points, that may still be reversed when the highest total is at the limit; scale of the probability of
winning the session.
"""
PACE: Final = 16.0
"""Mean growth of the highest total per round, in points."""
_SIXES: Final = OF_RANK[SIX]
_JACKS: Final = OF_RANK[JACK]
_WORKING: Final = frozenset((SEVEN, EIGHT, ACE))
"""Ranks of cards with an effect on other players, except jacks."""
_ALONE: Final = tuple(
    [
        (CARD + worth(BIT[c]) + (PASSED if RANK[c] == ACE else 0.0), OF_SUIT[SUIT[c]], OF_RANK[RANK[c]])
        for c in CARDS[:52]
    ]
)
"""By card: the gain of the rule policy from playing it, the cards of its suit, and the cards of its rank."""
_JACKS_KEPT: Final = (0.0, *[JACK_KEPT * (1 - 1 / nearest) for nearest in range(1, 37)])
"""Loss of the rule policy from playing a jack, by the smallest number of cards in another player's hand."""


def rollout(state: BridgeState, luck: float) -> Sequence[float]:
    """Play the round to its end by the rule policy, and return the points scored in it, negated, by seat.

    ``state`` is changed; all outcomes of chance follow from ``luck``.
    """
    while state.turn == CHANCE and state.playing:
        state.apply(state.draw_chance(Random(luck)))
    if not state.playing:
        return [-points for points in state.points]
    round_ = Round(state, luck)
    round_.play(state)
    return [-points for points in round_.points]


class Round:
    """Position in a rollout, reduced to the data that still affects the points. It shares lists with the state, and
    changes them in place.
    """

    __slots__ = ("blind", "eights", "hands", "jacks", "luck", "multiplier", "points", "seats", "stack")

    def __init__(self, state: BridgeState, luck: float) -> None:
        self.hands, self.stack, self.blind = state.hands, state.stack, state.blind
        self.seats, self.multiplier, self.luck = len(state.hands), state.multiplier, luck
        self.eights, self.jacks = state.options.eights, state.options.jacks
        self.points: list[int] = []

    def play(self, state: BridgeState) -> None:  # noqa: PLR0912 - one tight loop
        """Play to the end of the round from the position of ``state``, and set ``points``."""
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
        """Draw a card for ``seat`` and return True; if no card is left to draw, score the hands and return False."""
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
        """End the round after ``mover`` has gone out or called bridge: apply the effect of the last cards, then score
        the hands.

        The last ``number`` cards of the turn are of ``rank``.
        """
        for seat in effect(self.seats, mover, rank, number, self._shares(mover, rank, number)).due:
            if not self._draw(seat):
                return
        self._count()
        if rank != JACK or self.jacks == "off":
            return
        points = JACK_POINTS * number * self.multiplier
        if self.jacks == "plus":
            self.points = [p if seat == mover else p + points for seat, p in enumerate(self.points)]
        else:
            self.points[mover] -= points

    def _count(self) -> None:
        self.points = [self.multiplier * worth(hand) for hand in self.hands]


def _best(hand: Cards, fit: Cards, jack: float) -> tuple[float, Card]:
    """Return the gain of the turn, in points, and the card of ``fitting_cards`` that the rule policy plays.

    The result is that of ``TurnPlan.evaluate_play``, computed from the cards that are played instead of those that
    remain. ``jack``: loss from playing a jack.
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
    """Return the value of the session to the view's seat after a round with these ``points``, negated penalty points.

    The value is the probability of finishing ahead of another player, averaged over the other players. It is a logistic
    function of the lead while the session goes on; at the end an equal total counts a half.
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
    """Return the lead, in points, that may still be reversed at this highest total."""
    return SWING * sqrt(1 + (LIMIT - most) / PACE)


def in_points(view: BridgeView, share: float) -> float:
    """Convert a value of ``evaluate_points`` to points: the lead at equal totals with the same value, relative to the
    present value.
    """
    now = value(view, (0,) * len(view.totals))
    return 4 * _swing(max(view.totals)) * (share - now)


def by_rule(view: BridgeView) -> Action:
    """Return the action of the steady policy, which uses no random numbers."""
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
