"""Bridge: plan the whole turn, so that it leaves few and cheap cards, and jacks to go on with.

The numbers are points of a hand; they were chosen in duplicate matches.
"""

from collections.abc import Callable
from random import Random
from typing import Final

from cardtable.engine.cards import ACE, BIT, EIGHT, JACK, OF_RANK, OF_SUIT, RANK, SIX, SUIT, Card, Cards, iter_cards
from cardtable.engine.game import Action, Seat
from cardtable.engine.tricks import Play
from cardtable.games.bridge.rules.actions import BRIDGE, DONE, SAY_EIGHTS, Suit, effect, fitting, worth
from cardtable.games.bridge.rules.state import BridgeView

CARD: Final = 4.0
"""What it costs to keep a card, besides its points: it must be played one day."""
JACK_KEPT: Final = 42.0
"""What a jack in the hand is worth, since it fits on everything; less if others have few cards left."""
NEIGHBOUR: Final = 3.0
"""What a card of the suit that a turn ends with is worth, since it may fit next time."""
PASSED: Final = 12.0
"""What an ace is worth for the player who is passed over."""
OUT: Final = 100.0
"""What it is worth to go out."""
MEAN: Final = 7.2
"""The mean points of a card."""
CARELESS: Final = 0.25
"""How often a novice does just anything."""


def steady(view: BridgeView, _rng: Random) -> Action:
    """What a player does who knows the game."""
    if BRIDGE in view.legal and ahead(view.hand, sum(view.sizes) - view.sizes[view.seat], len(view.sizes)):
        return BRIDGE
    plan = _plan(view)
    return _play(view, plan.after) or _say(view)


def novice(view: BridgeView, rng: Random) -> Action:
    """What a player does who sees no further than the next card, and is careless now and then."""
    if rng.random() < CARELESS:
        return rng.choice(view.legal)
    plan = _plan(view)
    return _play(view, lambda hand, card, number: plan.ended(hand & ~BIT[card], card, number)) or _say(view)


def _play(view: BridgeView, value: Callable[[Cards, Card, int], float]) -> Action | None:
    """The best card to play, by a value such as ``Plan.after``, if there is one."""
    plays = [action for action in view.legal if isinstance(action, Play)]
    going_on = bool(view.played) and RANK[view.played[-1]] != SIX
    number = len(view.last_move) + 1 if going_on else 1
    return max(plays, key=lambda play: value(view.hand, play.card, number)) if plays else None


def ahead(hand: Cards, hidden: int, seats: int) -> bool:
    """Whether the others, who hold ``hidden`` cards, are likely to hold more points, at the mean."""
    return MEAN * hidden > worth(hand) * (seats - 1)


def _plan(view: BridgeView) -> "Plan":
    return Plan(min([size for seat, size in enumerate(view.sizes) if seat != view.seat]))


class Plan:
    """How good the ways are in which a turn may go on and end."""

    def __init__(self, nearest: int) -> None:
        """``nearest`` is how many cards that one of the others has who has fewest."""
        self._jack = JACK_KEPT * (1 - 1 / nearest)

    def after(self, hand: Cards, card: Card, number: int) -> float:
        """How good it is to play ``card``, the ``number``-th of its rank, and to go on as well as one can."""
        left, rank = hand & ~BIT[card], RANK[card]
        if rank == SIX:
            more = left & fitting(card, None)
            if more:
                return max([self.after(left, c, number + 1 if RANK[c] == rank else 1) for c in iter_cards(more)])
        elif same := left & OF_RANK[rank]:
            number += same.bit_count()
            return max([self.ended(left ^ same, c, number) for c in iter_cards(same)])
        return self.ended(left, card, number)

    def ended(self, hand: Cards, last: Card, number: int) -> float:
        """How good a turn was that leaves ``hand`` and ends with ``number`` cards of a rank, ``last`` on top."""
        rank = RANK[last]
        if not hand and rank != SIX:
            return OUT
        kept = self._jack * (hand & OF_RANK[JACK]).bit_count() - worth(hand) - CARD * hand.bit_count()
        passed = PASSED * number if rank == ACE else 0.0
        return kept + passed + NEIGHBOUR * (hand & OF_SUIT[SUIT[last]]).bit_count()


def _say(view: BridgeView) -> Action:
    """How to end the turn or the round, or to draw."""
    suits = [action for action in view.legal if isinstance(action, Suit)]
    if suits:
        return max(suits, key=lambda action: (view.hand & OF_SUIT[action.suit]).bit_count())
    if SAY_EIGHTS[0] in view.legal:
        return SAY_EIGHTS[shares(len(view.sizes), view.seat, len(view.last_move))]
    return DONE if DONE in view.legal else view.legal[0]


def shares(seats: int, seat: Seat, number: int) -> bool:
    """Whether so many 8s of ``seat`` are to be shared: if it is its turn again then."""
    return effect(seats, seat, EIGHT, number, share=True).heir == seat
