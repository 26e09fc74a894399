"""What shells complete."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from click import Context, Parameter

from cardtable.engine.options import choices
from cardtable.games import GAMES, all_keys, key_of
from cardtable.robots.kit.levels import LEVELS

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


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


def robots(_context: Context, _parameter: Parameter, beginning: str) -> "list[CompletionItem]":
    """Return levels of robots, also after others with commas between, and else files of Python."""
    from click.shell_completion import CompletionItem

    found = _listed(LEVELS, beginning) or _python_files(beginning)
    return [CompletionItem(text) for text in found] or [CompletionItem(beginning, type="file")]


def _python_files(beginning: str) -> list[str]:
    before, comma, last = beginning.rpartition(",")
    folder = last[: last.rfind("/") + 1]
    try:
        names = sorted(path.name for path in Path(folder).iterdir())
    except OSError:
        return []
    found = [f"{folder}{name}" for name in names if name.endswith(".py")]
    return [f"{before}{comma}{path}" for path in found if path.startswith(last)]


def sitters(_context: Context, _parameter: Parameter, beginning: str) -> list[str]:
    """Return who may sit at a seat: levels of robots, and people by their nicks."""
    from cardtable.store import profiles

    people = [f"person:{player.nick}" for player in profiles.load()[0].players]
    return _listed(["me", *LEVELS, *people], beginning)


def _listed(words: Iterable[str], beginning: str) -> list[str]:
    before, comma, last = beginning.rpartition(",")
    return [f"{before}{comma}{word}" for word in words if word.startswith(last)]
