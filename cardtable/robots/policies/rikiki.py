"""Rikiki: exact bids, as a player does who counts the cards."""

from random import Random

from cardtable.engine.cards import BIT, PACK_52, SUIT, Cards, of
from cardtable.engine.contract import Action
from cardtable.games.rikiki.rules import RikikiView
from cardtable.robots.policies import exact


def steady(view: RikikiView, _rng: Random) -> Action:
    """What a player does who counts the cards."""
    seen = 0
    for cards in view.played:
        seen |= cards
    return exact.steady(view, _sight(view, seen), exact.USUAL)


def novice(view: RikikiView, rng: Random) -> Action:
    """What a player does who forgets the tricks before."""
    return exact.novice(view, _sight(view, of(view.trick)), exact.USUAL, rng)


def _sight(view: RikikiView, seen: Cards) -> exact.Sight:
    turned = 0 if view.trump_card is None else BIT[view.trump_card]
    unseen = PACK_52 & ~(seen | view.hand | turned)
    others = sum(view.sizes) - view.hand.bit_count()
    trump = None if view.trump_card is None else SUIT[view.trump_card]
    return exact.Sight(view.hand, unseen, others / max(1, unseen.bit_count()), trump)
