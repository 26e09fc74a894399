"""Plain text of King, for ``cardtable.plain``."""

from collections.abc import Iterator
from typing import Final

from cardtable.engine.game import Action
from cardtable.engine.text_format import with_count
from cardtable.games.king.rules import GAME
from cardtable.games.king.rules.actions import CLAIM, POSITIVES, SEATS, Naming, Offer
from cardtable.games.king.rules.contracts import (
    CONTRACTS,
    MISER,
    NEG_JAR,
    NO_HEARTS,
    NO_JACKS,
    NO_KING,
    NO_LAST_TWO,
    NO_QUEENS,
    NO_TRICKS,
    POZ_JAR,
    TRICK,
    Contract,
    Kind,
)
from cardtable.games.king.rules.state import KingView
from cardtable.plain.speech_text import PlainTextSpec, by_seat, in_sentence_name, to_ascii
from cardtable.plain.turn_text import default_turn_text
from cardtable.wording.formatting import name_and_verb, signed_plus
from cardtable.wording.players import Names

_UNITS: Final = {
    NO_TRICKS: "a trick",
    NO_HEARTS: "a heart",
    NO_QUEENS: "a queen",
    NO_JACKS: "a jack",
    NO_LAST_TWO: "each of the last two tricks",
    NO_KING: "the king of hearts",
    **dict.fromkeys((NEG_JAR, POZ_JAR), "all that the negative contracts count"),
}
"""Scoring units of the contracts that are not positive."""
_POSITIVE: Final = (
    f"{TRICK} to the dealer for each of the dealer's tricks, "
    f"{TRICK // (SEATS - 1)} to each other player for any other trick"
)


def about(view: KingView, names: Names) -> Iterator[str]:
    """Yield the contract and its dealer, the points of the round, and an offer that is being answered."""
    contract = view.contract
    if contract is None:
        yield f"the contract is not named yet; dealer: {names[view.dealer]}"
        return
    if not _is_in_first_trick(view):
        yield _contract(view, contract, names)
    if view.left:
        yield f"still to take: {with_count(view.left, 'point')}"
    if any(view.points):
        yield f"points of this round: {by_seat(names, list(map(signed_plus, view.points)))}"
    if view.unclaimed:
        offerer, claims = view.bargains[-1]
        yield name_and_verb(
            names[offerer], f"offers to collect {claims[0]} of them", f"offer to collect {claims[0]} of them"
        )


def _is_in_first_trick(view: KingView) -> bool:
    """Return True if the view's seat is to play to the first trick, when ``describe_turn`` explains the contract."""
    return view.turn == view.seat and not view.complete and not view.unclaimed


def _contract(view: KingView, contract: Contract, names: Names) -> str:
    """Describe the contract, with its dealer and scoring."""
    times = "" if contract.weight == 1 else f"; points count {contract.weight} times"
    return f"{contract.named.words}, named by {in_sentence_name(names[view.dealer])}: {_scoring(contract)}{times}"


def _scoring(contract: Contract) -> str:
    """Describe the scoring of a contract: ``minus 4 for a trick``."""
    if contract.kind is Kind.POSITIVE:
        return f"{'the six is the highest card; ' if contract is MISER else ''}{_POSITIVE}"
    one = contract.total if contract.kind is Kind.JAR else contract.tricks or contract.last or contract.cards[0][1]
    return to_ascii(f"{signed_plus(one)} for {_UNITS[contract]}")


def turn(view: KingView, names: Names) -> Iterator[str]:
    """Yield the task of the player to act: naming a contract, answering an offer, or playing to the trick.

    The contract is explained in the first trick.
    """
    contract = view.contract
    if contract is None:
        yield "you name the contract"
        yield "points of negative and positive contracts count 4 times, those of jars once"
        if any(isinstance(action, Naming) and action.contract.kind is Kind.POSITIVE for action in view.legal):
            yield f"Trump, No Trump and Miser are positive: {_POSITIVE}"
    elif view.unclaimed:
        yield f"{with_count(view.unclaimed, 'point')} still to share, else the offer lapses"
    else:
        if _is_in_first_trick(view):
            yield _contract(view, contract, names)
        yield from default_turn_text(GAME, view, names)


def called(view: KingView, action: Action) -> str:
    """Return the text of a claim, with the number of points; empty for other actions."""
    return f"claim all {with_count(view.left, 'point')}" if action == CLAIM else ""


def explained(view: KingView, _names: Names, action: Action) -> str:
    """Explain the scoring of a contract, or the consequence of an offer or claim; empty for other actions."""
    if isinstance(action, Naming):
        again = view.contract is not None
        return "" if again or action.contract.kind is Kind.POSITIVE else _scoring(action.contract)
    if isinstance(action, Offer):
        return f"the points you collect of the {view.left} that are left, if the others share the rest"
    return "which ends the round" if action == CLAIM else ""


def left(view: KingView) -> Iterator[str]:
    """Yield, for each dealer, the contracts left and the number of positive ones.

    A contract counts as played from its first lead on.
    """
    led = view.playing and view.first is not None
    for seat, declared in enumerate(view.declared):
        had = (*declared, view.contract) if led and view.contract and seat == view.dealer else declared
        positive = POSITIVES - sum([contract.kind is Kind.POSITIVE for contract in had])
        once = [c.named.name for c in CONTRACTS if c.kind is not Kind.POSITIVE and c not in had]
        yield ", ".join([*once, f"{positive} positive"])


SPOKEN: Final = PlainTextSpec(about, turn, called, explained, left)
