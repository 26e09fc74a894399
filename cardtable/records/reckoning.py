"""What all sessions come to: ratings and statistics, reckoned from the archive.

What the archive's index tells is there at once.  The facts of each session are extracted from its journal once,
the sessions played last first, and are kept; that may take minutes where there are thousands of new ones.
"""

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Final

from cardtable.engine.contract import Sides, alone
from cardtable.engine.errors import CardtableError
from cardtable.engine.journal import Header
from cardtable.engine.options import read
from cardtable.games import GAMES, blaming
from cardtable.pipes.serving import Asks, serve
from cardtable.records import facts, statistics
from cardtable.records.facts import Facts
from cardtable.records.players import KnownPlayers, Player
from cardtable.records.ratings import Ratings
from cardtable.records.statistics import Statistics
from cardtable.robots.kit.levels import LEVELS
from cardtable.store import archive, paths, profiles
from cardtable.store.kept import Kept, Traces, traces
from cardtable.store.summaries import Summary

GIVES_WAY: Final = 10
"""By how much the priority of its process is lower than that of the program, and than that of the robots' process."""
TOLD_EACH: Final = 0.2
"""Seconds after which it is told how far things are."""
RECKONED_EACH: Final = 15.0
"""Seconds after which all is reckoned anew from what is known by then, and what is known is written to the disk."""


@dataclass(frozen=True, slots=True)
class Records:
    """What the sessions come to of which something is known."""

    ratings: dict[str, Ratings] = field(default_factory=dict)
    """By the game's key."""
    statistics: Statistics = field(default_factory=dict)

    def players(self) -> list[tuple[Player, int]]:
        """All players and the number of their sessions: people by that number, then robots, the strongest first."""
        sessions: dict[Player, int] = {}
        for (player, _), figures in self.statistics.items():
            sessions[player] = sessions.get(player, 0) + figures.sessions
        return sorted(sessions.items(), key=lambda item: _place_of(*item))


@dataclass(frozen=True, slots=True)
class Reckoned:
    """How far the reckoning is."""

    read: int
    """Sessions of which the facts are known."""
    sessions: int
    records: Records | None = None
    """What they come to, if that is new."""


class Reckon(Asks[Reckoned], frozen=True):
    """Asks how far things are until all is reckoned."""


def _place_of(player: Player, sessions: int) -> tuple[bool, int, str]:
    return player.robot, -LEVELS.index(player.name) if player.robot else -sessions, player.name


def reckon() -> Generator[Reckoned, None, None]:
    """Tell how far things are, and now and then what the sessions come to; at last what all come to."""
    sessions = [session for session in archive.finished() if statistics.counts(session)]
    sessions.sort(key=lambda session: (session.played, session.id))
    cache = Kept(paths.figures(), Facts, facts.VERSION)
    known: dict[Path, Facts] = {}
    try:
        yield from _reckon(sessions, cache, known)
    finally:
        cache.save()


def _reckon(sessions: Sequence[Summary], cache: Kept[Facts], known: dict[Path, Facts]) -> Iterator[Reckoned]:
    marks = _marks(sessions)
    cache.only(map(_key, marks))
    for session in sessions:
        kept = cache.get(_key(session.path), marks[session.path]) if session.path in marks else None
        if kept is not None and _fit(kept, session):
            known[session.path] = kept
    yield Reckoned(len(known), len(sessions), _records(sessions, known))
    told = reckoned = monotonic()
    unread = [session for session in reversed(sessions) if session.path not in known and session.path in marks]
    for session in unread:
        found = facts.extracted(session.path)
        if found is not None:
            known[session.path] = found
            cache.put(_key(session.path), marks[session.path], found)
        if monotonic() - reckoned > RECKONED_EACH:
            cache.save()
            yield Reckoned(len(known), len(sessions), _records(sessions, known))
            told = reckoned = monotonic()
        elif monotonic() - told > TOLD_EACH:
            yield Reckoned(len(known), len(sessions))
            told = monotonic()
    if unread:
        yield Reckoned(len(known), len(sessions), _records(sessions, known))


def _marks(sessions: Sequence[Summary]) -> dict[Path, Traces]:
    """The traces of the journals that are still where they were."""
    found = {}
    for session in sessions:
        with suppress(OSError):
            found[session.path] = traces(session.path.stat())
    return found


def _key(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"


def _fit(found: Facts, session: Summary) -> bool:
    assert session.header is not None
    return found.fit(session.header.game, len(session.header.seats))


def _records(sessions: Sequence[Summary], known: Mapping[Path, Facts]) -> Records:
    """What sessions come to, in the order in which they ended; those that are known to be damaged are left out."""
    records, known_players = Records(), KnownPlayers(profiles.load()[0])
    for session in sessions:
        found = known.get(session.path)
        if session.header is None or (found is not None and not found.whole):
            continue
        seats = known_players.seated(session)
        statistics.add(records.statistics, session, seats, found)
        records.ratings.setdefault(session.header.game, Ratings()).add(session, seats, _sides(session.header))
    return records


def _sides(header: Header) -> Sides:
    """Who played together; nobody, if the game has no such options any more."""
    game = GAMES[header.game]
    try:
        with blaming():
            return game.sides(len(header.seats), read(game.options, header.options))
    except (CardtableError, ValueError):
        return alone(len(header.seats))


def main() -> None:
    """Reckon for the program that started this process; a thread would not do, as keys would wait for it."""
    serve(lambda _asked: reckon(), GIVES_WAY)
