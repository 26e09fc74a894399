"""Forms: pages made of rows with a cursor, in which values are chosen and text is typed."""

from collections.abc import Callable, Hashable, Sequence
from functools import partial
from inspect import isawaitable
from typing import ClassVar, Final, NamedTuple

import msgspec
from rich.cells import cell_len
from textual import events

from cardtable.engine.options import Choice
from cardtable.engine.text_format import capitalize_first, to_one_line
from cardtable.store import seating
from cardtable.store.session_setup import TableForm
from cardtable.ui.keys.bindings import AnyKeyBinding, FooterKeys
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.page import Page, paint_page_header, run_with_questions
from cardtable.ui.toolkit.painting.canvas import Canvas, truncate, wrap
from cardtable.ui.toolkit.painting.layout import MARGIN, WHEEL_ROWS, Box
from cardtable.ui.toolkit.scroll_list import Block, BlockArea, paint_column
from cardtable.ui.toolkit.text_input import TextInput, paint_text_input


class Arrow(NamedTuple):
    """Mouse target in a form row: the left arrow of its value (step -1), the right one (1), or its button (0)."""

    name: Hashable
    step: int


class ColumnStops(NamedTuple):
    """Columns in which the labels and the values of a form begin, and the width of a value."""

    label: int
    value: int
    value_width: int


class FormRow(msgspec.Struct, kw_only=True):
    """Row of a form, with the functions that paint it and change its value."""

    name: Hashable = None
    """Name that identifies the row for the cursor; ``None`` if the cursor cannot reach it."""
    draw: Callable[[BlockArea], object] | None = None
    paint_below: Callable[[BlockArea], None] | None = None
    """Paints one more row below, which the cursor does not highlight."""
    rows: int = 1
    """Number of rows that ``draw`` paints."""
    is_highlighted: bool = True
    """True if the cursor highlights the whole row and a click anywhere on it counts.

    If False, ``draw`` paints the cursor and adds the hit boxes itself.
    """
    help_text: str = ""
    """Explanation, wrapped below the row."""
    indent: int = 2
    """Left indentation of the explanation in columns."""
    max_width: int = 999
    """Maximum width of the explanation in columns."""
    right_margin: int = 0
    """Right margin of the explanation in columns."""
    is_bright: bool = False
    """True if the explanation has a stronger ink."""
    is_error: bool = False
    """True if the explanation is an error message."""
    value: str = ""
    """Current value in a word or two."""
    on_step: Callable[[int], None] | None = None
    """Selects the next (1) or the previous (-1) value; in a row of typed characters, moves by one character."""
    text_input: TextInput | None = None
    """Text input of the row; if ``on_step`` is set, too, Left and Right select values and do not move in the text."""
    on_edit: Callable[[], object] | None = None
    """Called after each change of the text input."""
    replaces_text: bool = False
    """True if the first character typed after the cursor arrived replaces the whole text."""
    on_text: Callable[[str, bool], bool] | None = None
    """Takes a typed character, and returns True if it was consumed.

    The second argument is True for the first character since the cursor arrived.
    """
    on_backspace: Callable[[], object] | None = None
    """Deletes the last digit of the value, or the whole value."""
    on_home_end: Callable[[int], None] | None = None
    """Selects the first (-1) or the last (1) of the values that have been entered."""
    on_press: Callable[[], object] | None = None
    """Called by the Enter key on a button, and by a second click; a coroutine that it returns may ask questions."""
    keys: FooterKeys = {}
    """Keys for the footer while the cursor is on the row."""
    paint_aside: Callable[[Canvas, Box], None] | None = None
    """Paints more content beside the form while the cursor is on the row."""

    def to_block(self, width: int) -> Block:
        """Return the row as a block for a column of this width."""
        help_width = max(min(width - self.indent - self.right_margin, self.max_width), 2)
        help_lines = wrap(self.help_text, help_width) if self.help_text else []

        def paint(area: BlockArea) -> None:
            for draw in (self.draw, self.paint_below):
                if draw:
                    draw(area)
            self._paint_help(area, help_lines)

        height = self.rows + len(help_lines) + (1 if self.paint_below else 0)
        return Block(height, paint, self.name, (self.rows or None) if self.is_highlighted else 0)

    def _paint_help(self, area: BlockArea, help_lines: list[str]) -> None:
        inks = area.canvas.theme.inks
        ink = inks.loss if self.is_error else inks.soft if self.is_bright else inks.quiet
        for row, line in enumerate(help_lines, self.rows):
            area.write(self.indent, row, line, ink)


EMPTY_ROW: Final = FormRow()


def make_text_row(text: str, indent: int = 2, *, is_error: bool = False, name: Hashable = None) -> FormRow:
    return FormRow(name=name, rows=0, help_text=text, indent=indent, is_error=is_error)


def make_bright_row(text: str, indent: int) -> FormRow:
    return FormRow(rows=0, help_text=text, indent=indent, is_bright=True)


def make_heading_row(text: str, indent: int = 2) -> FormRow:
    return FormRow(draw=lambda area: _paint_label(area, indent, text, bold=True))


def make_choice_row(
    name: Hashable,
    label: str,
    value: str,
    on_step: Callable[[int], None],
    stops: ColumnStops,
    *,
    bold: bool = False,
    help_text: str = "",
    indent: int = 2,
) -> FormRow:
    """Return a row with a value between two arrows; without a name it has no arrows, and the cursor cannot reach it.

    ``on_step`` selects the next (1) or the previous (-1) value. A long value has a wider field, up to the label and
    the right edge.
    """

    def draw(area: BlockArea) -> None:
        width = max(stops.value_width, cell_len(value) + 2)
        x = min(stops.value, max(area.width - width, stops.label + cell_len(label) + 1))
        _paint_label(area, stops.label, label, x - stops.label - 1, bold=bold or area.has_cursor)
        paint_value(area, x, min(width, area.width - x), value, name)

    return FormRow(name=name, draw=draw, value=value, on_step=on_step, help_text=help_text, indent=indent)


UNLABELLED: Final = ColumnStops(3, 3, 0)
"""Columns of a text input without a label."""


def make_input_row(
    name: Hashable,
    text_input: TextInput,
    placeholder: str,
    on_press: Callable[[], object] | None,
    keys: FooterKeys,
    *,
    label: str = "",
    stops: ColumnStops = UNLABELLED,
) -> FormRow:
    """Return a row in which text is typed up to the right edge; ``placeholder`` stands in it while it is empty."""

    def draw(area: BlockArea) -> None:
        area.write(stops.label, 0, label, area.name_ink, bold=area.has_cursor)
        x, width = area.x + stops.value, area.width - stops.value - 1
        paint_text_input(area.canvas, x, area.y, width, text_input, placeholder, has_focus=area.has_cursor)

    return FormRow(name=name, draw=draw, text_input=text_input, on_press=on_press, keys=keys)


def make_field_row(
    form: TableForm, field: Choice, stops: ColumnStops, *, bold: bool = False, read_only: bool = False
) -> FormRow:
    """Return the row of a field of a new table; it is read-only if there is nothing to choose."""
    has_choice = not read_only and (len(field.values) > 1 or field.minutes)
    value, on_step = form.format_value(field), partial(form.step, field)
    return make_choice_row(field.name if has_choice else None, field.label, value, on_step, stops, bold=bold)


def make_nick_input(nick: str = "") -> TextInput:
    """Return a text input for a nick: limits characters and length, and capitalises the first letter."""
    return TextInput(
        seating.MAX_NICK_LENGTH,
        nick,
        accepts=seating.is_nick_character,
        measure=seating.count_nick_characters,
        correct=capitalize_first,
    )


def _paint_label(area: BlockArea, x: int, text: str, max_width: int | None = None, *, bold: bool) -> None:
    area.write(x, 0, text, area.canvas.theme.inks.text, max_width=max_width, bold=bold)


def paint_value(area: BlockArea, x: int, width: int, value: str, name: Hashable) -> None:
    """Paint a value between two arrows; without arrows if ``name`` is ``None``, because it cannot be changed."""
    if name is None:
        area.canvas.write_centred(area.x + x + width // 2, area.y, truncate(value, width), area.muted_ink)
    else:
        paint_choice(area, x, width, value, (Arrow(name, -1), Arrow(name, 1)))


def paint_button(area: BlockArea, x: int, width: int, text: str, name: Hashable) -> None:
    """Paint a button, which is pressed with Enter or by a click; gold under the cursor."""
    canvas, theme = area.canvas, area.canvas.theme
    canvas.fill(area.x + x, area.y, width, 1, theme.inks.gold if area.has_cursor else theme.grounds.track)
    ink = theme.grounds.panel if area.has_cursor else theme.inks.text
    canvas.write_centred(area.x + x + width // 2, area.y, text, ink, bold=area.has_cursor)
    canvas.add_hit_box(area.x + x, area.y, width, 1, Arrow(name, 0))


def make_button_row(
    name: Hashable, text: str, on_press: Callable[[], object], stops: ColumnStops, keys: FooterKeys
) -> FormRow:
    draw = partial(paint_button, x=stops.label, width=stops.value_width, text=text, name=name)
    return FormRow(name=name, draw=draw, on_press=on_press, keys=keys, is_highlighted=False)


class Column(NamedTuple):
    """Form rows below each other in one column of the page."""

    x: int
    width: int
    rows: Sequence[FormRow]
    has_panel: bool = False
    """True if the column has a background of its own, up to the right edge of the screen."""
    top: int = 1
    """First row of the column, which stays empty."""


def make_single_column(canvas: Canvas, rows: Sequence[FormRow]) -> list[Column]:
    return [Column(MARGIN, canvas.width - 2 * MARGIN, rows)]


def _list_selectable_rows(columns: Sequence[Column]) -> list[FormRow]:
    return [row for column in columns for row in column.rows if row.name is not None]


def _list_names(columns: Sequence[Column]) -> list[Hashable]:
    return [row.name for row in _list_selectable_rows(columns)]


class FormPage(Page):
    """Page made of form rows: moves the cursor, edits values and text, and scrolls."""

    ASKS_BEFORE_LEAVING: ClassVar[bool] = False
    """True if the entered values are lost when the page is left, so that the player is asked first."""

    def __init__(self, context: PageContext, cursor: Hashable = None) -> None:
        super().__init__(context)
        self.is_edited = False
        """True once a value has been entered in the open form."""
        self.cursor = cursor
        """Name of the row under the cursor."""
        self.follows_cursor = True
        """True if the page scrolls to keep the cursor visible; False after the mouse wheel was turned."""
        self.shows_all_errors = False
        """True after an attempt to submit an invalid form.

        All rows then show their errors, even while they are being edited.
        """
        self._is_first_character = True
        """True until the first character is typed after the cursor arrived at the row."""
        self._cached_columns: tuple[tuple[int, int], Sequence[Column]] | None = None
        """Cached columns with the width and height for which they were built; ``None`` after a change."""
        self._row_names: Sequence[Hashable] = ()
        """Names of the rows in the columns that were built last."""
        self._offsets = [0, 0]
        """Number of rows scrolled away at the top of each column."""

    @property
    def header_texts(self) -> Sequence[str]:
        """Title of the page, and the texts after it and at the right, as many as there are."""
        raise NotImplementedError

    def list_rows(self) -> Sequence[FormRow]:
        """Return the rows of a page with a single column."""
        raise NotImplementedError

    def list_footer_keys(self) -> FooterKeys:
        return {**self.SCOPE.footer, **self.current_row.keys}

    def build_columns(self, canvas: Canvas) -> Sequence[Column]:
        """Return all rows in columns, for a canvas of this size; called once for each repaint."""
        return make_single_column(canvas, self.list_rows())

    def paint_body(self, canvas: Canvas) -> FooterKeys:
        self.paint_columns(canvas)
        paint_page_header(canvas, *self.header_texts)
        return self.list_footer_keys()

    def get_columns(self, canvas: Canvas) -> Sequence[Column]:
        """Return the columns, cached until the next repaint.

        If the row under the cursor no longer exists, the cursor moves to the row that was below it, else to the one
        above it, else to the first row.
        """
        size = canvas.width, canvas.height
        if self._cached_columns is None or self._cached_columns[0] != size:
            columns = self.build_columns(canvas)
            names = _list_names(columns)
            if names and self.cursor not in names:
                self.cursor = self._find_neighbour(names)
                columns = self.build_columns(canvas)
            self._cached_columns, self._row_names = (size, columns), names
        return self._cached_columns[1]

    def _find_neighbour(self, names: Sequence[Hashable]) -> Hashable:
        """Return the row among ``names`` that was next to the row under the cursor, which no longer exists."""
        before = [*self._row_names]
        index = before.index(self.cursor) if self.cursor in before else 0
        return next((name for name in [*before[index:], *reversed(before[:index])] if name in names), names[0])

    def repaint(self) -> None:
        self._cached_columns = None
        super().repaint()

    @property
    def selectable_rows(self) -> list[FormRow]:
        return _list_selectable_rows(self.get_columns(self.canvas))

    @property
    def _cursor_index(self) -> int:
        names = _list_names(self.get_columns(self.canvas))
        return names.index(self.cursor) if self.cursor in names else 0

    @property
    def current_row(self) -> FormRow:
        return (self.selectable_rows or [EMPTY_ROW])[self._cursor_index]

    def paint_columns(self, canvas: Canvas) -> None:
        for number, column in enumerate(self.get_columns(canvas)):
            x, top = column.x, column.top
            if column.has_panel:
                canvas.fill(x, top, canvas.width - x, canvas.height - 1 - top, canvas.theme.grounds.panel)
            self._offsets[number] = paint_column(
                canvas, [row.to_block(column.width) for row in column.rows], x, column.width,
                cursor=self.cursor, offset=self._offsets[number], follow_cursor=self.follows_cursor, top=top,
            )  # fmt: skip

    def move_cursor_to(self, name: Hashable) -> None:
        self.cursor, self._is_first_character, self.shows_all_errors = name, True, False
        self.on_changed()

    def on_changed(self) -> None:
        self.follows_cursor = True
        self.repaint()

    def show_errors(self, name: Hashable) -> None:
        """Move the cursor to the row ``name``, which has an error, and show the errors of all rows.

        They are shown until the cursor moves to another row.
        """
        self.move_cursor_to(name)
        self.shows_all_errors = True
        self.repaint()

    def action_move(self, step: int) -> None:
        """Move the cursor by one row, wrapping around at the ends."""
        if rows := self.selectable_rows:
            self.move_cursor_to(rows[(self._cursor_index + step) % len(rows)].name)

    def action_climb(self, rows: int) -> None:
        """Move the cursor down by ``rows`` rows, or up if negative, stopping at the ends."""
        if lines := self.selectable_rows:
            self.move_cursor_to(lines[max(0, min(self._cursor_index + rows, len(lines) - 1))].name)

    def action_page(self, step: int) -> None:
        self.action_climb(step * (self.size.height // 2))

    def action_end(self, index: int) -> None:
        """Go to the first (0) or the last (-1) entered value of the row if it has several, else to that row."""
        if self.current_row.on_home_end:
            self.current_row.on_home_end(-1 if index == 0 else 1)
            self.on_changed()
        elif rows := self.selectable_rows:
            self.move_cursor_to(rows[index].name)

    def action_step(self, step: int) -> None:
        """Select the next (1) or the previous (-1) value of the row, if it has one."""
        if self.current_row.on_step:
            self.current_row.on_step(step)
            self._is_first_character = self.is_edited = True
            self.on_changed()

    async def action_press(self) -> None:
        """Press the row's button; in a row without one, select the next value."""
        if self.current_row.on_press:
            pressed = self.current_row.on_press()
            if isawaitable(pressed):
                await pressed
            self.repaint()
        else:
            self.action_step(1)

    @property
    def text_input(self) -> TextInput | None:
        return self.current_row.text_input

    def is_for_text_input(self, binding: AnyKeyBinding | None) -> bool:
        """Return False for Left and Right in a row whose values can be selected."""
        return self.current_row.on_step is None or binding is None or binding.name not in ("left", "right")

    def on_edited(self, before: str) -> None:
        """Tell the row under the cursor that its text was edited, and scroll to it; ``before`` is the text before."""
        if self.text_input is not None and self.text_input.text != before:
            self.is_edited = True
        if self.current_row.on_edit:
            self.current_row.on_edit()
        self._is_first_character = False
        self.on_changed()

    def _edit_text(self, event: events.Key) -> bool:
        row = self.current_row
        replaces_text = row.replaces_text and self._is_first_character
        if row.text_input and replaces_text and row.text_input.can_type(event.key, event.character):
            row.text_input.clear()
        return super()._edit_text(event)

    def handle_character(self, character: str) -> bool:
        """Pass a typed character to the row under the cursor; return True if the row consumed it."""
        is_consumed = self.current_row.on_text is not None and self.current_row.on_text(
            character, self._is_first_character
        )
        if is_consumed:
            self._is_first_character, self.is_edited = False, True
            self.on_changed()
        return is_consumed

    def on_paste(self, event: events.Paste) -> None:
        """Type each character of pasted text into a row without a text input.

        Textual calls the handler of ``Page``, too, which inserts the text into a text input.
        """
        if self.current_row.text_input and self.current_row.replaces_text and self._is_first_character:
            self.current_row.text_input.clear()
        for character in to_one_line(event.text) if self.text_input is None else "":
            self.handle_character(character)

    def action_rub_out(self) -> None:
        """Delete the last digit of the row's value, if it is typed."""
        if self.current_row.on_backspace:
            self.current_row.on_backspace()
            self._is_first_character, self.is_edited = False, True
            self.on_changed()

    async def action_leave(self) -> None:
        """Close the page, after a question if entered values would be lost."""
        if not (self.ASKS_BEFORE_LEAVING and self.is_edited) or await self.confirm_discard():
            await super().action_leave()

    async def confirm_discard(self) -> bool:
        text = "What you entered has not been saved."
        return await self.context.confirm("Discard it?", text, "discard it", "go back")

    def on_target_clicked(self, target: Hashable | None) -> None:
        """Move the cursor to the clicked row; an arrow changes its value, and a button or a second click presses it."""
        name = target.name if isinstance(target, Arrow) else target
        if name is None or name not in [row.name for row in self.selectable_rows]:
            return
        is_second_click = name == self.cursor
        self.move_cursor_to(name)
        if isinstance(target, Arrow) and target.step:
            self.action_step(target.step)
        elif self.current_row.on_press and (is_second_click or isinstance(target, Arrow)):
            self.call_next(run_with_questions, self.app, self.action_press)

    def on_wheel(self, step: int, x: int) -> None:
        columns = self.get_columns(self.canvas)
        self.follows_cursor = False
        self._offsets[1 if len(columns) > 1 and x >= columns[1].x else 0] += step * WHEEL_ROWS
        self.repaint()


ARROWS_WIDTH: Final = 4
"""Width of the two arrows beside a value, in columns."""


def paint_choice(
    area: BlockArea, x: int, width: int, value: str, targets: tuple[Hashable, Hashable], ground: str | None = None
) -> None:
    """Paint a value between two arrows, ``x`` columns from the left edge of ``area``.

    ``targets`` are the mouse targets of the left and the right half. ``ground`` replaces the usual background, for a
    value that other keys change and that the cursor does not reach.
    """
    canvas, theme, left, y = area.canvas, area.canvas.theme, area.x + x, area.y
    ink = theme.grounds.panel if area.has_cursor else theme.inks.text
    canvas.fill(left, y, width, 1, theme.inks.gold if area.has_cursor else ground or theme.grounds.track)
    canvas.write_centred(left + width // 2, y, truncate(value, width - 2), ink, bold=area.has_cursor)
    inset = 1 if cell_len(value) + ARROWS_WIDTH < width - 1 else 0
    canvas.write(left + inset, y, "‹", ink)
    canvas.write(left + width - 1 - inset, y, "›", ink)
    half = width // 2
    canvas.add_hit_box(left, y, half, 1, targets[0])
    canvas.add_hit_box(left + half, y, width - half, 1, targets[1])
