"""What is typed, in words that can be compared: cards in notation, however they were told."""

import re
from collections.abc import Sequence
from typing import Final

from cardtable.engine.cards import RANK_WORDS, RANKS, SUITS
from cardtable.plain.speech import RANKS_TOGETHER, SUIT_NAMES

_RANK: Final = {
    **dict(zip(RANK_WORDS, RANKS.lower(), strict=True)),
    **dict(zip(RANKS_TOGETHER, RANKS.lower(), strict=True)),
    **{rank: rank for rank in RANKS.lower()},
    "10": "t",
}
_SUIT: Final = {word: suit for name, suit in zip(SUIT_NAMES, SUITS.lower(), strict=True) for word in (name, name[:-1])}
_SOME_RANKS: Final = rf"(?:{'|'.join(_RANK)})"
_SOME_SUITS: Final = rf"(?:{'|'.join(_SUIT)})"
_SPOKEN: Final = re.compile(
    rf"\b({_SOME_RANKS}(?: (?:and )?{_SOME_RANKS})*) of ({_SOME_SUITS}(?: (?:and )?{_SOME_SUITS})*)\b"
)
"""Cards in words: ``jack queen and king of diamonds``, ``threes of clubs and hearts``."""
_SIGNS: Final = str.maketrans(dict(zip("♣♦♥♠", SUITS.lower(), strict=True)))
_TEN: Final = re.compile(r"\b10(?=[cdhs]\b)")
_CARD: Final = re.compile(rf"[{RANKS.lower()}][{SUITS.lower()}]")
_FILLING: Final = ("and", "the", "to", "of", "on", "with")
"""Words that no action is told from another by."""


def normal(text: str) -> list[str]:
    """The words of what is typed, small, cards in notation however they were told."""
    small = " ".join(re.sub(r"[,;:]", " ", text.lower()).translate(_SIGNS).split())
    small = _TEN.sub("t", _SPOKEN.sub(_in_notation, small))
    return [word for word in small.split() if word not in _FILLING]


def _in_notation(found: re.Match[str]) -> str:
    ranks = [_RANK[word] for word in found[1].split() if word != "and"]
    suits = [_SUIT[word] for word in found[2].split() if word != "and"]
    return " ".join([rank + suit for suit in suits for rank in ranks])


def is_card(word: str) -> bool:
    """Whether a word is a card in notation."""
    return bool(_CARD.fullmatch(word))


def suits_as_letters(words: Sequence[str]) -> list[str]:
    """The words, suits as letters."""
    return [_SUIT.get(word, word) for word in words]


def number_of(word: str) -> int | None:
    """The number that a word is."""
    return int(word[:6]) if word.isascii() and word.isdecimal() else None
