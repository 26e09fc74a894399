"""Results of the seasons and duplicate tournaments of a club, computed from its sessions.

A session counts by itself for a season if it is rated and finished, at least two people took part, and the club has
played it, but not at a private table. A seat in which a robot substituted, or which changed hands, counts for nobody,
as in ratings; the others keep their places. Seasons of today's rules count only seats that ``counted_seats`` names.

In a tournament the score of a seat in a deal is its points minus the mean of the points that people have really played
in this seat; docs/tournament-rules.md has all rules. A deal counts if all tables have finished it and no clock has made
it void at any of them.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import chain
from typing import Final, Literal, NamedTuple, TypeAlias

import msgspec

from cardtable.engine.errors import CardtableError
from cardtable.engine.game import Seat, Sides
from cardtable.engine.journal import ActionLine, ChanceLine, Journal, LostLine, Occupant, OccupantLine, VoidLine
from cardtable.engine.referee import Randomness
from cardtable.engine.replay import create_referee, iter_positions
from cardtable.engine.text_format import format_count, sanitize
from cardtable.games import GAMES, find_missing_game
from cardtable.records.aggregation import get_sides
from cardtable.records.counted_seats import CountedSeats, compute_counted_places, find_counted_seats
from cardtable.records.ratings import KnownPlayers, Player
from cardtable.records.result_rows import PlayerKind, ResultsColumn, ResultsRow, ResultsTable, rank_rows
from cardtable.store.profiles import ProfileStore
from cardtable.store.seasons import Ranking, Season
from cardtable.store.session_files import parse_creation_time
from cardtable.store.summaries import Summary
from cardtable.store.tournaments import Tournament, TournamentDeal, TournamentRound, TournamentTable

MANY_LEAVINGS: Final = 3
"""Number of sessions that somebody has left and lost, from which on the administrator is told."""
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
    if len(people) < MIN_PEOPLE or not _find_counted_seats(season, session).seats:
        return False
    created = parse_creation_time(session.header.created)
    return (season.begins is None or season.begins <= created) and (season.ends is None or created < season.ends)


def _find_counted_seats(season: Season, session: Summary) -> CountedSeats:
    """Return the seats of a session that count for a season: all if the administrator has added it."""
    assert session.header is not None
    is_strict = season.rules > 0 and session.id not in season.added
    return find_counted_seats(session, get_sides(session.header), is_strict=is_strict)


def list_leavings(sessions: Iterable[Summary], profile_store: ProfileStore) -> list[tuple[str, int]]:
    """Return the people who have left at least ``MANY_LEAVINGS`` of the sessions, and so lost them, with the number."""
    known_players = KnownPlayers(profile_store)
    leavings = Counter(
        known_players.find_player(session.header.seats[seat]).name
        for session in sessions
        if session.header is not None
        for seat, reason in session.lost
        if reason == "left"
    )
    return [(name, number) for name, number in leavings.most_common() if number >= MANY_LEAVINGS]


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

    def add(
        self,
        seats: Sequence[Player | None],
        ranks: Sequence[int],
        shares: Sequence[Fraction],
        points: Sequence[int],
    ) -> None:
        """Add a finished session.

        ``seats`` are its players, ``None`` for a seat that counts for nobody, and ``shares`` the shares of opponents
        that each seat has beaten.
        """
        self.sessions += 1
        for seat, player in enumerate(seats):
            if player is None:
                self.uncounted_seats += 1
            else:
                results = self.players.get(player) or self.players.setdefault(player, _Results())
                results.add(ranks[seat], shares[seat], points[seat])


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
        counted, sides = _find_counted_seats(season, session), get_sides(session.header)
        ranks = compute_counted_places(session, sides, counted.losers)
        assert ranks is not None
        players = enumerate(known_players.find_players(session))
        seats = [player if seat in counted.seats else None for seat, player in players]
        worst = (max if GAMES[session.header.game].lowest_wins else min)(session.totals)
        points = [worst if seat in counted.losers else total for seat, total in enumerate(session.totals)]
        shares = compute_beaten_shares(ranks, sides)
        for totals in (together, by_game[session.header.game]) if len(season.games) > 1 else by_game.values():
            totals.add(seats, ranks, shares, points)
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
        reasons = "where robots or another player decided, or too few people played to the end"
        notes.append(f"Not counted: {seats}, {reasons}.")
    return tuple(notes)


TOTAL_KEY: Final = "total"
_DECIMALS: Final = 1


def extract_deals(journal: Journal) -> tuple[TournamentDeal, ...]:
    """Return the result of each finished round of a session. Raises ``JournalError`` if it cannot be replayed."""
    people = set(journal.header.people)
    is_robot = dict.fromkeys(people, False)
    results: list[TournamentDeal] = []
    lost = set[Seat]()
    robots, present, left, is_void = set[Seat](), set[Seat](), set[Seat](), False
    lines = (entry.line for entry in journal.entries)
    positions = iter_positions(journal, GAMES)
    next(positions)  # before the first entry
    for line, (_, referee) in zip(lines, positions, strict=True):
        match line:
            case OccupantLine() if line.seat in people:
                is_robot[line.seat] = line.robot is not None
            case LostLine():
                lost.add(line.seat)
            case ActionLine() if line.seat in people:
                (robots if is_robot[line.seat] or line.robot else present).add(line.seat)
                if line.seat in lost:
                    left.add(line.seat)
            case VoidLine():
                is_void = True
            case _:
                pass
        if len(referee.scores) > len(results):
            score = referee.scores[-1]
            points = tuple([seat_points * score.weight for seat_points in score.points])
            by_robots, absent, gone = [tuple(sorted(seats)) for seats in (robots, robots - present, left)]
            results.append(TournamentDeal(points, by_robots, absent, gone, is_void))
            robots, present, left, is_void = set(), set(), set(), False
    return tuple(results)


def list_counted_deals(round_: TournamentRound) -> list[int]:
    """Return the indexes of the deals of a finished round that count."""
    most = min(len(table.deals) for table in round_.tables)
    return [deal for deal in range(most) if not any(table.deals[deal].void for table in round_.tables)]


_Verdict: TypeAlias = Literal["played", "left", "disturbed", "absent", "robot"]
"""What decides the score of a seat in a deal.

It is really played, its person has left during the deal, somebody else at the table has, its person had left before, or
a robot fills up the table.
"""


def _judge(table: TournamentTable, deal: TournamentDeal, seat: Seat) -> _Verdict:
    if table.seats[seat].robot:
        return "robot"
    if seat in deal.left:
        return "absent" if seat in deal.absent else "left"
    return "played" if {*deal.left} <= {*deal.absent} else "disturbed"


def compute_scores(tournament: Tournament, index: int, deal: int) -> tuple[tuple[Fraction | None, ...], ...]:
    """Return the score of each seat at each table, in a deal that counts of the round with an index.

    The rules are those of docs/tournament-rules.md; ``None`` for a robot that fills up.
    """
    tables = tournament.rounds[index].tables
    deals = [table.deals[deal] for table in tables]
    seats = range(len(tournament.seats))
    verdicts: list[list[_Verdict]] = [
        [_judge(table, dealt, seat) for seat in seats] for table, dealt in zip(tables, deals, strict=True)
    ]
    sign = -1 if tournament.game in GAMES and GAMES[tournament.game].lowest_wins else 1
    points = [[sign * seat_points for seat_points in dealt.points] for dealt in deals]
    played = [[row[seat] for row, own in zip(points, verdicts, strict=True) if own[seat] == "played"] for seat in seats]
    all_played = [*chain(*played)]
    step = Fraction(max(all_played, default=0) - min(all_played, default=0), 10)

    def compute_score(seat: Seat, own: int, verdict: _Verdict) -> Fraction | None:
        compared = played[seat] if verdict == "played" else [*played[seat], own]
        real = own - Fraction(sum(compared), len(compared))
        match verdict:
            case "played":
                return sign * real
            case "left":
                return sign * min(real, -step)
            case "disturbed":
                return sign * max(real, Fraction(0))
            case "absent":
                return -sign * step
            case "robot":
                return None

    return tuple([tuple(map(compute_score, seats, row, own)) for row, own in zip(points, verdicts, strict=True)])


class _PersonResult(msgspec.Struct):
    """Results of one person in a tournament."""

    rounds: list[Fraction | None]
    """Score in each round; ``None`` if the round has not finished."""
    deals: int = 0
    """Number of deals that count, without those of rounds to which the person did not come."""
    robot_deals: int = 0
    """Number of those in which a robot made a decision for the person."""
    played_rounds: set[int] = msgspec.field(default_factory=set)
    """Indexes of rounds in which the person made a decision in a deal that counts."""
    left_rounds: set[int] = msgspec.field(default_factory=set)
    """Indexes of rounds in which the person has left a deal that counts."""


def _compute_results(tournament: Tournament) -> dict[Occupant, _PersonResult]:
    """Return the results of all people; a guest and a player may have the same nick."""
    none_yet = [Fraction(0) if round_.state == "finished" else None for round_ in tournament.rounds]
    results = {person: _PersonResult(none_yet.copy()) for person in tournament.people}
    for number, round_ in enumerate(tournament.rounds):
        if round_.state != "finished":
            continue
        for deal in list_counted_deals(round_):
            for table, row in zip(round_.tables, compute_scores(tournament, number, deal), strict=True):
                for seat, (occupant, score) in enumerate(zip(table.seats, row, strict=True)):
                    if occupant.robot is None and score is not None:
                        person = results[occupant]
                        person.rounds[number] = score + (person.rounds[number] or 0)
                        person.deals += 1
                        person.robot_deals += seat in table.deals[deal].robots
                        if seat not in table.deals[deal].absent:
                            person.played_rounds.add(number)
                        if seat in table.deals[deal].left:
                            person.left_rounds.add(number)
    return results


def create_standings(tournament: Tournament, is_guest: Callable[[str], bool] = lambda _nick: False) -> ResultsTable:
    """Return the standings after the finished rounds: the total of the scores, and the scores of each round.

    ``is_guest`` states whether a nick belongs to no profile. Somebody who has played in less than half of the rounds
    has no place. If the game cannot be used, nobody has one, since it is unknown whether many or few points win.
    """
    results, is_ranked = _compute_results(tournament), find_missing_game(tournament.game, tournament.package) is None
    lowest_wins = is_ranked and GAMES[tournament.game].lowest_wins
    finished = [number for number, round_ in enumerate(tournament.rounds) if round_.state == "finished"]
    columns = (
        ResultsColumn(TOTAL_KEY, "total", _DECIMALS),
        *[ResultsColumn(f"round_{number + 1}", f"round {number + 1}", _DECIMALS) for number in finished],
        ResultsColumn("deals", "deals"),
        ResultsColumn("robot_deals", "by robot"),
    )

    def create_row(occupant: Occupant) -> tuple[ResultsRow, Fraction | None]:
        own = results[occupant]
        by_round = [score for number in finished if (score := own.rounds[number]) is not None]
        total = sum(by_round, Fraction(0)) if finished else None
        figures = [None if total is None else float(total), *map(float, by_round), own.deals, own.robot_deals]
        row = ResultsRow(occupant.name, tuple(figures), kind="guest" if is_guest(occupant.name) else "member")
        if total is None or not is_ranked or len(own.played_rounds) < len(finished) / 2:
            return row, None
        return row, -total if lowest_wins else total

    rows = rank_rows(map(create_row, tournament.people))
    return ResultsTable(tournament.name, columns, rows, TOTAL_KEY, tuple(_iter_notes(tournament, finished, results)))


def create_round_table(
    tournament: Tournament, index: int, is_guest: Callable[[str], bool] = lambda _nick: False
) -> ResultsTable:
    """Return the scores of all people and robots in each deal of a finished round, with their tables and seats."""
    round_ = tournament.rounds[index]
    counted = list_counted_deals(round_)
    scores = [compute_scores(tournament, index, deal) for deal in counted]
    columns = (
        ResultsColumn("table_number", "table"),
        ResultsColumn("seat", "seat"),
        *[ResultsColumn(f"deal_{deal + 1}", f"deal {deal + 1}", _DECIMALS) for deal in counted],
    )
    rows = [
        ResultsRow(
            occupant.name,
            (number + 1, seat + 1, *[_to_figure(by_table[number][seat]) for by_table in scores]),
            kind="robot" if occupant.robot else "guest" if is_guest(occupant.name) else "member",
        )
        for number, table in enumerate(round_.tables)
        for seat, occupant in enumerate(table.seats)
    ]
    return ResultsTable(f"{tournament.name}, round {index + 1}", columns, tuple(rows))


def _to_figure(score: Fraction | None) -> float | None:
    return None if score is None else float(score)


def _iter_notes(
    tournament: Tournament, finished: Sequence[int], results: Mapping[Occupant, _PersonResult]
) -> Iterator[str]:
    """Yield the sentences below the standings."""
    played = format_count(len(finished), "round")
    yield f"After {played} of {len(tournament.rounds)}, with the same deals at all tables of a round."
    yield "A score is the points in a deal minus the mean of the people in that seat."
    yield "A place requires decisions of one's own in half of the rounds."
    for number in finished:
        came = tournament.rounds[number].checked_in
        absent = [person.name for person in tournament.people if person not in came]
        left = [person.name for person, result in results.items() if number in result.left_rounds]
        for text, names in (("Not there", absent), ("Lost by leaving or by time", left)):
            if names:
                yield f"{text} in round {number + 1}: {', '.join(names)}."
    if missing := find_missing_game(tournament.game, tournament.package):
        yield f"There are no places, since the game {missing.state}."
    elif GAMES[tournament.game].lowest_wins:
        yield "Fewer points are better."
    dropped = sum(
        max(len(table.deals) for table in round_.tables) - len(list_counted_deals(round_))
        for round_ in tournament.rounds
        if round_.state == "finished"
    )
    if dropped:
        yield f"{format_count(dropped, 'deal')} did not count: void or not played at one of the tables."
    if tournament.key:
        yield f"The key of the deals is {tournament.key}."
    else:
        yield f"The SHA-256 of the key of the deals is {tournament.commitment}."


def count_drawn_outcomes(journal: Journal, randomness: Randomness) -> int:
    """Return the number of outcomes of chance in a journal, if all follow from ``randomness``.

    Raises ``ValueError``, which names the line, if one does not, and ``JournalError`` if a line is not legal.
    """
    referee, number = create_referee(journal.header, GAMES), 0
    for index, entry in enumerate(journal.entries):
        if isinstance(line := entry.line, ChanceLine):
            drawn = referee.state.copy().draw_chance(randomness(referee.chance_position))
            if str(drawn) != line.outcome:
                raise ValueError(f"line {index + 2}: {line.outcome[:40]!r} does not follow from the key")
            number += 1
        referee.apply_line(line)
    return number
