"""Erasure of a person's data from this home: profile, progress, and name and chat in the sessions.

The cards and decisions of the sessions remain, since they belong to the other players, too. The person becomes
"Erased 1" or another number in them, with a new random id in place of the profile's.
"""

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from cardtable.engine import checksummed_jsonl, journal
from cardtable.engine.checksummed_jsonl import decode
from cardtable.engine.errors import CardtableError
from cardtable.engine.game import Seat
from cardtable.engine.journal import MAX_SESSION_BYTES, Header, Journal, Occupant, OccupantLine, TalkLine
from cardtable.engine.log_entries import join_spectator_talk, split_spectator_talk
from cardtable.engine.text_format import fold, format_count
from cardtable.store import (
    atomic_io,
    home_folder,
    paths,
    player_progress,
    profiles,
    puzzle_files,
    summaries,
    tournaments,
)
from cardtable.store.errors import FileError, convert_os_errors, format_os_error
from cardtable.store.json_file import home_lock
from cardtable.store.profiles import Profile
from cardtable.store.seating import is_same_nick

ERASED_NAME: Final = "Erased"
"""First word of the name that an erased person has in the sessions; a nick has no second one."""
ERASED_TALK: Final = "(erased)"
_ERASED_NAME: Final = re.compile(rb'"Erased (\d{1,9})"')
_LEFTOVER_SUFFIXES: Final = (".torn", ".aside")
"""Suffixes of files beside the sessions that hold copies of parts of them."""


class Erasure(NamedTuple):
    """Result of an erasure."""

    name: str
    """Name of the person in the sessions from now on."""
    sessions: tuple[str, ...]
    """Ids of the sessions that were changed."""
    unchanged_files: tuple[Path, ...]
    """Files that may still contain the person's data, since they are damaged or are no sessions."""


class _Person(NamedTuple):
    """Person to erase."""

    nicks: tuple[str, ...]
    """Present nick, and those that the person has given up at the club."""
    profile: Profile | None

    def has_nick(self, name: str) -> bool:
        return any(is_same_nick(name, nick) for nick in self.nicks)

    def is_occupant(self, occupant: Occupant, header: Header) -> bool:
        """Return True if ``occupant`` is this person in a session; a robot may bear their name as a substitute.

        A person without a profile id in the journal is recognised by the nick, except in a copy of a session of another
        club, where the nick may be somebody else's.
        """
        if occupant.player:
            return self.profile is not None and occupant.player == self.profile.id
        if header.club is not None:
            return False
        return self.has_nick(occupant.name)

    def is_author(self, text: str) -> bool:
        """Return True if table talk without a seat is a message of this person as a spectator."""
        author, _ = split_spectator_talk(text)
        first_nick = self.profile.first_nick if self.profile else ""
        return bool(author) and (self.has_nick(author) or is_same_nick(author, first_nick))


def erase_sessions(nick: str, *former_nicks: str) -> Erasure:
    """Replace a person's names and chat in all sessions of this home, and the names in its tournaments.

    Sessions that are open in a program are not changed; an error then names them, after all others have been changed.
    Raises ``CardtableError`` in that case, and if a file cannot be read or written. It is safe to call it again.
    """
    person = _Person((nick, *former_nicks), profiles.read().find_same(nick))
    name, player = f"{ERASED_NAME} {_find_free_number()}", os.urandom(8).hex()
    changed, unchanged, locked = [], [], []
    for path in summaries.list_all_journals():
        try:
            if _erase_in_file(path, person, name, player):
                changed.append(path.stem)
        except BlockingIOError:
            locked.append(path.stem)
        except (FileError, ValueError):  # damaged, or several sessions
            if _contains(path, person):
                unchanged.append(path)
        except OSError as error:
            raise FileError(path, format_os_error(error)) from None
    if locked:
        raise CardtableError(
            f"{format_count(len(locked), 'session')} with {nick} in play: {', '.join(locked[:3])}; "
            f"close {'it' if len(locked) == 1 else 'them'}, then erase {nick} again"
        )
    tournaments.convert_people(lambda occupant: _erase_in_tournament(occupant, person, name, player))
    unchanged += [path for path in _iter_leftovers() if _contains(path, person)]
    with convert_os_errors(paths.index_file()), home_lock():
        for cache in (paths.index_file(), paths.statistics_file()):
            if cache.exists():  # emptied, not removed: a running program notices it by the size
                atomic_io.write_atomically(cache, b"")
    return Erasure(name, tuple(changed), tuple(unchanged))


def _erase_in_tournament(occupant: Occupant, person: _Person, name: str, player: str) -> Occupant:
    """Return a person of a tournament, under ``name`` and the profile id ``player`` if it is the one to erase."""
    if occupant.player:
        is_erased = person.profile is not None and occupant.player == person.profile.id
        return Occupant(name, player=player) if is_erased else occupant
    return Occupant(name) if person.has_nick(occupant.name) else occupant


def erase_profile(nick: str) -> None:
    """Remove a person's profile with its credits, and the progress in lessons and puzzles, also from the backups.

    Nothing happens if there is none. Raises ``CardtableError`` if a file cannot be read or written.
    """
    key = profiles.get_player_key(nick)
    player_progress.LESSONS.remove_player(key)
    puzzle_files.PUZZLES.remove_player(key)
    profiles.remove_unchecked(nick)
    for path in (paths.lesson_progress_file(), paths.puzzles_file(), paths.profiles_file()):
        remove_backup(path)


def remove_backup(path: Path) -> None:
    """Remove the backup of a file. Raises ``FileError`` if that fails."""
    with convert_os_errors(path, "its backup cannot be removed: "):
        backup = atomic_io.get_backup_path(path)
        if backup.exists():
            atomic_io.remove(backup)
            atomic_io.sync_folder(backup.parent)


def _iter_leftovers() -> Iterator[Path]:
    for folder in paths.journal_folders():
        with suppress(OSError):
            yield from sorted(path for path in folder.iterdir() if path.name.endswith(_LEFTOVER_SUFFIXES))
    yield from [path for _, path in home_folder.list_copies()]


def _find_free_number() -> int:
    """Return the lowest number that no erased person has in the sessions and tournaments of this home."""
    files = [*summaries.list_all_journals(), paths.tournaments_file()]
    taken = {int(digits) for path in files for digits in _ERASED_NAME.findall(_read_or_nothing(path))}
    return next(number for number in range(1, len(taken) + 2) if number not in taken)


def _read_or_nothing(path: Path) -> bytes:
    try:
        return atomic_io.read(path, tournaments.MAX_FILE_BYTES)
    except OSError:
        return b""


def _contains(path: Path, person: _Person) -> bool:
    text = fold(_read_or_nothing(path).decode(errors="replace"))
    return any(fold(nick) in text for nick in person.nicks)


def _erase_in_file(path: Path, person: _Person, name: str, player: str) -> bool:
    """Replace a person's name and chat in one file, and return True if that changed it.

    ``player`` is the id that replaces the profile's. Raises ``BlockingIOError`` if another program has the file open,
    ``OSError`` if it cannot be read or written, and ``ValueError`` or ``FileError`` if it holds no valid session.
    """
    data = atomic_io.read(path, MAX_SESSION_BYTES)
    if journal.is_score_table(data) or journal.find_next_session(data):
        raise ValueError("not a single session")
    new = _replace_person(journal.read(data), person, name, player)
    if new is None:
        return False
    with ExitStack() as opened:
        descriptor = atomic_io.open_regular(path, os.O_RDWR)
        opened.callback(atomic_io.unlock_and_close, descriptor)
        if not atomic_io.lock(descriptor):
            raise BlockingIOError
        if atomic_io.read(path, MAX_SESSION_BYTES) != data:  # it was open a moment ago
            raise BlockingIOError
        if len(new) > MAX_SESSION_BYTES:
            raise FileError(path, "the session is too large")
        atomic_io.write_atomically(path, new, opened.close)
    return True


def _replace_person(parsed: Journal, person: _Person, name: str, player: str) -> bytes | None:
    """Return a journal without a person's name and chat, or ``None`` if it contains neither.

    An incomplete last line, which readers ignore, is left out.
    """
    header = parsed.header
    owners = dict(enumerate(header.seats))
    bodies = [_replace_in_header(parsed, person, name, player)]
    for entry in parsed.entries:
        replaced: dict[str, str] = {}
        line = entry.line
        if isinstance(line, OccupantLine):
            owner, sitter = owners[line.seat], line.occupant
            if sitter.robot is None:
                owner = owners[line.seat] = sitter
            if is_same_nick(sitter.name, owner.name) and person.is_occupant(owner, header):
                replaced = {"name": name} | ({"player": player} if sitter.player else {})
        elif isinstance(line, TalkLine) and line.seat is not None:
            if _is_seat_of(person, owners, line.seat, header):
                replaced = {"say": ERASED_TALK}
        elif isinstance(line, TalkLine) and person.is_author(line.text):
            replaced = {"say": join_spectator_talk(name, ERASED_TALK)}
        bodies.append(_replace_members(entry.body, replaced) if replaced else entry.body)
    if bodies == [parsed.header_body, *[entry.body for entry in parsed.entries]]:
        return None
    new = checksummed_jsonl.seal(bodies) if parsed.sealed else b"".join(body + b"\n" for body in bodies)
    assert len(journal.read(new).entries) == len(parsed.entries)
    return new


def _is_seat_of(person: _Person, owners: Mapping[Seat, Occupant], seat: Seat, header: Header) -> bool:
    owner = owners.get(seat)
    return owner is not None and owner.robot is None and person.is_occupant(owner, header)


def _replace_in_header(parsed: Journal, person: _Person, name: str, player: str) -> bytes:
    """Return the header as bytes, unchanged unless the person has a seat in it."""
    own_seats = [
        seat
        for seat, occupant in enumerate(parsed.header.seats)
        if occupant.robot is None and person.is_occupant(occupant, parsed.header)
    ]
    if not own_seats:
        return parsed.header_body
    seats = decode(bytes(decode(parsed.header_body, dict[str, msgspec.Raw])["seats"]), list[dict[str, object]])
    for seat in own_seats:
        seats[seat] |= {"name": name} | ({"player": player} if seats[seat].get("player") else {})
    return _replace_members(parsed.header_body, {"seats": seats})


def _replace_members(body: bytes, replaced: Mapping[str, object]) -> bytes:
    """Return a JSON object as bytes with other values of some members; all other members stay as they are."""
    members: dict[str, object] = {**decode(body, dict[str, msgspec.Raw]), **replaced}
    return msgspec.json.encode(members)
