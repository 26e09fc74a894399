"""A simple robot of Rikiki: it bids by estimates and plays greedily.

    cardtable arena rikiki --a expert --b benchmarks/rikiki_simple.py:Simple --deals 200 --seed 1

It bids the tricks that its cards should take, like a steady robot.  While it needs tricks it leads an ace or its
highest card, trumps before others, and takes every trick it can; otherwise it leads low and loses with the highest card
that does not win.  It does not count cards.
"""

from collections.abc import Callable
from random import Random

from cardtable.engine.cards import RANK, SUIT, Card
from cardtable.engine.game import Action, AnyGame
from cardtable.engine.tricks import PLAY, order
from cardtable.games.rikiki.policy import steady
from cardtable.games.rikiki.rules import SEATS, RikikiView


class Simple:
    """A robot that bids by estimates and plays greedily."""

    def __init__(self, game: AnyGame) -> None: ...

    def choose(self, view: RikikiView, rng: Random, stop: Callable[[], bool]) -> Action:  # noqa: ARG002 - never long
        """Return a bid by estimates, or a card by rules of thumb."""
        bid = view.bids[view.seat]
        if bid is None:
            return steady(view, rng)
        legal = [action.cards_used().bit_length() - 1 for action in view.legal]
        wants_tricks = bid > view.won[view.seat]
        return PLAY[
            choose_follow(view, legal, view.trump, wants_tricks)
            if view.trick
            else choose_lead(legal, view.trump, wants_tricks)
        ]


def choose_lead(legal: list[int], trump: int | None, wants_tricks: bool) -> int:
    """Return the card to lead."""
    plain = [card for card in legal if SUIT[card] != trump]
    trumps = [card for card in legal if SUIT[card] == trump]
    if not wants_tricks:
        return min(plain or trumps, key=RANK.__getitem__)
    best = max(plain, key=RANK.__getitem__, default=-1)
    return best if best >= 0 and RANK[best] == RANK[-1] else max(trumps or plain, key=RANK.__getitem__)


def choose_follow(view: RikikiView, legal: list[int], trump: int | None, wants_tricks: bool) -> int:
    """Return the card to play to a trick."""
    played, last = view.trick, len(view.trick) == SEATS - 1
    winning = [card for card in legal if order(trump).winner((*played, Card(card))) == len(played)]
    losing = [card for card in legal if card not in winning]
    if wants_tricks and winning:
        ruffs = SUIT[winning[0]] == trump
        return min(winning) if last or ruffs else max(winning)
    if wants_tricks:
        return min([card for card in losing if SUIT[card] != trump] or losing, key=RANK.__getitem__)
    if losing:
        return max(losing, key=RANK.__getitem__)
    return max(winning) if last else min(winning)
