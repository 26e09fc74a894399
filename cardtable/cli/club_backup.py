"""Commands ``club backup`` and ``club restore``: copies of all files of a club."""

import os
import time
from pathlib import Path
from typing import Final

import click

from cardtable.cli import launch
from cardtable.cli.club import club
from cardtable.cli.params import UserPath
from cardtable.engine.text_format import format_count, sanitize, shorten_path
from cardtable.store import home_backup, paths
from cardtable.store.home_backup import Manifest
from cardtable.workers.client import lower_priority

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
