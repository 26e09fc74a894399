"""Watching robots in lines: a step after each Enter, or on to the end of the round or of the session."""

from math import inf
from typing import Final

from cardtable.engine.table import Table

ANOTHER: Final = "again: another session with the same deal, seats and options. new: the same with another deal."
HELP: Final = (
    "You watch robots play. An empty line is one step: the next decision, or the next deal.",
    "round: on to the end of the round. all: on to the end of the session.",
    "hands: all hands. hint: what an expert would do in the place of the robot to act.",
    "previous: the previous trick. sheet: the score sheet. rules: the rules of the game.",
    "talk TEXT: say something at the table. talk: what has been said.",
    ANOTHER,
    "quit: leave. Everything is kept, also at the end of input and after Ctrl+C.",
)


class Steps:
    """How far robots play on before the person watching is asked again."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._rounds = 0.0
        """Until so many rounds are finished nobody is asked."""

    @property
    def due(self) -> bool:
        """Whether the person is to be asked."""
        return len(self._table.scores) >= self._rounds

    def go_on(self, typed: str) -> bool:
        """Whether play is to go on after what is typed."""
        if typed not in ("", "1", "round", "all"):
            return False
        if typed in ("round", "all"):
            self._rounds = len(self._table.scores) + 1 if typed == "round" else inf
        return True
