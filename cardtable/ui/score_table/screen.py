"""Page of the score table of a game with real cards, where rounds are entered and corrected."""

from collections.abc import Callable, Hashable
from functools import partial
from pathlib import Path
from typing import Final

from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import sanitize
from cardtable.scoring.round_entry import EntryField, RoundEntry
from cardtable.store import score_tables
from cardtable.store.journal_file import JournalFile
from cardtable.store.score_tables import OpenScoreTable
from cardtable.store.session_files import MAX_NAME_LENGTH
from cardtable.ui.keys.bindings import SCORES, FooterKeys
from cardtable.ui.keys.input_guard import JOIN_SECONDS, InputGuard, QuickDigits
from cardtable.ui.score_table.model import Scoring
from cardtable.ui.score_table.paint import EntryRows, PointAnswer, PointRound, compute_places, paint_scoring
from cardtable.ui.score_table.setup import NamesPage, NewScoresPage
from cardtable.ui.terminal.input_parser import note_waiting_input
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.form import Column, FormPage
from cardtable.ui.toolkit.page import PageScreen, paint_page_header
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import MARGIN, WHEEL_ROWS
from cardtable.ui.toolkit.questions import ask
from cardtable.wording.tables import format_round_number

_WIDE: Final = 80
"""Minimum width of a terminal, in columns, in which the footer has room for every key."""


class ScorePage(FormPage):
    """Page of a score table, with a form for one round."""

    SCOPE = SCORES

    def __init__(self, context: PageContext, opened: OpenScoreTable) -> None:
        self.opened, self._quick_digits = opened, QuickDigits()
        self.model = self._create_model()
        super().__init__(context)
        self.guard = InputGuard(lambda: context.preferences.settings.guard)

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
        """Retry writing unsaved lines; return a description of those that are still unsaved, or ""."""
        return self.opened.save()

    async def save_into(self, folder: Path) -> None:
        """Continue the file in another folder. Raises CardtableError if the lines cannot be saved there either."""
        self.opened.save_into(folder)

    def _create_model(self, number: int | None = None) -> Scoring:
        """Return the model with an empty entry for the next round.

        With ``number``, the entry is that round, to be corrected.
        """
        table, names = self.opened.table, self.opened.names
        shut = self.opened.read_only or ""
        before, entered = (
            (table.build_sheet_before(number), table.rounds[number - 1]) if number else (table.sheet, None)
        )
        entry = RoundEntry(before, names, entered)
        return Scoring(table.sheet, names, entry, number or len(table.rounds) + 1, shut)

    def _start_entry(self, number: int | None = None) -> None:
        offset = self.model.offset
        self.model = self._create_model(number)
        self.model.offset = offset
        self.repaint()

    def build_columns(self, canvas: Canvas) -> list[Column]:
        places = compute_places(canvas, self.model)
        lines = [] if self.model.asked_seat is None else EntryRows(self.model, places, self._handle_digit).create_rows()
        return [Column(0, places.width - MARGIN, lines, top=places.entry_row - 1)]

    def paint_body(self, canvas: Canvas) -> FooterKeys:
        table = self.opened.table
        paint_scoring(canvas, self.model, compute_places(canvas, self.model))
        self.paint_columns(canvas)
        title = self.model.sheet.game.about.title
        name = f' "{sanitize(table.name, MAX_NAME_LENGTH)}"' if table.name else ""
        number = format_round_number(
            min(self.model.number, self.model.sheet.rounds or self.model.number), self.model.sheet.rounds
        )
        right = "over" if self.model.is_over or table.ended else f"round {number}"
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
            "play": "save round" if wide else "keep",
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
        self.model.entry.type_digit(character, continues_number=self._quick_digits.register_digit())
        self.model.follow = True
        if self.model.entry.awaits_digit:
            self.set_timer(JOIN_SECONDS, partial(self._settle, self.model.entry))
        return True

    def _settle(self, entry: RoundEntry) -> None:
        """Complete a number after a pause in typing, unless another digit was typed meanwhile."""
        if entry.awaits_digit and not self._quick_digits.is_open:
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
        at = self.guard.compute_time(self.input_age)
        is_repeat, early = self.guard.is_repeat("enter", at), not self.guard.accepts(at)
        if self.model.is_over:
            if not is_repeat and not early:
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
        if trouble := self.opened.save_error:
            self.app.notify(trouble, markup=False, severity="error")
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
        number = self.model.number - 1 if self.model.is_correction else len(self.opened.table.rounds)
        self._correct_round(number or len(self.opened.table.rounds))

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
        """Scroll by half of the visible rounds, up (-1) or down (1)."""
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
