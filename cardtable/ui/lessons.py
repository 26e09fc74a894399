"""Lessons: the page of the games that have some, the page of the lessons of a game, and the table of a lesson."""

import asyncio
from collections.abc import Mapping
from functools import partial

from textual import work

from cardtable.games import ABOUT, GAMES
from cardtable.session.lessons import Course, LessonSession, continue_lesson, list_courses, load_course
from cardtable.store import player_progress
from cardtable.store.player_progress import NOT_BEGUN, LessonProgress
from cardtable.store.session_setup import create_default_setup
from cardtable.ui.keys.bindings import LESSONS, FooterKeys
from cardtable.ui.table.screen import PromptedTable
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.form import EMPTY_ROW, Column, FormPage, FormRow, make_single_column, make_text_row
from cardtable.ui.toolkit.page import PageScreen, paint_page_header
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.scroll_list import INDENT, BlockArea
from cardtable.wording.learning import (
    ANSWER_TOLD_NOTE,
    find_next_lesson,
    format_course,
    format_lesson_progress,
    is_lesson_begun,
)

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
            self._courses = await asyncio.to_thread(list_courses)
        self._progress, self._error = await asyncio.to_thread(player_progress.load_lessons, self.context.nick)
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


def create_game_list(context: PageContext) -> PageScreen:
    return PageScreen(LessonGamesPage(context))


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
        self._progress, self._error = await asyncio.to_thread(player_progress.load_lessons, self.context.nick)
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
        has_begun = is_lesson_begun(lesson, self._progress)
        mark = "✓" if self._progress.get(lesson.id, NOT_BEGUN).done else "▸" if has_begun else ""

        def draw(area: BlockArea) -> None:
            area.write(INDENT, 0, mark, area.canvas.theme.inks.text)
            area.write(_NUMBER_COLUMN, 0, f"{index + 1:2}", area.quiet_ink)
            ink, bold = area.name_ink, area.has_cursor
            end = area.write(_TITLE_COLUMN, 0, lesson.title, ink, max_width=_MAX_TITLE_COLUMNS, bold=bold) - area.x
            start = max(_TITLE_COLUMN + _MAX_TITLE_COLUMNS // 2 + 6, end + 2)
            area.write(start, 0, format_lesson_progress(lesson, self._progress), area.muted_ink)

        return FormRow(
            name=index,
            draw=draw,
            on_press=partial(self.show, "lesson", course, index),
            keys={"play": "continue" if has_begun else "begin"},
        )

    def paint_body(self, canvas: Canvas) -> FooterKeys:
        self.paint_columns(canvas)
        facts = [format_course(self._course, self._progress)] if self._course and self._course.lessons else []
        paint_page_header(canvas, "Learn", ABOUT[self._game_key].title, facts=facts)
        return {**self.SCOPE.footer, **self.current_row.keys}


def create_lesson_list(context: PageContext, game_key: str) -> PageScreen:
    return PageScreen(LessonListPage(context, game_key))


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
        game, lessons = self._course.game, self._course.lessons
        title, index = "Lesson done", self._index + 1
        if self._lesson_session.needed_answer:
            title, text, label, index = "Once more?", ANSWER_TOLD_NOTE, "take it again", self._index
        elif index < len(lessons):
            text, label = f"Next: {lessons[index].title}", "next lesson"
        else:
            text, label = f"That was the last lesson on {game.title}.", f"play {game.title}"
        if not await self._page_context.confirm(title, text, label, "the list of lessons"):
            self._leave()
        elif index < len(lessons):
            self._navigate(partial(self._page_context.show, "lesson", self._course, index))
        else:
            self._page_context.begin(create_default_setup(GAMES[game.key], self._page_context.nick))


def create_lesson_table(context: PageContext, course: Course, index: int) -> LessonTable:
    return LessonTable(context, continue_lesson(course.lessons[index], context.nick), course, index)
