"""Personal bests that a session has beaten, and the streak of deals of the day.

Everything is computed from the archive's index and the cached facts of the statistics.
"""

from collections.abc import Generator, Iterator, Mapping, Sequence
from datetime import date
from math import inf
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias

import msgspec

from cardtable.engine.game import Seat
from cardtable.games import GAMES
from cardtable.records import aggregation, statistics
from cardtable.records.ratings import KnownPlayers, Player
from cardtable.records.statistics import PlayerStatistics, SessionFacts, Statistics, count_days_until, count_most_days
from cardtable.store import archive_index, profiles
from cardtable.store.session_setup import find_deal_day
from cardtable.store.summaries import Summary, read_session_id
from cardtable.workers.server import BACKGROUND_NICENESS, WorkerRequest, serve

MIN_STREAK: Final = 2
"""Smallest number of wins or days in a row that is a personal best."""


class BeatenBest(NamedTuple):
    """Personal best of a player that a session has beaten."""

    kind: Literal["total", "round", "wins", "days"]
    value: int
    before: int
    """Value of the best before the session."""
    usual_rules: bool = True
    """False if totals were compared under other house rules than the usual ones."""


class Achievements(msgspec.Struct, frozen=True):
    """Personal bests and runs that a finished session has given its players."""

    beaten: dict[Seat, tuple[BeatenBest, ...]] = msgspec.field(default_factory=dict)
    """Beaten personal bests by seat of a person."""
    day: date | None = None
    """Day whose deal the session has, or ``None`` if it has no deal of the day."""
    streak: int = 0
    """Number of days in a row, up to ``day``, whose deals of the day the player has finished."""


class AchievementsRequest(WorkerRequest[Achievements], frozen=True):
    """Request for the achievements of a finished session."""

    path: Path
    seats: tuple[Seat, ...]
    """Seats of the people who play here."""


PlayedSession: TypeAlias = tuple[Summary, Sequence[Player | None]]
"""Session and the player in each of its seats."""


def find_achievements(path: Path, seats: Sequence[Seat], max_unread: float = inf) -> Achievements:
    """Return the achievements in a session, compared with the sessions that ended before it.

    ``seats`` are those of the people who play here. Nothing is found if more than ``max_unread`` journals would have to
    be read for the archive's index, and no best round if as many would have to be read for that.
    """
    archive = archive_index.Archive()
    for progress in archive.read():
        if progress.unread > max_unread:
            return Achievements()
    history = _list_history(archive, read_session_id(path))
    if not history or (header := history[-1][0].header) is None:
        return Achievements()
    last, players = history[-1]
    day = find_deal_day(header) if last.state == "over" else None
    same_game = [session for session, _ in history if session.header and session.header.game == header.game]
    facts = aggregation.load_facts(same_game, max_unread) if statistics.counts_for_bests(last) else {}
    if (session_facts := facts.get(last.path)) and not session_facts.whole:
        return Achievements()
    beaten, streaks = {}, [0]
    for seat in seats:
        if (player := players[seat]) is not None and not player.robot:
            own = [played for played in history if player in played[1]]
            records = _collect_statistics(own[:-1], player, facts)
            beaten[seat] = tuple(_iter_beaten(records, own[-1], player, facts))
            if day is not None:
                deals = {deal_day for figures in records.values() for deal_day in figures.daily_deals}
                streaks.append(count_days_until({*deals, day.toordinal()}, day.toordinal()))
    return Achievements(beaten, day, max(streaks))


def _list_history(archive: archive_index.Archive, id_: str) -> list[PlayedSession]:
    """Return the counted sessions up to the one with this id, in order; an empty list if it is not counted."""
    known_players = KnownPlayers(profiles.load()[0])
    history: list[PlayedSession] = []
    for session in aggregation.list_counted(archive):
        history.append((session, known_players.find_players(session)))
        if session.id == id_:
            return history
    return []


def _collect_statistics(
    history: Sequence[PlayedSession], player: Player, facts: Mapping[Path, SessionFacts]
) -> Statistics:
    """Return the statistics of one player. Damaged sessions are left out."""
    records: Statistics = {}
    for played in history:
        _add_session(records, played, player, facts)
    return records


def _add_session(
    records: Statistics, played: PlayedSession, player: Player, facts: Mapping[Path, SessionFacts]
) -> None:
    session, players = played
    session_facts = facts.get(session.path)
    if session_facts is None or session_facts.whole:
        own_seats = [other if other == player else None for other in players]
        statistics.add_session(records, session, own_seats, session_facts)


def _iter_beaten(
    records: Statistics, last: PlayedSession, player: Player, facts: Mapping[Path, SessionFacts]
) -> Iterator[BeatenBest]:
    """Yield the personal bests in ``records`` that the last session has beaten, and add it to the records."""
    session, players = last
    lost = dict(session.lost)
    own_seats = [seat for seat, other in enumerate(players) if other == player and seat not in lost]
    if session.header is None or not own_seats or not statistics.counts_for_bests(session):
        return
    key, rules = session.header.game, statistics.find_rules(session.header)
    sign = -1 if GAMES[key].lowest_wins else 1
    figures = records.setdefault((player, key), PlayerStatistics())
    known, best_round, wins = figures.total_ranges.get(rules), figures.best, figures.most_wins_in_a_row
    best_total, days = known.best if known else None, count_most_days(_list_days(records))
    _add_session(records, last, player, facts)
    total = figures.total_ranges[rules].best
    if best_total is not None and total * sign > best_total * sign:
        yield BeatenBest("total", total, best_total, not rules.options)
    if best_round and figures.best and figures.best.points * sign > best_round.points * sign:
        yield BeatenBest("round", figures.best.points, best_round.points)
    if figures.most_wins_in_a_row > max(wins, MIN_STREAK - 1):
        yield BeatenBest("wins", figures.most_wins_in_a_row, wins)
    if (new_days := count_most_days(_list_days(records))) > max(days, MIN_STREAK - 1):
        yield BeatenBest("days", new_days, days)


def _list_days(records: Statistics) -> set[int]:
    return {day for figures in records.values() for day in figures.days}


def _serve_achievements(request: AchievementsRequest) -> Generator[Achievements, None, None]:
    yield find_achievements(request.path, request.seats)


def main() -> None:
    serve(_serve_achievements, BACKGROUND_NICENESS)
