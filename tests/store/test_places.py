"""Folders and files that are not what they should be: played in memory, or said in one line."""

import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random

import pytest

import cardtable
from cardtable.engine.errors import CardtableError
from cardtable.games import GAMES
from cardtable.store import (
    archive_index,
    atomic_io,
    paths,
    score_tables,
    session_files,
    sessions,
    settings,
    summaries,
)
from cardtable.store.errors import FileError
from tests.store.playing import NOW, begin, play, unfinished, what

posix = pytest.mark.skipif(os.name == "nt", reason="there files have other modes and kinds")


@contextmanager
def somebody():
    """Act as somebody to whom modes apply: not as root."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def guarded(monkeypatch):
    """A home with an unfinished session that may be read and not be written."""
    home = Path(tempfile.mkdtemp())
    monkeypatch.setenv("CARDTABLE_HOME", str(home))
    path = unfinished()
    path.chmod(0o444)
    for folder in (path.parent, home):
        folder.chmod(0o555)
    with somebody():
        yield path
    for folder in (home, path.parent):
        folder.chmod(0o755)
    shutil.rmtree(home)


def one_line(trouble):
    """The trouble is one printable line."""
    assert trouble.isprintable()
    assert len(trouble) <= 200
    return trouble


@posix
def test_a_new_session_in_a_read_only_home_is_played_in_memory(guarded):
    session = begin()
    assert "Permission denied" in one_line(session.save_error)
    play(session.referee, Random(1), 40)
    assert "Permission denied" in session.save_error
    session.close()
    assert session.referee.decisions == 40
    assert [path.name for path in paths.sessions_folder().iterdir()] == [guarded.name]


@posix
def test_a_session_in_a_read_only_home_is_gone_on_with_in_memory(guarded):
    before = guarded.read_bytes()
    session = sessions.resume(guarded)
    assert session.read_only_reason is None
    assert "Permission denied" in one_line(session.save_error)
    play(session.referee, Random(1), 3)
    session.close()
    assert guarded.read_bytes() == before


@posix
def test_a_session_that_cannot_be_written_can_be_saved_elsewhere(guarded):
    session = sessions.resume(guarded)
    play(session.referee, Random(1), 2)
    elsewhere = Path(tempfile.mkdtemp())
    session.save_into(elsewhere)
    play(session.referee, Random(1), 2)
    session.close()
    assert session.save_error is None
    assert what(sessions.resume(elsewhere / guarded.name).referee) == what(session.referee)
    shutil.rmtree(elsewhere)


@posix
def test_a_read_only_home_is_listed_and_settings_say_that_they_cannot_be_saved(guarded):
    assert [summary.path for summary in sessions.list_unfinished()] == [guarded]
    assert archive_index.list_finished() == []
    with pytest.raises(CardtableError, match="settings cannot be saved: Permission denied"):
        settings.save(settings.Settings(), settings.Settings(beep=True))


@posix
def test_a_torn_journal_that_cannot_be_written_is_played_in_memory(guarded, monkeypatch):
    with suppress(AttributeError, PermissionError):
        os.seteuid(0)
    guarded.chmod(0o644)
    guarded.write_bytes(guarded.read_bytes()[:-4])
    guarded.chmod(0o444)
    before = guarded.read_bytes()
    with somebody():
        session = sessions.resume(guarded)
        assert "torn" in session.notice
        assert "Permission denied" in session.save_error
        play(session.referee, Random(1), 3)
        session.close()
    assert guarded.read_bytes() == before


@posix
def test_a_journal_that_may_not_be_read_is_listed_with_its_trouble(guarded):
    if os.geteuid() != os.getuid():
        os.seteuid(0)
    guarded.chmod(0)
    with somebody():
        with pytest.raises(FileError, match="Permission denied"):
            sessions.resume(guarded)
        (summary,) = sessions.list_unfinished()
    assert "Permission denied" in one_line(summary.trouble)
    assert summary.header is None


@pytest.mark.parametrize("where", ["a file", "a file/and below"])
def test_a_home_that_is_a_file(tmp_path, monkeypatch, where):
    (tmp_path / "a file").touch()
    monkeypatch.setenv("CARDTABLE_HOME", str(tmp_path / where))
    session = begin()
    play(session.referee, Random(1), 3)
    assert one_line(session.save_error).startswith("saving failed: ")
    session.close()
    assert sessions.list_unfinished() == archive_index.list_finished() == []
    assert settings.load()[0] == settings.Settings()


def test_a_home_that_comes_back_gets_everything(tmp_path, monkeypatch):
    monkeypatch.setenv("CARDTABLE_HOME", str(tmp_path / "stick"))
    (tmp_path / "stick").touch()
    session = begin()
    play(session.referee, Random(1), 3)
    assert session.save_error
    (tmp_path / "stick").unlink()
    play(session.referee, Random(1), 1)
    assert session.save_error is None
    session.close()
    assert sessions.resume(session.path).referee.decisions == 4


def test_where_no_home_is_known_no_folder_of_that_name_is_made(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CARDTABLE_HOME", "~/somewhere")
    session = begin()
    assert "no home folder is known" in session.save_error
    session.file.accept_loss = True
    session.close()
    assert not list(tmp_path.iterdir())


def test_without_an_override_the_home_is_the_user_s(monkeypatch):
    monkeypatch.delenv("CARDTABLE_HOME")
    assert paths.home().name == "cardtable"
    assert paths.home().is_absolute()


def journal_like(folder, kind):
    """Something in place of a journal."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "odd.jsonl"
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "link":
        path.symlink_to(unfinished())
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
def test_only_regular_files_of_some_size_are_journals(tmp_path, kind):
    path = journal_like(tmp_path / "odd", kind)
    for way in (sessions.resume, sessions.fork, session_files.read_session if kind != "huge" else sessions.resume):
        with pytest.raises(FileError, match=r"odd\.jsonl"):
            way(path)
    if kind != "huge":
        with pytest.raises(FileError, match=r"odd\.jsonl"):
            next(session_files.iter_sessions(path))


@posix
@pytest.mark.parametrize("kind", KINDS[:-1])
def test_odd_things_among_the_sessions_do_not_hide_the_others(kind):
    good = unfinished()
    path = journal_like(paths.sessions_folder(), kind)
    found = {summary.id: summary for summary in sessions.list_unfinished()}
    assert found["odd"].header is None
    assert one_line(found["odd"].trouble)
    assert found[good.stem].trouble is None
    assert os.path.lexists(path)


@pytest.mark.parametrize("name", ["a\0b.jsonl", "\ud800.jsonl", "x" * 5000 + ".jsonl", "/".join("x" * 5000) + ".jsonl"])
def test_names_that_cannot_be(name):
    for way in (sessions.resume, sessions.fork, lambda path: next(session_files.iter_sessions(path))):
        with pytest.raises(FileError) as found:
            way(Path(name))
        assert one_line(str(found.value))


@posix
def test_a_link_planted_where_a_draft_is_written_leads_nowhere(tmp_path):
    target = tmp_path / "precious"
    target.write_text("old")
    path = tmp_path / "settings.toml"
    (tmp_path / f"settings.toml.{os.getpid()}.new").symlink_to(target)
    atomic_io.write_atomically(path, b"new")
    assert path.read_bytes() == b"new"
    assert target.read_text() == "old"


def test_a_file_system_that_cannot_flush_folders_is_no_trouble(monkeypatch):
    fsync = os.fsync

    def picky(descriptor):
        if os.path.isdir(f"/proc/self/fd/{descriptor}"):  # noqa: PTH112
            raise OSError(22, "Invalid argument")
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", picky)
    session = begin()
    assert session.save_error is None
    session.close()


def test_shipped_files_beside_a_stray_project_file(tmp_path):
    """Another package may leave its project file beside ours where packages are installed."""
    site = tmp_path / "site"
    package = Path(cardtable.__file__).parent
    shutil.copytree(package, site / "cardtable", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(package.parent / "themes", site / "cardtable" / "themes")  # as in a wheel
    (site / "pyproject.toml").touch()
    code = "from cardtable.store import paths; print(paths.shipped_theme_files()[0], paths.rules_file('king'))"
    path = os.pathsep.join([str(site), *sys.path])
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    theme, page = map(Path, done.stdout.split())
    assert (theme.parent, page.parent) == (site / "cardtable" / "themes", site / "cardtable" / "games" / "king")
    assert theme.is_file()
    assert page.is_file()


def test_hidden_files_are_not_ours():
    """Such as what macOS puts beside each file on a stick or a share."""
    path = unfinished()
    sessions.abandon(path)
    other = begin(seed=8)
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
    assert {summary.id for summary in sessions.list_unfinished()} == {scores.path.stem, other.path.stem}
    assert paths.user_theme_files() == [own]
    assert score_tables.find_previous_names("rifki") == ["Anna", "Tom", "Ida", "Max"]
