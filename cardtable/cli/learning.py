"""Commands to learn a game: ``learn`` opens the lessons, ``puzzles`` the positions of own sessions to solve again."""

import time
from pathlib import Path

import click

from cardtable.cli import launch
from cardtable.cli.main import commands, open_front_end
from cardtable.cli.params import GAME, UserPath
from cardtable.engine.errors import CardtableError
from cardtable.games import ABOUT
from cardtable.store import atomic_io, profiles, puzzle_files
from cardtable.store.errors import FileError, format_os_error
from cardtable.store.puzzle_files import InvalidPuzzle


@commands.command(epilog="You can leave a lesson at any time and continue it later.")
@click.argument("game", type=GAME, required=False)
@click.pass_context
def learn(context: click.Context, game: str | None) -> None:
    """Learn a game in short lessons.

    Without GAME, choose one.
    """
    from cardtable.session.lessons import load_course

    if game is not None:
        course = load_course(game)
        if not course.lessons:
            raise CardtableError(course.error or f"there are no lessons on {ABOUT[game].title}")
    open_front_end(context, page=("game_lessons", game) if game else ("learn",))


@commands.command(epilog="An exported file has the position as the player saw it, without hidden cards and names.")
@click.option("--list", "as_list", is_flag=True, help="List your puzzles, those that are due first.")
@click.option("--search", is_flag=True, help="Look through your sessions of the last four weeks for puzzles.")
@click.option("--export", "exported", metavar="ID", help="Print the file of a puzzle, to share it.")
@click.option(
    "--import", "imported", type=UserPath(path_type=Path), metavar="FILE", help="Add the puzzle in a file to yours."
)
@click.pass_context
def puzzles(context: click.Context, as_list: bool, search: bool, exported: str | None, imported: Path | None) -> int:
    """Solve puzzles made from your own mistakes.

    They are the decisions of your last sessions that cost you most. One that you solve comes again after 1, 3 and 7
    days.
    """
    actions = [as_list, search, exported is not None, imported is not None]
    if actions.count(True) > 1:
        raise click.UsageError("--list, --search, --export and --import do not go together; give one of them")
    nick = profiles.get_current_nick()
    if exported is not None:
        _print_puzzle(nick, exported)
    elif imported is not None:
        _import_puzzle(nick, imported)
    elif search:
        return _search(nick)
    elif as_list:
        _print_list(nick)
    else:
        open_front_end(context, page=("puzzles",))
    return 0


def _print_puzzle(nick: str, text: str) -> None:
    puzzle = puzzle_files.find_puzzle(_load_own(nick).puzzles, text)
    click.echo(puzzle_files.encode(puzzle_files.load_file(puzzle_files.get_path(puzzle))), nl=False)


def _import_puzzle(nick: str, path: Path) -> None:
    try:
        puzzle = puzzle_files.parse(atomic_io.read(path, puzzle_files.MAX_FILE_BYTES, follow_links=True))
    except OSError as error:
        raise FileError(path, format_os_error(error)) from None
    except InvalidPuzzle as error:
        raise FileError(path, str(error)) from None
    is_new = puzzle_files.add(nick, [puzzle], puzzle_files.get_today())
    hint = f"; {puzzle.missing_game}" if puzzle.missing_game else ""
    click.echo(f"{'added' if is_new else 'known'} {puzzle.id} {puzzle.title}{hint}")


def _search(nick: str) -> int:
    from cardtable.engine.text_format import format_count
    from cardtable.records import puzzles as records

    puzzle_count = 0
    try:
        with launch.show_progress_bar(1000, "Search") as move_on:
            shown_permille = 0
            sessions = 0
            for progress in records.search(nick, time.time(), puzzle_files.get_today()):
                sessions, puzzle_count = max(sessions, progress.sessions), progress.puzzle_count
                share = progress.done / progress.decisions if progress.decisions else 0.0
                permille = round(1000 * (sessions - progress.sessions + share) / max(sessions, 1))
                move_on(max(permille - shown_permille, 0))
                shown_permille = max(shown_permille, permille)
    except KeyboardInterrupt:
        launch.print_error("stopped; what has been done is saved")
        return launch.INTERRUPTED
    click.echo(f"{format_count(puzzle_count, 'new puzzle')}")
    return 0


def _print_list(nick: str) -> None:
    from cardtable.wording.learning import (
        format_attempts,
        format_puzzle_names,
        format_puzzle_state,
        list_puzzles_in_order,
    )

    own, today = _load_own(nick), puzzle_files.get_today()
    names = format_puzzle_names(own)
    for key in list_puzzles_in_order(own, today):
        progress = own.puzzles[key]
        click.echo(f"{key}  {format_puzzle_state(progress, today):18}  {names[key]}, {format_attempts(progress)}")


def _load_own(nick: str) -> puzzle_files.PlayerPuzzles:
    own, error = puzzle_files.load(nick)
    if error:
        raise CardtableError(error)
    return own
