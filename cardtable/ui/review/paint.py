"""The review on the screen: what each decision cost, the biggest mistakes first, and what experts made of the deals."""

from typing import Final, NamedTuple

from cardtable.ui.draw import card_faces
from cardtable.ui.draw.canvas import Canvas
from cardtable.ui.draw.column import paint_scroll_bar
from cardtable.ui.draw.fitting import cut
from cardtable.ui.review.decisions import Reviewed
from cardtable.wording import reviewed
from cardtable.wording.reviewed import Judged
from cardtable.wording.words import signed

LEFT: Final = 3
"""The first column of the words."""
TOP: Final = 4
"""The first row of the list."""
BAD: Final = 1.0
"""Points from which on a cost is a loss and not a trifle."""
_COST: Final = 6
"""Columns of what a decision cost."""
_COSTS: Final = ("cost in points", "cost")
"""What stands over that, as long as there is room for."""
_KIND: Final = 8
_CHOSEN: Final = 14
_BAR: Final = 20
_WIDE: Final = 60


class PointAt(NamedTuple):
    """The mouse's target: a line of the list."""

    row: int


def rows(canvas: Canvas) -> int:
    """Lines of the list that there is room for."""
    return canvas.height - TOP - _foot(canvas)


def _foot(canvas: Canvas) -> int:
    """Rows below the list: free ones, and what came of the same deals."""
    return 9 if canvas.height >= 36 else 4


def paint_list(canvas: Canvas, it: Reviewed, width: int) -> None:
    """Whose decisions, and each in a line, in the first ``width`` columns."""
    inks, lines = canvas.theme.inks, it.lines
    end = width - 4
    heading = cut("Your decisions" if it.me else f"Decisions of {it.who}", end - LEFT)
    after = canvas.text(LEFT, 2, heading, inks.text, bold=True) + _COST
    canvas.right(end, 2, next((said for said in _COSTS if after + len(said) <= end), ""), inks.muted)
    if not it.session.decisions:
        canvas.text(LEFT, TOP, "There was nothing to choose.", inks.muted)
    elif not lines:
        canvas.text(LEFT, TOP, "The expert is looking at the first one ...", inks.muted)
    room = rows(canvas)
    offset = max(0, min(it.row - room // 2, len(lines) - room))
    most = max([one.judgement.cost for one in lines], default=0.0)
    kinds = max([len(_kind(one)) for one in lines], default=0)
    chosen = min(max([card_faces.shown_width(one.chosen) for one in lines], default=0), _CHOSEN)
    for row, one in enumerate(lines[offset : offset + room], offset):
        _paint_line(canvas, TOP + row - offset, one, _Columns(end, min(kinds, _KIND), chosen, most), at=row == it.row)
        canvas.spot(0, TOP + row - offset, width, 1, PointAt(row))
    if len(lines) > room:
        paint_scroll_bar(canvas, width - 1, offset, len(lines) + canvas.height - 1 - TOP - room, TOP)
    _paint_same_deals(canvas, it, end)


class _Columns(NamedTuple):
    """How wide the columns of the list are, and the highest cost."""

    end: int
    kind: int
    chosen: int
    most: float


def _kind(one: Judged) -> str:
    return reviewed.kind(one.game, one.decision)


def _paint_line(canvas: Canvas, y: int, one: Judged, columns: _Columns, *, at: bool) -> None:
    theme, cost, end = canvas.theme, one.judgement.cost, columns.end
    inks = theme.inks
    if at:
        canvas.fill(LEFT - 1, y, end - LEFT + 2, 1, theme.grounds.row)
        canvas.text(LEFT - 1, y, "▌", inks.gold)
    canvas.right(LEFT + 2, y, str(one.decision.round), inks.soft)
    x = LEFT + 5
    canvas.text(x, y, cut(_kind(one), columns.kind), inks.text)
    x += columns.kind + 2
    card_faces.words(canvas, x, y, one.chosen, inks.text, bold=at, most=columns.chosen)
    x += columns.chosen + 2
    if end >= _WIDE:
        if one.better:
            after = canvas.text(x, y, "better ", inks.soft if at else inks.quiet)
            card_faces.words(canvas, after, y, one.better, inks.text, most=columns.chosen)
        x += len("better ") + columns.chosen + 2
    width = min(end - _COST - x, _BAR)
    loss = inks.loss if cost >= BAD else inks.soft if at else inks.muted
    if cost:
        paint_bar(canvas, x, y, width, cost / columns.most, loss)
    canvas.right(end, y, one.cost or "·", inks.text if cost else inks.soft if at else inks.quiet, bold=at)


def paint_bar(canvas: Canvas, x: int, y: int, width: int, share: float, ink: str, *, track: bool = False) -> None:
    """A bar of so much of the width, at least half a column, on a track or on the bare ground."""
    if track:
        canvas.text(x, y, "━" * width, canvas.theme.grounds.track)
    halves = max(1, round(2 * width * share)) if width > 0 < share else 0
    canvas.text(x, y, "━" * (halves // 2) + "╸" * (halves % 2), ink)


def _paint_same_deals(canvas: Canvas, it: Reviewed, end: int) -> None:
    """What came of the same deals; while it is not known, how far the review is."""
    inks, same = canvas.theme.inks, it.same
    y = canvas.height - 3
    if not it.done or same is None:
        canvas.text(LEFT, y, cut(reviewed.progress(it.session, it.review), end - LEFT), inks.quiet)
        return
    said = reviewed.on_the_same_deals(same, it.who)
    if _foot(canvas) == 4:
        canvas.text(LEFT, y, cut(said, end - LEFT), inks.muted)
        return
    y = canvas.height - 8
    canvas.text(LEFT, y, "On the same deals", inks.text, bold=True)
    rest = [(it.who[:1].upper() + it.who[1:], float(same.own), "as played"),
            ("Experts in this seat", same.experts, f"over {reviewed.spread(same)}")]  # fmt: skip
    highest = max(abs(figure) for _, figure, _ in rest) or 1.0
    for row, (name, figure, how) in enumerate(rest, y + 2):
        canvas.text(LEFT, row, cut(name, 20), inks.muted)
        paint_bar(canvas, LEFT + 21, row, _BAR, max(figure, 0.0) / highest, inks.soft, track=True)
        canvas.right(LEFT + 21 + _BAR + 6, row, signed(round(figure)), inks.text, bold=True)
        canvas.text(LEFT + 21 + _BAR + 8, row, cut(how, end - LEFT - 29 - _BAR + 1), inks.quiet)
    canvas.text(LEFT, y + 5, f"Without luck: {reviewed.a_round(same)}{reviewed.sure(same)}", inks.muted)
