"""Description of a Ten Down table in plain text."""

from collections.abc import Iterator
from typing import Final

from cardtable.engine.text_format import format_count
from cardtable.games.ten_down.rules import TenDownView
from cardtable.plain.speech_text import SUIT_NAMES, PlainTextSpec
from cardtable.wording.players import Names


def describe_round(view: TenDownView, names: Names) -> Iterator[str]:
    """Yield one sentence with the number of cards, the trump suit, and the seat that bids and leads first."""
    trump = "" if view.trump is None else f", {SUIT_NAMES[view.trump]} are trump"
    yield f"{format_count(view.cards, 'card')} each{trump}; first to bid and lead: {names[view.first]}"


PLAIN_TEXT: Final = PlainTextSpec(describe_round)
