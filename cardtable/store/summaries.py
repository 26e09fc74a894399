"""Summaries of sessions for lists, and the choice of the current file among several copies of a session."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias

import msgspec
from msgspec.structs import replace

from cardtable.engine import checksummed_jsonl, journal
from cardtable.engine.checksummed_jsonl import JournalError
from cardtable.engine.errors import CardtableError, GameFailed
from cardtable.engine.game import OVER, Seat
from cardtable.engine.game_lookup import is_from_package
from cardtable.engine.options import has_open_hands
from cardtable.engine.referee import Referee
from cardtable.engine.text_format import sanitize
from cardtable.games import ABOUT, convert_plugin_errors, get_plugin_package
from cardtable.robots.kit.levels import LEVELS
from cardtable.store import atomic_io, paths, session_files, visibility
from cardtable.store.errors import FileError
from cardtable.store.session_files import State, find_last_played

JOURNAL_SUFFIX: Final = ".jsonl"
_MAX_FIGURE: Final = 10**15
_LASTING_MARKS: Final[tuple[journal.MarkKind, ...]] = ("at-club", "private", "one-network", "networks-differ")
"""Marks that hold from their line to the end of the session."""


class Summary(msgspec.Struct, frozen=True, omit_defaults=True):
    """Summary of a session or score table, as shown in lists."""

    id: str
    path: Path
    header: journal.Header | None
    """Header with the current occupants, or ``None`` if the file cannot be opened."""
    state: State
    round: int
    """Number of rounds dealt."""
    totals: tuple[int, ...]
    """Totals of the finished rounds, or the final results if the session is finished."""
    ranks: tuple[int, ...] | None
    """Final ranks by seat, or ``None`` in an unfinished session."""
    played: int
    """Time of the last play according to the journal, in seconds since 1970-01-01T00:00Z, or 0 if unknown."""
    error: str | None = None
    """Reason why the file cannot be opened, with its path, in one printable line, or ``None`` if it can be opened."""
    name: str = ""
    """Table name, or ``""`` if the table has none."""
    rounds: int | None = None
    """Number of rounds in the session, or ``None`` if the session ends at a number of points."""
    undone: int = 0
    """Number of decisions that were undone."""
    coached: bool = False
    """True if the coach was on."""
    real_cards: bool = False
    """True for a score table of a game played with real cards."""
    replaced_occupants: tuple[tuple[Seat, journal.Occupant], ...] = ()
    """Seats whose occupant was replaced, each with the occupant at the beginning."""
    later_occupants: tuple[journal.Occupant, ...] = ()
    """Occupants who joined after the beginning, in the order in which they joined."""
    timed_out: Seat | None = None
    """Seat that lost the session on time, or ``None`` if no seat did."""
    reason: str = ""
    """The text of ``error`` without the path."""
    marks: frozenset[journal.MarkKind] = frozenset()
    """Marks in the lines of the journal. The value is valid only if ``is_complete``."""
    own: tuple[int, ...] | None = None
    due: tuple[int, ...] | None = None
    late: tuple[int, ...] | None = None
    """Numbers of choices by seat as in ``SessionResult``, or ``None`` if they are not recorded."""
    lost: tuple[tuple[Seat, journal.LossReason], ...] = ()
    """Seats that have lost the session before its end, each with the reason."""
    seen_before: bool = False
    """True if a player had the same deal in an earlier session. Only ``archive_index`` sets this field."""

    @property
    def is_complete(self) -> bool:
        """True if the summary is final: more than the header is known, or the file cannot be opened."""
        return self.header is None or bool(self.totals)

    @property
    def is_rated(self) -> bool:
        """True if the session counts for ratings: it has ended or was abandoned, and nothing excludes it.

        See ``find_unrated_reason`` for the reasons. Score tables and sessions with a known deal are never rated.
        """
        if self.header is None or self.state == "open" or self.real_cards or self.seen_before:
            return False
        return find_unrated_reason(self.header, self.undone, coached=self.coached) is None

    @property
    def has_known_cards(self) -> bool:
        """True if the deal was chosen or seen before, so that rankings and averages ignore the session."""
        return self.seen_before or (self.header is not None and self.header.chosen)

    @property
    def is_of_club(self) -> bool:
        return self.header is not None and visibility.is_of_club(self.header, self.marks)

    @property
    def is_played_here(self) -> bool:
        """True if people play it in this program, which excludes robots alone, real cards and clubs."""
        has_people = self.error is None and self.header is not None and bool(self.header.people)
        return has_people and not (self.real_cards or self.is_club_only)

    @property
    def is_club_only(self) -> bool:
        """True if the session is unfinished and can be continued at the club only, so that its hands are hidden
        here.
        """
        if self.header is None or self.real_cards:
            return False
        if self.state == "over":
            return self.is_secret
        return visibility.is_club_only(self.header, self.marks)

    @property
    def is_secret(self) -> bool:
        """True if nothing of the session may be shown or listed here; see ``visibility.is_secret``."""
        return self.header is not None and not self.real_cards and visibility.is_secret(self.header)

    @property
    def all_occupants(self) -> list[journal.Occupant]:
        """All occupants, past and present. An occupant may be listed twice."""
        seats = self.header.seats if self.header else ()
        return [*seats, *[occupant for _, occupant in self.replaced_occupants], *self.later_occupants]

    @property
    def places(self) -> tuple[int, ...] | None:
        """Ranks by seat in a finished or abandoned session, or ``None`` if there are none.

        An abandoned session is ranked by ``compute_abandoned_places``.
        """
        return compute_abandoned_places(self.header.seats) if self.state == "abandoned" and self.header else self.ranks


UnratedReason: TypeAlias = Literal["club", "continued", "open hands", "taken back", "coached", "chosen", "casual"]


def find_unrated_reason(header: journal.Header, undone: int, *, coached: bool) -> UnratedReason | None:
    """Return the reason why a session is not rated, or ``None`` if the session itself shows no such reason.

    ``undone`` is the number of undone decisions. ``coached`` is True if the coach was on.
    """
    if header.club:
        return "club"
    if header.origin:
        return "continued"
    if has_open_hands(header.options):
        return "open hands"
    if undone:
        return "taken back"
    if coached:
        return "coached"
    if header.chosen:
        return "chosen"
    return "casual" if header.terms and not header.terms.rated else None


def compute_abandoned_places(seats: Sequence[journal.Occupant]) -> tuple[int, ...] | None:
    """Return the ranks by seat in an abandoned session, or ``None`` if only robots play in it.

    The human players share the last rank, and the robots share the first, since nothing ranks them.
    """
    people = sum(occupant.robot is None for occupant in seats)
    if not people:
        return None
    last = len(seats) - people + 1 if people < len(seats) else len(seats)
    return tuple([last if occupant.robot is None else 1 for occupant in seats])


def list_unfinished() -> list[Summary]:
    return list(iter_unfinished())


def iter_unfinished() -> Iterator[Summary]:
    """Yield the unfinished sessions and the unreadable files among them, the one played last first.

    Tables of a tournament's round that is not finished are left out. Each file is read when the iterator reaches it. A
    finished session that a crash has left outside the archive is moved there and not yielded.
    """
    finish_moves()
    for path in _list_by_last_play():
        summary, ended = _summarize_replay(path, _get_fingerprint(path))
        if ended:
            with suppress(OSError):
                move_to_archive(path)
        elif not summary.is_secret:
            yield summary


def iter_resumable() -> Iterator[Path]:
    """Yield the files of unfinished sessions, the one played last first; only first and last lines are read.

    Some of the sessions may be damaged or be played at the club only. Score tables are left out.
    """
    finish_moves()
    for path in _list_by_last_play():
        summary = summarize_fast(path)
        if summary.state == "open" and not (summary.error or summary.real_cards or summary.is_secret):
            yield path


def _list_by_last_play() -> list[Path]:
    """Return the files in the folder of sessions, the one played last first."""
    candidates = [path for files in _iter_unfinished_files() for path in (files.current, *files.damaged) if path]
    unfinished = [path for path in candidates if path.parent == paths.sessions_folder()]
    return sorted(
        unfinished, key=lambda path: (_read_last_played(path, _get_fingerprint(path)), path.stem), reverse=True
    )


def move_to_archive(path: Path) -> None:
    """Move the journal of a finished session into the archive.

    Raises ``OSError`` if the file cannot be moved or is open in a program.
    """
    paths.create_folder(paths.archive_folder())
    atomic_io.move(path, paths.archive_folder())


def finish_moves() -> None:
    """Complete interrupted moves: if a file is in both session folders, delete the redundant copy.

    The file that contains all lines of the other one is retained. If both are equal, the archived one is. Files that
    differ, or that another program has open, are left alone.
    """
    archive = paths.archive_folder()
    for path in list_journals(paths.sessions_folder()):
        archived = archive / path.name
        if os.path.lexists(archived):
            with suppress(OSError):  # a program has one of them open
                _ = atomic_io.remove_copy(path, archived) or atomic_io.remove_copy(archived, path)


def summarize(path: Path) -> Summary:
    """Return the summary of a session. The whole journal is replayed only if its first and end lines do not suffice."""
    summary = summarize_fast(path)
    return summary if summary.is_complete else summarize_full(path)


def summarize_full(path: Path) -> Summary:
    """Return the summary of a session after replaying its whole journal.

    Results are cached while the file is unchanged.
    """
    return _summarize_replay(path, _get_fingerprint(path))[0]


def load_referee(path: Path) -> Referee:
    """Return the referee after the last line of a journal, for display only: it is cached and must not be changed.

    Raises ``CardtableError`` if the journal cannot be read or replayed.
    """
    return _replay_journal(path, session_files.read_session(path))[1]


def list_ids() -> list[str]:
    """Return the ids of all sessions according to their file names, the newest first."""
    names = {path.stem for path in list_all_journals()}
    return sorted([name for name in names if journal.ID.fullmatch(name)], reverse=True)


def list_all_journals() -> list[Path]:
    """Return the journals and score tables of this home, unfinished ones first, otherwise sorted by name."""
    return [path for folder in paths.journal_folders() for path in list_journals(folder)]


def list_journals(folder: Path) -> list[Path]:
    """Return the journals and score tables in a folder, sorted by name."""
    others = paths.index_file(), paths.statistics_file()
    return [path for path in paths.list_files(folder, JOURNAL_SUFFIX) if path not in others]


def list_recent_games() -> list[str]:
    """Return the keys of the games of which this home has sessions, the one begun last first."""
    ids = sorted([path.stem for folder in paths.journal_folders() for path in list_journals(folder)], reverse=True)
    return [*dict.fromkeys([id_.split("-")[2] for id_ in ids if id_.count("-") == 3])]


def find_path(name: str) -> Path:
    """Return the path of a session.

    ``name`` is an id, the unique beginning of an id, a file name without its suffix, or a path. A path contains a ``/``
    or ends with ``.jsonl``, and is returned unchecked, with a leading ``~`` expanded. Raises ``CardtableError`` if no
    session matches or several do.
    """
    if "/" in name or os.sep in name or name.endswith(JOURNAL_SUFFIX):
        return Path(paths.expand_home(name))
    finish_moves()
    matching: set[str] = set()
    if name:
        with suppress(OSError):
            if current := find_session_file(name):
                return current
        matching = _find_ids_by_prefix(name)
    if len(matching) > 1:
        raise CardtableError(f"several sessions begin with {sanitize(name, 60)!r}; type more of the id")
    every = list_all_journals()
    for id_ in matching:
        if current := classify_files(id_, [path for path in every if read_session_id(path) == id_]).current:
            return current
    for path in every:
        if path.stem == name:
            return path
    raise CardtableError(f"no session begins with {sanitize(name, 60)!r}; cardtable list shows the ids of all")


def _find_ids_by_prefix(prefix: str) -> set[str]:
    """Return the ids of sessions that begin with ``prefix``, but no more than two, which suffice to detect ambiguity.

    Files whose names contain the prefix are searched first, and all others only if none of them matches.
    """
    every = list_all_journals()
    for group in ([path for path in every if prefix in path.stem], every):
        ids: set[str] = set()
        for path in group:
            if (id_ := read_session_id(path)).startswith(prefix):
                ids.add(id_)
            if len(ids) > 1:
                break
        if ids:
            return ids
    return set()


_Fingerprint: TypeAlias = tuple[int, ...] | None


def _get_fingerprint(path: Path) -> _Fingerprint:
    """Return the inode, size, modification time and change time of a file, or ``None`` if it does not exist."""
    try:
        status = path.lstat()
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


# Choice between several files of one session


class SessionFiles(NamedTuple):
    """All files of one session, with the one that is current."""

    current: Path | None
    """File that represents the session in lists and statistics, or ``None`` if no file is usable."""
    outdated: tuple[Path, ...] = ()
    """Files that contain only the first lines of the current file, or exactly the same lines."""
    ignored: tuple[tuple[Path, str], ...] = ()
    """Files that are ignored, each with the reason."""
    damaged: tuple[Path, ...] = ()
    """Files that cannot be read to their end."""


class _Copy(NamedTuple):
    """Valid lines of a file that holds a session."""

    path: Path
    data: bytes
    sealed: bool

    @property
    def is_over(self) -> bool:
        return session_files.END_PREFIX in self.data


class _HeaderId(msgspec.Struct):
    """Header of a journal or score table, reduced to the id."""

    id: str


def read_session_id(path: Path) -> str:
    """Return the id in the header of a journal or score table.

    Without a valid id it is the file name without its suffix.
    """
    return _read_session_id(path, _get_fingerprint(path))


@lru_cache(maxsize=4096)
def _read_session_id(path: Path, _fingerprint: _Fingerprint) -> str:
    try:
        id_ = checksummed_jsonl.decode(session_files.read_first_line(path), _HeaderId).id
    except (CardtableError, ValueError):
        return path.stem
    return id_ if journal.ID.fullmatch(id_) else path.stem


def find_session_file(id_: str, other_files: Iterable[Path] = ()) -> Path | None:
    """Return the current file of a session, or ``None`` if there is none.

    Candidates are all files with the id in their names, since file synchronisers name copies like this, and
    ``other_files``, which are known to hold the session. Raises ``OSError`` if a folder cannot be read.
    """
    named = [path for path in list_files_with_id(id_) if read_session_id(path) == id_]
    return classify_files(id_, list(dict.fromkeys([*named, *other_files]))).current


def list_files_with_id(id_: str) -> list[Path]:
    """Return the files in both session folders that have the id as a whole word in their names.

    Raises ``OSError`` if a folder cannot be read.
    """
    folders = paths.journal_folders()
    files = [path for folder in folders for path in paths.list_named_files(folder, id_, JOURNAL_SUFFIX)]
    return sorted([path for path in files if path not in (paths.index_file(), paths.statistics_file())])


def find_unfinished_files() -> dict[str, Path]:
    """Map the ids of the unfinished sessions to their current files."""
    current_files = {
        read_session_id(files.current): files.current for files in _iter_unfinished_files() if files.current
    }
    folder = paths.sessions_folder()
    return {id_: path for id_, path in current_files.items() if path.parent == folder}


def _iter_unfinished_files() -> Iterator[SessionFiles]:
    """Yield the files of each session that has at least one file in the folder of unfinished sessions."""
    paths_by_id: dict[str, list[Path]] = {}
    for path in list_journals(paths.sessions_folder()):
        paths_by_id.setdefault(read_session_id(path), []).append(path)
    archived: list[str] = []
    archive = paths.archive_folder()
    if paths_by_id:
        with suppress(OSError), os.scandir(archive) as entries:
            archived = [entry.name for entry in entries if entry.name.endswith(JOURNAL_SUFFIX)]
    for id_, several in paths_by_id.items():
        named = [archive / name for name in archived if id_ in name]
        several += [path for path in named if read_session_id(path) == id_]
        yield classify_files(id_, several)


def classify_files(id_: str, candidates: Sequence[Path]) -> SessionFiles:
    """Choose the current file among the files of a session.

    This is normally ``ID.jsonl``. A copy with another name is current instead if it has checksums and continues
    ``ID.jsonl``, or if ``ID.jsonl`` is missing or unreadable; among several such copies the one with the most lines is
    chosen. A copy without checksums is current only if it is the single file of the session and its name does not
    contain the id.
    """
    if len(candidates) == 1 and candidates[0].stem == id_:
        return SessionFiles(candidates[0])
    copies = [copy for path in candidates if (copy := _read_copy(path)) is not None]
    own = _choose_between_folders([copy for copy in copies if copy.path.stem == id_])
    following = [copy for copy in copies if copy.path.stem != id_ and copy.sealed]
    if own:
        following = [copy for copy in following if len(copy.data) > len(own.data) and copy.data.startswith(own.data)]
    following.sort(key=lambda copy: (-copy.data.count(b"\n"), copy.path))
    current = next((copy for copy in following if summarize_full(copy.path).header), own)
    if current is None and len(candidates) == len(copies) == 1 and id_ not in candidates[0].name:
        current = copies[0]  # a file written by hand, not a copy
    read = {copy.path for copy in copies}
    damaged = tuple([path for path in candidates if path not in read])
    others = [copy for copy in copies if copy != current]
    outdated = [copy.path for copy in others if current and current.data.startswith(copy.data)]
    ignored = [(copy.path, _explain_ignored(copy, current)) for copy in others if copy.path not in outdated]
    return SessionFiles(current.path if current else None, tuple(outdated), tuple(ignored), damaged)


_NO_CHECKSUMS: Final = "it has no checksums"


def _read_copy(path: Path) -> _Copy | None:
    """Return the valid lines of a journal or score table, or ``None`` if it is damaged or missing."""
    try:
        data = session_files.read_session(path)
        if journal.is_score_table(data):
            from cardtable.scoring import score_table  # noqa: PLC0415 - lazy: startup

            scores = score_table.read(data)
            return _Copy(path, data[: scores.size], scores.sealed)
        read = journal.read(data)
    except (CardtableError, JournalError):
        return None
    return _Copy(path, data[: read.size], read.sealed)


def _choose_between_folders(copies: Sequence[_Copy]) -> _Copy | None:
    """Choose between the files ``ID.jsonl`` in the two session folders. Return ``None`` if there is neither.

    A file that continues the other one is chosen. If the files diverge, the finished one is chosen, else the one in the
    folder of unfinished sessions. If they are equal, the one in the archive is chosen only if the session has ended.
    """
    if len(copies) < 2:
        return copies[0] if copies else None
    archived, unfinished = sorted(copies, key=lambda copy: copy.path.parent == paths.sessions_folder())
    if archived.is_over:
        return unfinished if unfinished.data.startswith(archived.data) and unfinished != archived else archived
    goes_on = archived.data.startswith(unfinished.data) and len(archived.data) > len(unfinished.data)
    return archived if goes_on else unfinished


def _explain_ignored(copy: _Copy, current: _Copy | None) -> str:
    if not copy.sealed or current is None:
        return _NO_CHECKSUMS
    pairs = zip(copy.data.split(b"\n"), current.data.split(b"\n"), strict=False)
    line = next(number for number, (one, other) in enumerate(pairs, 1) if one != other)
    return f"it differs from line {line} on"


def sort_by_recency(summaries: Iterable[Summary]) -> list[Summary]:
    """Sort summaries by the time of the last play, the most recent first. Ties are sorted by id, the newest first."""
    return sorted(summaries, key=lambda summary: (summary.played, summary.id), reverse=True)


@lru_cache(maxsize=1024)
def _summarize_replay(path: Path, _fingerprint: _Fingerprint) -> tuple[Summary, bool]:
    """Return the summary of a file after a full replay, and True if the journal has an end line.

    Results are cached while the file is unchanged. A file that cannot be opened has a summary with ``error``.
    """
    data = b""
    try:
        data = session_files.read_session(path)
        with convert_plugin_errors():
            return (
                _summarize_score_table(path, data) if journal.is_score_table(data) else _summarize_journal(path, data)
            )
    except CardtableError as error:
        shown_error = FileError(path, str(error)) if isinstance(error, GameFailed) else error
        return _summarize_unreadable(path, data, shown_error), False


def _summarize_unreadable(path: Path, data: bytes, error: CardtableError) -> Summary:
    return Summary(
        id=path.stem,
        path=path,
        header=None,
        state="open",
        round=0,
        totals=(),
        ranks=None,
        played=find_last_played(data),
        error=str(error),
        reason=error.reason,
    )


def _summarize_journal(path: Path, data: bytes) -> tuple[Summary, bool]:
    """Return the summary of a journal, and True if it has an end line. Raises ``CardtableError`` if it is damaged."""
    parsed, table = _replay_journal(path, data)
    first_header = session_files.sanitize_header(parsed.header)
    summary = Summary(
        id=parsed.header.id,
        path=path,
        header=session_files.sanitize_header(journal.replace_occupants(parsed.header, table.occupants.changed)),
        state=session_files.get_state(path, is_over=table.turn == OVER),
        round=table.round,
        totals=table.totals,
        ranks=table.ranks,
        played=find_last_played(data),
        name=session_files.find_table_name(parsed),
        rounds=table.options.rounds,
        undone=table.undone,
        coached=table.coached,
        replaced_occupants=_list_replaced_occupants(first_header, table.occupants.changed),
        later_occupants=session_files.sanitize_occupants(
            [occupant for _, occupant in journal.list_later_occupants(parsed)]
        ),
        timed_out=table.game.timed_out(table.view(0)),
        own=table.result.own if table.result else None,
        due=table.result.due if table.result else None,
        late=table.result.late if table.result else None,
        lost=tuple([(seat, line.reason) for seat, line in table.occupants.lost.items()]),
        marks=visibility.find_marks(entry.line for entry in parsed.entries),
    )
    return summary, table.ended


@lru_cache(maxsize=1)
def _replay_journal(path: Path, data: bytes) -> tuple[journal.Journal, Referee]:
    """Parse and replay a journal, and return it with its final referee.

    The last result is cached, since the picker lists a session and then shows its position. Raises ``CardtableError``
    if the journal is damaged.
    """
    parsed = session_files.parse_session(path, data)
    return parsed, session_files.replay_journal(path, parsed)


def _summarize_score_table(path: Path, data: bytes) -> tuple[Summary, bool]:
    """Return the summary of a score table, and True if it is closed. Raises ``CardtableError`` if it is damaged."""
    from cardtable.scoring import score_table  # noqa: PLC0415 - lazy: startup

    with session_files.convert_journal_errors(path):
        table = score_table.load(score_table.read(data))
    head, sheet, state = table.header, table.sheet, session_files.get_state(path, is_over=table.ended)
    header = journal.Header(
        cardtable=head.cardtable_scores,
        id=head.id,
        game=head.game,
        created=head.created,
        seed=0,
        options=head.options,
        seats=head.seats,
        package=head.package,
    )
    summary = Summary(
        id=head.id,
        path=path,
        header=session_files.sanitize_header(header),
        state=state,
        round=sheet.finished + 1 if state == "open" and not sheet.is_over else sheet.finished,
        totals=sheet.totals if table.ended else sheet.running_totals,
        ranks=sheet.ranks if table.ended else None,
        played=find_last_played(data),
        name=sanitize(table.name.strip(), session_files.MAX_NAME_LENGTH),
        rounds=sheet.rounds,
        undone=table.undone,
        real_cards=True,
    )
    return summary, table.ended


def summarize_fast(path: Path) -> Summary:
    """Return the summary of a session from its first line and its end line, without a replay.

    Without an end line only the header is known, and ``is_complete`` is False; ``summarize_full`` may then find that
    the session has ended or is damaged. The whole journal is replayed if these lines are unusable or have no checksums.
    """
    try:
        data = session_files.read_session(path)
        first_header = session_files.sanitize_header(session_files.read_header(data))
        later = session_files.read_lines(data, journal.OccupantLine)
        new_occupants = {line.seat: line.occupant for line in later}
        header = session_files.sanitize_header(journal.replace_occupants(first_header, new_occupants))
        end_line = session_files.read_last_line(data, journal.ResultLine)
        named = session_files.read_last_line(data, journal.NameLine)
        forfeit = session_files.read_last_line(data, journal.ForfeitLine)
        lost = session_files.read_lines(data, journal.LostLine) if first_header.terms else []
        marks = frozenset(
            [mark for mark in _LASTING_MARKS if session_files.has_mark(data, mark, first_header.cardtable)]
        )
    except (CardtableError, ValueError):
        return summarize_full(path)
    seats, end = range(len(header.seats)), end_line.result if end_line else None
    if not is_valid_header(header) or not all(
        seat in seats for seat in (*new_occupants, *[line.seat for line in lost])
    ):
        return summarize_full(path)
    if end is not None and not are_valid_figures(header, end.totals, end.ranks, end.own, end.due, end.late):
        end = None
    summary = Summary(
        id=header.id,
        path=path,
        header=header,
        state=session_files.get_state(path, is_over=bool(end)),
        round=0,
        totals=(),
        ranks=None,
        played=find_last_played(data),
        replaced_occupants=_list_replaced_occupants(first_header, new_occupants),
        later_occupants=session_files.sanitize_occupants([line.occupant for line in later]),
    )
    if end is None:
        return summary
    return replace(
        summary,
        round=session_files.count_rounds(data),
        totals=end.totals,
        ranks=end.ranks,
        name=sanitize(named.name.strip(), session_files.MAX_NAME_LENGTH) if named else "",
        undone=end.undone or 0,
        coached=session_files.has_coach(data),
        timed_out=forfeit.seat if forfeit and forfeit.seat in seats else None,
        own=end.own,
        due=end.due,
        late=end.late,
        lost=tuple([(line.seat, line.reason) for line in lost]),
        marks=marks,
    )


def is_valid_header(header: journal.Header) -> bool:
    """Return True if the game is installed, with the package of the header, and has its seats and levels of robots."""
    if header.game not in ABOUT or len(header.seats) not in ABOUT[header.game].seats:
        return False
    if not is_from_package(header.package, get_plugin_package(header.game)):
        return False
    return all(occupant.robot is None or occupant.robot in LEVELS for occupant in header.seats)


def are_valid_figures(header: journal.Header, *lists: Sequence[int] | None) -> bool:
    """Return True if each list that is given has one number for each seat, each below 10**15 in absolute value."""
    return all(
        len(figures) == len(header.seats) and all(abs(figure) < _MAX_FIGURE for figure in figures)
        for figures in lists
        if figures is not None
    )


def _list_replaced_occupants(
    initial_header: journal.Header, new_occupants: Mapping[Seat, journal.Occupant]
) -> tuple[tuple[Seat, journal.Occupant], ...]:
    return tuple([(seat, initial_header.seats[seat]) for seat in sorted(new_occupants)])


@lru_cache(maxsize=1024)
def _read_last_played(path: Path, _fingerprint: _Fingerprint) -> int:
    """Return the time of the last play in seconds since 1970-01-01T00:00Z, or 0 if the file cannot be read.

    Results are cached while the file is unchanged.
    """
    try:
        return find_last_played(session_files.read_session(path))
    except CardtableError:
        return 0
