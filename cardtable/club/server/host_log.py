"""Log of the host, and its lines with what programs that read the log need to know about them."""

from collections.abc import Callable
from math import inf
from time import monotonic
from typing import Literal, Self, TypeAlias

from cardtable.club.server.limits import LIMITS
from cardtable.engine.plugin_guard import locate_error
from cardtable.engine.text_format import format_count

LogLevel: TypeAlias = Literal["info", "warning", "error"]
LogKind: TypeAlias = Literal[
    "invitation",
    "metrics",
    "closed",
    "join",
    "leave",
    "refused",
    "omitted",
    "table_opened",
    "session_resumed",
    "session_begins",
    "session_over",
    "table_left",
    "table_closed",
    "substitute",
    "back",
    "saving_fails",
    "saving_works",
    "disk",
    "lost",
    "certificate",
    "fault",
    "error",
    "note",
]
"""Kind of an event, as described in docs/club.md; a line of which only the text is known is a ``note``."""


class LogEvent(str):
    """Line of the host's log, with the kind of the event and its details.

    Wherever only the text matters, a line is an ordinary string; msgspec encodes it as ``str(line)`` only.
    """

    __slots__ = ("fields", "kind", "level")
    kind: LogKind
    level: LogLevel
    fields: dict[str, str]
    """Details of the event by name, such as the nick."""

    def __new__(cls, text: str, kind: LogKind, level: LogLevel = "info", **fields: str) -> Self:
        line = super().__new__(cls, text)
        line.kind, line.level, line.fields = kind, level, fields
        return line


def create_fault_event(error: BaseException, what: str, **fields: str) -> LogEvent:
    """Return the line about an unexpected error, with the place in the program where it has occurred.

    ``what`` names what has failed. The text of the error is left out, since it may contain cards.
    """
    place = locate_error(error, __name__) or "a library"
    return LogEvent(f"{what} has failed: {type(error).__name__} in {place}", "fault", "error", **fields)


class HostLog:
    """Log of the host, limited to ``LIMITS.log_lines``; lines left out are counted."""

    def __init__(self, write: Callable[[str], object], clock: Callable[[], float] = monotonic) -> None:
        self._write, self._clock = write, clock
        self._minutes: dict[str, tuple[float, int]] = {}
        """Start of the current minute and number of lines since then, by nick."""

    def write(self, line: str, nick: str = "") -> None:
        """Write a line, unless the person who caused it has reached the limit.

        ``nick`` is the nick of that person; if it is empty, the line comes from the club itself and is always written.
        """
        now = self._clock()
        self._report_omitted_lines(now - LIMITS.log_lines.within)
        if nick:
            since, lines = self._minutes.get(nick, (now, 0))
            self._minutes[nick] = since, lines + 1
            if lines >= LIMITS.log_lines.number:
                return
        self._write(line)

    def close(self) -> None:
        """Write how many lines have been left out for each person in the current minute."""
        self._report_omitted_lines(inf)

    def _report_omitted_lines(self, before: float) -> None:
        """Forget minutes that began at or before ``before``, and write how many lines were left out of each."""
        for nick, (since, lines) in [*self._minutes.items()]:
            if since <= before:
                del self._minutes[nick]
                if lines > LIMITS.log_lines.number:
                    text = f"{format_count(lines - LIMITS.log_lines.number, 'more line')} about {nick} left out"
                    self._write(LogEvent(text, "omitted", nick=nick))
