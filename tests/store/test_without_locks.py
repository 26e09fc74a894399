"""Two programs that play one session in a folder without locks, as network drives can be: nothing is lost unnoticed."""

import errno
import fcntl
import os
import threading
from contextlib import contextmanager
from random import Random

import pytest

from cardtable.store import emergency_save, summaries
from cardtable.store import sessions as store
from tests.budgets import get_trials
from tests.store.playing import create_unfinished_journal

SYSTEM_CALLS = (
    *("open", "read", "write", "fsync", "fdatasync", "ftruncate"),
    *("fstat", "stat", "lstat", "replace", "close"),
)
MAX_LINES = 3
"""Most lines that a program adds in a round."""


@pytest.fixture(autouse=True)
def no_locks(monkeypatch):
    def refuse(*_):
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", refuse)


class RandomTurns:
    """Lets one of several threads run at a time; each system call may hand the turn to another thread."""

    def __init__(self, rng, count):
        self._rng, self._waiting, self._turn = rng, [*range(count)], rng.randrange(count)
        self._changed, self._own = threading.Condition(), threading.local()

    @contextmanager
    def taking_part(self, number):
        """Run the block in turn with the other threads."""
        with self._changed:
            self._own.number = number
            self._changed.wait_for(lambda: self._turn == number)
        try:
            yield
        finally:
            with self._changed:
                self._own.number = None
                self._waiting.remove(number)
                self._draw()

    def hand_over(self):
        """Wait for the next turn of this thread, unless it takes no part."""
        number = getattr(self._own, "number", None)
        if number is not None:
            with self._changed:
                self._draw()
                self._changed.wait_for(lambda: self._turn == number)

    def _draw(self):
        if self._waiting:
            self._turn = self._rng.choice(self._waiting)
        self._changed.notify_all()


class Program:
    """Program that has the session open, and the journal as far as it was told to be saved."""

    def __init__(self, number, path):
        self.number, self.session = number, store.resume(path)
        self.saved = b""

    def talk(self, line_count):
        """Add lines; remember the journal after each that was told to be saved."""
        for line in range(line_count):
            self.session.referee.say(f"line {line} of program {self.number}")
            if self.session.save_error is None:
                self.saved = bytes(self.session.file.data)


def play_at_once(programs, rng, patch):
    """Let all programs talk at once, in a random order of their system calls."""
    turns = RandomTurns(rng, len(programs))

    def talk(program, line_count):
        with turns.taking_part(program.number):
            program.talk(line_count)

    def interrupt(call):
        def interrupted(*args, **kwargs):
            turns.hand_over()
            return call(*args, **kwargs)

        return interrupted

    with patch.context() as patched:
        for name in SYSTEM_CALLS:
            patched.setattr(os, name, interrupt(getattr(os, name)))
        threads = [threading.Thread(target=talk, args=(each, rng.randint(1, MAX_LINES))) for each in programs]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def test_two_programs_without_locks_lose_nothing_unnoticed(home, monkeypatch):
    rng, path = Random("without locks"), create_unfinished_journal()
    data = path.read_bytes()
    for _ in range(get_trials("unlocked")):
        path.write_bytes(data)
        programs = [Program(number, path) for number in range(2)]
        play_at_once(programs, rng, monkeypatch)
        for program in programs:
            assert path.read_bytes().startswith(program.saved), "even if both are killed now"
        for program in programs:
            program.session.close()
        assert summaries.summarize(path).error is None
        elsewhere = [copy.read_bytes() for copy in emergency_save.list_saved(".jsonl")]
        for program in programs:
            assert path.read_bytes().startswith(program.saved)
            all_lines = bytes(program.session.file.data)
            assert path.read_bytes() == all_lines or (program.session.file.loss_message and all_lines in elsewhere)
        for copy in emergency_save.list_saved(".jsonl"):
            emergency_save.delete(copy)


def test_failed_write_removes_no_line_of_another_program(monkeypatch):
    path = create_unfinished_journal()
    one, other = (Program(number, path) for number in range(2))
    write = os.write

    def write_after_the_other(descriptor, data):
        monkeypatch.undo()
        other.talk(1)
        write(descriptor, data[:10])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "write", write_after_the_other)
    one.talk(1)
    assert one.session.save_error
    assert other.session.save_error is None
    for program in (one, other):
        program.session.close()
    assert path.read_bytes().startswith(other.saved)


def test_line_behind_one_of_another_program_is_removed(monkeypatch):
    """The other program writes after this one has looked at the file, and before it writes."""
    path = create_unfinished_journal()
    session, before, write = store.resume(path), path.read_bytes(), os.write
    first = b'{"say":"first"}\n'

    def write_second(descriptor, data):
        monkeypatch.setattr(os, "write", write)
        with path.open("ab") as other:
            other.write(first)
        return write(descriptor, data)

    monkeypatch.setattr(os, "write", write_second)
    session.referee.say("second")
    assert "another program has changed the file" in session.save_error
    assert path.read_bytes() == before + first
    session.close()
