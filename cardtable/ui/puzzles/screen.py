"""Page that lists the player's puzzles, and looks for new ones in a worker process while it is open."""

import asyncio
import time
from contextlib import aclosing, suppress
from functools import partial

from textual import work
from textual.worker import WorkerError

from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import shorten_path
from cardtable.games import ABOUT
from cardtable.records.puzzles import SearchProgress, SearchRequest
from cardtable.store import atomic_io, paths, puzzle_file, puzzle_progress
from cardtable.store.errors import format_os_error
from cardtable.store.puzzle_progress import PlayerPuzzles, get_today
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.dialog import Dialog
from cardtable.ui.toolkit.form import EMPTY_ROW, Column, FormPage, FormRow, make_text_row
from cardtable.ui.toolkit.keys.bindings import PUZZLES, FooterKeys
from cardtable.ui.toolkit.page import PageScreen, paint_page_header
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import MARGIN
from cardtable.ui.toolkit.scroll_list import INDENT, BlockArea
from cardtable.wording.puzzles import (
    NO_PUZZLES,
    format_attempts,
    format_name,
    format_search,
    format_state,
    format_summary,
    list_in_order,
)
from cardtable.workers.client import WorkerProcess

_STATE_COLUMN = 28
_ATTEMPTS_COLUMN = 48


class PuzzlesPage(FormPage):
    """Page that lists the player's puzzles, those that are due first."""

    SCOPE = PUZZLES

    def __init__(self, context: PageContext) -> None:
        super().__init__(context)
        self._worker_process = WorkerProcess("cardtable.records.puzzles")
        self._search_progress: SearchProgress | None = None
        self._search_error = ""
        self._own, self._error = puzzle_progress.load(context.nick)
        self.cursor = self._order[0] if self._order else None

    @property
    def _order(self) -> list[str]:
        return list_in_order(self._own, get_today())

    def on_mount(self) -> None:
        self.call_after_refresh(self._search)

    async def on_unmount(self) -> None:
        """Stop the search; what has been done is saved."""
        for worker in self.workers.cancel_node(self):
            with suppress(WorkerError):
                await worker.wait()
        await self._worker_process.stop()

    @work(group="search", exclusive=True)
    async def _search(self) -> None:
        request = SearchRequest(self.context.nick, time.time(), get_today())
        try:
            async with aclosing(self._worker_process.ask(request)) as answers:
                async for progress in answers:
                    before, self._search_progress = self._search_progress, progress
                    if before is None or before.found != progress.found:
                        self._own, self._error = await asyncio.to_thread(puzzle_progress.load, self.context.nick)
                    self.repaint()
        except OSError as error:
            self._search_error = f"The search for new puzzles has stopped: {format_os_error(error)}"
            self.repaint()

    def on_resumed(self) -> None:
        """Read the list again, and move the cursor to the first puzzle after one has been solved."""
        before: PlayerPuzzles = self._own
        self._own, self._error = puzzle_progress.load(self.context.nick)
        if before != self._own and self._order:
            self.cursor = self._order[0]
        self.repaint()

    def build_columns(self, canvas: Canvas) -> list[Column]:
        rows = [EMPTY_ROW, *map(self._create_row, self._order)]
        if not self._own.puzzles and not self._error:
            rows.append(FormRow(help_text=NO_PUZZLES, indent=INDENT, rows=0))
        searching = "" if self._search_error else format_search(self._search_progress)
        if searching:
            rows += [EMPTY_ROW, make_text_row(f"New puzzles: {searching}", INDENT)]
        for error in filter(None, [self._error, self._search_error]):
            rows += [EMPTY_ROW, make_text_row(error, INDENT, is_error=True)]
        return [Column(MARGIN, canvas.width - 2 * MARGIN, rows)]

    def _create_row(self, puzzle: str) -> FormRow:
        progress, today = self._own.puzzles[puzzle], get_today()
        is_playable, is_due = progress.game in ABOUT, progress.is_due(today)

        def draw(area: BlockArea) -> None:
            name = area.name_ink if is_playable else area.quiet_ink
            area.write(INDENT, 0, format_name(progress), name, max_width=_STATE_COLUMN - INDENT - 1, bold=is_due)
            area.write(_STATE_COLUMN, 0, format_state(progress, today), area.muted_ink)
            area.write(_ATTEMPTS_COLUMN, 0, format_attempts(progress), area.quiet_ink)

        return FormRow(
            name=puzzle,
            draw=draw,
            on_press=partial(self.show, "puzzle", puzzle) if is_playable else None,
            keys={"play": "solve"} if is_playable else {"play": ""},
        )

    @property
    def has_puzzles(self) -> bool:
        """True if a puzzle is under the cursor."""
        return self.current_row.name in self._own.puzzles

    def action_export(self) -> None:
        """Write the puzzle under the cursor into the folder for exports, to be shared."""
        puzzle = str(self.current_row.name)
        path = paths.exports_folder() / f"puzzle-{puzzle}.json"
        try:
            data = puzzle_file.encode(puzzle_file.load(puzzle_file.get_path(puzzle)))
            paths.create_folder(path.parent)
            atomic_io.write_atomically(path, data)
        except CardtableError as error:
            self.app.notify(error.full_message, markup=False, severity="error")
        except OSError as error:
            self.app.notify(f"{path}: {format_os_error(error)}", markup=False, severity="error")
        else:
            self.app.notify(f"Saved, to be shared: {shorten_path(path)}", markup=False)

    def action_remove(self) -> None:
        """Take the puzzle under the cursor from the list, after a confirmation."""
        puzzle = str(self.current_row.name)
        name = format_name(self._own.puzzles[puzzle])

        def on_answer(answer: str | None) -> None:
            if answer is None:
                return
            try:
                puzzle_progress.remove(self.context.nick, puzzle)
            except CardtableError as error:
                self.app.notify(error.full_message, markup=False, severity="error")
            self.on_resumed()

        text = f"{name}: it is not found again."
        self.app.push_screen(Dialog(self.appearance, "Remove the puzzle", text, "removes it", "keeps it"), on_answer)

    def paint_body(self, canvas: Canvas) -> FooterKeys:
        self.paint_columns(canvas)
        summary = format_summary(self._own, get_today()) if self._own.puzzles else ""
        paint_page_header(canvas, "Puzzles", summary)
        return {**self.SCOPE.footer, **self.current_row.keys}


def create_screen(context: PageContext) -> PageScreen:
    return PageScreen(PuzzlesPage(context))
