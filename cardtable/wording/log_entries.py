"""Texts of log entries. No other module turns the events of a game into words."""

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
from cardtable.engine.text_format import sanitize, weighted, with_count
from cardtable.store.session_files import MOST_NAME
from cardtable.wording.formatting import YOU, signed_plus
from cardtable.wording.players import Names, side_name

OURS: Final = "****"
"""Sender of the program's own messages."""
SOMEBODY: Final = "Somebody"
"""Sender of table talk by a spectator, who has no seat."""
_PLAYS: Final = "plays"
"""Verb that is used in sentences only. In a message the card stands alone."""
_PLAYED: Final[Mapping[Manner, tuple[str, str, str]]] = {
    "": (_PLAYS, "play", ""),
    "leads": ("leads", "lead", ""),
    "heads": ("heads with", "head with", ""),
    "lowest": (_PLAYS, "play", ", the lowest"),
    "second": (_PLAYS, "play", ", the second"),
    "by lot": (_PLAYS, "play", " by lot"),
}
"""Texts for a played card by manner: the verb in the third and in the second person, and the text after the card."""
_RULINGS: Final[Mapping[str, tuple[str, str]]] = {
    "taken back": ("taken back", ""),
    "unrated": ("this session no longer counts for ratings", ""),
    "dealt again": ("time is up: the round is dealt again", ""),
    "lost": ("has no time left: the session is lost", "have no time left: the session is lost"),
    "plays out": ("plays out the rest", "play out the rest"),
}


def is_you(note: Note, names: Names) -> bool:
    """Return True if the log entry is about the player who reads it."""
    return note.seat is not None and names[note.seat] == YOU


def message_text(note: Note, names: Names) -> str:
    """Return the text of a log entry in the message log, in the second person if it is about the reader.

    Cards are in notation.
    """
    return note_text(note, you=is_you(note, names))


def note_text(note: Note, *, you: bool) -> str:
    """Return the text of a log entry without its subject, in the second person if ``you`` is True. Cards are in
    notation.
    """
    match note:
        case CustomLogEntry():
            return (note.second_person if you and note.second_person else note.third_person).format(written(note.cards))
        case PlayedCard():
            they, own, after = _PLAYED[note.manner]
            verb = "" if they == _PLAYS else f"{own if you else they} "
            return f"{verb}{NAME[note.card]}{after}"
        case MadePoints():
            return f"{points(note)} in round {note.round}"
        case Said():
            return note.text
        case Dealt():
            return f"round {note.round}" + (f": {deal_text(note)}" if note.cards is not None else "")
        case SeatChanged():
            robot = f", a {sanitize(note.robot, MOST_NAME)} robot," if note.robot else ""
            return f"{sanitize(note.name, MOST_NAME)}{robot} sits down where {sanitize(note.left, MOST_NAME)} sat"
        case SystemLogEntry():
            return _RULINGS[note.what][you]
    verb, rest = _verb(note)
    return f"{verb}{'' if you else 's'} {rest}"


def _verb(note: Note) -> tuple[str, str]:
    """Return the verb of a log entry, without the s of the third person, and the object.

    Raises ``TypeError`` if this kind of log entry has no such verb.
    """
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
            return "draw", "a card" if note.number == 1 else with_count(note.number, "card")
    raise TypeError(note)


def _listed(cards: Sequence[str]) -> str:
    """Join cards with commas and "and": ``QC, QD and QH``. There must be at least one."""
    *others, last = cards
    return f"{', '.join(others)} and {last}" if others else last


def points(note: MadePoints) -> str:
    """Return the points scored in a round, with their weight in the totals unless that is 1."""
    return weighted(signed_plus(note.points), note.weight)


def deal_text(note: Dealt) -> str:
    """Return the text about a deal, as in ``4 cards each, QH is turned up``. Return ``""`` if there is nothing to say."""
    cards = "" if note.cards is None else f"{with_count(note.cards, 'card')} each"
    trump = ("no trump" if note.no_trump else "") if note.turned is None else f"{NAME[note.turned]} is turned up"
    return ", ".join(filter(None, [cards, trump]))


def sender(note: Note, names: Names) -> str:
    """Return the sender of a log entry: a player, a partnership for its points, or ``SYSTEM_SENDER``."""
    if note.seat is None:
        return SOMEBODY if isinstance(note, Said) else OURS
    if isinstance(note, MadePoints):
        return side_name(names, (note.seat, *note.partners))
    return names[note.seat]


def in_sentence(note: Note, names: Names) -> str:
    """Return the text of a log entry to be appended to the name of its seat.

    It begins with a space, or with a colon if the text has no verb.
    """
    you = is_you(note, names)
    if isinstance(note, PlayedCard):
        they, own, after = _PLAYED[note.manner]
        return f" {own if you else they} {NAME[note.card]}{after}"
    colon = isinstance(note, MadePoints) or (isinstance(note, CustomLogEntry) and not note.second_person)
    return f"{':' if colon else ''} {note_text(note, you=you)}"


def join_notes(notes: Sequence[Note], names: Names) -> str:
    """Join the texts of successive log entries of one seat, of which there must be at least one."""
    said = message_text(notes[0], names)
    for before, note in pairwise(notes):
        card = isinstance(note, PlayedCard) and not note.manner
        if not card:
            said += ","
        elif not (isinstance(before, PlayedCard) and not before.manner):
            said += ", play" if is_you(note, names) else ", plays"
        said += f" {message_text(note, names)}"
    return said


class Message(NamedTuple):
    """Line of the message log. Cards are in notation."""

    who: str
    what: str
    quiet: bool
    """True for a message of the program."""


def messages(notes: Sequence[Note], names: Names, *, joins: bool) -> list[Message]:
    """Return the messages about log entries. With ``joins``, successive actions of one seat become one message."""
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
    return Message(
        sender(first, names) + (":" if talk else ""), join_notes(notes, names), first.seat is None and not talk
    )
