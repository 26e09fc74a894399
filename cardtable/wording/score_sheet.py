"""Score sheet of a session or score table as text, CSV or JSON."""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol

from cardtable.engine import replay
from cardtable.engine.game import AnyGame, Score, Seat, Sides
from cardtable.engine.journal import Header, JournalError, is_score_table, with_occupants
from cardtable.engine.text_format import weighted, with_count
from cardtable.games import GAMES
from cardtable.scoring.kit.sheet import Sheet
from cardtable.scoring.score_table import ScoreTableHeader
from cardtable.store import paths, score_tables, seating, session_files
from cardtable.wording.formatting import MINUS, figure, lost_on_time
from cardtable.wording.players import side_name

_NARROWEST: Final = 5
"""Minimum width of a number in characters, with which usual points and totals are aligned."""
_FORMULA: Final = re.compile(r"""(^|[,;\t])(?=[\s"']*[-=+@\uff1d\uff0b\uff0d\uff20\t\r\n])""")
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
    """Names by seat, sanitized for display."""
    scored: HasScoreSheet
    given_up: bool
    timed_out: Seat | None = None
    """Seat that lost the session on time, or ``None`` if no seat did."""


def read(path: Path) -> StoredSheet:
    """Load the score sheet of a session or score table.

    Raises ``CardtableError`` if the file cannot be read or is damaged.
    """
    data = session_files.read_session(path)
    if is_score_table(data):
        scores = score_tables.loaded(path, score_tables.read(path, data))
        header, given_up = scores.header, not scores.ended and paths.in_archive(path)
        return StoredSheet(header, session_files.names(header.seats), scores.sheet, given_up)
    journal = session_files.parse_session(path, data)
    try:
        table = replay.load(journal, GAMES)
    except JournalError as error:
        raise session_files.damaged(path, error) from None
    sat = with_occupants(journal.header, table.new_occupants)
    return StoredSheet(
        sat,
        session_files.names(sat.seats),
        table,
        session_files.given_up(path, table.turn),
        table.game.timed_out(table.view(0)),
    )


def as_json(id_: str, table: HasScoreSheet, ranks: Sequence[int] | None) -> dict[str, object]:
    """Convert a score sheet to data for a JSON encoder: points and running totals by round, totals, and ranks."""
    rounds = [{"points": score.points, "totals": score.totals} for score in table.scores]
    return {"id": id_, "rounds": rounds, "totals": table.totals, "ranks": ranks}


def as_csv(names: Sequence[str], table: HasScoreSheet) -> str:
    """Return the score sheet as CSV, with a header line and one line for each finished round."""
    kept = io.StringIO()
    writer = csv.writer(kept, lineterminator="\n")
    titles = [_as_text_cell(f"{name} {head}") for name in names for head in heads(table)]
    writer.writerow(["round", "played", *titles, "bonuses"])
    for number, score in enumerate(table.scores, 1):
        numbers = [cell for seat in range(table.seats) for cell in cells(score, seat)]
        remarks = "; ".join(bonuses(names, score, table.sides))
        writer.writerow([number, _as_text_cell(str(score.title)), *numbers, _as_text_cell(remarks)])
    return kept.getvalue()


def _as_text_cell(text: str) -> str:
    """Return the text with an apostrophe before everything that a spreadsheet would execute as a formula."""
    return _FORMULA.sub(r"\1'", text)


def as_text(
    id_: str, names: Sequence[str], table: HasScoreSheet, *, given_up: bool = False, timed_out: Seat | None = None
) -> str:
    """Return the score sheet as aligned text. The last line has the ranks or the state of the session.

    Bonuses, which are included in the points, are listed at the end of a line. ``timed_out`` is the seat that lost on
    time.
    """
    titles = _row(heads(table))
    whats = [title(score) for score in table.scores]
    wide = max(map(len, ("played", *whats)))
    head, *whats = [f" {what:{wide}}" if any(whats) else "" for what in ("played", *whats)]
    seats = range(table.seats)
    rows = [[_row(map(_in_ascii, cell_texts(table, score, seat))) for seat in seats] for score in table.scores]
    width = max(len(text) for row in [[titles], *rows] for text in row)
    lines = [
        f"{table.game.about.title}  {id_}",
        " ".join([" " * len(f"round{head}"), *[f" {name:{width}.{width}}" for name in names]]),
        " ".join([f"round{head}", *[f" {titles:>{width}}" for _ in seats]]),
    ]
    for number, (score, what, row) in enumerate(zip(table.scores, whats, rows, strict=True), 1):
        columns = [f" {text:>{width}}" for text in row]
        lines.append(" ".join([f"{number:5}{what}", *columns, "", *bonuses(names, score, table.sides)]))
    lines.append(standing(names, table, given_up=given_up, timed_out=timed_out))
    return "".join(f"{line.rstrip()}\n" for line in lines)


def title(score: Score) -> str:
    """Return the title of a round in ASCII, with its weight in the totals unless that is 1."""
    return weighted(str(score.title), score.weight).replace("×", "x")


def heads(table: HasScoreSheet) -> tuple[str, ...]:
    """Return the headings of the columns that each player has."""
    return (*table.columns, "points", "total")


def cells(score: Score, seat: int) -> tuple[int, ...]:
    """Return the numbers of one player in a round, in the order of ``list_headings``."""
    return (*score.figures[seat], score.points[seat], score.totals[seat])


def cell_texts(table: HasScoreSheet, score: Score, seat: int) -> tuple[str, ...]:
    """Return the texts of ``list_cells``: numbers with a typographic minus sign, or ranks of cards."""
    return tuple([figure(head, cell) for head, cell in zip(heads(table), cells(score, seat), strict=True)])


def _in_ascii(cell: str) -> str:
    return cell.replace(MINUS, "-")


def _row(texts: Iterable[str]) -> str:
    return " ".join(f"{cell:>{_NARROWEST}}" for cell in texts)


def bonuses(names: Sequence[str], score: Score, sides: Sides) -> list[str]:
    """Return the bonuses in a round as texts, each with the name of its player or partnership."""
    named = [(side_name(names, side), bonus) for side in sides for bonus in score.bonuses[side[0]]]
    return [f"{name}: {bonus.name} {bonus.points:+}" for name, bonus in named]


def standing(
    names: Sequence[str], table: HasScoreSheet, *, given_up: bool = False, timed_out: Seat | None = None
) -> str:
    """Return a line with the ranks, and the player who lost on time. For an unfinished session it has the state
    instead.
    """
    if table.ranks is None:
        return f"{'given up' if given_up else 'not over'}; {with_count(len(table.scores), 'round')} finished"
    sides = [(side[0], side_name(names, side)) for side in table.sides]
    places = sorted([(table.ranks[seat], name, table.totals[seat]) for seat, name in sides])
    late = [] if timed_out is None else [lost_on_time(names[timed_out])]
    return "over: " + ", ".join([*[f"{rank}. {name} {total}" for rank, name, total in places], *late])


class InvalidName(NamedTuple):
    """Seat with an invalid name, and the reason."""

    seat: Seat
    why: str


def first_invalid_name(names: Sequence[str]) -> InvalidName | None:
    """Return the first seat whose name is invalid or repeats an earlier one, or ``None`` if there is none."""
    for seat, name in enumerate(names):
        if why := seating.nick_error(name):
            return InvalidName(seat, why)
        if seating.nick_key(name) in map(seating.nick_key, names[:seat]):
            return InvalidName(seat, f"{name} plays already")
    return None


def entry_rules(sheet: Sheet[Any]) -> list[str]:
    """Return sentences about the entries after each round, and about the end of the session."""
    return [f"After each round you enter {sheet.entered}.", f"The session {sheet.over_words}."]
