"""Words for the ear, in ASCII: cards, hands and messages as somebody would say them.

Cards are told in words (``queen of hearts``); what is to be typed stays in the notation of
the journal (``QH``), and either may be typed.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from cardtable.engine.cards import RANK, SUIT, SUIT_WORDS, SUITS, Card
from cardtable.engine.contract import Note
from cardtable.engine.notes import Said
from cardtable.wording.cards import SUIT_SIGNS, parts
from cardtable.wording.notes import in_sentence, teller, told

SUIT_NAMES: Final = tuple(f"{word}s" for word in SUIT_WORDS)
RANK_NAMES: Final = (*map(str, range(2, 11)), "jack", "queen", "king", "ace")
_SIGNS: Final = dict(zip(SUIT_SIGNS, SUITS, strict=True))
_SIGN: Final = re.compile(rf"(?<=[\dTJQKA])[{SUIT_SIGNS}]")
_ASCII: Final = str.maketrans(
    {
        "×": "times ",
        "−": "-",
        "–": "-",
        "…": "...",
        **dict(zip(SUIT_SIGNS, SUIT_NAMES, strict=True)),
    }
)


def letters(text: str) -> str:
    """Text of ours without the signs that not every terminal and reader has: ``K♥`` as ``KH``."""
    return _SIGN.sub(lambda found: _SIGNS[found[0]], text).translate(_ASCII)


def card(which: Card) -> str:
    """A card in words: ``queen of hearts``."""
    return f"{RANK_NAMES[RANK[which]]} of {SUIT_NAMES[SUIT[which]]}"


def cards(some: Iterable[Card]) -> str:
    """Cards in words, in the order given."""
    return ", ".join(map(card, some))


def hand(some: Iterable[Card]) -> str:
    """Cards by suits, each from low to high: ``clubs 2, king; hearts queen``."""
    held = sorted(some, key=lambda c: (SUIT[c], RANK[c]))
    suits = dict.fromkeys(SUIT[c] for c in held)
    said = [f"{SUIT_NAMES[s]} {', '.join(RANK_NAMES[RANK[c]] for c in held if SUIT[c] == s)}" for s in suits]
    return "; ".join(said) or "no card"


def spoken(text: str) -> str:
    """A text in which cards stand in notation, for the ear."""
    first, *rest = [part if isinstance(part, str) else card(part) for part in parts(text)]
    return letters(first + "".join([", " if part == " " else part for part in rest[:-1]] + rest[-1:]))


def by_seat(names: Sequence[str], values: Sequence[object]) -> str:
    """A value for each seat: ``You 12, Ada -3``."""
    return ", ".join([f"{name} {value}" for name, value in zip(names, values, strict=True)])


def sentence(text: str) -> str:
    """The text with a capital letter and a full stop."""
    return f"{text[:1].upper()}{text[1:]}" + "." * (text[-1:] not in ".!?")


def message(note: Note, names: Sequence[str]) -> str:
    """What a note says, as a sentence: ``Ada plays 7 of spades.``"""
    if isinstance(note, Said):
        return f"{teller(note, names)}: {note.text}"
    if note.seat is None:
        return sentence(spoken(told(note, names)))
    return sentence(names[note.seat] + spoken(in_sentence(note, names)))
