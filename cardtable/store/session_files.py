"""Reading of journal files with one or many sessions. The errors name the file and the line."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias

import msgspec

from cardtable.engine import journal, replay
from cardtable.engine.checksummed_jsonl import MAX_LINE_BYTES, JournalError
from cardtable.engine.game import OVER, Seat
from cardtable.engine.journal import MAX_SESSION_BYTES, Header, Journal, NameLine, Occupant
from cardtable.engine.referee import Referee
from cardtable.engine.text_format import format_unknown_name, sanitize
from cardtable.games import GAMES
from cardtable.robots.kit.levels import LEVELS
from cardtable.store import atomic_io, paths
from cardtable.store.errors import CacheFile, DamagedJournal, FileError, SeveralSessions, StillPlayed, format_os_error

State: TypeAlias = Literal["open", "over", "given-up"]
"""State of a session; ``"given-up"`` if it is unfinished and in the archive."""
MAX_NAME_LENGTH: Final = 24
"""Maximum length of a name on the screen, in characters."""
CACHE_PREFIX: Final = b'{"kept":'
"""First bytes of a cache that the program keeps in a folder of sessions."""


class SessionInFile(NamedTuple):
    """Journal or score table in a file that holds several of them."""

    first_line: int
    """Number of its first line in the file, numbered from 1."""
    data: bytes
    """Bytes of the session. If they exceed the limit, only as many are included as make this evident."""
    has_more: bool
    """True if another session follows in the file."""


def iter_sessions(path: Path) -> Iterator[SessionInFile]:
    """Yield the sessions in a file, in order.

    The iteration ends at a line that is too long, since the rest of the file may be endless. Raises ``FileError`` if
    the file cannot be read or is a cache of the program, and ``DamagedJournal`` if two headers follow each other.
    """
    try:
        with os.fdopen(atomic_io.open_regular(path, os.O_RDONLY), "rb") as file:
            first, data = 1, bytearray()
            for number, line in enumerate(iter(partial(file.readline, MAX_LINE_BYTES + 1), b""), 1):
                if number == 1:
                    _check_not_cache(path, line)
                elif journal.is_session_header(line):
                    if number == first + 1:
                        raise _make_bare_header_error(path, first)
                    yield SessionInFile(first, bytes(data), has_more=True)
                    first, data = number, bytearray()
                if len(data) <= MAX_SESSION_BYTES:
                    data += line
                if len(line) > MAX_LINE_BYTES:
                    data += file.read(max(0, MAX_SESSION_BYTES + 1 - len(data)))
                    break
            yield SessionInFile(first, bytes(data), has_more=False)
    except OSError as error:
        raise FileError(path, format_os_error(error)) from None


def check_single_session(path: Path, data: bytes) -> None:
    """Raise ``FileError`` unless the bytes belong to a single session, which may be damaged."""
    _check_not_cache(path, data)
    if start := journal.find_next_session(data):
        raise _make_bare_header_error(path, 1) if data.count(b"\n", 0, start) == 1 else SeveralSessions(path)


def _make_bare_header_error(path: Path, line: int) -> DamagedJournal:
    return DamagedJournal(path, line, "another header follows at once: these are no sessions", 0)


def _check_not_cache(path: Path, data: bytes) -> None:
    if data.startswith(CACHE_PREFIX):
        raise CacheFile(path, "it is an index that cardtable keeps of the sessions beside it; it holds no session")


def is_cache(path: Path) -> bool:
    """Return True if a file is a cache of the program, or a copy of one under another name."""
    try:
        return read_first_line(path).startswith(CACHE_PREFIX)
    except FileError:
        return False


def parse_session(path: Path, data: bytes) -> Journal:
    """Parse the bytes of a file with one session. Raises ``DamagedJournal`` if they are invalid."""
    try:
        return journal.read(data)
    except JournalError as error:
        raise make_damage_error(path, error) from None


def replay_journal(path: Path, parsed: Journal, *, without_undo: bool = False) -> Referee:
    """Return the referee after the last line of a journal.

    ``without_undo`` saves time and memory if the caller only reads the result: states for undo are not stored. Raises
    ``DamagedJournal`` if a line is illegal, and ``FileError`` if the level of a robot is unknown.
    """
    try:
        table = replay.load(parsed, GAMES, read_only=without_undo)
    except JournalError as error:
        raise make_damage_error(path, error) from None
    for occupant in (*parsed.header.seats, *table.new_occupants.values()):
        if occupant.robot is not None and occupant.robot not in LEVELS:
            raise FileError(path, format_unknown_name("robot", occupant.robot, LEVELS))
    return table


def check_can_continue(path: Path, header: replay.RulesHeader) -> None:
    """Raise ``FileError`` if the installed version of a game no longer has the house rules of this header."""
    try:
        replay.read_current_rules(header, GAMES)
    except ValueError as error:
        raise FileError(path, str(error)) from None


def read_session(path: Path) -> bytes:
    """Return the bytes of a file with one session.

    Raises ``FileError`` if the file cannot be read, or if it holds no session or several.
    """
    try:
        data = atomic_io.read(path, MAX_SESSION_BYTES)
    except OSError as error:
        raise FileError(path, format_os_error(error)) from None
    check_single_session(path, data)
    return data


def load_journal(path: Path) -> Journal:
    """Return the journal in a file with one session.

    Raises ``FileError`` as ``read_session`` does, and ``DamagedJournal`` if the journal is invalid.
    """
    return parse_session(path, read_session(path))


def read_first_line(path: Path) -> bytes:
    """Return the first line of a file without its newline, shortened to the maximum length of a journal's line.

    Raises ``FileError`` if the file cannot be read.
    """
    try:
        descriptor = atomic_io.open_regular(path, os.O_RDONLY)
        try:
            return os.read(descriptor, MAX_LINE_BYTES).split(b"\n", 1)[0]
        finally:
            os.close(descriptor)
    except OSError as error:
        raise FileError(path, format_os_error(error)) from None


def is_abandoned(path: Path, turn: Seat) -> bool:
    """Return True if the session of a journal was abandoned: it is unfinished, and in the archive of this home.

    ``turn`` is the referee's ``turn`` after the last line.
    """
    return turn != OVER and paths.is_in_archive(path)


def get_state(path: Path, *, is_over: bool) -> State:
    return "over" if is_over else "given-up" if paths.is_in_archive(path) else "open"


def make_refusal(header: Header, command: str) -> StillPlayed:
    """Return the error for a command that would show the cards of a session that human players still play."""
    reason = f"this game is still going on, and {command} would reveal hands; {command} --open does it anyway"
    return StillPlayed(f"{header.id}: {reason}")


def format_names(seats: Iterable[Occupant]) -> list[str]:
    """Return the names of the occupants, sanitized for display."""
    return [sanitize(occupant.name, MAX_NAME_LENGTH) for occupant in seats]


def list_former_players(
    initial_seats: Sequence[Occupant], referee: Referee, owners: Mapping[Seat, Occupant]
) -> list[tuple[str, ...]]:
    """Return the names of others who made the finished rounds, for each seat; empty if there are none.

    There is an empty string for each round of the present player: the owner of the seat, or else its occupant.
    """
    former: list[tuple[str, ...]] = [()] * len(initial_seats)
    for seat, occupant in referee.new_occupants.items():
        player, first = owners.get(seat, occupant), initial_seats[seat]
        makers = [occupants.get(seat, first) for occupants in referee.round_occupants]
        others = [each for each in makers if each.name != player.name and (each.player or "") != player.player]
        texts = [sanitize(each.name, MAX_NAME_LENGTH) if each in others else "" for each in makers]
        former[seat] = tuple(texts) if others else ()
    return former


def format_former_players(makers: Sequence[str]) -> str:
    """Return the rounds that others have made at a seat, such as ``Bob 1-3, Cy 4``; ``makers`` by round."""
    texts = []
    for name, run in groupby(enumerate(makers, 1), key=itemgetter(1)):
        first, *others = [number for number, _ in run]
        texts += [f"{name} {first}-{others[-1]}" if others else f"{name} {first}"] if name else []
    return ", ".join(texts)


def list_sheet_names(parsed: Journal, referee: Referee) -> list[str]:
    """Return the names of the columns of the score sheet, such as ``Ada (Bob 1-3)`` if Bob made the first rounds.

    ``referee`` has replayed the journal.
    """
    names = format_names(journal.replace_occupants(parsed.header, referee.new_occupants).seats)
    former = list_former_players(parsed.header.seats, referee, {})
    return [
        f"{name} ({format_former_players(makers)})" if makers else name
        for name, makers in zip(names, former, strict=True)
    ]


def sanitize_header(header: Header) -> Header:
    """Return the header with all names sanitized for display."""
    seats = sanitize_occupants(header.seats)
    club = None if header.club is None else sanitize(header.club, MAX_NAME_LENGTH)
    return msgspec.structs.replace(header, seats=seats, club=club)


def sanitize_occupants(seats: Sequence[Occupant]) -> tuple[Occupant, ...]:
    """Return the occupants with their names sanitized for display."""
    called = zip(seats, format_names(seats), strict=True)
    return tuple([msgspec.structs.replace(occupant, name=name) for occupant, name in called])


def find_table_name(parsed: Journal) -> str:
    """Return the table name of a journal, sanitized for display, or ``""`` if it has none."""
    names = (entry.line.name for entry in reversed(parsed.entries) if isinstance(entry.line, NameLine))
    return sanitize(next(names, "").strip(), MAX_NAME_LENGTH)


def make_damage_error(path: Path, error: JournalError) -> DamagedJournal:
    """Return the error for a journal that cannot be parsed or replayed."""
    good = 0 if error.good is None else 1 + len(error.good.entries)
    return DamagedJournal(path, error.line, error.reason, good)
