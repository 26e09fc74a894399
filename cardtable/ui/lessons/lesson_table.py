"""Table screen at which a lesson is taken."""

from functools import partial

from cardtable.games import GAMES
from cardtable.session.lessons import Course, LessonSession, continue_lesson
from cardtable.store.session_setup import create_default_setup
from cardtable.ui.table.prompted_table import PromptedTable
from cardtable.ui.toolkit.context import PageContext
from cardtable.wording.learning import ANSWER_TOLD_NOTE


class LessonTable(PromptedTable):
    """Table screen of a lesson, which ends with a question what to do next."""

    def __init__(self, context: PageContext, session: LessonSession, course: Course, index: int) -> None:
        """Create the screen for the lesson ``course.lessons[index]``."""
        super().__init__(context, session)
        self._lesson_session, self._course, self._index = session, course, index

    def show(self) -> None:
        error = self._lesson_session.save_error
        self.view_model.update(notice=f"Your progress is not saved: {error}" if error else "")
        super().show()

    async def on_finished(self) -> None:
        """Say that the lesson is done, and offer the next one; after the last one, offer to play the game."""
        game, following = self._course.game, self._index + 1
        if self._lesson_session.needed_answer:
            title, text, index = "Once more?", ANSWER_TOLD_NOTE, self._index
            label = "take it again"
        elif following < len(self._course.lessons):
            title, text, index = "Lesson done", f"Next: {self._course.lessons[following].title}", following
            label = "next lesson"
        else:
            title, text, index = "Lesson done", f"That was the last lesson on {game.title}.", -1
            label = f"play {game.title}"

        if not await self._page_context.confirm(title, text, label, "the list of lessons"):
            self._leave()
        elif index < 0:
            self._page_context.begin(create_default_setup(GAMES[game.key], self._page_context.nick))
        else:
            self._navigate(partial(self._page_context.show, "lesson", self._course, index))


def create_screen(context: PageContext, course: Course, index: int) -> LessonTable:
    return LessonTable(context, continue_lesson(course.lessons[index], context.nick), course, index)
