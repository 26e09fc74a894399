"""Seasons of the club of this home: which sessions a table of results counts, and by what its places are ranked.

The results themselves are not stored; ``records.competition_results`` computes them from the sessions.
"""

from collections.abc import Callable, Sequence
from typing import Annotated, Final, Literal, TypeAlias

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import find_name, fold, sanitize, to_one_line
from cardtable.store import paths
from cardtable.store.json_file import JsonFile, JsonStore

Ranking: TypeAlias = Literal["place", "points", "average"]
"""Figure that determines the places: opponents beaten, points, or points per session."""
MAX_NAME_LENGTH: Final = 40
MAX_SEASONS: Final = 100
_MAX_SESSIONS: Final = 10_000
"""Maximum length of each list of sessions in a season."""
_MAX_BYTES: Final = 16 * 1024 * 1024
YEARS: Final = range(1972, 9987)
"""Years of the limits of a period."""

_Time: TypeAlias = Annotated[int, Meta(ge=31_622_400, le=253_000_000_000)]
"""Time in seconds since 1970-01-01T00:00Z, which includes these years in all time zones."""
_Id: TypeAlias = Annotated[str, Meta(min_length=1, max_length=64)]
_Ids: TypeAlias = Annotated[tuple[_Id, ...], Meta(max_length=_MAX_SESSIONS)]


class Season(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Choice of sessions of one or several games, for a table of results.

    Without further choices a season counts the sessions of these games that the club has begun in its period.
    """

    name: str
    games: Annotated[tuple[str, ...], Meta(min_length=1, max_length=50)]
    begins: _Time | None = None
    """Beginning of the period, in seconds since 1970-01-01T00:00Z; ``None`` if it has none."""
    ends: _Time | None = None
    """First second after the period, in seconds since 1970-01-01T00:00Z; ``None`` if it has no end."""
    ranked_by: Ranking = "place"
    least: Annotated[int, Meta(ge=1, le=1000)] = 1
    """Number of sessions that a place requires."""
    added: _Ids = ()
    """Ids of sessions that count although they would not by themselves."""
    left_out: _Ids = ()
    """Ids of sessions that do not count although they would by themselves."""
    final: _Ids | None = None
    """Ids of the sessions that a closed season counts; ``None`` while it is open."""
    rules: Literal[0, 1] = 0
    """Rules for what counts: 1 requires that people have made most choices of their seats; 0 in older seasons."""

    def __post_init__(self) -> None:
        if wrong := find_name_error(self.name):
            raise ValueError(wrong)

    def is_open_at(self, now: float) -> bool:
        """Return True if the season counts sessions that begin now, in seconds since 1970-01-01T00:00Z."""
        return not self.is_closed and (self.begins or 0) <= now and (self.ends is None or now < self.ends)

    @property
    def is_closed(self) -> bool:
        """True if no session can be added or removed any more."""
        return self.final is not None


def find_name_error(name: str) -> str | None:
    """Explain in one line why a name of a season is invalid. Return ``None`` if it is valid."""
    if not name:
        return "a season needs a name"
    fits = len(name) <= MAX_NAME_LENGTH and to_one_line(name.strip()) == name and sanitize(name) == name
    return None if fits else f"the name of a season has at most {MAX_NAME_LENGTH} characters, and no line breaks"


class _SeasonsFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="seasons", tag=1):
    """Content of the file with all seasons."""

    list: Annotated[tuple[Season, ...], Meta(max_length=MAX_SEASONS)] = ()


SEASONS: Final = JsonStore(
    JsonFile(_SeasonsFile, _MAX_BYTES, personal=True, indent=1), paths.seasons_file, "the seasons cannot be saved: "
)


def load() -> tuple[Season, ...]:
    """Return all seasons in the order in which they were made.

    There are none if the file does not exist. Raises ``FileError`` if it cannot be read or is invalid.
    """
    return SEASONS.read().list


def find(seasons: Sequence[Season], name: str) -> Season:
    """Return the season with a name, whose capitals are ignored. Raises ``CardtableError`` if there is none."""
    known = {season.name: season for season in seasons}
    match = find_name(name.strip(), known)
    if match is None:
        listing = f"there are: {', '.join(known)}" if known else "there is none"
        raise CardtableError(f"no season is called {sanitize(name, MAX_NAME_LENGTH)!r}; {listing}")
    return known[match]


def add(season: Season) -> None:
    """Save a new season. Raises ``CardtableError`` if its name is taken or the file cannot be written."""

    def append(stored: _SeasonsFile) -> _SeasonsFile:
        if any(fold(other.name) == fold(season.name) for other in stored.list):
            raise CardtableError(f"there is a season called {season.name} already")
        if len(stored.list) >= MAX_SEASONS:
            raise CardtableError(f"there are {MAX_SEASONS} seasons already; delete one first")
        return _SeasonsFile((*stored.list, season))

    SEASONS.update(append)


def change(name: str, update: Callable[[Season], Season]) -> Season:
    """Replace a season by ``update`` of it, which keeps the name, save and return it.

    Raises ``CardtableError`` if there is no such season or the file cannot be written, and whatever ``update`` raises.
    """

    def apply(stored: _SeasonsFile) -> _SeasonsFile:
        before = find(stored.list, name)
        return _SeasonsFile(tuple([update(before) if season is before else season for season in stored.list]))

    return find(SEASONS.update(apply).after.list, name)


def delete(name: str) -> Season:
    """Delete a season and return it; its sessions remain.

    Raises ``CardtableError`` if there is no such season or the file cannot be written.
    """

    def remove(stored: _SeasonsFile) -> _SeasonsFile:
        deleted = find(stored.list, name)
        return _SeasonsFile(tuple([season for season in stored.list if season is not deleted]))

    return find(SEASONS.update(remove).before.list, name)


def add_session(season: Season, session: str) -> Season:
    """Return a season that counts a session. Raises ``CardtableError`` if the season is closed or has too many."""
    _require_open(season)
    left_out = tuple([id_ for id_ in season.left_out if id_ != session])
    return _check_size(replace(season, added=_append(season.added, session), left_out=left_out))


def remove_session(season: Season, session: str) -> Season:
    """Return a season that leaves a session out. Raises ``CardtableError`` if it is closed or leaves out too many."""
    _require_open(season)
    added = tuple([id_ for id_ in season.added if id_ != session])
    return _check_size(replace(season, added=added, left_out=_append(season.left_out, session)))


def close(season: Season, sessions: Sequence[str]) -> Season:
    """Return a closed season, which counts exactly these sessions from now on.

    Raises ``CardtableError`` if it is closed already or has too many sessions.
    """
    _require_open(season)
    return _check_size(replace(season, final=tuple(sessions)))


def _append(ids: tuple[str, ...], session: str) -> tuple[str, ...]:
    return ids if session in ids else (*ids, session)


def _require_open(season: Season) -> None:
    if season.is_closed:
        raise CardtableError(f"the season {season.name} is closed")


def _check_size(season: Season) -> Season:
    if max(map(len, (season.added, season.left_out, season.final or ()))) > _MAX_SESSIONS:
        raise CardtableError(f"a season lists at most {_MAX_SESSIONS} sessions")
    return season
