"""What a note says: the one place in which words are made of what happened."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from cardtable.engine.cards import NAME
from cardtable.engine.cards import names as written
from cardtable.engine.game import Note
from cardtable.engine.log_entries import (
    CustomLogEntry,
    Dealt,
    Drew,
    MadeBid,
    MadePoints,
    Manner,
    PlayedCard,
    Said,
    SeatChanged,
    SystemLogEntry,
    TookTrick,
)
from cardtable.engine.text_format import counted, sanitize, weighted
from cardtable.store.session_files import MOST_NAME
from cardtable.wording.formatting import YOU, gained
from cardtable.wording.players import Names, side_name

OURS: Final = "****"
"""Begins a message of the program."""
SOMEBODY: Final = "Somebody"
"""Who talks at a table without sitting there."""
_PLAYS: Final = "plays"
"""Said in sentences only: a message has the card alone."""
_PLAYED: Final[Mapping[Manner, tuple[str, str, str]]] = {
    "": (_PLAYS, "play", ""),
    "leads": ("leads", "lead", ""),
    "heads": ("heads with", "head with", ""),
    "lowest": (_PLAYS, "play", ", the lowest"),
    "second": (_PLAYS, "play", ", the second"),
    "by lot": (_PLAYS, "play", " by lot"),
}
"""How it is said in a sentence that a card was played: of others, to who did it, and what follows the card."""
_RULINGS: Final[Mapping[str, tuple[str, str]]] = {
    "taken back": ("taken back", ""),
    "unrated": ("this session no longer counts for ratings", ""),
    "dealt again": ("time is up: the round is dealt again", ""),
    "lost": ("has no time left: the session is lost", "have no time left: the session is lost"),
    "plays out": ("plays out the rest", "play out the rest"),
}


def is_you(note: Note, names: Names) -> bool:
    """Whether it was done by the one who is told of it."""
    return note.seat is not None and names[note.seat] == YOU


def told(note: Note, names: Names) -> str:
    """What a message says, cards in notation; what the person looking does in the second person."""
    return words(note, you=is_you(note, names))


def words(note: Note, *, you: bool) -> str:
    """What happened, beside who did it; ``you``: as it is told to that person."""
    match note:
        case CustomLogEntry():
            return (note.you if you and note.you else note.they).format(written(note.cards))
        case PlayedCard():
            they, own, after = _PLAYED[note.manner]
            verb = "" if they == _PLAYS else f"{own if you else they} "
            return f"{verb}{NAME[note.card]}{after}"
        case MadePoints():
            return f"{points(note)} in round {note.round}"
        case Said():
            return note.text
        case Dealt():
            return f"round {note.round}" + f": {dealt(note)}" * (note.cards is not None)
        case SeatChanged():
            robot = f", a {sanitize(note.robot, MOST_NAME)} robot," if note.robot else ""
            return f"{sanitize(note.name, MOST_NAME)}{robot} sits down where {sanitize(note.left, MOST_NAME)} sat"
        case SystemLogEntry():
            return _RULINGS[note.what][you]
    verb, rest = _verb(note)
    return f"{verb}{'' if you else 's'} {rest}"


def _verb(note: Note) -> tuple[str, str]:
    """What somebody does, to be said of her with an s, and to what."""
    match note:
        case MadeBid():
            return "bid", str(note.tricks)
        case TookTrick() if note.cards:
            return "take", _listed([NAME[card] for card in note.cards])
        case TookTrick():
            return "take", f"the {'last ' if note.last else ''}trick"
        case Drew() if note.cards:
            return "draw", written(note.cards)
        case Drew():
            return "draw", "a card" if note.number == 1 else counted(note.number, "card")
    raise TypeError(note)


def _listed(cards: Sequence[str]) -> str:
    """Cards as one says them: ``QC, QD and QH``."""
    *others, last = cards
    return f"{', '.join(others)} and {last}" if others else last


def points(note: MadePoints) -> str:
    """Points of a round, and how many times they count in the totals unless that is once."""
    return weighted(gained(note.points), note.weight)


def dealt(note: Dealt) -> str:
    """What is dealt: ``4 cards each, QH is turned up``."""
    cards = "" if note.cards is None else f"{counted(note.cards, 'card')} each"
    trump = "no trump" * note.no_trump if note.turned is None else f"{NAME[note.turned]} is turned up"
    return ", ".join(filter(None, [cards, trump]))


def teller(note: Note, names: Names) -> str:
    """Whose message it is; those of the program begin with stars."""
    if note.seat is None:
        return SOMEBODY if isinstance(note, Said) else OURS
    if isinstance(note, MadePoints):
        return side_name(names, (note.seat, *note.partners))
    return names[note.seat]


def in_sentence(note: Note, names: Names) -> str:
    """What happened as it follows the name of who did it in a sentence; after a colon where nothing is done."""
    you = is_you(note, names)
    if isinstance(note, PlayedCard):
        they, own, after = _PLAYED[note.manner]
        return f" {own if you else they} {NAME[note.card]}{after}"
    colon = isinstance(note, MadePoints) or (isinstance(note, CustomLogEntry) and not note.you)
    return f"{':' if colon else ''} {words(note, you=you)}"


def in_a_row(notes: Sequence[Note], names: Names) -> str:
    """What one seat did, one thing after the other."""
    said = told(notes[0], names)
    for before, note in pairwise(notes):
        card = isinstance(note, PlayedCard) and not note.manner
        if not card:
            said += ","
        elif not (isinstance(before, PlayedCard) and not before.manner):
            said += ", play" if is_you(note, names) else ", plays"
        said += f" {told(note, names)}"
    return said


class Message(NamedTuple):
    """What stands in a line of messages; cards in notation."""

    who: str
    what: str
    quiet: bool
    """Whether it is one of the program."""


def messages(notes: Sequence[Note], names: Names, *, joins: bool) -> list[Message]:
    """Messages; where one ``joins`` them, a message tells all that a seat did in a row."""
    turns: list[list[Note]] = []
    for note in notes:
        alone = not joins or note.seat is None or isinstance(note, Said | MadePoints)
        if alone or not turns or turns[-1][-1].seat != note.seat or isinstance(turns[-1][-1], Said):
            turns.append([])
        turns[-1].append(note)
    return [_message(some, names) for some in turns]


def _message(notes: Sequence[Note], names: Names) -> Message:
    first = notes[0]
    talk = isinstance(first, Said)
    return Message(teller(first, names) + ":" * talk, in_a_row(notes, names), first.seat is None and not talk)
