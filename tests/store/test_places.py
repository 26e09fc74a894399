"""Unsuitable folders and files: sessions in memory, and errors in one line."""

import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest

from cardtable.engine.errors import CardtableError
from cardtable.games import GAMES
from cardtable.store import (
    archive_index,
    atomic_io,
    home_folder,
    paths,
    score_tables,
    session_files,
    sessions,
    settings,
    summaries,
)
from cardtable.store.errors import FileError
from tests.store.playing import NOW, create_session, create_unfinished_journal, play_randomly

posix = pytest.mark.skipif(os.name == "nt", reason="there files have other modes and kinds")


@contextmanager
def drop_root():
    """Drop the rights of root, so that file modes apply."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def read_only_path(monkeypatch):
    """Path of an unfinished session in a home that can be read but not written."""
    home = Path(tempfile.mkdtemp())
    monkeypatch.setenv("CARDTABLE_HOME", str(home))
    path = create_unfinished_journal()
    path.chmod(0o444)
    for folder in (path.parent, home):
        folder.chmod(0o555)
    with drop_root():
        yield path
    for folder in (home, path.parent):
        folder.chmod(0o755)
    shutil.rmtree(home)


def assert_one_line(error):
    """Assert that a message is one printable line, and return it."""
    assert error.isprintable()
    assert len(error) <= 200
    return error


@posix
def test_resumed_session_in_read_only_home(read_only_path):
    before = read_only_path.read_bytes()
    session = sessions.resume(read_only_path)
    assert session.read_only_reason is None
    assert "Permission denied" in assert_one_line(session.save_error)
    play_randomly(session.referee, Random(1), 3)
    session.close()
    assert read_only_path.read_bytes() == before


@posix
def test_list_and_settings_in_read_only_home(read_only_path):
    assert [summary.path for summary in summaries.list_unfinished()] == [read_only_path]
    assert archive_index.list_finished() == []
    with pytest.raises(CardtableError, match="settings cannot be saved: Permission denied"):
        settings.save(settings.Settings(), settings.Settings(beep=True))


@posix
def test_unreadable_journal_is_listed_with_its_error(read_only_path):
    if os.geteuid() != os.getuid():
        os.seteuid(0)
    read_only_path.chmod(0)
    with drop_root():
        with pytest.raises(FileError, match="Permission denied"):
            sessions.resume(read_only_path)
        (summary,) = summaries.list_unfinished()
    assert "Permission denied" in assert_one_line(summary.error)
    assert summary.header is None


def create_odd_file(folder, kind):
    """Create a file of an unsuitable kind in place of a journal; return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "odd.jsonl"
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "link":
        path.symlink_to(create_unfinished_journal())
    elif kind == "dangling link":
        path.symlink_to(folder / "gone")
    elif kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "huge":
        with path.open("wb") as file:
            file.truncate(1 << 30)
    return path


KINDS = ["fifo", "folder", "link", "dangling link", "device", "huge", "missing"]


@posix
@pytest.mark.parametrize("kind", KINDS)
def test_irregular_files_are_refused(tmp_path, kind):
    path = create_odd_file(tmp_path / "odd", kind)
    for function in (sessions.resume, sessions.fork, session_files.read_session if kind != "huge" else sessions.resume):
        with pytest.raises(FileError, match=r"odd\.jsonl"):
            function(path)
    if kind != "huge":
        with pytest.raises(FileError, match=r"odd\.jsonl"):
            next(session_files.iter_sessions(path))


@posix
@pytest.mark.parametrize("kind", KINDS[:-1])
def test_irregular_files_do_not_hide_sessions(kind):
    good = create_unfinished_journal()
    path = create_odd_file(paths.sessions_folder(), kind)
    by_id = {summary.id: summary for summary in summaries.list_unfinished()}
    assert by_id["odd"].header is None
    assert assert_one_line(by_id["odd"].error)
    assert by_id[good.stem].error is None
    assert os.path.lexists(path)


@pytest.mark.parametrize("name", ["a\0b.jsonl", "\ud800.jsonl", "x" * 5000 + ".jsonl", "/".join("x" * 5000) + ".jsonl"])
def test_invalid_file_names_are_refused(name):
    for function in (sessions.resume, sessions.fork, lambda path: next(session_files.iter_sessions(path))):
        with pytest.raises(FileError) as error_info:
            function(Path(name))
        assert assert_one_line(str(error_info.value))


@posix
def test_planted_link_is_not_followed_on_write(tmp_path):
    target = tmp_path / "precious"
    target.write_text("old")
    path = tmp_path / "settings.toml"
    (tmp_path / f"settings.toml.{os.getpid()}.new").symlink_to(target)
    atomic_io.write_atomically(path, b"new")
    assert path.read_bytes() == b"new"
    assert target.read_text() == "old"


def test_file_system_without_folder_flush(monkeypatch):
    fsync = os.fsync

    def picky(descriptor):
        if os.path.isdir(f"/proc/self/fd/{descriptor}"):  # noqa: PTH112
            raise OSError(22, "Invalid argument")
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", picky)
    session = create_session()
    assert session.save_error is None
    session.close()


def test_hidden_files_are_ignored():
    """For example the files that macOS writes beside each file on external disks and network shares."""
    path = create_unfinished_journal()
    sessions.abandon(path)
    other = create_session(seed=8)
    other.close()
    scores = score_tables.create(GAMES["rifki"], ["Anna", "Tom", "Ida", "Max"], GAMES["rifki"].options(), now=NOW)
    scores.close()
    own = paths.user_themes_folder() / "mine.toml"
    paths.create_folder(own.parent)
    shutil.copy(paths.shipped_theme_files()[0], own)
    listed = [summary.id for summary in archive_index.list_summaries()]
    for file in [*paths.home().glob("*/*")]:
        for prefix in ("._", "."):
            file.with_name(f"{prefix}{file.name}").write_bytes(file.read_bytes())
            file.with_name(f"{prefix}z{file.name}").write_bytes(b"\0\5\26\7\0\2\0\0Mac OS X        ")
    assert [summary.id for summary in archive_index.list_summaries()] == listed
    assert sorted(summaries.list_ids()) == sorted(listed)
    assert {summary.id for summary in summaries.list_unfinished()} == {scores.path.stem, other.path.stem}
    assert paths.user_theme_files() == [own]
    assert score_tables.find_previous_names("rifki") == ["Anna", "Tom", "Ida", "Max"]


def test_exports_get_names_that_are_free():
    saved = [home_folder.save_export("a.score.md", data).name for data in (b"one", b"two", b"three")]
    assert saved == ["a.score.md", "a-2.score.md", "a-3.score.md"]
    assert (paths.exports_folder() / "a-2.score.md").read_bytes() == b"two"
