"""Sessions that were played at a club, kept in the archive of somebody who sat there."""

import os
from pathlib import Path

from msgspec.structs import replace

from cardtable.engine import journal
from cardtable.engine.journal import ID, MOST_SESSION_BYTES, Header, Line, Occupant
from cardtable.engine.text_format import one_line
from cardtable.store import atomic_io, paths, profiles, session_files
from cardtable.store.errors import FileError, reason
from cardtable.store.seating import is_same_nick
from cardtable.store.summaries import ENDING, journals, session_id


def is_missing(session: str) -> bool:
    """Whether there can be a session with this id, and none of it is here."""
    if not ID.fullmatch(session):
        return False
    name, folders = f"{session}{ENDING}", (paths.sessions(), paths.archive())
    taken = [paths.index(), paths.figures()] + [folder / name for folder in folders]
    if any(path.name == name and os.path.lexists(path) for path in taken):
        return False
    named = [path for folder in folders for path in journals(folder) if session in path.name]
    return session not in map(session_id, named)


def place(session: str) -> Path:
    """Where it lies, if it is here."""
    return paths.archive() / f"{session}{ENDING}"


def keep(session: str, text: str, club: str, nick: str, me: str) -> Path:
    """Keep a session as a host tells it: where it lies then.

    ``nick`` is who she was there, ``me`` who she is here: her seat is that player's, all others are nobody's here.
    Raises ``CardtableError`` where it is no such session, or cannot be kept; a file that is there stays as it is.
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
        raise FileError(path, reason(error)) from None
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


def _stored(who: Occupant) -> Occupant:
    """Return who sits in a seat with a name as it is stored, whatever the club has sent."""
    return replace(who, name=one_line(who.name, session_files.MOST_NAME))


def _seat(who: Occupant, nick: str, own: str | None) -> Occupant:
    if who.robot is not None:
        return Occupant(who.name, who.robot)
    return Occupant(who.name, player=own if is_same_nick(who.name, nick) else None)
