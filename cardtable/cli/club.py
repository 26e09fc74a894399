"""Command group ``club``: without a subcommand it shows the open club of this home."""

import time
from collections.abc import Sequence
from functools import partial
from typing import Final

import click

from cardtable.cli import launch
from cardtable.cli.main import LazyGroup, commands
from cardtable.engine.text_format import format_count, sanitize
from cardtable.store import seating

_STATUS_UNWRITABLE: Final = "the host can no longer write its status file"
_MAX_NAME_LENGTH: Final = 40
print_fact = partial(launch.print_fact, width=16)
CLUB_COMMANDS: Final[dict[str, tuple[str, str]]] = {
    "season": ("club_season", "Make tables of results over an evening or a season."),
    "backup": ("club_backup", "Copy all files of the club into a backup."),
    "restore": ("club_backup", "Restore a backup into an empty folder."),
}
"""Module and help line of each subcommand by its name, as in ``cardtable.cli.main.COMMANDS``."""


@commands.group(cls=LazyGroup, table=CLUB_COMMANDS, invoke_without_command=True)
@click.option("--forget", metavar="NICK", help="Free a guest's nick, or make a player enter the password again.")
@click.pass_context
def club(context: click.Context, forget: str | None) -> None:
    """Show the open club.

    Prints the people in it, its tables and how busy its robots are.
    """
    if context.invoked_subcommand is not None:
        if forget is not None:
            raise click.UsageError(f"--forget and {context.invoked_subcommand} cannot be combined; leave one out")
    elif forget is not None:
        _forget_person(seating.normalize_nick(forget))
    else:
        print_status()


def print_status() -> None:
    """Print the state of the open club. Raises ``CardtableError`` if no club is open."""
    from cardtable.club.protocol import TableInfo
    from cardtable.club.server import status_file
    from cardtable.games import ABOUT

    def format_table(table_info: TableInfo) -> str:
        people = [
            f"{place.name}{' (away)' if place.away else ''}"
            for place in table_info.places
            if place.name and not place.robot
        ]
        how = "over" if table_info.over else f"round {table_info.round}" if table_info.playing else "waits for players"
        title = ABOUT[table_info.game].title if table_info.game in ABOUT else table_info.game
        return f"{table_info.table}: {title}, {how}, {_join_names(people)}"

    status = status_file.read_status()
    print_fact("club", status.name)
    print_fact("open since", time.strftime("%Y-%m-%d %H:%M", time.localtime(status.since)))
    for line in status.invitation[1:]:
        print_fact("invitation", line)
    print_fact("here", _join_names(status.people))
    for row in status.tables:
        print_fact("table", format_table(row))
    if status.saving_fails or status_file.is_stale():
        print_fact("saving fails", f"{status.saving_fails or _STATUS_UNWRITABLE}; tables wait until it works")
    print_fact("robots", f"{status.processes} at a time, {format_count(status.waiting, 'decision')} waiting")


def _forget_person(nick: str) -> None:
    """Remove the account of a guest, or the tokens and ssh keys of a player with a profile; print the consequences."""
    from cardtable.club.server import club_file

    person = club_file.forget_account(nick)
    name = sanitize(person.nick, _MAX_NAME_LENGTH)
    if person.is_member:
        click.echo(f"{name} must enter the password again: their tokens and keys are forgotten.")
    else:
        click.echo(f"The nick {name} is free. The next person who takes it gets its seats in unfinished sessions.")


def _join_names(names: Sequence[str]) -> str:
    return ", ".join(names) or "nobody"
