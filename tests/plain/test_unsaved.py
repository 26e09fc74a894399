"""Exits from plain text while saving fails: nothing is lost without a question or a message."""

import io
import os
import signal
import sys

import pytest

from cardtable.cli import main as cli
from cardtable.engine import journal
from cardtable.engine.journal import ActionLine
from cardtable.store import emergency_save, paths
from tests.journal_lines import select_lines
from tests.store.disk_faults import create_disk_failure, fill_disk

FAILURE = "NOW\n"
"""Line of the input at which saving begins to fail."""
SIGNAL = "the signal "
"""Line of the input, with a number, at which a signal arrives."""
QUESTION = "Not on the disk yet: "
ENDINGS = {
    "quit": ["quit"],
    "end of input": [],
    "another session": ["new", "quit"],
    "the same deal": ["again", "quit"],
    "Ctrl+C": [f"{SIGNAL}{signal.SIGINT:d}"],
    "SIGTERM": [f"{SIGNAL}{signal.SIGTERM:d}"],
    "SIGHUP": [f"{SIGNAL}{signal.SIGHUP:d}"],
    "SIGQUIT": [f"{SIGNAL}{signal.SIGQUIT:d}"],
}


class ScriptedInput(io.StringIO):
    """Standard input in which `FAILURE` calls a function and `SIGNAL` sends a signal."""

    def __init__(self, lines, cause_failure):
        super().__init__("".join([f"{line}\n" if line != FAILURE else line for line in lines]))
        self._happens = cause_failure

    def readline(self, most=-1):
        line = super().readline(most)
        if line == FAILURE:
            self._happens()
            line = super().readline(most)
        if line.startswith(SIGNAL):  # to this thread: another one could handle what is sent to the process, too late
            signal.raise_signal(int(line.removeprefix(SIGNAL)))
        return line


@pytest.fixture
def cause_failure(request, home, monkeypatch):
    """Return a function that makes saving fail."""
    return create_disk_failure(request.param, home, monkeypatch)


@pytest.fixture
def play_session(capfd, monkeypatch):
    """Return a function that plays Rikiki through a pipe and returns exit code and both outputs."""

    def run(typed, happens):
        monkeypatch.setattr(sys, "stdin", ScriptedInput(typed, happens))
        robots = ("--seats", "me,random,random,random")
        code = cli.run(["play", "rikiki", "--seed", "7", *robots, "--plain"])
        return code, *capfd.readouterr()

    return run


@pytest.mark.parametrize("cause_failure", ["full", "gone", "file gone"], indirect=True)
@pytest.mark.parametrize("ending", ENDINGS)
def test_session_is_saved_elsewhere_and_reported(play_session, cause_failure, ending):
    code, output, errors = play_session([FAILURE, "bid 1", *ENDINGS[ending]], cause_failure)
    assert code == 1
    assert (QUESTION in output) == (ending in ("quit", "end of input", "another session", "the same deal"))
    assert "verything is kept. cardtable" not in output
    lines = [line for line in errors.splitlines() if "not saved" in line]
    [path] = [path for path in emergency_save.list_saved(".jsonl") if "bid 1" in path.read_text()]
    assert lines == errors.splitlines()
    assert all(line.startswith("cardtable: ") for line in lines)
    assert any(str(path) in line for line in lines)


@pytest.mark.parametrize("typed", ["quit", "new", "again"])
def test_player_may_stay_at_the_question(play_session, home, monkeypatch, typed):
    code, output, _ = play_session([FAILURE, "bid 1", typed, "no", "1"], lambda: fill_disk(monkeypatch, home))
    assert output.count(QUESTION) == 2, "once when she was about to leave, once at the end of input"
    assert "to be gone on with" not in output
    assert code == 1
    [path] = emergency_save.list_saved(".jsonl")
    lines = select_lines(ActionLine, journal.read(path.read_bytes()))
    assert len([line for line in lines if line.seat == 0]) == 2


def test_leaving_reports_lost_decisions(play_session, home, monkeypatch):
    code, _, errors = play_session([FAILURE, "bid 1", "quit", "leave"], lambda: fill_disk(monkeypatch, home))
    assert code == 1
    assert errors.startswith("cardtable: ")
    assert " lost; saving failed: No space left on device: " in errors
    assert not emergency_save.list_saved(".jsonl")


def test_session_is_saved_in_chosen_folder(play_session, home, monkeypatch, tmp_path):
    typed = [FAILURE, "bid 1", "quit", f"save {home}", f"save {tmp_path}"]
    code, output, errors = play_session(typed, lambda: fill_disk(monkeypatch, home))
    assert (code, errors) == (0, "")
    assert output.count(QUESTION) == 2, "asked again, since saving failed in that folder, too"
    [path] = tmp_path.glob("*.jsonl")
    assert '"action":"bid 1"' in path.read_text()


def test_no_question_once_saving_works_again(play_session, home, monkeypatch):
    write = os.write

    def toggle_full_disk():
        if os.write is write:
            fill_disk(monkeypatch, home)
        else:
            monkeypatch.setattr(os, "write", write)

    code, output, errors = play_session([FAILURE, "bid 1", FAILURE, "quit"], toggle_full_disk)
    assert (code, errors) == (0, "")
    assert QUESTION not in output
    assert output.splitlines()[-1].startswith("Saved. To continue: ")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_signal_sets_the_exit_code(play_session, number):
    with pytest.raises(SystemExit) as ended:
        play_session(["bid 1", f"{SIGNAL}{number:d}"], lambda: None)
    assert ended.value.code == 128 + number
    assert not emergency_save.list_saved(".jsonl")


def test_end_of_session_saves_elsewhere(play_session, home, monkeypatch):
    code, output, errors = play_session([FAILURE, *["1"] * 5000], lambda: fill_disk(monkeypatch, home))
    assert "The session is over." in output
    assert code == 1
    assert " not saved; " in errors


def test_session_saved_elsewhere_is_offered_and_continued(play_session, plain, home, monkeypatch):
    with monkeypatch.context() as full:
        play_session([FAILURE, "bid 1"], lambda: fill_disk(full, home))
    [path] = emergency_save.list_saved(".jsonl")
    result = plain("play", "gurka", "--seats", "me,random,random,random")
    assert [line for line in result.lines if str(path) in line and line.endswith(" The picker offers it.")]
    result = plain("resume", path.stem, typed=["no", "quit"])
    assert f"Everything is saved as {path}." in result.out
    assert emergency_save.list_saved(".jsonl") == [path]
    result = plain("resume", typed=["yes", "quit"])
    assert result.lines[-1].startswith("Saved. To continue: ")
    assert '"action":"bid 1"' in (paths.sessions_folder() / path.name).read_text()
    assert (paths.sessions_folder() / path.name).with_suffix(".aside").exists()
    assert not emergency_save.list_saved(".jsonl")
    assert "All of it is kept" not in plain().out
