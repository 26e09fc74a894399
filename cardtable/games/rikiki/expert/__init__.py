"""Rikiki for the searcher."""

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
from cardtable.engine.tricks import PLAY, Play, touching
from cardtable.games.rikiki.expert import rollouts as rounds
from cardtable.games.rikiki.expert.rollouts import OneCard
from cardtable.games.rikiki.policy import sight
from cardtable.games.rikiki.rules import SEATS, RikikiState, RikikiView, guess, scored, state_of, unseen
from cardtable.robots.kit import bidding_policy
from cardtable.robots.kit.bidding_policy import USUAL, nearest
from cardtable.robots.kit.sampling import PASSED_OVER, Memo, metropolis_hands, unplayed_groups
from cardtable.robots.kit.search import Outcome, Rollout, SearchSpec, TreeSearchConfig

EAGER: Final = 0.5
"""The part of the worlds in which all take tricks as soon as they can: 0.2 ± 0.2 points against simple robots."""
WORLDS: Final = 120
BEHIND: Final = 2.0
"""Standard errors by which a candidate may fall behind: few, so that what is close gets many worlds."""
DEEP: Final = 10
"""Cards in the hand with which trees are grown; of more they would see too little for their time."""
LATE: Final = 5
"""Cards with which playouts are so short that many pay."""
BIDDING: Final = 4
"""How many times as many worlds a bid gets: with trees, 0.54 ± 0.20 points a deal of 10 cards."""
EXPLORE: Final = 8.0
FEW: Final = 2_000
"""Worlds that are all looked at, where there are no more."""
ODD: Final = 0.65
"""How odd a bid is that is so much off what the hand should take: the standard deviation that others show."""
ODD_OF_ONE: Final = 0.3
"""The same of a bid on one card: 0.1 ± 0.05 points ahead of 0.6, against simple robots and others."""
OUTRIGHT: Final = -5.0
"""The logarithm of how likely any bid is, however odd."""


def make_rollout(view: RikikiView) -> Rollout[RikikiState]:
    """What all cards are good for as the seat of the view sees it, when all play on towards their bids."""
    outlook = rounds.outlook(view.seat, view.hand, unseen(view), view.trump)

    def rollout(state: RikikiState, luck: float) -> Sequence[float]:
        while state.bidding:
            expected = _expected(state.hands[state.turn], state.cards, state.trump_card, state.bids)
            state.apply(nearest(state.legal(), expected))
        first = SEATS - state.dealer
        bids = state.bids[first:] + state.bids[:first]
        need = list(map(sub, bids, state.won))
        if state.playing:
            rounds.play_on(laid_out(state, need, outlook), luck, eager=luck < EAGER)
        return [scored(bid, bid - left) for bid, left in zip(bids, need, strict=True)]

    return rollout


def laid_out(state: RikikiState, need: list[int], outlook: Sequence[Memo[rounds.Hand]]) -> rounds.Round:
    """A round in which a card is to be played, for seats that need so many tricks; ``need`` changes with it."""
    return rounds.Round(
        [hands[hand] for hands, hand in zip(outlook, state.hands, strict=True)],
        need,
        state.trick,
        state.leader,
        state.order.winner(state.trick) if state.trick else 0,
        state.order.trump,
    )


def likely_worlds(view: RikikiView, rng: Random) -> Iterator[RikikiState]:
    """Worlds as likely as what the others have bid and played makes them."""
    hands = guess(view, rng)
    aside = unseen(view) & ~game.all_of(hands)
    for found in metropolis_hands(hands, view.seat, aside, view.voids, likely(view), rng):
        yield state_of(view, found)


def likely(view: RikikiView) -> Callable[[Seat, Cards], float]:
    """What tells the logarithm of how likely another seat holds a hand, after its bid and what it played."""
    judged, played, bids, groups = rounds.judge(view.cards, view.trump_card), view.played, _aims(view), _groups(view)

    def likeness(seat: Seat, hand: Cards) -> float:
        worth = sum([PASSED_OVER for group in groups[seat] if hand & group])
        if seat in bids:
            off = (bids[seat] - judged(hand | played[seat])) / ODD
            worth += max(OUTRIGHT, -off * off / 2)
        return worth

    return likeness


def _aims(view: RikikiView) -> dict[Seat, float]:
    """By seat that has bid the tricks that its hand should take, going by the bid."""
    order = [(view.dealer + place) % SEATS for place in range(SEATS)]
    made = [bid for bid in (view.bids[seat] for seat in order) if bid is not None]
    return {
        seat: bid + USUAL.taken(view.cards, made[:place], SEATS)
        for place, (seat, bid) in enumerate(zip(order, made, strict=False))
    }


def _groups(view: RikikiView) -> list[list[Cards]]:
    """By seat the unseen cards that it passed over, in groups."""
    found: list[list[Cards]] = [[] for _ in range(SEATS)]
    order, hidden, leader = tricks.order(view.trump), unseen(view), view.dealer
    for trick in [*view.past, view.trick] if view.trick else view.past:
        for seat, cards in unplayed_groups(trick, leader, order, SEATS):
            if group := cards & hidden & ~view.voids[seat]:
                found[seat].append(group)
        leader = (leader + order.winner(trick)) % SEATS
    return found


def counted(view: RikikiView, action: Action) -> Sequence[Outcome] | None:
    """All that may come of a bid on one card, where the coming bids are those of the rule policy, or of an ending."""
    if isinstance(action, Bid):
        return OneCard(view, ODD_OF_ONE).outcomes(action.tricks) if view.cards == 1 else None
    few = few_worlds(view)
    if few is None:
        return None
    rollout = make_rollout(view)
    return [Outcome(chance, rollout(_after(world, action), rounds.BY_RULE)) for chance, world in few]


@lru_cache(maxsize=1)
def few_worlds(view: RikikiView) -> list[tuple[float, RikikiState]] | None:
    """All worlds after the bids, each with how likely it is, if they are few."""
    found = determinization.enumerate_hands(view.hand, view.seat, unseen(view), view.sizes, view.voids, FEW)
    if found is None:
        return None
    likeness = likely(view)
    others = [seat for seat in range(SEATS) if seat != view.seat]
    weights = [exp(sum([likeness(seat, hands[seat]) for seat in others])) for hands in found]
    whole = sum(weights)
    return [(weight / whole, state_of(view, hands)) for weight, hands in zip(weights, found, strict=True)]


def _after(world: RikikiState, action: Action) -> RikikiState:
    after = world.copy()
    after.apply(action)
    return after


def candidates(view: RikikiView) -> Sequence[Action]:
    """The bids that are worth a look; of cards that come to the same the lowest."""
    if None in view.bids:
        made = [bid for bid in view.bids if bid is not None]
        expected = _expected(view.hand, view.cards, view.trump_card, made)
        return bidding_policy.sensible(view.legal, expected, sight(view).sure_tricks(view))
    return [PLAY[c] for c in _different(view)]


def dominated(view: RikikiView) -> Sequence[Action]:
    """Return the candidates that another one beats beyond doubt."""
    return bidding_policy.dominated(view, sight(view), _different(view))


def _different(view: RikikiView) -> Sequence[Card]:
    """Return the lowest of the cards that may be played and come to the same."""
    between = PACK_52 & ~view.hand & ~game.all_of(view.played) | mask_of(view.trick)
    return touching(mask_of([play.card for play in view.legal if isinstance(play, Play)]), between)


def _expected(hand: Cards, cards: int, trump_card: Card | None, made: Sequence[int]) -> float:
    """What a hand should bid after such bids, as the rule policy has it."""
    return rounds.judge(cards, trump_card)(hand) - USUAL.less(cards, made, SEATS)


def expected(view: RikikiView) -> float:
    """Return the tricks that the hand of the seat to bid should take after the bids that were made."""
    made = [bid for bid in view.bids if bid is not None]
    return rounds.judge(view.cards, view.trump_card)(view.hand) - USUAL.taken(view.cards, made, SEATS)


def deep(view: RikikiView) -> TreeSearchConfig | None:
    """Trees where playouts are not too long, and more worlds for bids and where playouts are short."""
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
    enumerate_outcomes=counted,
    drop_threshold=BEHIND,
    deep=deep,
)
