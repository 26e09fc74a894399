"""Expert of Rifki: Monte Carlo search with rollouts that play by the estimates of the rule policy."""

from collections.abc import Sequence
from random import Random
from typing import Final

from cardtable.engine.cards import BIT, OF_SUIT, PACK_52, Card, Cards, mask_of
from cardtable.engine.game import Action, all_of
from cardtable.engine.tricks import PLAY, Play, list_lowest_of_runs
from cardtable.games.rifki.expert.rollouts import Position, play_negative, play_trump
from cardtable.games.rifki.policy import steady
from cardtable.games.rifki.rules.contracts import NEGATIVE_CONTRACTS, SEATS, TIMES_EACH, RifkiContract
from cardtable.games.rifki.rules.state import RifkiState, RifkiView, imagine
from cardtable.robots.kit.search_spec import SearchSpec, make_rollout_chooser, make_sampler

WORLDS: Final = 100
KEPT_TRUMP_VALUES: Final = {(2, 3): 93.0, (2, 2): 68.0, (2, 1): 17.0, (1, 3): 149.0, (1, 2): 126.0, (1, 1): 70.0}
"""Value of keeping a trump contract for a later round by declaring a negative one, in points relative to the others.

The key is the number of trump and of negative contracts left to the declarer. The values hold if ``USUAL_KINDS`` of the
six negative contracts may still be played.
"""
USUAL_KINDS: Final = 5
MISSING_KIND_VALUE: Final = 7.0
"""Increase of ``KEPT_TRUMP_VALUES`` for each playable negative contract fewer than ``USUAL_KINDS``, in points."""


def run_rollout(state: RifkiState, _luck: float) -> Sequence[float]:
    """Play the round out, all seats by the estimates of the policy, and return the points of each seat.

    ``state`` is not changed. If its round is finished, the points of that round are returned.
    """
    if not state.playing:
        assert state.score is not None
        return state.score.points
    contract, step = state.contract, state.step
    assert contract is not None
    seats = [step * place % SEATS for place in range(SEATS)]
    position = _make_position(state, seats)
    more = play_negative(position, contract) if contract.trump is None else play_trump(position, contract.trump)
    counts = state.count_units()
    return [contract.worth * (counts[seat] + more[seats[seat]]) for seat in range(SEATS)]


def _make_position(state: RifkiState, seats: Sequence[int]) -> Position:
    """Return the rollout position of a state.

    ``seats`` maps seats to places in order of play. It is its own inverse, so that it also maps places to seats.
    """
    out = all_of(state.hands)
    voids = [
        sum([1 << seats[seat] for seat in range(SEATS) if not out & members & ~state.excluded_cards[seat]])
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


def list_candidates(view: RifkiView) -> Sequence[Action]:
    """Return all legal actions before the declaration, else the lowest card of each group of equivalent cards.

    Penalty cards are never equivalent to other cards.
    """
    if view.contract is None:
        return view.legal
    penalties = view.contract.penalties
    return [PLAY[c] for some in (penalties, PACK_52 ^ penalties) for c in _list_distinct_cards(view, some)]


def choose_by_rule(view: RifkiView) -> Action | None:
    """Return the rule policy's card, replaced by the lowest equivalent one; ``None`` before the declaration."""
    if view.contract is None:
        return None
    action, penalties = steady(view, Random(0)), view.contract.penalties
    assert isinstance(action, Play)
    some = penalties if action.cards_used() & penalties else PACK_52 ^ penalties
    return PLAY[max([c for c in _list_distinct_cards(view, some) if c <= action.card])]


def _list_distinct_cards(view: RifkiView, among: Cards) -> Sequence[Card]:
    """Return the lowest card of each group of equivalent legal cards in ``among``.

    Cards of a suit are equivalent if no card of another hand or of the trick lies between them.
    """
    legal = mask_of([play.card for play in view.legal if isinstance(play, Play)])
    between = PACK_52 & ~view.hand & ~all_of(view.played) | mask_of(view.trick)
    return list_lowest_of_runs(legal & among, between)


def estimate_future_value(view: RifkiView, action: Action) -> float:
    """Return the future value of a declaration, in points; 0 unless it keeps a trump contract for a later round.

    The effect on the number of playable contracts is ignored, since it affects all declarers alike.
    """
    if not isinstance(action, RifkiContract) or action.trump is not None:
        return 0.0
    left = view.options.quota.count_left(view.list_declared(view.seat))
    kinds = sum([view.declared.count(contract) < TIMES_EACH for contract in NEGATIVE_CONTRACTS])
    if not left.trump:
        return 0.0
    return KEPT_TRUMP_VALUES[left.trump, left.negative] + MISSING_KIND_VALUE * (USUAL_KINDS - kinds)


SEARCH_SPEC: Final = SearchSpec(
    make_sampler(imagine),
    make_rollout_chooser(run_rollout),
    WORLDS,
    list_candidates,
    future_value=estimate_future_value,
    rule=choose_by_rule,
    big_mistake=20.0,
)
