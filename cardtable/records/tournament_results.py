"""Results of duplicate tournaments: points of each deal, scores compared with the other tables, and standings.

The score of a seat in a deal is its points minus the mean of the points that this seat has at all tables. A deal counts
if all tables have finished it and no clock has made it void at any of them.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Final, NamedTuple

from cardtable.engine.game import Seat
from cardtable.engine.journal import ActionLine, ChanceLine, Journal, Occupant, OccupantLine, VoidLine
from cardtable.engine.referee import Randomness
from cardtable.engine.replay import create_referee, iter_positions
from cardtable.engine.text_format import format_count
from cardtable.games import GAMES, find_missing_game
from cardtable.records.results_table import ResultsColumn, ResultsRow, ResultsTable, rank_rows
from cardtable.store.tournaments import Tournament, TournamentDeal, TournamentRound

TOTAL_KEY: Final = "total"
_DECIMALS: Final = 1


def extract_deals(journal: Journal) -> tuple[TournamentDeal, ...]:
    """Return the result of each finished round of a session. Raises ``JournalError`` if it cannot be replayed."""
    people = set(journal.header.people)
    is_robot = dict.fromkeys(people, False)
    results: list[TournamentDeal] = []
    robots, present, is_void = set[Seat](), set[Seat](), False
    lines = (entry.line for entry in journal.entries)
    positions = iter_positions(journal, GAMES)
    next(positions)  # before the first entry
    for line, (_, referee) in zip(lines, positions, strict=True):
        match line:
            case OccupantLine() if line.seat in people:
                is_robot[line.seat] = line.robot is not None
            case ActionLine() if line.seat in people:
                (robots if is_robot[line.seat] else present).add(line.seat)
            case VoidLine():
                is_void = True
            case _:
                pass
        if len(referee.scores) > len(results):
            score = referee.scores[-1]
            points = tuple([seat_points * score.weight for seat_points in score.points])
            results.append(TournamentDeal(points, tuple(sorted(robots)), tuple(sorted(robots - present)), is_void))
            robots, present, is_void = set(), set(), False
    return tuple(results)


def list_counted_deals(round_: TournamentRound) -> list[int]:
    """Return the indexes of the deals of a finished round that count."""
    most = min(len(table.deals) for table in round_.tables)
    return [deal for deal in range(most) if not any(table.deals[deal].void for table in round_.tables)]


def compute_scores(round_: TournamentRound, deal: int) -> tuple[tuple[Fraction, ...], ...]:
    """Return the score of each seat at each table in a deal that counts."""
    points = [table.deals[deal].points for table in round_.tables]
    means = [Fraction(sum(in_seat), len(points)) for in_seat in zip(*points, strict=True)]
    return tuple([tuple([seat_points - mean for seat_points, mean in zip(row, means, strict=True)]) for row in points])


class _PersonResult(NamedTuple):
    """Results of one person in a tournament."""

    rounds: list[Fraction | None]
    """Score in each round; ``None`` if the round has not finished."""
    deals: int
    """Number of deals that count."""
    robot_deals: int
    """Number of those in which a robot made a decision for the person."""
    was_present: bool
    """True if the person made a decision in a deal that counts."""


def _compute_results(tournament: Tournament) -> dict[Occupant, _PersonResult]:
    """Return the results of all people; a guest and a player may have the same nick."""
    none_yet = [Fraction(0) if round_.state == "finished" else None for round_ in tournament.rounds]
    scores = {person: none_yet.copy() for person in tournament.people}
    deals, robot_deals, present = Counter[Occupant](), Counter[Occupant](), set[Occupant]()
    for number, round_ in enumerate(tournament.rounds):
        if round_.state != "finished":
            continue
        for deal in list_counted_deals(round_):
            for table, row in zip(round_.tables, compute_scores(round_, deal), strict=True):
                for seat, (occupant, score) in enumerate(zip(table.seats, row, strict=True)):
                    if occupant.robot is None:
                        before = scores[occupant][number]
                        scores[occupant][number] = score + (before or 0)
                        deals[occupant] += 1
                        robot_deals[occupant] += seat in table.deals[deal].robots
                        if seat not in table.deals[deal].absent:
                            present.add(occupant)
    return {
        person: _PersonResult(rounds, deals[person], robot_deals[person], person in present)
        for person, rounds in scores.items()
    }


def create_standings(tournament: Tournament, is_guest: Callable[[str], bool] = lambda _nick: False) -> ResultsTable:
    """Return the standings after the finished rounds: the total of the scores, and the scores of each round.

    ``is_guest`` states whether a nick belongs to no profile. Somebody for whom robots made all decisions has no place.
    If the game cannot be used, nobody has one, since it is unknown whether many or few points win.
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
        if total is None or not is_ranked or not own.was_present:
            return row, None
        return row, -total if lowest_wins else total

    rows = rank_rows(map(create_row, tournament.people))
    notes = [*_iter_notes(tournament, finished)]
    if is_ranked and any(result.deals and not result.was_present for result in results.values()):
        notes.append("Somebody for whom robots made all decisions has no place.")
    return ResultsTable(tournament.name, columns, rows, TOTAL_KEY, tuple(notes))


def create_round_table(
    tournament: Tournament, index: int, is_guest: Callable[[str], bool] = lambda _nick: False
) -> ResultsTable:
    """Return the scores of all people and robots in each deal of a finished round, with their tables and seats."""
    round_ = tournament.rounds[index]
    counted = list_counted_deals(round_)
    scores = [compute_scores(round_, deal) for deal in counted]
    columns = (
        ResultsColumn("table_number", "table"),
        ResultsColumn("seat", "seat"),
        *[ResultsColumn(f"deal_{deal + 1}", f"deal {deal + 1}", _DECIMALS) for deal in counted],
    )
    rows = [
        ResultsRow(
            occupant.name,
            (number + 1, seat + 1, *[float(by_table[number][seat]) for by_table in scores]),
            kind="robot" if occupant.robot else "guest" if is_guest(occupant.name) else "member",
        )
        for number, table in enumerate(round_.tables)
        for seat, occupant in enumerate(table.seats)
    ]
    return ResultsTable(f"{tournament.name}, round {index + 1}", columns, tuple(rows))


def _iter_notes(tournament: Tournament, finished: Sequence[int]) -> Iterator[str]:
    """Yield the sentences below the standings."""
    played = format_count(len(finished), "round")
    yield f"After {played} of {len(tournament.rounds)}, with the same deals at all tables of a round."
    yield "A score is the points in a deal minus the mean of all tables in that seat."
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
