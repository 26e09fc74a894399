"""Repeated log records of libraries."""

import logging

from cardtable.cli.launch import RepeatFilter


def test_similar_reports_are_printed_once_a_minute():
    now = [0.0]
    repeats = RepeatFilter(lambda: now[0])

    def report(text):
        return repeats.filter(logging.LogRecord("asyncio", logging.ERROR, "", 0, text, None, None))

    assert [report("no descriptors: fd=6"), report("no descriptors: fd=7"), report("something else")] == [1, 0, 1]
    now[0] = 59.0
    assert not report("no descriptors: fd=8")
    now[0] = 60.0
    assert report("no descriptors: fd=9")


def test_text_of_a_request_makes_no_new_kind():
    repeats = RepeatFilter(lambda: 0.0)

    def report(sent):
        error = ValueError(f"bad request: {sent}")
        said = "request from %s", (sent,), (ValueError, error, None)
        return repeats.filter(logging.LogRecord("aiohttp.server", logging.ERROR, "", 0, *said))

    assert [report("one"), report("another")] == [1, 0]
