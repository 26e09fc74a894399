"""The archive's picture: what is looked for, the filters, and as many sessions as there are rows on the screen."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from cardtable.ui.archive.listed import FILTERS, ArchiveList
from cardtable.ui.draw.canvas import Canvas
from cardtable.ui.draw.choice import paint_choice
from cardtable.ui.draw.column import Place, paint_scroll_bar
from cardtable.ui.draw.fitting import cut, whole, wrap
from cardtable.ui.draw.layout import MARGIN, grid_of
from cardtable.ui.draw.names import in_a_line
from cardtable.ui.toolkit.text_input import paint_text_input
from cardtable.wording import archived
from cardtable.wording.archived import ArchivedSession, Sort
from cardtable.wording.tables import title_of, why_shut

PANEL: Final = 34
"""Columns of the panel with the session under the cursor."""
BAND: Final = 3
"""Rows of the band with the filters."""
HEAD: Final = 5
"""The row of the columns' heads."""
TOP: Final = 7
"""The first row of the list."""
_WIDTHS: Final = {"game": 12, "player": 12, "when": 12, "result": 14}
"""Columns of the filters."""
_SIGNS: Final = {"newest": "▾", "oldest": "▴"}
_NOTHING: Final = (
    "There are no sessions yet. Every session that you begin is kept here, move by move, and stays when it is over."
)
_NO_MATCH: Final = "No session matches. "


class ArchiveColumn(NamedTuple):
    """A column of the list."""

    head: str
    x: int
    width: int
    sort: Sort


class ListedRow(NamedTuple):
    """The mouse's target: a row of the list."""

    number: int


class FilterStep(NamedTuple):
    """The mouse's target: one of the two ends of a filter."""

    filter: str
    step: int


class Find(NamedTuple):
    """The mouse's target: the line with what is looked for."""


class Head(NamedTuple):
    """The mouse's target: the head of a column."""

    sort: Sort


def wide(canvas: Canvas) -> bool:
    """Whether the session under the cursor has a panel of its own."""
    return grid_of(canvas).large


def rows_of(canvas: Canvas) -> int:
    """How many sessions are seen at once."""
    return canvas.height - 1 - TOP


def _columns(width: int, *, tiny: bool) -> Sequence[ArchiveColumn]:
    """The columns of a list of this width; the last is what is to be known besides."""
    if tiny:
        return (
            ArchiveColumn("when", 3, 11, "newest"),
            ArchiveColumn("game", 15, 8, "game"),
            ArchiveColumn("players", 24, width - 44, "players"),
            ArchiveColumn("result", width - 19, 16, "result"),
        )
    wider = (width - 80) // 2
    players, place = 24, 42 + wider
    return (
        ArchiveColumn("when", 3, 11, "newest"),
        ArchiveColumn("game", 15, 8, "game"),
        ArchiveColumn("players", players, place - players - 1, "players"),
        ArchiveColumn("place", place, 6, "place"),
        ArchiveColumn("result", place + 7, 13, "result"),
        ArchiveColumn("", place + 21, width - place - 25, "newest"),
    )


def paint_archive(canvas: Canvas, archive: ArchiveList) -> None:
    """Everything left of the panel between header and footer; scrolls ``archive`` to the cursor."""
    width = canvas.width - PANEL * wide(canvas)
    tiny = grid_of(canvas).tiny
    _paint_band(canvas, archive, width, tiny=tiny)
    columns = _columns(width, tiny=tiny)
    if not archive.shown:
        _paint_nothing(canvas, archive, width)
        return
    _paint_heads(canvas, archive, columns)
    rows = rows_of(canvas)
    if archive.follow:
        archive.offset = max(min(archive.offset, archive.cursor), archive.cursor - rows + 1)
    archive.offset = max(0, min(archive.offset, len(archive.shown) - rows))
    for i in range(archive.offset, min(archive.offset + rows, len(archive.shown))):
        where = Place(canvas, MARGIN, TOP + i - archive.offset, width - 2 * MARGIN, at=i == archive.cursor)
        canvas.spot(MARGIN, where.y, where.width, 1, ListedRow(i))
        if where.at:
            where.ground(1)
        _paint_row(where, archive, archive.shown[i], columns)
    paint_scroll_bar(canvas, width - 2, archive.offset, len(archive.shown), TOP)


def _paint_band(canvas: Canvas, archive: ArchiveList, width: int, *, tiny: bool) -> None:
    """The line with what is looked for, and beside it, or below where there is no room, the filters."""
    theme = canvas.theme
    canvas.fill(0, 1, width, BAND, theme.grounds.mat)
    canvas.spot(0, 1, width, BAND, None)
    choices = sum(_WIDTHS.values()) + len(_WIDTHS) - 1
    beside = width - 2 * MARGIN - choices - 3
    room = width - 2 * MARGIN - 2 if tiny else beside
    y = 1 if tiny else 2
    _paint_find(canvas, archive, y, room)
    x = MARGIN if tiny else MARGIN + beside + 3
    for name in FILTERS:
        wide_as = _WIDTHS[name]
        said = cut(archive.said(name), wide_as - 4)
        ground = theme.grounds.bonus if name == archive.filter and not archive.typing else None
        targets = (FilterStep(name, -1), FilterStep(name, 1))
        paint_choice(Place(canvas, x, y + tiny, wide_as, at=False), 0, wide_as, said, targets, ground)
        x += wide_as + 1


def _paint_find(canvas: Canvas, archive: ArchiveList, y: int, room: int) -> None:
    inks, entry = canvas.theme.inks, archive.entry
    canvas.text(MARGIN, y, canvas.look.keys.label("find"), inks.text, bold=True)
    x = MARGIN + 2
    if archive.typing:
        paint_text_input(canvas, x, y, room, entry, "any word")
    else:
        canvas.fill(x, y, room, 1, canvas.theme.grounds.panel)
        canvas.text(x + 1, y, cut("".join(entry.shown) or "find", room - 2), inks.text if entry.text else inks.muted)
    canvas.spot(MARGIN, y, room + 2, 1, Find())


def _paint_nothing(canvas: Canvas, archive: ArchiveList, width: int) -> None:
    """What to do where there is no row."""
    text = "" if archive.progress else _NOTHING
    if archive.all:
        name, does = ("leave", "clears the words") if archive.typing else ("rub_out", "shows all sessions again")
        text = f"{_NO_MATCH}{canvas.look.keys.label(name)} {does}."
    for row, line in enumerate(wrap(text, width - 8)):
        canvas.text(MARGIN + 3, HEAD + row, line, canvas.theme.inks.muted)


def _paint_heads(canvas: Canvas, archive: ArchiveList, columns: Sequence[ArchiveColumn]) -> None:
    for column in columns:
        if column.head:
            here = archive.sort == column.sort or (column.head, archive.sort) == ("when", "oldest")
            said = f"{column.head} {_SIGNS.get(archive.sort, '▾')}" if here else column.head
            canvas.text(column.x, HEAD, said, canvas.theme.inks.soft if here else canvas.theme.inks.muted)
            canvas.spot(column.x, HEAD, column.width, 1, Head(column.sort))


def _paint_row(where: Place, archive: ArchiveList, row: ArchivedSession, columns: Sequence[ArchiveColumn]) -> None:
    """A session on a row; what cannot be opened says why."""
    summary, inks = row.summary, where.canvas.theme.inks

    def put(column: ArchiveColumn, text: str, ink: str, *, bold: bool = False) -> None:
        where.text(column.x - MARGIN, 0, text, ink, most=column.width, bold=bold)

    when, game, players, *others = columns
    put(when, archived.when(row, archive.now), where.muted)
    if summary.header is None:
        why = f"{why_shut(summary)} ({title_of(summary)})"
        where.text(game.x - MARGIN, 0, why, inks.loss, bold=where.at)
        return
    put(game, title_of(summary), inks.text, bold=where.at)
    put(players, in_a_line(archived.players(row), players.width), where.muted)
    marks, first = archived.marks(summary), row.rank == 1
    place, result = archived.place(row), archived.result(row)
    if len(others) == 1:
        [only] = others
        put(
            only,
            " ".join(
                filter(None, (place, result, *marks[:1] * (summary.state != "over" or summary.timed_out is not None)))
            ),
            inks.text,
        )
        return
    put(others[0], place, inks.text if first else where.muted, bold=first)
    put(others[1], result, inks.text if summary.state == "over" else where.muted)
    put(others[2], whole(marks or [""], ", ", others[2].width), _mark_ink(where, row))


def _mark_ink(where: Place, row: ArchivedSession) -> str:
    return where.canvas.theme.inks.text if row.summary.state == "open" else where.quiet
