"""Puzzles: the page that lists them and looks for new ones while it is open, and the table at which they are solved."""

import asyncio
from collections.abc import Iterator
from contextlib import aclosing
from functools import partial
from typing import Final

from msgspec.structs import replace
from textual import work

from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import format_count, shorten_path
from cardtable.records.puzzles import SearchProgress
from cardtable.session.puzzle_session import PuzzleSession, open_puzzle
from cardtable.store import atomic_io, paths, puzzle_files
from cardtable.store.errors import FileError, format_os_error
from cardtable.store.puzzle_files import PlayerPuzzles, PuzzlePosition, get_today
from cardtable.ui.keys.bindings import PUZZLES, FooterKeys
from cardtable.ui.keys.table_keys import build_labels
from cardtable.ui.table.model.frame import CardTexts, TableFrame
from cardtable.ui.table.model.view_model import TableViewModel
from cardtable.ui.table.overlays import PreviousTrick, ScoreSheet
from cardtable.ui.table.paint.table_widget import paint_table
from cardtable.ui.table.screen import PromptedTable
from cardtable.ui.toolkit.context import PageContext, SessionEvaluator
from cardtable.ui.toolkit.form import EMPTY_ROW, Column, FormPage, FormRow, make_single_column, make_text_row
from cardtable.ui.toolkit.page import PageScreen, paint_page_header
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.preferences import Preferences
from cardtable.ui.toolkit.scroll_list import INDENT, BlockArea
from cardtable.wording.learning import (
    CANNOT_BE_DISPLAYED,
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
        self._own, self._error = await asyncio.to_thread(puzzle_files.load, self.context.nick)
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
            data = puzzle_files.encode(puzzle_files.load_file(puzzle_files.get_path(puzzle)))
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
            puzzle_files.remove(self.context.nick, puzzle)
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


_SIZES: Final = ((60, 18), (80, 24), (120, 40))
"""Sizes of the terminal at which a position is tried."""


class PuzzleTable(PromptedTable):
    """Table screen of a puzzle; after the verdict the next one that is due is offered."""

    def __init__(self, context: PageContext, session: PuzzleSession) -> None:
        super().__init__(context, session)
        self._puzzle_session = session

    async def on_finished(self) -> None:
        """Offer the next puzzle that is due; return to the list if there is none."""
        due = puzzle_files.load(self._page_context.nick)[0].list_due(get_today())
        if not due:
            self._leave()
            return
        title = "Right" if self._puzzle_session.is_right else "Not this time"
        text = f"{format_count(len(due), 'more puzzle')} {'is' if len(due) == 1 else 'are'} due."
        if await self._page_context.confirm(title, text, "next puzzle", "the list of puzzles"):
            self._navigate(partial(self._page_context.show, "puzzle", due[0]))
        else:
            self._leave()


def create_puzzle_table(context: PageContext, puzzle_id: str) -> PuzzleTable:
    """Return the table of a puzzle in the list of the current player.

    Raises ``CardtableError`` if the puzzle cannot be read or displayed.
    """
    session = open_puzzle(context.nick, puzzle_id, get_today)
    if not _can_be_displayed(session.position, context.preferences):
        raise FileError(puzzle_files.get_path(puzzle_id), CANNOT_BE_DISPLAYED)
    return PuzzleTable(context, session)


def _can_be_displayed(position: PuzzlePosition, preferences: Preferences) -> bool:
    """Return True if the table screen can display the position, its question and its verdict.

    The position may be from a file of somebody else, and no rule can tell all that the screens rely on.
    """
    session = PuzzleSession(position, "", is_own=False, count_attempt=lambda _is_right: "")
    try:
        frames = list(_iter_frames(session, preferences))
        for size in _SIZES:
            for frame in frames if size == _SIZES[0] else (frames[0], frames[-1]):
                paint_table(Canvas(*size, preferences.appearance), frame)
                build_labels(frame)
            for overlay in (ScoreSheet(), PreviousTrick()):
                overlay.paint(Canvas(*size, preferences.appearance), frames[0])
        for action in position.actions:
            PuzzleSession(position, "", is_own=False, count_attempt=lambda _is_right: "").play(action)
    except Exception:  # a game may raise anything for a position that cannot occur
        return False
    return True


def _iter_frames(session: PuzzleSession, preferences: Preferences) -> Iterator[TableFrame]:
    """Yield the table with the cursor on each choice and each card, and with a text to read."""
    model = TableViewModel(session, preferences)
    model.update(card_texts=CardTexts.ALL)
    frame, cursor = model.frame, model.cursor
    cursor.begin_decision(frame.game_view.decision(frame.view, frame.names))
    for action in frame.view.legal:
        cursor.point_at(action)
        yield model.frame
    for card in frame.own_cards:
        cursor.go_to_card(card)
        yield model.frame
        cursor.show_cards_error(1 << card)
    cursor.end_decision()
    assert frame.prompt is not None
    yield replace(model.frame, prompt=replace(frame.prompt, text="..."))
