"""Commands about games: ``games`` lists them with their packages, ``rules`` prints a page, ``new-game`` creates one."""

from importlib import resources
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import click

from cardtable.cli import launch
from cardtable.cli.json_output import GameRow, format_json, json_array_option
from cardtable.cli.main import commands, has_flag
from cardtable.cli.params import UserPath, game_argument
from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import MAX_PATH_LENGTH, align_columns, sanitize
from cardtable.games import ABOUT, ENTRY_POINT_GROUP, KEY_PATTERN, find_key, find_plugins, list_packages
from cardtable.installation import quote_argument
from cardtable.store.errors import FileError, format_os_error


@commands.command(name="games")
@json_array_option
def list_games(as_json: bool) -> int:
    """List all games, the built-in ones first.

    Prints a line for each: KEY, title, seats, and the package that contains it. Games that cannot be used are reported
    on standard error.
    """
    brought = list_packages()
    if as_json:
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


@commands.command()
@game_argument
@click.pass_context
def rules(context: click.Context, game: str) -> None:
    """Print the rules of a game."""
    from cardtable.wording.formatting import to_ascii_text
    from cardtable.wording.rules_page import read_rules

    page = read_rules(game)
    click.echo(to_ascii_text(page) if has_flag(context, "ascii") else page, nl=False)


_TEMPLATES: Final = {
    "pyproject.toml": "pyproject.txt",
    "README.md": "readme.txt",
    "cardtable_{}.py": "game.txt",
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
        raise CardtableError(f"{target} already exists; choose another folder")
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
