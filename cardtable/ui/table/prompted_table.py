"""Table screen of a lesson or a puzzle, whose session shows texts and asks questions."""

from cardtable.session.session_events import SessionOver
from cardtable.session.session_protocol import PromptedSession
from cardtable.ui.table.screen import TableScreen
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.questions import run_with_questions


class PromptedTable(TableScreen):
    """Table screen on which a player reads and answers; ``on_finished`` is called once at the end."""

    def __init__(self, context: PageContext, session: PromptedSession) -> None:
        super().__init__(context, session)
        self._prompted = session
        self._has_finished = False

    def show(self) -> None:
        super().show()
        if isinstance(self._prompted.pending, SessionOver) and self.is_current and not self._has_finished:
            self._has_finished = True
            self.call_later(run_with_questions, self.app, self.on_finished)

    async def on_finished(self) -> None:
        """Leave the table, or offer what can follow."""
        raise NotImplementedError

    def show_aim(self) -> None:
        """Show nothing: the texts tell what to do."""

    def action_hint(self) -> None:
        """Show the text of the question again, or the hint where no question is asked."""
        if self.frame.question:
            self.controller.submit(self._prompted.read_again)
        else:
            super().action_hint()
