"""Commands ``club tournament``: duplicate tournaments of the club, with the same deals at all tables of a round.

The commands that conduct a tournament are executed by the open club; the others only read files.
"""

from pathlib import Path

import click

from cardtable.cli.club import club
from cardtable.cli.club_administration import add_host_commands
from cardtable.cli.json_output import (
    StandingsRow,
    TournamentOutput,
    TournamentRoundRow,
    TournamentTableRow,
    format_json,
    json_array_option,
    print_list,
)
from cardtable.cli.main import LazyGroup
from cardtable.cli.params import (
    TABLE_FORMATS,
    TableFormat,
    WholeNumber,
    choose_format,
    export_parameters,
    find_file,
    write_export,
)
from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import format_count
from cardtable.records.competition_results import TOTAL_KEY, count_drawn_outcomes, create_standings
from cardtable.store import profiles, session_files, tournaments, visibility
from cardtable.store.tournaments import Tournament, TournamentTable
from cardtable.wording import seasons as season_texts

_name_argument = click.argument("name")


@club.group(cls=LazyGroup)
def tournament() -> None:
    """Conduct tournaments with the same deals at all tables.

    In each round all tables play a session with the same deals. A score is the points minus the mean of all tables in
    that seat. Over the rounds everybody meets everybody as far as possible.
    """


def _is_guest(nick: str) -> bool:
    return profiles.find(nick) is None


add_host_commands(tournament, "club", "tournament")


def _create_output(selected: Tournament) -> TournamentOutput:
    """Return a tournament as an object for ``--json``."""
    table = create_standings(selected, _is_guest)
    keys = [column.key for column in table.columns]
    standings = []
    for row in table.rows:
        figures = dict(zip(keys, row.figures, strict=True))
        scores = [figure for key, figure in figures.items() if key.startswith("round_") and figure is not None]
        standings.append(
            StandingsRow(
                place=row.place,
                player=row.nick,
                kind=row.kind,
                total=figures[TOTAL_KEY],
                round_scores=tuple(scores),
                deals=int(figures["deals"] or 0),
                robot_deals=int(figures["robot_deals"] or 0),
            )
        )
    rounds = [
        TournamentRoundRow(state=round_.state, tables=tuple(map(_convert_table, round_.tables)))
        for round_ in selected.rounds
    ]
    return TournamentOutput(
        tournament=selected.name,
        game=selected.game,
        options=selected.options,
        state=selected.state,
        commitment=selected.commitment,
        key=selected.key or None,
        rounds=tuple(rounds),
        standings=tuple(standings),
    )


def _convert_table(table: TournamentTable) -> TournamentTableRow:
    return TournamentTableRow(
        session=table.session or None,
        seats=tuple([occupant.name for occupant in table.seats]),
        points=tuple([None if deal.void else deal.points for deal in table.deals]),
    )


@tournament.command(name="list")
@json_array_option
def list_tournaments(as_json: bool) -> None:
    """List all tournaments."""
    all_tournaments = tournaments.load()
    print_list(
        [_create_output(listed) for listed in all_tournaments] if as_json else None,
        [(listed.name, season_texts.format_tournament(listed)) for listed in all_tournaments],
        "There is no tournament. Open one with: cardtable club tournament new NAME --game rikiki ...",
    )


@tournament.command()
@_name_argument
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
def show(name: str, as_json: bool) -> None:
    """Print the standings and the seating of a tournament."""
    selected = tournaments.find(name)
    if as_json:
        click.echo(format_json(_create_output(selected), indent=1))
        return
    for line in season_texts.iter_tournament_lines(selected, _is_guest):
        click.echo(line)


@tournament.command()
@_name_argument
@export_parameters
def export(name: str, file: Path | None, form: TableFormat | None) -> None:
    """Write the results of a tournament as CSV or Markdown.

    The format follows from the name of FILE, which must not exist. Without FILE the results are printed, in Markdown
    unless --format says otherwise.
    """
    form = choose_format(file, form, TABLE_FORMATS, "FILE")
    selected = tournaments.find(name)
    text = (
        season_texts.format_tournament_markdown(selected, _is_guest)
        if form == "markdown"
        else season_texts.format_csv(season_texts.list_tournament_tables(selected, _is_guest))
    )
    write_export(selected.name, text, file, form)


@tournament.command()
@click.argument("key")
@click.argument("round_", metavar="ROUND", type=WholeNumber(1))
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
def check(key: str, round_: int, files: tuple[str, ...]) -> None:
    """Check that the deals of sessions follow from a key.

    KEY is the key that was published at the end of the tournament, ROUND the round of the sessions. Prints the SHA-256
    of the key, which was published at the beginning, and a line for each session.
    """
    try:
        secret = bytes.fromhex(key)
    except ValueError:
        secret = b""
    if len(secret) != tournaments.KEY_BYTES:
        raise click.UsageError(f"a key has {2 * tournaments.KEY_BYTES} hexadecimal digits")
    click.echo(f"The SHA-256 of the key is {tournaments.compute_commitment(secret)}.")
    for file in files:
        path = find_file(file)
        parsed = session_files.load_journal(path)
        visibility.check_public(parsed.header)
        try:
            number = count_drawn_outcomes(parsed, tournaments.create_randomness(secret, round_))
        except ValueError as error:
            raise CardtableError(f"{parsed.header.id}: {error}") from None
        click.echo(f"{parsed.header.id}: {format_count(number, 'outcome')} of chance follow from the key.")
