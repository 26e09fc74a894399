"""Page that lists the player's puzzles, and looks for new ones in a worker process while it is open."""

import asyncio
from contextlib import aclosing
from functools import partial

from textual import work

from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import shorten_path
from cardtable.records.puzzles import SearchProgress
from cardtable.store import atomic_io, paths, puzzle_file, puzzle_progress
from cardtable.store.errors import format_os_error
from cardtable.store.puzzle_progress import PlayerPuzzles, get_today
from cardtable.ui.keys.bindings import PUZZLES, FooterKeys
from cardtable.ui.toolkit.context import PageContext, SessionEvaluator
from cardtable.ui.toolkit.form import EMPTY_ROW, Column, FormPage, FormRow, make_single_column, make_text_row
from cardtable.ui.toolkit.page import PageScreen, paint_page_header
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.scroll_list import INDENT, BlockArea
from cardtable.wording.learning import (
    IMPORT_NOTE,
    NO_PUZZLES,
    format_attempts,
    format_puzzle_names,
    format_puzzle_state,
    format_puzzle_summary,
    format_search,
    list_puzzles_in_order,
)

_STATE_COLUMN = 28
_ATTEMPTS_COLUMN = 48


class PuzzlesPage(FormPage):
    """Page that lists the player's puzzles, those that are due first."""

    SCOPE = PUZZLES

    def __init__(self, context: PageContext) -> None:
        super().__init__(context)
        self._evaluator = SessionEvaluator()
        self._search_progress: SearchProgress | None = None
        self._own = PlayerPuzzles()
        self._error: str | None = None
        self._search_error: str | None = None
        self._is_loaded = False

    @property
    def _order(self) -> list[str]:
        return list_puzzles_in_order(self._own, get_today())

    def on_mount(self) -> None:
        self.call_after_refresh(self._search)

    async def on_unmount(self) -> None:
        """Stop the search; what has been done is saved."""
        await self.stop_workers()
        await self._evaluator.stop()

    @work(group="search", exclusive=True)
    async def _search(self) -> None:
        try:
            async with aclosing(self._evaluator.search_puzzles(self.context.nick)) as answers:
                async for progress in answers:
                    before, self._search_progress = self._search_progress, progress
                    if progress.puzzle_count != (before.puzzle_count if before else 0):
                        await self._load()
                    self.repaint()
        except OSError as error:
            self._search_error = f"The search for new puzzles has stopped: {format_os_error(error)}"
            self.repaint()

    def on_resumed(self) -> None:
        self._update()

    @work(group="update", exclusive=True)
    async def _update(self) -> None:
        """Read the list, and move the cursor to the first puzzle if it has changed, as after one has been solved."""
        before = self._own
        await self._load()
        if before != self._own and self._order:
            self.cursor = self._order[0]
        self.repaint()

    async def _load(self) -> None:
        self._own, self._error = await asyncio.to_thread(puzzle_progress.load, self.context.nick)
        self._is_loaded = True

    def build_columns(self, canvas: Canvas) -> list[Column]:
        names = format_puzzle_names(self._own)
        rows = [EMPTY_ROW, *[self._create_row(puzzle, names[puzzle]) for puzzle in self._order]]
        if self._is_loaded and not self._own.puzzles and not self._error:
            rows.append(FormRow(help_text=NO_PUZZLES, indent=INDENT, rows=0))
        if self._is_loaded:
            rows += [EMPTY_ROW, make_text_row(IMPORT_NOTE, INDENT)]
        searching = "" if self._search_error else format_search(self._search_progress)
        if searching:
            rows += [EMPTY_ROW, make_text_row(f"New puzzles: {searching}", INDENT)]
        for error in filter(None, [self._error, self._search_error]):
            rows += [EMPTY_ROW, make_text_row(error, INDENT, is_error=True)]
        return make_single_column(canvas, rows)

    def _create_row(self, puzzle: str, name: str) -> FormRow:
        progress, today = self._own.puzzles[puzzle], get_today()
        is_playable, is_due = progress.missing_game is None, progress.is_due(today)

        def draw(area: BlockArea) -> None:
            ink = area.name_ink if is_playable else area.quiet_ink
            area.write(INDENT, 0, name, ink, max_width=_STATE_COLUMN - INDENT - 1, bold=is_due)
            area.write(_STATE_COLUMN, 0, format_puzzle_state(progress, today), area.muted_ink)
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
            self.app.notify(f"Saved to share: {shorten_path(path)}", markup=False)

    async def action_remove(self) -> None:
        """Take the puzzle under the cursor from the list, after a confirmation."""
        puzzle = str(self.current_row.name)
        text = f"{format_puzzle_names(self._own)[puzzle]}. The search does not find it again."
        if not await self.context.confirm("Remove the puzzle?", text, "remove it", "keep it"):
            return
        try:
            puzzle_progress.remove(self.context.nick, puzzle)
        except CardtableError as error:
            self.app.notify(error.full_message, markup=False, severity="error")
        self.on_resumed()

    def paint_body(self, canvas: Canvas) -> FooterKeys:
        self.paint_columns(canvas)
        summary = format_puzzle_summary(self._own, get_today()) if self._own.puzzles else ""
        paint_page_header(canvas, "Puzzles", summary)
        return {**self.SCOPE.footer, **self.current_row.keys}


def create_screen(context: PageContext) -> PageScreen:
    return PageScreen(PuzzlesPage(context))
