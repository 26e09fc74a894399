"""What there is: the unfinished and the finished sessions, each in a few words."""

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final, Literal, TypeAlias

import msgspec

from cardtable.engine import journal
from cardtable.engine.contract import OVER
from cardtable.engine.journal import End, Header, Line
from cardtable.engine.table import Table
from cardtable.games import KEYS
from cardtable.store import disk, files, paths
from cardtable.store.errors import CardtableError
from cardtable.store.text import clean

State: TypeAlias = Literal["open", "over", "given-up"]
ENDING: Final = ".jsonl"
_END: Final = b'\n{"end":'
_DEAL: Final = re.compile(rb'"chance"\s*:\s*"deal ')
_VOID: Final = re.compile(rb'"void"\s*:\s*"')


@dataclass(frozen=True, slots=True)
class Summary:
    """A session as it is listed."""

    id: str
    path: Path
    header: Header | None
    """``None`` for a journal that cannot be opened."""
    state: State
    """``over`` after the last decision; ``given-up`` if it lies in the archive before that."""
    round: int
    """Rounds dealt."""
    totals: tuple[int, ...]
    """Totals of the finished rounds; of a session that is over, the final results."""
    ranks: tuple[int, ...] | None
    """The final places of a session that is over."""
    played: float
    """When it was played last, in seconds since 1970-01-01T00:00Z."""
    trouble: str | None = None
    """Why the journal cannot be opened, in a line that may be shown."""
    name: str = ""
    """What its people call the table, if anything."""
    rounds: int | None = None
    """How many rounds there will be; ``None`` where points end the session."""
    undone: int = 0
    """Decisions that were taken back."""

    @property
    def counted(self) -> bool:
        """Whether rankings count it.

        It was played from its beginning to its end, or given up; with hidden hands; and nothing was taken back.
        """
        header = self.header
        if header is None or self.state == "open" or self.undone or header.origin:
            return False
        return header.options.get("open_hands", "off") == "off"


def listing() -> list[Summary]:
    """The sessions that are not over, as ``unfinished`` gives them."""
    return list(unfinished())


def unfinished() -> Iterator[Summary]:
    """The sessions that are not over, the last played first, and those that cannot be opened.

    Each is read when it is asked for.  One that is over and that a crash kept from the archive
    is moved there.
    """
    found = paths.listed(paths.sessions(), ENDING)
    for path in sorted(found, key=lambda path: (-played(path), path.stem)):
        summary, ended = _replayed(path, _traces(path))
        if ended:
            with suppress(OSError):
                paths.make(paths.archive())
                disk.move(path, paths.archive())
        else:
            yield summary


def finished() -> list[Summary]:
    """The sessions that are over or given up, the last played first, and those that cannot be opened."""
    found = [of(path) for path in paths.listed(paths.archive(), ENDING)]
    for path in paths.listed(paths.sessions(), ENDING):  # where they cannot be moved
        summary = _finished(path)
        if summary is not None:
            found.append(summary)
    return _latest(found)


def of(path: Path) -> Summary:
    """The session of a journal, wherever it lies."""
    return _finished(path) or _replayed(path, _traces(path))[0]


def ids() -> list[str]:
    """The ids of all sessions, the newest first."""
    return sorted(_known(), reverse=True)


def _known() -> dict[str, Path]:
    """All journals by id; one that is in both folders is the unfinished one."""
    folders = (paths.archive(), paths.sessions())
    return {path.stem: path for folder in folders for path in paths.listed(folder, ENDING)}


def find(name: str) -> Path:
    """The journal of a name: an id, a beginning that no other id has, or a path.

    A path has a ``/`` or ends in ``.jsonl``; whether it is there is not asked.  Raises
    ``CardtableError``.
    """
    if "/" in name or os.sep in name or name.endswith(ENDING):
        return Path(name)
    known = _known()
    if name in known:
        return known[name]
    matching = [path for id_, path in known.items() if id_.startswith(name)]
    if name and len(matching) == 1:
        return matching[0]
    which = "several sessions begin" if name and matching else "no session begins"
    raise CardtableError(f"{which} with {clean(name, 60)!r}")


def _latest(found: list[Summary]) -> list[Summary]:
    return sorted(found, key=lambda summary: (-summary.played, summary.id))


_Traces: TypeAlias = tuple[int, ...] | None


def _traces(path: Path) -> _Traces:
    """What changes when a file does."""
    try:
        found = path.lstat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


@lru_cache(maxsize=1024)
def _replayed(path: Path, _traces: _Traces) -> tuple[Summary, bool]:
    """The summary of a journal read and replayed as a whole, and whether its end is written.

    Remembered for as long as the file is as it was.
    """
    try:
        read = files.one(path, files.read_session(path))
        table = files.replayed(path, read)
    except CardtableError as error:
        return Summary(path.stem, path, None, "open", 0, (), None, played(path), str(error)), False
    summary = Summary(
        path.stem,
        path,
        files.shown(read.header),
        _state(path, table),
        table.round,
        table.totals,
        table.ranks,
        played(path),
        name=files.table_name(read),
        rounds=table.options.rounds,
        undone=table.undone,
    )
    return summary, table.ended


def _state(path: Path, table: Table) -> State:
    if table.turn == OVER:
        return "over"
    return "given-up" if path.parent == paths.archive() else "open"


def _finished(path: Path) -> Summary | None:
    """The summary of a session whose end is written, from its first line and that one.

    ``None`` if that is not enough; the whole journal must be read then.
    """
    try:
        data = files.read_session(path)
        end = _end(data)
        header = journal.read(data[: data.find(b"\n") + 1]).header
    except (CardtableError, ValueError, RecursionError):
        return None
    if end is None or header.game not in KEYS or len(end.totals) != len(header.seats):
        return None
    rounds = len(_DEAL.findall(data)) - len(_VOID.findall(data))
    shown, undone = files.shown(header), end.undone or 0
    return Summary(path.stem, path, shown, "over", rounds, end.totals, end.ranks, played(path), undone=undone)


def _end(data: bytes) -> End | None:
    """What the line says with which a session ended.  Raises ``ValueError``."""
    start = data.rfind(_END) + 1
    stop = data.find(b"\n", start)
    return msgspec.json.decode(data[start:stop], type=Line).end if start and stop > start else None


def played(path: Path) -> float:
    """When a session was played last, in seconds since 1970-01-01T00:00Z; 0 where that cannot be known."""
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
