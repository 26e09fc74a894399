"""Expert of Bridge: Monte Carlo search with rollouts of the rule policy in determinized states."""

from collections.abc import Sequence
from math import exp, fsum, inf, sqrt
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
from cardtable.games.bridge.policy import (
    CARD_COST,
    JACK_VALUE,
    NEIGHBOUR_VALUE,
    OUT_VALUE,
    PASS_VALUE,
    has_fewer_points,
    should_share_eights,
    steady,
)
from cardtable.games.bridge.rules.actions import (
    BRIDGE_RUN,
    JACK_POINTS,
    TOTAL_LIMIT,
    compute_effect,
    find_fitting_cards,
    find_last_move,
    sum_points,
)
from cardtable.games.bridge.rules.state import BridgeState, BridgeView, imagine
from cardtable.robots.kit.search_spec import SearchSpec, make_rollout_chooser, make_sampler

WORLDS: Final = 400
DROP_THRESHOLD: Final = 2.0
"""Deficit, in standard errors, at which a candidate is dropped.

Low, so that close candidates are evaluated in many worlds.
"""
SWING: Final = 24.0
"""Lead, in points, that may still be reversed when the highest total is at the limit.

Scale of the probability of winning the session.
"""
PACE: Final = 16.0
"""Mean growth of the highest total per round, in points."""
_SIXES: Final = OF_RANK[SIX]
_JACKS: Final = OF_RANK[JACK]
_EFFECTIVE_RANKS: Final = frozenset((SEVEN, EIGHT, ACE))
"""Ranks of cards with an effect on other players, except jacks."""
_PLAY_GAINS: Final = tuple(
    [
        (CARD_COST + sum_points(BIT[c]) + (PASS_VALUE if RANK[c] == ACE else 0.0), OF_SUIT[SUIT[c]], OF_RANK[RANK[c]])
        for c in CARDS[:52]
    ]
)
"""By card: the gain of the rule policy from playing it, the cards of its suit, and the cards of its rank."""
_JACK_LOSSES: Final = (0.0, *[JACK_VALUE * (1 - 1 / nearest) for nearest in range(1, 37)])
"""Loss of the rule policy from playing a jack, by the smallest number of cards in another player's hand."""


def run_rollout(state: BridgeState, luck: float) -> Sequence[float]:
    """Play the round to its end by the rule policy, and return the points scored in it, negated, by seat.

    ``state`` is changed; all outcomes of chance follow from ``luck``.
    """
    while state.turn == CHANCE and state.playing:
        state.apply(state.draw_chance(Random(luck)))
    if not state.playing:
        return [-points for points in state.points]
    round_ = Position(state, luck)
    round_.play_out(state)
    return [-points for points in round_.points]


class Position:
    """Position in a rollout, reduced to the data that still affects the points.

    It shares lists with the state, and changes them in place.
    """

    __slots__ = ("blind", "eights", "hands", "jacks", "luck", "multiplier", "points", "seats", "stack")

    def __init__(self, state: BridgeState, luck: float) -> None:
        self.hands, self.stack, self.blind = state.hands, state.stack, state.blind
        self.seats, self.multiplier, self.luck = len(state.hands), state.multiplier, luck
        self.eights, self.jacks = state.options.eights, state.options.jacks
        self.points: list[int] = []

    def play_out(self, state: BridgeState) -> None:  # noqa: PLR0912 - one tight loop
        """Play to the end of the round from the position of ``state``, and set ``points``."""
        hands, stack, blind, seats = self.hands, self.stack, self.blind, self.seats
        mover, named, run = state.mover, state.named, state.run
        move = find_last_move(state.played)
        rank, number, drew = RANK[move[-1]] if move else None, len(move), bool(state.drew)
        if state.finisher is not None and rank is not None:
            self._finish_round(mover, rank, number)
            return
        while True:
            hand = hands[mover]
            if rank is None or rank == SIX:
                fit = hand & find_fitting_cards(stack[-1] if stack else None, named)
            else:
                fit = hand & OF_RANK[rank]
            if run == BRIDGE_RUN and rank is not None:
                hidden = sum([cards.bit_count() for seat, cards in enumerate(hands) if seat != mover])
                if has_fewer_points(hands[mover], hidden, seats):
                    self._finish_round(mover, rank, number)
                    return
                run = 0
            if fit:
                card = self._choose_card(mover, fit) if fit & (fit - 1) else CARDS[fit.bit_length() - 1]
                number = number + 1 if rank == RANK[card] else 1
                rank = RANK[card]
                run = run + 1 if stack and RANK[stack[-1]] == rank else 1
                stack.append(card)
                hands[mover] = hand = hand ^ BIT[card]
                named = None
                if not hand and rank != SIX:
                    self._finish_round(mover, rank, number)
                    return
                if rank == SIX or run == BRIDGE_RUN or hand & OF_RANK[rank]:
                    continue
            elif rank is None and drew:
                mover, drew = (mover + 1) % seats, False
                continue
            elif rank is None or rank == SIX:
                if blind:
                    hands[mover] = hand | BIT[blind.pop()]
                elif not self._draw_card(mover):
                    return
                drew = True
                continue
            if rank in _EFFECTIVE_RANKS:
                effect = compute_effect(seats, mover, rank, number, self._should_share(mover, rank, number))
                for seat in effect.due:
                    if not self._draw_card(seat):
                        return
                mover = effect.next_seat
            else:
                if rank == JACK:
                    named = max(range(4), key=[(hand & suit).bit_count() for suit in OF_SUIT].__getitem__)
                mover = (mover + 1) % seats
            rank, number, drew = None, 0, False

    def _draw_card(self, seat: Seat) -> bool:
        """Draw a card for ``seat`` and return True; if no card is left to draw, score the hands and return False."""
        if not self.blind:
            if len(self.stack) == 1:
                self._score_hands()
                return False
            self.blind += self.stack[:-1]
            del self.stack[:-1]
            Random(self.luck + self.multiplier).shuffle(self.blind)
            self.multiplier += 1
        self.hands[seat] |= BIT[self.blind.pop()]
        return True

    def _choose_card(self, mover: Seat, fitting_cards: Cards) -> Card:
        hand, jack = self.hands[mover], 0.0
        if hand & _JACKS:
            jack = _JACK_LOSSES[min([cards.bit_count() for seat, cards in enumerate(self.hands) if seat != mover])]
        return _find_best_card(hand, fitting_cards, jack)[1]

    def _should_share(self, mover: Seat, rank: int, number: int) -> bool:
        if self.eights == "choose":
            return rank == EIGHT and number > 1 and should_share_eights(self.seats, mover, number)
        return self.eights == "share"

    def _finish_round(self, mover: Seat, rank: int, number: int) -> None:
        """End the round after ``mover`` has gone out or called bridge.

        Apply the effect of the last cards, then score the hands.

        The last ``number`` cards of the turn are of ``rank``.
        """
        for seat in compute_effect(self.seats, mover, rank, number, self._should_share(mover, rank, number)).due:
            if not self._draw_card(seat):
                return
        self._score_hands()
        if rank != JACK or self.jacks == "off":
            return
        points = JACK_POINTS * number * self.multiplier
        if self.jacks == "plus":
            self.points = [p if seat == mover else p + points for seat, p in enumerate(self.points)]
        else:
            self.points[mover] -= points

    def _score_hands(self) -> None:
        self.points = [self.multiplier * sum_points(hand) for hand in self.hands]


def _find_best_card(hand: Cards, fitting_cards: Cards, jack: float) -> tuple[float, Card]:
    """Return the gain of the turn, in points, and the card of ``fitting_cards`` that the rule policy plays.

    The result is that of ``TurnPlan.evaluate_play``, computed from the cards that are played instead of those that
    remain. ``jack``: loss from playing a jack.
    """
    most, best = -inf, CARDS[0]
    while fitting_cards:
        bit = fitting_cards & -fitting_cards
        fitting_cards ^= bit
        card = CARDS[bit.bit_length() - 1]
        left = hand ^ bit
        gain, suit, rank = _PLAY_GAINS[card]
        if bit & _JACKS:
            gain -= jack
        if bit & _SIXES:
            more = left & find_fitting_cards(card, None)
            gain += _find_best_card(left, more, jack)[0] if more else NEIGHBOUR_VALUE * (left & suit).bit_count()
        elif not left & rank:
            gain = gain + NEIGHBOUR_VALUE * (left & suit).bit_count() if left else OUT_VALUE
        else:
            same = left & rank
            left ^= same
            ending = [(left & OF_SUIT[SUIT[other]]).bit_count() for other in iter_cards(same)]
            gain = gain * (1 + len(ending)) + NEIGHBOUR_VALUE * max(ending) if left else OUT_VALUE
        if gain > most:
            most, best = gain, card
    return most, best


def evaluate_points(view: BridgeView, points: Sequence[float]) -> float:
    """Return the value of the session to the view's seat after a round with these ``points``, negated penalty points.

    The value is the probability of finishing ahead of another player, averaged over the other players. It is a logistic
    function of the lead while the session goes on; at the end an equal total counts a half.
    """
    totals = [total - gained for total, gained in zip(view.totals, points, strict=True)]
    totals = [0 if total == TOTAL_LIMIT else total for total in totals]
    own, most = totals[view.seat], max(totals)
    leads = [total - own for seat, total in enumerate(totals) if seat != view.seat]
    if most > TOTAL_LIMIT:
        return fsum([1.0 if lead > 0 else 0.0 if lead < 0 else 0.5 for lead in leads]) / len(leads)
    swing = _compute_swing(most)
    return fsum([1 / (1 + exp(-lead / swing)) for lead in leads]) / len(leads)


def _compute_swing(highest_total: float) -> float:
    """Return the lead, in points, that may still be reversed at this highest total."""
    return SWING * sqrt(1 + (TOTAL_LIMIT - highest_total) / PACE)


def convert_to_points(view: BridgeView, session_value: float) -> float:
    """Convert a value of ``evaluate_points`` to points.

    The lead at equal totals with the same value, relative to the present value.
    """
    present_value = evaluate_points(view, (0,) * len(view.totals))
    return 4 * _compute_swing(max(view.totals)) * (session_value - present_value)


def choose_by_rule(view: BridgeView) -> Action:
    return steady(view, Random(0))


SEARCH_SPEC: Final = SearchSpec(
    make_sampler(imagine),
    make_rollout_chooser(run_rollout),
    WORLDS,
    value=evaluate_points,
    rule=choose_by_rule,
    in_points=convert_to_points,
    drop_threshold=DROP_THRESHOLD,
    big_mistake=4.0,
)
