"""Input reader: input typed while the program was stopped has a time before the stop."""

import os

import pytest

from cardtable.ui.terminal import input_parser
from cardtable.ui.terminal.input_parser import InputReader


class Typist:
    """A pipe to a reader, and a clock."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        monkeypatch.setattr(input_parser, "monotonic", lambda: self.now)
        self.descriptors = os.pipe()
        self.reader = InputReader(self.descriptors[0])

    def type(self, keys: bytes) -> None:
        """Write keys to the pipe."""
        os.write(self.descriptors[1], keys)

    def read(self) -> float | None:
        """Read; return the time of the input, or None if there was none."""
        return None if self.reader.read(0) is None else self.reader.typed_at


@pytest.fixture
def typist(monkeypatch):
    typist = Typist(monkeypatch)
    yield typist
    for each in typist.descriptors:
        os.close(each)


def test_input_is_dated_when_it_is_read(typist):
    for seconds in (0.0, 0.05, 0.1, 0.15):
        assert typist.read() is None
        typist.now += seconds
        typist.type(b"q")
        assert typist.read() == typist.now


@pytest.mark.parametrize("seconds", [0.2, 0.8, 5.0])
def test_input_of_a_stopped_program_is_dated_before_the_stop(typist, seconds):
    assert typist.read() is None
    before = typist.now
    typist.type(b"\r")
    typist.now += seconds
    assert typist.read() == before
    typist.type(b"\r")
    assert typist.read() == typist.now


def test_input_right_after_other_input(typist):
    typist.type(b"\r")
    assert typist.read() == 100.0
    typist.now += 2.0
    typist.type(b"\r")
    assert typist.read() == 100.0, "the input may have been typed right after the last read"


def test_much_input_of_a_stopped_program(typist):
    assert typist.read() is None
    typist.type(b"q" * 10_000)
    typist.now += 1.0
    assert [typist.read() for _ in range(3)] == [100.0] * 3
    assert typist.read() is None


def test_input_waiting_at_paint_is_dated_before_it(typist):
    typist.reader.note_waiting()
    typist.now += 0.05
    typist.type(b"\r")
    typist.now += 0.05
    typist.reader.note_waiting()
    paint_time = typist.now
    typist.now += 0.05
    assert typist.read() == paint_time
    typist.type(b"\r")
    assert typist.read() == typist.now


def test_input_after_paint_keeps_its_time_if_read_late(typist):
    assert typist.read() is None
    typist.now += 0.05
    typist.reader.note_waiting()
    painted = typist.now
    typist.type(b"\r")
    typist.now += 1.0
    assert typist.read() == painted


def test_end_of_input(typist, monkeypatch):
    monkeypatch.setattr(os, "read", lambda *_: b"")
    typist.type(b"q")
    assert typist.reader.read(0) == b""
