"""Import of sessions that were played at a club into the player's archive."""

import os
from pathlib import Path

from msgspec.structs import replace

from cardtable.engine import journal
from cardtable.engine.journal import ID, MAX_SESSION_BYTES, Header, Line, Occupant, OccupantLine
from cardtable.engine.text_format import to_one_line
from cardtable.store import atomic_io, paths, profiles, session_files
from cardtable.store.errors import FileError, format_os_error
from cardtable.store.seating import is_same_nick
from cardtable.store.summaries import JOURNAL_SUFFIX, list_all_journals, read_session_id


def is_missing(session: str) -> bool:
    """Return True if ``session`` is a valid session id for which this home has no file."""
    if not ID.fullmatch(session):
        return False
    name, folders = f"{session}{JOURNAL_SUFFIX}", paths.journal_folders()
    taken = [paths.index_file(), paths.statistics_file()] + [folder / name for folder in folders]
    if any(path.name == name and os.path.lexists(path) for path in taken):
        return False
    named = [path for path in list_all_journals() if session in path.name]
    return session not in map(read_session_id, named)


def get_import_path(session: str) -> Path:
    """Return the path in the archive at which an imported session is stored."""
    return paths.archive_folder() / f"{session}{JOURNAL_SUFFIX}"


def import_session(session: str, text: str, club: str, nick: str, me: str) -> Path:
    """Store a session that a host has sent as ``text``, and return its path.

    ``nick`` is the player's nick at the club, ``me`` their nick in this home. Only their seat is linked to a profile.
    The seed is removed, and the header names the ``club``.

    Raises ``FileError`` if this home already has the session, if the text is longer than ``MAX_SESSION_BYTES`` or is
    not the whole session with this id, if the player does not take part in it, or if the file cannot be written.
    """
    path = get_import_path(session)
    data = text.encode(errors="replace")
    if not is_missing(session) or len(data) > MAX_SESSION_BYTES:
        raise FileError(path, "such a session cannot be saved")
    read = session_files.parse_session(path, data)
    if read.torn or read.header.id != session:
        raise FileError(path, "that is another session, or not all of it")
    own = profiles.add_profile_ids([Occupant(me)])[0].player
    header = _convert_header(read.header, club, nick, own)
    lines = [_convert_line(entry.line, nick, own) for entry in read.entries]
    occupants = (*header.seats, *[line.occupant for line in lines if isinstance(line, OccupantLine)])
    if not any(is_same_nick(nick, occupant.name) for occupant in occupants):
        raise FileError(path, "that is a session of others")
    data = journal.encode(header, lines)
    session_files.replay_journal(path, session_files.parse_session(path, data))
    try:
        paths.create_folder(paths.archive_folder())
        with atomic_io.create(path) as file:
            file.write(data)
    except OSError as error:
        raise FileError(path, format_os_error(error)) from None
    return path


def _convert_header(header: Header, club: str, nick: str, profile_id: str | None) -> Header:
    club = to_one_line(club.strip(), session_files.MAX_NAME_LENGTH) or "a club"
    seats = tuple([_convert_occupant(occupant, nick, profile_id) for occupant in header.seats])
    return replace(header, seed=0, club=club, seats=seats, origin=None)


def _convert_line(line: Line, nick: str, profile_id: str | None) -> Line:
    if not isinstance(line, OccupantLine):
        return line
    occupant = _convert_occupant(line.occupant, nick, profile_id)
    return replace(line, name=occupant.name, player=occupant.player)


def _convert_occupant(occupant: Occupant, nick: str, profile_id: str | None) -> Occupant:
    name = to_one_line(occupant.name, session_files.MAX_NAME_LENGTH)  # text from a club is not trusted
    if occupant.robot is not None:
        return Occupant(name, occupant.robot)
    return Occupant(name, player=profile_id if is_same_nick(occupant.name, nick) else None)
