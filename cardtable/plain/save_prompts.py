"""A session or score table changed in lines: kept on the disk before anything is told of it."""

from collections.abc import Callable, Sequence
from pathlib import Path

from cardtable.engine.errors import CardtableError
from cardtable.plain.console import ask, say, unbroken
from cardtable.plain.speech_text import sentence
from cardtable.plain.unread_messages import UnreadMessages
from cardtable.session.session_events import SessionEvent
from cardtable.store.score_tables import OpenScoreTable
from cardtable.store.sessions import Session


class SavePrompts:
    """Says once that saving fails and once that it works again, and lets nobody leave unasked what is not saved."""

    def __init__(self, kept: Session | OpenScoreTable) -> None:
        self._kept = kept
        self._trouble: str | None = None

    def into(self, folder: Path) -> None:
        """Keep it in another folder."""
        try:
            with unbroken():
                self._kept.save_into(folder)
        except CardtableError as error:
            say(sentence(str(error)))
        self.tell_trouble()

    def stays(self) -> bool:
        """Ask once who is about to leave what is not on the disk; whether she stays for it.

        Raises ``QuitRequested``.
        """
        while unsaved := self._save():
            say(
                sentence(f"not on the disk yet: {unsaved}; {self._kept.trouble}"),
                "Type save FOLDER to keep the whole session there and leave, leave to leave all the same, "
                "or anything else to stay.",
            )
            word, _, folder = ask().partition(" ")
            if word.lower() == "leave":
                self._kept.file.accept_loss = True
                return False
            if word.lower() != "save" or not folder.strip():
                return True
            self.into(Path(folder.strip()))
        return False

    def _save(self) -> str:
        with unbroken():
            return self._kept.save()

    def tell_trouble(self) -> None:
        """Say once that saving fails, and once that it works again."""
        if self._kept.trouble != self._trouble:
            self._trouble = self._kept.trouble
            again = "type save FOLDER to keep the session in another folder"
            say(sentence(f"{self._trouble}; {again}" if self._trouble else "saving works again"))


class Saving(SavePrompts):
    """Changes a session, and has everybody hear of it."""

    def __init__(self, session: Session, hearing: UnreadMessages) -> None:
        super().__init__(session)
        self._hearing = hearing

    def change(self, change: Callable[[], Sequence[SessionEvent]]) -> None:
        """Change the session, the disk first; Ctrl+C waits for it."""
        with unbroken():
            self._hearing.hear(change())
        self.tell_trouble()
