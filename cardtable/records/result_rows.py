"""Rows of results of several players, as seasons and tournaments show them, and of one player's statistics.

The docstrings of the types of statistics are their descriptions in the JSON schema of ``statistics --json``.
"""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from cardtable.engine.options import Value
from cardtable.engine.text_format import fold

PlayerKind: TypeAlias = Literal["member", "guest", "former", "robot"]
"""Kind of a player: with a profile, without one, with a profile that was removed, or a robot."""


class ResultsColumn(msgspec.Struct, frozen=True):
    """Column of figures in a table of results."""

    key: str
    """Name of the figure in JSON and CSV, such as ``average_points``."""
    heading: str
    """Heading on the screen, of few letters."""
    decimals: int = 0
    """Number of decimal places that are shown."""
    unit: str = ""
    """Sign that is shown after each figure, such as ``%``."""


class ResultsRow(msgspec.Struct, frozen=True):
    """Results of one player."""

    nick: str
    figures: tuple[int | float | None, ...]
    """Figure in each column; ``None`` if there is none."""
    place: int | None = None
    """Place in the table, which equal results share; ``None`` if the player has no place."""
    kind: PlayerKind = "member"


class ResultsTable(msgspec.Struct, frozen=True):
    """Table of results: a row for each player, the best first."""

    title: str
    columns: tuple[ResultsColumn, ...]
    rows: tuple[ResultsRow, ...]
    ranked_by: str = ""
    """Key of the column that determines the places; empty if none of the columns does."""
    notes: tuple[str, ...] = ()
    """Sentences that are shown below the table."""


def rank_rows(results: Iterable[tuple[ResultsRow, Fraction | None]]) -> tuple[ResultsRow, ...]:
    """Return rows with their places, in the order of the table.

    Each row comes with its result, of which the greatest is the first. Equal results share a place (1, 1, 3). Rows
    whose result is ``None`` have no place and come last. Rows of the same place are in the order of the nicks.
    """
    by_nick = sorted(results, key=lambda item: (fold(item[0].nick), item[0].nick, item[0].kind))
    placed: list[ResultsRow] = []
    last: Fraction | None = None
    ranked = [(row, result) for row, result in by_nick if result is not None]
    for number, (row, result) in enumerate(sorted(ranked, key=lambda item: item[1], reverse=True), 1):
        placed.append(replace(row, place=placed[-1].place if result == last else number))
        last = result
    return (*placed, *[row for row, result in by_nick if result is None])


class RoundPoints(msgspec.Struct, frozen=True):
    """Best or worst round in ``statistics --json``."""

    points: int
    """Points by which the total increased."""
    round: int
    """Number of the round in its session."""
    session: str


class BidRow(msgspec.Struct):
    """Bids with one number of cards in ``statistics --json``."""

    number: int
    exact: int
    high: Annotated[int, Meta(description="Number of bids that were too high.")]

    @property
    def low(self) -> int:
        return self.number - self.exact - self.high


class PointsRow(msgspec.Struct):
    """Points in the rounds of one contract in ``statistics --json``."""

    rounds: int
    points: int

    @property
    def mean(self) -> float:
        """Mean points per round. Raises ``ZeroDivisionError`` if there is no round."""
        return self.points / self.rounds

    def add(self, points: int) -> None:
        self.rounds += 1
        self.points += points


class TotalsRow(msgspec.Struct):
    """Range of the totals with the same house rules and number of seats, in ``statistics --json``."""

    seat_count: int
    options: Mapping[str, Value]
    sessions: int
    best: int
    worst: int
    session: Annotated[str, Meta(description="Id of the session with the best total.")]
    """The earliest one of several."""
