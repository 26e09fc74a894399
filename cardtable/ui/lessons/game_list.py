"""Page that lists the games with lessons."""

import asyncio
from collections.abc import Mapping
from functools import partial

from textual import work

from cardtable.session import lessons
from cardtable.session.lessons import Course
from cardtable.store import lesson_progress
from cardtable.store.lesson_progress import LessonProgress
from cardtable.ui.keys.bindings import LESSONS, FooterKeys
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.form import EMPTY_ROW, Column, FormPage, FormRow, make_single_column, make_text_row
from cardtable.ui.toolkit.page import PageScreen, paint_page_header
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.scroll_list import INDENT, BlockArea
from cardtable.wording.learning import format_course

_PROGRESS_COLUMN = 16
_SUMMARY_COLUMN = 30


class LessonGamesPage(FormPage):
    """Page that lists the games with lessons, and how many of them the player has done."""

    SCOPE = LESSONS

    def __init__(self, context: PageContext) -> None:
        super().__init__(context)
        self._courses: list[Course] | None = None
        """Lessons of all games; ``None`` until they have been read."""
        self._progress: Mapping[str, LessonProgress] = {}
        self._error: str | None = None

    def on_resumed(self) -> None:
        self.call_after_refresh(self._load)

    @work(exclusive=True)
    async def _load(self) -> None:
        if self._courses is None:
            self._courses = await asyncio.to_thread(lessons.list_courses)
        self._progress, self._error = await asyncio.to_thread(lesson_progress.load, self.context.nick)
        self.repaint()

    def build_columns(self, canvas: Canvas) -> list[Column]:
        rows = [make_text_row("Short lessons on fixed deals: you play, and learn why.", INDENT), EMPTY_ROW]
        if self._courses is None:
            rows.append(make_text_row("Reading the lessons ...", INDENT))
        rows += map(self._create_row, self._courses or ())
        if self._courses == []:
            rows.append(make_text_row("No game has lessons.", INDENT))
        if self._error:
            rows += [EMPTY_ROW, make_text_row(self._error, INDENT, is_error=True)]
        return make_single_column(canvas, rows)

    def _create_row(self, course: Course) -> FormRow:
        about = course.game
        if course.error:
            return make_text_row(f"{about.title}: {course.error}", INDENT, is_error=True)

        def draw(area: BlockArea) -> None:
            area.write(INDENT, 0, about.title, area.name_ink, max_width=_PROGRESS_COLUMN - INDENT - 1, bold=True)
            area.write(_PROGRESS_COLUMN, 0, format_course(course, self._progress), area.muted_ink)
            area.write(_SUMMARY_COLUMN, 0, about.summary, area.quiet_ink)

        return FormRow(
            name=about.key,
            draw=draw,
            on_press=partial(self.show, "game_lessons", about.key),
            keys={"play": "see its lessons"},
        )

    def paint_body(self, canvas: Canvas) -> FooterKeys:
        self.paint_columns(canvas)
        paint_page_header(canvas, "Learn", "choose a game")
        return {**self.SCOPE.footer, **self.current_row.keys}


def create_screen(context: PageContext) -> PageScreen:
    return PageScreen(LessonGamesPage(context))
