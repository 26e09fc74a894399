"""Description of a Rikiki table in plain text."""

from collections.abc import Iterator
from typing import Final

from cardtable.engine.cards import SUIT
from cardtable.engine.text_format import format_count
from cardtable.games.rikiki.rules import RikikiView
from cardtable.plain.speech_text import SUIT_NAMES, PlainTextSpec
from cardtable.wording.players import Names


def describe_round(view: RikikiView, names: Names) -> Iterator[str]:
    """Yield one sentence with the number of cards, the trump suit and the dealer."""
    trump = "no trump" if view.trump_card is None else f"{SUIT_NAMES[SUIT[view.trump_card]]} are trump"
    yield f"{format_count(view.cards, 'card')} each, {trump}; dealer: {names[view.dealer]}"


PLAIN_TEXT: Final = PlainTextSpec(describe_round)
