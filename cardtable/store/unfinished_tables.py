"""Changes of unfinished tables: new names, abandoning, undoing that, and recovery from emergency folders."""

from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

import msgspec

from cardtable.engine.errors import CardtableError
from cardtable.engine.journal import MAX_SESSION_BYTES
from cardtable.store import atomic_io, credit_ledger, emergency_save, paths, profiles, sessions, summaries
from cardtable.store.errors import convert_os_errors
from cardtable.store.journal_file import JournalFile, describe_lines
from cardtable.store.profiles import map_profile_nicks
from cardtable.store.summaries import JOURNAL_SUFFIX, Summary


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


ASIDE_SUFFIX: Final = ".aside"
"""Suffix of files that are set aside.

These are files that a recovered session has replaced, and recovered sessions that diverge from the regular file.
"""


class RecoveredSession(msgspec.Struct, frozen=True):
    """Session whose journal is in an emergency folder."""

    path: Path
    """Path of the journal in the emergency folder."""
    session: Summary
    data: bytes
    """Whole lines of the journal."""
    known: bytes
    """Whole lines of the regular file, or of a longer recovered journal that continues it. Empty if there is neither.
    """

    @property
    def continues_known(self) -> bool:
        return len(self.data) > len(self.known) and self.data.startswith(self.known)

    @property
    def unsaved_description(self) -> str:
        return describe_lines(self.data[len(self.known) :])


def list_recoverable() -> list[RecoveredSession]:
    """Return the recovered sessions that continue a session of this home."""
    return [stray for stray in _iter_recovered() if stray.continues_known and not stray.session.error]


def set_aside_diverged() -> list[str]:
    """Move recovered sessions that do not continue the regular file next to it. Return messages for the player.

    There is no message for a session whose lines are all in the regular file. A damaged session is reported and not
    moved.
    """
    messages: list[str] = []
    for stray in _iter_recovered():
        if stray.session.error:
            messages.append(stray.session.error)
        elif not stray.continues_known:
            with suppress(OSError):
                aside = atomic_io.write_beside(_find_regular_path(stray.path.name), ASIDE_SUFFIX, stray.data)
                emergency_save.delete(stray.path)
                if not stray.known.startswith(stray.data):
                    messages.append(
                        f"the session was continued in two places: the file of {stray.path.parent} is set aside "
                        f"as {aside}"
                    )
    return messages


def restore_recovered(recovered: RecoveredSession) -> Path:
    """Put a recovered session in its regular place, and return its path.

    The regular file, if it exists, is copied to a file with ``ASIDE_SUFFIX`` before it is replaced. Raises
    ``CardtableError`` if a file cannot be written, or if another program has the session open.
    """
    before = _find_regular_path(recovered.path.name)
    target = (
        paths.archive_folder() if recovered.session.state == "over" else paths.sessions_folder()
    ) / recovered.path.name
    with convert_os_errors(target, "the session cannot be restored: "):
        data = atomic_io.read(recovered.path, MAX_SESSION_BYTES)
        paths.create_folder(target.parent)
        if before.exists():
            with closing(JournalFile.open_locked(before)) as file:
                if file.read_only:
                    raise CardtableError(f"the session cannot be restored: {file.read_only}")
                atomic_io.write_beside(before, ASIDE_SUFFIX, bytes(file.data))
                atomic_io.write_atomically(target, data, file.close)
                if target != before:
                    atomic_io.remove(before)
        else:
            atomic_io.write_atomically(target, data)
    emergency_save.delete(recovered.path)
    credit_ledger.pay_out()
    return target


def _iter_recovered() -> Iterator[RecoveredSession]:
    """Yield the sessions in emergency folders, the longest first."""
    longest: dict[str, bytes] = {}
    read = [(path, _read_complete_lines(path)) for path in emergency_save.list_saved(JOURNAL_SUFFIX)]
    for path, data in sorted(read, key=lambda journal: -len(journal[1])):
        known = longest.setdefault(path.name, _read_complete_lines(_find_regular_path(path.name)))
        stray = RecoveredSession(path, summaries.summarize_full(path), data, known)
        if stray.continues_known and not stray.session.error:
            longest[path.name] = data
        yield stray


def _read_complete_lines(path: Path) -> bytes:
    """Return the bytes of a journal up to its last newline, or ``b""`` if the file cannot be read."""
    with suppress(OSError):
        data = atomic_io.read(path, MAX_SESSION_BYTES)
        return data[: data.rfind(b"\n") + 1]
    return b""


def _find_regular_path(name: str) -> Path:
    archived = paths.archive_folder() / name
    return archived if archived.exists() else paths.sessions_folder() / name
