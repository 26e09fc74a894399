"""Page of the score table of a game with real cards, the form of a new one, and the page of its players' names."""

from collections.abc import Callable, Hashable, Sequence
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Final

from cardtable.engine.errors import CardtableError
from cardtable.engine.game import Seat
from cardtable.engine.options import Choice
from cardtable.engine.text_format import sanitize
from cardtable.scoring.round_entry import EntryField, RoundEntry
from cardtable.store import score_tables, seating
from cardtable.store.journal_file import JournalFile
from cardtable.store.score_tables import OpenScoreTable, ScoreTableForm
from cardtable.store.session_files import MAX_NAME_LENGTH
from cardtable.ui.keys.bindings import NAMES, NEW_SCORES, SCORES, FooterKeys
from cardtable.ui.keys.input_guard import InputGuard
from cardtable.ui.score_table.model import (
    EntryRows,
    PointAnswer,
    PointRound,
    ScoreTableModel,
    compute_layout,
    paint_score_table,
)
from cardtable.ui.terminal.input_parser import note_waiting_input
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.form import (
    EMPTY_ROW,
    Column,
    ColumnStops,
    FormPage,
    FormRow,
    make_choice_row,
    make_field_row,
    make_heading_row,
    make_nick_input,
    make_single_column,
    make_text_row,
)
from cardtable.ui.toolkit.page import PageScreen, ask, paint_page_header
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import MARGIN, WHEEL_ROWS, get_layout
from cardtable.ui.toolkit.scroll_list import BlockArea
from cardtable.ui.toolkit.seat_plan import PLAN_ROWS, paint_plan
from cardtable.ui.toolkit.text_input import paint_text_input
from cardtable.wording import score_sheet
from cardtable.wording.score_sheet import InvalidName, find_invalid_name
from cardtable.wording.tables import format_round_number

STOPS: Final = ColumnStops(2, 18, 22)
JOIN_SECONDS: Final = 1.0
"""Seconds within which a second digit is appended to the first."""
_NAME_WIDTH: Final = seating.MAX_NICK_LENGTH + 3
"""Width of a name with the cursor after it, in columns."""


class PlayerNames:
    """Text inputs for the names of the players; each form row is named by its seat."""

    def __init__(self, names: Sequence[str]) -> None:
        self.set_names(names)
        self._is_typed = False
        """True once the user has typed a name."""

    def set_names(self, names: Sequence[str]) -> None:
        self._inputs = [make_nick_input(name) for name in names]

    @property
    def names(self) -> list[str]:
        return [text_input.text for text_input in self._inputs]

    def list_name_rows(self, *, insisted: bool) -> list[FormRow]:
        """Return a form row for each player.

        With ``insisted``, an invalid name is marked even while the cursor is on it.
        """
        hint = make_text_row("Type the names in seat order, clockwise.")
        return [hint, *[self._create_name_row(seat, insisted=insisted) for seat in range(len(self.names))]]

    def _create_name_row(self, seat: Seat, *, insisted: bool) -> FormRow:
        return FormRow(
            name=seat,
            draw=partial(self._paint_name, seat=seat, insisted=insisted),
            text_input=self._inputs[seat],
            on_edit=self._mark_typed,
            replaces_text=True,
            keys={"rub_out": "delete"},
        )

    def _mark_typed(self) -> None:
        self._is_typed = True

    def _paint_name(self, area: BlockArea, seat: Seat, *, insisted: bool) -> None:
        inks, x = area.canvas.theme.inks, STOPS.value
        area.write(STOPS.label, 0, f"Player {seat + 1}", inks.text, bold=area.has_cursor)
        area.canvas.fill(area.x + x, area.y, _NAME_WIDTH, 1, area.canvas.theme.grounds.panel)
        paint_text_input(
            area.canvas, area.x + x + 1, area.y, _NAME_WIDTH - 1, self._inputs[seat], "", has_focus=area.has_cursor
        )
        invalid = self.invalid_name
        if invalid and invalid.seat == seat and (insisted or not area.has_cursor):
            area.write(x + _NAME_WIDTH + 1, 0, invalid.reason, inks.loss)

    @property
    def invalid_name(self) -> InvalidName | None:
        return find_invalid_name(self.names)


class NamesPage(FormPage):
    """Page to change the names of the players; the result of its screen is the list of names."""

    SCOPE = NAMES
    header_texts = ("Score table", "names of the players")
    ASKS_BEFORE_LEAVING = True

    def __init__(self, context: PageContext, names: list[str]) -> None:
        super().__init__(context)
        self._names = PlayerNames(names)

    def list_rows(self) -> list[FormRow]:
        return self._names.list_name_rows(insisted=self.shows_all_errors)

    def action_keep(self) -> None:
        """Close the page with the names as its result, or show the first invalid one."""
        if invalid := self._names.invalid_name:
            self.show_errors(invalid.seat)
        elif not self._is_inactive:
            self.screen.dismiss(self._names.names)


USUAL_GAME: Final = "rifki"
"""Key of the game that is selected at first."""
_LARGE_LEFT: Final = 66
"""Width of the form in a large terminal, where the house rules are beside it, in columns."""
_CHANGE: Final = {"left right": "change"}


class ScoreSetup(PlayerNames):
    """Form of a new score table; by default it has the players of the last table of the same game."""

    def __init__(self, nick: str, game_key: str) -> None:
        super().__init__([])
        self._nick = nick
        self.form: Final = ScoreTableForm(game_key)
        self._suggest_names([])

    def _suggest_names(self, typed_names: Sequence[str]) -> None:
        form = self.form
        before = typed_names or score_tables.find_previous_names(form.game_key)
        names, seats = score_tables.suggest_names(form.game.about, before, self._nick)
        self.set_names(names)
        form.choose(form.seats_field, seats)

    @property
    def names(self) -> list[str]:
        return super().names[: self.form.seats]

    def list_rows(self, *, insisted: bool) -> list[FormRow]:
        """Return all form rows except the house rules; ``insisted`` is passed to ``list_name_rows``."""
        form = self.form
        game = self._create_field_row(form.game_field)
        game.on_step = self._step_game
        seats = [EMPTY_ROW, self._create_field_row(form.seats_field)] if len(form.game.about.seats) > 1 else []
        first = make_choice_row("first", "Who starts", self.names[form.first_seat], self._step_first, STOPS)
        first.keys = _CHANGE
        return [game, *seats, EMPTY_ROW, *self.list_name_rows(insisted=insisted), EMPTY_ROW, first]

    def list_rule_rows(self) -> list[FormRow]:
        return [row for rule in self.form.list_rules() for row in (self._create_field_row(rule), EMPTY_ROW)]

    def _create_field_row(self, field: Choice) -> FormRow:
        row = make_field_row(self.form, field, STOPS)
        row.help_text, row.indent, row.keys = field.meaning, STOPS.value, _CHANGE
        return row

    def _step_game(self, step: int) -> None:
        typed_names = self.names if self._is_typed else []
        self.form.step(self.form.game_field, step)
        self._suggest_names(typed_names)

    def _step_first(self, step: int) -> None:
        self.form.first_seat = (self.form.first_seat + step) % self.form.seats

    def create_plan_row(self, cursor: object) -> FormRow:
        """Return a row with the seating plan, which names the first player and the direction of play.

        ``cursor`` is the cursor of the form: if it is a seat, that seat is marked, otherwise the first player's.
        """
        first_seat, seats = self.form.first_seat, self.form.seats
        is_reversed = seats > 2 and self.form.sheet.find_round_seat(2) == (first_seat - 1) % seats
        lines = f"{self.names[first_seat]} starts", "counter-clockwise" if is_reversed else "clockwise"
        seat = cursor if isinstance(cursor, int) else first_seat
        return FormRow(draw=partial(paint_plan, names=self.names, cursor=seat, lines=lines), rows=PLAN_ROWS)


class NewScoresPage(FormPage):
    """Page with the form of a new score table."""

    SCOPE = NEW_SCORES
    ASKS_BEFORE_LEAVING = True

    def __init__(self, context: PageContext, game_key: str | None) -> None:
        super().__init__(context, "game" if game_key is None else 0)
        self.setup = ScoreSetup(context.nick, game_key or USUAL_GAME)

    def build_columns(self, canvas: Canvas) -> list[Column]:
        """Return the form and the house rules, which are side by side in a large terminal."""
        setup = self.setup
        rows, rules = setup.list_rows(insisted=self.shows_all_errors), setup.list_rule_rows()
        notes = [make_text_row(text) for text in score_sheet.describe_entry_rules(setup.form.sheet)]
        if not get_layout(canvas).large:
            return make_single_column(canvas, [*rows, EMPTY_ROW, *rules, *notes])
        heading = [make_heading_row(f"House rules of {setup.form.game.about.title}"), EMPTY_ROW] if rules else []
        left = [*rows, EMPTY_ROW, EMPTY_ROW, setup.create_plan_row(self.cursor)]
        right = [*heading, *rules, EMPTY_ROW, *notes]
        return [
            Column(MARGIN, _LARGE_LEFT - 2 * MARGIN, left),
            Column(_LARGE_LEFT, canvas.width - _LARGE_LEFT - MARGIN, right, has_panel=True),
        ]

    def paint_body(self, canvas: Canvas) -> FooterKeys:
        self.paint_columns(canvas)
        paint_page_header(canvas, "Score table", "a game with real cards", self.setup.form.game.about.title)
        keys = self.current_row.keys
        if self.current_row.on_step:
            return {"up down": "choose", **keys, **self.SCOPE.footer}
        return {"up down": "choose", **self.SCOPE.footer, **keys}

    def action_begin(self) -> None:
        """Begin the score table, or show the first invalid name.

        Only the first of several quick key presses counts.
        """
        if invalid := self.setup.invalid_name:
            self.show_errors(invalid.seat)
        else:
            self.navigate(self._begin)

    def _begin(self) -> None:
        form = self.setup.form
        opened = score_tables.create(form.game, self.setup.names, form.options, form.first_seat)
        if opened.save_error:
            self.app.notify(opened.save_error, markup=False, severity="error")
        self.context.show("score_table", opened)


_WIDE: Final = 80
"""Minimum width of a terminal, in columns, in which the footer has room for every key."""


class ScorePage(FormPage):
    """Page of a score table, with a form for one round."""

    SCOPE = SCORES

    def __init__(self, context: PageContext, opened: OpenScoreTable) -> None:
        self.opened, self._last_digit_time = opened, float("-inf")
        self.model = self._create_model()
        super().__init__(context)
        self.guard = InputGuard(lambda: context.preferences.settings.key_guard)

    @property
    def cursor(self) -> Hashable:
        return self.model.entry.current_field

    @cursor.setter
    def cursor(self, field: Hashable) -> None:
        """Field of the entry under the cursor."""
        if isinstance(field, EntryField):
            self.model.entry.move_to(field)

    @property
    def file(self) -> JournalFile:
        return self.opened.file

    async def save(self) -> str:
        return self.opened.save()

    async def save_into(self, folder: Path) -> None:
        self.opened.save_into(folder)

    def _create_model(self, number: int | None = None) -> ScoreTableModel:
        """Return the model with an empty entry for the next round.

        With ``number``, the entry is that round, to be corrected.
        """
        table, names = self.opened.table, self.opened.names
        if number:
            entry = RoundEntry(table.build_sheet_before(number), names, table.rounds[number - 1])
        else:
            entry = RoundEntry(table.sheet, names)
        number = number or len(table.rounds) + 1
        return ScoreTableModel(table.sheet, names, entry, number, self.opened.read_only or "")

    def _start_entry(self, number: int | None = None) -> None:
        offset = self.model.offset
        self.model = self._create_model(number)
        self.model.offset = offset
        self.repaint()

    def build_columns(self, canvas: Canvas) -> list[Column]:
        layout = compute_layout(canvas, self.model)
        lines = [] if self.model.asked_seat is None else EntryRows(self.model, layout, self._handle_digit).create_rows()
        return [Column(0, layout.width - MARGIN, lines, top=layout.entry_row - 1)]

    def paint_body(self, canvas: Canvas) -> FooterKeys:
        table = self.opened.table
        paint_score_table(canvas, self.model, compute_layout(canvas, self.model))
        self.paint_columns(canvas)
        title, number, rounds = self.model.sheet.game.about.title, self.model.number, self.model.sheet.rounds
        name = f' "{sanitize(table.name, MAX_NAME_LENGTH)}"' if table.name else ""
        round_number = format_round_number(min(number, rounds or number), rounds)
        right = "over" if self.model.is_over or table.ended else f"round {round_number}"
        paint_page_header(canvas, "Score table", f"{title} with real cards{name}", right)
        return self._list_footer_keys(wide=canvas.width >= _WIDE)

    def _list_footer_keys(self, *, wide: bool) -> FooterKeys:
        if self.model.read_only_reason:
            return {"page_up page_down": "scroll", "leave": "back"}
        undo = "undo" if self.opened.table.can_undo else ""
        if self.model.is_over:
            save_note = ", saved" if wide and not self.opened.save_error else ""
            return {"play": "to the archive", "take_back": undo, "edit": "edit", "leave": "leave" + save_note}
        choice = self.model.entry.find_choice(self.model.entry.current_field)
        return {
            **self.SCOPE.footer,
            "left right": "" if not wide else choice.label.lower() if choice else "field",
            "play": "save round" if self.model.entry.build_round() else "next empty",
            "take_back": undo,
            "leave": "back" if self.model.is_correction else "clear" if self.model.has_entry else "leave",
        }

    @property
    def is_editable(self) -> bool:
        return not self.model.read_only_reason

    @property
    def awaits_entry(self) -> bool:
        return self.model.asked_seat is not None

    @property
    def can_undo(self) -> bool:
        return (self.opened.table.can_undo or self.model.has_entry) and self.is_editable

    @property
    def can_edit(self) -> bool:
        return bool(self.opened.table.rounds) and self.is_editable

    def _handle_digit(self, character: str, _anew: bool) -> bool:
        """Handle a digit or a minus sign, and return True; return False for any other character.

        The digit is the number of an option, or part of a count.
        """
        if character == "-":
            self.model.entry.toggle_sign()
            return True
        if not (character.isascii() and character.isdigit()):
            return False
        self.model.entry.type_digit(character, continues_number=self._continues_number)
        self._last_digit_time = monotonic()
        self.model.follow = True
        if self.model.entry.awaits_digit:
            self.set_timer(JOIN_SECONDS, partial(self._settle, self.model.entry))
        return True

    @property
    def _continues_number(self) -> bool:
        return monotonic() - self._last_digit_time < JOIN_SECONDS

    def _settle(self, entry: RoundEntry) -> None:
        """Complete a number after a pause in typing, unless another digit was typed meanwhile."""
        if entry.awaits_digit and not self._continues_number:
            entry.finish_number()
            self.repaint()

    def action_along(self, step: int) -> None:
        """Move the cursor to the next (1) or previous (-1) field."""
        self.model.entry.move(step)
        self.repaint()

    async def action_keep(self) -> None:
        """Record the round if it is complete and valid; after the last round, move the sheet to the archive.

        If a field is missing, the cursor moves there. Enter that is held down, or was pressed before the completed
        sheet was shown, does not move the sheet.
        """
        pressed_at = self.guard.compute_time(self.input_age)
        is_repeat, is_accepted = self.guard.is_repeat("enter", pressed_at), self.guard.accepts(pressed_at)
        if self.model.is_over:
            if is_accepted and not is_repeat:
                await self._close()
            return
        entered = self.model.entry.build_round()
        if entered is None:
            self.model.entry.move_to_first_empty()
            self.repaint()
        if entered is None or not self.model.entry.validate().can_save:
            self.app.bell()
            return
        number = self.model.number if self.model.is_correction else None
        if self._apply_change(partial(self.opened.enter_round, entered, number)):
            self._start_entry()
            self._guard_end()

    def _guard_end(self) -> None:
        """Make the input guard ignore an Enter that was pressed before the completed sheet was painted."""
        if self.model.is_over:
            self.guard.on_new_prompt()
            self.call_after_refresh(self._handle_end_painted)

    def _handle_end_painted(self) -> None:
        note_waiting_input(self.app)
        self.guard.on_painted()

    def _apply_change(self, change: Callable[[], None]) -> bool:
        """Apply a change to the table; return False and show the error in the entry if the change fails."""
        try:
            change()
        except (ValueError, CardtableError) as error:
            self.model.entry.complaint = str(error)
            self.repaint()
            return False
        if self.opened.save_error:
            self.app.notify(self.opened.save_error, markup=False, severity="error")
        return True

    async def _close(self) -> None:
        try:
            if not self.opened.table.ended:
                self.opened.end()
        except CardtableError as error:
            self.app.notify(error.full_message, markup=False, severity="error")
            return
        await self._leave()

    async def _leave(self) -> None:
        if self.opened.save():
            self.navigate(partial(self.context.leave, self.screen))
        else:
            await super().action_leave()

    def action_undo(self) -> None:
        """Discard the entry in progress; if there is none, undo the last change of the table.

        A key that is held down takes effect once.
        """
        if self.guard.is_repeat("take_back", self.guard.compute_time(self.input_age)):
            return
        if self.model.has_entry or self._apply_change(self.opened.undo):
            self._start_entry()

    def action_edit(self) -> None:
        """Correct the last round; while a round is being corrected, correct the one before it."""
        previous = self.model.number - 1 if self.model.is_correction else 0
        self._correct_round(previous or len(self.opened.table.rounds))

    def _correct_round(self, number: int) -> None:
        if not self.model.read_only_reason:
            self._start_entry(number)

    async def action_names(self) -> None:
        """Open the page of the players' names; the entry in progress is preserved."""
        names: list[str] | None = await ask(PageScreen(NamesPage(self.context, [*self.opened.names])))
        if (
            names is not None
            and names != self.opened.names
            and self._apply_change(partial(self.opened.rename_players, names))
        ):
            self.model.names = self.model.entry.names = self.opened.names
            self.repaint()

    def action_page(self, step: int) -> None:
        self._scroll(step * max(self.model.rows // 2, 1))

    async def action_leave(self) -> None:
        """Discard the entry in progress, after a confirmation if it has changed; if there is none, leave the page."""
        if self.model.entry.is_changed and not self.model.read_only_reason:
            if await self.confirm_discard():
                self._start_entry()
        elif self.model.is_correction:
            self._start_entry()
        else:
            await self._leave()

    def on_target_clicked(self, target: Hashable | None) -> None:
        """Choose the clicked option, move the cursor to the clicked field, or correct the clicked round."""
        entry = self.model.entry
        if isinstance(target, PointAnswer):
            entry.choose(target.name, target.key)
        elif isinstance(target, EntryField):
            entry.move_to(target)
        elif isinstance(target, PointRound):
            self._correct_round(target.number)
        self.repaint()

    def on_wheel(self, step: int, _x: int) -> None:
        self._scroll(step * WHEEL_ROWS)

    def _scroll(self, rows: int) -> None:
        self.model.follow = False
        self.model.offset += rows
        self.repaint()

    def on_mount(self) -> None:
        """Notify the player of problems that were found while the file was read."""
        if notice := self.opened.notice:
            self.app.notify(notice, markup=False, severity="warning")

    def on_unmount(self) -> None:
        self.opened.close()


def create_screen(context: PageContext, source: Path | OpenScoreTable | str | None = None) -> PageScreen:
    """Return the page of the score table in a file or of an open table, or the form of a new table.

    A ``source`` that is a string is the key of the game of the new table; with ``None``, the player selects a game.
    Raises CardtableError if the file cannot be opened.
    """
    opened = score_tables.resume(source) if isinstance(source, Path) else source
    if isinstance(opened, OpenScoreTable):
        page = ScorePage(context, opened)
        screen = PageScreen(page)
        context.unsaved_work.register(screen, page)
        return screen
    return PageScreen(NewScoresPage(context, opened))
