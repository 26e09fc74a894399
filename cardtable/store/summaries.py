"""Summaries of sessions for lists, and the choice of the file that counts among several copies of a session."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias

import msgspec

from cardtable.engine import checksummed_jsonl, journal
from cardtable.engine.errors import CardtableError, GameFailed
from cardtable.engine.game import OVER, Seat
from cardtable.engine.journal import Header, JournalError, Line, Occupant, SessionResult, is_score_table
from cardtable.engine.referee import Referee
from cardtable.engine.text_format import sanitize
from cardtable.games import ABOUT, convert_plugin_errors
from cardtable.robots.kit.levels import LEVELS
from cardtable.store import atomic_io, club_sessions, paths, session_files
from cardtable.store.club_sessions import ClubMarks
from cardtable.store.errors import FileError
from cardtable.store.session_files import last_played

State: TypeAlias = Literal["open", "over", "given-up"]
ENDING: Final = ".jsonl"
_END: Final = b'\n{"end":'
_FORFEIT: Final = b'\n{"forfeit":'
_SEALED: Final = re.compile(rb'[^\n]*,"crc":"[0-9a-f]{8}"}\n')
_MOST: Final = 10**15
_DEAL: Final = re.compile(rb'"chance"\s*:\s*"deal ')
_VOID: Final = re.compile(rb'"void"\s*:\s*"')
_SIT: Final = b'"sit"'


class Summary(msgspec.Struct, frozen=True):
    """A session or score table as it is listed."""

    id: str
    path: Path
    header: Header | None
    """Header with the current occupants; ``None`` for a file that cannot be opened."""
    state: State
    """``over`` after the last decision; ``given-up`` if unfinished and in the archive."""
    round: int
    """Number of rounds dealt."""
    totals: tuple[int, ...]
    """Totals of the finished rounds; of a finished session, the final results."""
    ranks: tuple[int, ...] | None
    """Final places of a finished session."""
    played: int
    """Time of the last play in seconds since 1970-01-01T00:00Z, according to the journal."""
    trouble: str | None = None
    """Reason why the file cannot be opened, in one printable line with its path."""
    name: str = ""
    """Table name; ``""`` if it has none."""
    rounds: int | None = None
    """Number of rounds of the session; ``None`` if points end it."""
    undone: int = 0
    """Number of undone decisions."""
    real_cards: bool = False
    """True for the score table of a game with real cards."""
    replaced_occupants: tuple[tuple[Seat, Occupant], ...] = ()
    """Seats that changed hands, each with its occupant at the beginning."""
    later_occupants: tuple[Occupant, ...] = ()
    """Occupants who joined after the beginning, in order."""
    timed_out: Seat | None = None
    """Seat that lost the session by the clock."""
    why: str = ""
    """``trouble`` without the path."""
    club_marks: ClubMarks = ClubMarks()
    """Statements about the club in its lines; valid once ``is_complete``."""
    seen_before: bool = False
    """True if a player at the table had this deal in an earlier session; set by ``archive_index`` only."""

    @property
    def is_complete(self) -> bool:
        """True if more than the header is known, or the reason why the file cannot be opened."""
        return self.header is None or bool(self.totals)

    @property
    def is_rated(self) -> bool:
        """True if ratings count it: it is finished or abandoned, and ``unrated`` returns no reason against it."""
        if self.header is None or self.state == "open" or self.real_cards or self.seen_before:
            return False
        return unrated(self.header, self.undone) is None

    @property
    def has_known_cards(self) -> bool:
        """True if the deal was chosen or seen before: rankings and averages ignore the session."""
        return self.seen_before or (self.header is not None and self.header.chosen)

    @property
    def is_club_only(self) -> bool:
        """True if it is unfinished and continued through the club only, so that its hands are hidden here."""
        if self.header is None or self.state == "over" or self.real_cards:
            return False
        return club_sessions.is_club_only(self.header, self.everybody, self.club_marks)

    @property
    def everybody(self) -> list[Occupant]:
        """All occupants of the session, past and present."""
        seats = self.header.seats if self.header else ()
        return [*seats, *[who for _, who in self.replaced_occupants], *self.later_occupants]

    @property
    def places(self) -> tuple[int, ...] | None:
        """Places by seat of a finished or abandoned session; ``None`` if it has none.

        In an abandoned session its people share the last place and the robots share the first, since nothing ranks
        the robots.
        """
        return places_given_up(self.header.seats) if self.state == "given-up" and self.header else self.ranks


Unrated: TypeAlias = Literal["club", "continued", "open hands", "taken back", "chosen"]


def unrated(header: Header, undone: int) -> Unrated | None:
    """Return the reason why a session is not rated, as far as it is evident from the session itself; ``None`` if
    rated.

    ``undone``: number of undone decisions.
    """
    if header.club:
        return "club"
    if header.origin:
        return "continued"
    if header.options.get("open_hands", "off") != "off":
        return "open hands"
    if undone:
        return "taken back"
    return "chosen" if header.chosen else None


def places_given_up(seats: Sequence[Occupant]) -> tuple[int, ...] | None:
    """Return the places of an abandoned session: its people share the last one; ``None`` without people."""
    people = sum(who.robot is None for who in seats)
    if not people:
        return None
    last = len(seats) - people + 1 if people < len(seats) else len(seats)
    return tuple([last if who.robot is None else 1 for who in seats])


def listing() -> list[Summary]:
    """Return the unfinished sessions as a list."""
    return list(unfinished())


def unfinished() -> Iterator[Summary]:
    """Yield the unfinished sessions and the unreadable files among them, the last played first.

    Each file is read when the iterator reaches it. A finished session that a crash left out of the archive is moved
    there.
    """
    finish_moves()
    found = [path for files in _sessions_held() for path in (files.counts, *files.damaged) if path]
    unfinished = [path for path in found if path.parent == paths.sessions()]
    for path in sorted(unfinished, key=lambda path: (_played(path, _traces(path)), path.stem), reverse=True):
        summary, ended = _replayed(path, _traces(path))
        if ended:
            with suppress(OSError):
                move_to_archive(path)
        else:
            yield summary


def move_to_archive(path: Path) -> None:
    """Move the journal of a finished session into the archive.  Raises ``OSError``."""
    paths.make(paths.archive())
    atomic_io.move(path, paths.archive())


def finish_moves() -> None:
    """Complete interrupted moves between the session folders: if a file is in both, delete the redundant one.

    The file that contains all lines of the other remains; of two equal ones, the one in the archive.
    """
    for path in journals(paths.sessions()):
        archived = paths.archive() / path.name
        if os.path.lexists(archived):
            with suppress(OSError):  # a program has one of them open
                _ = atomic_io.remove_copy(path, archived) or atomic_io.remove_copy(archived, path)


def summarize(path: Path) -> Summary:
    """Return the summary of a session, reading the whole file only if necessary."""
    found = summarize_fast(path)
    return found if found.is_complete else summarize_full(path)


def summarize_full(path: Path) -> Summary:
    """Return the summary of a session from a replay of its whole journal."""
    return _replayed(path, _traces(path))[0]


def table(path: Path) -> Referee:
    """Return the referee after the last line of a journal, for display only.  Raises ``CardtableError``."""
    return _replay(path, session_files.read_session(path))[3]


def ids() -> list[str]:
    """Return the ids of all sessions, the newest first, according to file names."""
    names = {path.stem for folder in _folders() for path in journals(folder)}
    return sorted([name for name in names if journal.ID.fullmatch(name)], reverse=True)


def _folders() -> tuple[Path, Path]:
    return paths.sessions(), paths.archive()


def journals(folder: Path) -> list[Path]:
    """Return the journals and score tables of a folder, sorted by name."""
    return [path for path in paths.listed(folder, ENDING) if path not in (paths.index(), paths.figures())]


def find(name: str) -> Path:
    """Return the path of a session, given its id, an unambiguous beginning of the id, its file name, or a path.

    A path contains a ``/`` or ends in ``.jsonl``, and is returned unchecked. Raises ``CardtableError``.
    """
    if "/" in name or os.sep in name or name.endswith(ENDING):
        return Path(name)
    finish_moves()
    matching: set[str] = set()
    if name:
        with suppress(OSError):
            if found := session_file(name):
                return found
        matching = _ids_beginning_with(name)
    if len(matching) > 1:
        raise CardtableError(f"several sessions begin with {sanitize(name, 60)!r}; type more of the id")
    every = [path for folder in _folders() for path in journals(folder)]
    for id_ in matching:
        if found := choose_file(id_, [path for path in every if session_id(path) == id_]).counts:
            return found
    for path in every:
        if path.stem == name:
            return path
    raise CardtableError(f"no session begins with {sanitize(name, 60)!r}; cardtable list shows the ids of all")


def _ids_beginning_with(name: str) -> set[str]:
    """Return the ids of sessions that begin with ``name``: all of them, or the first two.

    Files with ``name`` in their file names are tried first, and all files if none of them fits.
    """
    every = [path for folder in _folders() for path in journals(folder)]
    for group in ([path for path in every if name in path.stem], every):
        found: set[str] = set()
        for path in group:
            if (id_ := session_id(path)).startswith(name):
                found.add(id_)
            if len(found) > 1:
                break
        if found:
            return found
    return set()


_Traces: TypeAlias = tuple[int, ...] | None


def _traces(path: Path) -> _Traces:
    """Return the fingerprint of a file; ``None`` if it does not exist."""
    try:
        found = path.lstat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


# Choice between several files of one session


class SessionFiles(NamedTuple):
    """The files that hold one session."""

    counts: Path | None
    """The file that is the session in lists and statistics."""
    outdated: tuple[Path, ...] = ()
    """Files that have the first lines of that file, or all of them."""
    ignored: tuple[tuple[Path, str], ...] = ()
    """Files that are not counted, each with the reason."""
    damaged: tuple[Path, ...] = ()
    """Files that cannot be read to the end."""


class _Copy(NamedTuple):
    """The valid lines of a file that holds a session."""

    path: Path
    data: bytes
    sealed: bool

    @property
    def over(self) -> bool:
        return _END in self.data


class _HeaderId(msgspec.Struct):
    """The header member that identifies the session."""

    id: str


def session_id(path: Path) -> str:
    """Return the id in the header of a journal or score table; the file name if the header cannot be read."""
    return _session_id(path, _traces(path))


@lru_cache(maxsize=4096)
def _session_id(path: Path, _traces: _Traces) -> str:
    try:
        id_ = checksummed_jsonl.decode(session_files.first_line(path), _HeaderId).id
    except (CardtableError, ValueError):
        return path.stem
    return id_ if journal.ID.fullmatch(id_) else path.stem


def session_file(id_: str, others: Iterable[Path] = ()) -> Path | None:
    """Return the file that counts as the session with an id; ``None`` if there is none.

    Candidates are the files with the id in their names, as file synchronisers name copies, and ``others``, which are
    known to hold the session. Raises ``OSError`` if a folder cannot be read.
    """
    named = [path for path in files_named(id_) if session_id(path) == id_]
    return choose_file(id_, list(dict.fromkeys([*named, *others]))).counts


def files_named(id_: str) -> list[Path]:
    """Return the session files, finished or not, with an id in their names.  Raises ``OSError``."""
    named = re.compile(rf"(?<![A-Za-z0-9]){re.escape(id_)}(?![A-Za-z0-9])")
    found = []
    for folder in _folders():
        with suppress(FileNotFoundError, NotADirectoryError), os.scandir(folder) as entries:
            names = [entry.name for entry in entries if id_ in entry.name and entry.name.endswith(ENDING)]
            found += [folder / name for name in names if named.search(name)]
    return sorted([path for path in found if path not in (paths.index(), paths.figures())])


def unfinished_files() -> dict[str, Path]:
    """Return the counting files of the unfinished sessions, by id."""
    found = {session_id(files.counts): files.counts for files in _sessions_held() if files.counts}
    return {id_: path for id_, path in found.items() if path.parent == paths.sessions()}


def _sessions_held() -> Iterator[SessionFiles]:
    """Yield the files of each session that has a file among the unfinished ones."""
    held: dict[str, list[Path]] = {}
    for path in journals(paths.sessions()):
        held.setdefault(session_id(path), []).append(path)
    archived: list[str] = []
    if held:
        with suppress(OSError), os.scandir(paths.archive()) as entries:
            archived = [entry.name for entry in entries if entry.name.endswith(ENDING)]
    for id_, several in held.items():
        named = [paths.archive() / name for name in archived if id_ in name]
        several += [path for path in named if session_id(path) == id_]
        yield choose_file(id_, several)


def choose_file(id_: str, held: Sequence[Path]) -> SessionFiles:
    """Choose the file that counts among the files of a session: ``ID.jsonl``, or a copy that continues it.

    A copy has another name. It counts if it has checksums and begins with all lines of ``ID.jsonl``, or if
    ``ID.jsonl`` is missing or unreadable; of several copies the longest one counts. A single file without checksums
    counts only if its name does not contain the id.
    """
    if len(held) == 1 and held[0].stem == id_:
        return SessionFiles(held[0])
    copies = [copy for path in held if (copy := _copy(path)) is not None]
    own = _choose_of_both_folders([copy for copy in copies if copy.path.stem == id_])
    following = [copy for copy in copies if copy.path.stem != id_ and copy.sealed]
    if own:
        following = [copy for copy in following if len(copy.data) > len(own.data) and copy.data.startswith(own.data)]
    following.sort(key=lambda copy: (-copy.data.count(b"\n"), copy.path))
    counts = next((copy for copy in following if summarize_full(copy.path).header), own)
    if counts is None and len(held) == len(copies) == 1 and id_ not in held[0].name:
        counts = copies[0]  # a file written by hand, not a copy
    read = {copy.path for copy in copies}
    damaged = tuple([path for path in held if path not in read])
    others = [copy for copy in copies if copy != counts]
    outdated = [copy.path for copy in others if counts and counts.data.startswith(copy.data)]
    apart = [(copy.path, _why_apart(copy, counts)) for copy in others if copy.path not in outdated]
    return SessionFiles(counts.path if counts else None, tuple(outdated), tuple(apart), damaged)


_UNSEALED: Final = "it has no checksums"


def _copy(path: Path) -> _Copy | None:
    """Return the valid lines of a journal or score table; ``None`` if it is damaged or gone."""
    try:
        data = session_files.read_session(path)
        if is_score_table(data):
            from cardtable.scoring import score_table  # noqa: PLC0415 - lazy: startup

            scores = score_table.read(data)
            return _Copy(path, data[: scores.size], scores.sealed)
        read = journal.read(data)
    except (CardtableError, JournalError):
        return None
    return _Copy(path, data[: read.size], read.sealed)


def _choose_of_both_folders(named: Sequence[_Copy]) -> _Copy | None:
    """Choose between the files ``ID.jsonl`` of both folders.

    The file that continues the other one counts. If they diverge, the finished one counts, else the unfinished one.
    If they are equal, the unfinished one counts unless the session has ended.
    """
    if len(named) < 2:
        return named[0] if named else None
    archived, unfinished = sorted(named, key=lambda copy: copy.path.parent == paths.sessions())
    if archived.over:
        return unfinished if unfinished.data.startswith(archived.data) and unfinished != archived else archived
    goes_on = archived.data.startswith(unfinished.data) and len(archived.data) > len(unfinished.data)
    return archived if goes_on else unfinished


def _why_apart(copy: _Copy, counts: _Copy | None) -> str:
    if not copy.sealed or counts is None:
        return _UNSEALED
    pairs = zip(copy.data.split(b"\n"), counts.data.split(b"\n"), strict=False)
    line = next(number for number, (one, other) in enumerate(pairs, 1) if one != other)
    return f"it differs from line {line} on"


def sort_by_recency(found: Iterable[Summary]) -> list[Summary]:
    """Sort by time of the last play, the most recent first; then by id, the newest first."""
    return sorted(found, key=lambda summary: (summary.played, summary.id), reverse=True)


@lru_cache(maxsize=1024)
def _replayed(path: Path, _traces: _Traces) -> tuple[Summary, bool]:
    """Return the summary of a file replayed as a whole, and True if its end is written.

    Cached while the file is unchanged.
    """
    data = b""
    try:
        data = session_files.read_session(path)
        with convert_plugin_errors():
            return _of_scores(path, data) if is_score_table(data) else _of_journal(path, data)
    except CardtableError as error:
        shown_error = FileError(path, str(error)) if isinstance(error, GameFailed) else error
        return _not_opened(path, data, shown_error), False


def _not_opened(path: Path, data: bytes, error: CardtableError) -> Summary:
    return Summary(path.stem, path, None, "open", 0, (), None, last_played(data), str(error), why=error.why)


def _of_journal(path: Path, data: bytes) -> tuple[Summary, bool]:
    """Return the summary of a journal, and True if its end is written.  Raises ``CardtableError``."""
    header, sitters, name, table, club_marks = _replay(path, data)
    begun = session_files.sanitized_header(header)
    summary = Summary(
        header.id,
        path,
        session_files.sanitized_header(journal.with_occupants(header, table.new_occupants)),
        _state(path, table),
        table.round,
        table.totals,
        table.ranks,
        last_played(data),
        name=name,
        rounds=table.options.rounds,
        undone=table.undone,
        replaced_occupants=_left(begun, table.new_occupants),
        later_occupants=session_files.shown_seats(sitters),
        timed_out=table.game.timed_out(table.view(0)),
        club_marks=club_marks,
    )
    return summary, table.ended


@lru_cache(maxsize=1)
def _replay(path: Path, data: bytes) -> tuple[Header, tuple[Occupant, ...], str, Referee, ClubMarks]:
    """Return the header of a journal, its later occupants, table name, referee after the last line, and club marks.

    The last result is cached: the picker lists a session first, and then shows its position. Raises
    ``CardtableError``.
    """
    read = session_files.parse_session(path, data)
    sitters = tuple([entry.line.sitter for entry in read.entries if entry.line.sit is not None])
    club_marks = club_sessions.marks(entry.line for entry in read.entries)
    return read.header, sitters, session_files.table_name(read), session_files.replayed(path, read), club_marks


def _of_scores(path: Path, data: bytes) -> tuple[Summary, bool]:
    """Return the summary of a score table, and True if it is closed.  Raises ``CardtableError``."""
    from cardtable.scoring import score_table  # noqa: PLC0415 - lazy: startup

    try:
        table = score_table.load(score_table.read(data))
    except JournalError as error:
        raise session_files.damaged(path, error) from None
    head, sheet, in_progress = table.header, table.sheet, not table.ended and not paths.in_archive(path)
    header = Header(
        cardtable=head.cardtable_scores,
        id=head.id,
        game=head.game,
        created=head.created,
        seed=0,
        options=head.options,
        seats=head.seats,
    )
    summary = Summary(
        head.id,
        path,
        session_files.sanitized_header(header),
        "over" if table.ended else _unfinished(path),
        sheet.finished + (in_progress and not sheet.ended),
        sheet.totals if table.ended else sheet.running,
        sheet.ranks if table.ended else None,
        last_played(data),
        name=sanitize(table.name.strip(), session_files.MOST_NAME),
        rounds=sheet.rounds,
        undone=table.undone,
        real_cards=True,
    )
    return summary, table.ended


def _state(path: Path, table: Referee) -> State:
    return "over" if table.turn == OVER else _unfinished(path)


def _unfinished(path: Path) -> State:
    return "given-up" if paths.in_archive(path) else "open"


def summarize_fast(path: Path) -> Summary:
    """Return the summary of a session from its first line and its end line, without replaying it.

    Without an end line only the header is known: ``is_complete`` is False, and ``summarize_full`` may find that the
    session has ended or is damaged.
    """
    data = b""
    try:
        data = session_files.read_session(path)
        begun = session_files.sanitized_header(_header(data))
        came = _came_later(data) if begun.cardtable > 1 else []
        sitters = dict(came)
        header = session_files.sanitized_header(journal.with_occupants(begun, sitters))
        end, name = _end(data), _name(data)
    except JournalError as error:
        if error.why == journal.FOREIGN:
            return _not_opened(path, data, session_files.damaged(path, error))
        return summarize_full(path)
    except (CardtableError, ValueError):
        return summarize_full(path)
    if not is_valid_header(header) or not all(seat in range(len(header.seats)) for seat in sitters):
        return summarize_full(path)
    if end is None or not (is_valid_figures(header, end.totals) and is_valid_figures(header, end.ranks)):
        return Summary(
            header.id,
            path,
            header,
            _unfinished(path),
            0,
            (),
            None,
            last_played(data),
            replaced_occupants=_left(begun, sitters),
            later_occupants=session_files.shown_seats([who for _, who in came]),
        )
    return Summary(
        header.id,
        path,
        header,
        "over",
        _dealt(data),
        end.totals,
        end.ranks,
        last_played(data),
        name=name,
        undone=end.undone or 0,
        replaced_occupants=_left(begun, sitters),
        later_occupants=session_files.shown_seats([who for _, who in came]),
        timed_out=_timed_out(header, data),
    )


def _header(data: bytes) -> Header:
    """Return the header of a journal.  Raises ``ValueError``."""
    if _SEALED.match(data):
        return journal.header_of(data[: data.find(b"\n")])
    return journal.read(data[: data.find(b"\n") + 1]).header


def is_valid_header(header: Header) -> bool:
    """Return True if the header's game, number of seats and robots' levels exist."""
    if header.game not in ABOUT or len(header.seats) not in ABOUT[header.game].seats:
        return False
    return all(who.robot is None or who.robot in LEVELS for who in header.seats)


def is_valid_figures(header: Header, figures: Sequence[int]) -> bool:
    """Return True if ``figures`` has one number per seat, each within the limit of a journal."""
    return len(figures) == len(header.seats) and all(abs(figure) < _MOST for figure in figures)


def _dealt(data: bytes) -> int:
    """Return the number of rounds dealt, without void ones.  Lines with checksums contain no spaces between members."""
    if _SEALED.match(data):
        return data.count(b'"chance":"deal ') - data.count(b'"void":"')
    return len(_DEAL.findall(data)) - len(_VOID.findall(data))


def _name(data: bytes) -> str:
    """Return the table name, sanitized for display, from the last line that sets it."""
    start = data.rfind(b'\n{"name":') + 1
    line = data[start : data.find(b"\n", start)] if start else b"{}"
    return sanitize((checksummed_jsonl.decode(line, Line).table_name or "").strip(), session_files.MOST_NAME)


def _came_later(data: bytes) -> list[tuple[Seat, Occupant]]:
    """Return the seats and occupants of ``sit`` lines, in order.  Raises ``ValueError``."""
    if _SIT not in data:
        return []
    lines = [checksummed_jsonl.decode(line, Line) for line in data.split(b"\n") if _SIT in line]
    return [(line.sit, line.sitter) for line in lines if line.sit is not None]


def _left(begun: Header, sitters: Mapping[Seat, Occupant]) -> tuple[tuple[Seat, Occupant], ...]:
    return tuple([(seat, begun.seats[seat]) for seat in sorted(sitters)])


def _timed_out(header: Header, data: bytes) -> Seat | None:
    """Return the seat that lost by the clock; ``None`` if none did.  Raises ``ValueError``."""
    start = data.rfind(_FORFEIT) + 1
    seat = checksummed_jsonl.decode(data[start : data.find(b"\n", start)], Line).forfeit if start else None
    return seat if seat in range(len(header.seats)) else None


def _end(data: bytes) -> SessionResult | None:
    """Return the result in the end line; ``None`` if there is none.  Raises ``ValueError``."""
    start = data.rfind(_END) + 1
    stop = data.find(b"\n", start)
    return checksummed_jsonl.decode(data[start:stop], Line).end if start and stop > start else None


@lru_cache(maxsize=1024)
def _played(path: Path, _traces: _Traces) -> int:
    """Return the time of the last play; 0 if unknown.  Cached while the file is unchanged."""
    try:
        return last_played(session_files.read_session(path))
    except CardtableError:
        return 0
