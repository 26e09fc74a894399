"""Faults of the program: the terminal is restored, nothing is lost, no hand is shown."""

import shutil
import signal
import sys

import pytest

from cardtable.engine import journal
from cardtable.store import emergency_save
from tests.pty.playing import create_session, read_lines, wait_for_turn
from tests.pty.terminal import Terminal, run_in_parallel
from tests.pty.test_signals import is_restored

SECRET = "ADA-HOLDS-KS"
_FAULTY_PROGRAM = """
import importlib, os, sys
module, place, name, flag = sys.argv[1:5]
kind = getattr(importlib.import_module(module), place)
before = getattr(kind, name)
def planted(*args, **kwargs):
    hand = "{secret}"
    if os.path.exists(flag):
        raise KeyError(hand)
    return before(*args, **kwargs)
setattr(kind, name, planted)
sys.argv[1:] = sys.argv[5:]
from cardtable.__main__ import main
sys.exit(main())
""".format(secret=SECRET[:4] + '" "' + SECRET[4:])
"""Program in which a method fails as soon as a file exists."""

FAULTY_METHODS = {
    "painter": ("cardtable.ui.table.paint.table_widget", "TableWidget", "paint"),
    "row of a painter": ("cardtable.ui.toolkit.painting.canvas", "Canvas", "render_row"),
    "key": ("cardtable.ui.table.screen", "TableScreen", "on_key"),
    "action": ("cardtable.ui.table.input", "TableKeys", "action_messages"),
    "worker": ("cardtable.ui.table.model.view_model", "Pacing", "compute_forced_delay"),
    "leaving": ("cardtable.ui.table.screen", "TableScreen", "on_unmount"),
    "input": ("cardtable.ui.terminal.input_parser", "InputParser", "feed"),
}


def test_fault_anywhere_ends_the_program_in_order(home, tmp_path):
    def run_until_fault(place):
        session, flag = create_session(), tmp_path / place
        path = home / "sessions" / f"{session}.jsonl"
        program = [sys.executable, "-c", _FAULTY_PROGRAM, *FAULTY_METHODS[place], str(flag)]
        with Terminal(home, "resume", session, program=program) as terminal:
            terminal.wait("? help")
            terminal.wait(lambda: len(read_lines(path)) > 5, press="enter", quick=True)
            wait_for_turn(terminal)
            before = read_lines(path)
            flag.touch()
            terminal.send({"leaving": "ctrl+q", "worker": "enter"}.get(place, "m"))
            assert terminal.wait_for_end() == 1
            assert is_restored(terminal)
            assert SECRET.encode() not in terminal.output
            assert b"locals" not in terminal.output
            line = terminal.output.rstrip().rpartition(b"\n")[2].strip().decode()
            assert line.startswith("cardtable: crashed (KeyError in ")
            assert line.endswith("; your games are saved")
        assert read_lines(path)[: len(before)] == before
        assert not journal.read(path.read_bytes()).torn

    run_in_parallel(run_until_fault, FAULTY_METHODS)


@pytest.mark.parametrize("place", ["painter", "leaving"])
def test_fault_while_saving_fails_loses_nothing(home, tmp_path, place):
    session, flag = create_session(), tmp_path / "now"
    program = [sys.executable, "-c", _FAULTY_PROGRAM, *FAULTY_METHODS[place], str(flag)]
    with Terminal(home, "resume", session, program=program) as terminal:
        wait_for_turn(terminal)
        shutil.rmtree(home)
        terminal.wait("saving failed: the file is gone", press="enter")
        flag.touch()
        if place == "leaving":
            terminal.process.send_signal(signal.SIGTERM)
        else:
            terminal.send("m")
        assert terminal.wait_for_end() == 1
        assert is_restored(terminal)
        assert b"; not everything is saved\r\n" in terminal.output
        assert b" not saved; saving failed: the file is gone: " in terminal.output
        assert SECRET.encode() not in terminal.output
    [path] = emergency_save.list_saved(".jsonl")
    assert '"action":' in path.read_text()
