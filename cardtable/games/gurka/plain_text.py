"""Description of a Gurka table in plain text."""

from collections.abc import Iterator
from typing import Final

from cardtable.games.gurka.rules import GAME, GurkaView
from cardtable.plain.speech_text import PlainTextSpec, describe_winning_card, explain_restrictions
from cardtable.wording.players import Names


def describe_round(view: GurkaView, names: Names) -> Iterator[str]:
    """Yield the limit and the dealer, and a note if an ace has been played to the trick."""
    yield f"the session ends above {view.options.limit} points; dealer: {names[view.dealer]}"
    if view.bound:
        yield "an ace has been played: everyone after it must play their lowest card"


def describe_turn(view: GurkaView, names: Names) -> Iterator[str]:
    """Yield the card to head, and the reason why some cards cannot be played."""
    trick = GAME.trick(view)
    yield f"{describe_winning_card(trick, names)} is the highest card" if trick.lying else "you lead"
    yield from explain_restrictions(GAME, view, must_follow=False)


PLAIN_TEXT: Final = PlainTextSpec(describe_round, describe_turn)
