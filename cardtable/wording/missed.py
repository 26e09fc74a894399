"""What somebody missed, in few lines: for the curtain, and to be read out."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from cardtable.engine.game import Note
from cardtable.engine.log_entries import Dealt, MadeBid, MadePoints, PlayedCard, Said, TookTrick
from cardtable.session.message_log import LoggedMessage, MissedMessages
from cardtable.wording.formatting import STAR, age
from cardtable.wording.log_entries import dealt, in_a_row, is_you, points, teller, told
from cardtable.wording.players import Names

TURN: Final = "{}'s turn – press {}"
"""What the curtain says to who is to take the keyboard, and the key with which she does."""


def heading(missed: MissedMessages) -> str:
    """Since when it is told."""
    return "Since your last turn" if missed.acted else "So far"


def ago(missed: MissedMessages) -> str:
    """How long ago she acted, if that was since the session was opened."""
    return age(missed.since, missed.now) if missed.since and missed.now else ""


def lines(heard: Sequence[LoggedMessage], names: Names, took: str = STAR) -> list[tuple[str, str]]:
    """News in few lines, what about - nothing (``""``) of those of the program - and what, cards in notation.

    A trick is one line, as are the bids, the points of a round, and what one seat does in a game of long turns.
    ``took`` follows the card that took a trick.
    """
    groups = groupby(_kinds(heard), lambda kind: kind[0])
    return [_line(kind, [each for _, each in group], names, took) for (kind, _), group in groups]


def _line(kind: str, some: Sequence[LoggedMessage], names: Names, took: str) -> tuple[str, str]:
    notes = [each.note for each in some]
    first = notes[0]
    match first:
        case Said():
            return teller(first, names), f"says: {first.text}"
        case _ if kind == "trick":
            return f"Trick {some[0].trick}", _trick(notes, names, took)
        case MadePoints():
            made = [f"{teller(note, names)} {points(note)}" for note in notes if isinstance(note, MadePoints)]
            return f"Round {first.round}", ", ".join(made)
        case MadeBid():
            bids = [f"{teller(note, names)} {note.tricks}" for note in notes if isinstance(note, MadeBid)]
            return "Bids", ", ".join(bids)
        case Dealt():
            return f"Round {first.round}", dealt(first) or "is dealt"
    return "" if first.seat is None else teller(first, names), in_a_row(notes, names)


def _kinds(heard: Sequence[LoggedMessage]) -> Iterator[tuple[tuple[str, object], LoggedMessage]]:
    """Each message with what it has in common with those that stand in one line with it."""
    tricks = number = 0
    lying = False
    for place, each in enumerate(heard):
        note, before = each.note, heard[place - 1].note if place else None
        if isinstance(note, Said):
            yield ("said", place), each
            continue
        ends = isinstance(note, TookTrick) and (lying or (before is None and not note.cards))
        if each.trick and isinstance(note, PlayedCard):
            tricks += not lying
            lying = True
            yield ("trick", tricks), each
            continue
        lying = False
        if ends:
            yield ("trick", tricks), each
        elif isinstance(note, MadePoints | MadeBid):
            yield ("all", type(note)), each
        elif each.trick or note.seat is None:
            yield ("alone", place), each
        else:
            number += isinstance(before, Said) or (before is not None and before.seat != note.seat)
            yield ("turn", (number, note.seat)), each


def _trick(notes: Sequence[Note], names: Names, took: str) -> str:
    """The cards of a trick that came, and who took it."""
    cards = [note for note in notes if isinstance(note, PlayedCard)]
    taken = [note for note in notes if isinstance(note, TookTrick)]
    by_card = [note.seat for note in taken if not note.cards and note.seat in [card.seat for card in cards]]
    words = ", ".join([_does(note, names) + f" {took}" * (note.seat in by_card) for note in cards])
    others = [_takes(note, names) for note in taken if note.seat not in by_card]
    return "; ".join(filter(None, [words, *others]))


def _takes(note: TookTrick, names: Names) -> str:
    it = "take it" if is_you(note, names) else "takes it"
    return _does(note, names) if note.cards else f"{teller(note, names)} {it}"


def _does(note: Note, names: Names) -> str:
    return f"{teller(note, names)} {told(note, names)}"
