"""Pages of a club's results: the list of its seasons, and tables with the places of the players."""

from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import Final, NamedTuple

from rich.cells import cell_len

from cardtable.club.client.client import ClubClient
from cardtable.club.protocol import AskSeason, AskSeasons, ClientMessage, SeasonInfo
from cardtable.engine.text_format import capitalize_first, sanitize
from cardtable.records.result_rows import ResultsRow, ResultsTable
from cardtable.store.seasons import MAX_NAME_LENGTH, MAX_SEASONS
from cardtable.store.seating import is_same_nick
from cardtable.ui.club.people_pages import ClubPage
from cardtable.ui.keys.bindings import RESULTS, SEASONS, FooterKeys
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.form import EMPTY_ROW, FormRow, make_text_row
from cardtable.ui.toolkit.page import Page, PageScreen, paint_page_header
from cardtable.ui.toolkit.painting.canvas import Canvas, scroll_window, truncate, wrap
from cardtable.ui.toolkit.painting.layout import MARGIN, TEXT_WHEEL_ROWS
from cardtable.ui.toolkit.scroll_list import INDENT, BlockArea, paint_scroll_bar
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


class ResultsPage(Page):
    """Page with one or several tables of results, and sentences about them."""

    SCOPE = RESULTS

    def __init__(self, context: PageContext, title: str, own_nick: str) -> None:
        """Create the page, whose tables follow with ``show_tables``; the rows of ``own_nick`` are highlighted."""
        super().__init__(context)
        self.title, self._own_nick = title, own_nick
        self._about: Sequence[str] = ()
        self._tables: Sequence[ResultsTable] | None = None
        """Tables that are shown; ``None`` before they are known."""
        self.error: str | None = None
        """Reason why there are no tables."""
        self._number = 0
        """Index of the table that is shown."""
        self._offset = 0
        """Index of the first visible row below the headings."""
        self._overflow = 0
        """Number of rows that do not fit on the screen."""

    def show_tables(self, about: Sequence[str], tables: Sequence[ResultsTable]) -> None:
        """Show tables, and sentences about all of them."""
        self._about, self._tables = about, tables
        self._number = min(self._number, max(len(tables) - 1, 0))
        self.repaint()

    # Painting

    def paint_body(self, canvas: Canvas) -> FooterKeys:
        tables = self._tables
        self._overflow = 0
        if tables is None:
            text, ink = self.error or READING, canvas.theme.inks.loss if self.error else canvas.theme.inks.muted
            for y, line in enumerate(wrap(text, canvas.width - 2 * MARGIN), 2):
                canvas.write(MARGIN, y, line, ink)
        elif len(tables) > 1:
            _paint_tabs(canvas, [sanitize(table.title, MAX_NAME_LENGTH) for table in tables], self._number)
            self._paint_table(canvas, 4, tables[self._number])
        else:
            self._paint_table(canvas, 2, tables[0] if tables else None)
        paint_page_header(canvas, sanitize(self.title, MAX_NAME_LENGTH), right=self._own_nick)
        return self.SCOPE.footer

    def _paint_table(self, canvas: Canvas, top: int, table: ResultsTable | None) -> None:
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
        for text in [*(table.notes if table else ()), *self._about]:
            painters += [partial(_write_line, canvas, line) for line in wrap(sanitize(text), width)]
        room = canvas.height - 1 - top
        self._offset = scroll_window(self._offset, room, len(painters))
        self._overflow = max(len(painters) - room, 0)
        for y, paint in enumerate(painters[self._offset : self._offset + room], top):
            paint(y)
        paint_scroll_bar(canvas, canvas.width - 1, self._offset, len(painters), top)

    def _paint_row(self, canvas: Canvas, table: ResultsTable, row: ResultsRow, columns: TableColumns, y: int) -> None:
        inks = canvas.theme.inks
        is_own = row.kind in ("member", "guest") and is_same_nick(row.nick, self._own_nick)
        if is_own:
            canvas.fill(MARGIN - 1, y, canvas.width - 2 * MARGIN + 1, 1, canvas.theme.grounds.row)
        name_ink = inks.gold if is_own else inks.muted if row.kind == "robot" else inks.text
        figures = [inks.text if column.key == table.ranked_by else inks.soft for column in table.columns]
        place_ink = inks.text if row.place is not None and row.place <= 3 else inks.soft
        cell_inks = [place_ink, name_ink, *figures]
        paint_cells(canvas, y, seasons.list_cells(table, row), columns, cell_inks, bold=is_own)

    # Actions

    @property
    def can_scroll(self) -> bool:
        return self._overflow > 0

    @property
    def has_several_tables(self) -> bool:
        return self._tables is not None and len(self._tables) > 1

    def action_scroll(self, rows: int) -> None:
        """Scroll by a number of rows, negative for up."""
        self._offset += rows
        self.repaint()

    def action_page(self, step: int) -> None:
        self.action_scroll(step * max(self.size.height - 7, 1))

    def action_end(self, last: int) -> None:
        """Scroll to the beginning (0) or the end (1)."""
        self._offset = last * (self._offset + self._overflow)
        self.repaint()

    def action_step(self, step: int) -> None:
        """Show the next (1) or previous (-1) table, wrapping around at the ends."""
        if self._tables:
            self._select_table((self._number + step) % len(self._tables))

    def _select_table(self, number: int) -> None:
        self._number, self._offset = number, 0
        self.repaint()

    def on_target_clicked(self, target: Hashable | None) -> None:
        if isinstance(target, TableTab):
            self._select_table(target.number)

    def on_wheel(self, step: int, _x: int) -> None:
        self.action_scroll(step * TEXT_WHEEL_ROWS)


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

    def __init__(self, context: PageContext, client: ClubClient, send: Callable[[ClientMessage], None]) -> None:
        super().__init__(context, client, send)
        self._seasons: Sequence[SeasonInfo] | None = None
        """Seasons of the club; ``None`` before the host has answered."""
        self._results_page: ResultsPage | None = None

    def on_resumed(self) -> None:
        self._results_page = None
        self._send(AskSeasons())

    def update_content(self) -> None:
        client, page = self._client, self._results_page
        if client.seasons is not None:
            self._seasons = client.seasons[:MAX_SEASONS]
        if page is not None:
            if (tables := client.season_tables) and tables.name == page.title:
                page.show_tables(tables.about, tables.tables)
            page.error = _explain_refusal(client)
            page.repaint()
        self.repaint()

    @property
    def header_texts(self) -> Sequence[str]:
        return "Seasons", sanitize(self._client.lobby.club_name, 40), self._client.nick

    @property
    def has_seasons(self) -> bool:
        return bool(self._seasons)

    def list_rows(self) -> list[FormRow]:
        rows = [make_text_row("Tables of results over an evening, a season or a tournament.", INDENT), EMPTY_ROW]
        rows += [self._create_row(season) for season in self._seasons or ()]
        if self._seasons is None:
            error = _explain_refusal(self._client)
            rows.append(make_text_row(error or READING, INDENT, is_error=bool(error)))
        elif not self._seasons:
            rows.append(make_text_row("This club has no seasons or tournaments. Its host can make some.", INDENT))
        return rows

    def _create_row(self, season: SeasonInfo) -> FormRow:
        def draw(area: BlockArea) -> None:
            area.write(INDENT, 0, sanitize(season.name, MAX_NAME_LENGTH), area.name_ink, bold=True)
            area.write(INDENT, 1, sanitize(season.about), area.muted_ink)

        return FormRow(
            name=f"season {season.name}", rows=2, draw=draw, on_press=partial(self._open, season.name), keys={}
        )

    def _open(self, name: str) -> None:
        page = self._results_page = ResultsPage(self.context, name, self._client.nick)
        self._send(AskSeason(name[:MAX_NAME_LENGTH]))
        self.app.push_screen(PageScreen(page))
