"""Fixtures of the store's tests."""

import errno
import os
from pathlib import Path

import pytest

from cardtable.games.rikiki import rules as rikiki
from cardtable.store import paths


@pytest.fixture
def short(monkeypatch):
    """Sessions of Rikiki with two rounds, of 2 cards and of 1."""
    monkeypatch.setattr(rikiki, "FULL_SESSION", (2, 1))


@pytest.fixture
def write_journal():
    """Function that writes bytes as a journal and returns its path."""
    path = paths.sessions_folder() / "damaged.jsonl"
    paths.create_folder(path.parent)

    def put(data):
        path.unlink(missing_ok=True)  # to write over a file is much slower
        path.write_bytes(data)
        return path

    return put


@pytest.fixture
def two_disks(monkeypatch):
    """Let every rename from one folder into another fail, as between two disks."""
    rename = os.rename

    def within_folder(source, target):
        if Path(source).parent != Path(target).parent:
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
        rename(source, target)

    monkeypatch.setattr(os, "rename", within_folder)
