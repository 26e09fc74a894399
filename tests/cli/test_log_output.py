"""Lines of the host's log, for people and for programs, and repeated log records of libraries."""

import json
import logging
import os
import re
import sys
from datetime import datetime, timedelta

import pytest

from cardtable.cli import host
from cardtable.club.server.host_events import HostAct, HostActed, InvitationLine, PersonJoined, SavingFails

FAILURE = SavingFails("No space\x1b[2J left")


def print_lines(capsys, *lines, as_json):
    write = host.create_printer(as_json=as_json)
    for line in lines:
        write(line)
    return capsys.readouterr().out.splitlines()


def test_text_has_time_except_on_the_invitation(capsys):
    lines = (
        InvitationLine("cardtable join 192.0.2.1:7036"),
        PersonJoined("Anna", "join"),
        HostActed(HostAct.KICK, "Anna", "a\nb"),
    )
    first, *others = print_lines(capsys, *lines, as_json=False)
    assert first == "cardtable join 192.0.2.1:7036"
    for line, text in zip(others, ("Anna joins", "the administrator disconnects Anna: a�b"), strict=True):
        time, message = re.fullmatch(r"([-0-9]+ [:0-9]+) (.+)", line).groups()
        assert message == text
        assert abs(datetime.now().astimezone() - datetime.fromisoformat(time).astimezone()) < timedelta(minutes=1)


@pytest.mark.parametrize("in_journal", [True, False])
def test_journal_of_systemd_adds_the_time(capfd, monkeypatch, in_journal):
    """Only a stream that leads into the journal has lines without the time."""
    status = os.fstat(1)
    monkeypatch.setattr(sys, "stdout", os.fdopen(os.dup(1), "w"))
    monkeypatch.setenv("JOURNAL_STREAM", f"{status.st_dev}:{status.st_ino + (not in_journal)}")
    host.create_printer(as_json=False)(PersonJoined("Anna", "join"))
    assert (capfd.readouterr().out == "Anna joins\n") is in_journal


def test_json_has_time_level_event_text_and_fields(capsys):
    (line,) = print_lines(capsys, FAILURE, as_json=True)
    record = json.loads(line)
    assert datetime.fromisoformat(record.pop("time")).tzinfo is not None
    assert record == {
        "level": "error",
        "event": "saving_fails",
        "text": "saving fails: No space�[2J left; tables wait until it works",
        "fields": {"reason": "No space�[2J left"},
    }


@pytest.mark.parametrize(("level", "name"), [(logging.WARNING, "warning"), (logging.CRITICAL, "error")])
def test_json_for_errors_of_libraries(level, name):
    record = logging.LogRecord("asyncio", level, "file", 1, "socket.accept() failed", (), None)
    logged = json.loads(host.LogFormatter(host.format_json_line).format(record))
    assert (logged["event"], logged["level"], logged["text"]) == ("error", name, "socket.accept() failed")
    assert logged["fields"] == {"logger": "asyncio"}


def test_similar_reports_are_printed_once_a_minute():
    now = [0.0]
    repeats = host.RepeatFilter(lambda: now[0])

    def report(text):
        return repeats.filter(logging.LogRecord("asyncio", logging.ERROR, "", 0, text, None, None))

    assert [report("no descriptors: fd=6"), report("no descriptors: fd=7"), report("something else")] == [1, 0, 1]
    now[0] = 59.0
    assert not report("no descriptors: fd=8")
    now[0] = 60.0
    assert report("no descriptors: fd=9")


def test_text_of_a_request_makes_no_new_kind():
    repeats = host.RepeatFilter(lambda: 0.0)

    def report(sent):
        error = ValueError(f"bad request: {sent}")
        log_arguments = "request from %s", (sent,), (ValueError, error, None)
        return repeats.filter(logging.LogRecord("aiohttp.server", logging.ERROR, "", 0, *log_arguments))

    assert [report("one"), report("another")] == [1, 0]


def test_library_errors_send_no_control_character_to_a_terminal():
    record = logging.LogRecord("asyncio", logging.ERROR, "", 0, "\x1b[2J\nfailed", (), None)
    assert host.OneLineFormatter().format(record) == "cardtable: \ufffd[2J failed"
