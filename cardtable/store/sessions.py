"""Open sessions: begun, gone on with, copied; every line is on the disk before it counts."""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from datetime import UTC, datetime
from functools import partial
from itertools import count
from pathlib import Path
from random import SystemRandom
from time import monotonic, time
from typing import Final

import msgspec

from cardtable.engine import journal, replay
from cardtable.engine.checksummed_jsonl import convert
from cardtable.engine.errors import CardtableError
from cardtable.engine.game import AnyGame, Seat
from cardtable.engine.journal import (
    MOST_LINE_BYTES,
    MOST_SEED,
    MOST_SESSION_BYTES,
    VERSION,
    Entry,
    Header,
    Journal,
    JournalError,
    Line,
    Occupant,
    append_crc,
)
from cardtable.engine.options import Options
from cardtable.engine.referee import Referee
from cardtable.engine.text_format import one_line
from cardtable.games import package
from cardtable.store import (
    atomic_io,
    club_sessions,
    credit_ledger,
    paths,
    profiles,
    session_files,
)
from cardtable.store.errors import DamagedJournal, FileError, NotSaved, reason
from cardtable.store.journal_file import JournalFile, missing_file_error, open_and_read
from cardtable.store.profiles import players_at
from cardtable.store.summaries import ENDING, Summary, files_named, find, ids, listing, unfinished

_LONGEST: Final = 10**14
"""Seconds; a journal holds no number with more than 15 digits."""


class Clock:
    """Adds up the steps of ``at`` up to each decision of a person, to its being taken back, or to the end of her time.

    What robots decide costs nothing, and talk neither stops a clock nor moves it.
    """

    def __init__(self, seats: Sequence[Occupant]) -> None:
        self.used = 0.0
        """Seconds that people have used in this round."""
        self.last = 0.0
        """``at`` of the last line that is not talk or a name: from there a decision takes its time."""
        self.latest = 0.0
        """``at`` of the last line."""
        self._seats = list(seats)
        self._spent: dict[Occupant, float] = {}
        """Seconds that each person has used in the session."""
        self._decided: list[Seat] = []
        """The seats of the decisions that can be taken back."""

    def spent(self, seat: Seat) -> float | None:
        """Seconds that the person who sits at ``seat`` has used in the session; ``None`` of a robot."""
        who = self._seats[seat]
        return self._spent.get(who, 0.0) if who.robot is None else None

    def add(self, line: Line) -> None:
        """Count a line."""
        self.latest = line.at or self.latest
        if line.talk:
            return
        step = self.latest - self.last
        self.last = self.latest
        if line.action is not None and line.seat is not None:
            self._decided.append(line.seat)
            self._charge(line.seat, step)
        elif line.undo is not None:
            seat = self._decided[-line.undo]
            del self._decided[-line.undo :]
            self._charge(seat, step)
        elif line.sit is not None:
            self._seats[line.sit] = line.sitter
        elif line.forfeit is not None:
            self._charge(line.forfeit, step)
        elif line.chance is not None or line.void is not None:
            self._decided.clear()
            if not line.chance or line.chance.startswith("deal "):
                self.used = 0.0

    def _charge(self, seat: Seat, step: float) -> None:
        who = self._seats[seat]
        if who.robot is None:
            self.used += step
            self._spent[who] = self._spent.get(who, 0.0) + step


class Clocks:
    """The clocks at one table; they run while a person is to act."""

    def __init__(self, table: Referee, written: Journal) -> None:
        self._table, self._used = table, Clock(written.header.seats)
        for entry in written.entries:
            self._used.add(entry.line)
        self._before = self._used.latest
        self._stopped: float | None = None
        """When the clocks were stopped."""
        self.go_by(monotonic)

    def go_by(self, seconds: Callable[[], float]) -> None:
        """From now on these seconds count, which have gone since some moment."""
        self._seconds, self._opened = seconds, seconds()

    def now(self) -> float:
        """Seconds that the session has been open in a program."""
        seconds = self._seconds() if self._stopped is None else self._stopped
        return min(round(self._before + seconds - self._opened, 3), _LONGEST)

    def stop(self) -> None:
        """Stop all clocks until ``start``; of no effect while they are stopped."""
        if self._stopped is None:
            self._stopped = self._seconds()

    def start(self) -> None:
        """Have the clocks go on from where they were stopped."""
        if self._stopped is not None:
            self._opened += self._seconds() - self._stopped
            self._stopped = None

    def hear(self, line: Line) -> None:
        """A line was written."""
        self._used.add(line)

    @property
    def of_round(self) -> float | None:
        """What is left of the time for the round while a person is to act; ``None`` without a round clock."""
        minutes = self._table.options.items().get("round_clock")
        if not isinstance(minutes, int):
            return None
        return 60 * minutes - self._used.used - (self.now() - self._used.last)

    def of_seat(self, seat: Seat) -> float | None:
        """What is left to a person of the time for the session; ``None`` for robots and without such clocks."""
        minutes = self._table.options.items().get("clock")
        spent = self._used.spent(seat)
        if not isinstance(minutes, int) or spent is None:
            return None
        running = self.now() - self._used.last if self._table.turn == seat else 0.0
        return 60 * minutes - spent - running


__all__ = [
    "Session",
    "Summary",
    "create",
    "find",
    "fork",
    "give_up",
    "ids",
    "listing",
    "open_read_only",
    "rename",
    "restore",
    "resume",
    "resume_at_club",
    "reveal",
    "unfinished",
    "unused_id",
]


class Session:
    """One open session: its table, and the journal that every line of it goes to.

    Used by one thread at a time.  What the disk refuses is told in ``trouble`` and tried again;
    after ``require_durable`` such a line is refused with ``NotSaved`` instead, before it counts.
    While ``read_only`` the table refuses with ``CardtableError`` what would have to be written.
    """

    def __init__(self, file: JournalFile, header: Header, table: Referee, written: Journal) -> None:
        self.header = session_files.sanitized_header(journal.with_occupants(header, table.sitters))
        """With who sits there last, as it may be shown."""
        self.table: Final = table
        self.notice: str | None = None
        """What a person should know of how the session was found."""
        self.view_only = False
        """Whether it was opened to be looked at only."""
        self.new_deal = False
        """True if the seed was drawn by lot when the session began in this program: nobody can have seen the cards."""
        self._file = file
        self._sealed, self._crc = written.sealed, written.crc
        self.clocks: Final = Clocks(table, written)
        self._dated = self._over = self._closed = False
        self._staked = bool(credit_ledger.stake_of(header))
        self.reveals = False
        """True for a session of a club that is played on outside it: after each deal a line says so."""
        table.record = self._record
        if header.host is not None:
            table.randomness = SystemRandom()

    @property
    def file(self) -> JournalFile:
        """Where each line goes."""
        return self._file

    @property
    def path(self) -> Path:
        """Where the journal is, or would be if it could be saved."""
        return self._file.path

    @property
    def read_only(self) -> str | None:
        """Why the session can only be looked at; ``None`` if it can be played."""
        return self._file.read_only

    @property
    def trouble(self) -> str | None:
        """Why saving failed, and where, in a line that may be shown; ``None`` if all is saved."""
        return self._file.trouble

    @property
    def can_deal_again(self) -> bool:
        """True if the deals follow from the seed, so that another session can have the same."""
        return self.header.host is None

    def journal(self) -> Journal:
        """All that has happened so far, saved or not."""
        return journal.read(bytes(self._file.data))

    def read_on(self) -> list[Line]:
        """What another program has written since the journal was read; the table is to take each line.

        For a session that is ``read_only``.  Raises ``CardtableError`` where that cannot be read.
        """
        lines = self._file.read_on()
        for line in lines:
            self._apply_metadata(line)
        return lines

    @property
    def size(self) -> int:
        """Bytes of the journal so far, saved or not."""
        return len(self._file.data)

    def require_durable(self) -> None:
        """Refuse from now on, with ``NotSaved``, each line that the disk does not take.

        Raises ``NotSaved`` if it does not have all of the session yet.
        """
        self._file.require_durable()

    def discard(self) -> None:
        """Close a new session that nobody was told of, and remove its file."""
        self._closed = True
        self._file.discard()
        if self._staked:
            credit_ledger.pay_out()

    def save(self) -> str:
        """Try again to save what is not saved yet; what still is not, in words."""
        return self._file.save()

    def save_into(self, folder: Path) -> None:
        """Go on in another folder, which gets the whole session; the file so far stays as it is.

        A ``~`` stands for the home folder.  Raises ``CardtableError`` if that fails, too; the
        session stays where it was then.
        """
        self._refuse_if_shut()
        self._file = self._file.moved_into(folder)

    def close(self) -> None:
        """Save what is not saved yet, elsewhere if it must be, and let go of the journal."""
        if self._closed:
            return
        self._closed = True
        self._file.finalize()
        self._put_away()

    def _record(self, line: Line) -> None:
        self._refuse_if_shut()
        stamped = msgspec.structs.replace(line, at=self.clocks.now())
        if line.end is not None or not self._dated:
            stamped = msgspec.structs.replace(stamped, when=int(time()))
        body = msgspec.json.encode(stamped)
        text, crc = append_crc(body, self._crc) if self._sealed else (body + b"\n", 0)
        if len(self._file.data) + len(text) > MOST_SESSION_BYTES:
            raise CardtableError("the session is full: its file has grown to 4 MiB; begin another one")
        self._file.append(text)
        self._crc, self._dated = crc, True
        self._apply_metadata(stamped)
        self._over = self._over or line.end is not None
        self._put_away()
        if self.reveals and line.chance is not None and line.chance.startswith("deal "):
            self._record(Line(say=club_sessions.REVEALED))

    def _apply_metadata(self, line: Line) -> None:
        """What a line says of time, and of who sits there."""
        self.clocks.hear(line)
        if line.sit is not None:
            self.header = session_files.sanitized_header(journal.with_occupants(self.header, {line.sit: line.sitter}))

    def _refuse_if_shut(self) -> None:
        if self._closed or self.read_only:
            raise CardtableError(f"the session cannot be changed: {self.read_only or 'it is closed'}")

    def _put_away(self) -> None:
        """Move a session that is over into the archive; if that fails, ``listing`` does it."""
        if self._over and self.path.parent == paths.sessions():
            with suppress(OSError):
                self._file.move(paths.archive())
        if self._over and self._staked:
            credit_ledger.pay_out({self.header.id: self.path})


def create(
    game: AnyGame,
    seats: Sequence[Occupant],
    options: Options,
    seed: int,
    *,
    now: datetime,
    id_: str | None = None,
    chosen: bool = False,
    host: str | None = None,
) -> Session:
    """Begin a session; nothing is dealt yet.  House rules that tell the number of seats follow ``seats``.

    ``chosen``: the deal was chosen by its number, or is played again.  ``host``: the id of the club that plays it,
    where each outcome of chance comes from the system's generator.

    ``id_`` is one of ``unused_id``, if it had to be known before.  Where nothing can be written
    it is played in memory, and ``trouble`` says why.  Raises ``ValueError`` for a number of seats
    that the game is not for.
    """
    now = now.astimezone(UTC)
    header = Header(
        cardtable=VERSION,
        id=id_ or unused_id(now, game.about.key),
        game=game.about.key,
        created=_written(now),
        seed=seed,
        options=options.for_seats(len(seats)).items(),
        seats=profiles.with_profile_ids(seats),
        package=package(game.about.key),
        host=host,
        chosen=chosen,
    )
    data = journal.write([header])
    return _begun(data, header, replay.begin(header, {game.about.key: game}))


def resume(path: Path) -> Session:
    """Go on with the session of a journal, in its place.

    A torn last line is put aside and left out.  One that another program has open is read only;
    where several people play it no hand can be seen then.  Raises ``DamagedJournal``, ``PlayedAtClub``, or
    ``FileError`` where the file cannot be read or the session is over.
    """
    return open_and_read(path, _resumed)


def resume_at_club(path: Path) -> Session:
    """Go on with the session of a journal as the host of the club; raises as ``resume`` does, but ``PlayedAtClub``.

    Each line that the disk does not take is refused with ``NotSaved``: see ``Session.require_durable``.  A session that
    was begun at home, or before clubs had ids, says from now on that the club plays it.
    """
    session = open_and_read(path, partial(_opened, durable=True))
    if not session.read_only and not club_sessions.names_club(session.journal()):
        try:
            session.table.say(club_sessions.AT_CLUB)
        except NotSaved:
            session.close()
            raise
    return session


def reveal(path: Path) -> None:
    """Open the hands of a session that the club plays, until the next deal; its players see a line that says so.

    Raises ``CardtableError`` where nothing of it is hidden, or the line cannot be written.
    """
    with closing(open_and_read(path, _opened)) as session:
        if session.read_only:
            raise CardtableError(f"the session cannot be opened: {session.read_only}")
        if not club_sessions.is_hidden(session.journal(), session.table.turn):
            raise CardtableError("nothing of this session is hidden from you")
        session.table.say(club_sessions.REVEALED)
        session.file.accept_loss = True  # what is not in its place opens nothing
    if session.trouble:
        raise CardtableError(session.trouble)


def open_read_only(path: Path) -> Session:
    """The session of a journal, to be looked at only: nothing is written, and others may go on with it.

    Where several people play no hand can be seen.  Raises as ``resume`` does.
    """
    try:
        data = atomic_io.read(path, MOST_SESSION_BYTES)
    except OSError as error:
        raise missing_file_error(path, error) from None
    session = _resumed(path, JournalFile.only_read(path, data))
    session.view_only = True
    return session


def rename(path: Path, name: str) -> None:
    """Give the table of an unfinished session a name, or with an empty one none; when it was played stays.

    Raises ``CardtableError`` where it is over, damaged, or open in another program.
    """
    name = one_line(name.strip(), session_files.MOST_NAME)
    with closing(open_and_read(path, _opened)) as session:
        if session.read_only:
            raise CardtableError(f"the table cannot be renamed: {session.read_only}")
        session.table.rename(name)
        session.file.accept_loss = True  # where it cannot be saved the table keeps its name
    if session.trouble:
        raise CardtableError(session.trouble)


def give_up(path: Path) -> Path:
    """Put an unfinished session into the archive before it is over; where it lies then.

    Raises ``CardtableError`` where that fails, or where the session is open in another program.
    """
    there = _moved(path, paths.archive(), "the session cannot be given up")
    credit_ledger.pay_out()
    return there


def restore(path: Path) -> Path:
    """Put a session that was given up back to the unfinished ones; where it lies then.

    Raises ``CardtableError`` where that fails.
    """
    there = _moved(path, paths.sessions(), "the session cannot be taken back")
    credit_ledger.pay_out()
    return there


def _moved(path: Path, folder: Path, failed: str) -> Path:
    """The new path of a journal, moved in one step while no other program can open it."""
    try:
        with closing(JournalFile.existing(path)) as file:
            if file.read_only:
                raise CardtableError(f"{failed}: {file.read_only}")
            file.move(folder)
            return file.path
    except FileNotFoundError as error:
        raise missing_file_error(path, error) from None
    except OSError as error:
        raise FileError(path, f"{failed}: {reason(error)}") from None


def fork(path: Path, lines: int | None = None, seats: Sequence[Occupant] = ()) -> Session:
    """Begin a session from the first ``lines`` of a journal, or from all of it; with ``seats`` others go on with it.

    The copy has an id and checksums of its own, and says where it is from.  A damaged journal
    can be copied up to its last good line.  Raises ``DamagedJournal`` or ``FileError``, and ``PlayedAtClub`` for more
    of a club's session than its finished rounds; of a damaged one the copy is made then, for the club to play on.
    """
    source, is_damaged = _good(path, lines)
    read = source if lines is None else replay.cut(source, lines - 1)
    table = session_files.replayed(path, read)
    if table.ended:
        raise FileError(path, "the session is over")
    is_illegal, hides_cards = _judged_copy(path, source, read)
    if hides_cards and (seats or not (is_damaged or is_illegal)):
        raise club_sessions.refusal()
    now = datetime.now(UTC)
    changed: dict[str, object] = {
        "cardtable": VERSION,
        "id": unused_id(now, read.header.game),
        "created": _written(now),
        "from": {"id": read.header.id, "line": 1 + len(read.entries)},
    }
    if hides_cards:
        changed["host"] = club_sessions.host_of(read.header)
    elif read.header.club or club_sessions.is_of_club(source):
        changed["seed"] = SystemRandom().randrange(MOST_SEED + 1)
    if seats:
        seats = profiles.with_profile_ids(seats)
        table.sitters = {seat: seats[seat] for seat in table.sitters}
        changed["seats"] = msgspec.to_builtins(list(seats))
    before = json.loads(read.header_body)
    for name in ("club", "host"):
        before.pop(name, None)
    header = {**(journal.as_in_version_1(before) if read.header.cardtable == 1 else before), **changed}
    bodies = [_written_as(header), *[_copied(entry, read.header.cardtable, seats) for entry in read.entries]]
    session = _begun(_sealed(path, bodies), convert(header, Header), table)
    if source.torn and lines is None:
        session.notice = "the last line of the file was torn and is not in the copy"
    if hides_cards:
        session.close()
        raise club_sessions.PlayedAtClub(
            f"the lines before the damage are session {session.header.id} now; open the club to go on with it"
        )
    return session


def _judged_copy(path: Path, source: Journal, read: Journal) -> tuple[bool, bool]:
    """Return whether the rules do not allow all of a journal, and whether its beginning ``read`` shows hidden hands."""
    is_illegal, whole = False, source
    try:
        turn = session_files.replayed(path, source).turn
    except DamagedJournal:
        is_illegal, whole = True, read
        turn = session_files.replayed(path, read).turn
    hides = club_sessions.is_hidden(whole, turn) and len(read.entries) > club_sessions.finished_entries(whole)
    return is_illegal, hides


def _copied(entry: Entry, version: int, seats: Sequence[Occupant]) -> bytes:
    """A line as it stands in a copy of its journal: at the end those sit there who have the copy's ``seats``."""
    line = entry.line
    if line.sit is not None and seats:
        who = seats[line.sit]
        line = msgspec.structs.replace(line, name=who.name, player=who.player, robot=who.robot, when=None)
        return msgspec.json.encode(line)
    members = json.loads(entry.body)
    known = {name: value for name, value in members.items() if version > 1 or name not in journal.NOT_IN_VERSION_1}
    return entry.body.strip() if known == members else _written_as(known)


def _written_as(members: Mapping[str, object]) -> bytes:
    return json.dumps(members, ensure_ascii=False, separators=(",", ":")).encode()


def _resumed(path: Path, file: JournalFile) -> Session:
    """Open a session outside the club.  Raises ``PlayedAtClub``."""
    return _opened(path, file, is_home=True)


def _opened(path: Path, file: JournalFile, *, is_home: bool = False, durable: bool = False) -> Session:
    read = session_files.parse_session(path, bytes(file.data))
    table = session_files.replayed(path, read)
    if table.ended:
        raise FileError(path, "the session is over")
    if read.header.club:
        raise FileError(path, "the session was played at a club and cannot be played on here")
    if is_home and club_sessions.is_hidden(read, table.turn):
        raise club_sessions.refusal()
    session = Session(file, read.header, table, read)
    session.reveals = is_home and club_sessions.is_of_club(read)
    table.hide_hands = file.read_only is not None and len(read.header.people) > 1
    if not file.read_only:
        if read.torn:
            file.set_torn_tail(read.size)
            session.notice = "the last line was torn and is left out; its bytes are kept beside the session's file"
        file.durable_only = durable
        file.save()
        with suppress(NotSaved):  # it follows once the disk takes it
            table.advance_automatic()
    return session


def _begun(data: bytes, header: Header, table: Referee) -> Session:
    """The session of a journal that is not on the disk yet."""
    file = JournalFile(paths.sessions() / f"{header.id}{ENDING}", data)
    session = Session(file, header, table, journal.read(data))
    file.save()
    table.advance_automatic()
    return session


def _good(path: Path, lines: int | None) -> tuple[Journal, bool]:
    """Return the journal of a file, or with ``lines`` what holds of it, and whether it is damaged behind that."""
    data, is_damaged = session_files.read_session(path), False
    try:
        read = journal.read(data)
    except JournalError as error:
        if lines is None or error.good is None or lines > 1 + len(error.good.entries):
            raise session_files.damaged(path, error) from None
        read, is_damaged = error.good, True
    if lines is not None and not 1 <= lines <= 1 + len(read.entries):
        raise FileError(path, f"there are {1 + len(read.entries)} lines to copy, not {lines}")
    return read, is_damaged


def _sealed(path: Path, bodies: Sequence[bytes]) -> bytes:
    """A journal of these lines.  Raises ``FileError`` if they do not fit into one."""
    lines, crc = [], 0
    for number, body in enumerate(bodies, 1):
        line, crc = append_crc(body, crc)
        if len(line) > MOST_LINE_BYTES:
            raise FileError(path, f"line {number} is too long to be copied")
        lines.append(line)
    data = b"".join(lines)
    if len(data) > MOST_SESSION_BYTES:
        raise FileError(path, "the session is too long to be copied")
    return data


def unused_id(now: datetime, game: str) -> str:
    """Return an id that no session in the home has, nor a copy of one: time, game, and digits drawn by lot."""
    for digits in count(2):
        id_ = f"{now:%Y%m%d-%H%M%S}-{game}-{os.urandom(digits).hex()}"
        with suppress(OSError):  # where no folder can be read there is no session either
            if files_named(id_):
                continue
        return id_
    raise AssertionError("count never ends")


def _written(now: datetime) -> str:
    return f"{now:%Y-%m-%dT%H:%M:%SZ}"


def nicks_requiring_password(table: Summary) -> list[str]:
    """The nicks of whom one has to give her password before the session is given up; none where nobody has to.

    Where people take turns that is each time, but for who wants to be asked once a run.
    """
    header = table.header
    if header is None or table.real_cards:
        return []
    nicks, several = players_at(header).values(), len(header.people) > 1
    having = [nick for nick in nicks if (profile := profiles.find(nick)) and profile.password]
    return having if all(profiles.locked(nick, each_time=several) for nick in having) else []


class GivenUpStack:
    """Where those lie that were given up, the last at the end."""

    def __init__(self) -> None:
        self._paths: list[Path] = []

    @property
    def last(self) -> Path | None:
        """The one that is taken back next."""
        return self._paths[-1] if self._paths else None

    def give_up(self, path: Path) -> None:
        """Put an unfinished session into the archive before it is over.  Raises ``CardtableError``."""
        self._paths.append(give_up(path))

    def take_back(self) -> None:
        """Take the last one back, if there is one.

        Raises ``CardtableError`` where that fails; it can be tried again as long as the session
        lies there.
        """
        if not self._paths:
            return
        try:
            restore(self._paths[-1])
        finally:
            if not self._paths[-1].exists():
                self._paths.pop()
