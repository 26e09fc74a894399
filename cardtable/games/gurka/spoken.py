"""Gurka in plain lines."""

from collections.abc import Iterator
from typing import Final

from cardtable.games.gurka.rules import GurkaView
from cardtable.plain.spoken import Spoken
from cardtable.wording.names import Names


def about(view: GurkaView, names: Names) -> Iterator[str]:
    """What ends the session, the dealer, and whether an ace binds."""
    yield f"over {view.options.limit} points end the session; dealer: {names[view.dealer]}"
    if view.bound:
        yield "an ace lies: only a lowest card may follow"


SPOKEN: Final = Spoken(about)
