"""Lessons in plain text: the lists of games and lessons, and a lesson as lines that can be followed by ear."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from cardtable.engine.game import View
from cardtable.games import find_key
from cardtable.plain.commands import LEAVE, Commands, ListDialog, alone, request_quit
from cardtable.plain.console import print_lines
from cardtable.plain.position_text import (
    describe_cards_on_table,
    describe_legal_actions,
    describe_own_hand,
    describe_position,
)
from cardtable.plain.prompted_dialog import COMMANDS_HINT, PromptedDialog
from cardtable.plain.speech_text import format_log_entries, to_sentence, use_faces
from cardtable.plain.table_dialog import HOW_TO_ACT
from cardtable.session.lessons import PUPIL, Course, Lesson, LessonSession, continue_lesson, list_courses, load_course
from cardtable.session.session_events import (
    SessionEvent,
)
from cardtable.store import lesson_progress, profiles
from cardtable.store.settings import Settings
from cardtable.wording.lessons import (
    ANSWER_TOLD_NOTE,
    find_next_lesson,
    format_course,
    format_lesson_progress,
)

_MAX_OPENING_ENTRIES: Final = 8
"""Maximum number of events before the first text that are read out; of earlier ones only the contract matters."""


class PlainLessons(ListDialog[Course | Lesson]):
    """Dialog that lists the games with lessons or the lessons of a game, until the user goes back."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._courses: list[Course] = []
        """Games with lessons."""
        self._course: Course | None = None
        """Game whose lessons are listed; ``None`` while the games are."""
        self.commands = Commands(
            {
                "Type the number of a game or of a lesson. A lesson continues where you left it.\n"
                "The name of a game lists its lessons. An empty line starts the next lesson.": {
                    "": alone(self._begin_next)
                },
                "list: the list again. games: the games. back: to the picker. quit: leave.": {
                    "list": alone(self._print_list),
                    "games": alone(self._list_games),
                    **LEAVE,
                },
            }
        )

    def run(self, game_key: str) -> None:
        """List the lessons of a game, or the games if ``game_key`` is empty, and execute commands until ``back``.

        Raises ``QuitRequested`` if the user quits.
        """
        if game_key:
            self.open_item(load_course(game_key))
        else:
            self._list_games()
        self.read_until_back()

    def find_item(self, typed: str) -> Course | Lesson | None:
        """Return the game or the lesson with this number, or the game with this name."""
        key = find_key(typed)
        return super().find_item(typed) if key is None else load_course(key)

    def open_item(self, item: Course | Lesson) -> None:
        """Begin a lesson, or list the lessons of a game."""
        if isinstance(item, Lesson):
            session = continue_lesson(item, profiles.get_current_nick())
            with use_faces(session.game.about.faces):
                LessonDialog(session, self._settings).run()
            self._print_list()
        elif item.lessons:
            self._course = item
            self._print_list()
        else:
            print_lines(to_sentence(item.error or f"there are no lessons on {item.game.title}"))

    def _list_games(self) -> None:
        courses = list_courses()
        self._course, self._courses = None, [course for course in courses if course.lessons]
        self._print_list()
        print_lines(*[f"{course.game.title}: {course.error}" for course in courses if course.error])

    def _print_list(self) -> None:
        progress, error = lesson_progress.load(profiles.get_current_nick())
        print_lines(*filter(None, [error]))
        if self._course is None:
            self.items = self._courses
            lines = [f"{course.game.title}, {format_course(course, progress)}" for course in self._courses]
            print_lines(f"Short lessons. Choose a game. {COMMANDS_HINT}" if lines else "No game has lessons.")
        else:
            self.items = self._course.lessons
            lines = [
                ", ".join(filter(None, [lesson.title, format_lesson_progress(lesson, progress)]))
                for lesson in self._course.lessons
            ]
            print_lines(f"Lessons on {self._course.game.title}, {format_course(self._course, progress)}.")
        print_lines(*[f"{number}: {to_sentence(line)}" for number, line in enumerate(lines, 1)])
        if self._course is not None:
            following = find_next_lesson(self._course, progress) + 1
            print_lines(f"Press Enter for lesson {following}, or type a number. {COMMANDS_HINT}")

    def _begin_next(self) -> None:
        if self._course is None:
            self._print_list()
            return
        progress, _ = lesson_progress.load(profiles.get_current_nick())
        self.open_item(self._course.lessons[find_next_lesson(self._course, progress)])


class LessonDialog(PromptedDialog):
    """Dialog of one lesson."""

    def __init__(self, session: LessonSession, settings: Settings) -> None:
        super().__init__(session, settings)
        self._session = session
        self._needs_full_position = session.step > 0
        self.commands = Commands(
            {
                **HOW_TO_ACT,
                "again: the text of the lesson again.": {"again": alone(self._read_again)},
                "hint: in a round of your own, what an expert would do, and why.": {"hint": alone(self._print_hint)},
                **self._record_row,
                "list: back to the list of lessons. quit: leave. You continue at this step.": {
                    "list": alone(self._leave),
                    "quit": alone(request_quit),
                },
            }
        )

    def run(self) -> None:
        """Take the lesson to its end, or until the pupil goes back to the list.

        Raises ``QuitRequested`` if the pupil quits.
        """
        session = self._session
        print_lines(f"{session.lesson.title}. {COMMANDS_HINT} At a question, an empty line describes the table.")
        self._print_seats(PUPIL)
        if session.step == 0:
            self._print_opening()
        if self._run_steps():
            print_lines(f"The lesson is over. {ANSWER_TOLD_NOTE}" if session.needed_answer else "Lesson done.")

    def _print_opening(self) -> None:
        """Print the last events before the first text, and the contract if it was named earlier."""
        entries, contract = self._session.get_messages(PUPIL), self._session.game.contract(self._view)
        if contract and len(entries) > _MAX_OPENING_ENTRIES:
            print_lines(to_sentence(f"the contract: {contract.words}"))
        print_lines(*format_log_entries(entries[-_MAX_OPENING_ENTRIES:], self._names))

    @property
    def _lists_cards(self) -> bool:
        return not self._session.prompt.question

    def _print_prompt(self, view: View, *, whole: bool) -> None:
        """Print the cards on the table, the hand and what can be typed, but for a question no rules that answer it."""
        if self._lists_cards:
            super()._print_prompt(view, whole=whole)
            return
        game = self._session.game
        describe = partial(describe_position, with_turn=False) if whole else describe_cards_on_table
        print_lines(
            *describe(game, view, self._names),
            describe_own_hand(game, view),
            *describe_legal_actions(game, view, self._names, lists_cards=False),
        )
        self._needs_full_position = False

    def _change(self, change: Callable[[], Sequence[SessionEvent]]) -> None:
        before = self._session.save_error
        super()._change(change)
        if self._session.save_error != before:
            print_lines(*filter(None, [self._session.save_error]))

    def _print_hint(self) -> None:
        """Print a hint in a round that is played freely; read the text of a question again."""
        if self._session.prompt.question:
            self._read_again()
        else:
            super()._print_hint()
