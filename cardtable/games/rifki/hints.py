"""Hints for Rifki: facts about cards and contracts."""

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from cardtable.engine.game import Action, Seat
from cardtable.games.rifki.policy import steady
from cardtable.games.rifki.rules import RifkiContract, RifkiState, RifkiView
from cardtable.robots.kit.endgame import filter_plays
from cardtable.robots.kit.hint_spec import Facts, Goal, HintSpec
from cardtable.robots.kit.robot import make_policy_chooser
from cardtable.robots.kit.search_spec import Candidate
from cardtable.robots.kit.trick_hints import (
    TrickHintSpec,
    list_contract_facts,
    make_card_facts,
    make_expected_points_fact,
)

_LONG_SUIT: Final = 5
"""Smallest number of cards that makes a trump suit long."""


def make_trick_hint_spec(view: RifkiView) -> TrickHintSpec:
    """Return what the facts about cards depend on: the trump suit, penalty cards, and whether tricks are wanted.

    Before the declaration nothing is known, and tricks are wanted only in trump contracts.
    """
    contract = view.contract
    if contract is None:
        return TrickHintSpec()
    return TrickHintSpec(contract.trump, wants_tricks=contract.trump is not None, penalty_cards=contract.penalties)


def find_goal(view: RifkiView) -> Goal | None:
    """Return the goal of taking no more penalties; ``None`` in trump contracts and before the declaration."""
    contract = view.contract
    if contract is None or contract.trump is not None:
        return None
    return Goal("escape further penalties", lambda seat, points: points >= contract.worth * view.counts[seat])


def name_units(view: RifkiView) -> str:
    return "points" if view.contract is None else "penalty cards" if view.contract.penalties else "tricks"


def list_facts(view: RifkiView, candidates: Sequence[Candidate], worlds: Sequence[RifkiState]) -> list[Facts]:
    """Return the facts about each candidate: about contracts before the declaration, else about cards."""
    if view.contract is None:
        return [_list_contract_facts(view, one) for one in candidates]
    return _list_card_facts(view, candidates, worlds)


def _list_contract_facts(view: RifkiView, candidate: Candidate) -> Facts:
    contract = candidate.action
    if not isinstance(contract, RifkiContract):
        return ()
    facts = list_contract_facts(view.hand, contract.trump, contract.penalties, _LONG_SUIT)
    if not candidate.points:
        return facts
    own, total = candidate.compute_mean_points([view.seat]), contract.worth * contract.number
    units = "the tricks" if contract.trump is not None else "the penalties"
    return (*facts, make_expected_points_fact(own, total, 1, units))


def _compute_points_so_far(state: RifkiState, seat: Seat) -> float:
    if state.playing:
        return state.contract.worth * state.counts[seat] if state.contract else 0.0
    return state.score.points[seat] if state.score else 0.0


def list_alternatives(view: RifkiView, _best: Action) -> Sequence[Action]:
    """Return all legal cards in addition to the search's candidates, which already include every contract."""
    return filter_plays(view.legal)


def reopen(view: RifkiView) -> RifkiView | None:
    """Return the view of the declarer before the declaration, until the first lead."""
    others = [action for action in view.legal if isinstance(action, RifkiContract)]
    if view.contract is None or not others:
        return None
    return replace(view, contract=None, opening=False, hearts_shut=False, legal=(*others, view.contract))


_list_card_facts: Final = make_card_facts(make_policy_chooser(steady), make_trick_hint_spec, _compute_points_so_far)
HINT_SPEC: Final = HintSpec(list_facts, find_goal, name_units, list_alternatives, reopen=reopen)
