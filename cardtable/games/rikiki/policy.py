"""Rule policy of Rikiki: the policy for exact-bid games of ``robots/kit/bidding_policy.py``."""

from random import Random
from typing import Final

from cardtable.engine.cards import BIT, PACK_52, Cards, all_of, mask_of
from cardtable.engine.game import Action
from cardtable.games.rikiki.rules import RikikiView, build_state, find_unseen_cards
from cardtable.robots.kit import bidding_policy
from cardtable.robots.kit.endgame import Ending, group_neighbours


def steady(view: RikikiView, _rng: Random) -> Action:
    """Choose an action by the rule policy, with knowledge of all played cards and shown voids."""
    return bidding_policy.choose_steady_action(view, make_features(view), bidding_policy.DEFAULT_WEIGHTS)


def novice(view: RikikiView, rng: Random) -> Action:
    """Choose an action like a novice, who forgets finished tricks and shown voids."""
    return bidding_policy.choose_novice_action(
        view, _make_features(view, mask_of(view.trick)), bidding_policy.DEFAULT_WEIGHTS, rng
    )


def make_features(view: RikikiView) -> bidding_policy.ViewFeatures:
    return _make_features(view, all_of(view.played), view.excluded_cards)


def _make_features(
    view: RikikiView, seen: Cards, excluded_cards: tuple[Cards, ...] = ()
) -> bidding_policy.ViewFeatures:
    turned = 0 if view.trump_card is None else BIT[view.trump_card]
    unseen = PACK_52 & ~(seen | view.hand | turned)
    others = sum(view.sizes) - view.hand.bit_count()
    return bidding_policy.ViewFeatures(
        view.hand, unseen, others / max(1, unseen.bit_count()), view.trump, excluded_cards=excluded_cards
    )


ENDING: Final = Ending(find_unseen_cards, build_state, group_neighbours)
