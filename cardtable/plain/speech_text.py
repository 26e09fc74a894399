"""Words for the ear, in ASCII: cards, hands, numbers and messages as somebody would say them.

Cards are told in words (``queen of hearts``); these may be typed, and the notation of the journal (``QH``).
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final, Generic

import msgspec

from cardtable.engine.cards import RANK, RANK_WORDS, SUIT, SUIT_WORDS, Card
from cardtable.engine.game import LAST_CARD, Action, Note, Seat, Sides, V, View
from cardtable.engine.log_entries import MadePoints, Said
from cardtable.wording.formatting import SUIT_SIGNS, YOU, gained, parts
from cardtable.wording.log_entries import in_sentence, teller, told
from cardtable.wording.players import Names, of_side, own_side_first

SUIT_NAMES: Final = tuple(f"{word}s" for word in SUIT_WORDS)
RANKS_TOGETHER: Final = tuple(f"{word}es" if word == "six" else f"{word}s" for word in RANK_WORDS)
"""Several cards of each rank."""
_HEARD: Final = {"won": "taken"}
_RANK_TOLD: Final = (*map(str, range(2, 11)), "J", "Q", "K", "A")
_CARD_SHOWN: Final = re.compile(rf"\b(10|[2-9JQKA])([{SUIT_SIGNS}])(?: (?=(?:10|[2-9JQKA])[{SUIT_SIGNS}]))?")
_TIMES: Final = re.compile(r"\u00d7(\d+)")
_MINUS: Final = re.compile(r"(?<![\w-])[-\u2212](?=\d)")
_PLUS: Final = re.compile(r"(?<!\w)\+(?=\d)")
_ASCII: Final = str.maketrans(
    {
        "×": "times",
        "−": "-",
        "–": "-",
        "…": "...",
        **dict(zip(SUIT_SIGNS, SUIT_NAMES, strict=True)),
    }
)


def letters(text: str) -> str:
    """Text of ours without the signs that not every terminal and reader has: ``K♥`` as ``king of hearts``."""
    said = _CARD_SHOWN.sub(_shown, _TIMES.sub(r"counted \1 times", text))
    return _PLUS.sub("plus ", _MINUS.sub("minus ", said)).translate(_ASCII)


def _shown(found: re.Match[str]) -> str:
    """A card in words; after it a comma, where another one follows at once."""
    rank, suit = _RANK_TOLD.index(found[1]), SUIT_SIGNS.index(found[2])
    return f"{RANK_WORDS[rank]} of {SUIT_NAMES[suit]}{', ' * found[0].endswith(' ')}"


def card(which: Card) -> str:
    """A card in words: ``queen of hearts``."""
    return f"{RANK_WORDS[RANK[which]]} of {SUIT_NAMES[SUIT[which]]}"


def cards(some: Iterable[Card]) -> str:
    """Cards in words, in the order given: ``jack and queen of clubs``, ``threes of clubs and hearts``."""
    held = list(some)
    suits, ranks = {SUIT[c] for c in held}, {RANK[c] for c in held}
    if len(held) > 1 and len(suits) == 1:
        return f"{together([RANK_WORDS[RANK[c]] for c in held])} of {SUIT_NAMES[suits.pop()]}"
    if len(held) > 1 and len(ranks) == 1:
        return f"{RANKS_TOGETHER[ranks.pop()]} of {together([SUIT_NAMES[SUIT[c]] for c in held])}"
    return together(list(map(card, held)))


def together(words: Sequence[str]) -> str:
    """``jack``, ``jack and queen``, ``jack, queen and king``."""
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def hand(some: Iterable[Card]) -> str:
    """Cards by suits, each from low to high: ``clubs two, king; hearts queen``."""
    held = sorted(some, key=lambda c: (SUIT[c], RANK[c]))
    by_suit = groupby(held, key=lambda c: SUIT_NAMES[SUIT[c]])
    return "; ".join([f"{suit} {', '.join([RANK_WORDS[RANK[c]] for c in own])}" for suit, own in by_suit]) or "no cards"


def spoken(text: str) -> str:
    """A text in which cards stand in notation, for the ear."""
    said, run = "", list[Card]()
    for part in (*parts(text), ""):
        if isinstance(part, str) and part != " ":
            said += cards(run) + letters(part)
            run = []
        elif isinstance(part, str):
            continue
        else:
            run.append(part)
    return said


def figures(headings: Sequence[str], numbers: Sequence[int]) -> list[str]:
    """Each number after its heading, a card by its rank in words; tricks won as taken, since ``won`` sounds like 1."""
    return [
        f"{_HEARD.get(heading, heading)} {_figure(heading, number)}"
        for heading, number in zip(headings, numbers, strict=True)
    ]


def _figure(heading: str, number: int) -> str:
    return RANK_WORDS[number - 2] if heading == LAST_CARD and number else letters(str(number))


def whose(name: str) -> str:
    """``your``, ``Ada's``."""
    return "your" if name == YOU else f"{name}'s"


def whom(name: str) -> str:
    """A name within a sentence."""
    return "you" if name == YOU else name


def by_seat(names: Sequence[str], values: Sequence[object]) -> str:
    """A value for each seat: ``You 12, Ada minus 3``."""
    return ", ".join([f"{name} {letters(str(value))}" for name, value in zip(names, values, strict=True)])


def partners(names: Sequence[str], sides: Sides, me: Seat) -> list[str]:
    """Who plays together, in a sentence, if anybody does; the side of ``me`` first."""
    told = [together(of_side(names, side)) for side in own_side_first(sides, me) if len(side) > 1]
    return [f"Partners: {'; '.join(told)}."] if told else []


def by_side(names: Sequence[str], values: Sequence[object], sides: Sides) -> str:
    """The same of sides, whose seats have the same value: ``you and Cy 71, Bo and Dee 50``."""
    labels = [together(of_side(names, side)) for side in sides]
    return by_seat(labels, [values[side[0]] for side in sides])


def sentence(text: str) -> str:
    """The text with a capital letter and a full stop."""
    return f"{text[:1].upper()}{text[1:]}" + "." * (text[-1:] not in ".!?")


def messages(notes: Iterable[Note], names: Sequence[str]) -> Iterator[str]:
    """What notes say, as sentences; the points of a round in one."""
    heard = list(notes)
    made = [note for note in heard if isinstance(note, MadePoints)]
    first = {note.round: note for note in reversed(made)}
    for note in heard:
        if not isinstance(note, MadePoints):
            yield message(note, names)
        elif note is first[note.round]:
            yield _points([other for other in made if other.round == note.round], names)


def _points(made: Sequence[MadePoints], names: Sequence[str]) -> str:
    """``Points, which count 4 times: You minus 2, Ada plus 10.``"""
    times = max(note.weight for note in made)
    sides = [(note.seat, *note.partners) for note in made if note.seat is not None]
    told = by_seat([together(of_side(names, side)) for side in sides], [gained(note.points) for note in made])
    return sentence(f"points{f', which count {times} times' * (times > 1)}: {told}")


def message(note: Note, names: Sequence[str]) -> str:
    """What a note says, as a sentence: ``Ada plays seven of spades.``"""
    if isinstance(note, Said):
        return f"{teller(note, names)}: {note.text}"
    if note.seat is None:
        return sentence(spoken(told(note, names)))
    return sentence(names[note.seat] + spoken(in_sentence(note, names)))


def _nothing(*_: object) -> tuple[str, ...]:
    return ()


def _not_said(_view: View, _action: Action) -> str:
    return ""


def _not_explained(_view: View, _names: Names, _action: Action) -> str:
    return ""


class PlainTextSpec(msgspec.Struct, Generic[V], frozen=True):
    """Texts that become sentences, each from what one seat sees."""

    about: Callable[[V, Names], Iterable[str]]
    """What is played in this round, and what everybody should know of it."""
    turn: Callable[[V, Names], Iterable[str]] | None = None
    """To the seat to act: how it stands, and why there are just these choices; else what ``turns.usual`` says."""
    called: Callable[[V, Action], str] = _not_said
    """What an action is called in the list of choices, after its kind; nothing where its own text says it."""
    explained: Callable[[V, Names, Action], str] = _not_explained
    """What an action means or counts, where that is to be told."""
    left: Callable[[V], Iterable[str]] = _nothing
    """By seat: the contracts that it has still to name."""
