"""Hurries: wants to be rid of its cards, the dearest first, whatever it costs later.

In Rummy it lays at once all that it can, takes from the pile only what leaves it fewer cards, and drops what fits
nothing.  In Bridge it lays the cards that count most.  In games of tricks its highest cards go first.
"""

from collections.abc import Callable
from random import Random

from cardtable.engine.cards import ACE, JACK, RANK, SUIT, SUITS, TEN, iter_cards
from cardtable.engine.game import Action, AnyGame, State, View

AT_ONCE = ("meld", "add", "play", "bridge", "jacks", "eights", "suit")
"""Kinds of actions that come before all others."""


class Hurries:
    """Is rid of its cards as soon as it can."""

    def __init__(self, game: AnyGame) -> None:
        self.game = game

    def choose(self, view: View, rng: Random, stop: Callable[[], bool]) -> Action:  # noqa: ARG002 - never long
        """What leaves least in the hand."""
        kinds = {action.kind for action in view.legal}
        if "bid" in kinds:
            high = len([card for card in iter_cards(view.hand) if RANK[card] >= ACE - 1])
            return min(view.legal, key=lambda bid: abs((bid.amount or 0) - high))
        if "contract" in kinds and self.game.contract(view) is None:
            return rng.choice([action for action in view.legal if action.kind == "contract"])
        if "stock" in kinds:
            return min(view.legal, key=lambda draw: self.left(view, draw, rng))
        at_once = [action for action in view.legal if action.kind in AT_ONCE]
        if at_once:
            return max(
                at_once, key=lambda action: (action.cards_used().bit_count(), counted(action), held(view, action))
            )
        if "drop" in kinds:
            return max(
                view.legal, key=lambda drop: (-company(view.hand, drop.cards_used().bit_length() - 1), counted(drop))
            )
        return view.legal[0]

    def left(self, view: View, draw: Action, rng: Random) -> int:
        """How many cards stay in the hand if this is drawn and all is laid that can be."""
        world = self.game.imagine(view, rng)
        world.apply(draw)  # from the stock it is any card that it may be
        return laid(world, view.seat).bit_count()


def laid(world: State[View], seat: int) -> int:
    """What is left of a hand when all is laid that can be."""
    while world.turn == seat and world.playing:
        lays = [action for action in world.legal() if action.kind in ("meld", "add")]
        if not lays:
            break
        world.apply(max(lays, key=lambda action: action.cards_used().bit_count()))
    return world.view(seat).hand


def counted(action: Action) -> int:
    """What the cards of an action count in a hand, roughly as in Rummy and Bridge."""
    ranks = [RANK[card] for card in iter_cards(action.cards_used())]
    return sum(15 if rank == ACE else 11 if rank == JACK else 10 if rank >= TEN else rank for rank in ranks)


def held(view: View, action: Action) -> int:
    """Where a suit is named: how many of it are in the hand."""
    return len([card for card in iter_cards(view.hand) if action.notation == SUITS[SUIT[card]]])


def company(hand: int, card: int) -> int:
    """How many cards of a hand go with one: of its rank, or next to it in its suit."""
    others = [other for other in iter_cards(hand) if other != card]
    pairs = [other for other in others if RANK[other] == RANK[card]]
    near = [other for other in others if SUIT[other] == SUIT[card] and abs(RANK[other] - RANK[card]) <= 2]
    return len(pairs) + len(near)
