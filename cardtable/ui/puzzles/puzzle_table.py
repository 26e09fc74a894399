"""Table screen at which a puzzle is solved."""

from functools import partial

from cardtable.engine.text_format import format_count
from cardtable.session.puzzle_session import PuzzleSession, open_puzzle
from cardtable.store import puzzle_file, puzzle_progress
from cardtable.store.errors import FileError
from cardtable.store.puzzle_progress import get_today
from cardtable.ui.puzzles.display_check import can_be_displayed
from cardtable.ui.table.prompted_table import PromptedTable
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.dialog import Dialog
from cardtable.wording.puzzles import CANNOT_BE_DISPLAYED


class PuzzleTable(PromptedTable):
    """Table screen of a puzzle; after the verdict the next one that is due is offered."""

    def __init__(self, context: PageContext, session: PuzzleSession) -> None:
        super().__init__(context, session)
        self._puzzle_session = session

    def on_finished(self) -> None:
        """Offer the next puzzle that is due; return to the list if there is none."""
        due = puzzle_progress.load(self._page_context.nick)[0].list_due(get_today())
        if not due:
            self._leave()
            return

        def on_answer(answer: str | None) -> None:
            if answer is None:
                self._leave()
            else:
                self._navigate(partial(self._page_context.show, "puzzle", due[0]))

        title = "Right" if self._puzzle_session.is_right else "Not this time"
        text = f"{format_count(len(due), 'more puzzle')} {'is' if len(due) == 1 else 'are'} due."
        dialog = Dialog(self._preferences.appearance, title, text, "next puzzle", "the list of puzzles")
        self.app.push_screen(dialog, on_answer)


def create_screen(context: PageContext, puzzle_id: str) -> PuzzleTable:
    """Return the table of a puzzle in the list of the current player.

    Raises ``CardtableError`` if the puzzle cannot be read or displayed.
    """
    session = open_puzzle(context.nick, puzzle_id, get_today)
    if not can_be_displayed(session.position, context.preferences):
        raise FileError(puzzle_file.get_path(puzzle_id), CANNOT_BE_DISPLAYED)
    return PuzzleTable(context, session)
