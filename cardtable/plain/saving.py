"""A session changed in lines: kept on the disk before anything is told of it."""

from collections.abc import Callable, Sequence
from pathlib import Path

from cardtable.plain.console import ask, say, unbroken
from cardtable.plain.hearing import Hearing
from cardtable.plain.speech import sentence
from cardtable.play.run import Happening
from cardtable.store.errors import CardtableError
from cardtable.store.sessions import Session


class Saving:
    """Changes a session, and says once that saving fails and once that it works again."""

    def __init__(self, session: Session, hearing: Hearing) -> None:
        self._session, self._hearing = session, hearing
        self._trouble: str | None = None

    def change(self, change: Callable[[], Sequence[Happening]]) -> None:
        """Change the session, the disk first; Ctrl+C waits for it."""
        with unbroken():
            self._hearing.hear(change())
        self._tell_trouble()

    def into(self, folder: Path) -> None:
        """Keep the session in another folder."""
        try:
            with unbroken():
                self._session.save_into(folder)
        except CardtableError as error:
            say(sentence(str(error)))
        self._tell_trouble()

    def stays(self) -> bool:
        """Ask once who is about to leave what is not on the disk; whether she stays for it.  Raises ``Left``."""
        while unsaved := self._save():
            say(
                sentence(f"not on the disk yet: {unsaved}; {self._session.trouble}"),
                "Type save FOLDER to keep the whole session there and leave, leave to leave all the same, "
                "or anything else to stay.",
            )
            word, _, folder = ask().partition(" ")
            if word.lower() == "leave":
                self._session.file.given_up = True
                return False
            if word.lower() != "save" or not folder.strip():
                return True
            self.into(Path(folder.strip()))
        return False

    def _save(self) -> str:
        with unbroken():
            return self._session.save()

    def _tell_trouble(self) -> None:
        """Say once that saving fails, and once that it works again."""
        if self._session.trouble != self._trouble:
            self._trouble = self._session.trouble
            again = "type save FOLDER to keep the session in another folder"
            say(sentence(f"{self._trouble}; {again}" if self._trouble else "saving works again"))
