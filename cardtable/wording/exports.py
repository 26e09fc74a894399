"""A session in the forms in which it can be taken elsewhere."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal, TypeAlias

from cardtable.engine import journal
from cardtable.engine.journal import is_score_table, seated
from cardtable.store import club_sessions, files, paths, score_tables
from cardtable.wording import markdown, sheet

Form: TypeAlias = Literal["markdown", "csv", "journal"]
ENDINGS: Final[Mapping[Form, str]] = {"markdown": ".md", "csv": ".csv", "journal": ".jsonl"}
"""The forms, each with how the names of its files end."""


def exported(path: Path, form: Form, *, as_open: bool = False) -> bytes:
    """The one session of a file as Markdown text, as the score sheet in comma-separated values, or as it is.

    Of a session that the club plays it is the finished rounds.  Raises ``CardtableError``: also of another one that
    people still play, unless it may be told (``as_open``), and with that of one that the club plays.
    """
    data = files.read_session(path)
    if is_score_table(data):
        return _real_cards(path, data, form)
    read = files.one(path, data)
    table = files.replayed(path, read)
    header = seated(read.header, table.sitters)
    given_up = files.given_up(path, table.turn)
    is_part = club_sessions.is_hidden(read, table.turn)
    if is_part and as_open:
        raise club_sessions.refusal_to_open(header.id)
    if is_part:
        read = club_sessions.finished_part(read)
        table = files.replayed(path, read)
        data = journal.write([read.header, *[entry.line for entry in read.entries]])
    elif files.still_played(path, header, table.turn) and not as_open:
        raise files.refusal(header, "export")
    if form == "journal":
        return data
    names = files.names(header.seats)
    if form == "csv":
        return sheet.as_csv(names, table).encode()
    return markdown.session(read, table, given_up=given_up, is_part=is_part).encode()


def _real_cards(path: Path, data: bytes, form: Form) -> bytes:
    """The score table in a file, in one of the forms.  Raises ``DamagedJournal``."""
    table = score_tables.loaded(path, score_tables.read(path, data))
    if form == "journal":
        return data
    names = files.names(table.header.seats)
    if form == "csv":
        return sheet.as_csv(names, table.sheet).encode()
    return markdown.score_table(table, given_up=not table.ended and paths.in_archive(path)).encode()
