"""Open sessions: creating, resuming, copying and archiving them, and their clocks.

While the disk works, every line is flushed to it before it takes effect. If it fails, a local session continues in
memory, and a session of a club refuses the line (``Session.require_durable``).
"""

import json
import os
from collections.abc import Container, Sequence
from contextlib import closing, suppress
from datetime import UTC, datetime
from functools import partial
from itertools import count
from pathlib import Path
from random import SystemRandom
from time import time
from typing import Final

import msgspec

from cardtable.engine import journal, replay
from cardtable.engine.checksummed_jsonl import MAX_LINE_BYTES, JournalError, convert, seal
from cardtable.engine.errors import CardtableError
from cardtable.engine.game import AnyGame, Seat
from cardtable.engine.journal import MAX_SEED, MAX_SESSION_BYTES, VERSION, Entry, Header, Journal, Line, Occupant, Terms
from cardtable.engine.options import Options
from cardtable.engine.referee import Referee
from cardtable.engine.text_format import to_one_line
from cardtable.games import get_plugin_package
from cardtable.store import atomic_io, credit_ledger, paths, profiles, session_files, visibility
from cardtable.store.errors import DamagedJournal, FileError, NotSaved, format_os_error
from cardtable.store.journal_file import JournalFile, OpenJournal, change_once, make_missing_file_error, open_journal
from cardtable.store.seating import ROBOT_NAMES
from cardtable.store.session_clocks import Clocks
from cardtable.store.summaries import JOURNAL_SUFFIX, list_files_with_id


class Session(OpenJournal):
    """Open session: its referee, and the journal file to which every line is written.

    A session is used by one thread at a time. If a line cannot be written, the session continues in memory,
    ``save_error`` describes the failure, and saving is tried again with the next line. After ``require_durable``, such
    a line raises ``NotSaved`` instead and has no effect. If the session is ``read_only``, every change raises
    ``CardtableError``.
    """

    def __init__(self, file: JournalFile, header: Header, referee: Referee, written: Journal) -> None:
        super().__init__(file, written.crc, sealed=written.sealed)
        self.header = session_files.sanitize_header(journal.replace_occupants(header, referee.occupants.changed))
        """Header with the current occupants of the seats. Names are sanitized for display."""
        self.referee: Final = referee
        self.view_only = False
        """True if the session was opened by ``open_read_only``."""
        self.new_deal = False
        """True if the session was begun in this run of the program with a random seed, so that no player can know its
        deals.
        """
        self.clocks: Final = Clocks(referee, written)
        self._dated = self._over = self._closed = False
        self._staked = bool(credit_ledger.get_stake(header))
        self.reveals_hands = False
        """True if a club's session is continued outside the club.

        A line after each deal then declares the hands revealed.
        """
        referee.record = self._record
        if header.host is not None:
            from cardtable.store import tournaments  # noqa: PLC0415 - lazy: startup

            system = SystemRandom()
            referee.randomness = tournaments.find_randomness(header.id) or (lambda _position: system)

    @property
    def read_only_reason(self) -> str | None:
        return self.file.read_only

    @property
    def can_be_resumed(self) -> bool:
        """True if the file of the session is saved among the unfinished ones, and people play in it."""
        is_unfinished = self.path.parent == paths.sessions_folder() and self.path.exists()
        return is_unfinished and not self.view_only and bool(self.header.people)

    @property
    def can_deal_again(self) -> bool:
        """True if all deals follow from the seed, so that another session can have the same deals."""
        return self.header.host is None

    def journal(self) -> Journal:
        """Parse the journal as it is now, including lines that are not saved yet."""
        return journal.read(bytes(self.file.data))

    def read_appended_lines(self) -> list[Line]:
        """Return the lines that another program has written since the last call.

        The session must be ``read_only``, and the caller applies the lines to its referee. Raises ``CardtableError`` if
        the file cannot be read or has been replaced.
        """
        lines = self.file.read_appended()
        for line in lines:
            self._apply_metadata(line)
        return lines

    @property
    def size(self) -> int:
        return len(self.file.data)

    def require_durable(self) -> None:
        """Refuse lines that cannot be saved: from now on they raise ``NotSaved``.

        Raises ``NotSaved`` if earlier lines are still unsaved.
        """
        self.file.require_durable()

    def discard(self) -> None:
        """Close a session that no player has seen yet, and delete its file. Stakes are returned."""
        self._closed = True
        self.file.discard()
        if self._staked:
            credit_ledger.pay_out()

    def save_into(self, folder: Path) -> None:
        self._check_writable()
        super().save_into(folder)

    def close(self) -> None:
        """Close the file as ``OpenJournal`` does, and move a finished session into the archive.

        A second call has no effect.
        """
        if self._closed:
            return
        self._closed = True
        self.file.save()
        self.file.save_to_emergency_folder()
        self._archive_if_over()
        self.file.close()

    def _record(self, line: Line) -> None:
        self._check_writable()
        is_end = isinstance(line, journal.ResultLine)
        stamped = msgspec.structs.replace(
            line, at=self.clocks.now(), when=int(time()) if is_end or not self._dated else None
        )
        body = journal.encode_line(stamped, self.header.cardtable)
        text, crc = self._seal(body)
        if len(self.file.data) + len(text) > MAX_SESSION_BYTES:
            raise CardtableError("the session is full: its file has grown to 4 MiB; start another one")
        self.file.append(text)
        self._crc, self._dated = crc, True
        self._apply_metadata(stamped)
        self._over = self._over or is_end
        self._archive_if_over()
        if self.reveals_hands and isinstance(line, journal.ChanceLine) and line.is_deal:
            self._record(journal.MarkLine("hands-revealed"))

    def _apply_metadata(self, line: Line) -> None:
        """Update the clocks and the occupants according to a line."""
        self.clocks.add_line(line)
        if isinstance(line, journal.OccupantLine):
            self.header = session_files.sanitize_header(
                journal.replace_occupants(self.header, {line.seat: line.occupant})
            )

    def _check_writable(self) -> None:
        if self._closed or self.read_only_reason:
            raise CardtableError(f"the session cannot be changed: {self.read_only_reason or 'it is closed'}")

    def _archive_if_over(self) -> None:
        """Move a finished session into the archive, and pay out its stakes."""
        if self._over:
            self._archive()
            if self._staked:
                credit_ledger.pay_out({self.header.id: self.path})


def create(
    game: AnyGame,
    seats: Sequence[Occupant],
    options: Options,
    seed: int,
    *,
    now: datetime,
    id_: str | None = None,
    deal_chosen: bool = False,
    host_id: str | None = None,
    arrivals: tuple[Seat, ...] = (),
    terms: Terms | None = None,
) -> Session:
    """Begin a session, whose first deal is still to be drawn.

    Options that name a number of seats follow the length of ``seats``. ``id_`` is an id from ``generate_id``, for a
    caller that needs it in advance. ``deal_chosen`` is True if the player has chosen the deal by its number, or plays
    it again. ``host_id`` is the id of the club that plays the session; its outcomes of chance come from the random
    generator of the operating system, or from the key of a tournament, instead of ``seed``, and ``seats`` have the
    profile ids of its players, since a guest may have the nick of a profile. ``arrivals`` are the seats in the order in
    which their players came to the table, and ``terms`` those of the club.

    If the disk cannot be written, the session is played in memory, and ``save_error`` has the reason. Raises
    ``ValueError`` if the game does not allow this number of seats.
    """
    now = now.astimezone(UTC)
    header = Header(
        cardtable=VERSION,
        id=id_ or generate_id(now, game.about.key),
        game=game.about.key,
        created=_format_time(now),
        seed=seed,
        options=options.for_seats(len(seats)).to_header(),
        seats=tuple(seats) if host_id else profiles.add_profile_ids(seats),
        package=get_plugin_package(game.about.key),
        host=host_id,
        chosen=deal_chosen,
        arrivals=arrivals,
        terms=terms,
    )
    data = journal.encode(header)
    return _create_session(data, header, replay.create_referee(header, {game.about.key: game}))


def resume(path: Path) -> Session:
    """Resume the session of a journal in its present file.

    An incomplete last line is moved to a separate file and ignored. A session that another program has open is
    read-only, and its hands are hidden if it has several human players.

    Raises ``DamagedJournal`` if the journal is invalid, ``PlayedAtClub`` if the session can be continued at the club
    only, and ``FileError`` if the file cannot be read or the session has ended.
    """
    return open_journal(path, _resume_local)


def resume_at_club(path: Path) -> Session:
    """Resume the session of a journal as the host of the club.

    Every line must be durable, as after ``Session.require_durable``. A line that declares the session a session of the
    club is added, unless the journal contains one or its header names the club.

    Raises as ``resume`` does, except for ``PlayedAtClub``, and ``NotSaved`` if that line cannot be saved.
    """
    session = open_journal(path, partial(_open_session, durable=True))
    if not session.read_only_reason and not visibility.is_club_session(session.journal()):
        try:
            session.referee.record_line(journal.MarkLine("at-club"))
        except NotSaved:
            session.close()
            raise
    return session


def reveal_hands(path: Path) -> None:
    """Reveal the hands of a session that the club plays, until the next deal. A line in the journal tells its players.

    Raises ``CardtableError`` if the session has no hidden hand, is open in another program, or cannot be written, and
    for a table of a tournament's round that is not finished.
    """
    with change_once(open_journal(path, _open_session)) as session:
        visibility.check_public(session.header)
        if session.read_only_reason:
            raise CardtableError(f"the session cannot be opened: {session.read_only_reason}")
        if not visibility.is_hidden(session.journal(), session.referee.turn):
            raise CardtableError("nothing of this session is hidden from you")
        session.referee.record_line(journal.MarkLine("hands-revealed"))


def open_read_only(path: Path) -> Session:
    """Open the session of a journal for watching, without locking the file.

    Other programs may continue the session; this one writes no line. Hands are hidden if the session has several human
    players. Raises as ``resume`` does.
    """
    try:
        data = atomic_io.read(path, MAX_SESSION_BYTES)
    except OSError as error:
        raise make_missing_file_error(path, error) from None
    session = _resume_local(path, JournalFile.open_without_lock(path, data))
    session.view_only = True
    return session


def rename(path: Path, name: str) -> None:
    """Set the table name of an unfinished session. An empty name removes it.

    The name is shortened to ``MAX_NAME_LENGTH`` characters. The time of the last play does not change. Raises
    ``CardtableError`` if the session has ended, is damaged, or is open in another program.
    """
    name = to_one_line(name.strip(), session_files.MAX_NAME_LENGTH)
    with change_once(open_journal(path, _open_session)) as session:
        if session.read_only_reason:
            raise CardtableError(f"the table cannot be renamed: {session.read_only_reason}")
        session.referee.record_line(journal.NameLine(name))


def abandon(path: Path) -> Path:
    """Move an unfinished session into the archive, and return its new path. Lost stakes are recorded.

    Raises ``CardtableError`` if the file cannot be moved or is open in another program.
    """
    return _move_journal(path, paths.archive_folder(), "the session cannot be abandoned")


def restore(path: Path) -> Path:
    """Move an abandoned session back to the unfinished ones, and return its new path.

    Raises ``CardtableError`` if the file cannot be moved or is open in another program.
    """
    return _move_journal(path, paths.sessions_folder(), "the session cannot be restored")


def _move_journal(path: Path, folder: Path, failure_message: str) -> Path:
    """Move a journal into a folder while its lock is held, pay out what follows from that, and return its new path.

    Raises ``CardtableError``, whose message begins with ``failure_message``, if this fails.
    """
    try:
        with closing(JournalFile.open_locked(path)) as file:
            if file.read_only:
                raise CardtableError(f"{failure_message}: {file.read_only}")
            file.move(folder)
    except FileNotFoundError as error:
        raise make_missing_file_error(path, error) from None
    except FileExistsError:
        raise FileError(path, f"{failure_message}: a different version of it is in {folder.name}/") from None
    except OSError as error:
        raise FileError(path, f"{failure_message}: {format_os_error(error)}") from None
    credit_ledger.pay_out()
    return file.path


def fork(path: Path, line_count: int | None = None, seats: Sequence[Occupant] = ()) -> Session:
    """Begin a new session as a copy of the first ``line_count`` lines of a journal, or of all lines if it is ``None``.

    ``seats``, if given, replaces the occupants of all seats. The copy has its own id and checksums, and its header
    names the session of origin. A damaged journal can be copied up to its last valid line.

    The copy has no terms; in a seat that has lost the session, a robot sits.

    Of a session that the club plays, only finished rounds can be copied; for a longer copy ``PlayedAtClub`` is raised.
    If that session is damaged, a copy that the club can continue is stored before the error is raised. Raises
    ``DamagedJournal`` if the lines to copy are invalid, and ``FileError`` if the file cannot be read, ``line_count`` is
    out of range, the session has ended, or the copy would be too large. A table of a tournament's round that is not
    finished cannot be copied.
    """
    source, is_damaged = _read_valid_part(path, line_count)
    visibility.check_public(source.header)
    read = source if line_count is None else replay.truncate(source, line_count - 1)
    referee = session_files.replay_journal(path, read)
    if referee.ended:
        raise FileError(path, "the session is over")
    session_files.check_can_continue(path, read.header)
    is_illegal, hides_cards = _inspect_copy(path, source, read)
    if hides_cards and (seats or not (is_damaged or is_illegal)):
        raise visibility.make_club_refusal()
    now = datetime.now(UTC)
    changed: dict[str, object] = {
        "id": generate_id(now, read.header.game),
        "created": _format_time(now),
        "from": {"id": read.header.id, "line": 1 + len(read.entries)},
    }
    if hides_cards:
        changed["host"] = visibility.get_host_id(read.header)
    elif read.header.club or visibility.is_club_session(source):
        changed["seed"] = SystemRandom().randrange(MAX_SEED + 1)
    if seats:
        seats = profiles.add_profile_ids(seats)
        referee.occupants.changed = {seat: seats[seat] for seat in referee.occupants.changed}
        changed["seats"] = msgspec.to_builtins(list(seats))
    old_header = json.loads(read.header_body)
    for name in ("club", "host") if hides_cards else ("club", "host", "terms"):
        old_header.pop(name, None)
    header = {**old_header, **changed}
    header_body = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    entries = read.entries if hides_cards else _remove_terms(read)
    data = _seal_lines(path, [header_body, *[_copy_line(entry, seats) for entry in entries]])
    if read.header.terms and not hides_cards:
        referee = session_files.replay_journal(path, journal.read(data))
    session = _create_session(data, convert(header, Header), referee)
    if source.torn and line_count is None:
        session.notice = "the last line of the file was incomplete and is not in the copy"
    if hides_cards:
        session.close()
        raise visibility.PlayedAtClub(
            f"the lines before the damage are now session {session.header.id}; open the club to continue it"
        )
    return session


def _inspect_copy(path: Path, source: Journal, beginning: Journal) -> tuple[bool, bool]:
    """Return whether the rules forbid a later line of ``source``, and whether ``beginning`` contains hidden hands."""
    is_illegal, whole = False, source
    try:
        turn = session_files.replay_journal(path, source).turn
    except DamagedJournal:
        is_illegal, whole = True, beginning
        turn = session_files.replay_journal(path, beginning).turn
    hides = visibility.is_hidden(whole, turn) and len(beginning.entries) > visibility.count_finished_entries(whole)
    return is_illegal, hides


def _remove_terms(parsed: Journal) -> list[Entry]:
    """Return the entries of a journal without what terms and clocks have caused; a robot sits where a seat has lost."""
    names = iter([name for name in ROBOT_NAMES if name not in [seat.name for seat in parsed.header.seats]])
    entries = []
    for entry in parsed.entries:
        match line := entry.line:
            case journal.LostLine():
                changed: Line = journal.OccupantLine(line.seat, next(names), robot=line.robot, at=line.at)
            case journal.ActionLine(why=str()):
                changed = msgspec.structs.replace(line, why=None)
            case _:
                changed = line
        body = entry.body if changed is line else msgspec.json.encode(changed)
        entries.append(Entry(entry.number, body, changed))
    return entries


def _copy_line(entry: Entry, seats: Sequence[Occupant]) -> bytes:
    """Return the body of an entry as the copy of a journal contains it.

    A change of occupant names the occupant in ``seats``, if ``seats`` is not empty.
    """
    line = entry.line
    if not isinstance(line, journal.OccupantLine) or not seats:
        return entry.body.strip()
    occupant = seats[line.seat]
    line = msgspec.structs.replace(line, name=occupant.name, player=occupant.player, robot=occupant.robot, when=None)
    return msgspec.json.encode(line)


def _resume_local(path: Path, file: JournalFile) -> Session:
    """Open a session outside the club. Raises ``PlayedAtClub`` if only the club may continue it."""
    return _open_session(path, file, is_home=True)


def _open_session(path: Path, file: JournalFile, *, is_home: bool = False, durable: bool = False) -> Session:
    read = session_files.parse_session(path, bytes(file.data))
    referee = session_files.replay_journal(path, read)
    if referee.ended:
        raise FileError(path, "the session is over")
    if read.header.club:
        raise FileError(path, "the session was played at a club and cannot be continued here")
    if not file.read_only:
        session_files.check_can_continue(path, read.header)
    if is_home and visibility.is_hidden(read, referee.turn):
        raise visibility.make_club_refusal()
    session = Session(file, read.header, referee, read)
    session.reveals_hands = is_home and visibility.is_club_session(read)
    referee.hide_hands = file.read_only is not None and len(read.header.people) > 1
    if not file.read_only:
        if read.torn:
            file.set_torn_tail(read.size)
            session.notice = "the last line was incomplete and is left out; it is saved beside the session's file"
        file.durable_only = durable
        file.save()
        with suppress(NotSaved):  # the lines are added once the disk accepts them
            referee.advance_automatic()
    return session


def _create_session(data: bytes, header: Header, referee: Referee) -> Session:
    """Create the session of a journal that is not on the disk yet, save it, and draw the first deal."""
    file = JournalFile(paths.sessions_folder() / f"{header.id}{JOURNAL_SUFFIX}", data)
    session = Session(file, header, referee, journal.read(data))
    file.save()
    referee.advance_automatic()
    return session


def _read_valid_part(path: Path, line_count: int | None) -> tuple[Journal, bool]:
    """Return the journal of a file, and True if it is damaged.

    With ``line_count``, a damaged journal is returned up to its last valid line. Raises ``DamagedJournal`` if the
    requested lines are damaged, and ``FileError`` if the file cannot be read or has fewer lines.
    """
    data, is_damaged = session_files.read_session(path), False
    with session_files.convert_journal_errors(path):
        try:
            read = journal.read(data)
        except JournalError as error:
            if line_count is None or error.good is None or line_count > 1 + len(error.good.entries):
                raise
            read, is_damaged = error.good, True
    if line_count is not None and not 1 <= line_count <= 1 + len(read.entries):
        raise FileError(path, f"there are {1 + len(read.entries)} lines to copy, not {line_count}")
    return read, is_damaged


def _seal_lines(path: Path, bodies: Sequence[bytes]) -> bytes:
    """Return a journal with these line bodies, each sealed with its checksum.

    Raises ``FileError`` if a line or the whole journal is too long.
    """
    data = seal(bodies)
    for number, line in enumerate(data.splitlines(keepends=True), 1):
        if len(line) > MAX_LINE_BYTES:
            raise FileError(path, f"line {number} is too long to be copied")
    if len(data) > MAX_SESSION_BYTES:
        raise FileError(path, "the session is too long to be copied")
    return data


def generate_id(now: datetime, game: str, taken: Container[str] = ()) -> str:
    """Return a new session id: the time, the game, and at least four random hexadecimal digits.

    No session or copy in this home has the id, and it is not in ``taken``: ids of sessions that are not stored yet.
    """
    for digits in count(2):
        id_ = f"{now:%Y%m%d-%H%M%S}-{game}-{os.urandom(digits).hex()}"
        if id_ in taken:
            continue
        with suppress(OSError):  # an unreadable folder has no usable sessions
            if list_files_with_id(id_):
                continue
        return id_
    raise AssertionError("count never ends")


def _format_time(now: datetime) -> str:
    return f"{now:%Y-%m-%dT%H:%M:%SZ}"
