"""Sessions that were given up since the program began, and can be taken back until it ends."""

from pathlib import Path

from cardtable.store import sessions


class PutAway:
    """Where those lie that were given up, the last at the end."""

    def __init__(self) -> None:
        self._paths: list[Path] = []

    @property
    def last(self) -> Path | None:
        """The one that is taken back next."""
        return self._paths[-1] if self._paths else None

    def give_up(self, path: Path) -> None:
        """Put an unfinished session into the archive before it is over.  Raises ``CardtableError``."""
        self._paths.append(sessions.give_up(path))

    def take_back(self) -> None:
        """Take the last one back, if there is one.

        Raises ``CardtableError`` where that fails; it can be tried again as long as the session
        lies there.
        """
        if not self._paths:
            return
        try:
            sessions.take_back(self._paths[-1])
        finally:
            if not self._paths[-1].exists():
                self._paths.pop()
