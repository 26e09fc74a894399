"""Description of a Rifki table in plain text."""

from collections.abc import Iterator
from typing import Final

from cardtable.engine.game import Action
from cardtable.games.rifki.rules import GAME, SEATS, RifkiContract, RifkiView
from cardtable.plain.speech_text import PlainTextSpec, describe_default_turn, to_ascii, to_inline_name
from cardtable.wording.formatting import format_gain
from cardtable.wording.players import Names


def describe_round(view: RifkiView, names: Names) -> Iterator[str]:
    """Yield the contract, its declarer, and a note while hearts may not be led.

    The contract is left out while the view's seat plays to the first trick, since ``turn`` describes it then.
    """
    assert view.declarer is not None
    if view.contract is None:
        yield f"the contract is not declared yet; declarer: {names[view.declarer]}"
        return
    if not _is_playing_first_trick(view):
        yield _format_contract(view, view.contract, names)
    if view.hearts_shut:
        yield "nobody may lead hearts yet while holding another suit"


def _is_playing_first_trick(view: RifkiView) -> bool:
    return view.turn == view.seat and not any(view.won)


def _format_contract(view: RifkiView, contract: RifkiContract, names: Names) -> str:
    """Return the contract with its declarer and points, in a phrase for use within a sentence."""
    assert view.declarer is not None
    return f"{contract.named.words}, declared by {to_inline_name(names[view.declarer])}: {_format_scoring(contract)}"


def _format_scoring(contract: RifkiContract) -> str:
    """Return the points for one scoring unit of a contract in words: ``minus 30 for a heart``."""
    return to_ascii(f"{format_gain(contract.worth)} for {contract.unit}")


def describe_turn(view: RifkiView, names: Names) -> Iterator[str]:
    """Yield what the player on turn has to do: declare, or play to a trick.

    The contract is described when the player is to play to the first trick.
    """
    if view.contract is None:
        yield "you declare the contract"
    elif _is_playing_first_trick(view):
        yield _format_contract(view, view.contract, names)
    yield from describe_default_turn(GAME, view, names)
    if view.contract and any(isinstance(action, RifkiContract) for action in view.legal):
        yield "until you lead, you can declare another contract"


def explain_action(view: RifkiView, _names: Names, action: Action) -> str | None:
    """Return the points of a contract that can be declared; ``None`` for other actions and in changing a contract."""
    return _format_scoring(action) if isinstance(action, RifkiContract) and view.contract is None else None


def list_contracts_left(view: RifkiView) -> Iterator[str]:
    """Yield, for each seat, the number of negative and trump contracts that it has still to declare.

    The contract of the round in progress counts as played once the first card is led.
    """
    for seat in range(SEATS):
        had = view.list_declared(seat)
        if view.playing and view.contract and not view.opening and seat == view.declarer:
            had = (*had, view.contract)
        left = view.options.quota.count_left(had)
        yield f"{left.negative} negative, {left.trump} Koz"


PLAIN_TEXT: Final = PlainTextSpec(
    describe_round,
    describe_turn,
    explained=explain_action,
    verbs={"contract": "declare"},
    contracts_left=list_contracts_left,
)
