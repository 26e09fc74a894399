"""Greedy: takes what can be taken now, by rules of thumb and without looking ahead.

In trick games it takes tricks as cheaply as possible while it wants any, and otherwise plays the highest card that does
not take the trick.  In other games it melds and takes as much as it may.
"""

from collections.abc import Callable
from random import Random

from cardtable.engine.cards import ACE, JACK, KING, RANK, SUIT, SUITS, iter_cards
from cardtable.engine.game import Action, AnyGame, Declaration, View

TRICK_CONTRACTS = ("Trump", "No Trump", "Miser", "Poz Jar", "Koz")
"""Contracts in which tricks are worth points."""
PREFERRED_KINDS = (
    "bridge",
    "meld",
    "add",
    "play",
    "take",
    "stock",
    "jacks",
    "eights",
    "suit",
    "draw",
    "done",
    "drop",
    "offer",
)
"""Kinds of actions in order of preference."""


class Greedy:
    """A robot that takes as much as it can."""

    def __init__(self, game: AnyGame) -> None:
        self.game = game

    def choose(self, view: View, rng: Random, stop: Callable[[], bool]) -> Action:  # noqa: ARG002 - never long
        """Return the greediest action."""
        bids, trick = self.game.bids(view), self.game.trick(view)
        declarations = [action for action in view.legal if isinstance(action, Declaration)]
        if declarations and self.game.contract(view) is None:
            return max(declarations, key=lambda action: rate_contract(view.hand, action))
        if bids is not None and bids.made[view.seat] is None:
            target = sum(estimate_trick_chance(card, bids.trump) for card in iter_cards(view.hand))
            return min(view.legal, key=lambda bid: abs((bid.amount or 0) - target))
        plays = [action for action in view.legal if action.kind == "play"]
        if trick is None or not plays:
            return max(view.legal, key=lambda action: create_sort_key(view, action))
        return self.choose_card(view, plays, last=len(trick.lying) == len(view.totals) - 1, rng=rng)

    def choose_card(self, view: View, plays: list[Action], *, last: bool, rng: Random) -> Action:
        """Return the card to play to a trick."""
        takes = [action for action in plays if self.heads_trick(view, action, rng)]
        loses = [action for action in plays if action not in takes]
        if self.wants_tricks(view):
            return (
                min(takes, key=get_rank)
                if takes and last
                else max(takes, key=get_rank)
                if takes
                else min(loses, key=get_rank)
            )
        return max(loses, key=get_rank) if loses else max(takes, key=get_rank) if last else min(takes, key=get_rank)

    def heads_trick(self, view: View, action: Action, rng: Random) -> bool:
        """Return True if the seat heads the trick with the card."""
        world = self.game.imagine(view, rng)
        before = world.tricks()
        world.apply(action)
        trick = self.game.trick(world.view(view.seat))
        if trick is not None and trick.lying:
            return trick.winning == view.seat
        after = world.tricks()
        return before is not None and after is not None and after[view.seat] > before[view.seat]

    def wants_tricks(self, view: View) -> bool:
        """Return True if tricks are worth points now."""
        bids, contract = self.game.bids(view), self.game.contract(view)
        if bids is not None:
            return bids.won[view.seat] < (bids.made[view.seat] or 0)
        return contract is None or contract.name in TRICK_CONTRACTS


def get_rank(action: Action) -> int:
    """Return the rank of the card played."""
    return RANK[action.cards_used().bit_length() - 1]


def estimate_trick_chance(card: int, trump: int | None) -> float:
    """Estimate the probability that a card takes a trick."""
    if SUIT[card] == trump:
        return 0.9 if RANK[card] >= JACK else 0.45
    return {ACE: 0.75, KING: 0.45}.get(RANK[card], 0.1)


def rate_contract(hand: int, action: Declaration) -> float:
    """Estimate how well a hand suits a contract."""
    named, cards = action.named, iter_cards(hand)
    high = len([card for card in cards if RANK[card] >= JACK])
    if named.name not in TRICK_CONTRACTS or named.name == "Miser":
        return len(cards) - 2.0 * high
    return 2.0 * len([card for card in cards if SUIT[card] == named.trump]) + high if named.trump is not None else high


def create_sort_key(view: View, action: Action) -> tuple[float, ...]:
    """Return the sort key of an action: kind, ranks of its cards, amount, number of cards of the suit it names."""
    cards = iter_cards(action.cards_used())
    worth = sum(RANK[card] for card in cards) * (-1 if action.kind == "drop" else 1)
    same = len([card for card in iter_cards(view.hand) if action.notation == SUITS[SUIT[card]]])  # a suit is named
    return (
        -PREFERRED_KINDS.index(action.kind) if action.kind in PREFERRED_KINDS else -len(PREFERRED_KINDS),
        worth,
        action.amount or 0,
        same,
    )
