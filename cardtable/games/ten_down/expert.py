"""Expert of Ten Down: Monte Carlo search, with information set trees (ISMCTS) for the last cards.

In a rollout each seat plays the card that brings it closest to its bid. The probabilities are those of
``robots/kit/bidding_policy.py``, tabulated. Sets of cards in rollouts are normalised sets of a double pack
(``engine/cards.py``).
"""

from collections.abc import Sequence
from functools import lru_cache
from math import fsum
from random import Random
from typing import Final, NamedTuple, TypeAlias

import msgspec

from cardtable.engine.cards import (
    BIT,
    COPY_OFFSET,
    OF_SUIT,
    PACK_52,
    SUIT,
    TWO_PACKS_32,
    Card,
    Cards,
    mask_of,
    normalize_copies,
    unite_piles,
)
from cardtable.engine.game import Action, Seat
from cardtable.engine.tricks import PLAY, Play, compute_beating_cards, list_lowest_of_runs
from cardtable.games.ten_down.policy import get_weights, make_features, steady
from cardtable.games.ten_down.rules import GAME, TenDownState, TenDownView, find_unseen_cards, score_bid
from cardtable.robots.kit import bidding_policy
from cardtable.robots.kit.bidding_policy import (
    PolicyWeights,
    ViewFeatures,
    Weight,
    estimate_probability,
    find_nearest_bid,
)
from cardtable.robots.kit.search import sample_by_rejection
from cardtable.robots.kit.search_spec import SearchSpec, TreeSearchConfig, make_rollout_chooser, make_sampler

_SHARE_STEPS: Final = 20
"""Number of steps into which the share of unseen cards that are in other hands is divided."""
_TABLE_SIZE: Final = 17
"""Size of the tables: one more than the number of cards of a suit."""

Table: TypeAlias = list[list[list[float]]]
"""Probabilities that a card takes a trick: ``table[cards of the suit in the hand][unseen cards][twice the unseen cards
above]``.

An identical unseen card counts as half a card above, hence the doubled index.
"""


class Position(msgspec.Struct):
    """Position after the bidding; ``hands``, ``need`` and ``unseen`` change as the round is played."""

    hands: list[Cards]
    need: list[int]
    """Number of tricks that each seat still needs; negative if it has taken too many."""
    unseen: Cards
    """Cards that have not been played, including those that were not dealt."""
    trick: Sequence[Card]
    leader: Seat
    winning: int
    """Index of the card that is winning the trick; 0 if the trick is empty."""
    trump: int | None
    last_wins: bool
    """True if the later of two identical cards in a trick is the higher one."""


@lru_cache(maxsize=512)
def _make_table(weight: Weight, share: int, *, trump: bool) -> Table:
    """Tabulate the estimate of ``bidding_policy`` for one set of weights.

    ``share`` is the part of the unseen cards that is in other hands, in steps of 1 / ``_SHARE_STEPS``.
    """
    part = share / _SHARE_STEPS
    return [
        [
            [
                estimate_probability(weight, part, (mine, twice / 2, out - twice / 2), is_trump=trump)
                for twice in range(2 * out + 1)
            ]
            for out in range(_TABLE_SIZE)
        ]
        for mine in range(_TABLE_SIZE)
    ]


class SkillTables(NamedTuple):
    """Weights of the rule policy for one round, those of the estimates as tables."""

    keeping: Sequence[Table]
    """Tables for cards that are kept, by suit."""
    leading: Sequence[Table]
    """Tables for cards that are led, by suit."""
    risk_weight: float
    """Weight of the variance of the tricks."""


@lru_cache(maxsize=512)
def _tabulate_skill(skill: PolicyWeights, trump: int | None, share: int) -> SkillTables:
    keeping, leading = [
        [
            _make_table(weights[2 if trump is None else 0 if suit == trump else 1], share, trump=suit == trump)
            for suit in range(4)
        ]
        for weights in (skill.keeping, skill.leading)
    ]
    return SkillTables(keeping, leading, skill.risk)


def play_out(position: Position, skill: PolicyWeights) -> None:
    """Play the round out in place, each seat towards its bid.

    Afterwards ``position.need`` holds the number of tricks by which each seat has missed its bid.
    """
    hands, need, trump = position.hands, position.need, position.trump
    seats, unseen = len(hands), position.unseen
    size = hands[position.leader].bit_count()
    share = min(_SHARE_STEPS, round(_SHARE_STEPS * size * (seats - 1) / max(1, unseen.bit_count() - size)))
    tables, beats = _tabulate_skill(skill, trump, share), compute_beating_cards(trump)
    played, seat = len(position.trick), (position.leader + len(position.trick)) % seats
    best = position.trick[position.winning] % COPY_OFFSET if played else Card(0)
    taker = (position.leader + position.winning) % seats
    led = OF_SUIT[SUIT[position.trick[0]]] if played else 0
    while True:
        hand = hands[seat]
        low = hand & PACK_52
        legal = (low & led or low) if played else low
        takes = 0
        if played:
            takes = beats[best] | (BIT[best] if position.last_wins else 0)
        if legal & (legal - 1):
            after = skill.heading * (seats - 1 - played)
            bit = _choose_card(position, hand, legal, takes if played else None, after, need[seat], tables)
        else:
            bit = legal
        card = bit.bit_length() - 1
        if not played:
            led, best, taker = OF_SUIT[SUIT[card]], Card(card), seat
        elif bit & takes:
            best, taker = Card(card), seat
        second = bit << COPY_OFFSET
        hands[seat] ^= second if hand & second else bit
        position.unseen ^= second if position.unseen & second else bit
        played += 1
        if played < seats:
            seat = (seat + 1) % seats
            continue
        need[taker] -= 1
        seat, played = taker, 0
        if not hands[seat]:
            return


def _choose_card(
    position: Position,
    hand: Cards,
    legal: Cards,
    takes: Cards | None,
    win_exponent: float,
    need: int,
    tables: SkillTables,
) -> Cards:
    """Return the legal card, as a bit, after which the expected tricks are closest to ``need``.

    ``takes`` holds the cards that would head the trick; ``None`` on a lead. ``win_exponent`` is the power to which the
    probability of a led card is raised for a card that heads the trick.
    """
    keeping, leading, risk_weight = tables
    low, high = hand & PACK_52, hand >> COPY_OFFSET
    all_high = position.unseen >> COPY_OFFSET
    out_low = (all_high & ~high) | (position.unseen & PACK_52 & ~low)
    out_high = all_high & ~low
    alike = 0 if position.last_wins else 2
    expected = risk = 0.0
    options = []
    for suit, members in enumerate(OF_SUIT):
        own = low & members
        if not own:
            continue
        out, more = out_low & members, out_high & members
        mine, number = own.bit_count() + (high & members).bit_count(), out.bit_count() + more.bit_count()
        keeping_row, leading_row = keeping[suit][mine][number], leading[suit][mine][number]
        while own:
            bit = own & -own
            own ^= bit
            card = bit.bit_length() - 1
            rest = out >> card
            twice, same = 2 * (rest.bit_count() + (more >> card).bit_count()), rest & 1
            kept_chance = keeping_row[twice - same]
            copies = 2 if high & bit else 1
            expected += copies * kept_chance
            risk += copies * kept_chance * (1 - kept_chance)
            if bit & legal:
                options.append((bit, kept_chance, leading_row[twice - alike * same]))
    choice, least = 0, 1e9
    for bit, kept_chance, led_chance in options:
        takes_it = led_chance if takes is None else led_chance**win_exponent if bit & takes else 0.0
        off = need - takes_it - expected + kept_chance
        bad = off * off + risk_weight * (risk - kept_chance * (1 - kept_chance) + takes_it * (1 - takes_it))
        if bad < least:
            choice, least = bit, bad
    return choice


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
    position = Position(
        state.hands,
        [bid - won for bid, won in zip(bids, state.won, strict=True)],
        normalize_copies(TWO_PACKS_32 & ~unite_piles(state.played)),
        state.trick,
        state.leader,
        state.options.find_winner(state.trick, state.trump) if state.trick else 0,
        state.trump,
        state.options.identical == "last",
    )
    play_out(position, get_weights(state.seats))
    return [score_bid(bid, bid - need) for bid, need in zip(bids, position.need, strict=True)]


def sample_likely_state(view: TenDownView, rng: Random) -> TenDownState:
    """Return a random state consistent with ``view``, weighted by the likelihood of the other seats' bids.

    Rejection sampling: if ``MAX_TRIES`` states are rejected, the likeliest of them is returned.
    """

    def draw_state() -> tuple[float, TenDownState]:
        state = GAME.imagine(view, rng)
        likelihood = 1.0
        for index, bid in enumerate(state.bids):
            seat = (view.first + index) % state.seats
            if seat != view.seat:
                expected = _compute_target_tricks(state, state.dealt[seat], state.bids[:index])
                likelihood *= bidding_policy.compute_bid_likelihood(bid, expected, BID_DEVIATION)
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
    return make_features(view).list_dominated(view)


def choose_by_rule(view: TenDownView) -> Action:
    """Return the rule policy's action; a card is replaced by the lowest equivalent one."""
    action = steady(view, Random(0))
    if not isinstance(action, Play):
        return action
    return PLAY[max([c for c in _list_distinct_cards(view) if c <= action.card])]


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
