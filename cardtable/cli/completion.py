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
from click.shell_completion import BashComplete, CompletionItem, FishComplete, ZshComplete, add_completion_class

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
    if kind == "house rule":
        return complete_house_rules

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


_WORD_BREAKS: Final = re.compile(r"[=:]+")
"""Pattern of the characters at which bash splits words by default (``COMP_WORDBREAKS``)."""


class _Bash(BashComplete):
    """Completion for bash, which splits words at ``=`` and ``:`` and replaces only the last part."""

    _split_prefix = ""
    """First part of the word to complete, which bash keeps."""

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the words of the command line, joined again, and the word to complete."""
        words, last = super().get_completion_args()
        joined = _join_words([*words, last])
        whole = joined.pop()
        before = whole if _WORD_BREAKS.fullmatch(last) else whole[: len(whole) - len(last)]
        self._split_prefix = re.sub("^--[^=]*=", "", before)  # click completes only the value
        return joined, whole

    def format_completion(self, item: CompletionItem) -> str:
        """Return a completion without the part of the word that bash keeps."""
        return super().format_completion(CompletionItem(item.value.removeprefix(self._split_prefix), item.type))


def _join_words(words: list[str]) -> list[str]:
    """Join the parts of words that bash has split at ``=`` and ``:``."""
    joined: list[str] = []
    is_open = False
    for word in words:
        breaks = _WORD_BREAKS.fullmatch(word) is not None
        if joined and (is_open or breaks):
            joined[-1] += word
        else:
            joined.append(word)
        is_open = breaks
    return joined


class _Zsh(ZshComplete):
    """Completion for zsh, which also completes a value after ``--option=``.

    If zsh loads the script by itself, the body of the loaded function registers the completion with its first call;
    click's own script would do so, and complete nothing, with the second.
    """

    source_template = (
        ZshComplete.source_template
        .replace("    for type key descr", "    [[ $PREFIX == --*=* ]] && compset -P 1 '*='\n\n    for type key descr")
        .replace("compadd -U", 'compadd -U -i "$IPREFIX"')
        .replace('%(complete_func)s "$@"', 'compdef %(complete_func)s %(prog_name)s\n    %(complete_func)s "$@"')
    )  # fmt: skip


class _Fish(FishComplete):
    """Completion for fish, which also completes a value after ``--option=`` and values that contain commas."""

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


_NUMBER: Final = re.compile(r"-?[0-9]{1,9}")


def is_request_valid(instruction: str) -> bool:
    """Return True unless a shell's variables are missing or wrong, which click would answer with an exception.

    ``instruction``: value of ``_CARDTABLE_COMPLETE``, such as ``bash_complete``. In fish ``COMP_CWORD`` is a text, and
    in other shells a number.
    """
    shell, _, action = instruction.partition("_")
    if action != "complete":
        return True
    place = os.environ.get("COMP_CWORD")
    has_place = place is not None and (shell == "fish" or _NUMBER.fullmatch(place) is not None)
    return "COMP_WORDS" in os.environ and has_place


def register_shells() -> None:
    """Register the completions of this module with click, in place of click's own ones."""
    for shell in (_Bash, _Zsh, _Fish):
        add_completion_class(shell)
