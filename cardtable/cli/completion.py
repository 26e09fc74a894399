"""Shell completion of arguments and option values."""

import ast
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from glob import escape, glob
from pathlib import Path
from typing import TYPE_CHECKING, Final

from click import Context, Parameter
from click.shell_completion import CompletionItem

from cardtable.engine.options import list_choices
from cardtable.engine.text_format import fold
from cardtable.games import GAMES, find_key, list_keys
from cardtable.robots.kit.levels import LEVELS
from cardtable.store import atomic_io, profiles

if TYPE_CHECKING:
    from cardtable.club.administration import NameKind

_SIMPLE: Final = re.compile(r"[\w./+-]+")
"""Pattern of names without characters that are special to a shell; other files are left to its own completion."""
_MAX_BYTES: Final = 256 * 1024


def complete_session_ids(_context: Context, _parameter: Parameter, beginning: str) -> list[CompletionItem]:
    """Complete the id of a session; if no id matches, let the shell complete file names."""
    from cardtable.store import summaries

    matches = [id_ for id_ in summaries.list_ids() if id_.startswith(beginning)]
    return [CompletionItem(id_) for id_ in matches] or [CompletionItem(beginning, type="file")]


def complete_seasons(_context: Context, _parameter: Parameter, beginning: str) -> list[str]:
    """Complete the name of a season, unless it has characters that are special to a shell, such as spaces.

    Nothing is offered if the seasons cannot be read.
    """
    from cardtable.engine.errors import CardtableError
    from cardtable.store import seasons

    names: list[str] = []
    with suppress(CardtableError):
        names = [each.name for each in seasons.load()]
    return _complete_name(filter(_SIMPLE.fullmatch, names), beginning)


def complete_house_rules(_context: Context, _parameter: Parameter, beginning: str) -> list[str]:
    """Complete ``NAME=VALUE`` for the house rules of the games on the command line, or of all games if it names none.

    The command line is read from ``COMP_WORDS``, because click does not report the game after an option without its
    value.
    """
    words = map(find_key, os.environ.get("COMP_WORDS", "").split())
    named = [game for game in words if game]
    rules = [rule for game in named or list_keys() for rule in list_choices(GAMES[game].options)]
    every = [f"{rule.name}={value}" for rule in rules for value in rule.values]
    return [text for text in dict.fromkeys(every) if text.startswith(beginning)]


def complete_levels(_context: Context, _parameter: Parameter, beginning: str) -> list[str]:
    """Complete the last level in a comma-separated list of robots."""
    return _complete_last(LEVELS, beginning)


def complete_robots(_context: Context, _parameter: Parameter, beginning: str) -> list[CompletionItem]:
    """Complete a robot: a level, a Python file or, after a file and a colon, a name that the file defines."""
    path, colon, name = beginning.rpartition(":")
    if colon:
        return [CompletionItem(f"{path}:{each}") for each in _iter_public_names(Path(path)) if each.startswith(name)]
    files = [file for file in glob(f"{escape(beginning)}*.py") if _SIMPLE.fullmatch(file)]  # noqa: PTH207 - as typed
    matches = [*[level for level in LEVELS if level.startswith(beginning)], *sorted(files)]
    return [CompletionItem(each) for each in matches] or [CompletionItem(beginning, type="file")]


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


def complete_occupants(_context: Context, _parameter: Parameter, beginning: str) -> list[str]:
    """Complete the last occupant in a comma-separated list."""
    people = [f"person:{player.nick}" for player in profiles.load()[0].players]
    return _complete_last(["me", *LEVELS, *people], beginning)


# The open club, which is asked for its people and tables


def create_name_completion(kind: "NameKind") -> Callable[[Context, Parameter, str], list[str]]:
    """Return the completion of a name of this kind."""

    def complete(_context: Context, _parameter: Parameter, beginning: str) -> list[str]:
        return _complete_name(_list_names(kind), beginning)

    return complete


def _list_names(kind: "NameKind") -> Sequence[str]:
    """Return the names of a kind in the open club; without one, those of all people who have been in the club."""
    from cardtable.club import administration_client
    from cardtable.club.administration import ListNames, Names
    from cardtable.club.server import club_file
    from cardtable.engine.errors import CardtableError

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
