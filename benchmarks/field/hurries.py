"""Hurries: gets rid of its cards as early as possible, the most expensive first, without regard to later rounds.

In Rummy it melds at once whatever it can, takes from the pile only if fewer cards remain in its hand, and discards a
card that fits nothing.  In Bridge it plays the cards that count most.  In trick games it plays its highest cards first.
"""

from collections.abc import Callable
from random import Random

from cardtable.engine.cards import ACE, JACK, RANK, SUIT, SUITS, TEN, iter_cards
from cardtable.engine.game import Action, AnyGame, State, View

FIRST_KINDS = ("meld", "add", "play", "bridge", "jacks", "eights", "suit")
"""Kinds of actions that come before all others."""


class Hurries:
    """A robot that gets rid of its cards as early as possible."""

    def __init__(self, game: AnyGame) -> None:
        self.game = game

    def choose(self, view: View, rng: Random, stop: Callable[[], bool]) -> Action:  # noqa: ARG002 - never long
        """Return the action that leaves the fewest cards in the hand."""
        kinds = {action.kind for action in view.legal}
        if "bid" in kinds:
            high = len([card for card in iter_cards(view.hand) if RANK[card] >= ACE - 1])
            return min(view.legal, key=lambda bid: abs((bid.amount or 0) - high))
        if "contract" in kinds and self.game.contract(view) is None:
            return rng.choice([action for action in view.legal if action.kind == "contract"])
        if "stock" in kinds:
            return min(view.legal, key=lambda draw: self.count_after_draw(view, draw, rng))
        first_actions = [action for action in view.legal if action.kind in FIRST_KINDS]
        if first_actions:
            return max(
                first_actions,
                key=lambda action: (
                    action.cards_used().bit_count(),
                    count_penalty(action),
                    count_named_suit(view, action),
                ),
            )
        if "drop" in kinds:
            return max(
                view.legal,
                key=lambda drop: (-count_fitting(view.hand, drop.cards_used().bit_length() - 1), count_penalty(drop)),
            )
        return view.legal[0]

    def count_after_draw(self, view: View, draw: Action, rng: Random) -> int:
        """Return the number of cards left in the hand after a draw and all possible melds."""
        world = self.game.imagine(view, rng)
        world.apply(draw)  # from the stock it is any card that it may be
        return lay_melds(world, view.seat).bit_count()


def lay_melds(world: State[View], seat: int) -> int:
    """Lay all possible melds of a seat, and return the cards left in its hand."""
    while world.turn == seat and world.playing:
        melds = [action for action in world.legal() if action.kind in ("meld", "add")]
        if not melds:
            break
        world.apply(max(melds, key=lambda action: action.cards_used().bit_count()))
    return world.view(seat).hand


def count_penalty(action: Action) -> int:
    """Return the approximate penalty points of an action's cards, as in Rummy and Bridge."""
    ranks = [RANK[card] for card in iter_cards(action.cards_used())]
    return sum(15 if rank == ACE else 11 if rank == JACK else 10 if rank >= TEN else rank for rank in ranks)


def count_named_suit(view: View, action: Action) -> int:
    """Return the number of cards in the hand of the suit that an action names."""
    return len([card for card in iter_cards(view.hand) if action.notation == SUITS[SUIT[card]]])


def count_fitting(hand: int, card: int) -> int:
    """Return the number of cards in a hand that fit one card: of its rank, or adjacent in its suit."""
    others = [other for other in iter_cards(hand) if other != card]
    pairs = [other for other in others if RANK[other] == RANK[card]]
    near = [other for other in others if SUIT[other] == SUIT[card] and abs(RANK[other] - RANK[card]) <= 2]
    return len(pairs) + len(near)
