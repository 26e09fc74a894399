"""Ten Down for the searcher."""

from collections.abc import Sequence
from functools import lru_cache
from random import Random
from typing import Final

from cardtable.engine.cards import COPY, OF_SUIT, PACK_52, TWO_PACKS_32, Card, Cards, mask_of, normalize, union
from cardtable.engine.game import Action
from cardtable.engine.tricks import PLAY, Play, touching
from cardtable.games.ten_down.expert import rollouts as rounds
from cardtable.games.ten_down.policy import sight, skill, steady
from cardtable.games.ten_down.rules import TenDownState, TenDownView, imagine, scored, unseen
from cardtable.robots.kit import bidding_policy
from cardtable.robots.kit.bidding_policy import ViewFeatures, nearest
from cardtable.robots.kit.sampling import rejection_sample
from cardtable.robots.kit.search import SearchSpec, TreeSearchConfig, fixed_rollout, independent_samples

WORLDS: Final = 100
BEHIND: Final = 2.0
"""Standard errors by which a candidate may fall behind: few, so that what is close gets many worlds."""
LATE: Final = 5
"""Cards in the hand with which trees are grown; of more they see too little for their time."""
DEEP: Final = TreeSearchConfig(times=3, explore=4.0)
ODD: Final = 0.9
"""How odd a bid is that is so much off what the hand should take, beyond rounding."""
_SUITS: Final = tuple(suit | suit << COPY for suit in OF_SUIT)
"""Both copies of the cards of each suit."""
TRIES: Final = 4
"""Worlds that are imagined at most to find one in which the bids are not odd."""


def rollout(state: TenDownState, _luck: float) -> Sequence[float]:
    """Points of the round when all play on towards their bids."""
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
    """A world in which the others' bids are not odd."""

    def tried() -> tuple[float, TenDownState]:
        state = imagine(view, rng)
        likeness = 1.0
        for place, bid in enumerate(state.bids):
            seat = (view.first + place) % state.seats
            if seat != view.seat:
                likeness *= bidding_policy.likeliness(bid, _expected(state, state.dealt[seat], state.bids[:place]), ODD)
        return likeness, state

    return rejection_sample(tried, rng, TRIES)


def candidates(view: TenDownView) -> Sequence[Action]:
    """The bids that are worth a look; of cards that come to the same the lowest."""
    if None in view.bids:
        made = [bid for bid in view.bids if bid is not None]
        return bidding_policy.sensible(view.legal, _expected(view, view.hand, made), sight(view).sure_tricks(view))
    return [PLAY[c] for c in _different(view)]


def dominated(view: TenDownView) -> Sequence[Action]:
    """Return the candidates that another one beats beyond doubt."""
    return bidding_policy.dominated(view, sight(view), _different(view))


def rule(view: TenDownView) -> Action:
    """What the rule policy does, of cards that come to the same the lowest."""
    action = steady(view, Random(0))
    return PLAY[max([c for c in _different(view) if c <= action.card])] if isinstance(action, Play) else action


def _different(view: TenDownView) -> Sequence[Card]:
    """Of the cards that may be played and come to the same, the lowest."""
    legal = mask_of([play.card for play in view.legal if isinstance(play, Play)])
    between = (unseen(view) | mask_of(view.trick)) & PACK_52
    return touching(legal, between | between >> 1)


def _expected(round_: TenDownState | TenDownView, hand: Cards, made: Sequence[int]) -> float:
    """What a hand should bid after the bids that were made."""
    seats, cards = len(round_.totals), round_.cards
    share = (seats - 1) * cards / (TWO_PACKS_32.bit_count() - cards)
    last_wins = round_.options.identical == "last"
    tricks = sum([_tricks(hand & suit, share, round_.trump, last_wins, seats) for suit in _SUITS])
    return tricks - skill(seats).less(cards, made, seats)


@lru_cache(maxsize=1 << 14)
def _tricks(cards: Cards, share: float, trump: int | None, last_wins: bool, seats: int) -> float:
    """The tricks that the cards of a suit should take, before the first one."""
    return ViewFeatures(cards, normalize(TWO_PACKS_32 & ~cards), share, trump, last_wins).tricks(skill(seats))


def expected(view: TenDownView) -> float:
    """Return the tricks that the hand of the seat to bid should take after the bids that were made."""
    made = [bid for bid in view.bids if bid is not None]
    return _expected(view, view.hand, made) + skill(len(view.totals)).modesty


def deep(view: TenDownView) -> TreeSearchConfig | None:
    """Trees for the last cards that are played."""
    return None if None in view.bids or view.hand.bit_count() > LATE else DEEP


GUIDE: Final = SearchSpec(
    independent_samples(guess),
    fixed_rollout(rollout),
    WORLDS,
    candidates,
    dominated=dominated,
    rule=rule,
    drop_threshold=BEHIND,
    deep=deep,
)
