"""Lessons in plain text: the lists of games and lessons, and a lesson as lines that can be followed by ear."""

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from cardtable.engine.errors import CardtableError
from cardtable.engine.game import View
from cardtable.games import ABOUT, find_key
from cardtable.plain import console
from cardtable.plain.action_menu import parse_number
from cardtable.plain.commands import Back, Commands, UnknownCommand, alone, go_back, request_quit
from cardtable.plain.console import print_lines, read_line
from cardtable.plain.info_text import to_paragraphs
from cardtable.plain.position_text import (
    describe_cards_on_table,
    describe_legal_actions,
    describe_own_hand,
    describe_position,
)
from cardtable.plain.speech_text import format_log_entries, to_sentence, to_spoken
from cardtable.plain.table_dialog import HOW_TO_ACT, TableDialog
from cardtable.session.lessons import PUPIL, Course, LessonSession, continue_lesson, list_courses, load_course
from cardtable.session.message_log import narrate_event
from cardtable.session.session_events import (
    AwaitingPlayer,
    AwaitingReader,
    ObservedEvent,
    SessionEvent,
    SessionOver,
)
from cardtable.store import lesson_progress, profiles
from cardtable.store.settings import Settings
from cardtable.wording.formatting import YOU
from cardtable.wording.lessons import (
    NOT_ALONE,
    find_next_lesson,
    format_course,
    format_progress,
    format_step,
    format_text,
)
from cardtable.wording.players import list_seat_names

_SENTENCE_START: Final = re.compile(r"(?:^|(?<=[.!?] ))[a-z]")
"""First letter of a sentence, which is small where the sentence begins with a card."""
_MAX_OPENING_ENTRIES: Final = 8
"""Maximum number of events before the first text that are read out; of earlier ones only the contract matters."""
_COMMANDS_HINT: Final = "Type help for what can be typed."


class PlainLessons:
    """Dialog that lists the games with lessons or the lessons of a game, until the user goes back."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._courses: list[Course] = []
        """Listed games; empty while the lessons of one game are listed."""
        self._course: Course | None = None
        self.commands = Commands(
            {
                "Type the number of a game or of a lesson. A lesson continues where you left it.\n"
                "The name of a game lists its lessons. An empty line begins the next lesson.": {
                    "": alone(self._begin_next)
                },
                "list: the list again. games: the games. back: to the picker. quit: leave.": {
                    "list": alone(self._print_list),
                    "games": alone(self._list_games),
                    "back": alone(go_back),
                    "quit": alone(request_quit),
                },
            }
        )

    def run(self, game_key: str) -> None:
        """List the lessons of a game, or the games if ``game_key`` is empty, and execute commands until ``back``.

        Raises ``QuitRequested`` if the user quits.
        """
        if game_key:
            self._list_lessons(game_key)
        else:
            self._list_games()
        while True:
            try:
                self._execute(read_line())
            except CardtableError as error:
                print_lines(to_sentence(str(error)))
            except Back:
                return

    def _execute(self, typed: str) -> None:
        try:
            self.commands.execute(typed)
        except UnknownCommand:
            number, key = parse_number(typed), find_key(typed)
            if number is not None and self._open(number - 1):
                return
            if key is None:
                print_lines(f"There is no {typed[:40]} here. Type a number from the list, or help.")
            else:
                self._list_lessons(key)

    def _open(self, index: int) -> bool:
        """Open the game or the lesson with this index in the list; return False if there is none."""
        if self._course is not None and 0 <= index < len(self._course.lessons):
            self._take_lesson(self._course, index)
        elif self._course is None and 0 <= index < len(self._courses):
            self._list_lessons(self._courses[index].game.key)
        else:
            return False
        return True

    def _list_games(self) -> None:
        courses = list_courses()
        self._course, self._courses = None, [course for course in courses if course.lessons]
        self._print_list()
        print_lines(*[f"{course.game.title}: {course.error}" for course in courses if course.error])

    def _list_lessons(self, game_key: str) -> None:
        course = load_course(game_key)
        if course.lessons:
            self._course = course
            self._print_list()
        else:
            print_lines(to_sentence(course.error or f"there are no lessons on {ABOUT[game_key].title}"))

    def _print_list(self) -> None:
        progress, error = lesson_progress.load(profiles.get_current_nick())
        print_lines(*filter(None, [error]))
        if self._course is None:
            lines = [f"{course.game.title}, {format_course(course, progress)}" for course in self._courses]
            print_lines(f"Short lessons. Choose a game. {_COMMANDS_HINT}" if lines else "No game has lessons.")
        else:
            lines = [
                ", ".join(filter(None, [lesson.title, format_progress(lesson, progress)]))
                for lesson in self._course.lessons
            ]
            print_lines(f"Lessons on {self._course.game.title}, {format_course(self._course, progress)}.")
        print_lines(*[f"{number}: {to_sentence(line)}" for number, line in enumerate(lines, 1)])
        if self._course is not None:
            following = find_next_lesson(self._course, progress) + 1
            print_lines(f"Press Enter for lesson {following}, or type a number. {_COMMANDS_HINT}")

    def _begin_next(self) -> None:
        if self._course is None:
            self._print_list()
            return
        progress, _ = lesson_progress.load(profiles.get_current_nick())
        self._take_lesson(self._course, find_next_lesson(self._course, progress))

    def _take_lesson(self, course: Course, index: int) -> None:
        LessonDialog(continue_lesson(course.lessons[index], profiles.get_current_nick()), self._settings).run()
        self._print_list()


class _LeaveLesson(Exception):
    """Raised if the pupil leaves a lesson for the list."""


class LessonDialog(TableDialog):
    """Dialog of one lesson: reads its texts out, asks its questions and prints the events of the table."""

    def __init__(self, session: LessonSession, settings: Settings) -> None:
        super().__init__(session, settings, list_seat_names(session.header, YOU))
        self._session = session
        self._needs_full_position = session.step > 0
        self._text_lines: list[str] = []
        """Lines of the text that was printed last."""
        self._announced_step = 0
        """Number of the step that was announced last."""
        self._view = session.snapshot(PUPIL).view
        self.commands = Commands(
            {
                "\n".join(HOW_TO_ACT): {},
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
        print_lines(f"{session.lesson.title}. {_COMMANDS_HINT} At a question, an empty line describes the table.")
        self._print_seats(PUPIL)
        if session.step == 0:
            self._print_opening()
        try:
            while not isinstance(session.pending, SessionOver):
                self._execute_step()
        except _LeaveLesson:
            return
        print_lines(f"The lesson is over. {NOT_ALONE}" if session.needed_answer else "Lesson done.")

    def _print_opening(self) -> None:
        """Print the last events before the first text, and the contract if it was named earlier."""
        entries, contract = self._session.get_messages(PUPIL), self._session.game.contract(self._view)
        if contract and len(entries) > _MAX_OPENING_ENTRIES:
            print_lines(to_sentence(f"the contract: {contract.words}"))
        print_lines(*format_log_entries(entries[-_MAX_OPENING_ENTRIES:], self._names))

    def _execute_step(self) -> None:
        match self._session.pending:
            case AwaitingReader():
                self._read_text()
            case AwaitingPlayer():
                self._ask()
            case _:
                self._change(self._session.advance)

    def _read_text(self) -> None:
        """Print the text, and wait for Enter on a terminal, unless a question follows at once."""
        prompt = self._session.prompt
        lines = filter(None, to_paragraphs(to_spoken(format_text(prompt))))
        self._text_lines = [_SENTENCE_START.sub(lambda start: start[0].upper(), line) for line in lines]
        print_lines(" ".join([*self._announce_step(), self._text_lines[0]]), *self._text_lines[1:])
        self._change(self._session.advance)
        if not isinstance(self._session.pending, AwaitingPlayer) and console.is_on_terminal():
            print_lines("Press Enter to continue.")
            while typed := read_line():
                if not self._execute_command(typed):
                    print_lines("Press Enter to continue.")

    def _announce_step(self) -> list[str]:
        """Return the number of the step in a sentence; empty if it has been announced."""
        prompt = self._session.prompt
        if prompt.step == self._announced_step:
            return []
        self._announced_step = prompt.step
        return [f"{format_step(prompt).capitalize()}."]

    def _ask(self) -> None:
        """Ask the question, or for an action of a round that is played freely, until the position has changed."""
        session = self._session
        view = self._view = session.snapshot(PUPIL).view
        print_lines(*self._announce_step())
        self._print_prompt(view, whole=self._needs_full_position)
        print_lines(*filter(None, [to_spoken(session.prompt.question)]))
        while isinstance(session.pending, AwaitingPlayer) and session.snapshot(PUPIL).view is view:
            typed = read_line()
            if not typed:
                self._print_prompt(view, whole=True)
                print_lines(*filter(None, [to_spoken(session.prompt.question)]))
            elif not self._execute_command(typed):
                self._execute_action(typed, view)

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

    def _execute_command(self, typed: str) -> bool:
        """Execute a command; return False if the input is none."""
        try:
            self.commands.execute(typed)
        except UnknownCommand:
            return False
        return True

    def _change(self, change: Callable[[], Sequence[SessionEvent]]) -> None:
        game, before = self._session.game, self._session.save_error
        for it in change():
            if isinstance(it, ObservedEvent):
                notes = narrate_event(game, it.event, it.before[PUPIL], it.after[PUPIL])
                print_lines(*format_log_entries(notes, self._names))
        if self._session.save_error != before:
            print_lines(*filter(None, [self._session.save_error]))

    # Commands

    def _read_again(self) -> None:
        """Read the text of the question again, or the last text while no question is asked."""
        if isinstance(self._session.pending, AwaitingPlayer):
            self._session.read_again()
        else:
            print_lines(*self._text_lines)

    def _print_hint(self) -> None:
        """Print a hint in a round that is played freely; read the text of a question again."""
        if self._session.prompt.question:
            self._read_again()
        else:
            super()._print_hint()

    def _leave(self) -> None:
        raise _LeaveLesson
