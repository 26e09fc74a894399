"""Rifki in plain lines."""

from collections.abc import Iterator
from typing import Final

from cardtable.games.rifki.rules.contracts import NEGATIVES, SEATS, TRUMPS
from cardtable.games.rifki.rules.view import RifkiView
from cardtable.plain.spoken import Spoken
from cardtable.wording.names import Names


def about(view: RifkiView, names: Names) -> Iterator[str]:
    """The contract, who declares, and whether hearts may be led."""
    called = "not declared yet" if view.contract is None else view.contract.named.words
    assert view.declarer is not None
    yield f"the contract: {called}; declarer: {names[view.declarer]}"
    if view.hearts_shut:
        yield "hearts may not be led yet by who holds another suit"


def left(view: RifkiView) -> Iterator[str]:
    """How many contracts of each kind; one that was led is gone."""
    for seat in range(SEATS):
        had = view.declared_by(seat)
        if view.playing and view.contract and not view.opening and seat == view.declarer:
            had = (*had, view.contract)
        koz = sum([contract.trump is not None for contract in had])
        yield f"{NEGATIVES - len(had) + koz} negative, {TRUMPS - koz} Koz"


SPOKEN: Final = Spoken(about, left=left)
