"""Cards in words: a text has them in the notation of the journal, and here they are found in it, to be shown."""

import re
from functools import lru_cache
from typing import Final

from cardtable.engine.cards import RANK_TOLD, RANKS, SUIT, SUITS, Card
from cardtable.engine.cards import card as named

SUIT_SIGNS: Final = "\u2663\u2666\u2665\u2660"
"""The suits as signs, in their order."""
STAR: Final = "\u2605"
"""Follows the card that took a trick."""
_CARD: Final = re.compile(rf"\b([{RANKS}][{SUITS}])\b")


def label(card: Card) -> str:
    """A card in running text, such as 10 and a heart."""
    return RANK_TOLD[card] + SUIT_SIGNS[SUIT[card]]


@lru_cache(1024)
def parts(text: str) -> tuple[str | Card, ...]:
    """A text with its cards apart: what stands before, between and after them alternates with them."""
    return tuple([named(part) if place % 2 else part for place, part in enumerate(_CARD.split(text))])


@lru_cache(1024)
def written(text: str) -> str:
    """A text with its cards as they are to be read."""
    return "".join([part if isinstance(part, str) else label(part) for part in parts(text)])
