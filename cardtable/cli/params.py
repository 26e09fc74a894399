"""Parameter types, arguments and options that several commands share."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from cardtable.cli import completion
from cardtable.engine import options
from cardtable.engine.errors import CardtableError
from cardtable.engine.game import AnyGame
from cardtable.engine.journal import MOST_SEED
from cardtable.games import all_keys, key_of, unknown_game_message
from cardtable.robots.kit.levels import LEVELS

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class _Key(click.ParamType[str]):
    """Parameter type of a game, which accepts a title or key and converts it to the key.

    Help and completion also list games from other packages, which are looked up only when needed.
    """

    name = "game"

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str | None:
        return click.Choice(all_keys()).get_metavar(param, ctx)

    def get_missing_message(self, param: click.Parameter, ctx: click.Context | None) -> str:
        return click.Choice(all_keys()).get_missing_message(param, ctx)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> "list[CompletionItem]":
        return click.Choice(all_keys()).shell_complete(ctx, param, incomplete)

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:  # noqa: ARG002 - the library's
        key = key_of(value)
        if key is None:
            raise click.UsageError(unknown_game_message(value), ctx)
        return key


class Whole(click.IntRange):
    """Whole number in a range, with an error message in plain words."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        try:
            number = int(value)
        except ValueError:
            self.fail(f"{value!r} is not a whole number", param, ctx)
        return super().convert(number, param, ctx)


GAME: Final = _Key()
SEED: Final = Whole(0, MOST_SEED)
ABOUT_SEED: Final = "Deal by this number; the same number gives the same cards."
LEVEL_NAMES: Final = ", ".join(LEVELS)
ABOUT_FILE: Final = "FILE is a path or the id of a session; a beginning that no other id has is enough."
a_game = click.argument("game", type=GAME)
a_file = click.argument("file", metavar="FILE", shell_complete=completion.ids)
if_open = click.option(
    "--open", "as_open", is_flag=True, help="Allow it while people still play the session; it tells their cards."
)
house_rules = click.option(
    "--option",
    "options",
    multiple=True,
    metavar="NAME=VALUE",
    help="Set a house rule as `cardtable rules GAME` names it; may be given again for others.",
    shell_complete=completion.house_rules,
)
workers = click.option("--workers", type=Whole(1, 64), metavar="K", help="Play in this many processes.")
cluster = click.option(
    "--cluster",
    metavar="ADDRESS",
    help="Play on the Dask cluster of this scheduler (pip install 'cardtable[cluster]').",
)


def normalize_occupant(text: str) -> str:
    """Convert ``me`` and levels of robots to lower case; return other occupants unchanged but for surrounding blanks."""
    name = text.strip()
    known = name.casefold()
    return known if known in ("me", *LEVELS) else name


def sitters(text: str) -> str:
    """Normalise each occupant in a comma-separated list, as ``normalize_occupant`` does."""
    return ",".join([normalize_occupant(each) for each in text.split(",")])


def process_count(workers: int | None, cluster: str | None) -> int:
    """Return the number of processes to use, by default 1.

    Raises ``UsageError`` if both a number of processes and a cluster are given.
    """
    if workers is not None and cluster is not None:
        raise click.UsageError("--workers and --cluster do not go together; leave one of them out")
    return workers or 1


def rules_of(
    game: AnyGame, given: Sequence[str], seats: int | None = None, usual: Mapping[str, object] | None = None
) -> options.Options:
    """Parse the values of ``--option`` into the house rules of a game.

    ``seats``: number of seats for which they must be valid, if it is known. ``defaults``: values that replace the
    game's own defaults. Raises ``UsageError`` if a value is not valid.
    """
    try:
        return options.read(game.options, {**(usual or {}), **options.pairs(given)}, seats)
    except ValueError as error:
        raise click.UsageError(str(error)) from None


def find_file(file: str) -> Path:
    """Return the file that an argument names: a session by id or path, or any other existing file.

    Raises ``CardtableError`` if there is none.
    """
    from cardtable.store import summaries

    try:
        return summaries.find(file)
    except CardtableError:
        if Path(file).is_file():
            return Path(file)
        raise
