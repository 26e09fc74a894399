"""Command ``doctor``: reports folders, terminal capabilities and damaged files."""

import os
import platform
import shutil
from collections.abc import Iterable, Iterator
from importlib import metadata
from pathlib import Path
from shlex import quote
from typing import Final

import click

from cardtable import __version__
from cardtable.cli import launch
from cardtable.cli.main import commands, flags
from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import sanitize, shorten_path, with_count
from cardtable.games import find_plugins
from cardtable.store import (
    archive_index,
    club_tokens,
    folder_checks,
    paths,
    profiles,
    sessions,
    summaries,
)
from cardtable.store.errors import FileError, os_error_message
from cardtable.store.summaries import Summary
from cardtable.ui.terminal import capabilities
from cardtable.ui.toolkit.painting import themes
from cardtable.ui.toolkit.painting.layout import LEAST
from cardtable.ui.toolkit.preferences import Preferences

_MOST_COMPLAINED: Final = 400
"""Maximum length of a complaint in characters; it may contain a command with a path."""


@commands.command()
@click.pass_context
def doctor(context: click.Context) -> int:
    """Print where your files are and what is wrong with them.

    It also tells what the terminal can show.
    """
    ignored = capabilities.remove_invalid_variables()
    capabilities.follow_colour_choice()
    libraries = [f"{name} {metadata.version(name)}" for name in ("textual", "rich")]
    _tell("program", f"cardtable {__version__}, Python {platform.python_version()}, {', '.join(libraries)}")
    _tell("installed in", str(Path(__file__).parent.parent))
    unfinished, finished, copies = sessions.listing(), archive_index.finished(), archive_index.copies()
    usable, unusable = themes.load_all(paths.theme_files())
    for name, fact in _places(len(unfinished), len(finished), usable):
        _tell(name, fact)
    if outdated := sum([len(files.outdated) for files in copies]):
        _tell("copies", f"{with_count(outdated, 'file')} with the same moves as a session, or fewer; can be deleted")
    brought = [
        f"{brought_game.game.about.title} of {brought_game.package}" for brought_game in find_plugins().games.values()
    ]
    _tell("other games", ", ".join(brought) or "none; a package may bring them")
    preferences = Preferences.load(flags(context))
    for name, fact in capabilities.facts(preferences.mono_reason, LEAST):
        _tell(name, fact)
    for variable in ignored:
        _tell("ignored", variable)
    wrong = [
        *_unusable(),
        *preferences.complaints,
        *filter(None, [profiles.load()[1], club_tokens.load()[1], _wrong_with_club()]),
        *unusable,
        *map(str, find_plugins().refused),
        *[summary.trouble for summary in (*unfinished, *finished) if summary.trouble],
        *_not_put_away(finished),
        *[_apart(path, why) for files in copies for path, why in files.ignored],
    ]
    for complaint in dict.fromkeys(wrong):
        launch.print_error(complaint, most=_MOST_COMPLAINED)
    if not wrong:
        _tell("files", "nothing is wrong with them")
    return launch.FAILED if wrong else 0


def _tell(name: str, fact: str) -> None:
    click.echo(f"{name:<14}{sanitize(fact, 400)}")


def _places(unfinished: int, finished: int, colours: Iterable[str]) -> Iterator[tuple[str, str]]:
    home = paths.home()
    yield "home", f"{home}{'' if os.path.lexists(home) else ' (not made yet)'}"
    yield "sessions", f"{paths.sessions()}, {with_count(unfinished, 'session')} not over"
    yield "archive", f"{paths.archive()}, {with_count(finished, 'session')}"
    torn = len(paths.listed(paths.sessions(), ".torn"))
    if torn:
        yield (
            "torn lines",
            f"{with_count(torn, 'file')} beside sessions with lines that a crash cut off; can be deleted",
        )
    file = paths.settings_file()
    yield "settings", f"{file}{'' if file.is_file() else ' (none: all is as usual)'}"
    yield "themes", f"{', '.join(colours)}; own ones in {paths.own_themes()}"
    with_room = _existing(home)
    yield "free space", f"{shutil.disk_usage(with_room).free // 2**20} MiB"


def _wrong_with_club() -> str:
    """Return the error of the club's accounts file; empty if there is none."""
    from cardtable.club.server import accounts

    try:
        accounts.read()
    except CardtableError as error:
        return str(error)
    return ""


def _not_put_away(finished: Iterable[Summary]) -> Iterator[str]:
    """Move finished sessions into the archive; yield an error for each one that cannot be moved."""
    for summary in finished:
        if summary.header and summary.state == "over" and summary.path.parent == paths.sessions():
            try:
                summaries.move_to_archive(summary.path)
            except OSError as error:
                yield str(
                    FileError(
                        summary.path, f"it is over and cannot be moved into the archive: {os_error_message(error)}"
                    )
                )


def _apart(path: Path, why: str) -> str:
    """Describe a copy of a session that is ignored, with the command that shows it or plays on in it.

    ``why``: reason why it is ignored.
    """
    copy = summaries.summarize_full(path)
    where = quote(str(path))
    if copy.header is None or copy.real_cards:
        offer = "it can be deleted"
    elif copy.state == "over":
        offer = f"cardtable replay {where} shows it"
    elif copy.is_club_only:
        offer = "it is played at the club, and cannot be played on in two ways"
    else:
        offer = f"cardtable resume --copy {where} plays on in it as a new session"
    return f"{shorten_path(path)}: a copy that does not count, as {why}; {offer}"


def _existing(folder: Path) -> Path:
    """Return the folder itself, or its nearest ancestor that exists."""
    return next(place for place in (folder, *folder.absolute().parents) if os.path.isdir(place))  # noqa: PTH112 - never raises


def _unusable() -> Iterator[str]:
    """Yield an error for each folder that cannot be read or written."""
    try:
        folder_checks.try_to_write(paths.home())
    except CardtableError as error:
        yield str(error)
        return
    for folder in (paths.sessions(), paths.archive(), paths.exports(), paths.own_themes()):
        try:
            if folder != paths.own_themes():
                folder_checks.try_to_write(folder)
            folder_checks.try_to_read(folder)
        except CardtableError as error:
            yield str(error)
