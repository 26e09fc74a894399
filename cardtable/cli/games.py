"""Commands about games: their list, their rules, a package for a new one, lessons, and puzzles."""

import time
from contextlib import suppress
from importlib import resources
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import click
import msgspec

from cardtable.cli import launch
from cardtable.cli.json_output import GameRow, format_json, json_array_option
from cardtable.cli.main import commands, has_flag, open_front_end
from cardtable.cli.params import GAME, UserPath, game_argument
from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import MAX_PATH_LENGTH, align_columns, format_count, sanitize
from cardtable.games import ABOUT, ENTRY_POINT_GROUP, KEY_PATTERN, find_key, find_plugins, list_packages
from cardtable.installation import quote_argument
from cardtable.store import atomic_io, profiles, puzzle_files
from cardtable.store.errors import FileError, format_os_error
from cardtable.store.puzzle_files import InvalidPuzzle
from cardtable.wording.formatting import to_ascii_text


@commands.command(name="games")
@json_array_option
@click.option("--time", "with_times", is_flag=True, help="Measure how fast the rules of each game are.")
def list_games(as_json: bool, with_times: bool) -> int:
    """List all games, the built-in ones first.

    Prints a line for each: KEY, title, seats, and the package that contains it. Games that cannot be used are reported
    on standard error.
    """
    if with_times and as_json:
        raise click.UsageError("--time and --json cannot be combined; give one of them")
    brought = list_packages()
    if with_times:
        _print_times()
    elif as_json:
        rows = [
            GameRow(game=key, title=about.title, seat_counts=tuple(about.seats), package=brought[key])
            for key, about in ABOUT.items()
        ]
        click.echo(format_json(rows, indent=1))
    else:
        lines = [(key, about.title, about.seats_in_words(), brought[key]) for key, about in ABOUT.items()]
        for line in align_columns(lines, left=range(4)):
            click.echo(line)
    for refused in find_plugins().rejected:
        launch.print_error(str(refused))
    return launch.FAILED if find_plugins().rejected else 0


def _print_times() -> None:
    """Print the times of the rules of all games, and the number of worlds in which their experts search."""
    from cardtable.robots.timing import GameTimes, measure_times

    rows = [("microseconds", *GameTimes.__struct_fields__)]
    for key in ABOUT:
        *times, worlds = msgspec.structs.astuple(measure_times(key))
        rows.append((key, *[f"{time:.1f}" for time in times], str(worlds)))
    for line in align_columns(rows, left=(0,)):
        click.echo(line)


@commands.command()
@game_argument
@click.pass_context
def rules(context: click.Context, game: str) -> None:
    """Print the rules of a game."""
    from cardtable.wording.rules_page import read_rules

    page = read_rules(game)
    click.echo(to_ascii_text(page) if has_flag(context, "ascii") else page, nl=False)


_TEMPLATES: Final = {
    "pyproject.toml": "pyproject.txt",
    "README.md": "readme.txt",
    "cardtable_{}/__init__.py": "game.txt",
    "tests/test_{}.py": "test.txt",
}
"""Template in ``skeleton/`` for each file in the package of a new game; ``{}`` is replaced by the key of the game."""


@commands.command(name="new-game")
@click.argument("key")
@click.argument("folder", type=UserPath(path_type=Path), required=False)
def write_new_game(key: str, folder: Path | None) -> int:
    """Create a package with a sample game to build on.

    KEY is the name of the game in files and commands: lowercase letters, digits and _. The package is written to
    FOLDER, by default cardtable-KEY.
    """
    if not KEY_PATTERN.fullmatch(key):
        raise click.UsageError(
            f"a key is 2 to 20 lower-case letters, digits and _, and begins with a letter, not {key[:40]!r}"
        )
    if find_key(key):
        raise click.UsageError(f"there is already a game {key}; choose another key")
    name = key.replace("_", "-")
    target = folder or Path(f"cardtable-{name}")
    if target.exists():
        raise CardtableError(f"the folder {target} already exists, and the package needs a new one")
    words = key.replace("_", " ").title()
    replacements = {
        "CLASS": words.replace(" ", ""),
        "TITLE": words,
        "NAME": name,
        "GROUP": ENTRY_POINT_GROUP,
        "KEY": key,
    }
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix="new-game-", dir=target.parent) as staging:
            package = Path(staging) / target.name
            for file, text in _TEMPLATES.items():
                path = package / file.format(key)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(_fill_template(text, replacements), encoding="utf-8", newline="\n")
            package.rename(target)
    except OSError as error:
        raise FileError(target, format_os_error(error)) from None
    safe_path = sanitize(str(target), MAX_PATH_LENGTH)
    click.echo(
        f"{words} is in {safe_path}. To play it: pip install --editable {quote_argument(safe_path)}; "
        f"cardtable play {key}"
    )
    return 0


def _fill_template(template: str, replacements: dict[str, str]) -> str:
    """Read a template and return it with each placeholder replaced.

    ``replacements``: text for each placeholder.
    """
    contents = resources.files("cardtable.cli").joinpath("skeleton", template).read_text(encoding="utf-8")
    for placeholder, text in replacements.items():
        contents = contents.replace(placeholder, text)
    return contents


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
    """Solve puzzles: ends of rounds, and your own mistakes.

    The endings come with the program. The mistakes are the decisions of your last sessions that cost you most. One
    that you solve comes again after 1, 3 and 7 days.
    """
    actions = [as_list, search, exported is not None, imported is not None]
    if actions.count(True) > 1:
        raise click.UsageError("--list, --search, --export and --import cannot be combined; give one of them")
    nick = profiles.get_current_nick()
    if exported is not None:
        puzzle = puzzle_files.find_puzzle(_load_own(nick).puzzles, exported)
        click.echo(puzzle_files.encode(puzzle_files.load_file(puzzle_files.get_path(puzzle))), nl=False)
    elif imported is not None:
        _import_puzzle(nick, imported)
    elif search:
        return _search(nick)
    elif as_list:
        _print_list(nick)
    else:
        open_front_end(context, page=("puzzles",))
    return 0


def _import_puzzle(nick: str, path: Path) -> None:
    try:
        puzzle = puzzle_files.parse(atomic_io.read(path, puzzle_files.MAX_FILE_BYTES, follow_links=True))
    except OSError as error:
        raise FileError(path, format_os_error(error)) from None
    except InvalidPuzzle as error:
        raise FileError(path, str(error)) from None
    is_new = puzzle_files.add_puzzles(nick, [puzzle], puzzle_files.get_today())
    hint = f"; {puzzle.missing_game}" if puzzle.missing_game else ""
    click.echo(f"{'added' if is_new else 'known'} {puzzle.id} {puzzle.title}{hint}")


def _search(nick: str) -> int:
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
    from cardtable.records.puzzles import add_shipped_puzzles
    from cardtable.wording.learning import (
        format_attempts,
        format_puzzle_names,
        format_puzzle_state,
        list_puzzles_in_order,
    )

    today = puzzle_files.get_today()
    with suppress(CardtableError):  # what has been saved is listed where nothing can be added
        add_shipped_puzzles(nick, today)
    own = _load_own(nick)
    names = format_puzzle_names(own)
    for key in list_puzzles_in_order(own, today):
        progress = own.puzzles[key]
        click.echo(f"{key}  {format_puzzle_state(progress, today):18}  {names[key]}, {format_attempts(progress)}")


def _load_own(nick: str) -> puzzle_files.PlayerPuzzles:
    own, error = puzzle_files.load_puzzles(nick)
    if error:
        raise CardtableError(error)
    return own
