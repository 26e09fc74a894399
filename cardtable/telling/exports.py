"""A session in the forms in which it can be taken elsewhere."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal, TypeAlias

from cardtable.store import files
from cardtable.telling import markdown, sheet

Form: TypeAlias = Literal["markdown", "csv", "journal"]
ENDINGS: Final[Mapping[Form, str]] = {"markdown": ".md", "csv": ".csv", "journal": ".jsonl"}
"""The forms, each with how the names of its files end."""


def exported(path: Path, form: Form, *, as_open: bool = False) -> bytes:
    """The one session of a file as Markdown text, as the score sheet in comma-separated values, or as it is.

    Raises ``CardtableError``: also of a session that people still play, unless its cards may be told (``as_open``);
    the score sheet has none.
    """
    data = files.read_session(path)
    read = files.one(path, data)
    table = files.replayed(path, read)
    if form != "csv" and not as_open:
        files.refuse_open(read.header, table, "export")
    if form == "journal":
        return data
    names = [who.name for who in files.shown(read.header).seats]
    return (markdown.session(read, table) if form == "markdown" else sheet.as_csv(names, table)).encode()
