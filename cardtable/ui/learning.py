"""Lessons and puzzles: the pages that list them, and the tables at which they are read and solved."""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import aclosing
from functools import partial
from typing import Final

from msgspec.structs import replace
from textual import work

from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import shorten_path
from cardtable.games import ABOUT, GAMES, KEYS
from cardtable.records.puzzles import SearchProgress
from cardtable.session.lessons import Course, LessonSession, continue_lesson, list_courses, load_course
from cardtable.session.puzzle_session import PuzzleSession, open_puzzle
from cardtable.store import atomic_io, paths, player_progress, puzzle_files
from cardtable.store.errors import FileError, format_os_error
from cardtable.store.player_progress import NOT_BEGUN, LessonProgress
from cardtable.store.puzzle_files import PlayerPuzzles, PuzzlePosition, get_today
from cardtable.store.session_setup import create_default_setup
from cardtable.ui.game_view.hand_cursor import find_selectable_cards
from cardtable.ui.keys.bindings import LESSONS, PUZZLES, FooterKeys
from cardtable.ui.keys.table_keys import build_labels
from cardtable.ui.table.model.view_model import CardTexts, TableFrame, TableViewModel
from cardtable.ui.table.overlays import PreviousTrick, ScoreSheet
from cardtable.ui.table.paint.table_widget import paint_table
from cardtable.ui.table.screen import PromptedTable
from cardtable.ui.toolkit.context import PageContext, SessionEvaluator
from cardtable.ui.toolkit.dialog import REPEAT, Dialog
from cardtable.ui.toolkit.form import EMPTY_ROW, FormPage, FormRow, make_text_row
from cardtable.ui.toolkit.page import ask, paint_page_header
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.preferences import Preferences
from cardtable.ui.toolkit.scroll_list import INDENT, BlockArea
from cardtable.wording.learning import (
    CANNOT_BE_DISPLAYED,
    HELPED_NOTE,
    IMPORT_NOTE,
    NO_PUZZLES,
    find_left_lesson,
    find_next_lesson,
    format_attempts,
    format_course,
    format_lesson_progress,
    format_puzzle_names,
    format_puzzle_state,
    format_puzzle_summary,
    format_search,
    is_lesson_begun,
    list_puzzles_in_order,
)

_PROGRESS_COLUMN = 16
_SUMMARY_COLUMN = 30
_MIN_WIDTH_FOR_BOTH = 70
"""Minimum width of the list, in columns, for progress and summary; below it only a game not begun has a summary."""


class LessonGamesPage(FormPage):
    """Page that lists the games with lessons, and how many of them the player has done."""

    SCOPE = LESSONS
    header_texts = ("Learn", "choose a game")

    def __init__(self, context: PageContext, game_key: str | None = None) -> None:
        """Begin with the cursor on a game; ``None`` for the first one."""
        super().__init__(context, game_key)
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

    def list_rows(self) -> list[FormRow]:
        rows = [make_text_row("Short lessons on fixed deals: you play, and learn why.", INDENT), EMPTY_ROW]
        if self._courses is None:
            rows.append(make_text_row("Reading the lessons ...", INDENT))
        rows += map(self._create_row, self._courses or ())
        if self._courses == []:
            rows.append(make_text_row("No game has lessons.", INDENT))
        if self._error:
            rows += [EMPTY_ROW, make_text_row(self._error, INDENT, is_error=True)]
        return rows

    def _create_row(self, course: Course) -> FormRow:
        about = course.game
        if course.error:
            return make_text_row(f"{about.title}: {course.error}", INDENT, is_error=True)
        has_begun = any(self._progress.get(lesson.id, NOT_BEGUN).is_finished for lesson in course.lessons)

        def draw(area: BlockArea) -> None:
            area.write(INDENT, 0, about.title, area.name_ink, max_width=_PROGRESS_COLUMN - INDENT - 1, bold=True)
            has_room, summary_column = area.width >= _MIN_WIDTH_FOR_BOTH, _PROGRESS_COLUMN
            if has_room or has_begun:
                area.write(_PROGRESS_COLUMN, 0, format_course(course, self._progress), area.muted_ink)
                summary_column = _SUMMARY_COLUMN
            if has_room or not has_begun:
                area.write(summary_column, 0, about.summary, area.quiet_ink)

        return FormRow(
            name=about.key,
            draw=draw,
            on_press=partial(self.show, "game_lessons", about.key),
            keys={"play": "see its lessons"},
        )


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
        """Read lessons and progress, and move the cursor to the lesson that was left, or to the next if it is done."""
        before, is_first = self._progress, self._course is None
        if self._course is None:
            self._course = await asyncio.to_thread(load_course, self._game_key)
        self._progress, self._error = await asyncio.to_thread(player_progress.load_lessons, self.context.nick)
        if is_first:
            self.cursor = find_next_lesson(self._course, self._progress)
        elif (left := find_left_lesson(self._course, before, self._progress)) is not None:
            has_begun = is_lesson_begun(self._course.lessons[left], self._progress)
            self.cursor = left if has_begun else find_next_lesson(self._course, self._progress, left)
        self.repaint()

    def list_rows(self) -> list[FormRow]:
        if self._course is None:
            return [EMPTY_ROW]
        course = self._course
        rows = [EMPTY_ROW, *[self._create_row(course, index) for index in range(len(course.lessons))]]
        if not course.lessons and not course.error:
            rows.append(make_text_row(f"There are no lessons on {course.game.title}.", INDENT))
        for error in filter(None, [course.error, self._error]):
            rows += [EMPTY_ROW, make_text_row(error, INDENT, is_error=True)]
        return rows

    def _create_row(self, course: Course, index: int) -> FormRow:
        lesson = course.lessons[index]
        has_begun, own = is_lesson_begun(lesson, self._progress), self._progress.get(lesson.id, NOT_BEGUN)
        mark = "✓" if own.done else "½" if own.helped else "▸" if has_begun else ""

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
        return self.list_footer_keys()


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

    def _leave(self) -> None:
        """Leave the table; a round that the pupil plays out only after a question, since it begins anew next time."""
        frame, session = self.frame, self._lesson_session
        plays_out = frame.is_in_play and not frame.is_reading and session.current_step.play_on
        if plays_out and session.progress[1] and self._page_context.preferences.settings.confirm:
            self._page_context.run_later(self._leave_after_question)
        else:
            super()._leave()

    async def _leave_after_question(self) -> None:
        text = "This round is not saved: it begins anew next time."
        if self.is_current and await self._page_context.confirm("Leave the round?", text, "leave", "keep playing"):
            super()._leave()

    async def on_finished(self) -> None:
        """Say that the lesson is done, and offer the next one; after the last one, offer to play the game."""
        game, lessons, context = self._course.game, self._course.lessons, self._page_context
        index, title = self._index + 1, "Lesson done"
        if index < len(lessons):
            text, label = f"Next: {lessons[index].title}", "next lesson"
        else:
            text, label = f"That was the last lesson on {game.title}.", f"play {game.title}"
        if self._lesson_session.needed_answer:
            title, text = "Lesson done with help", f"{text}\n{HELPED_NOTE}"
        look = context.preferences.appearance
        answer = await ask(Dialog(look, title, text, label, "all lessons", repeat_label="repeat"))
        if answer is None:
            self._leave()
        elif answer == REPEAT or index < len(lessons):
            index = self._index if answer == REPEAT else index
            self._navigate(partial(context.show, "lesson", self._course, index))
        else:
            context.begin(create_default_setup(GAMES[game.key], context.nick))


def create_lesson_table(context: PageContext, course: Course, index: int) -> LessonTable:
    return LessonTable(context, continue_lesson(course.lessons[index], context.nick), course, index)


_STATE_COLUMN = 28
_ATTEMPTS_COLUMN = 48


class PuzzlesPage(FormPage):
    """Page that lists the player's puzzles, those that are due first, then those that wait."""

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
        self._own, self._error = await asyncio.to_thread(puzzle_files.load_puzzles, self.context.nick)
        self._is_loaded = True

    def list_rows(self) -> list[FormRow]:
        names = format_puzzle_names(self._own)
        rows = [EMPTY_ROW, *[self._create_row(puzzle, names[puzzle]) for puzzle in self._order]]
        has_searched = self._search_error or (self._search_progress and not self._search_progress.sessions)
        if self._is_loaded and has_searched and not self._own.puzzles and not self._error:
            rows += [make_text_row(NO_PUZZLES, INDENT), EMPTY_ROW, self._create_invitation()]
        if self._is_loaded:
            rows += [EMPTY_ROW, make_text_row(IMPORT_NOTE, INDENT)]
        searching = "" if self._search_error else format_search(self._search_progress)
        if searching:
            rows += [EMPTY_ROW, make_text_row(f"New puzzles: {searching}", INDENT)]
        for error in filter(None, [self._error, self._search_error]):
            rows += [EMPTY_ROW, make_text_row(error, INDENT, is_error=True)]
        return rows

    def _create_invitation(self) -> FormRow:
        def draw(area: BlockArea) -> None:
            area.write(INDENT, 0, f"Play {GAMES[KEYS[0]].about.title}", area.name_ink, bold=True)

        on_press = partial(self.show, "new_table", KEYS[0])
        return FormRow(name="invitation", draw=draw, on_press=on_press, keys={"play": "new table"})

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
    def header_texts(self) -> tuple[str, str]:
        return "Puzzles", format_puzzle_summary(self._own, get_today()) if self._own.puzzles else ""

    @property
    def has_puzzles(self) -> bool:
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
            puzzle_files.remove_puzzle(self.context.nick, puzzle)
        except CardtableError as error:
            self.app.notify(error.full_message, markup=False, severity="error")
        self.on_resumed()


_SIZES: Final = ((60, 18), (80, 24), (120, 40))
"""Sizes of the terminal at which a position is tried."""


class PuzzleTable(PromptedTable):
    """Table screen of a puzzle; after the verdict the next one is offered."""

    def __init__(self, context: PageContext, session: PuzzleSession) -> None:
        super().__init__(context, session)
        self._puzzle_session = session

    async def on_finished(self) -> None:
        """Offer the next puzzle; return to the list if there is none."""
        own = puzzle_files.load_puzzles(self._page_context.nick)[0]
        following = own.list_next(get_today())
        if not following:
            self._leave()
            return
        title = "Right" if self._puzzle_session.is_right else "Not this time"
        text = f"Next: {format_puzzle_names(own)[following[0]]}."
        if await self._page_context.confirm(title, text, "next puzzle", "the list of puzzles"):
            self._navigate(partial(self._page_context.show, "puzzle", following[0]))
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
    cursor.begin_decision(frame.game_view.decision(frame.view, frame.names), frame.names)
    for action in frame.view.legal:
        cursor.point_at(action)
        yield model.frame
    playable = find_selectable_cards(frame.view.legal)
    for card in frame.own_cards:
        cursor.go_to_card(card)
        yield model.frame
        if not playable & 1 << card:
            cursor.show_cards_error(1 << card)
    cursor.end_decision()
    assert frame.prompt is not None
    yield replace(model.frame, prompt=replace(frame.prompt, text="..."))
