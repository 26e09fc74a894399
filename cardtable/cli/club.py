"""Command group ``club``: without a subcommand it shows the open club of this home.

The module loads neither messages nor plain text, so that help and completion come at once.
"""

import sys
import time
from functools import partial
from typing import Final

import click

from cardtable.cli import launch
from cardtable.cli.main import LazyGroup, commands
from cardtable.engine.text_format import format_count

_STATUS_UNWRITABLE: Final = "the host can no longer write its status file"
print_fact = partial(launch.print_fact, width=16)
CLUB_COMMANDS: Final[dict[str, tuple[str, str]]] = {
    "console": ("club_administration", "Open a prompt for these commands that also shows the log."),
    "who": ("club_administration", "List the people in the club, and the newcomers who wait."),
    "tables": ("club_administration", "List the open tables."),
    "log": ("club_administration", "Print the lines of the log as they are written."),
    "say": ("club_administration", "Send a message to everybody."),
    "kick": ("club_administration", "Disconnect a person, who may come back."),
    "ban": ("club_administration", "Keep a person, or an address, out of the club."),
    "unban": ("club_administration", "End a ban."),
    "bans": ("club_administration", "List the bans and the muted people."),
    "mute": ("club_administration", "Silence a person in the lobby and at the tables."),
    "unmute": ("club_administration", "Let a muted person talk again."),
    "reports": ("club_administration", "List the private messages that people have reported within 30 days."),
    "close": ("club_administration", "Close a table; its session can be resumed."),
    "spectators": ("club_administration", "Close a table to spectators, or open it to them again."),
    "invite": ("club_administration", "Invite a newcomer, or a known person on another device."),
    "invitations": ("club_administration", "List the invitations that have not been used."),
    "withdraw": ("club_administration", "Withdraw an invitation."),
    "approval": ("club_administration", "Set whether newcomers wait until you approve them."),
    "aids": ("club_administration", "Set whether tables may allow hints, the coach and the open review."),
    "one-network": ("club_administration", "Set whether sessions played from a single network count."),
    "approve": ("club_administration", "Let a waiting newcomer in."),
    "reject": ("club_administration", "Refuse a waiting newcomer."),
    "code": ("club_administration", "Change the code of the club."),
    "reset": ("club_administration", "Give a player a new password."),
    "devices": ("club_administration", "List the devices of a person that come back by themselves."),
    "revoke": ("club_administration", "Revoke the tokens and keys of a person."),
    "rename": ("club_administration", "Give a person another nick, without their password."),
    "forget": ("club_administration", "Free a guest's nick, or ask a player for the password again."),
    "erase": ("club_administration", "Erase the data of a person at the host."),
    "season": ("club_season", "Make tables of results over an evening or a season."),
    "backup": ("club_backup", "Copy all files of the club into a new file."),
    "restore": ("club_backup", "Restore a backup into an empty folder."),
    "tournament": ("club_tournament", "Conduct tournaments with the same deals at all tables."),
}
"""Module and help line of each subcommand by its name, as in ``cardtable.cli.main.COMMANDS``."""


@commands.group(cls=LazyGroup, table=CLUB_COMMANDS, invoke_without_command=True)
@click.pass_context
def club(context: click.Context) -> None:
    """Show the open club, and keep order in it.

    Without a command, prints what newcomers need to know, the people in it, its tables and how busy its robots
    are. On a terminal it then takes the commands below at a prompt.
    """
    if context.invoked_subcommand is None:
        if launch.is_terminal(sys.stdin) and launch.is_terminal(sys.stdout):
            club.resolve_command(context, ["console"])  # imports it
            context.invoke(club.commands["console"])
        else:
            print_status()


def print_status() -> None:
    """Print the state of the open club. Raises ``CardtableError`` if no club is open."""
    from cardtable.club.server import status_file
    from cardtable.club.table_text import format_game_title, format_seated_people, format_stage

    status = status_file.read_status()
    print_fact("club", status.name)
    print_fact("open since", time.strftime("%Y-%m-%d %H:%M", time.localtime(status.since)))
    for line in status.invitation[1:]:
        print_fact("invitation", line)
    print_fact("here", ", ".join(status.people) or "nobody")
    for row in status.tables:
        title, stage, people = format_game_title(row.game), format_stage(row), format_seated_people(row)
        print_fact("table", f"{row.table}: {title}, {stage}, {people}")
    if status.saving_fails or status_file.is_stale():
        print_fact("saving fails", f"{status.saving_fails or _STATUS_UNWRITABLE}; tables wait until it works")
    print_fact("robots", f"{status.processes} at a time, {format_count(status.waiting, 'decision')} waiting")
    print_fact("disk", str(status.disk))
