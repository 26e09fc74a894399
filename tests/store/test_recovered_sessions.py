"""Sessions that cannot be saved in their place are kept elsewhere, and come back."""

import errno
import os
import stat
from contextlib import suppress
from random import Random

import pytest

from cardtable.engine.errors import CardtableError
from cardtable.games import GAMES
from cardtable.store import (
    atomic_io,
    emergency_save,
    paths,
    recovered_sessions,
    score_tables,
    sessions,
)
from tests.scoring.tables import NAMES, played
from tests.store.disk_faults import Disk
from tests.store.playing import begin, play, what

pytestmark = pytest.mark.promise(
    "Starting, leaving and saving", "Unsaved play is never lost without a question or a message."
)


@pytest.fixture(autouse=True)
def temporary(monkeypatch, tmp_path):
    """A temporary folder of the test's own."""
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


def cut_off(decisions=5):
    """A session of which so many decisions are not in its file, which was put away meanwhile; it is closed."""
    session = begin()
    play(session.referee, Random(1), 3)
    aside = session.path.with_suffix(".was")
    session.path.rename(aside)  # what is written from now on goes to a file that will not be there
    os.link(aside, session.path)
    play(session.referee, Random(2), decisions)
    session.close()
    aside.unlink()
    return session


def data_of(session):
    return bytes(session.file.data)


def kept():
    """The one journal that is kept elsewhere."""
    [path] = emergency_save.list_saved(".jsonl")
    return path


def test_what_cannot_be_saved_in_its_place_is_kept_whole_in_a_new_folder_for_its_owner_only():
    session = cut_off(7)
    path = kept()
    assert path.name == session.path.name
    assert path.read_bytes() == data_of(session)
    assert path.parent.parent == paths.state_folder()
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert session.file.loss_message == (
        f"7 decisions not saved; saving failed: another program has changed the file: {session.path}; "
        f"all of it is kept in {path}, and the next start offers it"
    )


def test_where_the_folder_of_what_lasts_cannot_be_written_it_is_the_temporary_one(temporary):
    paths.state_folder().parent.mkdir()
    paths.state_folder().write_text("a file where the folder should be")
    session = cut_off()
    assert kept().parent.parent == temporary
    assert str(kept()) in session.file.loss_message


def test_where_nothing_can_be_written_it_is_told_what_is_lost(monkeypatch):
    session = begin()
    play(session.referee, Random(1), 3)
    with Disk(monkeypatch).failing(0, errno.ENOSPC, lasting=True):
        play(session.referee, Random(2), 1)
        session.close()
    assert session.file.loss_message == f"1 decision lost; saving failed: No space left on device: {session.path}"
    assert not emergency_save.list_saved(".jsonl")
    assert not list(paths.state_folder().glob("*"))


def test_what_a_person_has_given_up_is_kept_nowhere(home):
    session = begin()
    play(session.referee, Random(1), 2)
    session.path.unlink()
    session.file.accept_loss = True
    session.close()
    assert session.file.loss_message.startswith("2 decisions lost; saving failed: the file is gone: ")
    assert not paths.state_folder().exists()


def test_nothing_is_kept_elsewhere_where_all_is_saved(monkeypatch):
    session = begin()
    with Disk(monkeypatch).failing(0, errno.ENOSPC, lasting=True, only=("write",)):
        play(session.referee, Random(1), 3)
        assert session.file.unsaved_description == "3 decisions"
    session.close()
    assert session.file.loss_message is None
    assert not paths.state_folder().exists()


@pytest.mark.promise(
    "Starting, leaving and saving",
    "The next start offers a session that was saved in another place, and sets the shorter file aside.",
)
def test_the_longer_one_is_offered_and_the_other_kept_aside():
    session = cut_off(6)
    shorter, whole = session.path.read_bytes(), data_of(session)
    assert not recovered_sessions.set_aside_diverged()
    [stray] = recovered_sessions.list_recoverable()
    assert (stray.path, stray.session.header.game, stray.unsaved_description) == (kept(), "rikiki", "6 decisions")
    assert recovered_sessions.restore(stray) == session.path
    assert session.path.read_bytes() == whole
    assert session.path.with_suffix(".aside").read_bytes() == shorter
    assert not recovered_sessions.set_aside_diverged()
    assert not recovered_sessions.list_recoverable()
    assert not list(paths.state_folder().glob("*"))
    again = sessions.resume(session.path)
    assert what(again.referee) == what(session.referee)
    again.close()


def test_where_the_home_is_gone_all_of_it_comes_back():
    session = begin()
    play(session.referee, Random(1), 4)
    session.path.unlink()
    paths.sessions_folder().rmdir()
    paths.home().rmdir()
    session.close()
    [stray] = recovered_sessions.list_recoverable()
    assert stray.unsaved_description == "4 decisions"
    assert recovered_sessions.restore(stray).read_bytes() == data_of(session)


def test_one_that_was_gone_on_with_in_its_place_meanwhile_stays_there():
    session = cut_off(2)
    stray = data_of(session)
    on = sessions.resume(session.path)
    on.referee.say("on")
    on.close()
    [told] = recovered_sessions.set_aside_diverged()
    aside = session.path.with_suffix(".aside")
    assert aside.name in told
    assert aside.read_bytes() == stray
    assert session.path.read_bytes() == data_of(on)
    assert not recovered_sessions.set_aside_diverged()
    assert not recovered_sessions.list_recoverable()


def test_of_several_the_longest_is_offered():
    session = cut_off(2)
    longer = emergency_save.save(session.path.name, data_of(session))
    shorter = emergency_save.save(session.path.name, session.path.read_bytes())
    kept_first = next(path for path in emergency_save.list_saved(".jsonl") if path not in (longer, shorter))
    [stray] = recovered_sessions.list_recoverable()
    assert stray.path in (longer, kept_first)
    assert not recovered_sessions.set_aside_diverged()
    assert emergency_save.list_saved(".jsonl") == [stray.path]


def test_what_another_program_has_open_is_not_replaced():
    session = cut_off()
    [stray] = recovered_sessions.list_recoverable()
    playing = sessions.resume(session.path)
    with pytest.raises(CardtableError, match="it is open in another program"):
        recovered_sessions.restore(stray)
    playing.close()
    assert kept() == stray.path


def test_one_that_is_over_comes_back_into_the_archive(short):
    session = cut_off(1000)
    assert session.referee.ended
    [stray] = recovered_sessions.list_recoverable()
    there = recovered_sessions.restore(stray)
    assert there == paths.archive_folder() / session.path.name
    assert there.read_bytes() == data_of(session)
    assert not session.path.exists()
    assert not sessions.list_unfinished()


def test_a_score_table_comes_back_too():
    _, first, [entered, *_] = played("rifki", 1)
    scores = score_tables.create(GAMES["rifki"], NAMES[:4], GAMES["rifki"].options(), first)
    scores.path.unlink()
    scores.enter_round(entered)
    scores.close()
    assert scores.file.loss_message.startswith("1 round not saved; ")
    [stray] = recovered_sessions.list_recoverable()
    assert stray.session.real_cards
    assert recovered_sessions.restore(stray) == scores.path


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EACCES], ids=errno.errorcode.get)
def test_whatever_call_fails_while_it_comes_back_it_is_there_or_still_elsewhere(monkeypatch, number):
    faulty, fails = Disk(monkeypatch), 0
    while fails == 0 or faulty.failed:
        session = cut_off()
        before, whole = session.path.read_bytes(), data_of(session)
        [stray] = recovered_sessions.list_recoverable()
        with faulty.failing(fails, number), suppress(CardtableError):
            recovered_sessions.restore(stray)
        assert session.path.read_bytes() in (before, whole)
        assert session.path.read_bytes() == whole or stray.path.read_bytes() == whole
        assert not recovered_sessions.set_aside_diverged()
        for again in recovered_sessions.list_recoverable():
            recovered_sessions.restore(again)
        assert session.path.read_bytes() == whole
        fails += 1
    assert fails > 8


@pytest.mark.parametrize("planted", ["open", "link", "another home"])
def test_what_somebody_else_may_have_laid_there_is_not_looked_at(planted, tmp_path):
    session = cut_off()
    folder = kept().parent
    if planted == "open":
        folder.chmod(0o770)
    elif planted == "link":
        folder.rename(tmp_path / "theirs")
        folder.symlink_to(tmp_path / "theirs")
    else:
        folder.rename(folder.with_name(f"cardtable-00000000-{folder.name[-8:]}"))
    assert not recovered_sessions.set_aside_diverged()
    assert not recovered_sessions.list_recoverable()
    assert session.path.exists()


def test_a_damaged_one_is_named_and_left_alone():
    session = cut_off()
    lines = data_of(session).splitlines(keepends=True)
    atomic_io.write_atomically(kept(), b"".join([*lines[:-3], *lines[-2:]]))
    [told] = recovered_sessions.set_aside_diverged()
    assert not recovered_sessions.list_recoverable()
    assert f"{kept().name}:{len(lines) - 2}: " in told


def test_one_with_a_torn_line_comes_back_up_to_that():
    session = cut_off(5)
    kept().write_bytes(data_of(session)[:-20])
    [stray] = recovered_sessions.list_recoverable()
    assert stray.unsaved_description == "4 decisions"
    again = sessions.resume(recovered_sessions.restore(stray))
    assert again.notice
    again.close()
