"""Hints for King: facts about cards, contracts, and offers."""

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from cardtable.engine.cards import SEVEN
from cardtable.engine.game import Action, Seat
from cardtable.engine.tricks import Play
from cardtable.games.king.policy import make_knowledge, steady
from cardtable.games.king.rules import KingState, KingView
from cardtable.games.king.rules.actions import CLAIM, MISER, Kind, KingContract, Naming, Offer, Take
from cardtable.robots.kit.hint_spec import Fact, Facts, Goal, HintSpec
from cardtable.robots.kit.robot import make_policy_chooser
from cardtable.robots.kit.search_spec import Candidate
from cardtable.robots.kit.trick_hints import (
    TrickHintSpec,
    list_contract_facts,
    make_card_facts,
    make_expected_points_fact,
)

_LONG: Final = 4
"""Number of trumps in a hand of nine cards from which the trump suit is called long."""

_LOW: Final = SEVEN
"""Highest rank of a card that is worth keeping to play below other cards."""


def make_trick_hint_spec(view: KingView) -> TrickHintSpec:
    """Return the parameters of the facts on cards.

    Tricks are wanted in contracts that bring points, and high cards take tricks except in Miser.
    """
    contract = view.contract
    if contract is None:
        return TrickHintSpec()
    gains = contract.total_points > 0
    return TrickHintSpec(
        contract.trump,
        wants_tricks=gains,
        penalty_cards=0 if gains else contract.scoring_cards,
        high_cards_win=contract != MISER,
        highest_low_rank=_LOW,
    )


def find_goal(view: KingView) -> Goal | None:
    """Return the goal of taking no more penalty points, in contracts that cost points.

    ``None`` while an offer is answered.
    """
    contract = view.contract
    if contract is None or contract.total_points > 0 or view.unclaimed:
        return None
    return Goal("escape further penalties", lambda seat, points: points >= view.points[seat])


def name_units(view: KingView) -> str:
    return "tricks" if view.contract and view.contract.tricks and not view.contract.scoring_cards else "points"


def list_facts(view: KingView, candidates: Sequence[Candidate], worlds: Sequence[KingState]) -> list[Facts]:
    """Return the facts on each candidate.

    The effects of a card, the points expected in a contract, or the result of an offer.
    """
    card_facts = _list_card_facts(view, candidates, worlds)
    return [_list_action_facts(view, one) or of_card for one, of_card in zip(candidates, card_facts, strict=True)]


def _list_action_facts(view: KingView, candidate: Candidate) -> Facts:
    action = candidate.action
    if isinstance(action, Naming):
        contract = action.contract
        penalty_cards = contract.scoring_cards if contract.total_points < 0 else 0
        facts = list_contract_facts(view.hand, contract.trump, penalty_cards, _LONG)
        if not candidate.points:
            return facts
        own, units = candidate.compute_mean_points([view.seat]), _name_scoring_units(contract)
        return (*facts, make_expected_points_fact(own, contract.total_points, contract.weight, units))
    if action == CLAIM and view.contract is not None:
        if make_knowledge(view, view.contract, sum(view.played)).is_taking_all():
            return (Fact("claim", 1, "takes the tricks that nobody can take from {them}", habit=True),)
        return (Fact("claim", -1, bad="takes all that is left"),)
    if isinstance(action, Offer):
        less, more = f"takes only {action.points}", f"takes {action.points}"
        return (
            Fact("settled", 1, f"settles the round for {action.points} of the {view.points_left} points left"),
            Fact("amount", -action.points, less, more),
        )
    if isinstance(action, Take):
        return _list_answer_facts(view, action.points)
    return ()


def _list_answer_facts(view: KingView, points: int) -> Facts:
    """Return the facts on answering an offer by taking ``points`` points."""
    left = view.unclaimed - points
    if not left:
        return (Fact("agreed", 1, "accepts the offer, which ends the round"),)
    return (Fact("amount", -points, f"takes {points} of the {view.unclaimed} left", f"takes {points}"),)


def _name_scoring_units(contract: KingContract) -> str:
    """Return the name of what scores in a contract."""
    if contract.kind is Kind.POSITIVE:
        return "the tricks"
    return "the penalties" if contract.total_points < 0 else "its points"


def _compute_points_so_far(state: KingState, seat: Seat) -> float:
    return state.points[seat]


def list_alternatives(view: KingView, best: Action) -> Sequence[Action]:
    """Return the alternatives to ``best``: all contracts left if it names one, otherwise all legal cards."""
    kind = Naming if isinstance(best, Naming) else Play
    return [action for action in view.legal if isinstance(action, kind)]


def reopen(view: KingView) -> KingView | None:
    """Return the view of the dealer before the contract was named, until the first lead."""
    others = [action for action in view.legal if isinstance(action, Naming)]
    if view.contract is None or not others:
        return None
    return replace(view, contract=None, legal=(*others, Naming(view.contract)))


_list_card_facts: Final = make_card_facts(make_policy_chooser(steady), make_trick_hint_spec, _compute_points_so_far)
HINT_SPEC: Final = HintSpec(list_facts, find_goal, name_units, list_alternatives, reopen=reopen)
