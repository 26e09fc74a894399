"""The facts of a session that statistics ask for, extracted once from its journal and kept."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from cardtable.engine.table import Table
from cardtable.store import files
from cardtable.store.errors import CardtableError

VERSION: Final = 1
"""Goes up whenever facts that are kept mean something else."""


class Facts(msgspec.Struct, frozen=True, array_like=True):
    """The finished rounds of a session, flat so that thousands are read at once."""

    whole: bool
    """Whether the journal holds from its first line to its last; if not, nothing else is known."""
    seats: int = 0
    titles: tuple[str, ...] = ()
    """What was played, round by round: ``Score.title``."""
    gains: tuple[int, ...] = ()
    """What each seat's total gained, round by round."""
    figures: tuple[int, ...] = ()
    """``Score.figures``, round by round, in each by seat."""

    def fit(self, seats: int, columns: int) -> bool:
        """Whether they can be those of a session with so many seats, in a game with so many figures a round."""
        if not self.whole:
            return True
        gains = len(self.titles) * seats
        return self.seats == seats and len(self.gains) == gains and len(self.figures) == gains * columns

    def figures_of(self, seat: int) -> Iterator[tuple[int, ...]]:
        """What the seat did, round by round."""
        each = len(self.figures) // len(self.gains)
        for start in range(seat * each, len(self.figures), each * self.seats):
            yield self.figures[start : start + each]


DAMAGED: Final = Facts(whole=False)


def extracted(path: Path) -> Facts | None:
    """The facts of a journal, which is read and judged from its first line to its last; ``None`` if it cannot be."""
    try:
        data = files.read_session(path)
    except CardtableError:
        return None  # that may pass
    try:
        return _of(files.replayed(path, files.one(path, data)))
    except CardtableError:
        return DAMAGED


def _of(table: Table) -> Facts:
    gains: list[int] = []
    before = (0,) * table.seats
    for score in table.scores:
        gains += [after - total for after, total in zip(score.totals, before, strict=True)]
        before = score.totals
    figures = [figure for score in table.scores for own in score.figures for figure in own]
    return Facts(True, table.seats, tuple([score.title for score in table.scores]), tuple(gains), tuple(figures))
