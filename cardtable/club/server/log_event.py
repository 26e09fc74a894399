"""Lines of the host's log, with what programs that read the log need to know about them."""

from typing import Literal, Self, TypeAlias

LogLevel: TypeAlias = Literal["info", "warning", "error"]


class LogEvent(str):
    """Line of the host's log, with the kind of the event and its details.

    Wherever only the text matters, a line is an ordinary string; msgspec encodes it as ``str(line)`` only.
    """

    __slots__ = ("fields", "kind", "level")
    kind: str
    """Kind of the event, as listed in docs/club.md."""
    level: LogLevel
    fields: dict[str, str]
    """Details of the event by name, such as the nick."""

    def __new__(cls, text: str, kind: str, level: LogLevel = "info", **fields: str) -> Self:
        line = super().__new__(cls, text)
        line.kind, line.level, line.fields = kind, level, fields
        return line
