"""What shells complete."""

import os
from collections.abc import Iterable
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


def robots(_context: Context, _parameter: Parameter, beginning: str) -> list[str]:
    """Levels of robots, also after others with commas between."""
    return _listed(LEVELS, beginning)


def sitters(_context: Context, _parameter: Parameter, beginning: str) -> list[str]:
    """Who may sit at a seat but for people by their nicks."""
    return _listed(["me", *LEVELS], beginning)


def _listed(words: Iterable[str], beginning: str) -> list[str]:
    before, comma, last = beginning.rpartition(",")
    return [f"{before}{comma}{word}" for word in words if word.startswith(last)]
