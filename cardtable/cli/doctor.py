"""Command ``doctor``: reports folders, terminal capabilities and damaged files.

It also moves finished sessions into the archive, and adds what copies of files have more.
"""

import os
import platform
import shutil
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import partial
from importlib import metadata
from pathlib import Path

import click

from cardtable import __version__
from cardtable.cli import launch
from cardtable.cli.main import commands, get_terminal_flags
from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import format_count, shorten_path
from cardtable.games import find_plugins
from cardtable.installation import describe_build, quote_argument
from cardtable.session.lessons import list_courses
from cardtable.store import (
    archive_index,
    club_tokens,
    home_folder,
    paths,
    player_progress,
    profiles,
    puzzle_files,
    seasons,
    summaries,
    tournaments,
)
from cardtable.store.errors import FileError, format_os_error
from cardtable.store.summaries import Summary
from cardtable.ui.terminal import capabilities
from cardtable.ui.toolkit.painting import themes
from cardtable.ui.toolkit.painting.layout import MIN_SCREEN_SIZE
from cardtable.ui.toolkit.preferences import Preferences

print_fact = partial(launch.print_fact, width=14)


@commands.command()
@click.pass_context
def doctor(context: click.Context) -> int:
    """Show where your files are, and any problems in them.

    Also shows what the terminal can display.
    """
    ignored = capabilities.remove_invalid_variables()
    capabilities.apply_colour_choice()
    libraries = [f"{name} {metadata.version(name)}" for name in ("textual", "rich")]
    print_fact("program", f"cardtable {__version__}, Python {platform.python_version()}, {', '.join(libraries)}")
    print_fact("installed in", str(Path(__file__).parent.parent))
    print_fact("robots", describe_build())
    home = paths.find_home()
    unfinished = summaries.list_unfinished() if home else []
    finished = archive_index.list_finished() if home else []
    copies = archive_index.list_copies() if home else []
    usable, unusable = themes.load_themes(paths.theme_files())
    for name, fact in _iter_folder_facts(home, len(unfinished), len(finished), usable) if home else ():
        print_fact(name, fact)
    if outdated := sum([len(files.outdated) for files in copies]):
        print_fact(
            "copies", f"{format_count(outdated, 'file')} with the same moves as a session, or fewer; can be deleted"
        )
    installed = [
        f"{brought_game.game.about.title} of {brought_game.package}" for brought_game in find_plugins().games.values()
    ]
    print_fact("other games", ", ".join(installed) or "none; packages can add them")
    merged = home_folder.merge_copies() if home else None
    for line in merged.added if merged else ():
        print_fact("copies", line)
    if merged and merged.superfluous:
        print_fact("copies", f"{format_count(len(merged.superfluous), 'file')} without anything new; can be deleted")
    preferences = Preferences.load(get_terminal_flags(context))
    for name, fact in capabilities.iter_facts(preferences.mono_reason, MIN_SCREEN_SIZE):
        print_fact(name, fact)
    for variable in ignored:
        print_fact("ignored", variable)
    has_home = home is not None and os.path.isdir(home)  # noqa: PTH112 - never raises
    folder_errors = [*_iter_folder_errors()]
    complaints = [
        *folder_errors,
        *(() if folder_errors and not has_home else _iter_file_errors(preferences)),
        *[course.error for course in list_courses() if course.error],
        *unusable,
        *map(str, find_plugins().rejected),
        *[summary.error for summary in (*unfinished, *finished) if summary.error],
        *(_iter_club_warnings() if has_home else ()),
        *_archive_finished(finished),
        *(merged.ignored if merged else ()),
        *[_describe_copy(path, reason) for files in copies for path, reason in files.ignored],
    ]
    for complaint in dict.fromkeys(complaints):
        launch.print_error(complaint, max_length=launch.MAX_FACT_LENGTH)
    if not complaints:
        print_fact("files", "no problems")
    return launch.FAILED if complaints else 0


def _iter_folder_facts(home: Path, unfinished: int, finished: int, colours: Iterable[str]) -> Iterator[tuple[str, str]]:
    yield "home", f"{home}{'' if os.path.lexists(home) else ' (not created yet)'}"
    yield "sessions", f"{paths.sessions_folder()}, {format_count(unfinished, 'session')} not over"
    yield "archive", f"{paths.archive_folder()}, {format_count(finished, 'session')}"
    torn = len(paths.list_files(paths.sessions_folder(), ".torn"))
    if torn:
        yield (
            "torn lines",
            f"{format_count(torn, 'file')} beside sessions with lines that a crash cut off; can be deleted",
        )
    file = paths.settings_file()
    yield "settings", f"{file}{'' if file.is_file() else ' (none: all settings have their defaults)'}"
    yield "themes", f"{', '.join(colours)}; own ones in {paths.user_themes_folder()}"
    ancestors = (home, *home.absolute().parents)
    existing_folder = next(folder for folder in ancestors if os.path.isdir(folder))  # noqa: PTH112 - never raises
    yield "free space", f"{shutil.disk_usage(existing_folder).free // 2**20} MiB"


def _iter_file_errors(preferences: Preferences) -> Iterator[str]:
    """Yield the errors of the files in the home itself."""
    from cardtable.club.server import club_file

    yield from preferences.problems
    for load in (
        profiles.PROFILES.load,
        player_progress.LESSONS.load,
        puzzle_files.PUZZLES.load,
        club_tokens.TICKETS.load,
        club_file.CLUB.load,
        seasons.SEASONS.load,
        tournaments.TOURNAMENTS.load,
        tournaments.KEYS.load,
    ):
        _, error = load()
        if error:
            yield error


def _iter_club_warnings() -> Iterator[str]:
    """Yield what is wrong with the open club, if there is one."""
    from cardtable.club.server import status_file

    with suppress(CardtableError):  # no club is open
        disk = status_file.read_status().disk
        if disk.stage:
            yield f"the open club: {disk}"


def _archive_finished(finished: Iterable[Summary]) -> Iterator[str]:
    """Move finished sessions into the archive; yield an error for each one that cannot be moved."""
    for summary in finished:
        if summary.header and summary.state == "over" and summary.path.parent == paths.sessions_folder():
            try:
                summaries.move_to_archive(summary.path)
            except OSError as error:
                yield str(
                    FileError(
                        summary.path, f"it is over and cannot be moved into the archive: {format_os_error(error)}"
                    )
                )


def _describe_copy(path: Path, reason: str) -> str:
    """Describe a copy of a session that is ignored, with the command that shows it or plays on in it.

    ``reason``: reason why it is ignored.
    """
    copy = summaries.summarize_full(path)
    quoted_path = quote_argument(str(path))
    if copy.header is None or copy.real_cards:
        offer = "it can be deleted"
    elif copy.state == "over":
        offer = f"cardtable replay {quoted_path} shows it"
    elif copy.is_club_only:
        offer = "it is played at the club, and cannot be continued here as well"
    else:
        offer = f"cardtable resume --copy {quoted_path} continues it as a new session"
    return f"{shorten_path(path)}: a copy that does not count, because {reason}; {offer}"


def _iter_folder_errors() -> Iterator[str]:
    """Yield an error for each folder that cannot be read or written."""
    try:
        home_folder.check_writable(paths.home())
    except CardtableError as error:
        yield str(error)
        return
    for folder in (paths.sessions_folder(), paths.archive_folder(), paths.exports_folder(), paths.user_themes_folder()):
        try:
            if folder != paths.user_themes_folder():
                home_folder.check_writable(folder)
            home_folder.check_readable(folder)
        except CardtableError as error:
            yield str(error)
