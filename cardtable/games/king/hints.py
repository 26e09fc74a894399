"""King in the coach's words."""

from collections.abc import Sequence
from typing import Final

from cardtable.engine.cards import SEVEN
from cardtable.engine.game import Action, Seat
from cardtable.engine.tricks import Play
from cardtable.games.king.rules.actions import CLAIM, Naming, Offer, Take
from cardtable.games.king.rules.contracts import MISER, Contract, Kind
from cardtable.games.king.rules.state import KingState, KingView
from cardtable.robots.kit.hint_spec import Fact, Facts, Goal, HintSpec
from cardtable.robots.kit.search import Candidate
from cardtable.robots.kit.trick_hints import TrickHintSpec, expected, of_contract, teller

_LONG: Final = 4
"""From how many cards on, of nine, a trump suit is long."""

_LOW: Final = SEVEN
"""The highest rank of a card that is kept to stay under others."""


def sense(view: KingView) -> TrickHintSpec:
    """Tricks are wanted in contracts that gain; in Miser low cards take them."""
    contract = view.contract
    if contract is None:
        return TrickHintSpec()
    gains = contract.total > 0
    return TrickHintSpec(
        contract.trump, wanted=gains, costly=0 if gains else contract.scoring, high=contract is not MISER, low=_LOW
    )


def aim(view: KingView) -> Goal | None:
    """To take no more penalty points; what is answered to an offer is settled."""
    contract = view.contract
    if contract is None or contract.total > 0 or view.unclaimed:
        return None
    return Goal("{you} take no more penalty points", lambda points: points >= view.points[view.seat])


def facts(view: KingView, candidates: Sequence[Candidate], worlds: Sequence[KingState]) -> list[Facts]:
    """Return what cards do, what is to be expected of a contract, and what an offer settles."""
    told = _OF_CARDS(view, candidates, worlds)
    return [_facts(view, one) or of_card for one, of_card in zip(candidates, told, strict=True)]


def _facts(view: KingView, one: Candidate) -> Facts:
    action = one.action
    if isinstance(action, Naming):
        contract, own = action.contract, one.points_of([view.seat]) if one.points else None
        held = of_contract(view.hand, contract.trump, contract.scoring if contract.total < 0 else 0, _LONG)
        return held if own is None else (*held, expected(own, contract.total, contract.weight, _what(contract)))
    if action == CLAIM:
        return (Fact("claim", 1, "every trick to come is {your} own anyway", "collects all that is left"),)
    if isinstance(action, Offer):
        less, more = f"collects only {action.points}", f"collects {action.points}"
        return (
            Fact("settled", 1, f"settles the round for {action.points} of the {view.left} points left"),
            Fact("amount", -action.points, less, more),
        )
    if isinstance(action, Take):
        return _answered(view, action.points)
    return ()


def _answered(view: KingView, points: int) -> Facts:
    """Return what an answer to an offer does."""
    left = view.unclaimed - points
    if not left:
        return (Fact("agreed", 1, "accepts the offer, which ends the round"),)
    return (Fact("amount", -points, f"takes {points} of the {view.unclaimed} left", f"takes {points} yourself"),)


def _what(contract: Contract) -> str:
    """What counts in a contract, in words."""
    if contract.kind is Kind.POSITIVE:
        return "the tricks"
    return "the penalties" if contract.total < 0 else "its points"


def _collected(state: KingState, seat: Seat) -> float:
    return state.points[seat]


def options(view: KingView, best: Action) -> Sequence[Action]:
    """Return all contracts that are left, or all cards."""
    kind = Naming if isinstance(best, Naming) else Play
    return [action for action in view.legal if isinstance(action, kind)]


_OF_CARDS: Final = teller("king", sense, _collected)
LESSON: Final = HintSpec(facts, aim, options)
