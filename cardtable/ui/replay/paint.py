"""Painting of the replay: the board, a panel about the current part of the round, and a ruler of its parts."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from cardtable.engine.bidding import Bid
from cardtable.engine.cards import NAME
from cardtable.engine.game import Note
from cardtable.engine.log_entries import Said
from cardtable.engine.text_format import capitalize_first
from cardtable.engine.tricks import Play
from cardtable.ui.replay.state import SPEEDS, ReplayState
from cardtable.ui.round_view.board import format_piles, paint_board, paint_seat_lines
from cardtable.ui.round_view.playhead import Part
from cardtable.ui.round_view.round_list import (
    LinesArea,
    compute_cards_per_line,
    compute_name_room,
    count_rows,
    paint_explanation,
    paint_round_header,
    paint_row,
    shorten_name,
)
from cardtable.ui.table.paint.score_sheet import paint_bar
from cardtable.ui.toolkit.form import paint_choice
from cardtable.ui.toolkit.painting import card_faces
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import MARGIN, Box, Layout, compute_layout
from cardtable.ui.toolkit.painting.text_fit import centre_window, shorten_names, wrap
from cardtable.ui.toolkit.scroll_list import BlockArea
from cardtable.wording.formatting import WINNER_MARK, join_name_and_verb
from cardtable.wording.log_entries import format_message, get_sender
from cardtable.wording.rounds import describe_step

RULER_ROWS: Final = 2
_CHOICE_WIDTH: Final = 12
"""Width of a choice, in columns."""
_CHOICE_OFFSET: Final = 8
"""Distance of the choices from the left edge of the panel's text, in columns."""
_CHOICE_ROWS: Final = 5
"""Number of rows at the foot of the panel that are reserved for the choices."""
_MAX_SHOWN_STEPS: Final = 8
"""Maximum number of rows with the latest cards or steps of the current part."""
_NARROW_WIDTH: Final = 40
"""Width in columns above which a line has room for a trick of six cards; the panel is never that wide."""
_MAX_MESSAGE_ROWS: Final = 3
"""Maximum number of rows with the chat messages and rulings of one position."""


class PointPart(NamedTuple):
    """Mouse target of a part of the round in the ruler, by its index."""

    part: int


class PointChoice(NamedTuple):
    """Mouse target of an arrow that changes the speed or the view."""

    choice: str
    step: int


def paint_replay(canvas: Canvas, state: ReplayState, right: str, *, is_still: bool = False) -> None:
    """Paint header, board, panel and ruler, and over them an explanation if there is one; the page paints the footer.

    ``right`` is the text at the right of the header. A still picture has no controls.
    """
    grid, snapshot = compute_layout(canvas.width, canvas.height), state.snapshot
    canvas.faces = snapshot.round.game.about.faces
    paint_round_header(canvas, "Replay", snapshot, format_round(state), right)
    if grid.tiny:
        y = paint_seat_lines(canvas, 1, snapshot)
        _paint_compact(canvas, y, state)
        _paint_ruler(canvas, Box(0, canvas.height - 1 - RULER_ROWS, canvas.width, RULER_ROWS), state)
    else:
        paint_board(canvas, grid, snapshot, below=RULER_ROWS)
        _paint_panel(canvas, grid, state, is_still=is_still)
        _paint_ruler(canvas, Box(0, canvas.height - 1 - RULER_ROWS, grid.panel.x, RULER_ROWS), state, grid)
    if state.explanation:
        name = "" if state.step is None or state.step.seat is None else state.names[state.step.seat]
        sees = state.step if state.step and state.round.is_open(state.step.seat or 0) else None
        paint_explanation(canvas, grid, name, sees, state.explanation, state.round.card_order)


def format_round(state: ReplayState) -> str:
    """Format the number of the round, with a remark if the session was abandoned."""
    return f"round {state.round.number} of {state.session.round_count}" + (
        ", abandoned" if state.session.given_up else ""
    )


def format_heading(state: ReplayState) -> tuple[str, str]:
    """Return the name of the current part of the round, and the progress within it."""
    part = state.playhead.part
    if part is None:
        return "After the deal", ""
    unit = "card" if state.round.has_tricks else "step"
    if part.number:
        return (
            f"{'Trick' if state.round.has_tricks else 'Turn'} {part.number}",
            f"{unit} {state.playhead.stop.done} of {part.length}",
        )
    if part.length > 1:
        return "Bids", f"bid {state.playhead.stop.done} of {part.length}"
    return "Before the next card", ""


def _list_past_actions(state: ReplayState) -> list[tuple[str, str]]:
    """Return the steps of the current part up to this position as pairs of name and text, with cards in notation."""
    part, replay = state.playhead.part, state.round
    if part is None:
        return []
    if replay.rows[part.first_row].trick:
        row = replay.rows[part.first_row]
        star = [
            (f" {WINNER_MARK}" if seat == row.taker and state.playhead.stop.done == part.length else "")
            for seat, _ in row.cards
        ]
        return [(state.names[s], NAME[c] + star[i]) for i, (s, c) in enumerate(row.cards[: state.playhead.stop.done])]
    steps = [replay.steps[step] for step in part.steps[: state.playhead.stop.done]]
    return [words for step in steps for words in describe_step(step, state.names)]


def _find_next_action(state: ReplayState) -> tuple[str, str] | None:
    """Return the name of the seat to act and what it is to do.

    ``None`` before an automatic step and at the end.
    """
    step = state.step
    if step is None or step.seat is None:
        return None
    name = state.names[step.seat]
    if isinstance(step.event, Play):
        return name, "to play"
    return name, "to bid" if isinstance(step.event, Bid) else "to choose"


def _list_messages(state: ReplayState) -> list[str]:
    """Return the chat messages and rulings between this position and the next step, one text each."""
    return (
        [_format_note(note, state.names) for note in state.playhead.next_step.asides]
        if state.playhead.next_step
        else []
    )


def _format_note(note: Note, names: Sequence[str]) -> str:
    if isinstance(note, Said):
        return f"{join_name_and_verb(get_sender(note, names), 'says', 'say')}: {format_message(note, names)}"
    text = format_message(note, names)
    return f"{capitalize_first(text)}."


def _paint_panel(canvas: Canvas, layout: Layout, state: ReplayState, *, is_still: bool) -> None:
    theme, panel, text = canvas.theme, layout.panel, layout.panel_text
    canvas.fill(panel.x, panel.y, panel.width, panel.height, theme.grounds.panel)
    name, far = format_heading(state)
    canvas.write(text.x, panel.y + 1, name, theme.inks.text, bold=True)
    canvas.write_right(text.right, panel.y + 1, far, theme.inks.muted)
    y = _paint_part(canvas, layout, state, panel.y + 3)
    foot = panel.bottom if is_still else panel.bottom - _CHOICE_ROWS
    _paint_earlier_lines(canvas, layout, state, y + 1, foot)
    if not is_still:
        _paint_choices(canvas, layout, state, foot)


def _paint_choices(canvas: Canvas, layout: Layout, state: ReplayState, foot: int) -> None:
    """Paint speed and view, with arrows that change them, below row ``foot``."""
    text = layout.panel_text
    speed = f"{SPEEDS[state.speed]:g} s"
    seen = "all" if state.visible_seat is None else shorten_names(state.names, _CHOICE_WIDTH - 4)[state.visible_seat]
    for row, word, value, choice in ((foot + 2, "Speed", speed, "speed"), (foot + 4, "Seen", seen, "look")):
        canvas.write(text.x, row, word, canvas.theme.inks.text, bold=True)
        area = BlockArea(canvas, text.x, row, text.width, has_cursor=False)
        paint_choice(area, _CHOICE_OFFSET, _CHOICE_WIDTH, value, (PointChoice(choice, -1), PointChoice(choice, 1)))


def _paint_part(canvas: Canvas, layout: Layout, state: ReplayState, y: int) -> int:
    """Paint the steps of the current part, the seat to act, and messages; return the next free row."""
    inks, text = canvas.theme.inks, layout.panel_text
    x = text.x + compute_name_room(state.names) + 1
    most = text.right + 1 - x
    happened, coming = _list_past_actions(state), _find_next_action(state)
    before = ""
    lines = [(name, line) for name, action in happened for line in wrap(action, most, card_faces.measure_text)]
    for name, line in lines[-_MAX_SHOWN_STEPS:]:
        canvas.write(text.x, y, shorten_name(name, state.names) if name != before else "", inks.soft)
        card_faces.paint_text(canvas, x, y, line, inks.text, bold=True, max_width=most)
        before, y = name, y + 1
    if coming:
        canvas.write(layout.panel.x, y, "▌", inks.gold)
        canvas.write(text.x, y, shorten_name(coming[0], state.names), inks.gold, bold=True)
        canvas.write(x, y, coming[1], inks.muted)
        y += 1
    for line in [
        line for message in _list_messages(state) for line in wrap(message, text.width, card_faces.measure_text)
    ][:_MAX_MESSAGE_ROWS]:
        canvas.write(text.x, y, line, inks.soft)
        y += 1
    return y


def _paint_earlier_lines(canvas: Canvas, layout: Layout, state: ReplayState, y: int, end: int) -> None:
    """Paint the lines of the round before the current part, under a heading, as many as fit above row ``end``."""
    if state.playhead.part is not None and state.playhead.part.first_row:
        text = layout.panel_text
        canvas.write(
            text.x, y, "Played before" if state.round.has_tricks else "Before", canvas.theme.inks.text, bold=True
        )
        top = y + (2 if layout.large else 1)
        _paint_lines(canvas, Box(text.x, top, text.width, end - top), state)


def _paint_lines(canvas: Canvas, box: Box, state: ReplayState) -> None:
    """Paint the last lines of the round before the current part that fit into the box.

    Tricks are painted with the latest at the top, other lines in order.
    """
    part, rows = state.playhead.part, state.round.rows
    place = LinesArea(
        box, has_gaps=False, cards_per_line=6 if box.width > _NARROW_WIDTH else compute_cards_per_line(len(state.names))
    )
    numbers: list[int] = []
    for number in range(part.first_row - 1 if part else -1, -1, -1):
        if sum(count_rows(rows[each], place.cards_per_line) for each in (*numbers, number)) > box.height:
            break
        numbers.append(number)
    y = box.y
    for number in numbers if state.round.has_tricks else reversed(numbers):
        paint_row(canvas, place, state.round, state.names, number, y)
        y += count_rows(rows[number], place.cards_per_line)


def _paint_compact(canvas: Canvas, y: int, state: ReplayState) -> None:
    """Paint the contents of the panel below the seats, for terminals without a panel.

    These are the middle of the table, the current part and the lines before it.
    """
    inks, width = canvas.theme.inks, canvas.width - 2
    end = canvas.height - 1 - RULER_ROWS
    piles = format_piles(state.snapshot)
    if piles and y < end - 1:
        card_faces.paint_text(canvas, 1, y, card_faces.shorten_text(piles, width), inks.soft, max_width=width)
        y += 1
    name, _ = format_heading(state)
    texts = [f"{player} {action}".strip() for player, action in _list_past_actions(state)] + [
        " ".join(_find_next_action(state) or ())
    ]
    for line in wrap(f"{name}: " + ", ".join(filter(None, texts)), width, card_faces.measure_text)[: end - y]:
        card_faces.paint_text(canvas, 1, y, line, inks.text, max_width=width)
        y += 1
    for line in [line for message in _list_messages(state) for line in wrap(message, width, card_faces.measure_text)][
        : max(end - y, 0)
    ]:
        canvas.write(1, y, line, inks.soft)
        y += 1
    _paint_lines(canvas, Box(1, y, width, end - y), state)


def _paint_ruler(canvas: Canvas, box: Box, state: ReplayState, layout: Layout | None = None) -> None:
    """Paint the ruler: the tricks or turns of the round, the current one in gold, and a progress bar below them.

    ``layout`` is ``None`` in a terminal without a panel.
    """
    theme, parts, stop = canvas.theme, state.playhead.parts, state.playhead.stop
    canvas.fill(box.x, box.y, box.width, box.height, theme.grounds.panel)
    large = layout is not None and layout.large
    x, cell = box.x + MARGIN, 5 if large else 4
    if large:
        canvas.write(x, box.y, "trick" if state.round.has_tricks else "turn", theme.inks.muted)
        x += 2 * cell - MARGIN
    room = (box.right + 1 - MARGIN - x) // cell
    first = centre_window(stop.part, room, len(parts))
    for i, part in enumerate(parts[first : first + room]):
        _paint_cell(canvas, Box(x + cell * i, box.y, cell, 1), part, first + i, stop.part)
    width = cell * min(room, len(parts))
    done = stop.part + stop.done / parts[stop.part].length if stop.part >= 0 else 0.0
    paint_bar(canvas, Box(x, box.y + 1, width, 1), round(1000 * done), 1000 * len(parts))


def _paint_cell(canvas: Canvas, box: Box, part: Part, number: int, current: int) -> None:
    """Paint a part in the ruler: its number, or a dot for a part that is neither a trick nor a turn."""
    inks, label = canvas.theme.inks, str(part.number or "·")
    at = number == current
    if at:
        canvas.fill(box.x, box.y, box.width, 1, inks.gold)
    ink = canvas.theme.grounds.panel if at else inks.text if number < current else inks.quiet
    canvas.write_right(box.x + box.width - 2, box.y, label, ink, bold=at)
    canvas.add_hit_box(box.x, box.y, box.width, RULER_ROWS, PointPart(number))
