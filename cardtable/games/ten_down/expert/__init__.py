"""Expert of Ten Down: Monte Carlo search, with information set trees (ISMCTS) for the last cards."""

from collections.abc import Sequence
from functools import lru_cache
from random import Random
from typing import Final

from cardtable.engine.cards import COPY, OF_SUIT, PACK_52, TWO_PACKS_32, Card, Cards, mask_of, normalize, union
from cardtable.engine.game import Action
from cardtable.engine.tricks import PLAY, Play, lowest_of_runs
from cardtable.games.ten_down.expert import rollouts as rounds
from cardtable.games.ten_down.policy import sight, skill, steady
from cardtable.games.ten_down.rules import TenDownState, TenDownView, imagine, scored, unseen
from cardtable.robots.kit import bidding_policy
from cardtable.robots.kit.bidding_policy import ViewFeatures, nearest
from cardtable.robots.kit.sampling import rejection_sample
from cardtable.robots.kit.search import SearchSpec, TreeSearchConfig, fixed_rollout, independent_samples

WORLDS: Final = 100
BEHIND: Final = 2.0
"""Number of standard errors behind the best candidate at which a candidate is dropped.

The threshold is low, so that close candidates are evaluated in many worlds.
"""
LATE: Final = 5
"""Largest number of cards in the hand for which trees are grown; with more cards they are too shallow for their cost.
"""
DEEP: Final = TreeSearchConfig(times=3, explore=4.0)
ODD: Final = 0.9
"""Standard deviation, in tricks, of other seats' bids from the tricks expected of their hands, in addition to rounding.
"""
_SUITS: Final = tuple(suit | suit << COPY for suit in OF_SUIT)
"""Cards of each suit, with both copies."""
TRIES: Final = 4
"""Largest number of states drawn by rejection sampling for one sample."""


def rollout(state: TenDownState, _luck: float) -> Sequence[float]:
    """Play the round out and return the points of each seat.

    Missing bids are made and cards are played by the rule policy. ``state`` is changed.
    """
    while state.bidding:
        state.apply(nearest(state.legal(), _expected(state, state.hands[state.turn], state.bids)))
    bids = [state.bid_of(seat) or 0 for seat in range(state.seats)]
    if not state.playing:
        return [scored(bid, won) for bid, won in zip(bids, state.won, strict=True)]
    position = rounds.Position(
        state.hands,
        [bid - won for bid, won in zip(bids, state.won, strict=True)],
        normalize(TWO_PACKS_32 & ~union(state.played)),
        state.trick,
        state.leader,
        state.options.winner(state.trick, state.trump) if state.trick else 0,
        state.trump,
        state.options.identical == "last",
    )
    rounds.play_on(position, skill(state.seats))
    return [scored(bid, bid - need) for bid, need in zip(bids, position.need, strict=True)]


def guess(view: TenDownView, rng: Random) -> TenDownState:
    """Return a random state consistent with ``view``, weighted by the likelihood of the other seats' bids.

    Rejection sampling: if ``MAX_TRIES`` states are rejected, the likeliest of them is returned.
    """

    def tried() -> tuple[float, TenDownState]:
        state = imagine(view, rng)
        likeness = 1.0
        for place, bid in enumerate(state.bids):
            seat = (view.first + place) % state.seats
            if seat != view.seat:
                likeness *= bidding_policy.bid_likelihood(
                    bid, _expected(state, state.dealt[seat], state.bids[:place]), ODD
                )
        return likeness, state

    return rejection_sample(tried, rng, TRIES)


def candidates(view: TenDownView) -> Sequence[Action]:
    """Return the bids worth considering, or the lowest card of each group of equivalent cards."""
    if None in view.bids:
        made = [bid for bid in view.bids if bid is not None]
        return bidding_policy.sensible_bids(view.legal, _expected(view, view.hand, made), sight(view).sure_tricks(view))
    return [PLAY[c] for c in _different(view)]


def dominated(view: TenDownView) -> Sequence[Action]:
    """Return the candidates that are certainly worse than another one."""
    return bidding_policy.dominated(view, sight(view), _different(view))


def rule(view: TenDownView) -> Action:
    """Return the rule policy's action; a card is replaced by the lowest equivalent one."""
    action = steady(view, Random(0))
    return PLAY[max([c for c in _different(view) if c <= action.card])] if isinstance(action, Play) else action


def _different(view: TenDownView) -> Sequence[Card]:
    """Return the lowest card of each group of equivalent legal cards.

    Cards of a suit are equivalent if no unseen card and no card of the trick lies between them.
    """
    legal = mask_of([play.card for play in view.legal if isinstance(play, Play)])
    between = (unseen(view) | mask_of(view.trick)) & PACK_52
    return lowest_of_runs(legal, between | between >> 1)


def _expected(round_: TenDownState | TenDownView, hand: Cards, made: Sequence[int]) -> float:
    """Return the number of tricks that the rule policy would bid with ``hand`` before rounding.

    ``earlier_bids`` lists the bids made before, in order.
    """
    seats, cards = len(round_.totals), round_.cards
    share = (seats - 1) * cards / (TWO_PACKS_32.bit_count() - cards)
    last_wins = round_.options.identical == "last"
    tricks = sum([_tricks(hand & suit, share, round_.trump, last_wins, seats) for suit in _SUITS])
    return tricks - skill(seats).less(cards, made, seats)


@lru_cache(maxsize=1 << 14)
def _tricks(cards: Cards, share: float, trump: int | None, last_wins: bool, seats: int) -> float:
    """Return the tricks that the cards of one suit are expected to take, estimated before the first trick.

    ``share`` is the part of the unseen cards that is in other hands.
    """
    return ViewFeatures(cards, normalize(TWO_PACKS_32 & ~cards), share, trump, last_wins).tricks(skill(seats))


def expected(view: TenDownView) -> float:
    """Return the tricks that the hand of the seat to bid is expected to take, given the bids so far."""
    made = [bid for bid in view.bids if bid is not None]
    return _expected(view, view.hand, made) + skill(len(view.totals)).modesty


def tree_config(view: TenDownView) -> TreeSearchConfig | None:
    """Return the parameters of the tree search; ``None`` if no tree is grown.

    Trees are grown only for plays, and from hands of at most ``MAX_TREE_HAND`` cards.
    """
    return None if None in view.bids or view.hand.bit_count() > LATE else DEEP


GUIDE: Final = SearchSpec(
    independent_samples(guess),
    fixed_rollout(rollout),
    WORLDS,
    candidates,
    dominated=dominated,
    rule=rule,
    drop_threshold=BEHIND,
    tree_config=tree_config,
)
