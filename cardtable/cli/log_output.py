"""Output of the host's log: lines with the time, or JSON objects for programs."""

import logging
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import Final, TextIO

import click
import msgspec

from cardtable.cli import launch
from cardtable.club.server.host_log import LogEvent, LogLevel
from cardtable.engine.text_format import sanitize

_UNTIMED_KINDS: Final = frozenset({"invitation"})
"""Kinds of lines that are printed without the time, because people copy them."""


class _JsonLine(msgspec.Struct, frozen=True):
    """Line of the log as a JSON object."""

    time: str
    level: LogLevel
    event: str
    text: str
    fields: dict[str, str]


def create_printer(*, as_json: bool) -> Callable[[str], None]:
    """Return a function that prints each line of the host's log on standard output.

    With ``as_json`` each line is a JSON object. Errors of the output are ignored, since the club goes on without it.
    """
    return partial(_print_line, _format_json if as_json else _create_text_format(sys.stdout))


def configure_errors(*, as_json: bool) -> None:
    """Have errors of the libraries printed on standard error, in the same form as the log."""
    launch.configure_logging(_JsonFormatter() if as_json else _TextFormatter(_create_text_format(sys.stderr)))


def _print_line(format_line: Callable[[LogEvent], str], text: str) -> None:
    line = text if isinstance(text, LogEvent) else LogEvent(text, "note")
    with suppress(OSError):
        click.echo(format_line(line))


def _format_json(line: LogEvent) -> str:
    fields = {name: _clean(value) for name, value in line.fields.items()}
    now = datetime.now().astimezone().isoformat(timespec="milliseconds")
    return msgspec.json.encode(_JsonLine(now, line.level, line.kind, _clean(line), fields)).decode()


def _create_text_format(stream: TextIO) -> Callable[[LogEvent], str]:
    """Return the format for lines of text; the time is left out for the journal of systemd, which has its own."""
    return _clean if _is_journal(stream) else _format_with_time


def _format_with_time(line: LogEvent) -> str:
    return (
        _clean(line)
        if line.kind in _UNTIMED_KINDS
        else f"{datetime.now().astimezone():%Y-%m-%d %H:%M:%S} {_clean(line)}"
    )


def _clean(text: str) -> str:
    return sanitize(str(text), launch.MAX_FACT_LENGTH)


def _is_journal(stream: TextIO) -> bool:
    """Return True if a stream leads into the journal of systemd; see ``JOURNAL_STREAM`` in systemd.exec(5)."""
    try:
        found = os.fstat(stream.fileno())
    except (OSError, ValueError, AttributeError):
        return False
    return os.environ.get("JOURNAL_STREAM") == f"{found.st_dev}:{found.st_ino}"


class _TextFormatter(launch.OneLineFormatter):
    """Formatter of log records in one line, as the host's log has them."""

    def __init__(self, format_line: Callable[[LogEvent], str]) -> None:
        super().__init__()
        self._format_line = format_line

    def format(self, record: logging.LogRecord) -> str:
        return self._format_line(LogEvent(super().format(record), "error"))


class _JsonFormatter(launch.OneLineFormatter):
    """Formatter of log records as JSON objects."""

    def format(self, record: logging.LogRecord) -> str:
        level: LogLevel = "error" if record.levelno >= logging.ERROR else "warning"
        text = super().format(record).removeprefix("cardtable: ")
        return _format_json(LogEvent(text, "error", level, logger=record.name))
