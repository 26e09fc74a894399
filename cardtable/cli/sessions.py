"""Commands that read sessions: list, show, replay, trace, verify, export and rules."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import click
from msgspec import UNSET

from cardtable.cli import launch, params
from cardtable.cli.json_output import (
    OccupantRow,
    RoundOutput,
    ScoreSheetOutput,
    SessionRow,
    format_json,
    json_array_option,
)
from cardtable.cli.main import commands, get_terminal_flags, has_flag
from cardtable.cli.params import (
    FILE_HELP,
    FILE_TO_WRITE,
    GAME,
    PictureSize,
    WholeNumber,
    choose_format,
    file_argument,
    find_file,
    open_option,
    write_output,
)
from cardtable.engine import journal
from cardtable.engine import replay as journal_replay
from cardtable.engine.checksummed_jsonl import JournalError
from cardtable.engine.errors import CardtableError
from cardtable.engine.journal import Header, Journal, is_score_table, replace_occupants
from cardtable.engine.text_format import fold, sanitize, shorten_path
from cardtable.games import GAMES
from cardtable.scoring import score_table
from cardtable.store import archive_index, paths, session_files, summaries, visibility
from cardtable.store.errors import CacheFile, DamagedJournal
from cardtable.store.summaries import Summary
from cardtable.wording import score_sheet
from cardtable.wording.tables import FINISHED_ONLY

if TYPE_CHECKING:
    from cardtable.wording.export_formats import ExportFormat

    _Format: TypeAlias = ExportFormat | Literal["svg"]

_USUAL_SIZE: Final = (100, 30)
"""Size of a picture of the table, in columns and rows."""
_FORMATS: Final[dict[str, "_Format"]] = {".md": "markdown", ".csv": "csv", ".jsonl": "journal", ".svg": "svg"}
"""Formats of the command ``export`` by suffix of the file."""


@commands.command(name="list")
@json_array_option
@click.option("--game", type=GAME, help="List only sessions of this game.")
@click.option("--player", metavar="NICK", default="", help="List only sessions of this person or robot.")
@click.option("--state", type=click.Choice(["open", "over", "abandoned"]), help="List only sessions in this state.")
def list_sessions(as_json: bool, game: str | None, player: str, state: str | None) -> int:
    """List all sessions, the unfinished ones first.

    Prints a line for each, the last played first: ID GAME STATE ROUND TOTALS PLAYERS, and real-cards for a score
    table.
    """
    listed = sorted(archive_index.list_summaries(), key=lambda summary: summary.path.parent == paths.archive_folder())
    if game or player or state:
        listed = [summary for summary in listed if _is_selected(summary, game, player, state)]
    if as_json:
        click.echo(format_json([_convert_summary(summary) for summary in listed], indent=1))
    code = 0
    for summary in listed:
        if summary.header is None:
            launch.print_error(f"cannot be opened: {summary.error}")
            code = launch.FAILED
        elif not as_json:
            totals = ",".join(map(str, summary.totals))
            players = ",".join(occupant.name for occupant in summary.header.seats)
            real = " real-cards" if summary.real_cards else ""
            click.echo(f"{summary.id} {summary.header.game} {summary.state} {summary.round} {totals} {players}{real}")
    return code


def _is_selected(summary: Summary, game: str | None, player: str, state: str | None) -> bool:
    if summary.header is None or (game and summary.header.game != game) or (state and summary.state != state):
        return False
    sitting = [*summary.header.seats, *[occupant for _, occupant in summary.replaced_occupants]]
    return not player or fold(player) in [fold(occupant.name) for occupant in sitting]


def _convert_summary(summary: Summary) -> SessionRow:
    if summary.header is None:
        return SessionRow(id=summary.id, error=str(summary.error))
    return SessionRow(
        id=summary.id,
        game=summary.header.game,
        state=summary.state,
        round=summary.round,
        totals=tuple(summary.totals),
        places=summary.places,
        players=_list_occupants(summary, summary.header),
        created=summary.header.created,
        last_played=f"{datetime.fromtimestamp(summary.played, UTC):%Y-%m-%dT%H:%M:%SZ}",
        real_cards=summary.real_cards,
    )


def _list_occupants(summary: Summary, header: Header) -> tuple[OccupantRow, ...]:
    before = {seat: occupant.name for seat, occupant in summary.replaced_occupants}
    rows = [
        OccupantRow(
            name=occupant.name,
            robot=occupant.robot or UNSET,
            player=occupant.player or UNSET,
            previous=before.get(seat, UNSET),
        )
        for seat, occupant in enumerate(header.seats)
    ]
    return tuple(rows)


@commands.command(epilog=FILE_HELP)
@file_argument
@click.option("--json", "form", flag_value="json", help="Print one JSON object.")
@click.option("--csv", "form", flag_value="csv", help="Print comma-separated values, one line per round.")
def show(file: str, form: Literal["json", "csv"] | None) -> None:
    """Print the score sheet of a session.

    It contains the finished rounds.
    """
    stored = score_sheet.load(find_file(file))
    header, sheet = stored.header, stored.sheet
    if form == "json":
        ranks = summaries.compute_abandoned_places(header.seats) if stored.is_abandoned else sheet.ranks
        rounds = tuple([RoundOutput(points=score.points, totals=score.totals) for score in sheet.scores])
        click.echo(format_json(ScoreSheetOutput(id=header.id, rounds=rounds, totals=tuple(sheet.totals), places=ranks)))
    elif form == "csv":
        click.echo(score_sheet.to_csv(stored.names, sheet).encode(), nl=False)
    else:
        click.echo(score_sheet.to_text(stored), nl=False)


@commands.command(epilog=FILE_HELP)
@file_argument
@click.option(
    "--round",
    "number",
    type=WholeNumber(1),
    metavar="N",
    help="Start with this round; in plain lines, print only this round.",
)
@click.option("--seat", default="", metavar="N|NICK", help="Show what this seat saw; the first seat is 0.")
@open_option
@click.option(
    "--svg", "picture", type=FILE_TO_WRITE, metavar="OUT", help="Write a picture of the table into a new file."
)
@click.option(
    "--trick",
    "--turn",
    "part",
    type=WholeNumber(1),
    metavar="N",
    help="With --svg: show the end of this trick or, in games without tricks, of this turn.",
)
@click.option(
    "--step",
    type=WholeNumber(1),
    metavar="N",
    help="With --svg: show the moment after this card, bid or other step of the trick or turn, or of the round.",
)
@click.option(
    "--size", type=PictureSize(), metavar="COLUMNSxROWS", help="With --svg: size of the picture; 100x30 by default."
)
@click.pass_context
def replay(
    context: click.Context,
    file: str,
    number: int | None,
    seat: str,
    as_open: bool,
    picture: Path | None,
    part: int | None,
    step: int | None,
    size: tuple[int, int] | None,
) -> None:
    """Replay a session card by card.

    Opens on the screen; through a pipe, or with --plain, prints plain lines. While a session is still being played, the
    screen shows only finished rounds, and plain lines are refused. For a session played at the club, both show only
    finished rounds.

    With --svg, writes the table at one moment as an SVG picture into OUT, or to standard output if OUT is -: after the
    deal of round 1, unless other options say otherwise. Plain lines and pictures show and hide the same cards.
    """
    path = find_file(file)
    if picture is not None:
        from cardtable.ui import pictures

        moment, flags = pictures.Moment(number or 1, part, step), get_terminal_flags(context)
        drawn = pictures.draw_table(path, moment, seat, size or _USUAL_SIZE, flags, as_open=as_open)
        write_output(picture, drawn.encode())
        if summaries.summarize(path).is_club_only:
            launch.print_error(FINISHED_ONLY)
        return
    if (part, step, size) != (None, None, None):
        raise click.UsageError("--trick, --turn, --step and --size need --svg")
    if launch.can_show_screens() and not has_flag(context, "plain"):
        launch.open_screen(None, get_terminal_flags(context), ("replay", path, number or 1, None, seat, as_open))
        return
    from cardtable.plain.replay import run

    run(path, number, seat, get_terminal_flags(context), as_open=as_open)


@commands.command(epilog=FILE_HELP)
@file_argument
@open_option
def trace(file: str, as_open: bool) -> int:
    """Print the position after each line of a session.

    Prints a line of JSON for each line of FILE: the seat to act, its legal actions, the round, the tricks taken in
    it, and the totals.
    """
    path = find_file(file)
    code = 0
    for part in session_files.iter_sessions(path):
        try:
            _print_trace(path, journal.read(part.data, part.first_line, more_follows=part.has_more), as_open)
        except (JournalError, CardtableError) as error:
            launch.print_error(_format_damage(path, error) if isinstance(error, JournalError) else error.reason)
            code = launch.FAILED
    return code


def _print_trace(path: Path, read: Journal, as_open: bool) -> None:
    """Print the positions of a session; afterwards raise ``JournalError`` if it is damaged."""
    positions: list[dict[str, object]] = []
    turn, damage, header = 0, None, read.header
    rounds = finished = 0
    try:
        for number, referee in journal_replay.iter_positions(read, GAMES):
            positions.append(journal_replay.trace_position(number, referee))
            turn, header = referee.turn, replace_occupants(read.header, referee.occupants.changed)
            if len(referee.scores) > rounds:
                rounds, finished = len(referee.scores), len(positions)
    except JournalError as error:
        damage = error
    if visibility.check_request(path, read, header, turn, "trace", as_open=as_open) == "finished rounds":
        launch.print_error(FINISHED_ONLY)
        positions = positions[: max(finished, 1)]
    if session_files.is_abandoned(path, turn) and positions:
        positions[-1]["abandoned"] = True
    for line in positions:
        click.echo(json.dumps(line, separators=(",", ":")))
    if damage:
        raise damage


@commands.command(epilog=FILE_HELP)
@click.argument("files", metavar="FILE...", nargs=-1, required=True, shell_complete=params.complete_session_ids)
def verify(files: tuple[str, ...]) -> int:
    """Check that sessions follow the rules.

    Prints a line for each: ok ID GAME rounds=R totals=A,B,C,D, or bad FILE:LINE: reason.
    """
    code = 0
    for file in files:
        try:
            if not _verify_file(find_file(file)):
                code = launch.FAILED
        except CardtableError as error:
            launch.print_error(str(error))
            code = launch.FAILED
    return code


def _verify_file(path: Path) -> bool:
    """Replay every session in a file and print each result in one line; return True if none is bad."""
    is_good = True
    try:
        for part in session_files.iter_sessions(path):
            try:
                click.echo(_verify_session(part))
            except JournalError as error:
                click.echo(f"bad {_format_damage(path, error)}")
                is_good = False
    except CacheFile as error:
        launch.print_error(str(error))
    except DamagedJournal as error:
        click.echo(f"bad {error}")
        is_good = False
    return is_good


def _verify_session(part: session_files.SessionInFile) -> str:
    """Verify a session and return the line to print. Raises ``JournalError`` if it was not played by the rules."""
    if is_score_table(part.data):
        entries = score_table.read(part.data, part.first_line, more_follows=part.has_more)
        scored = score_table.load(entries)
        return _format_ok(scored.header, scored.sheet.totals, entries.torn, len(scored.rounds)) + " real-cards"
    read = journal.read(part.data, part.first_line, more_follows=part.has_more)
    visibility.check_public(read.header)
    referee = journal_replay.load(read, GAMES)
    return _format_ok(read.header, referee.totals, read.torn, len(referee.scores))


def _format_ok(header: Header | score_table.ScoreTableHeader, totals: Sequence[int], torn: bytes, rounds: int) -> str:
    figures = ",".join(map(str, totals))
    return f"ok {header.id} {header.game} rounds={rounds} totals={figures}{' torn' if torn else ''}"


def _format_damage(path: Path, error: JournalError) -> str:
    return sanitize(f"{shorten_path(path)}:{error.line}: {error.reason}")


@commands.command(epilog=FILE_HELP)
@file_argument
@click.option(
    "--format",
    "form",
    type=click.Choice([*_FORMATS.values()]),
    help="Output format; by default it follows from the name of OUT, and without OUT it is markdown.",
)
@click.option("--output", type=FILE_TO_WRITE, metavar="OUT", help="Write into a new file instead of printing.")
@open_option
@click.pass_context
def export(context: click.Context, file: str, form: "_Format | None", output: Path | None, as_open: bool) -> None:
    """Print a session as Markdown, CSV, a journal or a picture.

    Markdown has every round with its hands, csv is the score sheet, journal is the file as it is, and svg is a
    picture of the score sheet; `cardtable replay --svg` makes pictures of the table. Of a session that is played at
    the club it is the finished rounds.
    """
    from cardtable.wording import export_formats

    path, chosen = find_file(file), choose_format(output, form, _FORMATS, "OUT")
    if chosen == "svg":
        from cardtable.ui import pictures

        sheet = export_formats.load_sheet(path, as_open=as_open)
        data = pictures.draw_score_sheet(sheet, get_terminal_flags(context)).encode()
    else:
        data = export_formats.export_session(path, chosen, as_open=as_open)
    if summaries.summarize(path).is_club_only:
        launch.print_error(FINISHED_ONLY)
    write_output(output, data)
