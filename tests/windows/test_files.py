"""Sessions and other files on Windows: locks, files that are open elsewhere, and what is left behind."""

import errno
import os
import sys
import time
from contextlib import closing
from random import Random

import platformdirs
import pytest
from platformdirs.windows import Windows

from cardtable.engine.errors import CardtableError
from cardtable.store import (
    atomic_io,
    erasure,
    home_backup,
    home_folder,
    paths,
    profiles,
    session_files,
    sessions,
    settings,
    unfinished_tables,
)
from cardtable.store.errors import FileError
from cardtable.store.settings import Settings
from tests.store.playing import create_session, create_unfinished_journal, play_randomly
from tests.store.test_erasure import seat, write_session

pytestmark = pytest.mark.usefixtures("windows")


@pytest.fixture
def retries(monkeypatch):
    """Delays before further attempts to use a file; a function that is appended to it runs before the next attempt."""
    waited = []

    def wait(seconds):
        waited.append(seconds)
        if retries.on_wait:
            retries.on_wait.pop(0)()

    retries = type("Retries", (), {"waited": waited, "on_wait": []})()
    monkeypatch.setattr(atomic_io, "sleep", wait)
    return retries


def test_fake_locks_are_mandatory(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"four")
    msvcrt = sys.modules["msvcrt"]
    one, other = [os.open(path, os.O_RDWR) for _ in range(2)]
    msvcrt.locking(one, msvcrt.LK_NBLCK, 4)
    with pytest.raises(PermissionError):
        os.read(other, 4)
    with pytest.raises(PermissionError):
        path.read_bytes()
    for change in (path.unlink, lambda: path.rename(tmp_path / "b"), lambda: path.replace(tmp_path / "b")):
        with pytest.raises(PermissionError):
            change()
    for descriptor in (one, other):
        os.close(descriptor)
    path.unlink()


def test_lock_is_exclusive_until_close(tmp_path):
    (tmp_path / "a").write_bytes(b"a session")
    one, other = [os.open(tmp_path / "a", os.O_RDWR) for _ in range(2)]
    assert (atomic_io.lock(one), atomic_io.lock(other)) == (True, False)
    assert os.read(other, 20) == os.read(one, 20) == b"a session"
    atomic_io.unlock_and_close(one)
    assert atomic_io.lock(other)
    atomic_io.unlock_and_close(other)


@pytest.mark.parametrize(("number", "is_locked"), [(errno.EINVAL, True), (0, False), (errno.EDEADLK, False)])
def test_errors_of_the_lock(tmp_path, monkeypatch, number, is_locked):
    (tmp_path / "a").touch()
    descriptor = os.open(tmp_path / "a", os.O_RDWR)

    def fail(*_):
        raise OSError(number, "no lock")

    monkeypatch.setattr(sys.modules["msvcrt"], "locking", fail)
    assert atomic_io.lock(descriptor) is is_locked
    atomic_io.unlock_and_close(descriptor)


def test_session_in_play_is_watched_copied_and_backed_up(tmp_path):
    with closing(create_session()) as session:
        play_randomly(session.referee, Random(1), 9)
        watched = sessions.open_read_only(session.path)
        play_randomly(session.referee, Random(2), 3)
        assert len(watched.read_appended_lines()) == 3
        assert sessions.resume(session.path).read_only_reason == "it is open in another program"
        with closing(sessions.fork(session.path)) as copy:
            assert copy.referee.view(0) == session.referee.view(0)
        manifest, left_out = home_backup.write_backup(tmp_path / "backup.zip")
        assert f"sessions/{session.path.name}" in [entry.name for entry in manifest.files]
        assert left_out == []
    home_backup.restore_backup(tmp_path / "backup.zip", tmp_path / "restored")
    restored = (tmp_path / "restored" / "sessions" / session.path.name).read_bytes()
    assert restored == session.path.read_bytes()


@pytest.mark.usefixtures("short")
def test_finished_session_moves_into_the_archive():
    with closing(create_session()) as session:
        play_randomly(session.referee, Random(1), 1000)
        session.referee.say("thanks")
    assert session.referee.ended
    assert session.save_error is None
    assert session.path.parent == paths.archive_folder()
    assert session.path.read_bytes() == bytes(session.file.data)


def test_session_is_abandoned_restored_renamed_and_discarded():
    path = create_unfinished_journal()
    archived = sessions.abandon(path)
    assert archived.parent == paths.archive_folder()
    assert sessions.restore(archived) == path
    sessions.rename(path, "Friday")
    assert session_files.find_table_name(session_files.parse_session(path, path.read_bytes())) == "Friday"
    begun = create_session()
    begun.discard()
    assert not begun.path.exists()


def test_session_continues_in_a_new_file_after_a_failed_flush(monkeypatch):
    with closing(create_session()) as session:
        with monkeypatch.context() as broken:
            broken.setattr(atomic_io, "flush", lambda _descriptor: (_ for _ in ()).throw(OSError(5, "I/O error")))
            broken.setattr(atomic_io, "write_temp", lambda *_: (_ for _ in ()).throw(OSError(5, "I/O error")))
            play_randomly(session.referee, Random(1), 2)
            assert "I/O error" in session.save_error
        play_randomly(session.referee, Random(2), 2)
        assert session.save_error is None
        assert session.path.read_bytes() == bytes(session.file.data)
        assert sessions.resume(session.path).read_only_reason


def test_file_that_is_open_for_a_moment_is_replaced(retries):
    settings.save(Settings(), Settings(ascii=True))
    reader = os.open(paths.settings_file(), os.O_RDONLY)
    retries.on_wait[:] = [lambda: None, lambda: os.close(reader)]
    settings.save(Settings(ascii=True), Settings(mono=True))
    assert len(retries.waited) == 2
    assert settings.load()[0].mono


def test_file_that_stays_open_is_reported_in_one_line(retries):
    settings.save(Settings(), Settings(ascii=True))
    before = paths.settings_file().read_bytes()
    with paths.settings_file().open("rb"), pytest.raises((OSError, CardtableError)) as caught:
        settings.save(Settings(ascii=True), Settings(mono=True))
    assert 0.4 < sum(retries.waited) < 1
    assert "another program has the file open" in str(caught.value)
    assert paths.settings_file().read_bytes() == before
    assert list(paths.home().glob("*.new")) == []


def test_session_that_stays_open_is_not_abandoned(retries):
    path = create_unfinished_journal()
    with path.open("rb"), pytest.raises(FileError, match="another program has the file open"):
        sessions.abandon(path)
    assert path.exists()
    assert retries.waited
    assert sessions.abandon(path).exists()


def test_folder_is_refused_at_once(tmp_path, retries):
    with pytest.raises(PermissionError):
        atomic_io.read(tmp_path, 10)
    assert retries.waited == []


def test_player_is_erased_from_sessions_and_backups():
    profiles.register("Anna")
    path = write_session("one", {"seats": [seat("Anna"), *[seat(name, robot="steady") for name in ("A", "B", "C")]]})
    settings.save(Settings(), Settings(ascii=True))
    assert erasure.erase_sessions("Anna").sessions == ("one",)
    assert b"Anna" not in path.read_bytes()
    erasure.erase_profile("Anna")
    assert profiles.find("Anna") is None
    assert not atomic_io.get_backup_path(paths.profiles_file()).exists()


def test_session_in_play_is_not_erased():
    with closing(create_session()) as session:
        play_randomly(session.referee, Random(1), 3)
        with pytest.raises(CardtableError, match="in play"):
            erasure.erase_sessions(session.header.seats[0].name)
    assert erasure.erase_sessions(session.header.seats[0].name).sessions == (session.header.id,)


def test_unsaved_session_is_restored_over_the_old_file(monkeypatch):
    with closing(create_session()) as session:
        play_randomly(session.referee, Random(1), 3)
        with monkeypatch.context() as broken:
            broken.setattr(os, "write", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
            play_randomly(session.referee, Random(2), 3)
        monkeypatch.setattr(session.file, "save", lambda: "")
    [unsaved] = unfinished_tables.list_recoverable()
    assert unfinished_tables.restore_recovered(unsaved) == session.path
    assert session.path.read_bytes() == bytes(session.file.data)
    assert unfinished_tables.list_recoverable() == []
    assert session.path.with_suffix(unfinished_tables.ASIDE_SUFFIX).exists()


def test_old_temp_files_are_removed_without_a_signal():
    paths.create_folder(paths.sessions_folder())
    old, new = [paths.sessions_folder() / f"{name}.jsonl.{os.getpid()}.new" for name in ("a", "b")]
    for path in (old, new):
        path.write_bytes(b"half")
    os.utime(old, times=(time.time() - 7200,) * 2)
    home_folder.remove_stale_files()
    assert (old.exists(), new.exists()) == (False, True)


@pytest.mark.parametrize("name", ["con.toml", "NUL", "com1.txt.toml", "dusk.", "dusk ", "a:b", "a\\b"])
def test_names_that_windows_does_not_allow_are_not_in_a_backup(name):
    assert not home_backup.is_safe_name(f"themes/{name}")
    assert home_backup.is_safe_name("themes/console.toml")


def test_folders_of_windows(monkeypatch):
    monkeypatch.delenv("CARDTABLE_HOME")
    for name in ("user_data_dir", "user_state_dir"):
        monkeypatch.setattr(platformdirs, name, lambda app, author, name=name: getattr(Windows(app, author), name))
    monkeypatch.setattr(platformdirs.windows, "get_win_folder", lambda _name: "/Users/Zoë Q/AppData/Local")
    assert str(paths.home()).replace("\\", "/") == "/Users/Zoë Q/AppData/Local/cardtable"
    assert paths.state_folder() == paths.home()
