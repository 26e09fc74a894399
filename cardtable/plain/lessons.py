"""Lessons and puzzles in plain text: their lists, and the dialog of one as lines that can be followed by ear."""

import re
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import date
from functools import partial
from typing import Final

from cardtable.engine.errors import POSITION_ERRORS, CardtableError
from cardtable.engine.game import View
from cardtable.engine.text_format import format_count
from cardtable.games import find_key
from cardtable.plain import console
from cardtable.plain.console import LEAVE, Commands, ListDialog, alone, one_word, print_lines, read_line, request_quit
from cardtable.plain.position_text import (
    describe_cards_on_table,
    describe_legal_actions,
    describe_own_hand,
    describe_position,
    to_paragraphs,
)
from cardtable.plain.speech_text import format_log_entries, to_sentence, to_spoken, use_faces
from cardtable.plain.table_dialog import TableDialog, create_input_help
from cardtable.records.puzzles import add_shipped_puzzles, list_sources, search
from cardtable.session.lessons import PUPIL, Course, Lesson, LessonSession, continue_lesson, list_courses, load_course
from cardtable.session.playable_session import PromptedSession
from cardtable.session.puzzle_session import PuzzleSession, open_puzzle
from cardtable.session.session_events import (
    AwaitingPlayer,
    AwaitingReader,
    ObservedEvent,
    SessionEvent,
    SessionOver,
    narrate_event,
)
from cardtable.store import player_progress, profiles, puzzle_files
from cardtable.store.errors import FileError
from cardtable.store.puzzle_files import PlayerPuzzles, get_today
from cardtable.store.settings import Settings
from cardtable.wording.learning import (
    CANNOT_BE_DISPLAYED,
    HELPED_NOTE,
    IMPORT_NOTE,
    NO_PUZZLES,
    find_next_lesson,
    format_attempts,
    format_course,
    format_lesson_progress,
    format_prompt_text,
    format_puzzle_names,
    format_puzzle_state,
    format_puzzle_summary,
    format_step,
    list_puzzles_in_order,
)
from cardtable.wording.players import list_seat_names

_SENTENCE_START: Final = re.compile(r"(?:^|(?<=[.!?] ))[a-z]")
"""First letter of a sentence, which is small where the sentence begins with a card."""
COMMANDS_HINT: Final = "Type help for what can be typed."


class _LeaveDialog(Exception):
    """Raised if the player goes back to the list."""


class PromptedDialog(TableDialog):
    """Dialog that reads texts out, asks questions and prints the events of the table."""

    def __init__(self, session: PromptedSession, settings: Settings) -> None:
        super().__init__(session, settings, list_seat_names(session.header))
        self._prompted, self._seat = session, session.initial_seat
        self._text_lines: list[str] = []
        """Lines of the text that was printed last."""
        self._announcement = ""
        """Sentence on cards that the lesson plays now, which has been printed."""
        self._announced_step = 0
        """Number of the step that was announced last."""
        self._view = session.snapshot(self._seat).view

    def _run_steps(self) -> bool:
        """Run the session to its end. Return False if the player goes back to the list before.

        Raises ``QuitRequested`` if the player quits.
        """
        try:
            while not isinstance(self._prompted.pending, SessionOver):
                self._execute_step()
        except _LeaveDialog:
            return False
        return True

    def _execute_step(self) -> None:
        match self._prompted.pending:
            case AwaitingReader():
                self._read_text()
            case AwaitingPlayer():
                self._ask()
            case _:
                announcement = self._prompted.prompt.announcement
                if announcement != self._announcement:
                    print_lines(*filter(None, [announcement]))
                self._announcement = announcement
                self._change(self._prompted.advance)

    def _read_text(self) -> None:
        """Print the text, and wait for Enter on a terminal, unless a question follows at once."""
        prompt = self._prompted.prompt
        lines = filter(None, to_paragraphs(to_spoken(format_prompt_text(prompt))))
        self._text_lines = [_SENTENCE_START.sub(lambda start: start[0].upper(), line) for line in lines]
        print_lines(" ".join([*self._announce_step(), self._text_lines[0]]), *self._text_lines[1:])
        self._change(self._prompted.advance)
        if not isinstance(self._prompted.pending, AwaitingPlayer) and console.is_on_terminal():
            print_lines("Press Enter to continue.")
            while typed := read_line():
                if not self._execute_command(typed, self._view):
                    print_lines("Press Enter to continue.")

    def _announce_step(self) -> list[str]:
        """Return the number of the step in a sentence; empty if there is none, or it has been announced."""
        prompt = self._prompted.prompt
        step = format_step(prompt)
        if not step or prompt.step == self._announced_step:
            return []
        self._announced_step = prompt.step
        return [f"{step.capitalize()}."]

    def _ask(self) -> None:
        """Ask the question, or for an action of a round that is played freely, until the position has changed."""
        session = self._prompted
        view = self._view = session.snapshot(self._seat).view
        print_lines(*self._announce_step())
        self._print_prompt(view, whole=self._needs_full_position)
        print_lines(*filter(None, [to_spoken(session.prompt.question)]))
        while isinstance(session.pending, AwaitingPlayer) and session.snapshot(self._seat).view is view:
            typed = read_line()
            if not typed:
                self._print_prompt(view, whole=True)
                print_lines(*filter(None, [to_spoken(session.prompt.question)]))
            elif not self._execute_command(typed, self._view):
                self._execute_action(typed, view)

    def _change(self, change: Callable[[], Sequence[SessionEvent]]) -> None:
        for it in change():
            if isinstance(it, ObservedEvent):
                notes = narrate_event(self._prompted.game, it.event, it.before[self._seat], it.after[self._seat])
                print_lines(*format_log_entries(notes, self._names))
            else:
                print_lines(*format_log_entries([it], self._names))

    # Commands

    def _read_again(self) -> None:
        """Read the text of the question again, or the last text while no question is asked."""
        if isinstance(self._prompted.pending, AwaitingPlayer):
            self._prompted.read_again()
        else:
            print_lines(*self._text_lines)

    def _leave(self) -> None:
        raise _LeaveDialog


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
            with closing(session), use_faces(session.game.about.faces):
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
        progress, error = player_progress.load_lessons(profiles.get_current_nick())
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
        progress, _ = player_progress.load_lessons(profiles.get_current_nick())
        self.open_item(self._course.lessons[find_next_lesson(self._course, progress)])


class LessonDialog(PromptedDialog):
    """Dialog of one lesson."""

    def __init__(self, session: LessonSession, settings: Settings) -> None:
        super().__init__(session, settings)
        self._session = session
        self._needs_full_position = session.step > 0
        self.commands = Commands(
            {
                **create_input_help(),
                "again: the text of the lesson again.": {"again": alone(self._read_again)},
                "hint: in a round of your own, what an expert would do, and why.": {"hint": alone(self._print_hint)},
                **self._record_row,
                "list: back to the list of lessons. quit: leave. You continue at this step.": {
                    **dict.fromkeys(("list", "back"), alone(self._leave)),
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
            print_lines(f"Lesson done with help. {HELPED_NOTE}" if session.needed_answer else "Lesson done.")

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


class PlainPuzzles(ListDialog[str]):
    """Dialog that lists the puzzles of the player, until the user goes back."""

    def __init__(self, settings: Settings) -> None:
        self._settings, self._nick = settings, profiles.get_current_nick()
        self.commands = Commands(
            {
                "Type the number of a puzzle to solve it. An empty line begins the next one.": {
                    "": alone(self._begin_next)
                },
                "search: look through your sessions of the last four weeks for new puzzles. Ctrl+C stops the search, "
                "and what has been done is saved. remove NUMBER: take a puzzle from the list.": {
                    "search": alone(self._search),
                    "remove": one_word(self._remove),
                },
                f"{IMPORT_NOTE}. list: the list again. back: to the picker. quit: leave.": {
                    "list": alone(self._print_list),
                    **LEAVE,
                },
            }
        )

    def run(self) -> None:
        """List the puzzles, and execute commands until ``back``. Raises ``QuitRequested`` if the user quits."""
        try:
            add_shipped_puzzles(self._nick, get_today())
        except CardtableError as error:
            print_lines(error.full_message)
        self._print_list()
        if sources := list_sources(self._nick, time.time())[0]:
            print_lines(f"{format_count(len(sources), 'session')} not looked through yet. Type search to do it.")
        self.read_until_back()

    def _load(self) -> tuple[PlayerPuzzles, date]:
        own, error = puzzle_files.load_puzzles(self._nick)
        print_lines(*filter(None, [error]))
        return own, get_today()

    def _print_list(self) -> None:
        own, today = self._load()
        self.items = list_puzzles_in_order(own, today)
        self._print_summary(own, today)
        names = format_puzzle_names(own)
        for number, key in enumerate(self.items, 1):
            progress = own.puzzles[key]
            texts = names[key], format_puzzle_state(progress, today), format_attempts(progress)
            print_lines(f"{number}: {to_sentence(', '.join(texts))}")
        if own.list_next(today):
            print_lines("Press Enter for the next puzzle, or type a number.")

    def _print_summary(self, own: PlayerPuzzles, today: date) -> None:
        print_lines(f"Puzzles: {format_puzzle_summary(own, today)}. {COMMANDS_HINT}" if own.puzzles else NO_PUZZLES)

    def _begin_next(self) -> None:
        """Begin the next puzzle that can be opened; name those that cannot."""
        own, today = self._load()
        names, following = format_puzzle_names(own), own.list_next(today)
        for puzzle in following:
            try:
                self.open_item(puzzle)
            except CardtableError as error:
                print_lines(to_sentence(f"{names[puzzle]} cannot be opened: {error}"))
            else:
                return
        print_lines("No puzzle that is due can be opened." if following else "No puzzle is due.")

    def open_item(self, puzzle: str) -> None:
        session = open_puzzle(self._nick, puzzle, get_today)
        try:
            with use_faces(session.game.about.faces):
                PuzzleDialog(session, self._settings).run()
        except POSITION_ERRORS:
            raise FileError(puzzle_files.get_path(puzzle), CANNOT_BE_DISPLAYED) from None
        own, today = self._load()
        self._print_summary(own, today)
        more = "Press Enter for the next puzzle, or type" if own.list_next(today) else "Type"
        print_lines(f"{more} list, a number from the list, or back.")

    def _remove(self, typed: str) -> None:
        if puzzle := self.find_item(typed):
            puzzle_files.remove_puzzle(self._nick, puzzle)
            self._print_list()
        else:
            print_lines("Type remove and the number of a puzzle.")

    def _search(self) -> None:
        puzzle_count, left = 0, -1
        try:
            for progress in search(self._nick, time.time(), get_today()):
                puzzle_count = progress.puzzle_count
                if progress.sessions != left:
                    left = progress.sessions
                    print_lines(*([f"{format_count(left, 'session')} to look through."] if left else []))
        except KeyboardInterrupt:
            print_lines("Stopped.")
        print_lines(f"{format_count(puzzle_count, 'new puzzle')}.")
        self._print_list()


class PuzzleDialog(PromptedDialog):
    """Dialog of one puzzle."""

    def __init__(self, session: PuzzleSession, settings: Settings) -> None:
        super().__init__(session, settings)
        self._session = session
        self._needs_full_position = True
        self.commands = Commands(
            {
                **create_input_help(),
                "again: the question again.": {"again": alone(self._read_again)},
                **self._record_row,
                "list: back to the list of puzzles. quit: leave.": {
                    **dict.fromkeys(("list", "back"), alone(self._leave)),
                    "quit": alone(request_quit),
                },
            }
        )

    def run(self) -> None:
        """Have the player choose and read the verdict. Raises ``QuitRequested`` if the player quits."""
        print_lines(f"{self._session.prompt.title}. {COMMANDS_HINT}")
        self._print_seats(self._seat)
        self._run_steps()
