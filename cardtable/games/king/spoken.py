"""King in plain lines."""

from collections.abc import Callable, Iterator
from typing import Final

from cardtable.engine.contract import Action
from cardtable.games.king.rules.actions import CLAIM, POSITIVES, Naming, Offer, Take
from cardtable.games.king.rules.contracts import CONTRACTS, POZ_JAR, Kind
from cardtable.games.king.rules.view import KingView
from cardtable.plain.speech import by_seat, spoken
from cardtable.plain.spoken import Spoken
from cardtable.wording.names import Names


def about(view: KingView, names: Names) -> Iterator[str]:
    """The contract, the dealer, and points."""
    contract = view.contract
    yield f"the contract: {contract.named.words if contract else 'not named yet'}; dealer: {names[view.dealer]}"
    if contract:
        yield from _points(view, names, lambda points: spoken(contract.told(str(points))))


def _points(view: KingView, names: Names, told: Callable[[int], str]) -> Iterator[str]:
    """What there is still to take and what was taken, each ``told`` with how many times it counts."""
    if view.contract == POZ_JAR:
        yield "points are wanted"
    if view.left:
        yield f"still to take: {told(view.left)} points"
    if any(view.points):
        yield f"points of this round: {by_seat(names, list(map(told, view.points)))}"
    if view.unclaimed:
        offerer, claims = view.bargains[-1]
        yield f"{names[offerer]} offers to collect {told(claims[0])}; {told(view.unclaimed)} are still to share"


def explained(view: KingView, action: Action) -> str:
    """The points of a contract for all players together; how those count that are offered, taken or claimed."""
    if isinstance(action, Naming):
        return spoken(action.contract.told(f"{action.contract.total:+}"))
    if view.contract and isinstance(action, Offer | Take):
        return spoken(view.contract.told("")).strip()
    return spoken(view.contract.told(f"{-view.left}")) if view.contract and action == CLAIM else ""


def left(view: KingView) -> Iterator[str]:
    """Which contracts, and how many positive ones; one that was led is gone."""
    led = view.playing and view.first is not None
    for seat, declared in enumerate(view.declared):
        had = (*declared, view.contract) if led and view.contract and seat == view.dealer else declared
        positive = POSITIVES - sum([contract.kind is Kind.POSITIVE for contract in had])
        once = [c.named.name for c in CONTRACTS if c.kind is not Kind.POSITIVE and c not in had]
        yield ", ".join([*once, f"{positive} positive"])


SPOKEN: Final = Spoken(about, explained, left)
