"""Hints for Rifki: facts about cards and contracts."""

from collections.abc import Sequence
from typing import Final

from cardtable.engine.game import Action, Seat
from cardtable.engine.tricks import Play
from cardtable.games.rifki.rules.contracts import Contract
from cardtable.games.rifki.rules.state import RifkiState, RifkiView
from cardtable.robots.kit.hint_spec import Facts, Goal, HintSpec
from cardtable.robots.kit.search import Candidate
from cardtable.robots.kit.trick_hints import TrickHintSpec, card_facts, contract_facts, expected_points_fact

_LONG: Final = 5
"""Smallest number of cards that makes a trump suit long."""


def sense(view: RifkiView) -> TrickHintSpec:
    """Return what the facts about cards depend on: the trump suit, penalty cards, and whether tricks are wanted.

    Before the declaration nothing is known, and tricks are wanted only in trump contracts.
    """
    contract = view.contract
    if contract is None:
        return TrickHintSpec()
    return TrickHintSpec(contract.trump, wanted=contract.trump is not None, costly=contract.penalties)


def aim(view: RifkiView) -> Goal | None:
    """Return the goal of taking no more penalties; ``None`` in trump contracts and before the declaration."""
    contract = view.contract
    if contract is None or contract.trump is not None:
        return None
    return Goal("{you} take no more penalty points", lambda points: points >= contract.worth * view.counts[view.seat])


def facts(view: RifkiView, candidates: Sequence[Candidate], worlds: Sequence[RifkiState]) -> list[Facts]:
    """Return the facts about each candidate: about contracts before the declaration, else about cards."""
    if view.contract is None:
        return [_of_contract(view, one) for one in candidates]
    return _OF_CARDS(view, candidates, worlds)


def _of_contract(view: RifkiView, one: Candidate) -> Facts:
    contract = one.action
    if not isinstance(contract, Contract):
        return ()
    held = contract_facts(view.hand, contract.trump, contract.penalties, _LONG)
    if not one.points:
        return held
    what = "the tricks" if contract.trump is not None else "the penalties"
    return (*held, expected_points_fact(one.points_of([view.seat]), contract.worth * contract.number, 1, what))


def _collected(state: RifkiState, seat: Seat) -> float:
    if state.playing:
        return state.contract.worth * state.counts()[seat] if state.contract else 0.0
    return state.score.points[seat] if state.score else 0.0


def options(view: RifkiView, _best: Action) -> Sequence[Action]:
    """Return all legal cards in addition to the search's candidates, which already include every contract."""
    return [action for action in view.legal if isinstance(action, Play)]


_OF_CARDS: Final = card_facts("rifki", sense, _collected)
LESSON: Final = HintSpec(facts, aim, options)
