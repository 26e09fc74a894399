"""Table screen at which a puzzle is solved."""

from collections.abc import Iterator
from functools import partial
from typing import Final

from msgspec.structs import replace

from cardtable.engine.text_format import format_count
from cardtable.session.puzzle_session import PuzzleSession, open_puzzle
from cardtable.store import puzzle_file, puzzle_progress
from cardtable.store.errors import FileError
from cardtable.store.puzzle_file import PuzzlePosition
from cardtable.store.puzzle_progress import get_today
from cardtable.ui.table.input.key_labels import build_labels
from cardtable.ui.table.model.view_model import TableViewModel
from cardtable.ui.table.model.view_state import CardTexts, TableViewState
from cardtable.ui.table.overlays.simple import PreviousTrick, ScoreSheet
from cardtable.ui.table.paint.table_view import paint_table
from cardtable.ui.table.prompted_table import PromptedTable
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.preferences import Preferences
from cardtable.wording.learning import CANNOT_BE_DISPLAYED

_SIZES: Final = ((60, 18), (80, 24), (120, 40))
"""Sizes of the terminal at which a position is tried."""


class PuzzleTable(PromptedTable):
    """Table screen of a puzzle; after the verdict the next one that is due is offered."""

    def __init__(self, context: PageContext, session: PuzzleSession) -> None:
        super().__init__(context, session)
        self._puzzle_session = session

    async def on_finished(self) -> None:
        """Offer the next puzzle that is due; return to the list if there is none."""
        due = puzzle_progress.load(self._page_context.nick)[0].list_due(get_today())
        if not due:
            self._leave()
            return
        title = "Right" if self._puzzle_session.is_right else "Not this time"
        text = f"{format_count(len(due), 'more puzzle')} {'is' if len(due) == 1 else 'are'} due."
        if await self._page_context.confirm(title, text, "next puzzle", "the list of puzzles"):
            self._navigate(partial(self._page_context.show, "puzzle", due[0]))
        else:
            self._leave()


def create_screen(context: PageContext, puzzle_id: str) -> PuzzleTable:
    """Return the table of a puzzle in the list of the current player.

    Raises ``CardtableError`` if the puzzle cannot be read or displayed.
    """
    session = open_puzzle(context.nick, puzzle_id, get_today)
    if not _can_be_displayed(session.position, context.preferences):
        raise FileError(puzzle_file.get_path(puzzle_id), CANNOT_BE_DISPLAYED)
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


def _iter_frames(session: PuzzleSession, preferences: Preferences) -> Iterator[TableViewState]:
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
