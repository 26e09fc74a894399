"""Rifki in plain lines."""

from collections.abc import Iterator
from typing import Final

from cardtable.engine.game import Action
from cardtable.games.rifki.rules import GAME
from cardtable.games.rifki.rules.contracts import NEGATIVES, SEATS, TRUMPS, Contract
from cardtable.games.rifki.rules.state import RifkiView
from cardtable.plain.speech_text import PlainTextSpec, letters, whom
from cardtable.plain.turn_text import usual
from cardtable.wording.formatting import gained
from cardtable.wording.players import Names


def about(view: RifkiView, names: Names) -> Iterator[str]:
    """The contract, who declares, and whether hearts may be led."""
    assert view.declarer is not None
    if view.contract is None:
        yield f"the contract is not declared yet; declarer: {names[view.declarer]}"
        return
    if not _begins(view):
        yield _contract(view, view.contract, names)
    if view.hearts_shut:
        yield "hearts may not be led yet by a player who holds another suit"


def _begins(view: RifkiView) -> bool:
    """Whether this seat is to play to the first trick, so that its turn tells what counts."""
    return view.turn == view.seat and not any(view.won)


def _contract(view: RifkiView, contract: Contract, names: Names) -> str:
    """What is played, who declared it, and what counts."""
    assert view.declarer is not None
    return f"{contract.named.words}, declared by {whom(names[view.declarer])}: {_counts(contract)}"


def _counts(contract: Contract) -> str:
    """What counts in a contract: ``minus 30 for a heart``."""
    return letters(f"{gained(contract.worth)} for {contract.unit}")


def turn(view: RifkiView, names: Names) -> Iterator[str]:
    """What the contract counts, to begin with; the trick."""
    if view.contract is None:
        yield "you declare the contract"
    elif _begins(view):
        yield _contract(view, view.contract, names)
    yield from usual(GAME, view, names)


def explained(view: RifkiView, _names: Names, action: Action) -> str:
    """What counts in a contract, unless that was told when the first one was declared."""
    return _counts(action) if isinstance(action, Contract) and view.contract is None else ""


def left(view: RifkiView) -> Iterator[str]:
    """How many contracts of each kind; one that was led is gone."""
    for seat in range(SEATS):
        had = view.declared_by(seat)
        if view.playing and view.contract and not view.opening and seat == view.declarer:
            had = (*had, view.contract)
        koz = sum([contract.trump is not None for contract in had])
        yield f"{NEGATIVES - len(had) + koz} negative, {TRUMPS - koz} Koz"


SPOKEN: Final = PlainTextSpec(about, turn, explained=explained, left=left)
