"""Commands ``club season``: tables of results over chosen sessions of the club.

They only read and write files, so they work while the club is open, too. ``club tournament`` has the same list and
export.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import click
import msgspec
from msgspec.structs import asdict

from cardtable.cli import params
from cardtable.cli.club import club
from cardtable.cli.json_output import (
    ResultRow,
    ResultTable,
    SeasonOutput,
    SeasonRow,
    format_json,
    json_array_option,
    print_list,
)
from cardtable.cli.main import LazyGroup
from cardtable.cli.params import (
    GAME,
    TABLE_FORMATS,
    TableFormat,
    WholeNumber,
    choose_format,
    export_parameters,
    write_export,
)
from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import format_count, sanitize
from cardtable.games import ABOUT, GAMES
from cardtable.records import competition_results as season_records
from cardtable.records.competition_results import SeasonResults
from cardtable.records.result_rows import ResultsRow, ResultsTable
from cardtable.store import archive_index, profiles, seasons
from cardtable.store.seasons import Ranking, Season
from cardtable.store.summaries import Summary
from cardtable.wording import seasons as season_texts

_RANKINGS: Final[tuple[Ranking, ...]] = ("place", "points", "average")
_SESSION_HELP: Final = "SESSION is the id of a session; its beginning is enough if no other id starts with it."
_name_argument = click.argument("name", shell_complete=params.complete_seasons)
_session_argument = click.argument("session", shell_complete=params.complete_session_ids)
_robots_option = click.option("--robots", is_flag=True, help="List the robots, too, by level.")


@club.group(cls=LazyGroup)
def season() -> None:
    """Make tables of results over an evening or a season.

    A season counts the sessions of some games that the club has begun between two moments. Everybody at the club can
    read its tables.
    """


class _Moment(click.ParamType[int]):
    """Parameter type of a date or time in the zone of this machine."""

    name = "date"

    def __init__(self, *, as_end: bool) -> None:
        self._as_end = as_end

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        try:
            return season_texts.parse_moment(str(value), as_end=self._as_end)
        except (ValueError, OverflowError) as error:
            self.fail(str(error), param, ctx)


@season.command(epilog="DATE is a date such as 2026-11-05, or a date and time such as 2026-11-05T19:30.")
@click.argument("name")
@click.option("--game", "games", type=GAME, multiple=True, required=True, help="Game to count; may be repeated.")
@click.option("--from", "begins", type=_Moment(as_end=False), metavar="DATE", help="Count sessions begun from then on.")
@click.option(
    "--until",
    "ends",
    type=_Moment(as_end=True),
    metavar="DATE",
    help="Count sessions begun before the end of that day, or before that time.",
)
@click.option(
    "--ranked-by",
    "ranked_by",
    type=click.Choice(_RANKINGS),
    default="place",
    show_default=True,
    help="What decides the places: opponents beaten, the sum of points, or average points.",
)
@click.option(
    "--min-sessions",
    type=WholeNumber(1, 1000),
    default=1,
    show_default=True,
    help="Number of sessions that a place requires.",
)
def new(
    name: str, games: tuple[str, ...], begins: int | None, ends: int | None, ranked_by: Ranking, min_sessions: int
) -> None:
    """Make a season.

    It counts the rated sessions of the games that the club has finished with at least two people, begun between the two
    moments. Dates and times are those of this machine.
    """
    name = name.strip()
    if wrong := seasons.find_name_error(name):
        raise click.UsageError(wrong)
    if begins is not None and ends is not None and begins >= ends:
        raise click.UsageError("--until must be later than --from")
    lowest = [ABOUT[game].title for game in dict.fromkeys(games) if GAMES[game].lowest_wins]
    if ranked_by == "points" and lowest:
        raise click.UsageError(
            f"in {' and '.join(lowest)} the fewest points win, so a sum would favour people "
            "who play least; use --ranked-by average or --ranked-by place"
        )
    made = Season(name, tuple(dict.fromkeys(games)), begins, ends, ranked_by, min_sessions, rules=1)
    seasons.add(made)
    counted = _compute_results(made)
    number = len(counted.sessions)
    count = f"{format_count(number, 'session')} {'counts' if number == 1 else 'count'} so far"
    click.echo(f"{made.name}: {_format_line(counted.season)}. {count}.")


def _format_line(listed: Season) -> str:
    return sanitize(season_texts.format_season(listed))


def _compute_results(selected: Season, *, include_robots: bool = False) -> SeasonResults:
    return season_records.compute_results(
        selected, archive_index.list_summaries(), profiles.load()[0], include_robots=include_robots
    )


@season.command(name="list")
@json_array_option
def list_seasons(as_json: bool) -> None:
    """List all seasons."""
    all_seasons = seasons.load()
    print_list(
        [_convert_season(listed) for listed in all_seasons] if as_json else None,
        [(listed.name, _format_line(listed)) for listed in all_seasons],
        "There is no season. Make one with: cardtable club season new NAME --game rikiki",
    )


@season.command()
@_name_argument
@_robots_option
@click.option("--with-sessions", is_flag=True, help="List the sessions that count, with their ids.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
def show(name: str, robots: bool, with_sessions: bool, as_json: bool) -> None:
    """Print the tables of a season."""
    results = _compute_results(seasons.find(seasons.load(), name), include_robots=robots)
    if as_json:
        click.echo(format_json(_convert_results(results), indent=1))
        return
    for line in season_texts.iter_season_lines(results):
        click.echo(line)
    for person, number in season_records.list_leavings(results.sessions, profiles.load()[0]):
        click.echo(f"{sanitize(person)} has left {format_count(number, 'session')}, and lost each of them.")
    if with_sessions:
        click.echo()
        for session in results.sessions:
            click.echo(season_texts.describe_session(session))


def _convert_season(listed: Season) -> SeasonRow:
    return SeasonRow(
        season=listed.name,
        games=listed.games,
        begins=None if listed.begins is None else season_texts.format_iso_moment(listed.begins),
        ends=None if listed.ends is None else season_texts.format_iso_moment(listed.ends),
        ranked_by=listed.ranked_by,
        min_sessions=listed.least,
        closed=listed.is_closed,
    )


def _convert_results(results: SeasonResults) -> SeasonOutput:
    return SeasonOutput(
        **asdict(_convert_season(results.season)),
        sessions=tuple([session.id for session in results.sessions]),
        missing=tuple(results.missing),
        tables=tuple(map(_convert_table, results.tables)),
    )


def _convert_table(table: ResultsTable) -> ResultTable:
    rows = tuple([_convert_row(table, row) for row in table.rows])
    return ResultTable(title=table.title, ranked_by=table.ranked_by, rows=rows, notes=table.notes)


def _convert_row(table: ResultsTable, row: ResultsRow) -> ResultRow:
    figures = {column.key: figure or 0 for column, figure in zip(table.columns, row.figures, strict=True)}
    return ResultRow(
        place=row.place,
        player=row.nick,
        kind=row.kind,
        sessions=int(figures["sessions"]),
        wins=int(figures["wins"]),
        beaten_percent=round(figures["beaten_percent"], 3),
        points=int(figures["points"]) if "points" in figures else msgspec.UNSET,
        average_points=round(figures["average_points"], 3) if "average_points" in figures else msgspec.UNSET,
    )


@season.command(epilog=_SESSION_HELP)
@_name_argument
@_session_argument
def add(name: str, session: str) -> None:
    """Count a session that does not count by itself.

    It may be of another time, or of this machine; but it must be over, and of a game of the season.
    """
    selected = seasons.find(seasons.load(), name)
    sessions = archive_index.list_summaries()
    id_ = _find_id(session, [summary.id for summary in sessions], "there is no such session")
    chosen = next(summary for summary in sessions if summary.id == id_)
    match season_records.find_ineligible_reason(selected, chosen):
        case "unknown":
            raise CardtableError(f"{chosen.id}: this session cannot be read")
        case "unfinished":
            raise CardtableError(f"{chosen.id}: this session is not over")
        case "other game":
            raise CardtableError(
                f"{chosen.id}: the season {selected.name} counts {season_texts.format_games(selected)} only"
            )
        case None:
            pass
    if any(counted.id == chosen.id for counted in season_records.select_sessions(selected, sessions)):
        raise CardtableError(f"{chosen.id}: the season {selected.name} counts this session already")
    _change(name, sessions, lambda before: seasons.add_session(before, chosen.id))


@season.command(epilog=_SESSION_HELP)
@_name_argument
@_session_argument
def remove(name: str, session: str) -> None:
    """Leave a session out."""
    selected = seasons.find(seasons.load(), name)
    sessions = archive_index.list_summaries()
    counted = season_records.compute_results(selected, sessions, profiles.load()[0])
    ids = [*[summary.id for summary in counted.sessions], *counted.missing]
    chosen = _find_id(session, ids, f"the season {selected.name} does not count such a session")
    _change(name, sessions, lambda before: seasons.remove_session(before, chosen))


def _find_id(name: str, ids: Sequence[str], none: str) -> str:
    """Return the id that is ``name`` or begins with it.

    Raises ``CardtableError`` if there are several, or none, for which ``none`` is the message.
    """
    matching = {id_ for id_ in ids if name and id_.startswith(name)}
    if name in matching or len(matching) == 1:
        return name if name in matching else matching.pop()
    if matching:
        raise CardtableError(f"several sessions begin with {sanitize(name, 60)!r}; type more of the id")
    raise CardtableError(f"{sanitize(name, 60)}: {none}")


def _change(name: str, sessions: Sequence[Summary], update: Callable[[Season], Season]) -> None:
    """Save a change of a season, and print how many sessions it counts now."""
    changed = seasons.change(name, update)
    number = len(season_records.select_sessions(changed, sessions))
    click.echo(f"{changed.name} counts {format_count(number, 'session')} now.")


@season.command()
@_name_argument
def close(name: str) -> None:
    """Close a season: it counts its present sessions for good.

    Sessions that end later do not count, and none can be added or removed.
    """
    sessions = archive_index.list_summaries()

    def update(before: Season) -> Season:
        season_records.check_can_close(before)
        return seasons.close(before, [session.id for session in season_records.select_sessions(before, sessions)])

    closed = seasons.change(name, update)
    click.echo(f"{closed.name} is closed with {format_count(len(closed.final or ()), 'session')}.")


@season.command()
@_name_argument
def delete(name: str) -> None:
    """Delete a season; its sessions remain."""
    click.echo(f"{seasons.delete(name).name} is deleted; its sessions remain.")


@season.command()
@_name_argument
@export_parameters
@_robots_option
def export(name: str, file: Path | None, form: TableFormat | None, robots: bool) -> None:
    """Write the tables of a season as CSV or Markdown.

    The format follows from the name of FILE, which must not exist. Without FILE the tables are printed, in Markdown
    unless --format says otherwise.
    """
    form = choose_format(file, form, TABLE_FORMATS, "FILE")
    results = _compute_results(seasons.find(seasons.load(), name), include_robots=robots)
    text = (
        season_texts.format_season_markdown(results) if form == "markdown" else season_texts.format_csv(results.tables)
    )
    write_export(results.season.name, text, file, form)
