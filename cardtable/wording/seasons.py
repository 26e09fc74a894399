"""Texts about seasons and tournaments: their tables, and dates and times in the time zone of this machine.

A table of results may come from the host of a club, so all its texts are sanitized. A period is half-open: it includes
its first moment and excludes its last. A date stands for the whole day, also where the clocks change at midnight, and a
time that occurs twice for its first occurrence.
"""

import csv
import io
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Final, TypeAlias

from cardtable.engine.options import read
from cardtable.engine.text_format import align_columns, format_count, sanitize
from cardtable.games import ABOUT, GAMES, find_missing_game
from cardtable.records.competition_results import SeasonResults, create_round_table, create_standings
from cardtable.records.result_rows import ResultsColumn, ResultsRow, ResultsTable
from cardtable.store import session_files
from cardtable.store.seasons import YEARS, Ranking, Season
from cardtable.store.session_files import parse_creation_time
from cardtable.store.summaries import Summary
from cardtable.store.tournaments import Tournament
from cardtable.wording.export_formats import escape_markdown, format_markdown_row
from cardtable.wording.formatting import MINUS, format_number, format_ordinal, to_local_time
from cardtable.wording.rules_page import format_other_rules
from cardtable.wording.score_sheet import escape_formulas
from cardtable.wording.statistics import MISSING

_MAX_TEXT_LENGTH: Final = 40
_MAX_UNIT_LENGTH: Final = 4
PLACE_HEADING: Final = "place"
NICK_HEADING: Final = "player"


def format_name(row: ResultsRow) -> str:
    """Return the nick of a player, with the kind in brackets unless the player is a member: ``Bob (guest)``."""
    nick = sanitize(row.nick, _MAX_TEXT_LENGTH)
    return nick if row.kind == "member" else f"{nick} ({row.kind})"


def format_place(row: ResultsRow) -> str:
    return MISSING if row.place is None else str(row.place)


def format_figure(column: ResultsColumn, figure: float | None) -> str:
    """Return a figure with the decimal places and unit of its column, or ``MISSING`` if it is ``None``."""
    if figure is None:
        return MISSING
    return _format_ascii(column, figure).replace("-", MINUS) + sanitize(column.unit, _MAX_UNIT_LENGTH)


def _format_ascii(column: ResultsColumn, figure: float) -> str:
    return f"{round(figure, column.decimals) + 0:.{column.decimals}f}"  # + 0 turns -0.0 into 0.0


def list_headings(table: ResultsTable) -> list[str]:
    return [PLACE_HEADING, NICK_HEADING, *[sanitize(column.heading, _MAX_TEXT_LENGTH) for column in table.columns]]


def list_cells(table: ResultsTable, row: ResultsRow) -> list[str]:
    """Return the texts of a row, one for each heading."""
    figures = zip(table.columns, row.figures, strict=False)  # the host's table may be damaged
    return [format_place(row), format_name(row), *[format_figure(column, figure) for column, figure in figures]]


def iter_text_lines(table: ResultsTable) -> Iterator[str]:
    """Yield the lines of a table in aligned columns: the title, the headings, and a line for each player."""
    yield sanitize(table.title)
    if table.rows:
        yield from align_columns([list_headings(table), *[list_cells(table, row) for row in table.rows]], left=(1,))
    yield from map(sanitize, table.notes)


def iter_sentences(table: ResultsTable) -> Iterator[str]:
    """Yield the lines of a table for screen readers: the title, and a sentence for each player."""
    yield f"{sanitize(table.title)}:"
    headings = list_headings(table)
    for row in table.rows:
        cells = list_cells(table, row)
        place = "no place" if row.place is None else format_ordinal(row.place)
        figures = [f"{heading} {cell}" for heading, cell in zip(headings[2:], cells[2:], strict=False)]
        yield f"{cells[1]}: {', '.join([place, *figures])}."
    yield from map(sanitize, table.notes)


def iter_markdown_lines(table: ResultsTable) -> Iterator[str]:
    """Yield the lines of a table in Markdown, with a heading of the second level."""
    yield f"## {escape_markdown(sanitize(table.title))}"
    yield ""
    headings = list_headings(table)
    if table.rows:
        yield format_markdown_row(list(map(escape_markdown, headings)))
        yield format_markdown_row(["---" if number == 1 else "---:" for number in range(len(headings))])
    for row in table.rows:
        yield format_markdown_row(list(map(escape_markdown, list_cells(table, row))))
    for note in table.notes:
        if table.rows:
            yield ""
        yield escape_markdown(sanitize(note))


def format_csv(tables: Sequence[ResultsTable]) -> str:
    """Return tables as CSV, with one header line and a line for each player of each table.

    A player has no value in the columns of other tables. Numbers have a decimal point, and no text is a formula.
    """
    columns = list(dict.fromkeys([column.key for table in tables for column in table.columns]))
    content = io.StringIO()
    writer = csv.writer(content, lineterminator="\r\n")
    writer.writerow(["table", PLACE_HEADING, NICK_HEADING, "kind", *columns])
    for table in tables:
        for row in table.rows:
            figures = {
                column.key: _format_ascii(column, figure)
                for column, figure in zip(table.columns, row.figures, strict=True)
                if figure is not None
            }
            texts = [escape_formulas(sanitize(text)) for text in (table.title, row.nick)]
            place = "" if row.place is None else row.place
            writer.writerow([texts[0], place, texts[1], row.kind, *[figures.get(key, "") for key in columns]])
    return content.getvalue()


_MAX_KEY_LENGTH: Final = 20
"""Maximum length of the key of a game that is not installed, in characters."""
MOMENT_FORM: Final = "a date such as 2026-11-05, or a date and time such as 2026-11-05T19:30"
_MOMENT: Final = re.compile(r"(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d))?", re.ASCII)
_RANKINGS: Final[dict[Ranking, str]] = {
    "place": "Places by opponents beaten; an equal place in a session counts half.",
    "points": "Places by the sum of points.",
    "average": "Places by average points.",
}


def parse_moment(text: str, *, as_end: bool = False) -> int:
    """Return a date or time in the zone of this machine, in seconds since 1970-01-01T00:00Z.

    A date without a time is the first moment of that day or, if ``as_end`` is True, of the day after it. Raises
    ``ValueError`` if the text is invalid, or if the clocks skip the time.
    """
    match = _MOMENT.fullmatch(text.strip())
    try:
        moment = datetime.fromisoformat(" ".join(filter(None, match.groups()))) if match else None
    except ValueError:
        moment = None
    if match is None or moment is None or moment.year not in YEARS:
        raise ValueError(f"enter {MOMENT_FORM}")
    if match[2] is None:
        return int((moment + timedelta(days=1) if as_end else moment).timestamp())
    seconds = int(moment.timestamp())
    if datetime.fromtimestamp(seconds) != moment:  # noqa: DTZ006 - local time is wanted
        raise ValueError("this machine's clock skips that time, because it is set forward then")
    return seconds


def format_moment(seconds: int) -> str:
    """Format a moment in the zone of this machine, which is named: ``2026-11-05 19:30 CET``."""
    moment = to_local_time(seconds)
    return f"{moment:%Y-%m-%d %H:%M} {_name_zone(moment)}"


def _name_zone(moment: datetime) -> str:
    """Return the name of the time zone of a moment, such as ``CET``, or its offset such as ``UTC+14``."""
    name = moment.tzname() or ""
    return f"UTC{name}" if name.startswith(("+", "-")) else name


def format_iso_moment(seconds: int) -> str:
    """Format a moment as ISO 8601 with the offset of the zone of this machine: ``2026-11-05T19:30:00+01:00``."""
    return to_local_time(seconds).isoformat()


def format_period(season: Season) -> str:
    """Return the period of a season in the zone of this machine, which is named, or ``""`` if it has none.

    It reads ``from 2026-11-05 to 2026-11-12 CET``, where both days are included, or has times.
    """
    begin = None if season.begins is None else _split_moment(season.begins, as_end=False)
    end = None if season.ends is None else _split_moment(season.ends, as_end=True)
    if begin is None:
        return "" if end is None else f"until {' '.join(end)}"
    if end is None:
        return f"from {' '.join(begin)} on"
    return f"from {begin[0] if begin[1] == end[1] else ' '.join(begin)} to {' '.join(end)}"


def _split_moment(seconds: int, *, as_end: bool) -> tuple[str, str]:
    """Return a limit of a period as text that ``parse_moment`` reads, a date if possible, and the name of the zone."""
    moment = to_local_time(seconds - 1 if as_end else seconds)
    day = f"{moment:%Y-%m-%d}"
    is_day = parse_moment(day, as_end=as_end) == seconds
    moment = moment if is_day else to_local_time(seconds)
    return day if is_day else f"{moment:%Y-%m-%d %H:%M}", _name_zone(moment)


def format_games(season: Season) -> str:
    return ", ".join([ABOUT[game].title if game in ABOUT else sanitize(game, _MAX_KEY_LENGTH) for game in season.games])


def format_season(season: Season) -> str:
    """Describe a season in one line, for a list: its games, its period, and that it is closed."""
    parts = [format_games(season), format_period(season), "closed" if season.is_closed else ""]
    return "; ".join(filter(None, parts))


def describe_season(results: SeasonResults) -> tuple[str, ...]:
    """Describe a season in sentences: what it counts, how places are decided, and the zone of its times."""
    season = results.season
    beginning = f" begun {period}" if (period := format_period(season)) else ""
    lines = [f"{format_games(season)}: {format_count(len(results.sessions), 'session')}{beginning}."]
    if results.missing:
        lines.append(f"{format_count(len(results.missing), 'session')} of the season cannot be found any more.")
    lines.append(_RANKINGS[season.ranked_by])
    if season.is_closed:
        lines.append("The season is closed.")
    if period:
        lines.append("Dates and times are those of the host.")
    return tuple(lines)


def iter_season_lines(results: SeasonResults) -> Iterator[str]:
    """Yield the lines of a season as text: its name and description, and its tables in aligned columns."""
    yield results.season.name
    yield from describe_season(results)
    for table in results.tables:
        yield ""
        yield from iter_text_lines(table)


def format_season_markdown(results: SeasonResults) -> str:
    """Return a season as a page of Markdown: its name and description, and its tables."""
    lines = [f"# {escape_markdown(results.season.name)}", "", *map(escape_markdown, describe_season(results))]
    for table in results.tables:
        lines += ["", *iter_markdown_lines(table)]
    return "\n".join(lines) + "\n"


def describe_session(session: Summary) -> str:
    """Describe a session that a season counts in one line: id, beginning, and the people with their totals."""
    assert session.header is not None
    names = session_files.format_names(session.header.seats)
    totals = ", ".join([f"{name} {format_number(total)}" for name, total in zip(names, session.totals, strict=True)])
    return f"{session.id}  {format_moment(int(parse_creation_time(session.header.created)))}  {totals}"


IsGuest: TypeAlias = Callable[[str], bool]


def format_tournament(tournament: Tournament) -> str:
    """Describe a tournament in one line: game, house rules, people, rounds and state.

    The line begins with ``Tournament of``.
    """
    parts = [
        f"Tournament of {_format_game(tournament)}",
        f"{len(tournament.people)} people",
        format_count(len(tournament.rounds), "round"),
        _format_state(tournament),
    ]
    return sanitize(", ".join(filter(None, parts)))


def _format_game(tournament: Tournament) -> str:
    """Return the title of the game, with the house rules that differ from the usual ones."""
    if missing := find_missing_game(tournament.game, tournament.package):
        return f"{tournament.game} (the game {missing.state})"
    game, seats = GAMES[tournament.game], len(tournament.seats)
    usual = read(game.options, {}, seats).to_dict()
    rules = format_other_rules(game.options, tournament.options, usual)
    return f"{game.about.title}, {rules}" if rules else game.about.title


def _format_state(tournament: Tournament) -> str:
    if tournament.state != "open":
        return tournament.state
    paused = ", paused" if tournament.paused else ""
    if (current := tournament.current_round) is not None:
        verb = "called" if tournament.rounds[current].state == "calling" else "played"
        return f"round {current + 1} is being {verb}{paused}"
    finished = sum(round_.state == "finished" for round_ in tournament.rounds)
    return f"{format_count(finished, 'round')} finished{paused}" if finished else f"not begun{paused}"


def iter_tournament_lines(tournament: Tournament, is_guest: IsGuest) -> Iterator[str]:
    """Yield the lines that describe a tournament: its state, the standings, and who sits where in each round."""
    yield f"{sanitize(tournament.name)}: {format_tournament(tournament)}"
    yield ""
    yield from iter_text_lines(create_standings(tournament, is_guest))
    for number, round_ in enumerate(tournament.rounds, 1):
        yield ""
        came = ", ".join([person.name for person in round_.checked_in])
        yield sanitize(f"Round {number}; checked in: {came}" if came else f"Round {number}")
        for table_number, table in enumerate(round_.tables, 1):
            names = [f"{player.name} ({player.robot} robot)" if player.robot else player.name for player in table.seats]
            yield f"  table {table_number}: {sanitize(', '.join(names))}"


def list_tournament_tables(tournament: Tournament, is_guest: IsGuest) -> list[ResultsTable]:
    """Return the standings, and the scores of each finished round."""
    finished = [index for index, round_ in enumerate(tournament.rounds) if round_.state == "finished"]
    return [
        create_standings(tournament, is_guest),
        *[create_round_table(tournament, index, is_guest) for index in finished],
    ]


def format_tournament_markdown(tournament: Tournament, is_guest: IsGuest) -> str:
    """Return the standings of a tournament and the scores of its finished rounds in Markdown."""
    lines = [
        line for table in list_tournament_tables(tournament, is_guest) for line in (*iter_markdown_lines(table), "")
    ]
    return "\n".join(lines)
