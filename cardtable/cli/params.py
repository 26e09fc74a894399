"""Parameter types, arguments and options that several commands share, and the completion of their values."""

import ast
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from glob import escape, glob
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, TypeVar

import click
from click.shell_completion import CompletionItem

from cardtable.cli import launch
from cardtable.engine import options
from cardtable.engine.errors import CardtableError
from cardtable.engine.game import AnyGame
from cardtable.engine.journal import MAX_SEED
from cardtable.engine.text_format import fold, replace_control_chars, sanitize
from cardtable.games import GAMES, find_key, format_unknown_game, list_keys
from cardtable.robots.kit.levels import LEVELS
from cardtable.store import atomic_io, paths, profiles
from cardtable.store.errors import FileError, format_os_error

if TYPE_CHECKING:
    from cardtable.club.administration import NameKind


class _GameKey(click.ParamType[str]):
    """Parameter type of a game, which accepts a title or key and converts it to the key.

    Help and completion also list games from other packages, which are looked up only when needed.
    """

    name = "game"

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str | None:
        return click.Choice(list_keys()).get_metavar(param, ctx)

    def get_missing_message(self, param: click.Parameter, ctx: click.Context | None) -> str:
        return click.Choice(list_keys()).get_missing_message(param, ctx)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return click.Choice(list_keys()).shell_complete(ctx, param, incomplete)

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:  # noqa: ARG002 - the library's
        key = find_key(value)
        if key is None:
            raise click.UsageError(format_unknown_game(value), ctx)
        return key


class WholeNumber(click.IntRange):
    """Whole number in a range, with an error message in plain words."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        try:
            number = int(value)
        except ValueError:
            self.fail(f"{value!r} is not a whole number", param, ctx)
        return super().convert(number, param, ctx)


class UserPath(click.Path):
    """Path in which a leading ``~`` is expanded, which shells leave alone in ``--output=~/FILE`` and in quotes."""

    def convert(self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return super().convert(paths.expand_home(os.fspath(value)), param, ctx)


class PictureSize(click.ParamType[tuple[int, int]]):
    """Parameter type of the size of a picture in columns and rows, such as ``80x24``."""

    name = "size"

    def convert(
        self, value: str | tuple[int, int], param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        if isinstance(value, tuple):
            return value
        match = re.fullmatch(r"(\d{1,4})x(\d{1,4})", value, re.ASCII)
        size = (int(match[1]), int(match[2])) if match else (0, 0)
        if not all(least <= number <= most for least, number, most in zip(_MIN_SIZE, size, _MAX_SIZE, strict=True)):
            limits = " to ".join(["x".join(map(str, limit)) for limit in (_MIN_SIZE, _MAX_SIZE)])
            self.fail(f"{value!r} is not a size such as 80x24, in columns and rows, from {limits}", param, ctx)
        return size

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return click.Choice(_USUAL_SIZES).shell_complete(ctx, param, incomplete)


_USUAL_SIZES: Final = ("60x18", "80x24", "100x30", "120x40")
_MIN_SIZE: Final = (60, 18)
_MAX_SIZE: Final = (300, 100)


_SIMPLE: Final = re.compile(r"[\w./+-]+")
"""Pattern of names without characters that are special to a shell; other files are left to its own completion."""
_MAX_BYTES: Final = 256 * 1024


def complete_session_ids(_context: click.Context, _parameter: click.Parameter, beginning: str) -> list[CompletionItem]:
    """Complete the id of a session; if no id matches, let the shell complete file names."""
    from cardtable.store import summaries

    matches = [id_ for id_ in summaries.list_ids() if id_.startswith(beginning)]
    return [CompletionItem(id_) for id_ in matches] or [CompletionItem(beginning, type="file")]


def complete_seasons(_context: click.Context, _parameter: click.Parameter, beginning: str) -> list[str]:
    """Complete the name of a season, unless it has characters that are special to a shell, such as spaces.

    Nothing is offered if the seasons cannot be read.
    """
    from cardtable.store import seasons

    names: list[str] = []
    with suppress(CardtableError):
        names = [season.name for season in seasons.load()]
    return _complete_name(filter(_SIMPLE.fullmatch, names), beginning)


def complete_house_rules(_context: click.Context, _parameter: click.Parameter, beginning: str) -> list[str]:
    """Complete ``NAME=VALUE`` for the house rules of the games on the command line, or of all games if it names none.

    The command line is read from ``COMP_WORDS``, because click does not report the game after an option without its
    value.
    """
    words = map(find_key, os.environ.get("COMP_WORDS", "").split())
    named = [game for game in words if game]
    rules = [rule for game in named or list_keys() for rule in options.list_choices(GAMES[game].options)]
    every = [f"{rule.name}={value}" for rule in rules for value in rule.values]
    return [text for text in dict.fromkeys(every) if text.startswith(beginning)]


def complete_levels(_context: click.Context, _parameter: click.Parameter, beginning: str) -> list[str]:
    return _complete_last(LEVELS, beginning)


def complete_robots(_context: click.Context, _parameter: click.Parameter, beginning: str) -> list[CompletionItem]:
    """Complete a robot: a level, a Python file or, after a file and a colon, a name that the file defines."""
    path, colon, name = beginning.rpartition(":")
    if colon:
        return [CompletionItem(f"{path}:{match}") for match in _iter_public_names(Path(path)) if match.startswith(name)]
    files = [file for file in glob(f"{escape(beginning)}*.py") if _SIMPLE.fullmatch(file)]  # noqa: PTH207 - as typed
    matches = [*[level for level in LEVELS if level.startswith(beginning)], *sorted(files)]
    return [CompletionItem(match) for match in matches] or [CompletionItem(beginning, type="file")]


def _iter_public_names(path: Path) -> Iterator[str]:
    """Yield the public names that a Python file defines at top level; the file is parsed but not run.

    Yields nothing if the file cannot be read or parsed.
    """
    with suppress(OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        for node in ast.parse(atomic_io.read(path, _MAX_BYTES, follow_links=True)).body:
            targets = node.targets if isinstance(node, ast.Assign) else []
            names = [target.id for target in targets if isinstance(target, ast.Name)]
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                names.append(node.name)
            yield from [name for name in names if not name.startswith("_")]


def complete_occupants(_context: click.Context, _parameter: click.Parameter, beginning: str) -> list[str]:
    """Complete the last occupant in a comma-separated list."""
    people = [f"person:{player.nick}" for player in profiles.load()[0].players]
    return _complete_last(["me", *LEVELS, *people], beginning)


# The open club, which is asked for its people and tables


def create_name_completion(kind: "NameKind") -> Callable[[click.Context, click.Parameter, str], list[str]]:
    """Return the completion of a name of this kind."""
    if kind == "house rule":
        return complete_house_rules

    def complete(_context: click.Context, _parameter: click.Parameter, beginning: str) -> list[str]:
        return _complete_name(_list_names(kind), beginning)

    return complete


def _list_names(kind: "NameKind") -> Sequence[str]:
    """Return the names of a kind in the open club; without one, those of all people who have been in the club."""
    from cardtable.club import administration_client
    from cardtable.club.administration import ListNames, Names
    from cardtable.club.server import club_file

    with suppress(CardtableError):
        answer = administration_client.execute_command(ListNames(kind))
        return answer.names if isinstance(answer, Names) else ()
    known = list[str]()
    if kind == "known":
        known = [player.nick for player in profiles.load()[0].players]
        with suppress(CardtableError):
            known += [person.nick for person in club_file.read_club_file().people]
    return known


def _complete_name(names: Iterable[str], beginning: str) -> list[str]:
    """Return the names that begin as typed, in capital or small letters, each once."""
    folded = fold(beginning)
    return [name for name in dict.fromkeys(names) if fold(name).startswith(folded)]


def _complete_last(words: Iterable[str], beginning: str) -> list[str]:
    prefix, comma, last = beginning.rpartition(",")
    return [f"{prefix}{comma}{word}" for word in words if word.startswith(last)]


GAME: Final = _GameKey()
SEED: Final = WholeNumber(0, MAX_SEED)
SEED_HELP: Final = "Deal seed; the same seed gives the same cards."
LEVEL_NAMES: Final = ", ".join(LEVELS)
NEEDS_LIBRARIES: Final = "Needs more libraries; if they are missing, prints the command that installs them."
FILE_HELP: Final = "FILE is a path or a session id; the beginning of an id is enough if no other id starts with it."
FILE_TO_WRITE: Final = UserPath(dir_okay=False, allow_dash=True, path_type=Path)
game_argument = click.argument("game", type=GAME)
file_argument = click.argument("file", metavar="FILE", shell_complete=complete_session_ids)
open_option = click.option(
    "--show-hands",
    "as_open",
    is_flag=True,
    help="Allow this while the session is still being played; it reveals hands.",
)
house_rules_option = click.option(
    "--option",
    "options",
    multiple=True,
    metavar="NAME=VALUE",
    help="Set a house rule, named as in `cardtable rules GAME`; may be repeated.",
    shell_complete=complete_house_rules,
)
workers_option = click.option("--workers", type=WholeNumber(1, 64), metavar="K", help="Number of processes.")
cluster_option = click.option(
    "--cluster",
    metavar="ADDRESS",
    help="Address of the scheduler of a Dask cluster to play on; needs more libraries.",
)


def validate_address(_context: click.Context, option: click.Parameter, address: str | None) -> str | None:
    """Return the value of an option for an address, as ``fold_host`` does; it is ``None`` if the option is missing.

    Raises ``UsageError`` if the name or address cannot be resolved.
    """
    if address is None:
        return None
    import socket

    from cardtable.club.addresses import fold_host

    try:
        host = fold_host(address)
        socket.getaddrinfo(host, None)
    except (OSError, ValueError):
        raise click.UsageError(
            f"no machine is called {sanitize(address, 40)!r}; {option.opts[0]} takes an address of this machine"
        ) from None
    return host


def write_output(file: Path | None, data: bytes) -> None:
    """Write the result of a command into a new file, or to standard output if ``file`` is ``None`` or ``-``.

    Control characters are replaced if standard output is a terminal. Raises ``FileError`` if the file exists or cannot
    be written.
    """
    if file is None or str(file) == "-":
        click.echo(_replace_control_chars(data) if launch.is_terminal(sys.stdout) else data, nl=False)
        return
    try:
        with atomic_io.create(file) as output:
            output.write(data)
    except FileExistsError:
        raise FileError(file, "it already exists; choose another name") from None
    except OSError as error:
        raise FileError(file, f"it cannot be written: {format_os_error(error)}") from None


def _replace_control_chars(data: bytes) -> bytes:
    """Replace the control characters in UTF-8 text, except its line ends."""
    return b"\n".join([replace_control_chars(line.decode(errors="replace")).encode() for line in data.split(b"\n")])


TableFormat: TypeAlias = Literal["markdown", "csv"]
TABLE_FORMATS: Final[Mapping[str, TableFormat]] = {".md": "markdown", ".csv": "csv"}
"""Formats of tables by suffix of the file."""
_Format = TypeVar("_Format", bound=str)
_Command = TypeVar("_Command", bound=Callable[..., None])


def export_parameters(command: _Command) -> _Command:
    """Give a command the parameters ``file`` and ``form`` of ``choose_format``; ``-`` stands for no file."""
    option = click.option(
        "--format",
        "form",
        type=click.Choice([*TABLE_FORMATS.values()]),
        help="Format, if FILE does not end with .md or .csv.",
    )
    file = click.argument(
        "file",
        required=False,
        type=FILE_TO_WRITE,
        callback=lambda _context, _argument, file: None if str(file) == "-" else file,
    )
    return file(option(command))


def choose_format(file: Path | None, form: _Format | None, formats: Mapping[str, _Format], metavar: str) -> _Format:
    """Return ``form``, or else the one of ``formats`` that the suffix of ``file`` stands for; Markdown without a file.

    Raises ``UsageError``, which calls the file ``metavar``, if its suffix stands for none.
    """
    chosen = form or formats.get(".md" if file is None or str(file) == "-" else file.suffix.lower())
    if chosen is None:
        from cardtable.wording.formatting import join_or

        raise click.UsageError(f"the name of {metavar} must end with {join_or([*formats])}, or --format must be given")
    return chosen


def write_export(name: str, text: str, file: Path | None, form: TableFormat) -> None:
    """Write the tables called ``name`` into a new ``file``, or print them if it is ``None``.

    Raises ``FileError`` if the file exists or cannot be written.
    """
    write_output(file, text.encode("utf-8-sig" if file and form == "csv" else "utf-8"))  # Excel needs the mark
    if file:
        click.echo(f"{sanitize(name)} is written to {sanitize(str(file))}.")


def normalize_occupant(text: str) -> str:
    """Convert ``me`` and levels of robots to lower case.

    Return other occupants unchanged but for surrounding blanks.
    """
    name = text.strip()
    known = fold(name)
    return known if known in ("me", *LEVELS) else name


def normalize_occupants(text: str) -> str:
    return ",".join([normalize_occupant(occupant) for occupant in text.split(",")])


def resolve_process_count(workers: int | None, cluster: str | None) -> int:
    """Return the number of processes to use, by default 1.

    Raises ``UsageError`` if both a number of processes and a cluster are given.
    """
    if workers is not None and cluster is not None:
        raise click.UsageError("--workers and --cluster cannot be combined; leave one out")
    return workers or 1


def read_house_rules(
    game: AnyGame, arguments: Sequence[str], seats: int | None = None, defaults: Mapping[str, object] | None = None
) -> options.Options:
    """Parse the values of ``--option`` into the house rules of a game.

    ``seats``: number of seats for which they must be valid, if it is known. ``defaults``: values that replace the
    game's own defaults. Raises ``UsageError`` if a value is not valid.
    """
    try:
        return options.read(game.options, {**(defaults or {}), **options.parse_pairs(arguments)}, seats)
    except ValueError as error:
        raise click.UsageError(str(error)) from None


def round_figure(figure: float | None) -> float | None:
    return None if figure is None else round(figure, 4)


def find_file(file: str) -> Path:
    """Return the file that an argument names: a session by id or path, a sample session, or any other existing file.

    What comes from standard input, or from a command by ``<(...)`` of a shell, is copied into a temporary file. Raises
    ``CardtableError`` if there is no file.
    """
    from cardtable.store import summaries

    if opened := _OPEN_DESCRIPTOR.fullmatch(file):
        return _copy_input(Path(file), int(opened[1] or 0))
    try:
        return summaries.find_path(file)
    except CardtableError:
        if sample := paths.find_sample_session(file):
            return sample
        if Path(file).is_file():
            return Path(file)
        raise


_OPEN_DESCRIPTOR: Final = re.compile(r"-|/dev/stdin|/(?:dev|proc/self)/fd/(\d{1,4})", re.ASCII)
"""Names of a file that this program has open: standard input, or the descriptor with this number."""
_MAX_INPUT_BYTES: Final = 64 * 1024 * 1024


def _copy_input(name: Path, descriptor: int) -> Path:
    """Copy what can be read from a descriptor into a temporary file, and return its path.

    Raises ``FileError`` if it cannot be read or is too large.
    """
    try:
        with open(os.dup(descriptor), "rb") as file:  # noqa: PTH123 - a descriptor
            data = file.read(_MAX_INPUT_BYTES + 1)
        if len(data) > _MAX_INPUT_BYTES:
            raise FileError(name, f"more than {_MAX_INPUT_BYTES >> 20} MiB; give the name of a file instead")
        copy = Path(paths.get_temporary_folder().name) / f"input-{descriptor}.jsonl"
        copy.write_bytes(data)
    except OSError as error:
        raise FileError(name, format_os_error(error)) from None
    return copy
