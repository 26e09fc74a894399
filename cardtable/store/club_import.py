"""Import of sessions that were played at a club into the player's archive."""

import os
from pathlib import Path

from msgspec.structs import replace

from cardtable.engine import journal
from cardtable.engine.journal import ID, MOST_SESSION_BYTES, Header, Line, Occupant
from cardtable.engine.text_format import one_line
from cardtable.store import atomic_io, paths, profiles, session_files
from cardtable.store.errors import FileError, os_error_message
from cardtable.store.seating import is_same_nick
from cardtable.store.summaries import ENDING, journals, session_id


def is_missing(session: str) -> bool:
    """Return True if ``session`` is a valid session id for which this home has no file."""
    if not ID.fullmatch(session):
        return False
    name, folders = f"{session}{ENDING}", (paths.sessions(), paths.archive())
    taken = [paths.index(), paths.figures()] + [folder / name for folder in folders]
    if any(path.name == name and os.path.lexists(path) for path in taken):
        return False
    named = [path for folder in folders for path in journals(folder) if session in path.name]
    return session not in map(session_id, named)


def place(session: str) -> Path:
    """Return the path in the archive at which an imported session is stored."""
    return paths.archive() / f"{session}{ENDING}"


def import_session(session: str, text: str, club: str, nick: str, me: str) -> Path:
    """Store a session that a host has sent as ``text``, and return its path.

    ``nick`` is the player's nick at the club, ``me`` their nick in this home. Only their seat is linked to a profile.
    The seed is removed, and the header names the ``club``.

    Raises ``FileError`` if the text is not the whole session with this id, the player does not take part in it, or it
    cannot be stored. An existing file is not overwritten.
    """
    path = place(session)
    data = text.encode(errors="replace")
    if not is_missing(session) or len(data) > MOST_SESSION_BYTES:
        raise FileError(path, "such a session cannot be kept")
    read = session_files.parse_session(path, data)
    if read.torn or read.header.id != session:
        raise FileError(path, "that is another session, or not all of it")
    own = profiles.with_profile_ids([Occupant(me)])[0].player
    header = _header(read.header, club, nick, own)
    lines = [_line(entry.line, nick, own) for entry in read.entries]
    sitters = (*header.seats, *[line.sitter for line in lines if line.sit is not None])
    if not any(is_same_nick(nick, who.name) for who in sitters):
        raise FileError(path, "that is a session of others")
    data = journal.write([header, *lines])
    session_files.replayed(path, session_files.parse_session(path, data))
    try:
        paths.make(paths.archive())
        atomic_io.write_new(path, data)
    except OSError as error:
        raise FileError(path, os_error_message(error)) from None
    return path


def _header(header: Header, club: str, nick: str, own: str | None) -> Header:
    club = one_line(club.strip(), session_files.MOST_NAME) or "a club"
    seats = tuple([_stored(_seat(who, nick, own)) for who in header.seats])
    return replace(header, seed=0, club=club, seats=seats, origin=None)


def _line(line: Line, nick: str, own: str | None) -> Line:
    if line.sit is None:
        return line
    who = _seat(line.sitter, nick, own)
    return replace(line, name=_stored(who).name, player=who.player)


def _stored(occupant: Occupant) -> Occupant:
    """Return the occupant with a name that is safe to store, since text from a club is not trusted."""
    return replace(occupant, name=one_line(occupant.name, session_files.MOST_NAME))


def _seat(occupant: Occupant, nick: str, own: str | None) -> Occupant:
    if occupant.robot is not None:
        return Occupant(occupant.name, occupant.robot)
    return Occupant(occupant.name, player=own if is_same_nick(occupant.name, nick) else None)
