"""Rikiki for the searcher."""

from collections.abc import Sequence
from random import Random
from typing import Final

from cardtable.engine.cards import BIT, PACK_52, SUIT, Card, Cards, of
from cardtable.engine.contract import Action
from cardtable.engine.piles import all_of
from cardtable.engine.tricks import PLAY, Play, touching
from cardtable.games.rikiki import SEATS, RikikiState, RikikiView, imagine, scored
from cardtable.robots.experts import exact
from cardtable.robots.policies.exact import USUAL, Sight
from cardtable.robots.search import Guide


def rollout(state: RikikiState, _luck: float) -> Sequence[float]:
    """Points of the round when all play on towards their bids."""
    while state.bidding:
        expected = _expected(state.hands[state.turn], state.cards, state.trump_card, state.bids)
        state.apply(exact.nearest(state.legal(), expected))
    bids = [state.bid_of(seat) or 0 for seat in range(SEATS)]
    if not state.playing:
        return [scored(bid, won) for bid, won in zip(bids, state.won, strict=True)]
    turned = 0 if state.trump_card is None else BIT[state.trump_card]
    position = exact.Position(
        state.hands,
        [bid - won for bid, won in zip(bids, state.won, strict=True)],
        PACK_52 & ~turned & ~all_of(state.played),
        state.trick,
        state.leader,
        state.order.winner(state.trick) if state.trick else 0,
        state.order.trump,
    )
    exact.play_on(position, USUAL)
    return [scored(bid, bid - need) for bid, need in zip(bids, position.need, strict=True)]


def guess(view: RikikiView, rng: Random) -> RikikiState:
    """A world in which the others' bids are not odd."""

    def tried() -> tuple[float, RikikiState]:
        state = imagine(view, rng)
        likeness = 1.0
        for place, bid in enumerate(state.bids):
            seat = (view.dealer + place) % SEATS
            if seat != view.seat:
                expected = _expected(state.dealt[seat], view.cards, view.trump_card, state.bids[:place])
                likeness *= exact.likeliness(bid, expected)
        return likeness, state

    return exact.likely(tried, rng)


def candidates(view: RikikiView) -> Sequence[Action]:
    """The bids that are worth a look; of cards that come to the same the lowest."""
    if None in view.bids:
        made = [bid for bid in view.bids if bid is not None]
        return exact.sensible(view.legal, _expected(view.hand, view.cards, view.trump_card, made))
    out = PACK_52 & ~view.hand & ~all_of(view.played)
    legal = of([play.card for play in view.legal if isinstance(play, Play)])
    return [PLAY[c] for c in touching(legal, out)]


def _expected(hand: Cards, cards: int, trump_card: Card | None, made: Sequence[int]) -> float:
    """What a hand should bid."""
    turned = 0 if trump_card is None else BIT[trump_card]
    unseen = PACK_52 & ~hand & ~turned
    share = (SEATS - 1) * cards / unseen.bit_count()
    trump = None if trump_card is None else SUIT[trump_card]
    return exact.worth_bidding(Sight(hand, unseen, share, trump), USUAL, cards, made, SEATS)


GUIDE: Final = Guide(guess, rollout, exact.WORLDS, candidates)
