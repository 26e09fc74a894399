"""Rifki for the searcher."""

from collections.abc import Sequence
from random import Random
from typing import Final

from cardtable.engine.cards import BIT, OF_SUIT, PACK_52, Card, Cards, mask_of
from cardtable.engine.game import Action, all_of
from cardtable.engine.tricks import PLAY, Play, touching
from cardtable.games.rifki.expert.rollouts import Position, collect, dodge
from cardtable.games.rifki.policy import steady
from cardtable.games.rifki.rules.contracts import NEGATIVE, NEGATIVES, SEATS, TIMES, TRUMPS, Contract
from cardtable.games.rifki.rules.state import RifkiState, RifkiView, imagine
from cardtable.robots.kit.search import SearchSpec, fixed_rollout, independent_samples

WORLDS: Final = 100
TRUMP_LATER: Final = {(2, 3): 93.0, (2, 2): 68.0, (2, 1): 17.0, (1, 3): 149.0, (1, 2): 126.0, (1, 1): 70.0}
"""By the trump contracts and the negative ones that are left to a declarer: what a trump contract, kept for later,
brings more than a negative one against the others, while ``KINDS`` of these may still be played, ..."""
KINDS: Final = 5
FEWER_KINDS: Final = 7.0
"""... and what it brings more for each kind fewer."""


def rollout(state: RifkiState, _luck: float) -> Sequence[float]:
    """Points of the round when all play on by estimates."""
    if not state.playing:
        assert state.score is not None
        return state.score.points
    contract, step = state.contract, state.step
    assert contract is not None
    seats = [step * place % SEATS for place in range(SEATS)]
    position = _position(state, seats)
    more = dodge(position, contract) if contract.trump is None else collect(position, contract.trump)
    counts = state.counts()
    return [contract.worth * (counts[seat] + more[seats[seat]]) for seat in range(SEATS)]


def _position(state: RifkiState, seats: Sequence[int]) -> Position:
    """The round by places; a seat and its place change into one another in the same way."""
    out = all_of(state.hands)
    voids = [
        sum([1 << seats[seat] for seat in range(SEATS) if not out & members & ~state.lacks[seat]])
        for members in OF_SUIT
    ]
    trick = state.trick
    return Position(
        hands=[state.hands[seat] for seat in seats],
        voids=voids,
        complete=sum(state.won),
        place=seats[state.turn],
        played=len(trick),
        led=state.led,
        best=BIT[trick[state.order.winner(trick)]] if trick else 0,
        taker=(seats[state.leader] + state.order.winner(trick)) % SEATS if trick else 0,
        lying=(mask_of(trick) & state.penalties).bit_count(),
        hearts_shut=state.hearts_shut,
        any_opens=state.options.hearts_unlock == "any",
        overruffs=state.overruffs,
    )


def candidates(view: RifkiView) -> Sequence[Action]:
    """Contracts, or of the cards that come to the same the lowest."""
    if view.contract is None:
        return view.legal
    penalties = view.contract.penalties
    return [PLAY[c] for some in (penalties, PACK_52 ^ penalties) for c in _different(view, some)]


def rule(view: RifkiView) -> Action | None:
    """The card that the rule policy plays, or rather the lowest that comes to the same; it does not say a contract."""
    if view.contract is None:
        return None
    action, penalties = steady(view, Random(0)), view.contract.penalties
    assert isinstance(action, Play)
    some = penalties if action.cards_used() & penalties else PACK_52 ^ penalties
    return PLAY[max([c for c in _different(view, some) if c <= action.card])]


def _different(view: RifkiView, some: Cards) -> Sequence[Card]:
    """Of the cards of ``some`` that may be played and come to the same, the lowest."""
    legal = mask_of([play.card for play in view.legal if isinstance(play, Play)])
    between = PACK_52 & ~view.hand & ~all_of(view.played) | mask_of(view.trick)
    return touching(legal & some, between)


def later(view: RifkiView, action: Action) -> float:
    """What a negative contract, declared now, keeps for later: a trump contract in its place.

    That of one kind one fewer is left to play hurts all declarers alike, so that it does not count.
    """
    if not isinstance(action, Contract) or action.trump is not None:
        return 0.0
    own = view.declared_by(view.seat)
    trumps = TRUMPS - sum([contract.trump is not None for contract in own])
    kinds = sum([view.declared.count(contract) < TIMES for contract in NEGATIVE])
    left = NEGATIVES - len(own) + TRUMPS - trumps
    return TRUMP_LATER[trumps, left] + FEWER_KINDS * (KINDS - kinds) if trumps else 0.0


GUIDE: Final = SearchSpec(
    independent_samples(imagine), fixed_rollout(rollout), WORLDS, candidates, future_value=later, rule=rule
)
