"""Description of a Rifki table in plain text."""

from collections.abc import Iterator
from typing import Final

from cardtable.engine.game import Action
from cardtable.games.rifki.rules import GAME
from cardtable.games.rifki.rules.contracts import NEGATIVES, SEATS, TRUMPS, Contract
from cardtable.games.rifki.rules.state import RifkiView
from cardtable.plain.speech_text import PlainTextSpec, in_sentence_name, to_ascii
from cardtable.plain.turn_text import default_turn_text
from cardtable.wording.formatting import signed_plus
from cardtable.wording.players import Names


def about(view: RifkiView, names: Names) -> Iterator[str]:
    """Yield the contract, its declarer, and a note while hearts may not be led.

    The contract is left out while the view's seat plays to the first trick, since ``turn`` describes it then.
    """
    assert view.declarer is not None
    if view.contract is None:
        yield f"the contract is not declared yet; declarer: {names[view.declarer]}"
        return
    if not _begins(view):
        yield _contract(view, view.contract, names)
    if view.hearts_shut:
        yield "hearts may not be led yet by a player who holds another suit"


def _begins(view: RifkiView) -> bool:
    return view.turn == view.seat and not any(view.won)


def _contract(view: RifkiView, contract: Contract, names: Names) -> str:
    """Return the contract with its declarer and points, in a phrase for use within a sentence."""
    assert view.declarer is not None
    return f"{contract.named.words}, declared by {in_sentence_name(names[view.declarer])}: {_counts(contract)}"


def _counts(contract: Contract) -> str:
    """Return the points for one scoring unit of a contract in words: ``minus 30 for a heart``."""
    return to_ascii(f"{signed_plus(contract.worth)} for {contract.unit}")


def turn(view: RifkiView, names: Names) -> Iterator[str]:
    """Yield what the player on turn has to do: declare, or play to a trick.

    The contract is described when the player is to play to the first trick.
    """
    if view.contract is None:
        yield "you declare the contract"
    elif _begins(view):
        yield _contract(view, view.contract, names)
    yield from default_turn_text(GAME, view, names)


def explained(view: RifkiView, _names: Names, action: Action) -> str:
    """Return the points of a contract that can be declared; empty for other actions and when changing a contract."""
    return _counts(action) if isinstance(action, Contract) and view.contract is None else ""


def left(view: RifkiView) -> Iterator[str]:
    """Yield, for each seat, the number of negative and trump contracts that it has still to declare.

    The contract of the round in progress counts as played once the first card is led.
    """
    for seat in range(SEATS):
        had = view.declared_by(seat)
        if view.playing and view.contract and not view.opening and seat == view.declarer:
            had = (*had, view.contract)
        koz = sum([contract.trump is not None for contract in had])
        yield f"{NEGATIVES - len(had) + koz} negative, {TRUMPS - koz} Koz"


SPOKEN: Final = PlainTextSpec(about, turn, explained=explained, contracts_left=left)
