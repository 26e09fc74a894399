"""What happened in the round that a session goes on with, for those who come back to it."""

from pathlib import Path

from cardtable.engine.chance import Deal
from cardtable.engine.contract import Event, Seat, View
from cardtable.engine.errors import CardtableError
from cardtable.engine.journal import BadJournal
from cardtable.engine.notes import TAKEN_BACK
from cardtable.engine.replay import follow
from cardtable.games import GAMES
from cardtable.play.news import News, beside, said, sits_down
from cardtable.store import files


def story(path: Path, news: News, *, hidden: bool = False) -> None:
    """Let ``news`` hear a session again: own messages since the last deal, and all table talk.

    With ``hidden`` the own messages are what all were told.  Of a journal that cannot be read it
    hears nothing.
    """
    try:
        journal = files.one(path, files.read_session(path))
        tables = follow(journal, GAMES)
        _, table = next(tables)
        table.covered = hidden
        seen: list[Event] = []
        table.watch = seen.append
        sitting = list(journal.header.seats)

        def seen_now() -> dict[Seat, View]:
            return {seat: table.view(seat) for seat in news.own} | beside(table, news.own)

        before = seen_now()
        for entry, _ in zip(journal.entries, tables, strict=True):
            after = seen_now()
            for event in seen:
                if isinstance(event, Deal):
                    news.forget_rounds()
                news.hear(table.game, event, before, after)
            if entry.line.undo:
                news.note(TAKEN_BACK)
            if entry.line.say is not None:
                news.note(said(entry.line.say, entry.line.seat))
            if (seat := entry.line.sit) is not None:
                news.note(sits_down(entry.line.sitter, sitting[seat]))
                sitting[seat] = entry.line.sitter
            seen.clear()
            before = after
    except (BadJournal, CardtableError):
        news.forget()
