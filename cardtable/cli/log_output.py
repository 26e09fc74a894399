"""Output of the host's log, as lines with the time or as JSON objects for programs, and of libraries' log records."""

import logging
import os
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from functools import partial
from time import monotonic
from typing import Final, TextIO

import click
import msgspec

from cardtable.cli import launch
from cardtable.club.server.host_events import InvitationLine, LibraryError, LogEvent, LogLevel
from cardtable.engine.text_format import sanitize

REPEAT_SECONDS: Final = 60.0
"""Time in seconds in which log records of the same kind are printed only once."""
_NUMBERS: Final = re.compile(r"\d+")


class OneLineFormatter(logging.Formatter):
    """Log formatter without tracebacks, because invalid data from outside is no fault of the program."""

    def format(self, record: logging.LogRecord) -> str:
        error = record.exc_info[1] if record.exc_info else None
        message = " ".join(f"{record.getMessage()}{f': {error}' if error else ''}".split())
        return f"cardtable: {sanitize(message)}"


class RepeatFilter(logging.Filter):
    """Log filter that drops a record similar to one of the last minute.

    Numbers and data from outside are ignored in the comparison.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        super().__init__()
        self._clock, self._last_times = clock, dict[str, float]()
        """Time of the last record of each kind."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Return True if the record is to be printed."""
        error = record.exc_info[1] if record.exc_info else None
        template = str(record.msg).partition("\n")[0]  # the template only, without data from outside
        kind = _NUMBERS.sub("#", f"{record.name} {template} {type(error).__name__}")
        now = self._clock()
        self._last_times = {other: last for other, last in self._last_times.items() if now - last < REPEAT_SECONDS}
        if kind in self._last_times:
            return False
        self._last_times[kind] = now
        return True


def configure_logging(formatter: logging.Formatter | None = None) -> None:
    """Configure logging: one line for each record, on standard error, by default in the form of error messages."""
    handler = logging.StreamHandler()
    handler.addFilter(RepeatFilter())
    handler.setFormatter(formatter or OneLineFormatter())
    logging.basicConfig(handlers=[handler])


class _JsonLine(msgspec.Struct, frozen=True):
    """Line of the log as a JSON object."""

    time: str
    level: LogLevel
    event: str
    text: str
    fields: dict[str, str]


def create_printer(*, as_json: bool) -> Callable[[LogEvent], None]:
    """Return a function that prints each line of the host's log on standard output.

    With ``as_json`` each line is a JSON object. Errors of the output are ignored, since the club goes on without it.
    """
    return partial(_print_line, _format_json if as_json else _create_text_format(sys.stdout))


def configure_errors(*, as_json: bool) -> None:
    """Have errors of the libraries printed on standard error, in the same form as the log."""
    configure_logging(_JsonFormatter() if as_json else _TextFormatter(_create_text_format(sys.stderr)))


def _print_line(format_line: Callable[[LogEvent], str], line: LogEvent) -> None:
    with suppress(OSError):
        click.echo(format_line(line))


def _format_json(line: LogEvent) -> str:
    fields = {name: _clean(value) for name, value in line.fields.items()}
    now = datetime.now().astimezone().isoformat(timespec="milliseconds")
    return msgspec.json.encode(_JsonLine(now, line.level, line.kind, _clean(str(line)), fields)).decode()


def _create_text_format(stream: TextIO) -> Callable[[LogEvent], str]:
    """Return the format for lines of text; the time is left out for the journal of systemd, which has its own."""
    return (lambda line: _clean(str(line))) if _is_journal(stream) else _format_with_time


def _format_with_time(line: LogEvent) -> str:
    """Return a line with the time, except for one that people copy."""
    text = _clean(str(line))
    return text if isinstance(line, InvitationLine) else f"{datetime.now().astimezone():%Y-%m-%d %H:%M:%S} {text}"


def _clean(text: str) -> str:
    return sanitize(text, launch.MAX_FACT_LENGTH)


def _is_journal(stream: TextIO) -> bool:
    """Return True if a stream leads into the journal of systemd; see ``JOURNAL_STREAM`` in systemd.exec(5)."""
    try:
        status = os.fstat(stream.fileno())
    except (OSError, ValueError, AttributeError):
        return False
    return os.environ.get("JOURNAL_STREAM") == f"{status.st_dev}:{status.st_ino}"


class _TextFormatter(OneLineFormatter):
    """Formatter of log records in one line, as the host's log has them."""

    def __init__(self, format_line: Callable[[LogEvent], str]) -> None:
        super().__init__()
        self._format_line = format_line

    def format(self, record: logging.LogRecord) -> str:
        return self._format_line(LibraryError(super().format(record)))


class _JsonFormatter(OneLineFormatter):
    """Formatter of log records as JSON objects."""

    def format(self, record: logging.LogRecord) -> str:
        level: LogLevel = "error" if record.levelno >= logging.ERROR else "warning"
        text = super().format(record).removeprefix("cardtable: ")
        return _format_json(LibraryError(text, level, record.name))
