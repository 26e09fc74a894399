"""What happened in the round that a session goes on with, for those who come back to it."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from cardtable.engine.chance import Deal
from cardtable.engine.contract import Event, Note, Seat
from cardtable.engine.journal import BadJournal
from cardtable.engine.replay import follow
from cardtable.games import GAMES
from cardtable.store import files
from cardtable.store.errors import CardtableError
from cardtable.telling.words import Said, said

TAKEN_BACK: Final = Note(None, "taken back")
"""What everybody is told of decisions that no longer stand."""


def story(path: Path, seats: Iterable[Seat]) -> dict[Seat, list[Note]]:
    """What each of ``seats`` was told since the last deal, and all table talk; nothing of an unreadable journal."""
    told: dict[Seat, list[Note]] = {seat: [] for seat in seats}
    try:
        journal = files.one(path, files.read_session(path))
        tables = follow(journal, GAMES)
        _, table = next(tables)
        seen: list[Event] = []
        table.watch = seen.append
        before = {seat: table.view(seat) for seat in told}
        for entry, _ in zip(journal.entries, tables, strict=True):
            after = {seat: table.view(seat) for seat in told}
            for event in seen:
                for seat, notes in told.items():
                    if isinstance(event, Deal):
                        notes[:] = [note for note in notes if isinstance(note, Said)]
                    notes.extend(table.game.narrate(event, before[seat], after[seat]))
            public = [TAKEN_BACK] if entry.line.undo else []
            if entry.line.say is not None:
                public.append(said(entry.line.say, entry.line.seat))
            for notes in told.values():
                notes.extend(public)
            seen.clear()
            before = after
    except (BadJournal, CardtableError):
        return {seat: [] for seat in told}
    return told
