"""Pictures of stored sessions as SVG: the table at a moment of a replay, and the score sheet.

They need no terminal, and depend only on the session and on the settings: nobody is "You", and the first human player
sits at the bottom.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from rich.cells import cell_len

from cardtable.engine.game import Score, Seat
from cardtable.engine.text_format import capitalize_first, sanitize
from cardtable.session.round_replay import SessionReplay
from cardtable.store.settings import TerminalFlags
from cardtable.ui.replay import ReplayModel, format_heading, format_round, paint_replay
from cardtable.ui.toolkit.page import paint_page_header
from cardtable.ui.toolkit.painting import card_faces, svg
from cardtable.ui.toolkit.painting.canvas import NICK_WIDTH, Canvas, shorten_names, wrap
from cardtable.ui.toolkit.painting.layout import MARGIN
from cardtable.ui.toolkit.preferences import Preferences
from cardtable.wording import score_sheet
from cardtable.wording.formatting import MINUS, WINNER_MARK, format_gain, format_number, format_weighted_title
from cardtable.wording.players import find_seat
from cardtable.wording.score_sheet import StoredSheet


class Moment(NamedTuple):
    """Moment of a session, as ``Playhead.move_to_moment`` counts it."""

    round_number: int = 1
    part: int | None = None
    """Number of a trick or turn."""
    step: int | None = None


def draw_table(
    path: Path, moment: Moment, viewer: str, size: tuple[int, int], flags: TerminalFlags, *, as_open: bool = False
) -> str:
    """Return the table at a moment of a session as SVG, of ``size`` in columns and rows.

    ``viewer`` is the name or number of the seat whose view is shown; if it is empty, all hands are shown. ``as_open``
    also shows the round in progress of a session that people still play. Raises ``CardtableError`` if there is no such
    moment or seat, and if the cards must not be shown.
    """
    session = SessionReplay(path, as_open=as_open)
    session.check_finished_or_open()
    replay = session.get_round(session.check_round_number(moment.round_number))
    model = ReplayModel(session, replay, "", find_seat(session.header, viewer) if viewer else None)
    model.playhead.move_to_moment(moment.part, moment.step)
    preferences = Preferences.load(flags, in_file=True)
    canvas = Canvas(*size, preferences.appearance)
    paint_replay(canvas, model, model.view_name, is_still=True)
    canvas.fill(0, canvas.height - 1, canvas.width, 1, canvas.theme.grounds.panel)
    canvas.write(MARGIN, canvas.height - 1, f"session {session.header.id}", canvas.theme.inks.quiet)
    title = f"{session.game.about.title}, {format_round(model)}, {' '.join(format_heading(model)).strip()}"
    return svg.format_canvas(canvas, f"{title}: {', '.join(model.names)}", preferences.render_options)


def draw_score_sheet(stored: StoredSheet, flags: TerminalFlags) -> str:
    """Return a score sheet as SVG, as wide and high as it needs to be."""
    preferences = Preferences.load(flags, in_file=True)
    plan = _SheetPlan(stored)
    text = score_sheet.format_standing(stored.names, stored.sheet, is_abandoned=stored.is_abandoned).replace("-", MINUS)
    standing = wrap(capitalize_first(text) + ".", plan.width - 2 * MARGIN)
    height = _FIRST_ROUND_ROW + len(stored.sheet.scores) + 1 + len(standing) + 1
    canvas = Canvas(plan.width, height, preferences.appearance)
    _paint_sheet(canvas, plan, stored)
    for y, line in enumerate(standing, height - 1 - len(standing)):
        canvas.write(MARGIN, y, line, canvas.theme.inks.soft)
    title = f"{stored.sheet.game.about.title}, score sheet: {', '.join(stored.names)}"
    return svg.format_canvas(canvas, title, preferences.render_options)


_FIRST_ROUND_ROW: Final = 5
_MIN_WIDTH: Final = 60
"""Minimum width of the picture of a score sheet, in columns."""
_ROUND_END: Final = 6
"""Last column of the numbers of rounds."""
_GAP: Final = 2
"""Number of free columns between the numbers of a player, and beside those of all of them."""


class _SheetPlan:
    """Columns of the picture of a score sheet."""

    def __init__(self, stored: StoredSheet) -> None:
        sheet = stored.sheet
        self.rows = [[_format_cells(stored, score, seat) for seat in range(sheet.seats)] for score in sheet.scores]
        self.titles = [format_weighted_title(score) for score in sheet.scores]
        self.headings = score_sheet.list_headings(sheet)
        self.names = shorten_names(stored.names, NICK_WIDTH)
        widths = [
            max(map(len, column))
            for column in zip(self.headings, *[cells for row in self.rows for cells in row], strict=True)
        ]
        self.ends = [sum(widths[: i + 1]) + _GAP * (i + 1) - 1 for i in range(len(widths))]
        """Last column of each number of a player, relative to the player's first column."""
        self.step = max(self.ends[-1] + 1 + _GAP, max(map(cell_len, self.names)) + 2 * _GAP + 2)
        """Number of columns of a player."""
        self.first = _ROUND_END + 3 + max([card_faces.measure_text(title) for title in self.titles], default=0) + _GAP
        """First column of the first player."""
        self.width = max(self.first + self.step * sheet.seats + MARGIN, _MIN_WIDTH)

    def find_column(self, seat: Seat) -> int:
        return self.first + self.step * seat


def _format_cells(stored: StoredSheet, score: Score, seat: Seat) -> Sequence[str]:
    """Return the numbers of a player in a round; the points of the round have a sign."""
    *figures, _, total = score_sheet.format_cells(stored.sheet, score, seat)
    return (*figures, format_gain(score.points[seat]), total)


def _paint_sheet(canvas: Canvas, plan: _SheetPlan, stored: StoredSheet) -> None:
    """Paint everything but the last line, about the end of the session."""
    theme, inks, sheet = canvas.theme, canvas.theme.inks, stored.sheet
    for seat in range(0, sheet.seats, 2):
        canvas.fill(plan.find_column(seat), 1, plan.step, _FIRST_ROUND_ROW + len(plan.rows), theme.grounds.band)
    paint_page_header(canvas, sheet.game.about.title, "score sheet", sanitize(stored.header.created[:10]))
    canvas.write_right(_ROUND_END, _FIRST_ROUND_ROW - 1, "round", inks.muted)
    for seat in range(sheet.seats):
        x, end = plan.find_column(seat) + _GAP, plan.find_column(seat) + plan.ends[-1]
        after = canvas.write(x, 2, plan.names[seat], inks.text, bold=True)
        if sheet.ranks and sheet.ranks[seat] == 1:
            canvas.write(after + 1, 2, WINNER_MARK, inks.gold, bold=True)
        canvas.write_right(end, 3, format_number(sheet.totals[seat]), inks.text, bold=True)
        for heading, column in zip(plan.headings, plan.ends, strict=True):
            canvas.write_right(plan.find_column(seat) + column, _FIRST_ROUND_ROW - 1, heading, inks.muted)
    for y, (title, row, score) in enumerate(zip(plan.titles, plan.rows, sheet.scores, strict=True), _FIRST_ROUND_ROW):
        canvas.write_right(_ROUND_END, y, str(y - _FIRST_ROUND_ROW + 1), inks.muted)
        card_faces.paint_text(canvas, _ROUND_END + 3, y, title, inks.soft)
        for seat, cells in enumerate(row):
            _paint_score(canvas, plan, y, seat, cells, is_loss=score.points[seat] < 0 and not sheet.game.lowest_wins)
            if score.bonuses[seat]:
                end = plan.find_column(seat) + plan.ends[-2]
                canvas.fill(end - len(cells[-2]), y, len(cells[-2]) + 2, 1, theme.grounds.bonus)
                canvas.write_right(end, y, cells[-2], inks.text, bold=True)


def _paint_score(canvas: Canvas, plan: _SheetPlan, y: int, seat: Seat, cells: Sequence[str], *, is_loss: bool) -> None:
    """Paint the numbers of a player in a round: figures, points and total."""
    inks = canvas.theme.inks
    usual = [inks.muted] * (len(cells) - 2)
    colours = [*usual, inks.loss if is_loss else inks.soft, inks.text]
    for cell, column, ink in zip(cells, plan.ends, colours, strict=True):
        canvas.write_right(plan.find_column(seat) + column, y, cell, ink)
