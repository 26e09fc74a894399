"""Score sheet of a session or score table as text, CSV or JSON."""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol

from cardtable.engine import replay
from cardtable.engine.game import AnyGame, Score, Seat, Sides
from cardtable.engine.journal import Header, LossReason, is_score_table, replace_occupants
from cardtable.engine.text_format import fold, format_count, format_weighted
from cardtable.games import GAMES
from cardtable.scoring.kit import Sheet
from cardtable.scoring.score_table import ScoreTableHeader
from cardtable.store import paths, score_tables, seating, session_files, visibility
from cardtable.wording.formatting import MINUS, format_figure, format_time_loss
from cardtable.wording.players import format_side
from cardtable.wording.terms import format_loss

_MIN_WIDTH: Final = 5
"""Minimum width of a number in characters, with which usual points and totals are aligned."""
_FORMULA_START: Final = re.compile(r"""(^|[,;\t])(?=[\s"']*[-=+@\uff1d\uff0b\uff0d\uff20\t\r\n])""")
"""Pattern for the positions in a cell at which a spreadsheet may recognise a formula.

These are the start of the cell, and the position after each character that may separate cells.
"""


class HasScoreSheet(Protocol):
    """Object with a score sheet: a referee, or the sheet of a score table."""

    @property
    def game(self) -> AnyGame: ...

    @property
    def seats(self) -> int:
        """Number of seats."""

    @property
    def sides(self) -> Sides:
        """Partnerships."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Headings of ``Score.figures``."""

    @property
    def scores(self) -> Sequence[Score]:
        """Scores of the finished rounds, in order."""

    @property
    def totals(self) -> tuple[int, ...]:
        """Totals by seat, or the final results after the end of the session."""

    @property
    def ranks(self) -> tuple[int, ...] | None:
        """Final ranks by seat, or ``None`` before the end of the session."""


class StoredSheet(NamedTuple):
    """Score sheet of a stored session or score table."""

    header: Header | ScoreTableHeader
    """Header with the occupants after the last line."""
    names: Sequence[str]
    """Names of the columns, sanitized for display; see ``session_files.list_sheet_names``."""
    sheet: HasScoreSheet
    is_abandoned: bool
    timed_out: Seat | None = None
    """Seat that lost the session on time, or ``None`` if no seat did."""
    lost: tuple[tuple[Seat, LossReason], ...] = ()
    """Seats that lost the session before its end, each with the reason."""

    def format_standing(self) -> str:
        return format_standing(
            self.names, self.sheet, is_abandoned=self.is_abandoned, timed_out=self.timed_out, lost=self.lost
        )


def load(path: Path) -> StoredSheet:
    """Load the score sheet of a session or score table.

    Raises ``CardtableError`` if the file cannot be read or is damaged.
    """
    data = session_files.read_session(path)
    if is_score_table(data):
        scores = score_tables.replay(path, score_tables.parse(path, data))
        header, is_abandoned = scores.header, not scores.ended and paths.is_in_archive(path)
        return StoredSheet(header, session_files.format_names(header.seats), scores.sheet, is_abandoned)
    journal = session_files.parse_session(path, data)
    visibility.check_public(journal.header)
    with session_files.convert_journal_errors(path):
        table = replay.load(journal, GAMES)
    sat = replace_occupants(journal.header, table.occupants.changed)
    return StoredSheet(
        sat,
        session_files.list_sheet_names(journal, table),
        table,
        session_files.is_abandoned(path, table.turn),
        table.game.timed_out(table.view(0)),
        tuple([(seat, line.reason) for seat, line in table.occupants.lost.items()]),
    )


def to_csv(names: Sequence[str], sheet: HasScoreSheet) -> str:
    """Return the score sheet as CSV, with a header line and one line for each finished round."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    titles = [escape_formulas(f"{name} {head}") for name in names for head in list_headings(sheet)]
    writer.writerow(["round", "played", *titles, "bonuses"])
    for number, score in enumerate(sheet.scores, 1):
        numbers = [cell for seat in range(sheet.seats) for cell in list_cells(score, seat)]
        remarks = "; ".join(format_bonuses(names, score, sheet.sides))
        writer.writerow([number, escape_formulas(str(score.title)), *numbers, escape_formulas(remarks)])
    return buffer.getvalue()


def escape_formulas(text: str) -> str:
    """Return the text with an apostrophe before everything that a spreadsheet would execute as a formula."""
    return _FORMULA_START.sub(r"\1'", text)


def to_text(stored: StoredSheet) -> str:
    """Return the score sheet as aligned text. The last line has the ranks or the state of the session.

    Bonuses, which are included in the points, are listed at the end of a line.
    """
    names, sheet = stored.names, stored.sheet
    titles = _format_row(list_headings(sheet))
    round_titles = [format_title(score) for score in sheet.scores]
    wide = max(map(len, ("played", *round_titles)))
    head, *round_titles = [f" {title:{wide}}" if any(round_titles) else "" for title in ("played", *round_titles)]
    seats = range(sheet.seats)
    rows = [
        [_format_row([cell.replace(MINUS, "-") for cell in format_cells(sheet, score, seat)]) for seat in seats]
        for score in sheet.scores
    ]
    width = max(len(text) for row in [[titles], names, *rows] for text in row)
    lines = [
        f"{sheet.game.about.title}  {stored.header.id}",
        " ".join([" " * len(f"round{head}"), *[f" {name:{width}.{width}}" for name in names]]),
        " ".join([f"round{head}", *[f" {titles:>{width}}" for _ in seats]]),
    ]
    for number, (score, title, row) in enumerate(zip(sheet.scores, round_titles, rows, strict=True), 1):
        columns = [f" {text:>{width}}" for text in row]
        lines.append(" ".join([f"{number:5}{title}", *columns, "", *format_bonuses(names, score, sheet.sides)]))
    lines.append(stored.format_standing())
    return "".join(f"{line.rstrip()}\n" for line in lines)


def format_title(score: Score) -> str:
    """Return the title of a round in ASCII, with its weight in the totals unless that is 1."""
    return format_weighted(str(score.title), score.weight).replace("×", "x")


def list_headings(sheet: HasScoreSheet) -> tuple[str, ...]:
    return (*sheet.columns, "points", "total")


def list_cells(score: Score, seat: int) -> tuple[int, ...]:
    """Return the numbers of one player in a round, in the order of ``list_headings``."""
    return (*score.figures[seat], score.points[seat], score.totals[seat])


def format_cells(sheet: HasScoreSheet, score: Score, seat: int) -> tuple[str, ...]:
    """Return the texts of ``list_cells``: numbers with a typographic minus sign, or ranks of cards."""
    return tuple(
        [format_figure(head, cell) for head, cell in zip(list_headings(sheet), list_cells(score, seat), strict=True)]
    )


def _format_row(texts: Iterable[str]) -> str:
    return " ".join(f"{cell:>{_MIN_WIDTH}}" for cell in texts)


def format_bonuses(names: Sequence[str], score: Score, sides: Sides) -> list[str]:
    """Return the bonuses in a round as texts, each with the name of its player or partnership."""
    named = [(format_side(names, side), bonus) for side in sides for bonus in score.bonuses[side[0]]]
    return [f"{name}: {bonus.name} {bonus.points:+}" for name, bonus in named]


def format_standing(
    names: Sequence[str],
    sheet: HasScoreSheet,
    *,
    is_abandoned: bool = False,
    timed_out: Seat | None = None,
    lost: Iterable[tuple[Seat, LossReason]] = (),
) -> str:
    """Return a line with the ranks, and the players who lost on time or by leaving.

    For an unfinished session it has the state instead.
    """
    if sheet.ranks is None:
        return f"{'abandoned' if is_abandoned else 'not over'}; {format_count(len(sheet.scores), 'round')} finished"
    sides = [(side[0], format_side(names, side)) for side in sheet.sides]
    places = sorted([(sheet.ranks[seat], name, sheet.totals[seat]) for seat, name in sides])
    late = [] if timed_out is None else [format_time_loss(names[timed_out])]
    late += [f"{names[seat]} {format_loss(reason)}" for seat, reason in lost]
    return "over: " + ", ".join([*[f"{rank}. {name} {total}" for rank, name, total in places], *late])


class InvalidName(NamedTuple):
    """Seat with an invalid name, and the reason."""

    seat: Seat
    reason: str


def find_invalid_name(names: Sequence[str]) -> InvalidName | None:
    """Return the first seat whose name is invalid or repeats an earlier one, or ``None`` if there is none."""
    for seat, name in enumerate(names):
        if reason := seating.find_nick_error(name):
            return InvalidName(seat, reason)
        if fold(name) in map(fold, names[:seat]):
            return InvalidName(seat, f"{name} is already playing")
    return None


def describe_entry_rules(sheet: Sheet[Any]) -> list[str]:
    return [f"After each round you enter {sheet.entry_help}.", f"The session {sheet.end_condition}."]
