"""Short summary of missed events, for the curtain at a hot seat and for screen readers."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final, Literal, TypeAlias

from cardtable.engine.game import Note
from cardtable.engine.log_entries import Dealt, MadeBid, MadePoints, PlayedCard, Said, TookTrick
from cardtable.session.session_events import LoggedMessage, MissedMessages
from cardtable.wording.formatting import WINNER_MARK, format_elapsed
from cardtable.wording.log_entries import (
    SPECTATOR,
    find_spectator,
    format_deal,
    format_message,
    format_points,
    get_sender,
    is_you,
    join_notes,
)
from cardtable.wording.players import Names

_Kind: TypeAlias = Literal["said", "trick", "all", "alone", "turn"]
"""What the messages of a group have in common."""
TURN_PROMPT: Final = "{}'s turn – press {}"
"""Text on the curtain, to be formatted with the name of the next player and the key that opens it."""


def format_heading(missed: MissedMessages) -> str:
    return "Since your last turn" if missed.has_acted else "So far"


def format_time_since(missed: MissedMessages) -> str:
    """Return the time since the player's last action in words, or ``""`` if it was before the session was opened."""
    return format_elapsed(missed.since, missed.now) if missed.since and missed.now else ""


def format_missed_events(
    messages: Sequence[LoggedMessage], names: Names, winner_mark: str = WINNER_MARK
) -> list[tuple[str, str]]:
    """Return the missed events as pairs of subject and text. Cards are in notation.

    All cards of a trick are joined in one line, and so are the bids, the points of a round, and, in games with long
    turns, successive actions of one seat. The subject is ``""`` for messages of the program. ``winner_mark`` follows
    the card that has won a trick.
    """
    groups = groupby(_iter_grouped(messages), lambda kind: kind[0])
    return [_format_line(kind, [message for _, message in group], names, winner_mark) for (kind, _), group in groups]


def _format_line(kind: _Kind, group: Sequence[LoggedMessage], names: Names, winner_mark: str) -> tuple[str, str]:
    notes = [message.note for message in group]
    first = notes[0]
    if kind == "trick":
        return f"Trick {group[0].trick}", _format_trick(notes, names, winner_mark)
    match first:
        case Said():
            if nick := find_spectator(first):
                return SPECTATOR, f"{nick} says: {format_message(first, names)}"
            return get_sender(first, names), f"says: {first.text}"
        case MadePoints():
            made = [
                f"{get_sender(note, names)} {format_points(note)}" for note in notes if isinstance(note, MadePoints)
            ]
            return f"Round {first.round}", ", ".join(made)
        case MadeBid():
            bids = [f"{get_sender(note, names)} {note.tricks}" for note in notes if isinstance(note, MadeBid)]
            return "Bids", ", ".join(bids)
        case Dealt():
            return f"Round {first.round}", format_deal(first) or "is dealt"
        case _:
            return "" if first.seat is None else get_sender(first, names), join_notes(notes, names)


def _iter_grouped(messages: Sequence[LoggedMessage]) -> Iterator[tuple[tuple[_Kind, object], LoggedMessage]]:
    """Yield each message with the key of its group. Messages of one group are joined in one line."""
    tricks = turns = 0
    in_trick = False
    for index, message in enumerate(messages):
        note, before = message.note, messages[index - 1].note if index else None
        if isinstance(note, Said):
            yield ("said", index), message
            continue
        was_in_trick, in_trick = in_trick, bool(message.trick) and isinstance(note, PlayedCard)
        if in_trick:
            if not was_in_trick:
                tricks += 1
            yield ("trick", tricks), message
        elif isinstance(note, TookTrick) and (was_in_trick or (before is None and not note.cards)):
            yield ("trick", tricks), message
        elif isinstance(note, MadePoints | MadeBid):
            yield ("all", type(note)), message
        elif message.trick or note.seat is None:
            yield ("alone", index), message
        else:
            if isinstance(before, Said) or (before is not None and before.seat != note.seat):
                turns += 1
            yield ("turn", (turns, note.seat)), message


def _format_trick(notes: Sequence[Note], names: Names, winner_mark: str) -> str:
    """Return the text of a trick: its cards, as far as they were missed, and the winner."""
    cards = [note for note in notes if isinstance(note, PlayedCard)]
    taken = [note for note in notes if isinstance(note, TookTrick)]
    by_card = [note.seat for note in taken if not note.cards and note.seat in [card.seat for card in cards]]
    words = ", ".join(
        [_format_action(note, names) + (f" {winner_mark}" if note.seat in by_card else "") for note in cards]
    )
    others = [_format_taking(note, names) for note in taken if note.seat not in by_card]
    return "; ".join(filter(None, [words, *others]))


def _format_taking(note: TookTrick, names: Names) -> str:
    verb = "take it" if is_you(note, names) else "takes it"
    return _format_action(note, names) if note.cards else f"{get_sender(note, names)} {verb}"


def _format_action(note: Note, names: Names) -> str:
    return f"{get_sender(note, names)} {format_message(note, names)}"
