"""Temporary files of programs that were killed while they wrote a file."""

import os

import pytest

from cardtable.store import atomic_io, home_folder, paths
from tests.store.processes import get_ended_pid

RUNNING_PID = os.getpid()


@pytest.mark.parametrize("folder", [paths.home, paths.sessions_folder, paths.archive_folder])
def test_only_temp_files_of_ended_processes_are_removed(folder):
    paths.create_folder(folder())
    left, written, mine = [
        folder() / name for name in (f"a.jsonl.{get_ended_pid()}.new", f"a.jsonl.{RUNNING_PID}.new", "my.new")
    ]
    for path in (left, written, mine):
        path.write_text("half")
    home_folder.remove_stale_files()
    assert not left.exists()
    assert written.exists()
    assert mine.exists()


def test_written_temp_file_is_removed(monkeypatch):
    paths.create_folder(paths.sessions_folder())
    ended = get_ended_pid()
    monkeypatch.setattr(os, "getpid", lambda: ended)
    draft = atomic_io.write_temp(paths.sessions_folder() / "a.jsonl", b"half")
    home_folder.remove_stale_files()
    assert not draft.exists()


def test_cleanup_without_a_home():
    home_folder.remove_stale_files()
    assert not paths.home().exists()
