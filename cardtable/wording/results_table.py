"""Tables of results as text, sentences, Markdown and CSV.

The tables may come from the host of a club, so all their texts are sanitized.
"""

import csv
import io
from collections.abc import Iterator, Sequence
from typing import Final

from cardtable.engine.text_format import align_columns, sanitize
from cardtable.records.result_rows import ResultsColumn, ResultsRow, ResultsTable
from cardtable.wording.export_formats import escape_markdown, format_markdown_row
from cardtable.wording.formatting import MINUS, format_ordinal
from cardtable.wording.score_sheet import escape_formulas
from cardtable.wording.statistics import MISSING

_MAX_TEXT_LENGTH: Final = 40
_MAX_UNIT_LENGTH: Final = 4
PLACE_HEADING: Final = "place"
NICK_HEADING: Final = "player"


def format_name(row: ResultsRow) -> str:
    """Return the nick of a player, with the kind in brackets unless the player is a member: ``Bob (guest)``."""
    nick = sanitize(row.nick, _MAX_TEXT_LENGTH)
    return nick if row.kind == "member" else f"{nick} ({row.kind})"


def format_place(row: ResultsRow) -> str:
    return MISSING if row.place is None else str(row.place)


def format_figure(column: ResultsColumn, figure: float | None) -> str:
    """Return a figure with the decimal places and unit of its column, or ``MISSING`` if it is ``None``."""
    if figure is None:
        return MISSING
    return _format_ascii(column, figure).replace("-", MINUS) + sanitize(column.unit, _MAX_UNIT_LENGTH)


def _format_ascii(column: ResultsColumn, figure: float) -> str:
    return f"{round(figure, column.decimals) + 0:.{column.decimals}f}"  # + 0 turns -0.0 into 0.0


def list_headings(table: ResultsTable) -> list[str]:
    return [PLACE_HEADING, NICK_HEADING, *[sanitize(column.heading, _MAX_TEXT_LENGTH) for column in table.columns]]


def list_cells(table: ResultsTable, row: ResultsRow) -> list[str]:
    """Return the texts of a row, one for each heading."""
    figures = zip(table.columns, row.figures, strict=False)  # the host's table may be damaged
    return [format_place(row), format_name(row), *[format_figure(column, figure) for column, figure in figures]]


def iter_text_lines(table: ResultsTable) -> Iterator[str]:
    """Yield the lines of a table in aligned columns: the title, the headings, and a line for each player."""
    yield sanitize(table.title)
    if table.rows:
        yield from align_columns([list_headings(table), *[list_cells(table, row) for row in table.rows]], left=(1,))
    yield from map(sanitize, table.notes)


def iter_sentences(table: ResultsTable) -> Iterator[str]:
    """Yield the lines of a table for screen readers: the title, and a sentence for each player."""
    yield f"{sanitize(table.title)}:"
    headings = list_headings(table)
    for row in table.rows:
        cells = list_cells(table, row)
        place = "no place" if row.place is None else format_ordinal(row.place)
        figures = [f"{heading} {cell}" for heading, cell in zip(headings[2:], cells[2:], strict=False)]
        yield f"{cells[1]}: {', '.join([place, *figures])}."
    yield from map(sanitize, table.notes)


def iter_markdown_lines(table: ResultsTable) -> Iterator[str]:
    """Yield the lines of a table in Markdown, with a heading of the second level."""
    yield f"## {escape_markdown(sanitize(table.title))}"
    yield ""
    headings = list_headings(table)
    if table.rows:
        yield format_markdown_row(list(map(escape_markdown, headings)))
        yield format_markdown_row(["---" if number == 1 else "---:" for number in range(len(headings))])
    for row in table.rows:
        yield format_markdown_row(list(map(escape_markdown, list_cells(table, row))))
    for note in table.notes:
        if table.rows:
            yield ""
        yield escape_markdown(sanitize(note))


def format_csv(tables: Sequence[ResultsTable]) -> str:
    """Return tables as CSV, with one header line and a line for each player of each table.

    A player has no value in the columns of other tables. Numbers have a decimal point, and no text is a formula.
    """
    columns = list(dict.fromkeys([column.key for table in tables for column in table.columns]))
    content = io.StringIO()
    writer = csv.writer(content, lineterminator="\r\n")
    writer.writerow(["table", PLACE_HEADING, NICK_HEADING, "kind", *columns])
    for table in tables:
        for row in table.rows:
            figures = {
                column.key: _format_ascii(column, figure)
                for column, figure in zip(table.columns, row.figures, strict=True)
                if figure is not None
            }
            texts = [escape_formulas(sanitize(text)) for text in (table.title, row.nick)]
            place = "" if row.place is None else row.place
            writer.writerow([texts[0], place, texts[1], row.kind, *[figures.get(key, "") for key in columns]])
    return content.getvalue()
