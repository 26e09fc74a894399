"""Lines of the host's log, with what programs that read the log need to know about them."""

from typing import Literal, Self, TypeAlias

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
    "lost",
    "certificate",
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
