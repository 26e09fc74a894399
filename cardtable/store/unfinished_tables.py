"""Changes of unfinished tables, which are sessions and score tables: new names, abandoning, and undoing that."""

from pathlib import Path

from cardtable.store import profiles, sessions
from cardtable.store.profiles import map_profile_nicks
from cardtable.store.summaries import Summary


def rename(summary: Summary, name: str) -> None:
    """Set the name of a table. An empty name removes it.

    Raises ``CardtableError`` if it has ended, is damaged, or is open in another program.
    """
    from cardtable.store import score_tables  # noqa: PLC0415 - lazy: startup, rarely needed

    (score_tables if summary.real_cards else sessions).rename(summary.path, name)


def list_nicks_allowed_to_abandon(summary: Summary) -> list[str]:
    """Return the nicks of the players, one of whom has to enter a password before the session is abandoned.

    The list is empty if no password is required. In a session with several human players the password is required each
    time, except from players whose profile has ``ask_once``.
    """
    header = summary.header
    if header is None or summary.real_cards:
        return []
    nicks, several = map_profile_nicks(header).values(), len(header.people) > 1
    having = [nick for nick in nicks if (profile := profiles.find(nick)) and profile.password]
    return having if all(profiles.is_password_required(nick, each_time=several) for nick in having) else []


class AbandonedStack:
    """Stack of sessions that were abandoned in this run of the program, for undo."""

    def __init__(self) -> None:
        self._paths: list[Path] = []

    @property
    def last(self) -> Path | None:
        """Path of the session that ``restore_last`` would restore, or ``None`` if there is none."""
        return self._paths[-1] if self._paths else None

    def abandon(self, path: Path) -> None:
        """Abandon an unfinished session. Raises ``CardtableError`` if it cannot be moved into the archive."""
        self._paths.append(sessions.abandon(path))

    def restore_last(self) -> None:
        """Restore the session that was abandoned last, if there is one.

        Raises ``CardtableError`` on failure. While the file is in the archive, the call can be repeated.
        """
        if not self._paths:
            return
        try:
            sessions.restore(self._paths[-1])
        finally:
            if not self._paths[-1].exists():
                self._paths.pop()
