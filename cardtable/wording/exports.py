"""A session in the forms in which it can be taken elsewhere."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal, TypeAlias

from cardtable.engine.journal import is_score_table, seated
from cardtable.store import files, paths, score_tables
from cardtable.wording import markdown, sheet

Form: TypeAlias = Literal["markdown", "csv", "journal"]
ENDINGS: Final[Mapping[Form, str]] = {"markdown": ".md", "csv": ".csv", "journal": ".jsonl"}
"""The forms, each with how the names of its files end."""


def exported(path: Path, form: Form, *, as_open: bool = False) -> bytes:
    """The one session of a file as Markdown text, as the score sheet in comma-separated values, or as it is.

    Raises ``CardtableError``: also of a session that people still play, unless it may be told (``as_open``).
    """
    data = files.read_session(path)
    if is_score_table(data):
        return _real_cards(path, data, form)
    read = files.one(path, data)
    table = files.replayed(path, read)
    header = seated(read.header, table.sitters)
    if files.still_played(path, header, table.turn) and not as_open:
        raise files.refusal(header, "export")
    if form == "journal":
        return data
    names = files.names(header.seats)
    if form == "csv":
        return sheet.as_csv(names, table).encode()
    return markdown.session(read, table, given_up=files.given_up(path, table.turn)).encode()


def _real_cards(path: Path, data: bytes, form: Form) -> bytes:
    """The score table in a file, in one of the forms.  Raises ``DamagedJournal``."""
    table = score_tables.loaded(path, score_tables.read(path, data))
    if form == "journal":
        return data
    names = files.names(table.header.seats)
    if form == "csv":
        return sheet.as_csv(names, table.sheet).encode()
    return markdown.score_table(table, given_up=not table.ended and paths.in_archive(path)).encode()
