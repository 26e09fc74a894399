"""Command group ``club``: without a subcommand it shows the open club of this home."""

import sys
import time
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

import click

from cardtable.cli import launch
from cardtable.cli.main import LazyGroup, commands
from cardtable.engine.text_format import format_count
from cardtable.store import seating

if TYPE_CHECKING:
    from cardtable.club.keeper_protocol import AnyResult
    from cardtable.club.protocol import TableInfo

_STATUS_UNWRITABLE: Final = "the host can no longer write its status file"
print_fact = partial(launch.print_fact, width=16)
CLUB_COMMANDS: Final[dict[str, tuple[str, str]]] = {
    "console": ("club_console", "Give these commands at a prompt, and read the log meanwhile."),
    "who": ("keeper_commands", "List the people in the club, and the newcomers who wait."),
    "tables": ("keeper_commands", "List the open tables."),
    "log": ("keeper_commands", "Print the lines of the log as they are written."),
    "say": ("keeper_commands", "Send a message to everybody."),
    "kick": ("keeper_commands", "Disconnect a person, who may come back."),
    "ban": ("keeper_commands", "Keep a person, or an address, out of the club."),
    "unban": ("keeper_commands", "End a ban."),
    "bans": ("keeper_commands", "List the bans and the muted people."),
    "mute": ("keeper_commands", "Silence a person in the lobby and at the tables."),
    "unmute": ("keeper_commands", "Let a muted person talk again."),
    "close": ("keeper_commands", "Close a table; its session can be resumed."),
    "invite": ("keeper_commands", "Invite a newcomer, or a known person on another device."),
    "invitations": ("keeper_commands", "List the invitations that have not been used."),
    "withdraw": ("keeper_commands", "Withdraw an invitation."),
    "approval": ("keeper_commands", "Set whether newcomers wait until you approve them."),
    "approve": ("keeper_commands", "Let a waiting newcomer in."),
    "reject": ("keeper_commands", "Refuse a waiting newcomer."),
    "code": ("keeper_commands", "Change the code of the club."),
    "reset": ("keeper_commands", "Give a player a new password."),
    "revoke": ("keeper_commands", "Revoke the tokens and keys of a person."),
    "forget": ("keeper_commands", "Free a guest's nick, or ask a player for the password again."),
    "erase": ("keeper_commands", "Erase the data of a person at the host."),
    "season": ("club_season", "Make tables of results over an evening or a season."),
    "backup": ("club_backup", "Copy all files of the club into a new file."),
    "restore": ("club_backup", "Restore a backup into an empty folder."),
    "tournament": ("club_tournament", "Conduct tournaments with the same deals at all tables."),
}
"""Module and help line of each subcommand by its name, as in ``cardtable.cli.main.COMMANDS``."""


@commands.group(cls=LazyGroup, table=CLUB_COMMANDS, invoke_without_command=True)
@click.option("--forget", metavar="NICK", help="Free a guest's nick, or ask a player for the password again.")
@click.pass_context
def club(context: click.Context, forget: str | None) -> None:
    """Show the open club, and keep order in it.

    Without a command, prints what newcomers need to know, the people in it, its tables and how busy its robots
    are. On a terminal it then takes the commands below at a prompt.
    """
    if context.invoked_subcommand is not None:
        if forget is not None:
            raise click.UsageError(f"--forget and {context.invoked_subcommand} cannot be combined; leave one out")
    elif forget is not None:
        forget_person(forget)
    elif launch.is_terminal(sys.stdin) and launch.is_terminal(sys.stdout):
        club.resolve_command(context, ["console"])  # imports it
        context.invoke(club.commands["console"])
    else:
        print_status()


def print_status() -> None:
    """Print the state of the open club. Raises ``CardtableError`` if no club is open."""
    from cardtable.club.server import status_file
    from cardtable.club.table_text import format_game_title

    status = status_file.read_status()
    print_fact("club", status.name)
    print_fact("open since", time.strftime("%Y-%m-%d %H:%M", time.localtime(status.since)))
    for line in status.invitation[1:]:
        print_fact("invitation", line)
    print_fact("here", _join_names(status.people))
    for row in status.tables:
        title, stage, people = format_game_title(row.game), format_stage(row), format_people(row)
        print_fact("table", f"{row.table}: {title}, {stage}, {people}")
    if status.saving_fails or status_file.is_stale():
        print_fact("saving fails", f"{status.saving_fails or _STATUS_UNWRITABLE}; tables wait until it works")
    print_fact("robots", f"{status.processes} at a time, {format_count(status.waiting, 'decision')} waiting")
    if status.disk:
        print_fact("disk", str(status.disk))


def format_stage(table_info: "TableInfo") -> str:
    """Return how far a table has come, as a short phrase."""
    if table_info.over:
        return "over"
    return f"round {table_info.round}" if table_info.playing else "waits for players"


def format_people(table_info: "TableInfo") -> str:
    """Return the names of the people who have a seat at a table, without robots."""
    places = [place for place in table_info.places if place.name and not place.robot]
    return _join_names([f"{place.name}{' (away)' if place.away else ''}" for place in places])


def print_result(result: "AnyResult") -> None:
    """Print the result of a command that is a sentence."""
    from cardtable.club.keeper_protocol import Done
    from cardtable.plain.console import print_lines

    assert isinstance(result, Done)
    print_lines(result.text)


def forget_person(nick: str) -> None:
    """Free the nick of a guest, or make a player enter the password again; print the consequences.

    In an open club, the person is disconnected.
    """
    from cardtable.club.server import status_file

    nick = seating.normalize_nick(nick)
    if status_file.is_club_open():
        from cardtable.club import keeper_client, keeper_protocol

        print_result(keeper_client.execute_command(keeper_protocol.Forget(nick)))
        return
    import asyncio

    from cardtable.club.server.accounts import ClubAccounts
    from cardtable.club.server.club_file import format_forgotten

    with status_file.hold_host_lock():
        click.echo(format_forgotten(asyncio.run(ClubAccounts().administration.forget(nick))))


def _join_names(names: Sequence[str]) -> str:
    return ", ".join(names) or "nobody"
