"""Results of the seasons of a club, computed from the summaries of its sessions.

A session counts by itself if it is rated and finished, at least two people took part, and the club has played it, but
not at a private table. A seat in which a robot substituted, or which changed hands, counts for nobody, as in ratings;
the others keep their places.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Final, Literal, NamedTuple

import msgspec

from cardtable.engine.errors import CardtableError
from cardtable.engine.game import Sides
from cardtable.engine.text_format import format_count, sanitize
from cardtable.games import GAMES, find_missing_game
from cardtable.records.aggregation import get_sides
from cardtable.records.ratings import KnownPlayers, Player
from cardtable.records.results_table import PlayerKind, ResultsColumn, ResultsRow, ResultsTable, rank_rows
from cardtable.store.profiles import ProfileStore
from cardtable.store.seasons import Ranking, Season
from cardtable.store.session_files import parse_creation_time
from cardtable.store.summaries import Summary

MIN_PEOPLE: Final = 2
"""Number of people who must have taken part in a session that counts by itself."""
ALL_GAMES: Final = "All games"
"""Title of the table of all games of a season."""
BEATEN: Final = ResultsColumn("beaten_percent", "beaten", 1, "%")
_SESSIONS: Final = ResultsColumn("sessions", "played")
_WINS: Final = ResultsColumn("wins", "won")
_POINTS: Final = ResultsColumn("points", "points")
_AVERAGE: Final = ResultsColumn("average_points", "average", 1)
_RANKING_COLUMNS: Final[dict[Ranking, ResultsColumn]] = {"place": BEATEN, "points": _POINTS, "average": _AVERAGE}

IneligibleReason = Literal["unknown", "unfinished", "other game"]


def find_ineligible_reason(season: Season, session: Summary) -> IneligibleReason | None:
    """Return the reason why a season can never count a session, or ``None`` if it can."""
    header = session.header
    if header is None or header.game not in GAMES:
        return "unknown"
    if session.state != "over" or session.ranks is None:
        return "unfinished"
    return None if header.game in season.games else "other game"


def counts_by_itself(season: Season, session: Summary) -> bool:
    """Return True if a season counts a session unless the administrator leaves it out."""
    if session.header is None or find_ineligible_reason(season, session):
        return False
    if not session.is_of_club or "private" in session.marks or not session.is_rated:
        return False
    people = {occupant.player or occupant.name for occupant in session.all_occupants if occupant.robot is None}
    if len(people) < MIN_PEOPLE:
        return False
    created = parse_creation_time(session.header.created)
    return (season.begins is None or season.begins <= created) and (season.ends is None or created < season.ends)


def check_can_close(season: Season) -> None:
    """Raise ``CardtableError`` if a game of a season cannot be used, so that its sessions would not count."""
    for game in season.games:
        if missing := find_missing_game(game, None):
            name = sanitize(game, 40)
            raise CardtableError(
                f"{season.name} cannot be closed now: {name} {missing.state}, so its sessions would not count"
            )


def select_sessions(season: Season, sessions: Iterable[Summary]) -> list[Summary]:
    """Return the sessions that a season counts, in the order in which they began."""
    added, left_out = set(season.added), set(season.left_out)
    final = None if season.final is None else set(season.final)

    def is_selected(session: Summary) -> bool:
        if final is not None or session.id in added:
            return (final is None or session.id in final) and find_ineligible_reason(season, session) is None
        return session.id not in left_out and counts_by_itself(season, session)

    return sorted(filter(is_selected, sessions), key=lambda session: (_get_creation_time(session), session.id))


def _get_creation_time(session: Summary) -> float:
    return parse_creation_time(session.header.created) if session.header else 0.0


class _Results(msgspec.Struct):
    """Results of a player, added up over seats."""

    seats: int = 0
    wins: int = 0
    beaten: Fraction = Fraction(0)
    """Sum of the shares of opponents beaten."""
    points: int = 0

    def add(self, rank: int, beaten: Fraction, points: int) -> None:
        self.seats += 1
        self.wins += rank == 1
        self.beaten += beaten
        self.points += points


class _Totals(msgspec.Struct):
    """Results of all players in the sessions of one game, or of several games."""

    players: dict[Player, _Results] = msgspec.field(default_factory=dict)
    sessions: int = 0
    uncounted_seats: int = 0
    """Number of seats that count for nobody."""

    def add(self, session: Summary, seats: Sequence[Player | None], shares: Sequence[Fraction]) -> None:
        """Add a finished session.

        ``seats`` are its players, ``None`` for a seat that counts for nobody, and ``shares`` the shares of opponents
        that each seat has beaten.
        """
        assert session.ranks is not None
        self.sessions += 1
        for seat, player in enumerate(seats):
            if player is None:
                self.uncounted_seats += 1
            else:
                results = self.players.get(player) or self.players.setdefault(player, _Results())
                results.add(session.ranks[seat], shares[seat], session.totals[seat])


@lru_cache(maxsize=1024)
def compute_beaten_shares(ranks: tuple[int, ...], sides: Sides) -> tuple[Fraction, ...]:
    """Return the share of opponents that each seat has beaten: those with a worse rank, and half of those with an equal
    one.

    The mean over all seats is one half, whatever the number of seats, so that places at tables of different sizes can
    be compared. Partners are not opponents.
    """
    shares = []
    for seat, own in enumerate(ranks):
        side = next(side for side in sides if seat in side)
        opponents = [rank for other, rank in enumerate(ranks) if other not in side]
        halves = sum([2 if rank > own else 1 if rank == own else 0 for rank in opponents])
        shares.append(Fraction(halves, 2 * len(opponents)) if opponents else Fraction(1, 2))
    return tuple(shares)


class SeasonResults(NamedTuple):
    """Results of a season."""

    season: Season
    sessions: list[Summary]
    """Sessions that it counts, in the order in which they began."""
    missing: list[str]
    """Ids of sessions that the season names, but that are not in this home any more."""
    tables: tuple[ResultsTable, ...]


def compute_results(
    season: Season, sessions: Sequence[Summary], profile_store: ProfileStore, *, include_robots: bool = False
) -> SeasonResults:
    """Return the results of a season; ``sessions`` are all sessions of this home. See ``compute_tables``."""
    selected, known = select_sessions(season, sessions), {session.id for session in sessions}
    missing = [id_ for id_ in (season.added if season.final is None else season.final) if id_ not in known]
    tables = compute_tables(season, selected, profile_store, include_robots=include_robots)
    return SeasonResults(season, selected, missing, tables)


def compute_tables(
    season: Season, sessions: Iterable[Summary], profile_store: ProfileStore, *, include_robots: bool = False
) -> tuple[ResultsTable, ...]:
    """Return the tables of a season: one of all games if there are several, then one for each of its games.

    ``sessions`` are those that it counts. Robots are listed by level, with a result for each of their seats, if
    ``include_robots`` is True.
    """
    known_players = KnownPlayers(profile_store)
    together, by_game = _Totals(), {game: _Totals() for game in season.games if game in GAMES}
    for session in sessions:
        assert session.header is not None
        assert session.ranks is not None
        seats = known_players.find_players(session)
        shares = compute_beaten_shares(session.ranks, get_sides(session.header))
        for totals in (together, by_game[session.header.game]) if len(season.games) > 1 else by_game.values():
            totals.add(session, seats, shares)
    tables = [_create_game_table(season, game, totals, include_robots) for game, totals in by_game.items()]
    if len(season.games) > 1:
        tables.insert(0, _create_overall_table(season, together, include_robots))
    return tuple(tables)


def _create_overall_table(season: Season, totals: _Totals, include_robots: bool) -> ResultsTable:
    """Return the table of all games, ranked by opponents beaten, since points of different games cannot be added."""
    columns = (_SESSIONS, _WINS, BEATEN)
    results = _list_results(totals, include_robots)
    rows = [(player, figures, figures.beaten / figures.seats) for player, figures in results]
    notes = _list_notes(season, totals)
    return ResultsTable(ALL_GAMES, columns, _place_rows(season, columns, rows), BEATEN.key, notes)


def _create_game_table(season: Season, game: str, totals: _Totals, include_robots: bool) -> ResultsTable:
    columns = (_SESSIONS, _WINS, BEATEN, _POINTS, _AVERAGE)
    sign = -1 if GAMES[game].lowest_wins else 1

    def measure(results: _Results) -> Fraction:
        if season.ranked_by == "place":
            return results.beaten / results.seats
        return Fraction(sign * results.points, results.seats if season.ranked_by == "average" else 1)

    rows = [(player, figures, measure(figures)) for player, figures in _list_results(totals, include_robots)]
    notes = (*(["The fewest points win."] if sign < 0 else []), *_list_notes(season, totals))
    ranked_by = _RANKING_COLUMNS[season.ranked_by].key
    return ResultsTable(GAMES[game].about.title, columns, _place_rows(season, columns, rows), ranked_by, notes)


def _list_results(totals: _Totals, include_robots: bool) -> list[tuple[Player, _Results]]:
    return [(player, figures) for player, figures in totals.players.items() if include_robots or not player.robot]


def _place_rows(
    season: Season, columns: tuple[ResultsColumn, ...], rows: Iterable[tuple[Player, _Results, Fraction]]
) -> tuple[ResultsRow, ...]:
    """Return the rows of players with their results, those with the greatest value first."""
    return rank_rows(
        (_create_row(columns, player, results), value if results.seats >= season.least else None)
        for player, results, value in rows
    )


def _create_row(columns: tuple[ResultsColumn, ...], player: Player, results: _Results) -> ResultsRow:
    figures = {
        _SESSIONS: results.seats,
        _WINS: results.wins,
        BEATEN: float(100 * results.beaten / results.seats),
        _POINTS: results.points,
        _AVERAGE: results.points / results.seats,
    }
    name = player.name.capitalize() if player.robot else player.name
    return ResultsRow(name, tuple([figures[column] for column in columns]), kind=_get_kind(player))


def _get_kind(player: Player) -> PlayerKind:
    if player.robot:
        return "robot"
    if not player.can_be_rated:
        return "guest"
    return "former" if player.stranger else "member"


def _list_notes(season: Season, totals: _Totals) -> tuple[str, ...]:
    """Return the notes on a table: what a place requires, and what does not count."""
    if not totals.sessions:
        return ("No session counts yet.",)
    notes = [f"A place requires {season.least} sessions."] if season.least > 1 else []
    if totals.uncounted_seats:
        seats = format_count(totals.uncounted_seats, "seat")
        notes.append(f"Not counted: {seats}, in which a robot substituted or the player changed.")
    return tuple(notes)
