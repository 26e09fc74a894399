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
from cardtable.engine.text_format import format_count, format_weighted, sanitize
from cardtable.store.session_files import MAX_NAME_LENGTH
from cardtable.wording.formatting import YOU, format_gain
from cardtable.wording.players import Names, format_side

SYSTEM_SENDER: Final = "****"
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


def format_message(note: Note, names: Names) -> str:
    """Return the text of a log entry in the message log, in the second person if it is about the reader.

    Cards are in notation.
    """
    return format_note(note, you=is_you(note, names))


def format_note(note: Note, *, you: bool) -> str:
    """Return the text of a log entry without its subject, in the second person if ``you`` is True.

    Cards are in notation.
    """
    match note:
        case CustomLogEntry():
            return (note.second_person if you and note.second_person else note.third_person).format(written(note.cards))
        case PlayedCard():
            they, own, after = _PLAYED[note.manner]
            verb = "" if they == _PLAYS else f"{own if you else they} "
            return f"{verb}{NAME[note.card]}{after}"
        case MadePoints():
            return f"{format_points(note)} in round {note.round}"
        case Said():
            return note.text
        case Dealt():
            return f"round {note.round}" + (f": {format_deal(note)}" if note.cards is not None else "")
        case SeatChanged():
            robot = f", a {sanitize(note.robot, MAX_NAME_LENGTH)} robot," if note.robot else ""
            return (
                f"{sanitize(note.name, MAX_NAME_LENGTH)}{robot} sits "
                f"down where {sanitize(note.left, MAX_NAME_LENGTH)} sat"
            )
        case SystemLogEntry():
            return _RULINGS[note.what][you]
    verb, rest = _split_verb(note)
    return f"{verb}{'' if you else 's'} {rest}"


def _split_verb(note: Note) -> tuple[str, str]:
    """Return the verb of a log entry, without the s of the third person, and the object.

    Raises ``TypeError`` if this kind of log entry has no such verb.
    """
    match note:
        case MadeBid():
            return "bid", str(note.tricks)
        case TookTrick() if note.cards:
            return "take", _join_with_and([NAME[card] for card in note.cards])
        case TookTrick():
            return "take", f"the {'last ' if note.last else ''}trick"
        case Drew() if note.cards:
            return "draw", written(note.cards)
        case Drew():
            return "draw", "a card" if note.number == 1 else format_count(note.number, "card")
    raise TypeError(note)


def _join_with_and(cards: Sequence[str]) -> str:
    """Join cards with commas and "and": ``QC, QD and QH``. There must be at least one."""
    *others, last = cards
    return f"{', '.join(others)} and {last}" if others else last


def format_points(note: MadePoints) -> str:
    """Return the points scored in a round, with their weight in the totals unless that is 1."""
    return format_weighted(format_gain(note.points), note.weight)


def format_deal(note: Dealt) -> str:
    """Return the text about a deal, as in ``4 cards each, QH is turned up``.

    Return ``""`` if there is nothing to say.
    """
    cards = "" if note.cards is None else f"{format_count(note.cards, 'card')} each"
    trump = ("no trump" if note.no_trump else "") if note.turned is None else f"{NAME[note.turned]} is turned up"
    return ", ".join(filter(None, [cards, trump]))


def get_sender(note: Note, names: Names) -> str:
    """Return the sender of a log entry: a player, a partnership for its points, or ``SYSTEM_SENDER``."""
    if note.seat is None:
        return SOMEBODY if isinstance(note, Said) else SYSTEM_SENDER
    if isinstance(note, MadePoints):
        return format_side(names, (note.seat, *note.partners))
    return names[note.seat]


def format_in_sentence(note: Note, names: Names) -> str:
    """Return the text of a log entry to be appended to the name of its seat.

    It begins with a space, or with a colon if the text has no verb.
    """
    you = is_you(note, names)
    if isinstance(note, PlayedCard):
        they, own, after = _PLAYED[note.manner]
        return f" {own if you else they} {NAME[note.card]}{after}"
    colon = isinstance(note, MadePoints) or (isinstance(note, CustomLogEntry) and not note.second_person)
    return f"{':' if colon else ''} {format_note(note, you=you)}"


def join_notes(notes: Sequence[Note], names: Names) -> str:
    """Join the texts of successive log entries of one seat, of which there must be at least one."""
    said = format_message(notes[0], names)
    for before, note in pairwise(notes):
        card = isinstance(note, PlayedCard) and not note.manner
        if not card:
            said += ","
        elif not (isinstance(before, PlayedCard) and not before.manner):
            said += ", play" if is_you(note, names) else ", plays"
        said += f" {format_message(note, names)}"
    return said


class Message(NamedTuple):
    """Line of the message log. Cards are in notation."""

    sender: str
    text: str
    quiet: bool
    """True for a message of the program."""


def format_messages(notes: Sequence[Note], names: Names, *, joins: bool) -> list[Message]:
    """Return the messages about log entries. With ``joins``, successive actions of one seat become one message."""
    turns: list[list[Note]] = []
    for note in notes:
        alone = not joins or note.seat is None or isinstance(note, Said | MadePoints)
        if alone or not turns or turns[-1][-1].seat != note.seat or isinstance(turns[-1][-1], Said):
            turns.append([])
        turns[-1].append(note)
    return [_create_message(some, names) for some in turns]


def _create_message(notes: Sequence[Note], names: Names) -> Message:
    first = notes[0]
    talk = isinstance(first, Said)
    return Message(
        get_sender(first, names) + (":" if talk else ""), join_notes(notes, names), first.seat is None and not talk
    )
