"""Gurka in plain lines."""

from collections.abc import Iterator
from typing import Final

from cardtable.games.gurka.rules import GAME, GurkaView
from cardtable.plain.speech_text import PlainTextSpec
from cardtable.plain.turn_text import why, winning
from cardtable.wording.players import Names


def about(view: GurkaView, names: Names) -> Iterator[str]:
    """What ends the session, the dealer, and whether an ace binds."""
    yield f"the session ends above {view.options.limit} points; dealer: {names[view.dealer]}"
    if view.bound:
        yield "an ace is down: only lowest cards may follow"


def turn(view: GurkaView, names: Names) -> Iterator[str]:
    """The card to head, and why only some may be played."""
    trick = GAME.trick(view)
    yield f"{winning(trick, names)} is the highest card" if trick and trick.lying else "you lead"
    yield from why(GAME, view, follows=False)


SPOKEN: Final = PlainTextSpec(about, turn)
