"""Expert of Rikiki: Monte Carlo search with information set trees (ISMCTS) and a model of the other players' hands.

Hidden hands are drawn by Metropolis sampling according to their likelihood given the bids and plays. Bids on one card,
and endings with few possible worlds, are evaluated exactly by enumeration.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from math import exp
from operator import sub
from random import Random
from typing import Final

from cardtable.engine import determinization, game, tricks
from cardtable.engine.bidding import Bid
from cardtable.engine.cards import PACK_52, Card, Cards, mask_of
from cardtable.engine.game import Action, Seat
from cardtable.engine.tricks import PLAY, Play, lowest_of_runs
from cardtable.games.rikiki.expert import rollouts as rounds
from cardtable.games.rikiki.expert.rollouts import OneCard
from cardtable.games.rikiki.policy import sight
from cardtable.games.rikiki.rules import SEATS, RikikiState, RikikiView, guess, scored, state_of, unseen
from cardtable.robots.kit import bidding_policy
from cardtable.robots.kit.bidding_policy import USUAL, nearest
from cardtable.robots.kit.sampling import PASSED_OVER, Memo, metropolis_hands, unplayed_groups
from cardtable.robots.kit.search import Outcome, Rollout, SearchSpec, TreeSearchConfig

EAGER: Final = 0.5
"""Share of the rollouts in which all seats take the tricks they need as early as possible."""
WORLDS: Final = 120
BEHIND: Final = 2.0
"""Number of standard errors behind the best candidate at which a candidate is dropped.

The threshold is low, so that close candidates are evaluated in many worlds.
"""
DEEP: Final = 10
"""Largest number of cards in the hand for which trees are grown; with more cards they are too shallow for their cost.
"""
LATE: Final = 5
"""Largest number of cards in the hand with which rollouts are so short that many more of them are played."""
BIDDING: Final = 4
"""Factor on the number of worlds in which a bid is evaluated."""
EXPLORE: Final = 8.0
FEW: Final = 2_000
"""Largest number of possible worlds that are enumerated instead of sampled."""
ODD: Final = 0.65
"""Standard deviation, in tricks, of other seats' bids from the tricks expected of their hands."""
ODD_OF_ONE: Final = 0.3
"""Standard deviation, in tricks, of bids on one card from the tricks expected of that card, in addition to rounding."""
OUTRIGHT: Final = -5.0
"""Lower bound of the log-likelihood of a bid."""


def make_rollout(view: RikikiView) -> Rollout[RikikiState]:
    """Return a rollout for states that are consistent with ``view``, in which all seats play towards their bids.

    The value of each card is estimated only once for all of these states, with the information of the view's seat. The
    rollout changes the state given to it.
    """
    outlook = rounds.outlook(view.seat, view.hand, unseen(view), view.trump)

    def rollout(state: RikikiState, luck: float) -> Sequence[float]:
        while state.bidding:
            expected = _expected(state.hands[state.turn], state.cards, state.trump_card, state.bids)
            state.apply(nearest(state.legal(), expected))
        first = SEATS - state.dealer
        bids = state.bids[first:] + state.bids[:first]
        need = list(map(sub, bids, state.won))
        if state.playing:
            rounds.play_on(rollout_position(state, need, outlook), luck, eager=luck < EAGER)
        return [scored(bid, bid - left) for bid, left in zip(bids, need, strict=True)]

    return rollout


def rollout_position(state: RikikiState, need: list[int], outlook: Sequence[Memo[rounds.Hand]]) -> rounds.Round:
    """Return the rollout position of a state after the bidding.

    ``need`` holds the tricks that each seat still needs; the rollout updates it in place. ``outlook`` is the result of
    ``make_hand_caches``.
    """
    return rounds.Round(
        [hands[hand] for hands, hand in zip(outlook, state.hands, strict=True)],
        need,
        state.trick,
        state.leader,
        state.order.winner(state.trick) if state.trick else 0,
        state.order.trump,
    )


def likely_worlds(view: RikikiView, rng: Random) -> Iterator[RikikiState]:
    """Yield states in proportion to the likelihood of the other seats' bids and plays, by Metropolis sampling."""
    hands = guess(view, rng)
    aside = unseen(view) & ~game.all_of(hands)
    for found in metropolis_hands(hands, view.seat, aside, view.excluded_cards, likely(view), rng):
        yield state_of(view, found)


def likely(view: RikikiView) -> Callable[[Seat, Cards], float]:
    """Return a function that computes the log-likelihood of another seat's hand, given that seat's bid and plays."""
    judged, played, bids, groups = rounds.judge(view.cards, view.trump_card), view.played, _aims(view), _groups(view)

    def likeness(seat: Seat, hand: Cards) -> float:
        worth = sum([PASSED_OVER for group in groups[seat] if hand & group])
        if seat in bids:
            off = (bids[seat] - judged(hand | played[seat])) / ODD
            worth += max(OUTRIGHT, -off * off / 2)
        return worth

    return likeness


def _aims(view: RikikiView) -> dict[Seat, float]:
    """Return the tricks expected by each seat that has bid, inferred from its bid and the earlier ones."""
    order = [(view.dealer + place) % SEATS for place in range(SEATS)]
    made = [bid for bid in (view.bids[seat] for seat in order) if bid is not None]
    return {
        seat: bid + USUAL.taken(view.cards, made[:place], SEATS)
        for place, (seat, bid) in enumerate(zip(order, made, strict=False))
    }


def _groups(view: RikikiView) -> list[list[Cards]]:
    """Return, for each seat, the groups of unseen cards that it passed over when it played another card.

    The seat is less likely to hold a card of such a group. The groups of a trick are those of
    ``robots.kit.sampling.unplayed_groups``.
    """
    found: list[list[Cards]] = [[] for _ in range(SEATS)]
    order, hidden, leader = tricks.order(view.trump), unseen(view), view.dealer
    for trick in [*view.past, view.trick] if view.trick else view.past:
        for seat, cards in unplayed_groups(trick, leader, order, SEATS):
            if group := cards & hidden & ~view.excluded_cards[seat]:
                found[seat].append(group)
        leader = (leader + order.winner(trick)) % SEATS
    return found


def enumerate_outcomes(view: RikikiView, action: Action) -> Sequence[Outcome] | None:
    """Return all outcomes of a bid on one card or of a play with few possible worlds; ``None`` for other actions.

    Later bids on one card are predicted by the rule policy.
    """
    if isinstance(action, Bid):
        return OneCard(view, ODD_OF_ONE).outcomes(action.tricks) if view.cards == 1 else None
    few = few_worlds(view)
    if few is None:
        return None
    rollout = make_rollout(view)
    return [Outcome(chance, rollout(_after(world, action), rounds.BY_RULE)) for chance, world in few]


@lru_cache(maxsize=1)
def few_worlds(view: RikikiView) -> list[tuple[float, RikikiState]] | None:
    """Return all states consistent with a view after the bidding, each preceded by its probability.

    ``None`` if there are more than ``MAX_ENUMERATED`` of them.
    """
    found = determinization.enumerate_hands(view.hand, view.seat, unseen(view), view.sizes, view.excluded_cards, FEW)
    if found is None:
        return None
    likeness = likely(view)
    others = [seat for seat in range(SEATS) if seat != view.seat]
    weights = [exp(sum([likeness(seat, hands[seat]) for seat in others])) for hands in found]
    total = sum(weights)
    return [(weight / total, state_of(view, hands)) for weight, hands in zip(weights, found, strict=True)]


def _after(world: RikikiState, action: Action) -> RikikiState:
    after = world.copy()
    after.apply(action)
    return after


def candidates(view: RikikiView) -> Sequence[Action]:
    """Return the bids worth considering, or the lowest card of each group of equivalent cards."""
    if None in view.bids:
        made = [bid for bid in view.bids if bid is not None]
        expected = _expected(view.hand, view.cards, view.trump_card, made)
        return bidding_policy.sensible_bids(view.legal, expected, sight(view).sure_tricks(view))
    return [PLAY[c] for c in _different(view)]


def dominated(view: RikikiView) -> Sequence[Action]:
    """Return the candidates that are certainly worse than another one."""
    return bidding_policy.dominated(view, sight(view), _different(view))


def _different(view: RikikiView) -> Sequence[Card]:
    """Return the lowest card of each group of equivalent legal cards.

    Cards of a suit are equivalent if no card between them is in the trick or may be in another hand.
    """
    between = PACK_52 & ~view.hand & ~game.all_of(view.played) | mask_of(view.trick)
    return lowest_of_runs(mask_of([play.card for play in view.legal if isinstance(play, Play)]), between)


def _expected(hand: Cards, cards: int, trump_card: Card | None, made: Sequence[int]) -> float:
    """Return the number of tricks that the rule policy would bid with ``hand`` before rounding.

    ``cards`` is the number of cards in the hand, and ``earlier_bids`` lists the bids made before, in order.
    """
    return rounds.judge(cards, trump_card)(hand) - USUAL.less(cards, made, SEATS)


def expected(view: RikikiView) -> float:
    """Return the tricks that the hand of the seat to bid is expected to take, given the bids so far."""
    made = [bid for bid in view.bids if bid is not None]
    return rounds.judge(view.cards, view.trump_card)(view.hand) - USUAL.taken(view.cards, made, SEATS)


def tree_config(view: RikikiView) -> TreeSearchConfig | None:
    """Return the parameters of the tree search; ``None`` for hands above ``MAX_TREE_HAND`` cards.

    Bids and plays with few cards are evaluated in more worlds.
    """
    cards = view.hand.bit_count()
    if cards > DEEP:
        return None
    if None in view.bids:
        return TreeSearchConfig(BIDDING, EXPLORE)
    return TreeSearchConfig(6 if cards <= LATE else 2, EXPLORE)


GUIDE: Final = SearchSpec(
    likely_worlds,
    make_rollout,
    WORLDS,
    candidates,
    dominated=dominated,
    enumerate_outcomes=enumerate_outcomes,
    drop_threshold=BEHIND,
    tree_config=tree_config,
)
