"""Painting of the review page: the cost of each decision, and one decision in detail."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from cardtable.engine.cards import Card
from cardtable.engine.game import Action
from cardtable.engine.text_format import with_count
from cardtable.engine.tricks import Play
from cardtable.records.review import Alternative
from cardtable.ui.review.model import ReviewModel
from cardtable.ui.round_view.board import paint_hand
from cardtable.ui.round_view.playhead import HandShown
from cardtable.ui.table.paint.hint import ALIKE
from cardtable.ui.toolkit.painting import card_faces
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import Box
from cardtable.ui.toolkit.painting.text_fit import ELLIPSIS, truncate, wrap
from cardtable.ui.toolkit.scroll_list import paint_scroll_bar
from cardtable.wording import review
from cardtable.wording.formatting import signed, tenths
from cardtable.wording.review import ReviewText

LEFT: Final = 3
"""First column of the texts."""
TOP: Final = 4
"""First row of the list."""
BAD: Final = 1.0
"""Cost in points from which a decision is painted in the colour of a loss."""
_COST: Final = 6
"""Width of a decision's cost, in columns."""
_COSTS: Final = ("cost in points", "cost")
"""Headings for the column of costs; the first one that fits is used."""
_KIND: Final = 8
_CHOSEN: Final = 14
_BAR: Final = 20
_WIDE: Final = 60


class PointAt(NamedTuple):
    """Mouse target of a line of the list, by its index."""

    row: int


def rows(canvas: Canvas) -> int:
    """Return the number of lines of the list that fit on the canvas."""
    return canvas.height - TOP - _foot(canvas)


def _foot(canvas: Canvas) -> int:
    """Return the number of rows below the list: free rows, the results on the same deals, and the footer."""
    return 9 if canvas.height >= 36 else 4


def paint_list(canvas: Canvas, reviewed: ReviewModel, width: int) -> None:
    """Paint a heading and a line for each evaluated decision in the first ``width`` columns.

    The list is scrolled to show the cursor.
    """
    inks, lines = canvas.theme.inks, reviewed.lines
    end = width - 4
    heading = truncate("Your decisions" if reviewed.me else f"Decisions of {reviewed.who}", end - LEFT)
    after = canvas.text(LEFT, 2, heading, inks.text, bold=True) + _COST
    canvas.right(end, 2, next((said for said in _COSTS if after + len(said) <= end), ""), inks.muted)
    if not reviewed.session.decisions:
        canvas.text(LEFT, TOP, "There was nothing to choose.", inks.muted)
    elif not lines:
        canvas.text(LEFT, TOP, "The expert is looking at the first one ...", inks.muted)
    room = rows(canvas)
    offset = max(0, min(reviewed.row - room // 2, len(lines) - room))
    most = max([one.judgement.cost for one in lines], default=0.0)
    kinds = max([len(_kind(one)) for one in lines], default=0)
    chosen = min(max([card_faces.shown_width(one.chosen) for one in lines], default=0), _CHOSEN)
    for row, one in enumerate(lines[offset : offset + room], offset):
        _paint_line(
            canvas, TOP + row - offset, one, _Columns(end, min(kinds, _KIND), chosen, most), at=row == reviewed.row
        )
        canvas.add_hit_box(0, TOP + row - offset, width, 1, PointAt(row))
    if len(lines) > room:
        paint_scroll_bar(canvas, width - 1, offset, len(lines) + canvas.height - 1 - TOP - room, TOP)
    _paint_same_deals(canvas, reviewed, end)


class _Columns(NamedTuple):
    """Positions in a line of the list, and the highest cost, which has the longest bar."""

    end: int
    kind: int
    chosen: int
    most: float


def _kind(one: ReviewText) -> str:
    return review.decision_kind(one.game, one.decision)


def _paint_line(canvas: Canvas, y: int, one: ReviewText, columns: _Columns, *, at: bool) -> None:
    theme, cost, end = canvas.theme, one.judgement.cost, columns.end
    inks = theme.inks
    if at:
        canvas.fill(LEFT - 1, y, end - LEFT + 2, 1, theme.grounds.row)
        canvas.text(LEFT - 1, y, "▌", inks.gold)
    canvas.right(LEFT + 2, y, str(one.decision.round), inks.soft)
    x = LEFT + 5
    canvas.text(x, y, truncate(_kind(one), columns.kind), inks.text)
    x += columns.kind + 2
    card_faces.paint_text(canvas, x, y, one.chosen, inks.text, bold=at, most=columns.chosen)
    x += columns.chosen + 2
    if end >= _WIDE:
        if one.better:
            after = canvas.text(x, y, "better ", inks.soft if at else inks.quiet)
            card_faces.paint_text(canvas, after, y, one.better, inks.text, most=columns.chosen)
        x += len("better ") + columns.chosen + 2
    width = min(end - _COST - x, _BAR)
    loss = inks.loss if cost >= BAD else inks.soft if at else inks.muted
    if cost:
        paint_bar(canvas, x, y, width, cost / columns.most, loss)
    canvas.right(end, y, one.cost or "·", inks.text if cost else inks.soft if at else inks.quiet, bold=at)


def paint_bar(canvas: Canvas, x: int, y: int, width: int, share: float, ink: str, *, track: bool = False) -> None:
    """Paint a bar over a fraction ``share`` (0 to 1) of the width, rounded to half columns but visible if above 0.

    With ``track`` the rest of the width is painted faintly.
    """
    if track:
        canvas.text(x, y, "━" * width, canvas.theme.grounds.track)
    halves = max(1, round(2 * width * share)) if width > 0 < share else 0
    canvas.text(x, y, "━" * (halves // 2) + "╸" * (halves % 2), ink)


def _paint_same_deals(canvas: Canvas, reviewed: ReviewModel, end: int) -> None:
    """Paint the results on the same deals, or the progress of the review until they are known."""
    inks, same = canvas.theme.inks, reviewed.same
    y = canvas.height - 3
    if not reviewed.done or same is None:
        canvas.text(LEFT, y, truncate(review.progress(reviewed.session, reviewed.review), end - LEFT), inks.quiet)
        return
    said = review.on_the_same_deals(same, reviewed.who)
    if _foot(canvas) == 4:
        canvas.text(LEFT, y, truncate(said, end - LEFT), inks.muted)
        return
    y = canvas.height - 8
    canvas.text(LEFT, y, "On the same deals", inks.text, bold=True)
    rest = [(reviewed.who[:1].upper() + reviewed.who[1:], float(same.own), "as played"),
            ("Experts in this seat", same.experts, f"over {review.runs_text(same)}")]  # fmt: skip
    highest = max(abs(figure) for _, figure, _ in rest) or 1.0
    for row, (name, figure, how) in enumerate(rest, y + 2):
        canvas.text(LEFT, row, truncate(name, 20), inks.muted)
        paint_bar(canvas, LEFT + 21, row, _BAR, max(figure, 0.0) / highest, inks.soft, track=True)
        canvas.right(LEFT + 21 + _BAR + 6, row, signed(round(figure)), inks.text, bold=True)
        canvas.text(LEFT + 21 + _BAR + 8, row, truncate(how, end - LEFT - 29 - _BAR + 1), inks.quiet)
    canvas.text(LEFT, y + 5, f"Without luck: {review.per_round_text(same)}{review.error_text(same)}", inks.muted)


_INDENT: Final = 3
_NAME: Final = 14
"""Maximum width of a choice's name, in columns."""
_LABEL: Final = 6
"""Width of the labels "best" and "yours", in columns."""
_FIGURE: Final = 6
_HIGH: Final = 36
"""Minimum height of a terminal, in rows, in which lines are spaced."""


def paint_panel(canvas: Canvas, reviewed: ReviewModel, x: int) -> None:
    """Paint the panel about the decision under the cursor, from column ``x`` to the right edge."""
    canvas.fill(x, 1, canvas.width - x, canvas.height - 2, canvas.theme.grounds.panel)
    one = reviewed.current
    if one is None:
        return
    box = Box(x + _INDENT, 2, canvas.width - x - _INDENT - 2, canvas.height - 4)
    y = _paint_situation(canvas, box, reviewed, one)
    y = _paint_choices(canvas, Box(box.x, y, box.width, box.bottom - y), one)
    y = _paint_why(canvas, Box(box.x, y, box.width, box.bottom - y), one)
    if canvas.height >= _HIGH:
        _paint_shares(canvas, Box(box.x, y, box.width, box.bottom - y), one)
    alike = any(map(one.is_close, range(len(one.judgement.choices))))
    all_of_them = not one.judgement.worlds and len(one.judgement.choices) > 1
    basis = "all deals" if all_of_them else with_count(one.judgement.worlds, "deal")
    basis += f", ± {one.judgement.error:.1f}{'' if alike else ' points'}" if one.judgement.worlds else ""
    basis += f", {ALIKE} as good" if alike else ""
    canvas.text(box.x, canvas.height - 3, basis, canvas.theme.inks.quiet)


def _paint_situation(canvas: Canvas, box: Box, reviewed: ReviewModel, one: ReviewText) -> int:
    """Paint the situation of a decision (round, trick, contract, open cards and hand); return the next free row."""
    inks, game, decision = canvas.theme.inks, one.game, one.decision
    view, aims = decision.view, review.bid_status(one.game, decision)
    left = canvas.right(box.right, box.y, aims, inks.muted) if aims else box.right
    canvas.text(box.x, box.y, truncate(review.heading(game, decision), left - box.x), inks.text, bold=True)
    canvas.text(box.x, box.y + 1, truncate(", ".join(review.facts(game, decision)), box.width), inks.muted)
    lying = review.open_cards(game, decision, reviewed.names)
    text = "   ".join(f"{who} {what}" for who, what in lying if what)
    y = box.y + 3
    for line in wrap(text, box.width, card_faces.shown_width)[:2] if text else []:
        card_faces.paint_text(canvas, box.x, y, line, inks.soft, most=box.width)
        y += 1
    y += bool(text)
    able = 0
    for action in view.legal:
        able |= action.cards_used()
    plate = HandShown((), view.hand, able or view.hand, decision.action.cards_used() & view.hand, 0, 0)
    paint_hand(canvas, Box(box.x, y, box.width, 1), plate)
    return y + 2 + (canvas.height >= _HIGH)


def _paint_choices(canvas: Canvas, box: Box, one: ReviewText) -> int:
    """Paint the value of each choice, the best first, as many as fit; return the next free row."""
    inks = canvas.theme.inks
    choices, own = one.judgement.choices, str(one.decision.action)
    most = max(2, box.height - 3 - min(sum(len(_wrapped(text, box.width)) for text in one.judgement.why), 8))
    shown = _shown(choices, most, own)
    canvas.text(box.x, box.y, "Each choice", inks.text, bold=True)
    canvas.right(box.right, box.y, one.measure.head, inks.quiet)
    named = {str(action): action for action in one.decision.view.legal}
    width = min(max(_width(named[choice.action]) for choice in shown), _NAME)
    low, high = min(choice.worth for choice in choices), max(choice.worth for choice in choices)
    step = 2 if canvas.height >= _HIGH and len(shown) <= 6 else 1
    y = box.y + 1 + (canvas.height >= _HIGH)
    for number, choice in enumerate(shown):
        row = y + number * step
        best, yours = choice is choices[0], choice.action == own
        _paint_name(canvas, box.x, row, named[choice.action], width)
        label = "yours" if yours else "best" if best else ""
        ink = inks.loss if yours and not best and one.judgement.cost else inks.text
        x = canvas.text(box.x + width + 1, row, label, ink, bold=best)
        x = box.x + width + 1 + _LABEL
        share = 0.1 + 0.9 * (choice.worth - low) / (high - low) if high > low else 1.0
        bar = ink if yours and not best else inks.soft if best else inks.bar
        paint_bar(canvas, x, row, box.right - _FIGURE - x, share, bar, track=True)
        figure = canvas.right(
            box.right,
            row,
            tenths(one.measure.figure(one.lead(choices.index(choice)))),
            inks.text if best or yours else inks.muted,
            bold=best,
        )
        if one.is_close(choices.index(choice)):
            canvas.text(figure - 2, row, ALIKE, inks.muted)
    return y + len(shown) * step + 1


def _shown(choices: Sequence[Alternative], most: int, own: str) -> list[Alternative]:
    """Return the best ``max_count`` choices; the last one gives way to ``own_action`` if that is not among them."""
    shown = list(choices[:most])
    if own not in [choice.action for choice in shown]:
        shown[-1:] = [choice for choice in choices if choice.action == own]
    return shown


def _width(action: Action) -> int:
    return card_faces.CHIP.width if isinstance(action, Play) else card_faces.shown_width(review.choice(action))


def _paint_name(canvas: Canvas, x: int, y: int, action: Action, width: int) -> None:
    if isinstance(action, Play):
        card: Card = action.card
        card_faces.card(canvas, x, y, card_faces.CHIP, card)
    else:
        card_faces.paint_text(canvas, x, y, review.choice(action), canvas.theme.inks.text, most=width)


def _wrapped(text: str, width: int) -> list[str]:
    return wrap(text, width, card_faces.shown_width)


def _paint_why(canvas: Canvas, box: Box, one: ReviewText) -> int:
    """Paint the expert's reasons, as far as they fit; return the next free row."""
    inks = canvas.theme.inks
    if box.height < 2:
        return box.y
    canvas.text(box.x, box.y, "Why", inks.text, bold=True)
    lines = [line for text in one.judgement.why for line in _wrapped(text, box.width)]
    room = box.height - 1
    for y, line in enumerate(lines[:room], box.y + 1):
        end = card_faces.paint_text(canvas, box.x, y, line, inks.muted, most=box.width)
        if y == box.y + room < box.y + len(lines):
            canvas.text(min(end, box.right), y, ELLIPSIS, inks.muted)
    return box.y + 3 + min(len(lines), room)


def _paint_shares(canvas: Canvas, box: Box, one: ReviewText) -> None:
    """Paint how often each choice reaches the aim of the game, such as an exact bid.

    Nothing is painted in games without such an aim, or without room for two choices.
    """
    inks = canvas.theme.inks
    shares = [(i, choice) for i, choice in enumerate(one.judgement.choices) if choice.share is not None]
    room = box.height - 3
    if not one.judgement.aim or room < 2 or len(shares) < 2:
        return
    often = f"How often {one.judgement.aim}"
    canvas.text(box.x, box.y, truncate(often, box.width), inks.text, bold=True)
    width = min(max(_width(one.action(i)) for i, _ in shares), _NAME)
    for row, (i, choice) in enumerate(shares[:room], box.y + 2):
        assert choice.share is not None
        _paint_name(canvas, box.x, row, one.action(i), width)
        x = box.x + width + 1 + _LABEL
        paint_bar(canvas, x, row, box.right - _FIGURE - x, choice.share, inks.bar, track=True)
        canvas.right(box.right, row, f"{100 * choice.share:.0f} %", inks.text)
