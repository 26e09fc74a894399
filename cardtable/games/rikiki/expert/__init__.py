"""Expert of Rikiki: Monte Carlo search with information set trees (ISMCTS) and a model of the other players' hands.

Hidden hands are drawn by Metropolis sampling according to their likelihood given the bids and plays. Bids on one card,
and endings with few possible worlds, are evaluated exactly by enumeration.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from math import exp, fsum
from operator import sub
from random import Random
from typing import Final

from cardtable.engine import determinization, game, tricks
from cardtable.engine.bidding import Bid
from cardtable.engine.cards import PACK_52, Card, Cards, mask_of
from cardtable.engine.game import Action, Seat
from cardtable.engine.tricks import PLAY, Play, list_lowest_of_runs
from cardtable.games.rikiki.expert import rollouts as rounds
from cardtable.games.rikiki.expert.rollouts import OneCardRound
from cardtable.games.rikiki.policy import make_features
from cardtable.games.rikiki.rules import (
    SEATS,
    RikikiState,
    RikikiView,
    build_state,
    find_unseen_cards,
    sample_hands,
    score_bid,
)
from cardtable.robots.kit import bidding_policy
from cardtable.robots.kit.bidding_policy import DEFAULT_WEIGHTS, find_nearest_bid
from cardtable.robots.kit.endgame import follow
from cardtable.robots.kit.sampling import PASSED_OVER, Memo, iter_metropolis_hands, iter_unplayed_groups
from cardtable.robots.kit.search_spec import Outcome, Rollout, SearchSpec, TreeSearchConfig

EAGER_SHARE: Final = 0.5
"""Share of the rollouts in which all seats take the tricks they need as early as possible."""
WORLDS: Final = 120
DROP_THRESHOLD: Final = 2.0
"""Number of standard errors behind the best candidate at which a candidate is dropped.

The threshold is low, so that close candidates are evaluated in many worlds.
"""
MAX_TREE_HAND: Final = 10
"""Largest number of cards in the hand for which trees are grown; with more cards they are too shallow for their cost.
"""
SHORT_HAND: Final = 5
"""Largest number of cards in the hand with which rollouts are so short that many more of them are played."""
BID_SAMPLE_FACTOR: Final = 4
"""Factor on the number of worlds in which a bid is evaluated."""
EXPLORATION: Final = 8.0
MAX_ENUMERATED: Final = 2_000
"""Largest number of possible worlds that are enumerated instead of sampled."""
BID_DEVIATION: Final = 0.65
"""Standard deviation, in tricks, of other seats' bids from the tricks expected of their hands."""
ONE_CARD_BID_DEVIATION: Final = 0.3
"""Standard deviation, in tricks, of bids on one card from the tricks expected of that card, in addition to rounding."""
MIN_BID_LOG_LIKELIHOOD: Final = -5.0
"""Lower bound of the log-likelihood of a bid."""


def make_rollout(view: RikikiView) -> Rollout[RikikiState]:
    """Return a rollout for states that are consistent with ``view``, in which all seats play towards their bids.

    The value of each card is estimated only once for all of these states, with the information of the view's seat. The
    rollout changes the state given to it.
    """
    outlook = rounds.make_hand_caches(view.seat, view.hand, find_unseen_cards(view), view.trump)

    def run_rollout(state: RikikiState, luck: float) -> Sequence[float]:
        while state.bidding:
            expected = _compute_target_tricks(state.hands[state.turn], state.cards, state.trump_card, state.bids)
            state.apply(find_nearest_bid(state.legal(), expected))
        first = SEATS - state.dealer
        bids = state.bids[first:] + state.bids[:first]
        need = list(map(sub, bids, state.won))
        if state.playing:
            rounds.play_out(make_position(state, need, outlook), luck, eager=luck < EAGER_SHARE)
        return [score_bid(bid, bid - left) for bid, left in zip(bids, need, strict=True)]

    return run_rollout


def make_position(
    state: RikikiState, need: list[int], outlook: Sequence[Memo[rounds.HandEstimates]]
) -> rounds.Position:
    """Return the rollout position of a state after the bidding.

    ``need`` holds the tricks that each seat still needs; the rollout updates it in place. ``outlook`` is the result of
    ``make_hand_caches``.
    """
    return rounds.Position(
        [hands[hand] for hands, hand in zip(outlook, state.hands, strict=True)],
        need,
        state.trick,
        state.leader,
        state.order.winner(state.trick) if state.trick else 0,
        state.order.trump,
    )


def sample_worlds(view: RikikiView, rng: Random) -> Iterator[RikikiState]:
    """Yield states in proportion to the likelihood of the other seats' bids and plays, by Metropolis sampling."""
    hands = sample_hands(view, rng)
    aside = find_unseen_cards(view) & ~game.all_of(hands)
    for sample in iter_metropolis_hands(hands, view.seat, aside, view.excluded_cards, make_hand_likelihood(view), rng):
        yield build_state(view, sample)


def make_hand_likelihood(view: RikikiView) -> Callable[[Seat, Cards], float]:
    """Return a function that computes the log-likelihood of another seat's hand, given that seat's bid and plays."""
    evaluate, played = rounds.make_hand_evaluator(view.cards, view.trump_card), view.played
    expected, groups = _infer_expected_tricks(view), _find_passed_over_groups(view)

    def compute_log_likelihood(seat: Seat, hand: Cards) -> float:
        worth = fsum([PASSED_OVER for group in groups[seat] if hand & group])
        if seat in expected:
            off = (expected[seat] - evaluate(hand | played[seat])) / BID_DEVIATION
            worth += max(MIN_BID_LOG_LIKELIHOOD, -off * off / 2)
        return worth

    return compute_log_likelihood


def _infer_expected_tricks(view: RikikiView) -> dict[Seat, float]:
    """Return the tricks expected by each seat that has bid, inferred from its bid and the earlier ones."""
    order = [(view.dealer + index) % SEATS for index in range(SEATS)]
    made = [bid for bid in (view.bids[seat] for seat in order) if bid is not None]
    return {
        seat: bid + DEFAULT_WEIGHTS.compute_crowding(view.cards, made[:index], SEATS)
        for index, (seat, bid) in enumerate(zip(order, made, strict=False))
    }


def _find_passed_over_groups(view: RikikiView) -> list[list[Cards]]:
    """Return, for each seat, the groups of unseen cards that it passed over when it played another card.

    The seat is less likely to hold a card of such a group. The groups of a trick are those of
    ``robots.kit.sampling.iter_unplayed_groups``.
    """
    groups: list[list[Cards]] = [[] for _ in range(SEATS)]
    order, hidden, leader = tricks.order(view.trump), find_unseen_cards(view), view.dealer
    for trick in [*view.past, view.trick] if view.trick else view.past:
        for seat, cards in iter_unplayed_groups(trick, leader, order, SEATS):
            if group := cards & hidden & ~view.excluded_cards[seat]:
                groups[seat].append(group)
        leader = (leader + order.winner(trick)) % SEATS
    return groups


def enumerate_outcomes(view: RikikiView, action: Action) -> Sequence[Outcome] | None:
    """Return all outcomes of a bid on one card or of a play with few possible worlds; ``None`` for other actions.

    Later bids on one card are predicted by the rule policy.
    """
    if isinstance(action, Bid):
        return OneCardRound(view, ONE_CARD_BID_DEVIATION).list_outcomes(action.tricks) if view.cards == 1 else None
    few = enumerate_worlds(view)
    if few is None:
        return None
    rollout = make_rollout(view)
    return [Outcome(chance, rollout(follow(world, action), rounds.RULE_LUCK)) for chance, world in few]


@lru_cache(maxsize=1)
def enumerate_worlds(view: RikikiView) -> list[tuple[float, RikikiState]] | None:
    """Return all states consistent with a view after the bidding, each preceded by its probability.

    ``None`` if there are more than ``MAX_ENUMERATED`` of them.
    """
    possible_hands = determinization.enumerate_hands(
        view.hand, view.seat, find_unseen_cards(view), view.sizes, view.excluded_cards, MAX_ENUMERATED
    )
    if possible_hands is None:
        return None
    deals = list(possible_hands)
    likeness = make_hand_likelihood(view)
    others = [seat for seat in range(SEATS) if seat != view.seat]
    weights = [exp(fsum([likeness(seat, hands[seat]) for seat in others])) for hands in deals]
    total = fsum(weights)
    return [(weight / total, build_state(view, hands)) for weight, hands in zip(weights, deals, strict=True)]


def list_candidates(view: RikikiView) -> Sequence[Action]:
    """Return the bids worth considering, or the lowest card of each group of equivalent cards."""
    if None in view.bids:
        made = [bid for bid in view.bids if bid is not None]
        expected = _compute_target_tricks(view.hand, view.cards, view.trump_card, made)
        return bidding_policy.list_sensible_bids(view.legal, expected, make_features(view).count_sure_tricks(view))
    return [PLAY[c] for c in _list_distinct_cards(view)]


def list_dominated(view: RikikiView) -> Sequence[Action]:
    return bidding_policy.list_dominated(view, make_features(view), _list_distinct_cards(view))


def _list_distinct_cards(view: RikikiView) -> Sequence[Card]:
    """Return the lowest card of each group of equivalent legal cards.

    Cards of a suit are equivalent if no card between them is in the trick or may be in another hand.
    """
    between = PACK_52 & ~view.hand & ~game.all_of(view.played) | mask_of(view.trick)
    return list_lowest_of_runs(mask_of([play.card for play in view.legal if isinstance(play, Play)]), between)


def _compute_target_tricks(hand: Cards, cards: int, trump_card: Card | None, earlier_bids: Sequence[int]) -> float:
    """Return the number of tricks that the rule policy would bid with ``hand`` before rounding.

    ``cards`` is the number of cards in the hand, and ``earlier_bids`` lists the bids made before, in order.
    """
    return rounds.make_hand_evaluator(cards, trump_card)(hand) - DEFAULT_WEIGHTS.compute_reduction(
        cards, earlier_bids, SEATS
    )


def choose_tree_config(view: RikikiView) -> TreeSearchConfig | None:
    """Return the parameters of the tree search; ``None`` for hands above ``MAX_TREE_HAND`` cards.

    Bids and plays with few cards are evaluated in more worlds.
    """
    cards = view.hand.bit_count()
    if cards > MAX_TREE_HAND:
        return None
    if None in view.bids:
        return TreeSearchConfig(BID_SAMPLE_FACTOR, EXPLORATION)
    return TreeSearchConfig(6 if cards <= SHORT_HAND else 2, EXPLORATION)


SEARCH_SPEC: Final = SearchSpec(
    sample_worlds,
    make_rollout,
    WORLDS,
    list_candidates,
    dominated=list_dominated,
    enumerate_outcomes=enumerate_outcomes,
    drop_threshold=DROP_THRESHOLD,
    tree_config=choose_tree_config,
    big_mistake=2.0,
)
