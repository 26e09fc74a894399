"""Page that lists the lessons of a game."""

import asyncio
from collections.abc import Mapping
from functools import partial

from textual import work

from cardtable.games import ABOUT
from cardtable.session.lessons import Course, Lesson, load_course
from cardtable.store import lesson_progress
from cardtable.store.lesson_progress import NOT_BEGUN, LessonProgress
from cardtable.ui.keys.bindings import LESSONS, FooterKeys
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.form import EMPTY_ROW, Column, FormPage, FormRow, make_single_column, make_text_row
from cardtable.ui.toolkit.page import PageScreen, paint_page_header
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.scroll_list import INDENT, BlockArea
from cardtable.wording.learning import find_next_lesson, format_course, format_lesson_progress, is_lesson_begun

_NUMBER_COLUMN = INDENT + 2
_TITLE_COLUMN = INDENT + 6
_MAX_TITLE_COLUMNS = 40


class LessonListPage(FormPage):
    """Page that lists the lessons of a game, with marks for those that are done or have been begun."""

    SCOPE = LESSONS

    def __init__(self, context: PageContext, game_key: str) -> None:
        super().__init__(context)
        self._game_key = game_key
        self._course: Course | None = None
        """Lessons of the game; ``None`` until they have been read."""
        self._progress: Mapping[str, LessonProgress] = {}
        self._error: str | None = None

    def on_resumed(self) -> None:
        self._load()

    @work(exclusive=True)
    async def _load(self) -> None:
        """Read lessons and progress, and move the cursor to the next lesson at first and after one has been done."""
        before, is_first = self._progress, self._course is None
        if self._course is None:
            self._course = await asyncio.to_thread(load_course, self._game_key)
        self._progress, self._error = await asyncio.to_thread(lesson_progress.load, self.context.nick)
        if is_first or before != self._progress:
            self.cursor = find_next_lesson(self._course, self._progress)
        self.repaint()

    def build_columns(self, canvas: Canvas) -> list[Column]:
        if self._course is None:
            return make_single_column(canvas, [EMPTY_ROW])
        course = self._course
        rows = [EMPTY_ROW, *[self._create_row(course, index) for index in range(len(course.lessons))]]
        if not course.lessons and not course.error:
            rows.append(make_text_row(f"There are no lessons on {course.game.title}.", INDENT))
        for error in filter(None, [course.error, self._error]):
            rows += [EMPTY_ROW, make_text_row(error, INDENT, is_error=True)]
        return make_single_column(canvas, rows)

    def _create_row(self, course: Course, index: int) -> FormRow:
        lesson = course.lessons[index]
        mark = "✓" if self._progress.get(lesson.id, NOT_BEGUN).done else "▸" if self._is_begun(lesson) else ""

        def draw(area: BlockArea) -> None:
            area.write(INDENT, 0, mark, area.canvas.theme.inks.text)
            area.write(_NUMBER_COLUMN, 0, f"{index + 1:2}", area.quiet_ink)
            progress = format_lesson_progress(lesson, self._progress)
            end = area.write(
                _TITLE_COLUMN, 0, lesson.title, area.name_ink, max_width=_MAX_TITLE_COLUMNS, bold=area.has_cursor
            )
            area.write(max(_TITLE_COLUMN + _MAX_TITLE_COLUMNS // 2 + 6, end - area.x + 2), 0, progress, area.muted_ink)

        return FormRow(
            name=index,
            draw=draw,
            on_press=partial(self.show, "lesson", course, index),
            keys={"play": "continue" if self._is_begun(lesson) else "begin"},
        )

    def _is_begun(self, lesson: Lesson) -> bool:
        return is_lesson_begun(lesson, self._progress)

    def paint_body(self, canvas: Canvas) -> FooterKeys:
        self.paint_columns(canvas)
        facts = [format_course(self._course, self._progress)] if self._course and self._course.lessons else []
        paint_page_header(canvas, "Learn", ABOUT[self._game_key].title, facts=facts)
        return {**self.SCOPE.footer, **self.current_row.keys}


def create_screen(context: PageContext, game_key: str) -> PageScreen:
    return PageScreen(LessonListPage(context, game_key))
