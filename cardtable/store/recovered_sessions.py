"""Journals that could not be kept in their place and lie elsewhere: compared with what is there, and brought back."""

from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

import msgspec

from cardtable.engine.errors import CardtableError
from cardtable.engine.journal import MOST_SESSION_BYTES
from cardtable.store import atomic_io, credit_ledger, emergency_save, paths, summaries
from cardtable.store.errors import FileError, reason
from cardtable.store.journal_file import JournalFile, decisions
from cardtable.store.summaries import ENDING, Summary

ASIDE: Final = ".aside"
"""How the name of a file ends that was replaced, or that came back and did not go on from where its place stands."""


class RecoveredSession(msgspec.Struct, frozen=True):
    """A journal that lies elsewhere."""

    path: Path
    """Where it lies."""
    session: Summary
    data: bytes
    """Its whole lines."""
    known: bytes
    """The whole lines of what lies in its place, or of a longer one that goes on from there."""

    @property
    def goes_on(self) -> bool:
        """Whether it begins as what is known, and is longer."""
        return len(self.data) > len(self.known) and self.data.startswith(self.known)

    @property
    def more(self) -> str:
        """What it has beyond that, in words."""
        return decisions(self.data[len(self.known) :])


def offered() -> list[RecoveredSession]:
    """The sessions of this home that go on elsewhere."""
    return [stray for stray in _found() if stray.goes_on and not stray.session.trouble]


def put_aside() -> list[str]:
    """Put aside, beside its place, what goes on from elsewhere than that ends; a line for what has to be told.

    One that is damaged is told and left alone.
    """
    told: list[str] = []
    for stray in _found():
        if stray.session.trouble:
            told.append(stray.session.trouble)
        elif not stray.goes_on:
            with suppress(OSError):
                aside = atomic_io.write_beside(_place(stray.path.name), ASIDE, stray.data)
                emergency_save.forget(stray.path)
                if not stray.known.startswith(stray.data):
                    told.append(
                        f"the session went on in two places: that of {stray.path.parent} is put aside as {aside}"
                    )
    return told


def bring_back(stray: RecoveredSession) -> Path:
    """Put a session in its place; what lies there is kept aside.  Where it is then.

    Raises ``CardtableError`` where that cannot be done, or another program has the session open.
    """
    before = _place(stray.path.name)
    there = (paths.archive() if stray.session.state == "over" else paths.sessions()) / stray.path.name
    try:
        data = atomic_io.read(stray.path, MOST_SESSION_BYTES)
        paths.make(there.parent)
        if before.exists():
            with closing(JournalFile.existing(before)) as file:
                if file.read_only:
                    raise CardtableError(f"the session cannot be brought back: {file.read_only}")
                atomic_io.write_beside(before, ASIDE, bytes(file.data))
                atomic_io.write_whole(there, data)
                if there != before:
                    before.unlink()
        else:
            atomic_io.write_whole(there, data)
    except OSError as error:
        raise FileError(there, f"the session cannot be brought back: {reason(error)}") from None
    emergency_save.forget(stray.path)
    credit_ledger.pay_out()
    return there


def _found() -> Iterator[RecoveredSession]:
    """All that lie elsewhere, the longest first."""
    longest: dict[str, bytes] = {}
    read = [(path, _whole_lines(path)) for path in emergency_save.kept(ENDING)]
    for path, data in sorted(read, key=lambda each: -len(each[1])):
        known = longest.setdefault(path.name, _whole_lines(_place(path.name)))
        stray = RecoveredSession(path, summaries.summarize_full(path), data, known)
        if stray.goes_on and not stray.session.trouble:
            longest[path.name] = data
        yield stray


def _whole_lines(path: Path) -> bytes:
    """Those of a journal; nothing where it cannot be read."""
    with suppress(OSError):
        data = atomic_io.read(path, MOST_SESSION_BYTES)
        return data[: data.rfind(b"\n") + 1]
    return b""


def _place(name: str) -> Path:
    archived = paths.archive() / name
    return archived if archived.exists() else paths.sessions() / name
