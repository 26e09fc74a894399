"""Every way out of plain lines while saving fails: it is asked, kept elsewhere or told, and nothing is lost unsaid."""

import io
import os
import shutil
import signal
import sys

import pytest

from cardtable.cli import main as cli
from cardtable.engine import journal
from cardtable.store import emergency_save, paths
from tests.store.disk_faults import fill_disk

pytestmark = pytest.mark.promise(
    "Starting, leaving and saving", "Unsaved play is never lost without a question or a message."
)

NOW = "NOW\n"
"""Stands among the lines that are typed where something happens."""
SIGNAL = "the signal "
"""Stands, with its number, where a signal comes."""
QUESTION = "Not on the disk yet: "
WAYS_OUT = {
    "quit": ["quit"],
    "end of input": [],
    "another session": ["new", "quit"],
    "the same deal": ["again", "quit"],
    "Ctrl+C": [f"{SIGNAL}{signal.SIGINT:d}"],
    "SIGTERM": [f"{SIGNAL}{signal.SIGTERM:d}"],
    "SIGHUP": [f"{SIGNAL}{signal.SIGHUP:d}"],
    "SIGQUIT": [f"{SIGNAL}{signal.SIGQUIT:d}"],
}


class Typing(io.StringIO):
    """What is typed into a pipe; something happens at ``NOW``, and a signal comes at ``SIGNAL``."""

    def __init__(self, typed, happens):
        super().__init__("".join([f"{line}\n" if line != NOW else line for line in typed]))
        self._happens = happens

    def readline(self, most=-1):
        line = super().readline(most)
        if line == NOW:
            self._happens()
            line = super().readline(most)
        if line.startswith(SIGNAL):
            os.kill(os.getpid(), int(line.removeprefix(SIGNAL)))
        return line


@pytest.fixture
def trouble(request, home, monkeypatch):
    """What happens to the home."""
    return {
        "full": lambda: fill_disk(monkeypatch, home),
        "gone": lambda: shutil.rmtree(home),
        "file gone": lambda: next(paths.sessions_folder().glob("*.jsonl")).unlink(),
    }[request.param]


@pytest.fixture
def play(capfd, monkeypatch):
    """Play Rikiki through a pipe; the exit code, and what was said on both streams."""

    def run(typed, happens):
        monkeypatch.setattr(sys, "stdin", Typing(typed, happens))
        robots = ("--seats", "me,random,random,random")
        code = cli.run(["play", "rikiki", "--seed", "7", *robots, "--plain"])
        return code, *capfd.readouterr()

    return run


def kept():
    """The actions of the person in the one session that is kept elsewhere."""
    [path] = emergency_save.list_saved(".jsonl")
    return [str(entry.line.action) for entry in journal.read(path.read_bytes()).entries if entry.line.seat == 0]


@pytest.mark.parametrize("trouble", ["full", "gone", "file gone"], indirect=True)
@pytest.mark.parametrize("way", WAYS_OUT)
def test_whatever_was_done_is_kept_elsewhere_and_told(play, trouble, way):
    code, said, told = play([NOW, "bid 1", *WAYS_OUT[way]], trouble)
    assert code == 1
    assert (QUESTION in said) == (way in ("quit", "end of input", "another session", "the same deal"))
    assert "verything is kept. cardtable" not in said
    lines = [line for line in told.splitlines() if "not saved" in line]
    [path] = [path for path in emergency_save.list_saved(".jsonl") if "bid 1" in path.read_text()]
    assert lines == told.splitlines()
    assert all(line.startswith("cardtable: ") for line in lines)
    assert any(str(path) in line for line in lines)


@pytest.mark.promise(
    "Starting, leaving and saving",
    "If saving fails, every way out asks once, states how many decisions are unsaved and offers another folder.",
)
@pytest.mark.parametrize("typed", ["quit", "new", "again"])
def test_who_leaves_is_asked_once_and_may_stay(play, home, monkeypatch, typed):
    code, said, _ = play([NOW, "bid 1", typed, "no", "1"], lambda: fill_disk(monkeypatch, home))
    assert said.count(QUESTION) == 2, "once when she was about to leave, once at the end of input"
    assert "to be gone on with" not in said
    assert code == 1
    assert len(kept()) == 2


@pytest.mark.promise(
    "Starting, leaving and saving",
    "A player who leaves without saving sees after the end what was lost; the exit code is 1.",
)
def test_who_leaves_all_the_same_is_told_what_is_lost(play, home, monkeypatch):
    code, _, told = play([NOW, "bid 1", "quit", "leave"], lambda: fill_disk(monkeypatch, home))
    assert code == 1
    assert told.startswith("cardtable: ")
    assert " lost; saving failed: No space left on device: " in told
    assert not emergency_save.list_saved(".jsonl")


def test_who_leaves_can_save_it_in_another_folder(play, home, monkeypatch, tmp_path):
    typed = [NOW, "bid 1", "quit", f"save {home}", f"save {tmp_path}"]
    code, said, told = play(typed, lambda: fill_disk(monkeypatch, home))
    assert (code, told) == (0, "")
    assert said.count(QUESTION) == 2, "saving failed there, too"
    [path] = tmp_path.glob("*.jsonl")
    assert '"action":"bid 1"' in path.read_text()


def test_where_saving_works_again_nothing_is_asked(play, home, monkeypatch):
    write = os.write

    def fills_or_is_freed():
        if os.write is write:
            fill_disk(monkeypatch, home)
        else:
            monkeypatch.setattr(os, "write", write)

    code, said, told = play([NOW, "bid 1", NOW, "quit"], fills_or_is_freed)
    assert (code, told) == (0, "")
    assert QUESTION not in said
    assert said.splitlines()[-1].startswith("Everything is kept.")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_a_signal_ends_it_in_order_and_the_exit_code_tells_which(play, number):
    with pytest.raises(SystemExit) as ended:
        play(["bid 1", f"{SIGNAL}{number:d}"], lambda: None)
    assert ended.value.code == 128 + number
    assert not emergency_save.list_saved(".jsonl")


def test_at_the_end_of_a_session_nothing_is_lost_either(play, home, monkeypatch):
    code, said, told = play([NOW, *["1"] * 5000], lambda: fill_disk(monkeypatch, home))
    assert "The session is over." in said
    assert code == 1
    assert " not saved; " in told


def test_what_goes_on_elsewhere_is_offered_and_gone_on_with(play, plain, home, monkeypatch):
    with monkeypatch.context() as full:
        play([NOW, "bid 1"], lambda: fill_disk(full, home))
    [path] = emergency_save.list_saved(".jsonl")
    told = plain("play", "gurka", "--seats", "me,random,random,random")
    assert [line for line in told.lines if str(path) in line and line.endswith(" The picker offers it.")]
    told = plain("resume", path.stem, typed=["no", "quit"])
    assert f"All of it is kept as {path}." in told.out
    assert emergency_save.list_saved(".jsonl") == [path]
    told = plain("resume", typed=["yes", "quit"])
    assert told.lines[-1].startswith("Everything is kept.")
    assert '"action":"bid 1"' in (paths.sessions_folder() / path.name).read_text()
    assert (paths.sessions_folder() / path.name).with_suffix(".aside").exists()
    assert not emergency_save.list_saved(".jsonl")
    assert "All of it is kept" not in plain().out
