"""What several commands take."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import click

from cardtable.cli import completion
from cardtable.engine import options
from cardtable.engine.contract import AnyGame
from cardtable.engine.journal import MOST_SEED
from cardtable.games import KEYS, key_of
from cardtable.robots.kit.levels import LEVELS
from cardtable.store.errors import CardtableError


class _Key(click.Choice[str]):
    """A game as somebody calls it; a command gets its key."""

    def __init__(self) -> None:
        super().__init__(KEYS)

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:  # noqa: ARG002 - the library's
        """Its key.  Raises ``UsageError`` where there is no such game."""
        key = key_of(value)
        if key is None:
            raise click.UsageError(f"no game is called {value}: {', '.join(KEYS)}", ctx)
        return key


GAME: Final = _Key()
SEED: Final = click.IntRange(0, MOST_SEED)
LEVEL_NAMES: Final = ", ".join(LEVELS)
ABOUT_FILE: Final = "FILE is a path, or the id of a session or a beginning of one that no other has."
a_game = click.argument("game", type=GAME)
a_file = click.argument("file", metavar="FILE", shell_complete=completion.ids)
if_open = click.option(
    "--open", "as_open", is_flag=True, help="Also of a session with people that is not over: it tells cards."
)
house_rules = click.option(
    "--option",
    "options",
    multiple=True,
    metavar="NAME=VALUE",
    help="A house rule of the game, as its rules name it.",
    shell_complete=completion.house_rules,
)


def rules_of(
    game: AnyGame, given: Sequence[str], seats: int | None = None, usual: Mapping[str, object] | None = None
) -> options.Options:
    """The house rules of ``--option`` arguments, for so many seats if their number is given, too.

    Where nothing is given, ``usual`` may say what is not the game's default.
    """
    named: dict[str, object] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals:
            raise click.UsageError(f"--option {text!r} is not NAME=VALUE")
        if name in named:
            raise click.UsageError(f"option {name!r} is given twice")
        named[name] = value
    try:
        return options.read(game.options, {**(usual or {}), **named}, seats)
    except ValueError as error:
        raise click.UsageError(str(error)) from None


def find_file(file: str) -> Path:
    """The file of an argument: a session's, or any other of that name."""
    from cardtable.store import summaries

    try:
        return summaries.find(file)
    except CardtableError:
        if Path(file).is_file():
            return Path(file)
        raise
