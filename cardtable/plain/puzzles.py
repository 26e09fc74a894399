"""Puzzles in plain text: the list, the search for new ones, and a puzzle as lines that can be followed by ear."""

import time
from datetime import date

from cardtable.engine.errors import POSITION_ERRORS, CardtableError
from cardtable.engine.text_format import format_count
from cardtable.plain.commands import LEAVE, Commands, ListDialog, alone, one_word, request_quit
from cardtable.plain.console import print_lines
from cardtable.plain.lessons import COMMANDS_HINT, PromptedDialog
from cardtable.plain.speech_text import to_sentence, use_faces
from cardtable.plain.table_dialog import HOW_TO_ACT
from cardtable.records.puzzles import list_sources, search
from cardtable.session.puzzle_session import PuzzleSession, open_puzzle
from cardtable.store import profiles, puzzle_files
from cardtable.store.errors import FileError
from cardtable.store.puzzle_files import PlayerPuzzles, get_today
from cardtable.store.settings import Settings
from cardtable.wording.learning import (
    CANNOT_BE_DISPLAYED,
    IMPORT_NOTE,
    NO_PUZZLES,
    format_attempts,
    format_puzzle_names,
    format_puzzle_state,
    format_puzzle_summary,
    list_puzzles_in_order,
)


class PlainPuzzles(ListDialog[str]):
    """Dialog that lists the puzzles of the player, until the user goes back."""

    def __init__(self, settings: Settings) -> None:
        self._settings, self._nick = settings, profiles.get_current_nick()
        self.commands = Commands(
            {
                "Type the number of a puzzle to solve it. An empty line begins the next one that is due.": {
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
        self._print_list()
        if sources := list_sources(self._nick, time.time())[0]:
            print_lines(f"{format_count(len(sources), 'session')} not looked through yet. Type search to do it.")
        self.read_until_back()

    def _load(self) -> tuple[PlayerPuzzles, date]:
        own, error = puzzle_files.load(self._nick)
        print_lines(*filter(None, [error]))
        return own, get_today()

    def _print_list(self) -> None:
        own, today = self._load()
        self.items = list_puzzles_in_order(own, today)
        print_lines(f"Puzzles: {format_puzzle_summary(own, today)}. {COMMANDS_HINT}" if self.items else NO_PUZZLES)
        names = format_puzzle_names(own)
        for number, key in enumerate(self.items, 1):
            progress = own.puzzles[key]
            texts = names[key], format_puzzle_state(progress, today), format_attempts(progress)
            print_lines(f"{number}: {to_sentence(', '.join(texts))}")
        if own.list_due(today):
            print_lines("Press Enter for the next puzzle that is due, or type a number.")

    def _begin_next(self) -> None:
        """Begin the first puzzle that is due and can be opened; name those that cannot."""
        own, today = self._load()
        names, due = format_puzzle_names(own), own.list_due(today)
        for puzzle in due:
            try:
                self.open_item(puzzle)
            except CardtableError as error:
                print_lines(to_sentence(f"{names[puzzle]} cannot be opened: {error}"))
            else:
                return
        print_lines("No puzzle that is due can be opened." if due else "No puzzle is due.")

    def open_item(self, puzzle: str) -> None:
        session = open_puzzle(self._nick, puzzle, get_today)
        try:
            with use_faces(session.game.about.faces):
                PuzzleDialog(session, self._settings).run()
        except POSITION_ERRORS:
            raise FileError(puzzle_files.get_path(puzzle), CANNOT_BE_DISPLAYED) from None
        self._print_list()

    def _remove(self, typed: str) -> None:
        if puzzle := self.find_item(typed):
            puzzle_files.remove(self._nick, puzzle)
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
                **HOW_TO_ACT,
                "again: the question again.": {"again": alone(self._read_again)},
                **self._record_row,
                "list: back to the list of puzzles. quit: leave.": {
                    "list": alone(self._leave),
                    "quit": alone(request_quit),
                },
            }
        )

    def run(self) -> None:
        """Have the player choose and read the verdict. Raises ``QuitRequested`` if the player quits."""
        print_lines(f"{self._session.prompt.title}. {COMMANDS_HINT}")
        self._print_seats(self._seat)
        self._run_steps()
