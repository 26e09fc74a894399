"""Pages of a club's results: the list of its seasons, and tables with the places of the players."""

from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import Final, NamedTuple

from rich.cells import cell_len

from cardtable.club.client.client import ClubClient
from cardtable.club.protocol import AskSeason, AskSeasons, SeasonInfo, SeasonTables
from cardtable.engine.text_format import capitalize_first, sanitize
from cardtable.records.result_rows import ResultsRow, ResultsTable
from cardtable.store.seasons import MAX_NAME_LENGTH, MAX_SEASONS
from cardtable.store.seating import is_same_nick
from cardtable.ui.club.people_pages import ClubPage, create_action_row
from cardtable.ui.keys.bindings import RESULTS, SEASONS, FooterKeys
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.form import EMPTY_ROW, FormRow, make_text_row
from cardtable.ui.toolkit.page import PageScreen, TextPage, paint_page_header
from cardtable.ui.toolkit.painting.canvas import Canvas, truncate, wrap
from cardtable.ui.toolkit.painting.layout import MARGIN
from cardtable.ui.toolkit.scroll_list import INDENT
from cardtable.wording import seasons

READING: Final = "Asking the club ..."
_GAPS: Final = (3, 2, 1)
"""Numbers of columns between two figures, the largest that fits first."""
_WIDE_GAP: Final = 6
"""Number of columns between two figures in a terminal of at least ``_WIDE_COLUMNS``."""
_WIDE_COLUMNS: Final = 110
_MIN_NAME_WIDTH: Final = 8
_TABS_ROW: Final = 2


class TableTab(NamedTuple):
    """Mouse target of the tab of a table."""

    number: int


class TableColumns(NamedTuple):
    """Columns of a table of results that fit into a width."""

    indices: list[int]
    """Indices of the cells of a row that are shown, in order."""
    widths: list[int]
    gap: int


def fit_columns(table: ResultsTable, width: int) -> TableColumns:
    """Choose the columns of a table that fit into ``width`` terminal columns.

    The gaps shrink first, then figures are left out from the right, except the one that determines the places, and in
    the end the names are cut.
    """
    lines = [seasons.list_headings(table), *[seasons.list_cells(table, row) for row in table.rows]]
    widths = [max([cell_len(line[index]) for line in lines if index < len(line)]) for index in range(len(lines[0]))]
    ranked = {index for index, column in enumerate(table.columns, 2) if column.key == table.ranked_by}
    indices = list(range(len(widths)))

    def compute_width(gap: int) -> int:
        return sum([widths[index] for index in indices]) + gap * (len(indices) - 1)

    while compute_width(_GAPS[-1]) > width and (optional := [index for index in indices[2:] if index not in ranked]):
        indices.remove(optional[-1])
    widths[1] = max(min(widths[1], widths[1] + width - compute_width(_GAPS[-1])), _MIN_NAME_WIDTH)
    gaps = (_WIDE_GAP, *_GAPS) if width >= _WIDE_COLUMNS else _GAPS
    gap = next((gap for gap in gaps if compute_width(gap) <= width), gaps[-1])
    return TableColumns(indices, [widths[index] for index in indices], gap)


class ResultsPage(TextPage):
    """Page with the tables of a season, and sentences about them."""

    SCOPE = RESULTS

    def __init__(self, context: PageContext, client: ClubClient, season: str) -> None:
        super().__init__(context)
        self._client, self._season = client, season
        self._number = 0
        """Index of the table that is shown."""
        self.can_scroll: bool = False

    @property
    def _tables(self) -> SeasonTables | None:
        """Tables of the season; ``None`` before the host has sent them."""
        tables = self._client.season_tables
        return tables if tables and tables.name == self._season else None

    # Painting

    def paint_body(self, canvas: Canvas) -> FooterKeys:
        self.can_scroll = False
        if (answer := self._tables) is None:
            error, inks = _explain_refusal(self._client), canvas.theme.inks
            for y, line in enumerate(wrap(error or READING, canvas.width - 2 * MARGIN), 2):
                canvas.write(MARGIN, y, line, inks.loss if error else inks.muted)
        elif self.has_several_tables:
            titles = [sanitize(table.title, MAX_NAME_LENGTH) for table in answer.tables]
            self._number = min(self._number, len(titles) - 1)
            _paint_tabs(canvas, titles, self._number)
            self._paint_table(canvas, 4, answer.about, answer.tables[self._number])
        else:
            self._paint_table(canvas, 2, answer.about, next(iter(answer.tables), None))
        paint_page_header(canvas, sanitize(self._season, MAX_NAME_LENGTH), right=self._client.nick)
        return self.SCOPE.footer

    def _paint_table(self, canvas: Canvas, top: int, about: Sequence[str], table: ResultsTable | None) -> None:
        """Paint the headings of a table in row ``top``, and below it the visible rows, notes and sentences."""
        inks, width = canvas.theme.inks, canvas.width - 2 * MARGIN
        painters: list[Callable[[int], object]] = []
        if table is not None and table.rows:
            columns = fit_columns(table, width)
            headings = seasons.list_headings(table)
            paint_cells(canvas, top, headings, columns, [inks.muted] * len(headings))
            top += 1
            painters += [partial(self._paint_row, canvas, table, row, columns) for row in table.rows]
            painters.append(lambda _y: None)
        for text in [*(table.notes if table else ()), *about]:
            painters += [partial(_write_line, canvas, line) for line in wrap(sanitize(text), width)]
        self.can_scroll = self.paint_rows(canvas, painters, lambda y, paint: paint(y), top)

    def _paint_row(self, canvas: Canvas, table: ResultsTable, row: ResultsRow, columns: TableColumns, y: int) -> None:
        inks = canvas.theme.inks
        is_own = row.kind in ("member", "guest") and is_same_nick(row.nick, self._client.nick)
        if is_own:
            canvas.fill(MARGIN - 1, y, canvas.width - 2 * MARGIN + 1, 1, canvas.theme.grounds.row)
        name_ink = inks.gold if is_own else inks.muted if row.kind == "robot" else inks.text
        figures = [inks.text if column.key == table.ranked_by else inks.soft for column in table.columns]
        place_ink = inks.text if row.place is not None and row.place <= 3 else inks.soft
        cell_inks = [place_ink, name_ink, *figures]
        paint_cells(canvas, y, seasons.list_cells(table, row), columns, cell_inks, bold=is_own)

    # Actions

    @property
    def has_several_tables(self) -> bool:
        return self._tables is not None and len(self._tables.tables) > 1

    def action_step(self, step: int) -> None:
        """Show the next (1) or previous (-1) table, wrapping around at the ends."""
        if self._tables:
            self._select_table((self._number + step) % max(len(self._tables.tables), 1))

    def _select_table(self, number: int) -> None:
        self._number, self._offset = number, 0
        self.repaint()

    def on_target_clicked(self, target: Hashable | None) -> None:
        if isinstance(target, TableTab):
            self._select_table(target.number)


def _write_line(canvas: Canvas, text: str, y: int) -> None:
    canvas.write(MARGIN, y, text, canvas.theme.inks.quiet)


def paint_cells(
    canvas: Canvas, y: int, cells: Sequence[str], columns: TableColumns, inks: Sequence[str], *, bold: bool = False
) -> None:
    """Paint the cells of a line that are shown: names aligned left, figures aligned right."""
    x = MARGIN
    for index, width in zip(columns.indices, columns.widths, strict=True):
        text = truncate(cells[index], width) if index < len(cells) else ""
        start = x if index == 1 else x + width - cell_len(text)
        canvas.write(start, y, text, inks[index], bold=bold)
        x += width + columns.gap


def _paint_tabs(canvas: Canvas, titles: Sequence[str], selected: int) -> None:
    """Paint the titles of the tables as tabs; if they do not fit, they are moved until the selected one is visible."""
    theme, widths = canvas.theme, [cell_len(title) + 2 for title in titles]
    x = min(MARGIN - 1, canvas.width - MARGIN - sum(widths[: selected + 1]))
    for number, (title, width) in enumerate(zip(titles, widths, strict=True)):
        if number == selected:
            canvas.fill(x, _TABS_ROW, width, 1, theme.grounds.bonus)
        ink = theme.inks.text if number == selected else theme.inks.soft
        canvas.write(x + 1, _TABS_ROW, title, ink, bold=number == selected)
        canvas.add_hit_box(x, _TABS_ROW, width, 1, TableTab(number))
        x += width


def _explain_refusal(client: ClubClient) -> str | None:
    """Return the reason why the host has refused the last request as a sentence; ``None`` if it has not."""
    refusal = sanitize(client.refusal)
    return f"{capitalize_first(refusal)}." if refusal else None


class SeasonsPage(ClubPage):
    """Page that lists the seasons of a club."""

    SCOPE = SEASONS

    def on_resumed(self) -> None:
        self._send(AskSeasons())

    def update_content(self) -> None:
        if isinstance(self.app.screen, PageScreen) and isinstance(self.app.screen.page, ResultsPage):
            self.app.screen.page.repaint()
        self.repaint()

    @property
    def header_texts(self) -> Sequence[str]:
        return "Seasons", sanitize(self._client.lobby.club_name, 40), self._client.nick

    @property
    def has_seasons(self) -> bool:
        return bool(self._client.seasons)

    def list_rows(self) -> list[FormRow]:
        rows = [make_text_row("Tables of results over an evening, a season or a tournament.", INDENT), EMPTY_ROW]
        listed = self._client.seasons
        rows += [self._create_row(season) for season in (listed or ())[:MAX_SEASONS]]
        if listed is None:
            error = _explain_refusal(self._client)
            rows.append(make_text_row(error or READING, INDENT, is_error=bool(error)))
        elif not listed:
            rows.append(make_text_row("This club has no seasons or tournaments. Its host can make some.", INDENT))
        return rows

    def _create_row(self, season: SeasonInfo) -> FormRow:
        name, show = sanitize(season.name, MAX_NAME_LENGTH), partial(self._open, season.name)
        return create_action_row(f"season {season.name}", name, show, "", season.about)

    def _open(self, name: str) -> None:
        self._send(AskSeason(name[:MAX_NAME_LENGTH]))
        self.app.push_screen(PageScreen(ResultsPage(self.context, self._client, name)))
