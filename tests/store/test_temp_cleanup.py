"""What a program leaves behind that is killed while it writes a file."""

import os

import pytest

from cardtable.store import atomic_io, paths, temp_cleanup
from tests.store.processes import gone

LIVES = os.getpid()


@pytest.mark.parametrize("folder", [paths.home, paths.sessions_folder, paths.archive_folder])
def test_drafts_of_processes_that_are_gone_are_swept_and_nothing_else(folder):
    paths.create_folder(folder())
    left, written, mine = [folder() / name for name in (f"a.jsonl.{gone()}.new", f"a.jsonl.{LIVES}.new", "my.new")]
    for path in (left, written, mine):
        path.write_text("half")
    temp_cleanup.remove_stale()
    assert not left.exists()
    assert written.exists()
    assert mine.exists()


def test_what_is_written_as_a_draft_can_be_swept(monkeypatch):
    paths.create_folder(paths.sessions_folder())
    ended = gone()
    monkeypatch.setattr(os, "getpid", lambda: ended)
    draft = atomic_io.write_temp(paths.sessions_folder() / "a.jsonl", b"half")
    temp_cleanup.remove_stale()
    assert not draft.exists()


def test_without_a_home_there_is_nothing_to_sweep():
    temp_cleanup.remove_stale()
    assert not paths.home().exists()
