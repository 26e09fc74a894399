"""Curtain of the hot seat: the next player's name and the events they have missed, without any secrets."""

from collections.abc import Sequence
from typing import Final

from cardtable.engine.log_entries import Said
from cardtable.session.session_events import LoggedMessage
from cardtable.ui.keys.table_keys import list_footer_keys
from cardtable.ui.table.model.view_model import TableFrame
from cardtable.ui.table.paint.board import FACT_SEPARATOR
from cardtable.ui.toolkit.page import paint_footer
from cardtable.ui.toolkit.painting import card_faces
from cardtable.ui.toolkit.painting.canvas import Canvas, join_fitting, wrap
from cardtable.ui.toolkit.painting.layout import Box, Layout, get_layout
from cardtable.ui.toolkit.text_input import TextInput, paint_text_input
from cardtable.wording.log_entries import QUIET_SENDER
from cardtable.wording.missed import TURN_PROMPT, format_heading, format_missed_events, format_time_since
from cardtable.wording.players import Names

PLATE_WIDTH: Final = 36
_LINE_WIDTH: Final = 28
"""Width of the password input in columns."""
BLOCK_WIDTH: Final = 56
_INDENT: Final = 3
_LABEL_WIDTH: Final = 10
"""Width of the labels of missed events in columns."""
_BACK_STEPS: Final = {card_faces.SMALL: 3, card_faces.FULL: 5}
"""Visible columns of a covered card back by card size, if there is room."""


def paint_curtain(canvas: Canvas, layout: Layout, frame: TableFrame) -> None:
    """Paint a hidden hand, a gold plate with the next player's name, and the events that this player has missed."""
    theme, middle = canvas.theme, canvas.width // 2
    canvas.fill(0, 0, canvas.width, 1, theme.grounds.panel)
    x = canvas.write(layout.margin, 0, frame.game.about.title, theme.inks.text, bold=True) + 2
    canvas.write(x, 0, join_fitting(frame.facts, FACT_SEPARATOR, canvas.width - layout.margin - x), theme.inks.muted)
    top = _paint_plate(canvas, layout, frame)
    width = min(BLOCK_WIDTH, canvas.width - 4)
    bottom = canvas.height - (1 if layout.tiny else 2)
    block = Box(middle - width // 2, top, width, bottom - top)
    _paint_missed(canvas, block, frame, airy=not layout.tiny)
    paint_footer(canvas, list_footer_keys(frame), layout.margin, frame.banner)


def _paint_plate(canvas: Canvas, layout: Layout, frame: TableFrame) -> int:
    """Paint the hidden hand and the plate; return the first row below them.

    While no player is called, a text tells that cards are dealt, or which robot is choosing an action.
    """
    theme, middle = canvas.theme, canvas.width // 2
    size, y, plate = _compute_positions(layout)
    below = plate + (8 if layout.large else 6)
    if frame.handover_seat is None:
        robot = frame.thinking_robot
        text = "Dealing the cards" if robot is None else f"{frame.names[robot]} is thinking ..."
        canvas.write_centred(middle, plate + 1, text, theme.inks.muted)
        return below
    if not layout.tiny:
        _paint_backs(canvas, y, size, len(frame.game_view.order(frame.view)))
    name = frame.names[frame.handover_seat]
    canvas.fill(middle - PLATE_WIDTH // 2, plate, PLATE_WIDTH, 3, theme.inks.gold)
    if frame.password_nick:
        canvas.write_centred(middle, plate + 4, f"{frame.password_nick}, your password, please", theme.inks.muted)
        return below
    prompt = TURN_PROMPT.format(name, canvas.appearance.keys.format_label("play"))
    canvas.write_centred(middle, plate + 1, prompt, theme.grounds.panel, bold=True)
    canvas.write_centred(middle, plate + 4, f"when only {name} can see the screen", theme.inks.muted)
    return below


def _compute_positions(layout: Layout) -> tuple[card_faces.Size, int, int]:
    """Return the size of the card backs, the first row of the hand, and the first row of the plate.

    In the smallest layout there are no card backs.
    """
    size, y = (card_faces.FULL, 7) if layout.large else (card_faces.SMALL, 2)
    return size, y, 2 if layout.tiny else y + size.height + (3 if layout.large else 1)


def paint_password(canvas: Canvas, line: TextInput, error: str | None) -> None:
    """Paint the password input on the plate, and below it why the last password was refused."""
    grid, middle = get_layout(canvas), canvas.width // 2
    _, _, plate = _compute_positions(grid)
    paint_text_input(canvas, middle - _LINE_WIDTH // 2, plate + 1, _LINE_WIDTH, line, "password")
    if error:
        row = plate + 4
        canvas.fill(0, row, canvas.width, 1, canvas.theme.grounds.felt)
        canvas.write_centred(middle, row, error, canvas.theme.inks.loss)


def _paint_backs(canvas: Canvas, y: int, size: card_faces.Size, card_count: int) -> None:
    """Paint a fan of cards face down, centred."""
    if not card_count:
        return
    step = max(min(_BACK_STEPS[size], (canvas.width - 4 - size.width) // max(card_count - 1, 1)), 1)
    x = (canvas.width - step * (card_count - 1) - size.width) // 2
    for i in range(card_count):
        card_faces.paint_back(canvas, x + step * i, y, size)


def _paint_missed(canvas: Canvas, box: Box, frame: TableFrame, *, airy: bool) -> None:
    """Paint the newest missed events that fit, oldest first; chat is omitted first, beginning with the oldest."""
    missed, inks = frame.missed, canvas.theme.inks
    width, margin = box.width - 2 * _INDENT, 1 if airy else 0
    room = box.height - 3 - margin
    talk = [index for index, message in enumerate(missed.messages) if isinstance(message.note, Said)]
    rows = _wrap_messages(missed.messages, frame.names, width)
    for shown_talk in (talk[len(talk) - number :] for number in range(min(len(talk), room), -1, -1)):
        if len(rows) <= room:
            break
        omitted = set(talk).difference(shown_talk)
        kept = [message for index, message in enumerate(missed.messages) if index not in omitted]
        rows = _wrap_messages(kept, frame.names, width)
    rows = rows[-room:]
    while len(rows) > 1 and not rows[0][0]:  # the first row of that event does not fit
        del rows[0]
    canvas.fill(box.x, box.y, box.width, max(len(rows), 1) + 3 + margin, canvas.theme.grounds.panel)
    x, y = box.x + _INDENT, box.y + margin
    canvas.write(x, y, format_heading(missed), inks.text, bold=True)
    canvas.write_right(box.right - _INDENT, y, format_time_since(missed), inks.quiet)
    for row, (label, text) in enumerate(rows or [("", "nothing has happened yet")], y + 2):
        canvas.write(x, row, label, inks.muted)
        card_faces.paint_text(canvas, x + _LABEL_WIDTH, row, text, inks.text)


def _wrap_messages(messages: Sequence[LoggedMessage], names: Names, width: int) -> list[tuple[str, str]]:
    """Return wrapped rows of label and text; only the first row of an event has a label."""
    rows: list[tuple[str, str]] = []
    for label, text in format_missed_events(messages, names):
        first, *rest = wrap(text, width - _LABEL_WIDTH, card_faces.measure_text)
        rows += [(label or QUIET_SENDER, first), *[("", more) for more in rest]]
    return rows
