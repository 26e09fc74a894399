"""What shells complete."""

import ast
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from glob import escape, glob
from pathlib import Path
from typing import TYPE_CHECKING, Final

from click import Context, Parameter

from cardtable.engine.options import choices
from cardtable.games import GAMES, all_keys, key_of
from cardtable.robots.kit.levels import LEVELS
from cardtable.store import atomic_io, profiles

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


from click.shell_completion import BashComplete, CompletionItem, FishComplete, ZshComplete, add_completion_class

_SIMPLE: Final = re.compile(r"[\w./+-]+")
"""Name of a file that no shell takes for anything else; others the shell completes itself."""
_MOST_BYTES: Final = 256 * 1024


def ids(_context: Context, _parameter: Parameter, beginning: str) -> "list[CompletionItem]":
    """The ids that a word may become, and files where it becomes none."""
    from click.shell_completion import CompletionItem

    from cardtable.store import summaries

    found = [id_ for id_ in summaries.ids() if id_.startswith(beginning)]
    return [CompletionItem(id_) for id_ in found] or [CompletionItem(beginning, type="file")]


def house_rules(_context: Context, _parameter: Parameter, beginning: str) -> list[str]:
    """``NAME=VALUE`` for house rules of the games in the line; of all games where it has none.

    The line is read from the shell: an option without its value hides from the library which game was named.
    """
    words = map(key_of, os.environ.get("COMP_WORDS", "").split())
    named = [game for game in words if game]
    rules = [rule for game in named or all_keys() for rule in choices(GAMES[game].options)]
    every = [f"{rule.name}={value}" for rule in rules for value in rule.values]
    return [text for text in dict.fromkeys(every) if text.startswith(beginning)]


def levels(_context: Context, _parameter: Parameter, beginning: str) -> list[str]:
    """Return levels of robots, also after others with commas between."""
    return _listed(LEVELS, beginning)


def robots(_context: Context, _parameter: Parameter, beginning: str) -> "list[CompletionItem]":
    """Return levels of robots, Python files, and after such a file and a colon the names that it defines."""
    from click.shell_completion import CompletionItem

    path, colon, name = beginning.rpartition(":")
    if colon:
        return [CompletionItem(f"{path}:{each}") for each in _defined(Path(path)) if each.startswith(name)]
    files = [file for file in glob(f"{escape(beginning)}*.py") if _SIMPLE.fullmatch(file)]  # noqa: PTH207 - as typed
    found = [*[level for level in LEVELS if level.startswith(beginning)], *sorted(files)]
    return [CompletionItem(each) for each in found] or [CompletionItem(beginning, type="file")]


def _defined(path: Path) -> Iterator[str]:
    """Yield the public names that a Python file gives to classes, functions and values; the file is not run."""
    with suppress(OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        for node in ast.parse(atomic_io.read(path, _MOST_BYTES, links=True)).body:
            targets = node.targets if isinstance(node, ast.Assign) else []
            names = [target.id for target in targets if isinstance(target, ast.Name)]
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                names.append(node.name)
            yield from [name for name in names if not name.startswith("_")]


def sitters(_context: Context, _parameter: Parameter, beginning: str) -> list[str]:
    """Return who may sit at a seat, also after others with commas between."""
    people = [f"person:{player.nick}" for player in profiles.load()[0].players]
    return _listed(["me", *LEVELS, *people], beginning)


def _listed(words: Iterable[str], beginning: str) -> list[str]:
    before, comma, last = beginning.rpartition(",")
    return [f"{before}{comma}{word}" for word in words if word.startswith(last)]


_BREAK: Final = re.compile(r"[=:]+")
"""Word of its own in bash, wherever it stands, by the usual ``COMP_WORDBREAKS``."""


class _Bash(BashComplete):
    """Joins the words that bash has parted, and answers with the last part only."""

    _before = ""
    """The parts of the last word that stand before what bash completes."""

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the words of the line, and the one that is to be completed."""
        words, last = super().get_completion_args()
        joined = _joined([*words, last])
        whole = joined.pop()
        before = whole if _BREAK.fullmatch(last) else whole[: len(whole) - len(last)]
        self._before = re.sub("^--[^=]*=", "", before)  # click completes what follows
        return joined, whole

    def format_completion(self, item: CompletionItem) -> str:
        """Return a word as bash puts it into the line."""
        return super().format_completion(CompletionItem(item.value.removeprefix(self._before), item.type))


def _joined(words: list[str]) -> list[str]:
    """Return the words of a line of which bash has parted some."""
    joined: list[str] = []
    goes_on = False
    for word in words:
        breaks = _BREAK.fullmatch(word) is not None
        if joined and (goes_on or breaks):
            joined[-1] += word
        else:
            joined.append(word)
        goes_on = breaks
    return joined


class _Zsh(ZshComplete):
    """Completes what follows ``--option=`` in a word."""

    source_template = (
        ZshComplete.source_template
        .replace("    for type key descr", "    [[ $PREFIX == --*=* ]] && compset -P 1 '*='\n\n    for type key descr")
        .replace("compadd -U", 'compadd -U -i "$IPREFIX"')
    )  # fmt: skip


class _Fish(FishComplete):
    """Completes what follows ``--option=`` in a word; a value may have commas."""

    source_template = """\
function %(complete_func)s;
    set -l before (string match --regex -- '^--[^=]+=' (commandline -ct));
    set -l response (env %(complete_var)s=fish_complete COMP_WORDS=(commandline -cp) \
COMP_CWORD=(commandline -ct) %(prog_name)s);

    for completion in $response;
        set -l metadata (string split --max 1 "," -- $completion);

        if test $metadata[1] = "dir";
            printf '%%s\\n' "$before"(__fish_complete_directories $metadata[2]);
        else if test $metadata[1] = "file";
            printf '%%s\\n' "$before"(__fish_complete_path $metadata[2]);
        else if test $metadata[1] = "plain";
            echo "$before$metadata[2]";
        end;
    end;
end;

complete --no-files --command %(prog_name)s --arguments "(%(complete_func)s)";
"""


def prepare() -> None:
    """Have click answer shells so."""
    for shell in (_Bash, _Zsh, _Fish):
        add_completion_class(shell)
