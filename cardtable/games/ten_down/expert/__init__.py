"""Expert of Ten Down: Monte Carlo search, with information set trees (ISMCTS) for the last cards."""

from collections.abc import Sequence
from functools import lru_cache
from math import fsum
from random import Random
from typing import Final

from cardtable.engine.cards import (
    COPY_OFFSET,
    OF_SUIT,
    PACK_52,
    TWO_PACKS_32,
    Card,
    Cards,
    mask_of,
    normalize_copies,
    unite_piles,
)
from cardtable.engine.game import Action
from cardtable.engine.tricks import PLAY, Play, list_lowest_of_runs
from cardtable.games.ten_down.expert import rollouts as rounds
from cardtable.games.ten_down.policy import get_weights, make_features, steady
from cardtable.games.ten_down.rules import TenDownState, TenDownView, find_unseen_cards, imagine, score_bid
from cardtable.robots.kit import bidding_policy
from cardtable.robots.kit.bidding_policy import ViewFeatures, find_nearest_bid
from cardtable.robots.kit.sampling import sample_by_rejection
from cardtable.robots.kit.search_spec import SearchSpec, TreeSearchConfig, make_rollout_chooser, make_sampler

WORLDS: Final = 100
DROP_THRESHOLD: Final = 2.0
"""Number of standard errors behind the best candidate at which a candidate is dropped.

The threshold is low, so that close candidates are evaluated in many worlds.
"""
MAX_TREE_HAND: Final = 5
"""Largest number of cards in the hand for which trees are grown; with more cards they are too shallow for their cost.
"""
TREE_CONFIG: Final = TreeSearchConfig(world_factor=3, exploration=4.0)
BID_DEVIATION: Final = 0.9
"""Standard deviation, in tricks, of other seats' bids from the tricks expected of their hands, in addition to rounding.
"""
_SUITS_WITH_COPIES: Final = tuple(suit | suit << COPY_OFFSET for suit in OF_SUIT)
"""Cards of each suit, with both copies."""
MAX_TRIES: Final = 4
"""Largest number of states drawn by rejection sampling for one sample."""


def run_rollout(state: TenDownState, _luck: float) -> Sequence[float]:
    """Play the round out and return the points of each seat.

    Missing bids are made and cards are played by the rule policy. ``state`` is changed.
    """
    while state.bidding:
        state.apply(find_nearest_bid(state.legal(), _compute_target_tricks(state, state.hands[state.turn], state.bids)))
    bids = [state.find_bid(seat) or 0 for seat in range(state.seats)]
    if not state.playing:
        return [score_bid(bid, won) for bid, won in zip(bids, state.won, strict=True)]
    position = rounds.Position(
        state.hands,
        [bid - won for bid, won in zip(bids, state.won, strict=True)],
        normalize_copies(TWO_PACKS_32 & ~unite_piles(state.played)),
        state.trick,
        state.leader,
        state.options.find_winner(state.trick, state.trump) if state.trick else 0,
        state.trump,
        state.options.identical == "last",
    )
    rounds.play_out(position, get_weights(state.seats))
    return [score_bid(bid, bid - need) for bid, need in zip(bids, position.need, strict=True)]


def sample_likely_state(view: TenDownView, rng: Random) -> TenDownState:
    """Return a random state consistent with ``view``, weighted by the likelihood of the other seats' bids.

    Rejection sampling: if ``MAX_TRIES`` states are rejected, the likeliest of them is returned.
    """

    def draw_state() -> tuple[float, TenDownState]:
        state = imagine(view, rng)
        likelihood = 1.0
        for place, bid in enumerate(state.bids):
            seat = (view.first + place) % state.seats
            if seat != view.seat:
                likelihood *= bidding_policy.compute_bid_likelihood(
                    bid, _compute_target_tricks(state, state.dealt[seat], state.bids[:place]), BID_DEVIATION
                )
        return likelihood, state

    return sample_by_rejection(draw_state, rng, MAX_TRIES)


def list_candidates(view: TenDownView) -> Sequence[Action]:
    """Return the bids worth considering, or the lowest card of each group of equivalent cards."""
    if None in view.bids:
        made = [bid for bid in view.bids if bid is not None]
        return bidding_policy.list_sensible_bids(
            view.legal, _compute_target_tricks(view, view.hand, made), make_features(view).count_sure_tricks(view)
        )
    return [PLAY[c] for c in _list_distinct_cards(view)]


def list_dominated(view: TenDownView) -> Sequence[Action]:
    return bidding_policy.list_dominated(view, make_features(view), _list_distinct_cards(view))


def choose_by_rule(view: TenDownView) -> Action:
    """Return the rule policy's action; a card is replaced by the lowest equivalent one."""
    action = steady(view, Random(0))
    return (
        PLAY[max([c for c in _list_distinct_cards(view) if c <= action.card])] if isinstance(action, Play) else action
    )


def _list_distinct_cards(view: TenDownView) -> Sequence[Card]:
    """Return the lowest card of each group of equivalent legal cards.

    Cards of a suit are equivalent if no unseen card and no card of the trick lies between them.
    """
    legal = mask_of([play.card for play in view.legal if isinstance(play, Play)])
    between = (find_unseen_cards(view) | mask_of(view.trick)) & PACK_52
    return list_lowest_of_runs(legal, between | between >> 1)


def _compute_target_tricks(round_: TenDownState | TenDownView, hand: Cards, earlier_bids: Sequence[int]) -> float:
    """Return the number of tricks that the rule policy would bid with ``hand`` before rounding.

    ``earlier_bids`` lists the bids made before, in order.
    """
    seats, cards = len(round_.totals), round_.cards
    share = (seats - 1) * cards / (TWO_PACKS_32.bit_count() - cards)
    last_wins = round_.options.identical == "last"
    tricks = fsum(
        [_estimate_suit_tricks(hand & suit, share, round_.trump, last_wins, seats) for suit in _SUITS_WITH_COPIES]
    )
    return tricks - get_weights(seats).compute_reduction(cards, earlier_bids, seats)


@lru_cache(maxsize=1 << 14)
def _estimate_suit_tricks(cards: Cards, share: float, trump: int | None, last_wins: bool, seats: int) -> float:
    """Return the tricks that the cards of one suit are expected to take, estimated before the first trick.

    ``share`` is the part of the unseen cards that is in other hands.
    """
    return ViewFeatures(cards, normalize_copies(TWO_PACKS_32 & ~cards), share, trump, last_wins).estimate_tricks(
        get_weights(seats)
    )


def choose_tree_config(view: TenDownView) -> TreeSearchConfig | None:
    """Return the parameters of the tree search; ``None`` if no tree is grown.

    Trees are grown only for plays, and from hands of at most ``MAX_TREE_HAND`` cards.
    """
    return None if None in view.bids or view.hand.bit_count() > MAX_TREE_HAND else TREE_CONFIG


SEARCH_SPEC: Final = SearchSpec(
    make_sampler(sample_likely_state),
    make_rollout_chooser(run_rollout),
    WORLDS,
    list_candidates,
    dominated=list_dominated,
    rule=choose_by_rule,
    drop_threshold=DROP_THRESHOLD,
    tree_config=choose_tree_config,
    big_mistake=2.0,
)
