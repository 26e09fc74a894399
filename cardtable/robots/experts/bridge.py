"""Bridge for the searcher: rounds are played on by the rule policy, card by card."""

from collections.abc import Sequence
from random import Random
from typing import Final

from cardtable.engine.cards import (
    ACE,
    BIT,
    EIGHT,
    JACK,
    OF_RANK,
    OF_SUIT,
    PACK_36,
    RANK,
    SIX,
    SUIT,
    Card,
    Cards,
    each,
    lowest,
)
from cardtable.engine.contract import CHANCE, Seat
from cardtable.games.bridge import FOUR, JACK_POINTS, BridgeState, effect, fitting, imagine, last_move, worth
from cardtable.robots.policies.bridge import CARD, JACK_KEPT, MEAN, NEIGHBOUR, PASSED
from cardtable.robots.search import Guide

WORLDS: Final = 100
_GAIN: Final = [CARD + worth(BIT[13 * 0 + rank]) for rank in range(13)]
"""What it is worth to be rid of a card, by rank; jacks are kept all the same."""
_JACKS: Final = OF_RANK[JACK]


def rollout(state: BridgeState, luck: float) -> Sequence[float]:
    """Points of the round when all play on as the rule policy does."""
    while state.turn == CHANCE and state.playing:
        state.apply(state.lot(Random(luck)))
    if not state.playing:
        return [-points for points in state.points]
    on = Round(state, luck)
    on.play(state)
    return [-points for points in on.points]


class Round:
    """A round as it is played on, all cards known, nothing remembered that does not matter any more."""

    __slots__ = (
        "blind", "drawn_card", "eights", "hands", "jacks", "luck", "mover", "multiplier", "named", "points", "run",
        "seats", "stack",
    )  # fmt: skip

    def __init__(self, state: BridgeState, luck: float) -> None:
        self.hands, self.stack, self.blind = state.hands, state.stack, state.blind
        self.seats, self.mover, self.named = len(state.hands), state.mover, state.named
        self.run, self.multiplier, self.luck = state.run, state.multiplier, luck
        self.eights, self.jacks = state.options.eights, state.options.jacks
        self.points: list[int] = []

    def play(self, state: BridgeState) -> None:
        """Play to the end of the round."""
        move = last_move(state.played)
        if state.finisher is not None:
            self._finish(RANK[move[0]], len(move))
            return
        going_on = self._turn(move[-1] if move else None, len(move), bool(state.drew))
        while going_on:
            going_on = self._turn(None, 0, False)

    def _turn(self, last: Card | None, number: int, drew: bool) -> bool:
        """Play the turn of the mover from here, ``number`` cards of the rank of ``last`` having been played last.

        Tells whether the round goes on.
        """
        mover, stack = self.mover, self.stack
        hand = self.hands[mover]
        while True:
            if self.run == FOUR:
                if self._ahead(hand):
                    assert last is not None
                    self._finish(RANK[last], number)
                    return False
                self.run = 0
            if last is None or RANK[last] == SIX:
                fits = fitting(stack[-1] if stack else None, self.named)
                fit = hand & fits
                if not fit:
                    if last is None and drew:
                        self.mover = (mover + 1) % self.seats
                        return True
                    if not self._draw(mover):
                        return False
                    hand, drew = self.hands[mover], True
                    continue
            else:
                fit = hand & OF_RANK[RANK[last]]
                if not fit:
                    return self._end_turn(last, number)
            card = self._best(hand, fit, number if last is not None and RANK[last] != SIX else 0) if fit & (fit - 1) else lowest(fit)
            rank = RANK[card]
            hand ^= BIT[card]
            self.hands[mover] = hand
            self.run = self.run + 1 if stack and RANK[stack[-1]] == rank else 1
            number = number + 1 if last is not None and RANK[last] == rank else 1
            stack.append(card)
            self.named, last = None, card
            if not hand and rank != SIX:
                self._finish(rank, number)
                return False

    def _ahead(self, hand: Cards) -> bool:
        """Whether the others are likely to hold more points."""
        hidden = sum([other.bit_count() for other in self.hands]) - hand.bit_count()
        return MEAN * hidden > worth(hand) * (self.seats - 1)

    def _draw(self, seat: Seat) -> bool:
        """Draw a card; tells whether there was one.  If not, the round is over."""
        if not self.blind:
            if len(self.stack) == 1:
                self._count()
                return False
            self.blind, self.stack[:] = self.stack[:-1], self.stack[-1:]
            Random(self.luck + self.multiplier).shuffle(self.blind)
            self.multiplier += 1
        self.hands[seat] |= BIT[self.blind.pop()]
        return True

    def _best(self, hand: Cards, fit: Cards, number: int) -> Card:
        nearest = min([other.bit_count() for seat, other in enumerate(self.hands) if seat != self.mover])
        jack = JACK_KEPT * (1 - 1 / nearest)
        most, best = -1e9, lowest(fit)
        while fit:
            bit = fit & -fit
            fit ^= bit
            card = Card(bit.bit_length() - 1)
            value = _after(hand, card, number + 1, jack)
            if value > most:
                most, best = value, card
        return best

    def _end_turn(self, last: Card, number: int) -> bool:
        """Let the cards played last work; tells whether the round goes on."""
        rank = RANK[last]
        share = self.eights == "share"
        if rank == JACK:
            hand = self.hands[self.mover]
            self.named = max(range(4), key=lambda suit: (hand & OF_SUIT[suit]).bit_count())
        elif rank == EIGHT and number > 1 and self.eights == "choose":
            share = effect(self.seats, self.mover, EIGHT, number, share=True).heir == self.mover
        worked = effect(self.seats, self.mover, rank, number, share)
        for seat in worked.due:
            if not self._draw(seat):
                return False
        self.mover = worked.heir
        return True

    def _finish(self, rank: int, number: int) -> None:
        """The mover is out or has called bridge: what its last cards do, and the count."""
        share = self.eights == "share"
        if rank == EIGHT and number > 1 and self.eights == "choose":
            share = effect(self.seats, self.mover, EIGHT, number, share=True).heir == self.mover
        for seat in effect(self.seats, self.mover, rank, number, share).due:
            if not self._draw(seat):
                return
        self._count()
        if rank == JACK and self.jacks != "off":
            points = JACK_POINTS * number * self.multiplier
            if self.jacks == "plus":
                self.points = [p + points * (seat != self.mover) for seat, p in enumerate(self.points)]
            else:
                self.points[self.mover] -= points

    def _count(self) -> None:
        self.points = [self.multiplier * worth(hand) for hand in self.hands]


def _after(hand: Cards, card: Card, number: int, jack: float) -> float:
    """How good it is to play ``card``, the ``number``-th of its rank, and to go on as well as one can."""
    left, rank = hand & ~BIT[card], RANK[card]
    more = left & (fitting(card, None) if rank == SIX else OF_RANK[rank])
    if more:
        return max([_after(left, c, number + 1 if RANK[c] == rank else 1, jack) for c in each(more)])
    if not left and rank != SIX:
        return 100.0
    kept = jack * (left & _JACKS).bit_count() - worth(left) - CARD * left.bit_count()
    passed = PASSED * number if rank == ACE else 0.0
    return kept + passed + NEIGHBOUR * (left & OF_SUIT[SUIT[card]]).bit_count()


GUIDE: Final = Guide(imagine, rollout, WORLDS)
