"""Painting of the side panel: facts of the round, table of the seats, messages, and the decision box at the bottom."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from msgspec.structs import replace
from rich.cells import cell_len

from cardtable.engine.log_entries import CustomLogEntry, Said
from cardtable.ui.game_view.decision import BoxRow, Decision, Option
from cardtable.ui.game_view.game_view import Row, Section
from cardtable.ui.game_view.hand_cursor import PointOption
from cardtable.ui.game_view.motion import TotalKey
from cardtable.ui.table.model.view_model import TableFrame
from cardtable.ui.toolkit.painting import card_faces
from cardtable.ui.toolkit.painting.canvas import (
    ELLIPSIS,
    Canvas,
    CardBounds,
    centre_window,
    shorten_names,
    wrap,
)
from cardtable.ui.toolkit.painting.layout import Box, Layout
from cardtable.wording.formatting import insert_suit_signs
from cardtable.wording.log_entries import Message, format_messages

MIN_SECTION_ROWS: Final = 3
"""Number of rows that the decision box leaves for the first section."""
VALUE_WIDTH: Final = 3
"""Width, in columns, of the value after a bar."""
_NEWER_MARK: Final = "\u2193 newer"
"""Mark beside the heading of messages that are scrolled back."""


def paint_panel(
    canvas: Canvas, layout: Layout, frame: TableFrame, sections: tuple[Section, ...], rows_back: int = 0
) -> int:
    """Paint the sections with an empty row between them, the messages, and the decision box at the bottom.

    In a tall layout they are painted below the mat, without the box. Nothing is painted if the layout has no room for
    them. The messages are scrolled back by ``rows_back`` rows, or as far as possible; the actual number is returned.
    Sections that do not fit are omitted.
    """
    if facts := layout.facts.height:
        area = layout.facts
        text = Box(area.x + 1, area.y, area.width - 2, area.height)
        layout = replace(layout, panel=area, panel_text=text)
    panel = layout.panel
    if not panel.width:
        return 0
    canvas.fill(panel.x, panel.y, panel.width, panel.height, canvas.theme.grounds.panel)
    end = panel.bottom + 1
    if frame.box and not facts:
        end = _paint_box(canvas, layout, frame, frame.box)
    y = layout.panel_text.y
    for section in sections:
        if y + 1 + len(section.rows) > end:
            break
        y = _paint_section(canvas, layout, y, section) + 1
    return _paint_messages(canvas, layout, frame, y, end - 1, rows_back)


def _paint_section(canvas: Canvas, layout: Layout, y: int, section: Section) -> int:
    inks, box = canvas.theme.inks, layout.panel_text
    if section.heading:
        card_faces.paint_text(canvas, box.x, y, section.heading, inks.text, bold=True, max_width=box.width)
        _paint_right(canvas, box.right, y, section.aside, inks.muted)
        y += 1
    if not section.rows:
        return y
    longest = max(card_faces.measure_text(row.label) for row in section.rows)
    bar = min(box.width - VALUE_WIDTH - longest - 1, 16 if layout.large else 12)
    squared = longest + 1 + max(row.squares for row in section.rows) + VALUE_WIDTH <= box.width
    offsets = _compute_offsets(layout, section)
    labels, short_rooms = [row.label for row in section.rows], []
    for row in section.rows:
        room = box.width - VALUE_WIDTH - bar - 1 if row.bar else _compute_label_width(box.width, offsets, row)
        if card_faces.measure_text(row.label) > room:
            short_rooms.append(room)
    labels = shorten_names(labels, min(short_rooms)) if short_rooms else labels
    for row, label in zip(section.rows, labels, strict=True):
        card_faces.paint_text(canvas, box.x, y, label, inks.text if row.own else inks.muted, bold=row.own)
        if squared:
            canvas.write(box.x + longest + 1, y, "■" * row.squares, inks.bar)
        if row.bar:
            _paint_bar(canvas, box.right - VALUE_WIDTH, y, bar, *row.bar)
        _paint_values(canvas, box.right, y, row, offsets)
        y += 1
    return y


def _compute_offsets(layout: Layout, section: Section) -> list[int]:
    """Return the distance of each value column from the right edge, last column first.

    The columns are as far apart as the labels permit.
    """
    columns = max(len(row.values) for row in section.rows)
    widths = [max(_measure_value(row, column) for row in section.rows) for column in range(columns)]
    step = (10 if layout.large else 8) if columns <= 2 else 7 if layout.large else min(max(widths) + 2, 7)
    tries = [[step * column for column in range(columns)]]
    tries += [[sum(widths[:column]) + gap * column for column in range(columns)] for gap in (3, 2, 1)]
    width = layout.panel_text.width

    def fits_labels(offsets: list[int]) -> bool:
        rooms = [_compute_label_width(width, offsets, row) for row in section.rows]
        return all(card_faces.measure_text(row.label) <= room for row, room in zip(section.rows, rooms, strict=True))

    return next(filter(fits_labels, tries), tries[-1])


def _compute_label_width(width: int, offsets: list[int], row: Row) -> int:
    """Return the number of columns that the values leave for the label."""
    last = len(row.values) - 1
    return width - offsets[last] - _measure_value(row, last) - 1 if row.values else width


def _measure_value(row: Row, column: int) -> int:
    """Return the width of a value in columns; ``column`` is counted from the last value."""
    return card_faces.measure_text(row.values[-1 - column]) if column < len(row.values) else 0


def _paint_values(canvas: Canvas, right: int, y: int, row: Row, offsets: list[int]) -> None:
    inks = canvas.theme.inks
    for column, value in enumerate(reversed(row.values)):
        asked = row.asked and not column
        ink = inks.muted if row.heading else inks.gold if asked else inks.text
        if row.total_of is not None and column == len(row.values) - 1:
            width = len(value)
            canvas.card_bounds[TotalKey(row.total_of, y)] = CardBounds(right - offsets[column] - width + 1, y, width, 1)
        _paint_right(canvas, right - offsets[column], y, value, ink, bold=row.own or asked)


def _paint_bar(canvas: Canvas, end: int, y: int, width: int, amount: int, limit: int) -> None:
    """Paint the progress towards a limit, in a warning colour once it has reached two thirds."""
    inks, x = canvas.theme.inks, end - width + 1
    filled = min(width, -(-width * amount // limit)) if amount > 0 else 0
    ink = inks.bad if amount >= limit else inks.warn if 3 * amount >= 2 * limit else inks.bar
    canvas.write(x, y, "▅" * width, canvas.theme.grounds.track)
    canvas.write(x, y, "▅" * filled, ink)


def _paint_right(canvas: Canvas, x: int, y: int, text: str, ink: str, *, bold: bool = False) -> None:
    card_faces.paint_text(canvas, x - card_faces.measure_text(text) + 1, y, text, ink, bold=bold)


class ScrollMessages(NamedTuple):
    """Mouse target of the messages in the panel, for the mouse wheel."""


_RECENT_MESSAGES: Final = 8
"""Number of newest messages among which talk is shown where there is no room for the messages themselves."""


class MessageRow(NamedTuple):
    """Row of a wrapped message, with cards in notation."""

    sender: str
    """Sender; "" in all rows of a message except the first."""
    text: str
    is_muted: bool


def _list_messages(frame: TableFrame) -> list[Message]:
    has_talk = frame.human_count > 1 or not frame.is_local
    return format_messages(frame.messages, frame.names, joins=frame.game_view.joins_messages, has_talk=has_talk)


def wrap_messages(frame: TableFrame, width: int) -> list[list[MessageRow]]:
    return [_wrap_message(message, width) for message in _list_messages(frame)]


def _wrap_message(message: Message, width: int) -> list[MessageRow]:
    sender, text, quiet = message
    start = wrap(text, max(width - cell_len(sender) - 1, 8), card_faces.measure_text)[0]
    rest = wrap(text[len(start) :], width - 1, card_faces.measure_text)
    return [MessageRow(sender, start, quiet), *[MessageRow("", part, quiet) for part in rest if part]]


def format_newest_talk(frame: TableFrame) -> str:
    """Return the line that another person, or the club, said last; "" if it is not among the newest messages."""
    kinds = (Said,) if frame.is_local else (Said, CustomLogEntry)
    newest = [note for note in frame.messages[-_RECENT_MESSAGES:] if isinstance(note, kinds)]
    talk = [note for note in newest if isinstance(note, Said) or note.seat is None]
    if not talk or talk[-1].seat == frame.seat:
        return ""
    (message,) = format_messages(talk[-1:], frame.names, joins=False)
    return f"{message.sender} {message.text}"


def list_newest_rows(frame: TableFrame, width: int, max_rows: int) -> list[MessageRow]:
    """Return the newest messages in at most ``max_rows`` rows; the newest one is truncated if it needs more.

    If messages join several actions, the last ones matter most, so that the beginning of the oldest one is left out.
    """
    newest_rows: list[MessageRow] = []
    for message in reversed(_list_messages(frame)):
        rows, left = _wrap_message(message, width), max_rows - len(newest_rows)
        if len(rows) > left > 0 and frame.game_view.joins_messages:
            return [*_truncate_start(message, left, width), *newest_rows]
        if len(rows) > left:
            return newest_rows or _truncate_end(message, left, width)
        newest_rows = rows + newest_rows
    return newest_rows


def _truncate_end(message: Message, row_count: int, width: int) -> list[MessageRow]:
    """Return the first ``row_count`` rows of a message, ending in an ellipsis."""
    rows = _wrap_message(message, width)[:row_count]
    last = rows[-1]
    room = width - (cell_len(last.sender) + 1 if last.sender else 1) - 1
    fitting, rest = card_faces.split_words(last.text, room)
    return [*rows[:-1], last._replace(text=(fitting or rest.split()[0]) + ELLIPSIS)]


def _truncate_start(message: Message, row_count: int, width: int) -> list[MessageRow]:
    """Return the last words of a message in ``row_count`` rows, after the sender and an ellipsis."""
    _, *words = message.text.split()
    while words:
        rows = _wrap_message(message._replace(text=ELLIPSIS + " ".join(words)), width)
        if len(rows) <= row_count:
            return rows
        _, *words = words
    return _truncate_end(message, row_count, width)


def _paint_messages(canvas: Canvas, layout: Layout, frame: TableFrame, y: int, end: int, rows_back: int) -> int:
    room = end - y - 1
    if frame.is_over:
        frame = replace(frame, messages=[note for note in frame.messages if isinstance(note, Said)])
    if room < 1 or not frame.messages:
        return 0
    inks, box = canvas.theme.inks, layout.panel_text
    rows = [row for message in wrap_messages(frame, box.width) for row in message] if rows_back else []
    rows_back = min(rows_back, max(len(rows) - room, 0))
    canvas.add_hit_box(layout.panel.x, y, layout.panel.width, room + 1, ScrollMessages())
    canvas.write(box.x, y, "Messages", inks.text, bold=True)
    if rows_back:
        _paint_right(canvas, box.right, y, _NEWER_MARK, inks.muted)
    last = len(rows) - rows_back
    shown_rows = rows[last - room : last] if rows_back else list_newest_rows(frame, box.width, room)
    for i, row in enumerate(shown_rows, start=1):
        x = canvas.write(box.x, y + i, row.sender, inks.muted) + 1
        ink = inks.muted if row.is_muted else inks.text
        card_faces.paint_text(canvas, x, y + i, row.text, ink, max_width=box.right + 1 - x)
    return rows_back


def _paint_box(canvas: Canvas, layout: Layout, frame: TableFrame, decision: Decision) -> int:
    """Paint the decision box; return its first row."""
    panel, text = layout.panel, layout.panel_text
    airy = layout.large and any(group.is_grid for group in decision.groups)
    full_height = compute_box_height(decision, frame.option, text.width, airy=airy)
    margin = 1 if layout.large else 0
    height = min(full_height, panel.height - MIN_SECTION_ROWS - 1 - 2 * margin)
    top = panel.bottom - height - 2 * margin
    canvas.fill(panel.x, top, panel.width, panel.bottom - top + 1, canvas.theme.grounds.mat)
    paint_decision(canvas, Box(text.x, top + margin, text.width, height), frame, decision, airy=airy)
    return top


MAX_NOTE_ROWS: Final = 3
"""Maximum number of rows of notes below the options."""
_MARK_WIDTH: Final = 2
"""Width of a mark in columns."""


def compute_box_height(decision: Decision, option_index: int, width: int, *, airy: bool, on_mat: bool = False) -> int:
    """Return the height of the whole box in rows, from the title to the last note."""
    below = wrap_notes(decision, option_index, width, on_mat=on_mat)
    separator_rows = 1 if below and not on_mat else 0
    return _count_title_rows(airy=airy) + len(decision.list_rows(option_index)) + separator_rows + len(below)


def _count_title_rows(*, airy: bool) -> int:
    return 2 if airy else 1


def compute_box_on_mat(layout: Layout, decision: Decision, option_index: int) -> Box:
    mat = layout.mat
    height = min(compute_box_height(decision, option_index, mat.width - 4, airy=False, on_mat=True), mat.height)
    return Box(mat.x, mat.bottom - height + 1, mat.width, height)


def wrap_notes(decision: Decision, option_index: int, width: int, *, on_mat: bool = False) -> list[str]:
    """Return the wrapped notes on an option, after its label if that has no room in its row.

    With ``on_mat`` they begin with its worth, which the box covers on the mat.
    """
    option = decision.options[option_index]
    is_cut = decision.find_group(option_index)[0].columns == 1 and card_faces.measure_text(option.label) > width + 1
    texts = [option.worth if on_mat else "", option.label if is_cut else "", option.note or decision.note]
    return [line for note in texts if note for line in wrap(note, width, card_faces.measure_text)][:MAX_NOTE_ROWS]


def paint_decision(
    canvas: Canvas, box: Box, frame: TableFrame, decision: Decision, *, airy: bool, on_mat: bool = False
) -> None:
    """Paint the decision box in ``box``, scrolled to the cursor if it has too many rows.

    ``airy`` adds an empty row below the title. ``on_mat`` omits the row above the notes, since the box covers part of
    the mat.
    """
    inks, y = canvas.theme.inks, box.y
    lines = decision.list_rows(frame.option)
    below = wrap_notes(decision, frame.option, box.width, on_mat=on_mat)
    separator_rows = 1 if below and not on_mat else 0
    room = box.height - _count_title_rows(airy=airy) - separator_rows - len(below)
    x = canvas.write(box.x, y, decision.title, inks.gold, bold=True) + 1
    _paint_marks(canvas, box, y, decision.marks, (inks.text, inks.muted))
    last = _select_visible_lines(lines, len(decision.options) - 1, room)
    beside = x + len(_format_part(decision, last)) < box.right - _MARK_WIDTH * (len(decision.marks) - 1)
    if len(last) < len(lines) and not beside and not separator_rows:
        separator_rows, room = 1, room - 1
    shown_lines = _select_visible_lines(lines, frame.option, room)
    part = _format_part(decision, shown_lines) if len(shown_lines) < len(lines) else ""
    if beside:
        canvas.write(x, y, part, inks.muted)
    y += _count_title_rows(airy=airy)
    for line in shown_lines:
        _paint_line(canvas, Box(box.x, y, box.width, 1), frame, decision, line)
        y += 1
    if not beside and separator_rows:
        canvas.write_right(box.right, y, part, inks.muted)
    for note_row, note in enumerate(below, y + separator_rows):
        card_faces.paint_text(canvas, box.x, note_row, note, inks.muted, max_width=box.width)


def _format_part(decision: Decision, lines: Sequence[BoxRow]) -> str:
    """Return which options these lines have, counted from 1: ``1–16 of 37``. The last options have the longest text."""
    listed = [option for line in lines for option in line.options]
    return f"{listed[0] + 1}–{listed[-1] + 1} of {len(decision.options)}"


def _select_visible_lines(lines: Sequence[BoxRow], option_index: int, max_lines: int) -> Sequence[BoxRow]:
    """Return at most ``max_lines`` lines, including the one with the option ``option_index``."""
    if len(lines) <= max_lines:
        return lines
    cursor_line = next(i for i, line in enumerate(lines) if option_index in line.options)
    start = centre_window(cursor_line, max_lines, len(lines))
    return lines[start : start + max_lines]


def _paint_line(canvas: Canvas, box: Box, frame: TableFrame, decision: Decision, line: BoxRow) -> None:
    inks, group = canvas.theme.inks, line.group
    if group is None:
        return
    if not line.options:
        card_faces.paint_text(canvas, box.x, box.y, group.heading, inks.muted, max_width=box.width)
        _paint_marks(canvas, box, box.y, group.marks, (inks.text, inks.muted))
        return
    options = decision.options
    if group.single_shown:
        is_selected = frame.in_box and line.options[0] == frame.option
        _paint_number(canvas, box, decision, line.options[0], group.heading, is_selected=is_selected)
        return
    cell = box.width // group.columns
    if group.is_grid:
        cell = min(cell, 5 if box.width > 24 else 4)
    for column, index in enumerate(line.options):
        is_selected = frame.in_box and index == frame.option
        gap = 1 if group.columns == 2 else 0
        paint = paint_bid if group.is_grid else _paint_option
        area = Box(box.x + cell * column, box.y, cell - gap, 1)
        paint(canvas, area, options[index], index, is_selected=is_selected)


def _choose_inks(canvas: Canvas, option: Option, *, is_selected: bool) -> tuple[str, str]:
    """Return the inks of an option's label and of its effect, which stands at the right."""
    theme = canvas.theme
    if is_selected:
        return theme.grounds.panel, theme.grounds.panel
    return (theme.inks.text, theme.inks.muted) if option.action else (theme.inks.off, theme.inks.off)


def paint_bid(canvas: Canvas, box: Box, option: Option, index: int, *, is_selected: bool) -> None:
    ink, _ = _choose_inks(canvas, option, is_selected=is_selected)
    if is_selected:
        canvas.fill(box.x, box.y, 3, 1, canvas.theme.inks.gold)
    canvas.write(box.x + 2 - len(option.label), box.y, option.label, ink, bold=option.action is not None)
    canvas.add_hit_box(box.x, box.y, box.width, 1, PointOption(index))


def _paint_option(canvas: Canvas, box: Box, option: Option, index: int, *, is_selected: bool) -> None:
    ink, quiet = _choose_inks(canvas, option, is_selected=is_selected)
    suits = canvas.theme.suits.gold if is_selected else None
    if is_selected:
        canvas.fill(box.x - 1, box.y, box.width + 2, 1, canvas.theme.inks.gold)
    label = card_faces.shorten_text(option.label, box.width + 1)  # up to the margin of the box or the next column
    x = card_faces.paint_text(canvas, box.x, box.y, label, ink, bold=option.action is not None, suits=suits)
    effect = insert_suit_signs(option.effect)
    if x + 1 + len(effect) <= box.right + 1:
        card_faces.paint_text(canvas, box.right - len(effect) + 1, box.y, option.effect, quiet, suits=suits)
    _paint_marks(canvas, box, box.y, option.marks, (ink, quiet))
    canvas.add_hit_box(box.x - 1, box.y, box.width + 2, 1, PointOption(index))


def _paint_number(canvas: Canvas, box: Box, decision: Decision, index: int, heading: str, *, is_selected: bool) -> None:
    """Paint an option between arrows, which select the previous and the next option by mouse."""
    theme, option = canvas.theme, decision.options[index]
    before, after = decision.move_horizontal(index, -1), decision.move_horizontal(index, 1)
    ink, quiet = _choose_inks(canvas, option, is_selected=is_selected)
    if is_selected:
        canvas.fill(box.x - 1, box.y, box.width + 2, 1, theme.inks.gold)
    suits = theme.suits.gold if is_selected else None
    x = card_faces.paint_text(canvas, box.x, box.y, f"{heading} " if heading else "", ink, suits=suits)
    if before is not None and before != index:
        canvas.add_hit_box(x - 1, box.y, 3, 1, PointOption(before))
        canvas.write(x, box.y, "◂", quiet)
    x += 2
    start = x
    x = card_faces.paint_text(canvas, x, box.y, option.label, ink, bold=True, suits=suits)
    canvas.add_hit_box(start, box.y, x - start, 1, PointOption(index))
    if after is not None and after != index:
        canvas.add_hit_box(x, box.y, 3, 1, PointOption(after))
        canvas.write(x + 1, box.y, "▸", quiet)


def _paint_marks(canvas: Canvas, box: Box, y: int, marks: Sequence[str], inks: tuple[str, str]) -> None:
    """Paint a mark for each seat, right-aligned; the first one, for the viewing seat, in bold."""
    own, others = inks
    for i, mark in enumerate(marks):
        x = box.right - _MARK_WIDTH * (len(marks) - 1 - i)
        canvas.write_right(x, y, mark, others if i else own, bold=not i)
