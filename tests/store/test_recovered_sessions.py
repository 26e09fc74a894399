"""Sessions that cannot be saved in their place: saved in another folder, and restored."""

import errno
import os
import stat
from contextlib import suppress
from random import Random

import pytest

from cardtable.engine.errors import CardtableError
from cardtable.games import GAMES
from cardtable.store import atomic_io, emergency_save, paths, score_tables, sessions, summaries, unfinished_tables
from tests.scoring.tables import NAMES, play_session_with_entries
from tests.store.disk_faults import FaultyDisk
from tests.store.playing import capture_views, create_session, get_data, play_randomly


@pytest.fixture(autouse=True)
def temp_folder(monkeypatch, tmp_path):
    """Temporary folder of the test."""
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


def create_unsaved_session(decisions=5):
    """Return a closed session whose last `decisions` decisions are not in its file, which was replaced meanwhile."""
    session = create_session()
    play_randomly(session.referee, Random(1), 3)
    aside = session.path.with_suffix(".was")
    session.path.rename(aside)  # what is written from now on goes to a file that will not be there
    os.link(aside, session.path)
    play_randomly(session.referee, Random(2), decisions)
    session.close()
    aside.unlink()
    return session


def find_saved_journal():
    """Return the path of the only journal saved in another folder."""
    [path] = emergency_save.list_saved(".jsonl")
    return path


def test_unsaved_session_is_saved_whole_in_private_folder():
    session = create_unsaved_session(7)
    path = find_saved_journal()
    assert path.name == session.path.name
    assert path.read_bytes() == get_data(session)
    assert path.parent.parent == paths.state_folder()
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert session.file.loss_message == (
        f"7 decisions not saved; saving failed: another program has changed the file: {session.path}; "
        f"all of it is saved in {path}, and the next start offers it"
    )


def test_fallback_to_temporary_folder(temp_folder):
    paths.state_folder().parent.mkdir()
    paths.state_folder().write_text("a file where the folder should be")
    session = create_unsaved_session()
    assert find_saved_journal().parent.parent == temp_folder
    assert str(find_saved_journal()) in session.file.loss_message


def test_loss_is_reported_if_no_folder_is_writable(monkeypatch):
    session = create_session()
    play_randomly(session.referee, Random(1), 3)
    with FaultyDisk(monkeypatch).failing(0, errno.ENOSPC, lasting=True):
        play_randomly(session.referee, Random(2), 1)
        session.close()
    assert session.file.loss_message == f"1 decision lost; saving failed: No space left on device: {session.path}"
    assert not emergency_save.list_saved(".jsonl")
    assert not list(paths.state_folder().glob("*"))


def test_longer_journal_is_offered_and_shorter_set_aside():
    session = create_unsaved_session(6)
    shorter, whole = session.path.read_bytes(), get_data(session)
    assert not unfinished_tables.set_aside_diverged()
    [stray] = unfinished_tables.list_recoverable()
    found = stray.path, stray.session.header.game, stray.unsaved_description
    assert found == (find_saved_journal(), "rikiki", "6 decisions")
    assert unfinished_tables.restore_recovered(stray) == session.path
    assert session.path.read_bytes() == whole
    assert session.path.with_suffix(".aside").read_bytes() == shorter
    assert not unfinished_tables.set_aside_diverged()
    assert not unfinished_tables.list_recoverable()
    assert not list(paths.state_folder().glob("*"))
    again = sessions.resume(session.path)
    assert capture_views(again.referee) == capture_views(session.referee)
    again.close()


def test_restore_recreates_missing_home():
    session = create_session()
    play_randomly(session.referee, Random(1), 4)
    session.path.unlink()
    paths.sessions_folder().rmdir()
    paths.home().rmdir()
    session.close()
    [stray] = unfinished_tables.list_recoverable()
    assert stray.unsaved_description == "4 decisions"
    assert unfinished_tables.restore_recovered(stray).read_bytes() == get_data(session)


def test_resumed_session_wins_over_saved_copy():
    session = create_unsaved_session(2)
    stray = get_data(session)
    on = sessions.resume(session.path)
    on.referee.say("on")
    on.close()
    [message] = unfinished_tables.set_aside_diverged()
    aside = session.path.with_suffix(".aside")
    assert aside.name in message
    assert aside.read_bytes() == stray
    assert session.path.read_bytes() == get_data(on)
    assert not unfinished_tables.set_aside_diverged()
    assert not unfinished_tables.list_recoverable()


def test_longest_of_several_copies_is_offered():
    session = create_unsaved_session(2)
    longer = emergency_save.save(session.path.name, get_data(session))
    shorter = emergency_save.save(session.path.name, session.path.read_bytes())
    first = next(path for path in emergency_save.list_saved(".jsonl") if path not in (longer, shorter))
    [stray] = unfinished_tables.list_recoverable()
    assert stray.path in (longer, first)
    assert not unfinished_tables.set_aside_diverged()
    assert emergency_save.list_saved(".jsonl") == [stray.path]


def test_session_open_elsewhere_is_not_replaced():
    session = create_unsaved_session()
    [stray] = unfinished_tables.list_recoverable()
    playing = sessions.resume(session.path)
    with pytest.raises(CardtableError, match="it is open in another program"):
        unfinished_tables.restore_recovered(stray)
    playing.close()
    assert find_saved_journal() == stray.path


def test_finished_session_is_restored_to_archive(short):
    session = create_unsaved_session(1000)
    assert session.referee.ended
    [stray] = unfinished_tables.list_recoverable()
    path = unfinished_tables.restore_recovered(stray)
    assert path == paths.archive_folder() / session.path.name
    assert path.read_bytes() == get_data(session)
    assert not session.path.exists()
    assert not summaries.list_unfinished()


def test_score_table_is_restored():
    _, first, [entered, *_] = play_session_with_entries("rifki", 1)
    scores = score_tables.create(GAMES["rifki"], NAMES[:4], GAMES["rifki"].options(), first)
    scores.path.unlink()
    scores.enter_round(entered)
    scores.close()
    assert scores.file.loss_message.startswith("1 round not saved; ")
    [stray] = unfinished_tables.list_recoverable()
    assert stray.session.real_cards
    assert unfinished_tables.restore_recovered(stray) == scores.path


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EACCES], ids=errno.errorcode.get)
def test_failing_call_during_restore_loses_nothing(monkeypatch, number):
    faulty = FaultyDisk(monkeypatch)
    for fails in faulty.iter_call_indexes(8):
        session = create_unsaved_session()
        before, whole = session.path.read_bytes(), get_data(session)
        [stray] = unfinished_tables.list_recoverable()
        with faulty.failing(fails, number), suppress(CardtableError):
            unfinished_tables.restore_recovered(stray)
        assert session.path.read_bytes() in (before, whole)
        assert session.path.read_bytes() == whole or stray.path.read_bytes() == whole
        assert not unfinished_tables.set_aside_diverged()
        for again in unfinished_tables.list_recoverable():
            unfinished_tables.restore_recovered(again)
        assert session.path.read_bytes() == whole


@pytest.mark.parametrize("planted", ["open", "link", "another home"])
def test_folders_of_other_users_or_homes_are_ignored(planted, tmp_path):
    session = create_unsaved_session()
    folder = find_saved_journal().parent
    if planted == "open":
        folder.chmod(0o770)
    elif planted == "link":
        folder.rename(tmp_path / "theirs")
        folder.symlink_to(tmp_path / "theirs")
    else:
        folder.rename(folder.with_name(f"cardtable-00000000-{folder.name[-8:]}"))
    assert not unfinished_tables.set_aside_diverged()
    assert not unfinished_tables.list_recoverable()
    assert session.path.exists()


def test_damaged_copy_is_reported_and_unchanged():
    session = create_unsaved_session()
    lines = get_data(session).splitlines(keepends=True)
    atomic_io.write_atomically(find_saved_journal(), b"".join([*lines[:-3], *lines[-2:]]))
    [message] = unfinished_tables.set_aside_diverged()
    assert not unfinished_tables.list_recoverable()
    assert f"{find_saved_journal().name}:{len(lines) - 2}: " in message


def test_damaged_copy_hides_no_shorter_one_that_is_whole():
    session = create_unsaved_session()
    whole = find_saved_journal()
    lines = get_data(session).splitlines(keepends=True)
    damaged = emergency_save.save(session.path.name, b"".join([*lines, *lines[-2:]]))
    assert [stray.path for stray in unfinished_tables.list_recoverable()] == [whole]
    [message] = unfinished_tables.set_aside_diverged()
    assert session.path.name in message
    assert set(emergency_save.list_saved(".jsonl")) == {whole, damaged}


def test_torn_copy_is_restored_to_last_complete_line():
    session = create_unsaved_session(5)
    find_saved_journal().write_bytes(get_data(session)[:-20])
    [stray] = unfinished_tables.list_recoverable()
    assert stray.unsaved_description == "4 decisions"
    again = sessions.resume(unfinished_tables.restore_recovered(stray))
    assert again.notice
    again.close()
