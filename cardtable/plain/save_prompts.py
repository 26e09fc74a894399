"""Prompts about saving: failures, saving in another folder, and leaving with unsaved changes."""

from pathlib import Path

from cardtable.engine.errors import CardtableError
from cardtable.plain.commands import UnknownCommand
from cardtable.plain.console import defer_signals, print_lines, read_line
from cardtable.plain.speech_text import to_sentence
from cardtable.store.score_tables import OpenScoreTable
from cardtable.store.sessions import Session


class SavePrompts:
    """Prompts and reports about the saving of one session or score table."""

    def __init__(self, opened: Session | OpenScoreTable) -> None:
        self._opened = opened
        self._reported_trouble: str | None = None

    def execute_save(self, folder: str) -> None:
        """Save into another folder, as ``save FOLDER`` requests. Raises ``UnknownCommand`` unless saving fails."""
        if not folder or not self._opened.save_error:
            raise UnknownCommand
        self.save_into(Path(folder))

    def save_into(self, folder: Path) -> None:
        """Save into another folder from now on; an error is printed."""
        try:
            with defer_signals():
                self._opened.save_into(folder)
        except CardtableError as error:
            print_lines(to_sentence(str(error)))
        self.report_trouble()

    def confirm_staying(self) -> bool:
        """Ask before unsaved changes are left behind; return True if the user stays.

        Returns False at once if everything is saved. Raises ``QuitRequested`` at the end of input.
        """
        while unsaved := self._save():
            print_lines(
                to_sentence(f"not on the disk yet: {unsaved}; {self._opened.save_error}"),
                "Type save FOLDER to save the whole session there and leave, leave to leave without saving, or "
                "anything else to stay.",
            )
            word, _, folder = read_line().partition(" ")
            if word.lower() == "leave":
                self._opened.file.accept_loss = True
                return False
            if word.lower() != "save" or not folder.strip():
                return True
            self.save_into(Path(folder.strip()))
        return False

    def _save(self) -> str:
        with defer_signals():
            return self._opened.save()

    def report_trouble(self) -> None:
        """Print an error once when saving begins to fail, and a notice once when it works again."""
        if self._opened.save_error != self._reported_trouble:
            self._reported_trouble = self._opened.save_error
            again = "type save FOLDER to save the session in another folder"
            print_lines(
                to_sentence(f"{self._reported_trouble}; {again}" if self._reported_trouble else "saving works again")
            )
