"""The score sheet of a session as text, comma-separated values, or JSON."""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol

from cardtable.engine import replay
from cardtable.engine.game import AnyGame, Score, Seat, Sides
from cardtable.engine.journal import Header, JournalError, is_score_table, with_occupants
from cardtable.engine.text_format import counted, weighted
from cardtable.games import GAMES
from cardtable.scoring.kit.sheet import Sheet
from cardtable.scoring.score_table import ScoreTableHeader
from cardtable.store import paths, score_tables, seating, session_files
from cardtable.wording.formatting import MINUS, figure, lost_on_time
from cardtable.wording.players import side_name

_NARROWEST: Final = 5
"""Columns of a number, so that ordinary points and totals stand below one another."""
_FORMULA: Final = re.compile(r"""(^|[,;\t])(?=[\s"']*[-=+@\uff1d\uff0b\uff0d\uff20\t\r\n])""")
"""Where a spreadsheet would begin a formula: at the start of a cell, and of one behind any sign that may part cells."""


class HasScoreSheet(Protocol):
    """What has a score sheet: a table, or a game with real cards."""

    @property
    def game(self) -> AnyGame:
        """The game."""

    @property
    def seats(self) -> int:
        """How many play."""

    @property
    def sides(self) -> Sides:
        """Who plays together."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Headings of ``Score.figures``."""

    @property
    def scores(self) -> Sequence[Score]:
        """The finished rounds."""

    @property
    def totals(self) -> tuple[int, ...]:
        """The totals; the final results once the session is over."""

    @property
    def ranks(self) -> tuple[int, ...] | None:
        """The places, once the session is over."""


class KeptSheet(NamedTuple):
    """The score sheet of a file."""

    header: Header | ScoreTableHeader
    """With those who sit there last."""
    names: Sequence[str]
    """Who plays, by seat, as it may be shown."""
    scored: HasScoreSheet
    given_up: bool
    timed_out: Seat | None = None
    """Who lost by the clock."""


def read(path: Path) -> KeptSheet:
    """The score sheet of a file, which holds a session or a score table.  Raises ``CardtableError``."""
    data = session_files.read_session(path)
    if is_score_table(data):
        scores = score_tables.loaded(path, score_tables.read(path, data))
        header, given_up = scores.header, not scores.ended and paths.in_archive(path)
        return KeptSheet(header, session_files.names(header.seats), scores.sheet, given_up)
    journal = session_files.parse_session(path, data)
    try:
        table = replay.load(journal, GAMES)
    except JournalError as error:
        raise session_files.damaged(path, error) from None
    sat = with_occupants(journal.header, table.sitters)
    return KeptSheet(
        sat,
        session_files.names(sat.seats),
        table,
        session_files.given_up(path, table.turn),
        table.game.timed_out(table.view(0)),
    )


def as_json(id_: str, table: HasScoreSheet, ranks: Sequence[int] | None) -> dict[str, object]:
    """The finished rounds with their points and running totals; the final totals and ``ranks``."""
    rounds = [{"points": score.points, "totals": score.totals} for score in table.scores]
    return {"id": id_, "rounds": rounds, "totals": table.totals, "ranks": ranks}


def as_csv(names: Sequence[str], table: HasScoreSheet) -> str:
    """A heading, then a line for each finished round."""
    kept = io.StringIO()
    writer = csv.writer(kept, lineterminator="\n")
    titles = [_as_text_cell(f"{name} {head}") for name in names for head in heads(table)]
    writer.writerow(["round", "played", *titles, "bonuses"])
    for number, score in enumerate(table.scores, 1):
        numbers = [cell for seat in range(table.seats) for cell in cells(score, seat)]
        told = "; ".join(bonuses(names, score, table.sides))
        writer.writerow([number, _as_text_cell(str(score.title)), *numbers, _as_text_cell(told)])
    return kept.getvalue()


def _as_text_cell(text: str) -> str:
    """The text with an apostrophe before all that a spreadsheet would run: the sign by which it takes text as text."""
    return _FORMULA.sub(r"\1'", text)


def as_text(
    id_: str, names: Sequence[str], table: HasScoreSheet, *, given_up: bool = False, timed_out: Seat | None = None
) -> str:
    """The sheet for a person; bonuses, which are part of the points, are named at the end of a line.

    ``timed_out``: who lost by the clock.
    """
    titles = _row(heads(table))
    whats = [title(score) for score in table.scores]
    wide = max(map(len, ("played", *whats)))
    head, *whats = [f" {what:{wide}}" if any(whats) else "" for what in ("played", *whats)]
    seats = range(table.seats)
    rows = [[_row(map(_in_ascii, told(table, score, seat))) for seat in seats] for score in table.scores]
    width = max(len(told) for row in [[titles], *rows] for told in row)
    lines = [
        f"{table.game.about.title}  {id_}",
        " ".join([" " * len(f"round{head}"), *[f" {name:{width}.{width}}" for name in names]]),
        " ".join([f"round{head}", *[f" {titles:>{width}}" for _ in seats]]),
    ]
    for number, (score, what, row) in enumerate(zip(table.scores, whats, rows, strict=True), 1):
        columns = [f" {told:>{width}}" for told in row]
        lines.append(" ".join([f"{number:5}{what}", *columns, "", *bonuses(names, score, table.sides)]))
    lines.append(standing(names, table, given_up=given_up, timed_out=timed_out))
    return "".join(f"{line.rstrip()}\n" for line in lines)


def title(score: Score) -> str:
    """What was played in a round, in ASCII, and how many times its points count in the totals unless that is once."""
    return weighted(str(score.title), score.weight).replace("×", "x")


def heads(table: HasScoreSheet) -> tuple[str, ...]:
    """The headings of one player's columns."""
    return (*table.columns, "points", "total")


def cells(score: Score, seat: int) -> tuple[int, ...]:
    """One player's numbers in a round, under those headings."""
    return (*score.figures[seat], score.points[seat], score.totals[seat])


def told(table: HasScoreSheet, score: Score, seat: int) -> tuple[str, ...]:
    """The same as people read it: negative numbers with a true minus sign, a card by its rank."""
    return tuple([figure(head, cell) for head, cell in zip(heads(table), cells(score, seat), strict=True)])


def _in_ascii(cell: str) -> str:
    return cell.replace(MINUS, "-")


def _row(told: Iterable[str]) -> str:
    return " ".join(f"{cell:>{_NARROWEST}}" for cell in told)


def bonuses(names: Sequence[str], score: Score, sides: Sides) -> list[str]:
    """The bonuses of a round, in words."""
    found = [(side_name(names, side), bonus) for side in sides for bonus in score.bonuses[side[0]]]
    return [f"{name}: {bonus.name} {bonus.points:+}" for name, bonus in found]


def standing(
    names: Sequence[str], table: HasScoreSheet, *, given_up: bool = False, timed_out: Seat | None = None
) -> str:
    """Who is where, or came in where; who lost by the clock."""
    if table.ranks is None:
        return f"{'given up' if given_up else 'not over'}; {counted(len(table.scores), 'round')} finished"
    sides = [(side[0], side_name(names, side)) for side in table.sides]
    places = sorted([(table.ranks[seat], name, table.totals[seat]) for seat, name in sides])
    late = [] if timed_out is None else [lost_on_time(names[timed_out])]
    return "over: " + ", ".join([*[f"{rank}. {name} {total}" for rank, name, total in places], *late])


class WrongName(NamedTuple):
    """Why a name cannot be, and whose it is."""

    seat: Seat
    why: str


def wrong_name(names: Sequence[str]) -> WrongName | None:
    """The first name that cannot be, by seat; ``None`` if all can."""
    for seat, name in enumerate(names):
        if why := seating.why_not(name):
            return WrongName(seat, why)
        if seating.nick_key(name) in map(seating.nick_key, names[:seat]):
            return WrongName(seat, f"{name} plays already")
    return None


def about(sheet: Sheet[Any]) -> list[str]:
    """What is entered after a round, and when the session is over."""
    return [f"After each round you enter {sheet.entered}.", f"The session {sheet.over_words}."]
