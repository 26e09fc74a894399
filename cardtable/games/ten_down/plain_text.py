"""Ten Down in plain lines."""

from collections.abc import Iterator
from typing import Final

from cardtable.engine.text_format import counted
from cardtable.games.ten_down.rules import TenDownView
from cardtable.plain.speech_text import SUIT_NAMES, PlainTextSpec
from cardtable.wording.players import Names


def about(view: TenDownView, names: Names) -> Iterator[str]:
    """The cards, trump, and who begins."""
    trump = "" if view.trump is None else f", {SUIT_NAMES[view.trump]} are trump"
    yield f"{counted(view.cards, 'card')} each{trump}; first to bid and lead: {names[view.first]}"


SPOKEN: Final = PlainTextSpec(about)
