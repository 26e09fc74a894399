"""Description of a King table in plain text."""

from collections.abc import Iterator
from typing import Final

from cardtable.engine.game import Action
from cardtable.engine.text_format import format_count
from cardtable.games.king.rules import GAME, KingView
from cardtable.games.king.rules.actions import (
    CLAIM,
    MISER,
    NEG_JAR,
    NO_HEARTS,
    NO_JACKS,
    NO_KING,
    NO_LAST_TWO,
    NO_QUEENS,
    NO_TRICKS,
    POZ_JAR,
    SEATS,
    TRICK_POINTS,
    Kind,
    KingContract,
    Naming,
    Offer,
    Quota,
    list_kinds_by_number,
    list_remaining_namings,
)
from cardtable.plain.speech_text import PlainTextSpec, describe_default_turn, format_by_seat, to_ascii, to_inline_name
from cardtable.wording.formatting import format_gain, join_name_and_verb
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
    f"{TRICK_POINTS} to the dealer for each of the dealer's tricks, "
    f"{TRICK_POINTS // (SEATS - 1)} to each other player for any other trick"
)


def describe_round(view: KingView, names: Names) -> Iterator[str]:
    """Yield the contract and its dealer, the points of the round, and an offer that is being answered."""
    contract = view.contract
    if contract is None:
        yield f"the contract is not named yet; dealer: {names[view.dealer]}"
        return
    if not _is_playing_first_trick(view):
        yield _format_contract(view, contract, names)
    if view.points_left:
        yield f"still to be taken: {format_count(view.points_left, 'point')}"
    if any(view.points):
        yield f"points of this round: {format_by_seat(names, list(map(format_gain, view.points)))}"
    if view.unclaimed:
        offerer, claims = view.bargains[-1]
        yield join_name_and_verb(
            names[offerer], f"offers to take {claims[0]} of them", f"offer to take {claims[0]} of them"
        )


def _is_playing_first_trick(view: KingView) -> bool:
    """Return True if the view's seat is to play to the first trick, when ``describe_turn`` explains the contract."""
    return view.turn == view.seat and not view.complete and not view.unclaimed


def _format_contract(view: KingView, contract: KingContract, names: Names) -> str:
    """Describe the contract, with its dealer and scoring."""
    times = "" if contract.weight == 1 else f"; points count {contract.weight} times"
    return f"{contract.named.words}, named by {to_inline_name(names[view.dealer])}: {_format_scoring(contract)}{times}"


def _format_scoring(contract: KingContract) -> str:
    """Describe the scoring of a contract: ``minus 4 for a trick``."""
    if contract.kind is Kind.POSITIVE:
        return f"{'the six is the highest card; ' if contract == MISER else ''}{_POSITIVE}"
    return to_ascii(f"{format_gain(contract.unit_points)} for {_UNITS[contract]}")


def describe_turn(view: KingView, names: Names) -> Iterator[str]:
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
        yield f"{format_count(view.unclaimed, 'point')} still to be shared, or play goes on"
    else:
        if _is_playing_first_trick(view):
            yield _format_contract(view, contract, names)
        yield from describe_default_turn(GAME, view, names)
        if any(isinstance(action, Naming) for action in view.legal):
            yield "until you lead, you can name another contract"


def name_action(view: KingView, action: Action) -> str | None:
    return f"claim all {format_count(view.points_left, 'point')}" if action == CLAIM else None


def explain_action(view: KingView, _names: Names, action: Action) -> str | None:
    """Explain the scoring of a contract, or the consequence of an offer or claim; ``None`` for other actions."""
    if isinstance(action, Naming):
        again = view.contract is not None
        return None if again or action.contract.kind is Kind.POSITIVE else _format_scoring(action.contract)
    if isinstance(action, Offer):
        return f"the points you take of the {view.points_left} that are left, if the others share the rest"
    return "this ends the round" if action == CLAIM else None


def list_contracts_left(view: KingView) -> Iterator[str]:
    """Yield, for each dealer, the contracts left and the number of positive ones.

    A contract counts as played from its first lead on.
    """
    led = view.playing and view.first is not None
    for seat, declared in enumerate(view.declared):
        had = (*declared, view.contract) if led and view.contract and seat == view.dealer else declared
        yield _format_contracts_left(had, view.options.quota)


def _format_contracts_left(had: tuple[KingContract, ...], quota: Quota) -> str:
    """List the contracts left to a dealer: ``2 of No Tricks, No King, 1 of Neg Jar, Poz Jar, 1 positive``.

    Contracts of a kind that is played completely are listed without their number.
    """
    left, by_number, parts = quota.count_left(had), list_kinds_by_number(quota), []
    for kind in (Kind.NEGATIVE, Kind.JAR):
        named = [n.contract.named.name for n in list_remaining_namings(had, quota) if n.contract.kind is kind]
        if kind not in by_number:
            parts += named
        elif named:
            parts.append(f"{left.get_number(kind)} of {' / '.join(named)}")
    return ", ".join([*parts, f"{left.positive} positive"])


PLAIN_TEXT: Final = PlainTextSpec(
    describe_round,
    describe_turn,
    name_action,
    explain_action,
    verbs={"contract": "name"},
    contracts_left=list_contracts_left,
)
