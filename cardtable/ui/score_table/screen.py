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
from cardtable.store.session_files import MOST_NAME
from cardtable.ui.score_table.model import Scoring
from cardtable.ui.score_table.paint import Again, Chosen, EntryLines, paint_scoring, places_of
from cardtable.ui.score_table.setup import NamesPage, NewScoresPage
from cardtable.ui.terminal.input_parser import note_waiting_input
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.footer import Keys
from cardtable.ui.toolkit.form import WHEEL, Column, FormPage
from cardtable.ui.toolkit.keys.bindings import SCORES, KeyBinding
from cardtable.ui.toolkit.keys.input_guard import JOIN_SECONDS, InputGuard, QuickDigits
from cardtable.ui.toolkit.page import PageScreen, paint_page_header
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import MARGIN
from cardtable.wording.tables import round_among

_WIDE: Final = 80
"""Minimum width of a terminal, in columns, in which the footer has room for every key."""
_ENTERING: Final = ("left", "right", "up", "down", "first", "last", "next_field", "field_before", "rub_out")
"""Names of the keys that work only while a round can be entered."""


class ScorePage(FormPage):
    """Page of a score table, with a form for one round."""

    ABOUT = "at a score table"
    SCOPE = SCORES

    def __init__(self, context: PageContext, opened: OpenScoreTable) -> None:
        self._opened, self._quick = opened, QuickDigits()
        self._it = self._scoring()
        super().__init__(context)
        self._guard = InputGuard(lambda: context.preferences.settings.guard)

    @property
    def cursor(self) -> Hashable:
        """Field of the entry under the cursor."""
        return self._it.entry.at

    @cursor.setter
    def cursor(self, field: Hashable) -> None:
        """Field of the entry under the cursor."""
        if isinstance(field, EntryField):
            self._it.entry.move_to(field)

    @property
    def file(self) -> JournalFile:
        """File to which the rounds are written."""
        return self._opened.file

    async def save(self) -> str:
        """Write lines that could not be saved before; return the error message, empty on success."""
        return self._opened.save()

    async def save_into(self, folder: Path) -> None:
        """Continue the file in another folder. Raises CardtableError if the lines cannot be saved there either."""
        self._opened.save_into(folder)

    def _scoring(self, number: int | None = None) -> Scoring:
        """Return the model with an empty entry for the next round.

        With ``number``, the entry is that round, to be corrected.
        """
        table, names = self._opened.table, self._opened.names
        shut = self._opened.read_only or ""
        before, entered = (table.sheet_before(number), table.rounds[number - 1]) if number else (table.sheet, None)
        entry = RoundEntry(before, names, entered)
        return Scoring(table.sheet, names, entry, number or len(table.rounds) + 1, shut)

    def _show(self, number: int | None = None) -> None:
        offset = self._it.offset
        self._it = self._scoring(number)
        self._it.offset = offset
        self.repaint()

    def columns(self, canvas: Canvas) -> list[Column]:
        places = places_of(canvas, self._it)
        lines = [] if self._it.asks is None else EntryLines(self._it, places, self._digit).made()
        return [Column(0, places.width - MARGIN, lines, top=places.entry - 1)]

    def paint_body(self, canvas: Canvas) -> Keys:
        table = self._opened.table
        paint_scoring(canvas, self._it, places_of(canvas, self._it))
        self.paint_lines(canvas)
        title = self._it.sheet.game.about.title
        name = f' "{sanitize(table.name, MOST_NAME)}"' if table.name else ""
        number = round_among(min(self._it.number, self._it.sheet.rounds or self._it.number), self._it.sheet.rounds)
        right = "over" if self._it.over or table.ended else f"round {number}"
        paint_page_header(canvas, "Score table", f"{title} with real cards{name}", right)
        return self._keys_now(wide=canvas.width >= _WIDE)

    def _keys_now(self, *, wide: bool) -> list[tuple[str, str]]:
        if self._it.shut:
            return [("page_up page_down", "scroll"), ("leave", "back")]
        undo = [("take_back", "undo")] if self._opened.table.can_undo else []
        edit = [("edit", "edit")] if self._opened.table.rounds else []
        if self._it.over:
            kept = ", all is kept" if wide and not self._opened.save_error else ""
            return [("play", "to the archive"), *undo, *edit, ("leave", "leave" + kept)]
        choice = self._it.entry.choice(self._it.entry.at)
        arrows = [("left right", choice.label.lower() if choice else "field")] if wide else []
        leave = "back" if self._it.again else "clear" if self._it.begun else "leave"
        keep = ("play", "keep round" if wide else "keep")
        return [("next_field", "next"), *arrows, keep, *undo, *edit, ("leave", leave), ("names", "names")]

    def is_enabled(self, key: KeyBinding) -> bool:
        if key.name == "take_back":
            return (self._opened.table.can_undo or self._it.begun) and not self._it.shut
        if key.name == "edit":
            return bool(self._opened.table.rounds) and not self._it.shut
        if key.name in ("play", "names"):
            return not self._it.shut
        return self._it.asks is not None or key.name not in _ENTERING

    def _digit(self, character: str, _anew: bool) -> bool:
        """Handle a digit or a minus sign, and return True; return False for any other character.

        The digit is the number of an option, or part of a count.
        """
        if character == "-":
            self._it.entry.sign()
            return True
        if not (character.isascii() and character.isdigit()):
            return False
        self._it.entry.digit(character, joins=self._quick.joins())
        self._it.follow = True
        if self._it.entry.awaits_digit:
            self.set_timer(JOIN_SECONDS, partial(self._settle, self._it.entry))
        return True

    def _settle(self, entry: RoundEntry) -> None:
        """Complete a number after a pause in typing, unless another digit was typed meanwhile."""
        if entry.awaits_digit and not self._quick.open:
            entry.settle()
            self.repaint()

    def action_along(self, step: int) -> None:
        """Move the cursor to the next (1) or previous (-1) field."""
        self._it.entry.move(step)
        self.repaint()

    def action_keep(self) -> None:
        """Record the round if it is complete and valid; after the last round, move the sheet to the archive.

        If a field is missing, the cursor moves there. Enter that is held down, or was pressed before the completed
        sheet was shown, does not move the sheet.
        """
        at = self._guard.moment(self.pressed_ago)
        held, early = self._guard.is_repeat("enter", at), not self._guard.accepts(at)
        if self._it.over:
            if not held and not early:
                self._close()
            return
        entered = self._it.entry.round()
        if entered is None:
            self._it.entry.move_to_first_empty()
            self.repaint()
        if entered is None or not self._it.entry.validate().fits:
            self.app.bell()
            return
        number = self._it.number if self._it.again else None
        if self._done(partial(self._opened.count, entered, number)):
            self._show()
            self._guard_the_end()

    def _guard_the_end(self) -> None:
        """Make the input guard ignore an Enter that was pressed before the completed sheet was painted."""
        if self._it.over:
            self._guard.on_new_prompt()
            self.call_after_refresh(self._end_is_seen)

    def _end_is_seen(self) -> None:
        note_waiting_input(self.app)
        self._guard.on_painted()

    def _done(self, change: Callable[[], None]) -> bool:
        """Apply a change to the table; return False and show the error in the entry if the change fails."""
        try:
            change()
        except (ValueError, CardtableError) as error:
            self._it.entry.complaint = str(error)
            self.repaint()
            return False
        self._show_trouble()
        return True

    def _close(self) -> None:
        try:
            if not self._opened.table.ended:
                self._opened.end()
        except CardtableError as error:
            self.app.notify(error.whole, markup=False, severity="error")
            return
        self._leave()

    def _leave(self) -> None:
        if self._opened.save():
            self.navigate(partial(self.context.leave, self.screen))
        else:
            super().action_leave()

    def action_undo(self) -> None:
        """Discard the entry in progress; if there is none, undo the last change of the table.

        A key that is held down takes effect once.
        """
        if self._guard.is_repeat("take_back", self._guard.moment(self.pressed_ago)):
            return
        if self._it.begun or self._done(self._opened.undo):
            self._show()

    def action_edit(self) -> None:
        """Correct the last round; while a round is being corrected, correct the one before it."""
        number = self._it.number - 1 if self._it.again else len(self._opened.table.rounds)
        self._edit(number or len(self._opened.table.rounds))

    def _edit(self, number: int) -> None:
        if not self._it.shut:
            self._show(number)

    def action_names(self) -> None:
        """Open the page of the players' names; the entry in progress is preserved."""

        def answered(names: list[str] | None) -> None:
            if names is not None and names != self._opened.names and self._done(partial(self._opened.call, names)):
                self._it.names = self._it.entry.names = self._opened.names
                self.repaint()

        self.app.push_screen(PageScreen(NamesPage(self.context, [*self._opened.names])), answered)

    def action_page(self, step: int) -> None:
        """Scroll by half of the visible rounds, up (-1) or down (1)."""
        self._scroll(step * max(self._it.rows // 2, 1))

    def action_leave(self) -> None:
        """Discard the entry in progress, after a confirmation if it has changed; if there is none, leave the page."""
        if self._it.entry.is_changed and not self._it.shut:
            self.ask_to_discard(self._show)
        elif self._it.again:
            self._show()
        else:
            self._leave()

    def on_target_clicked(self, target: Hashable | None) -> None:
        """Choose the clicked option, move the cursor to the clicked field, or correct the clicked round."""
        entry = self._it.entry
        if isinstance(target, Chosen):
            entry.choose(target.name, target.key)
        elif isinstance(target, EntryField):
            entry.move_to(target)
        elif isinstance(target, Again):
            self._edit(target.number)
        self.repaint()

    def wheel(self, step: int, _x: int) -> None:
        self._scroll(step * WHEEL)

    def _scroll(self, rows: int) -> None:
        self._it.follow = False
        self._it.offset += rows
        self.repaint()

    def _show_trouble(self) -> None:
        if trouble := self._opened.save_error:
            self.app.notify(trouble, markup=False, severity="error")

    def on_mount(self) -> None:
        """Notify the player of problems that were found while the file was read."""
        if notice := self._opened.notice:
            self.app.notify(notice, markup=False, severity="warning")

    def on_unmount(self) -> None:
        self._opened.close()


def screen(context: PageContext, about: Path | OpenScoreTable | str | None = None) -> PageScreen:
    """Return the page of the score table in a file or of an open table, or the form of a new table.

    A ``source`` that is a string is the key of the game of the new table; with ``None``, the player selects a game.
    Raises CardtableError if the file cannot be opened.
    """
    opened = score_tables.resume(about) if isinstance(about, Path) else about
    if isinstance(opened, OpenScoreTable):
        page = ScorePage(context, opened)
        shown = PageScreen(page)
        context.unsaved_work.register(shown, page)
        return shown
    return PageScreen(NewScoresPage(context, opened))
