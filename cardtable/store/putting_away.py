"""Sessions that were given up since the program began, and can be taken back until it ends."""

from pathlib import Path

from cardtable.store import profiles, sessions
from cardtable.store.summaries import Summary
from cardtable.store.whose_seat import players_at


def needed(table: Summary) -> list[str]:
    """The nicks of whom one has to give her password before the session is given up; none where nobody has to.

    Where people take turns that is each time, but for who wants to be asked once a run.
    """
    header = table.header
    if header is None or table.real_cards:
        return []
    nicks, several = players_at(header).values(), len(header.people) > 1
    having = [nick for nick in nicks if (profile := profiles.find(nick)) and profile.password]
    return having if all(profiles.locked(nick, each_time=several) for nick in having) else []


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
