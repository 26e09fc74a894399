"""Painting of the replay: the board, a panel about the current part of the round, and a ruler of its parts."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from cardtable.engine.cards import NAME
from cardtable.engine.game import Note
from cardtable.engine.log_entries import Said
from cardtable.engine.tricks import Play
from cardtable.ui.replay.state import SPEEDS, ReplayState
from cardtable.ui.round_view.board import paint_board, paint_lines, piles_in_a_line
from cardtable.ui.round_view.playhead import Part
from cardtable.ui.round_view.round_list import (
    LinesArea,
    cards_per_line,
    height,
    name_room,
    paint_explanation,
    paint_round_header,
    paint_row,
    short_name,
    shorten,
)
from cardtable.ui.table.paint.score_sheet import paint_bar
from cardtable.ui.toolkit.form import paint_choice
from cardtable.ui.toolkit.painting import card_faces
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import MARGIN, Box, Layout, compute_layout
from cardtable.ui.toolkit.painting.text_fit import shorten_names, wrap
from cardtable.ui.toolkit.scroll_list import Place
from cardtable.wording.formatting import STAR, name_and_verb
from cardtable.wording.log_entries import message_text, sender
from cardtable.wording.rounds import step_words

RULER_ROWS: Final = 2
_CHOICE: Final = 12
"""Width of a choice, in columns."""
_CHOICE_AT: Final = 8
"""Distance of the choices from the left edge of the panel's text, in columns."""
_FOOT: Final = 5
"""Number of rows at the foot of the panel that are reserved for the choices."""
_MOST_SHOWN: Final = 8
"""Maximum number of rows with the latest cards or steps of the current part."""
_PANEL: Final = 40
"""Width in columns above which a line has room for a trick of six cards; the panel is never that wide."""
_MOST_TALK: Final = 3
"""Maximum number of rows with the chat messages and rulings of one position."""


class ToPart(NamedTuple):
    """Mouse target of a part of the round in the ruler, by its index."""

    part: int


class Turn(NamedTuple):
    """Mouse target of an arrow that changes the speed or the view."""

    what: str
    by: int


def paint_replay(canvas: Canvas, state: ReplayState, right: str) -> None:
    """Paint header, board, panel and ruler, and over them an explanation if there is one; the page paints the footer.

    ``right`` is the text at the right of the header.
    """
    grid, shown = compute_layout(canvas.width, canvas.height), state.shown
    paint_round_header(canvas, "Replay", shown, round_text(state), right)
    if grid.tiny:
        y = paint_lines(canvas, 1, shown)
        _paint_words(canvas, y, state)
        _paint_ruler(canvas, Box(0, canvas.height - 1 - RULER_ROWS, canvas.width, RULER_ROWS), state)
    else:
        paint_board(canvas, grid, shown, below=RULER_ROWS)
        _paint_panel(canvas, grid, state)
        _paint_ruler(canvas, Box(0, canvas.height - 1 - RULER_ROWS, grid.panel.x, RULER_ROWS), state, grid)
    if state.explanation:
        name = "" if state.step is None or state.step.seat is None else state.names[state.step.seat]
        sees = state.step if state.step and state.round.open(state.step.seat or 0) else None
        paint_explanation(canvas, grid, name, sees, state.explanation)


def round_text(state: ReplayState) -> str:
    """Format the number of the round, with a remark if the session was given up."""
    return f"round {state.round.number} of {state.again.round_count}" + (", given up" if state.again.given_up else "")


def heading(state: ReplayState) -> tuple[str, str]:
    """Return the name of the current part of the round, and the progress within it."""
    part = state.head.part
    if part is None:
        return "The cards are dealt", ""
    thing = "card" if state.round.tricks else "step"
    if part.number:
        return (
            f"{'Trick' if state.round.tricks else 'Turn'} {part.number}",
            f"{thing} {state.head.stop.done} of {part.things}",
        )
    if part.things > 1:
        return "Bids", f"bid {state.head.stop.done} of {part.things}"
    return "Before the next card", ""


def _past_actions(state: ReplayState) -> list[tuple[str, str]]:
    """Return the steps of the current part up to this position as pairs of name and text, with cards in notation."""
    part, replay = state.head.part, state.round
    if part is None:
        return []
    if replay.rows[part.row].trick:
        row = replay.rows[part.row]
        star = [
            (f" {STAR}" if seat == row.taker and state.head.stop.done == part.things else "") for seat, _ in row.cards
        ]
        return [(state.names[s], NAME[c] + star[i]) for i, (s, c) in enumerate(row.cards[: state.head.stop.done])]
    steps = [replay.steps[step] for step in part.steps[: state.head.stop.done]]
    return [words for step in steps for words in step_words(step, state.names)]


def _next_action(state: ReplayState) -> tuple[str, str] | None:
    """Return the name of the seat to act and the kind of its action; ``None`` before an automatic step and at the end."""
    step = state.step
    if step is None or step.seat is None:
        return None
    name = state.names[step.seat]
    return name, ("to play" if isinstance(step.event, Play) else "to say" if state.round.tricks else "to act")


def _talk(state: ReplayState) -> list[str]:
    """Return the chat messages and rulings between this position and the next step, one text each."""
    return [_note(note, state.names) for note in state.head.next.aside] if state.head.next else []


def _note(note: Note, names: Sequence[str]) -> str:
    if isinstance(note, Said):
        return f"{name_and_verb(sender(note, names), 'says', 'say')}: {note.text}"
    said = message_text(note, names)
    return f"{said[:1].upper()}{said[1:]}."


def _paint_panel(canvas: Canvas, layout: Layout, state: ReplayState) -> None:
    theme, panel, text = canvas.theme, layout.panel, layout.panel_text
    canvas.fill(panel.x, panel.y, panel.width, panel.height, theme.grounds.panel)
    name, far = heading(state)
    canvas.text(text.x, panel.y + 1, name, theme.inks.text, bold=True)
    canvas.right(text.right, panel.y + 1, far, theme.inks.muted)
    y = _paint_part(canvas, layout, state, panel.y + 3)
    foot = panel.bottom - _FOOT
    _paint_before(canvas, layout, state, y + 1, foot)
    speed = f"{SPEEDS[state.speed]:g} s"
    seen = "all" if state.seen is None else shorten_names(state.names, _CHOICE - 4)[state.seen]
    for row, word, value, what in ((foot + 2, "Speed", speed, "speed"), (foot + 4, "Seen", seen, "look")):
        canvas.text(text.x, row, word, theme.inks.text, bold=True)
        where = Place(canvas, text.x, row, text.width, at=False)
        paint_choice(where, _CHOICE_AT, _CHOICE, value, (Turn(what, -1), Turn(what, 1)))


def _paint_part(canvas: Canvas, layout: Layout, state: ReplayState, y: int) -> int:
    """Paint the steps of the current part, the seat to act, and messages; return the next free row."""
    inks, text = canvas.theme.inks, layout.panel_text
    x = text.x + name_room(state.names) + 1
    most = text.right + 1 - x
    happened, coming = _past_actions(state), _next_action(state)
    before = ""
    lines = [(who, line) for who, what in happened for line in wrap(what, most, card_faces.shown_width)]
    for who, line in lines[-_MOST_SHOWN:]:
        canvas.text(text.x, y, short_name(who, state.names) if who != before else "", inks.soft)
        card_faces.paint_text(canvas, x, y, line, inks.text, bold=True, most=most)
        before, y = who, y + 1
    if coming:
        canvas.text(layout.panel.x, y, "▌", inks.gold)
        canvas.text(text.x, y, short_name(coming[0], state.names), inks.gold, bold=True)
        canvas.text(x, y, coming[1], inks.muted)
        y += 1
    for line in [line for said in _talk(state) for line in wrap(said, text.width, card_faces.shown_width)][:_MOST_TALK]:
        canvas.text(text.x, y, line, inks.soft)
        y += 1
    return y


def _paint_before(canvas: Canvas, layout: Layout, state: ReplayState, y: int, end: int) -> None:
    """Paint the lines of the round before the current part, under a heading, as many as fit above row ``end``."""
    if state.head.part is not None and state.head.part.row:
        text = layout.panel_text
        canvas.text(text.x, y, "Played before" if state.round.tricks else "Before", canvas.theme.inks.text, bold=True)
        _paint_lines(canvas, Box(text.x, y + 1 + layout.large, text.width, end - y - 1 - layout.large), state)


def _paint_lines(canvas: Canvas, box: Box, state: ReplayState) -> None:
    """Paint the last lines of the round before the current part that fit into the box.

    Tricks are painted with the latest at the top, other lines in order.
    """
    part, rows = state.head.part, state.round.rows
    place = LinesArea(box, air=False, per=6 if box.width > _PANEL else cards_per_line(len(state.names)))
    numbers: list[int] = []
    for number in range(part.row - 1 if part else -1, -1, -1):
        if sum(height(rows[each], place.per) for each in (*numbers, number)) > box.height:
            break
        numbers.append(number)
    y = box.y
    for number in numbers if state.round.tricks else reversed(numbers):
        paint_row(canvas, place, state.round, state.names, number, y)
        y += height(rows[number], place.per)


def _paint_words(canvas: Canvas, y: int, state: ReplayState) -> None:
    """Paint the contents of the panel below the seats, for terminals without a panel.

    These are the middle of the table, the current part and the lines before it.
    """
    inks, width = canvas.theme.inks, canvas.width - 2
    end = canvas.height - 1 - RULER_ROWS
    piles = piles_in_a_line(state.shown)
    if piles and y < end - 1:
        card_faces.paint_text(canvas, 1, y, shorten(piles, width), inks.soft, most=width)
        y += 1
    name, _ = heading(state)
    texts = [f"{who} {what}".strip() for who, what in _past_actions(state)] + [" ".join(_next_action(state) or ())]
    for line in wrap(f"{name}: " + ", ".join(filter(None, texts)), width, card_faces.shown_width)[: end - y]:
        card_faces.paint_text(canvas, 1, y, line, inks.text, most=width)
        y += 1
    for line in [line for said in _talk(state) for line in wrap(said, width, card_faces.shown_width)][
        : max(end - y, 0)
    ]:
        canvas.text(1, y, line, inks.soft)
        y += 1
    _paint_lines(canvas, Box(1, y, width, end - y), state)


def _paint_ruler(canvas: Canvas, box: Box, state: ReplayState, layout: Layout | None = None) -> None:
    """Paint the ruler: the tricks or turns of the round, the current one in gold, and a progress bar below them.

    ``layout`` is ``None`` in a terminal without a panel.
    """
    theme, parts, stop = canvas.theme, state.head.parts, state.head.stop
    canvas.fill(box.x, box.y, box.width, box.height, theme.grounds.panel)
    large = layout is not None and layout.large
    x, cell = box.x + MARGIN, 5 if large else 4
    if large:
        canvas.text(x, box.y, "trick" if state.round.tricks else "turn", theme.inks.muted)
        x += 2 * cell - MARGIN
    room = (box.right + 1 - MARGIN - x) // cell
    first = max(0, min(stop.part - room // 2, len(parts) - room))
    for i, part in enumerate(parts[first : first + room]):
        _paint_cell(canvas, Box(x + cell * i, box.y, cell, 1), part, first + i, stop.part)
    width = cell * min(room, len(parts))
    done = stop.part + stop.done / parts[stop.part].things if stop.part >= 0 else 0.0
    paint_bar(canvas, Box(x, box.y + 1, width, 1), round(1000 * done), 1000 * len(parts))


def _paint_cell(canvas: Canvas, box: Box, part: Part, number: int, now: int) -> None:
    """Paint a part in the ruler: its number, or a dot for a part that is neither a trick nor a turn."""
    inks, label = canvas.theme.inks, str(part.number or "·")
    at = number == now
    if at:
        canvas.fill(box.x, box.y, box.width, 1, inks.gold)
    ink = canvas.theme.grounds.panel if at else inks.text if number < now else inks.quiet
    canvas.right(box.x + box.width - 2, box.y, label, ink, bold=at)
    canvas.add_hit_box(box.x, box.y, box.width, RULER_ROWS, ToPart(number))
