"""Model of the archive page and its painting: search field, filters, the list, and the panel of one session."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final, NamedTuple

from cardtable.engine.journal import Header
from cardtable.games import KEYS
from cardtable.records.archive import (
    FILTERS,
    SORTS,
    ArchivedSession,
    SessionCourse,
    filter_rows,
    list_player_names,
    sort_rows,
)
from cardtable.ui.toolkit.form import paint_choice
from cardtable.ui.toolkit.page import KeyTarget
from cardtable.ui.toolkit.painting.canvas import Canvas, join_fitting, join_names, scroll_window, truncate, wrap
from cardtable.ui.toolkit.painting.charts import Curve, paint_bar, paint_plot
from cardtable.ui.toolkit.painting.layout import MARGIN, Box, get_layout
from cardtable.ui.toolkit.scroll_list import BlockArea, paint_scroll_bar
from cardtable.ui.toolkit.text_input import TextInput, paint_text_input
from cardtable.wording import archive_rows
from cardtable.wording.formatting import format_number
from cardtable.wording.statistics import format_invitation
from cardtable.wording.tables import format_open_error, get_game_title

MAX_SEARCH_LENGTH: Final = 40
"""Maximum length of the search text, in characters."""
MAX_VALUES: Final = 100
"""Maximum number of values of a filter. Other players can be found by the search text."""


class ArchiveModel:
    """Rows of the archive after filtering and sorting, with a cursor."""

    def __init__(self, now: datetime, nick: str = "") -> None:
        """Create an empty list. ``nick`` is the initial filter by player, or ``""`` for none."""
        self.now = now
        self.sessions: Sequence[ArchivedSession] = ()
        """All sessions, the one played last first."""
        self.matches: Sequence[ArchivedSession] = ()
        """Sessions that match the search text and all filters, in the selected order."""
        self.search_input = TextInput(MAX_SEARCH_LENGTH)
        self.is_searching = False
        """True if keys go to the search field."""
        self.filter_values = dict.fromkeys(FILTERS, "")
        self.filter_values["player"] = nick
        self.current_filter = next(iter(FILTERS))
        """Name of the filter that the Left and Right keys change."""
        self.sort = SORTS[0]
        self.cursor = 0
        self.offset = 0
        """Index of the first visible row."""
        self.follow = True
        """True if the list is scrolled so that the cursor is visible. The mouse wheel sets it to False."""
        self.progress = "looking for sessions"
        """Text about the progress of reading, or ``""`` once everything has been read."""
        self.replace_sessions(())

    @property
    def row(self) -> ArchivedSession | None:
        return self.matches[self.cursor] if self.matches else None

    @property
    def is_filtered(self) -> bool:
        return bool(self.search_input.text.strip()) or any(self.filter_values.values())

    def replace_sessions(self, rows: Sequence[ArchivedSession]) -> None:
        """Replace all sessions. The cursor stays on its session if that still matches."""
        self.sessions = rows
        # the first value, "", matches every session
        self._values = {name: ["", *row.list_values(rows)[:MAX_VALUES]] for name, row in FILTERS.items()}
        self.apply_filters()

    def apply_filters(self) -> None:
        """Apply search text, filters and order; the cursor stays on its session, or on the first row."""
        path = self.row.summary.path if self.row and self.cursor else None
        found = filter_rows(self.sessions, self.search_input.text, self.filter_values, self.now.date())
        self.matches = sort_rows(found, self.sort)
        paths = [row.summary.path for row in self.matches] if path else []
        self.cursor = paths.index(path) if path in paths else 0
        self.follow = True

    def step_filter(self, name: str, step: int) -> None:
        """Select the value ``step`` positions further in a filter, wrapping around at the ends.

        The Left and Right keys change this filter from now on.
        """
        self.current_filter = name
        values, value = self._values[name], self.filter_values[name]
        index = values.index(value) if value in values else 0
        self.filter_values[name] = values[(index + step) % len(values)]
        self.apply_filters()

    def select_filter(self, step: int) -> None:
        """Move the selection ``step`` filters along, wrapping around at the ends; Left and Right then change that
        filter.
        """
        names = [*FILTERS]
        self.current_filter = names[(names.index(self.current_filter) + step) % len(names)]

    def clear_filters(self) -> None:
        """Clear the search text and all filters."""
        self.search_input.clear()
        self.filter_values = dict.fromkeys(FILTERS, "")
        self.apply_filters()

    def sort_by(self, sort: str) -> None:
        """Change the sort order, and move the cursor to the first row."""
        self.sort, self.cursor = sort, 0
        self.apply_filters()

    def move_cursor(self, index: int) -> None:
        """Move the cursor to the row ``index``, which is limited to the existing rows."""
        self.cursor = max(0, min(index, len(self.matches) - 1))
        self.follow = True

    def scroll(self, rows: int) -> None:
        """Scroll the list by a number of rows, without moving the cursor."""
        self.offset += rows
        self.follow = False

    def format_count(self) -> tuple[str, str]:
        """Return the number of matching sessions as text, and the words that follow it."""
        count = len(self.sessions)
        if len(self.matches) < count:
            return f"{len(self.matches):,}", f"of {count:,} sessions"
        return f"{count:,}", "session" if count == 1 else "sessions"


PANEL_WIDTH: Final = 34
"""Width of the panel with the session at the cursor, in columns."""
BAND_HEIGHT: Final = 3
"""Height of the band with search field and filters, in rows."""
HEADING_ROW: Final = 5
"""Row of the column headings, numbered from 0."""
FIRST_LIST_ROW: Final = 7
"""First row of the list, numbered from 0."""
_MIN_FILTER_TEXT: Final = 8
"""Minimum width of the text of a filter, in columns."""
_FILTER_SIGNS: Final = 4
"""Width of the signs on both sides of that text, in columns."""
_SORT_SIGNS: Final = {"newest": "▾", "oldest": "▴"}
_NO_SESSIONS: Final = "No sessions yet. Each one that you play is kept here, to continue, replay or review."
_NO_MATCH: Final = "No session matches. "


class ArchiveColumn(NamedTuple):
    """Column of the list."""

    heading: str
    x: int
    width: int

    @property
    def sort(self) -> str:
        return self.heading if self.heading in SORTS else SORTS[0]


class ListedRow(NamedTuple):
    """Mouse target on a row of the list."""

    number: int


class FilterStep(NamedTuple):
    """Mouse target on one of the two ends of a filter, which selects the previous or the next value."""

    filter: str
    step: int


class SearchField(NamedTuple):
    """Mouse target on the search field."""


class ColumnHeading(NamedTuple):
    """Mouse target on a column heading."""

    sort: str


def has_panel(canvas: Canvas) -> bool:
    return get_layout(canvas).large


def count_visible_rows(canvas: Canvas) -> int:
    return canvas.height - 1 - FIRST_LIST_ROW


def _compute_columns(width: int, *, tiny: bool) -> Sequence[ArchiveColumn]:
    """Return the columns of a list that is ``width`` cells wide. The last one has remarks, unless ``tiny`` is True."""
    wider = (width - 80) // 2
    widths = {"when": 11, "game": 8, "players": 17 + wider, "place": 6, "result": 13, "": width - 67 - wider}
    if tiny:
        widths = {"when": 11, "game": 8, "players": width - 44, "result": 16}
    columns, x = [], MARGIN + 1
    for heading, column_width in widths.items():
        columns.append(ArchiveColumn(heading, x, column_width))
        x += column_width + 1
    return columns


def paint_archive(canvas: Canvas, model: ArchiveModel) -> None:
    """Paint everything to the left of the panel, and scroll ``model`` so that the cursor is visible."""
    width = canvas.width - PANEL_WIDTH if has_panel(canvas) else canvas.width
    tiny = get_layout(canvas).tiny
    _paint_band(canvas, model, width, tiny=tiny)
    columns = _compute_columns(width, tiny=tiny)
    if not model.matches:
        _paint_empty_list(canvas, model, width)
        return
    _paint_headings(canvas, model, columns)
    rows = count_visible_rows(canvas)
    cursor = model.cursor if model.follow else None
    model.offset = scroll_window(model.offset, rows, len(model.matches), cursor)
    for i, row in enumerate(model.matches[model.offset : model.offset + rows], model.offset):
        y = FIRST_LIST_ROW + i - model.offset
        area = BlockArea(canvas, MARGIN, y, width - 2 * MARGIN, has_cursor=i == model.cursor)
        canvas.add_hit_box(MARGIN, y, area.width, 1, ListedRow(i))
        if area.has_cursor:
            area.paint_cursor(1)
        _paint_row(area, model, row, columns)
    paint_scroll_bar(canvas, width - 2, model.offset, len(model.matches), FIRST_LIST_ROW)


def _paint_band(canvas: Canvas, model: ArchiveModel, width: int, *, tiny: bool) -> None:
    """Paint the search field, and next to it or, if ``tiny`` is True, below it the filters."""
    theme = canvas.theme
    canvas.fill(0, 1, width, BAND_HEIGHT, theme.grounds.mat)
    canvas.add_hit_box(0, 1, width, BAND_HEIGHT, None)
    widths = {name: max(len(row.any_text), _MIN_FILTER_TEXT) + _FILTER_SIGNS for name, row in FILTERS.items()}
    if tiny:
        _paint_search_field(canvas, model, 1, width - 2 * MARGIN - 2)
        x = MARGIN
    else:
        search_width = width - 2 * MARGIN - sum(widths.values()) - len(widths) - 2
        _paint_search_field(canvas, model, 2, search_width)
        x = MARGIN + search_width + 3
    for name, filter_width in widths.items():
        text = truncate(model.filter_values[name] or FILTERS[name].any_text, filter_width - _FILTER_SIGNS)
        ground = theme.grounds.bonus if name == model.current_filter and not model.is_searching else None
        area = BlockArea(canvas, x, 2, filter_width, has_cursor=False)
        paint_choice(area, 0, filter_width, text, (FilterStep(name, -1), FilterStep(name, 1)), ground)
        x += filter_width + 1


def _paint_search_field(canvas: Canvas, model: ArchiveModel, y: int, width: int) -> None:
    inks, entry = canvas.theme.inks, model.search_input
    canvas.write(MARGIN, y, canvas.appearance.keys.format_label("find"), inks.text, bold=True)
    x = MARGIN + 2
    if model.is_searching:
        paint_text_input(canvas, x, y, width, entry, "any word")
    else:
        canvas.fill(x, y, width, 1, canvas.theme.grounds.panel)
        text = truncate("".join(entry.visible_clusters) or "find", width - 2)
        canvas.write(x + 1, y, text, inks.text if entry.text else inks.muted)
    canvas.add_hit_box(MARGIN, y, width + 2, 1, SearchField())


def _paint_empty_list(canvas: Canvas, model: ArchiveModel, width: int) -> None:
    """Paint a hint in place of an empty list."""
    keys = canvas.appearance.keys
    text = "" if model.progress else f"{_NO_SESSIONS} {format_invitation(keys.format_label('play'), KEYS[0])}"
    if model.sessions:
        key, effect = ("leave", "clears the words") if model.is_searching else ("rub_out", "shows all sessions again")
        text = f"{_NO_MATCH}{keys.format_label(key)} {effect}."
    for row, line in enumerate(wrap(text, width - 8)):
        canvas.write(MARGIN + 3, HEADING_ROW + row, line, canvas.theme.inks.muted)


def _paint_headings(canvas: Canvas, model: ArchiveModel, columns: Sequence[ArchiveColumn]) -> None:
    for column in columns:
        if column.heading:
            is_sorted = model.sort == column.sort or (column.heading, model.sort) == ("when", "oldest")
            heading = f"{column.heading} {_SORT_SIGNS.get(model.sort, '▾')}" if is_sorted else column.heading
            ink = canvas.theme.inks.soft if is_sorted else canvas.theme.inks.muted
            canvas.write(column.x, HEADING_ROW, heading, ink)
            canvas.add_hit_box(column.x, HEADING_ROW, column.width, 1, ColumnHeading(column.sort))


def _paint_row(area: BlockArea, model: ArchiveModel, row: ArchivedSession, columns: Sequence[ArchiveColumn]) -> None:
    """Paint the row of a session. For a file that cannot be opened, paint the reason."""
    summary, inks = row.summary, area.canvas.theme.inks

    def put(column: ArchiveColumn, text: str, ink: str, *, bold: bool = False) -> None:
        area.write(column.x - MARGIN, 0, text, ink, max_width=column.width, bold=bold)

    when, game, players, *others = columns
    put(when, archive_rows.format_when(row, model.now), area.muted_ink)
    if summary.header is None:
        reason = f"{format_open_error(summary)} ({get_game_title(summary)})"
        area.write(game.x - MARGIN, 0, reason, inks.loss, bold=area.has_cursor)
        return
    put(game, get_game_title(summary), inks.text, bold=area.has_cursor)
    put(players, join_names(list_player_names(row), players.width), area.muted_ink)
    marks, first = archive_rows.list_properties(summary), row.rank == 1
    place, result = archive_rows.format_place(row), archive_rows.format_result(row)
    if len(others) == 1:
        [only] = others
        remark = marks[:1] if summary.state != "over" or summary.timed_out is not None else []
        put(only, " ".join(filter(None, (place, result, *remark))), inks.text)
        return
    put(others[0], place, inks.text if first else area.muted_ink, bold=first)
    put(others[1], result, inks.text if summary.state == "over" else area.muted_ink)
    remark_ink = inks.text if summary.state == "open" else area.quiet_ink
    put(others[2], join_fitting(marks or [""], ", ", others[2].width), remark_ink)


_PAD: Final = 3
_NAME_WIDTH: Final = 12
"""Width of a player's name, in columns."""
_PLAYER_ROWS: Final = 2
"""Number of rows for each player: one with the figures, and one with a bar."""


def paint_panel(
    canvas: Canvas, box: Box, row: ArchivedSession | None, course: SessionCourse | None, keys: Sequence[tuple[str, str]]
) -> None:
    """Paint the panel with the session of ``row`` and its keys. If ``row`` is ``None``, the panel is empty.

    ``course`` is ``None`` until the journal has been read.
    """
    canvas.fill(box.x, box.y, box.width, box.height, canvas.theme.grounds.panel)
    canvas.add_hit_box(box.x, box.y, box.width, box.height, None)
    if row is None:
        return
    inner = Box(box.x + _PAD, box.y + 1, box.width - _PAD - 2, box.height - 2)
    y = _paint_title(canvas, inner, row, course)
    header = row.summary.header
    if header is None:
        for line, text in enumerate(wrap(format_open_error(row.summary), inner.width)):
            canvas.write(inner.x, y + line, text, canvas.theme.inks.loss)
    else:
        y = _paint_players(canvas, inner, y, row, header)
        _paint_course(canvas, Box(inner.x, y + 1, inner.width, inner.bottom - len(keys) - y - 2), row, header, course)
    for number, (name, word) in enumerate(keys):
        line = inner.bottom - len(keys) + 1 + number
        sign = canvas.appearance.keys.format_label(name)
        canvas.write(inner.x, line, sign, canvas.theme.inks.text, bold=True)
        end = canvas.write(inner.x + 7, line, word, canvas.theme.inks.muted)
        canvas.add_hit_box(inner.x, line, end - inner.x, 1, KeyTarget(name))


def _paint_title(canvas: Canvas, box: Box, row: ArchivedSession, course: SessionCourse | None) -> int:
    """Paint game, time and properties of a session, and return the row for the next part, after an empty one."""
    summary, inks = row.summary, canvas.theme.inks
    start = canvas.write_right(box.right, box.y, archive_rows.format_date_and_time(row), inks.quiet)
    canvas.write(box.x, box.y, truncate(get_game_title(summary), start - box.x - 1), inks.text, bold=True)
    y = box.y + 1
    for line in wrap(", ".join(archive_rows.list_facts(row, course)), box.width)[:2]:
        canvas.write(box.x, y, line, inks.muted)
        y += 1
    if summary.name:
        canvas.write(box.x, y, join_fitting([f'"{summary.name}"'], "", box.width), inks.muted)
        y += 1
    return y + 1


def _paint_players(canvas: Canvas, box: Box, y: int, row: ArchivedSession, header: Header) -> int:
    """Paint the players by place with their totals, and bars in proportion to them. Return the next free row.

    A negative total has no bar.
    """
    inks, summary = canvas.theme.inks, row.summary
    highest = max([abs(total) for total in summary.totals], default=0)
    for index, seat in enumerate(archive_rows.list_seats_by_place(summary, header)):
        occupant, total = header.seats[seat], summary.totals[seat] if summary.totals else None
        best = bool(summary.ranks) and index == 0
        canvas.write(box.x, y, truncate(occupant.name, _NAME_WIDTH), inks.text, bold=best)
        canvas.write(box.x + _NAME_WIDTH + 1, y, truncate(occupant.robot or "", 8), inks.quiet)
        if total is not None:
            canvas.write_right(box.right, y, format_number(total), inks.text, bold=best)
            columns = max(total, 0) * box.width // highest if highest else 0
            paint_bar(canvas, box.x, y + 1, box.width, 2 * columns, canvas.theme.plot.get_ink(row.seats.index(seat)))
        y += _PLAYER_ROWS
    return y


def _paint_course(canvas: Canvas, box: Box, row: ArchivedSession, header: Header, course: SessionCourse | None) -> None:
    """Plot the totals over the rounds, if at least two rounds are finished and the box is high enough."""
    rows = box.height - 2
    if course is None or len(course.totals) < 2 or rows < len(row.seats) + 2:
        return
    canvas.write(box.x, box.y, "Totals by round", canvas.theme.inks.text, bold=True)
    drawn = [
        Curve(
            header.seats[seat].name,
            [0, *[totals[seat] for totals in course.totals]],
            canvas.theme.plot.get_ink(index),
        )
        for index, seat in enumerate(row.seats)
    ]
    paint_plot(canvas, Box(box.x, box.y + 2, box.width, min(rows, 12)), drawn, len(course.totals))
