"""Command group ``club``, which shows the open club of this home, and copies of a club's files.

The module loads neither messages nor plain text, so that help and completion come at once.
"""

import os
import sys
import time
from functools import partial
from pathlib import Path
from typing import Final

import click

from cardtable.cli import launch
from cardtable.cli.main import LazyGroup, commands
from cardtable.cli.params import UserPath
from cardtable.engine.text_format import format_count, sanitize, shorten_path
from cardtable.store import home_backup, paths
from cardtable.store.home_backup import Manifest
from cardtable.workers.client import lower_priority

_STATUS_UNWRITABLE: Final = "the host can no longer write its status file"
print_fact = partial(launch.print_fact, width=16)
CLUB_COMMANDS: Final[dict[str, tuple[str, str]]] = {
    "console": ("club_administration", "Give these commands at a prompt, and read the log meanwhile."),
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
    "close": ("club_administration", "Close a table; its session can be resumed."),
    "invite": ("club_administration", "Invite a newcomer, or a known person on another device."),
    "invitations": ("club_administration", "List the invitations that have not been used."),
    "withdraw": ("club_administration", "Withdraw an invitation."),
    "approval": ("club_administration", "Set whether newcomers wait until you approve them."),
    "approve": ("club_administration", "Let a waiting newcomer in."),
    "reject": ("club_administration", "Refuse a waiting newcomer."),
    "code": ("club_administration", "Change the code of the club."),
    "reset": ("club_administration", "Give a player a new password."),
    "revoke": ("club_administration", "Revoke the tokens and keys of a person."),
    "forget": ("club_administration", "Free a guest's nick, or ask a player for the password again."),
    "erase": ("club_administration", "Erase the data of a person at the host."),
    "season": ("club_season", "Make tables of results over an evening or a season."),
    "backup": ("club", "Copy all files of the club into a new file."),
    "restore": ("club", "Restore a backup into an empty folder."),
    "tournament": ("club_administration", "Conduct tournaments with the same deals at all tables."),
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


_MAX_SHOWN_FILES: Final = 5
_MEGABYTE: Final = 1_000_000


@club.command()
@click.argument("file", type=UserPath(path_type=Path))
def backup(file: Path) -> None:
    """Copy all files of the club into a new file.

    The club may be open: everything shown to its guests before is in the backup. Keep FILE secret, since it contains
    the club's code, the ssh host key, the hidden cards and the hashes of passwords.
    """
    if str(file) == "-":
        raise click.UsageError("a backup cannot be printed; give it the name of a new file")
    lower_priority(os.getpid())
    with launch.show_progress() as show:
        manifest, left_out = home_backup.write_backup(file, show)
    click.echo(f"Saved {_describe(manifest)} in {shorten_path(file)} ({_format_size(file.stat().st_size)}).")
    click.echo("Keep it secret: it contains the ssh host key, hidden cards and hashes of passwords.")
    if left_out:
        names = ", ".join(left_out[:_MAX_SHOWN_FILES]) + (", ..." if len(left_out) > _MAX_SHOWN_FILES else "")
        reason = "a link, of another user, or has a name that not every system allows"
        text = f"cardtable: left out, since it is {reason}: {names}"
        click.echo(sanitize(text, launch.MAX_FACT_LENGTH), err=True)


@club.command()
@click.argument("file", type=UserPath(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--into", type=UserPath(file_okay=False, path_type=Path), metavar="FOLDER", help="Folder to restore into."
)
def restore(file: Path, into: Path | None) -> None:
    """Restore a backup into an empty folder.

    Without --into this is the folder of your files. All files are checked first. Afterwards the club has the same
    people, code and tables as when the backup was made.
    """
    from cardtable.club.server import status_file

    folder = into or paths.home()
    lock = status_file.hold_host_lock("the club is open; close it first", folder)
    manifest = home_backup.restore_backup(file, folder, lock)
    made = time.strftime("%Y-%m-%d %H:%M", time.localtime(manifest.made))
    click.echo(f"Restored {_describe(manifest)} of {made} in {shorten_path(folder)}.")


def _describe(manifest: Manifest) -> str:
    return f"{format_count(len(manifest.files), 'file')} ({_format_size(manifest.total_bytes)})"


def _format_size(size: int) -> str:
    return f"{size / 1e6:.1f} MB" if size >= _MEGABYTE else f"{size / 1e3:.1f} kB"
