"""Sessions: create, resume, copy, close, and move to the archive."""

import errno
import json
import os
import stat
import subprocess
import sys
from contextlib import suppress
from random import Random

import msgspec
import pytest

from cardtable.club.protocol import OpenTable
from cardtable.club.server.table_phases import FreeSeats
from cardtable.engine import journal
from cardtable.engine.errors import CardtableError
from cardtable.engine.game import CHANCE
from cardtable.engine.journal import ChanceLine, Occupant, Origin
from cardtable.engine.options import read
from cardtable.games import GAMES, KEYS
from cardtable.session.simulation import Plan
from cardtable.store import archive_index, atomic_io, paths, score_tables, sessions, summaries
from cardtable.store.errors import DamagedJournal, FileError
from cardtable.store.session_setup import create_rematch
from cardtable.store.unfinished_tables import AbandonedStack
from tests.journal_lines import select_lines
from tests.journal_times import ManualClock, set_last_played
from tests.store.disk_faults import FaultyDisk
from tests.store.playing import (
    CLUB_ID,
    NOW,
    capture_views,
    create_closed_session,
    create_finished_journal,
    create_session,
    create_unfinished_journal,
    play_every_line_kind,
    play_randomly,
    split_lines,
)
from tests.store.processes import find_descriptor


def test_new_session_is_a_header_in_a_file():
    session = create_session()
    header = journal.read(session.path.read_bytes()).header
    assert session.path == paths.sessions_folder() / f"{session.header.id}.jsonl"
    assert header == session.header
    assert header.id.startswith("20261120-083728-rikiki-")
    assert header.created == "2026-11-20T08:37:28Z"
    assert header.options == GAMES["rikiki"].options().to_dict()
    assert [occupant.name for occupant in header.seats] == ["Guest", "Ada", "Bo", "Cy"]
    assert (session.save_error, session.read_only_reason, session.notice) == (None, None, None)
    assert session.referee.turn == CHANCE


OLD_OPTIONS = {
    "king": b'"options":{"king_drop":"under-ace","offers":"on","round_clock":"off","open_hands":"off"},"seats"',
    "rifki": b'"options":{"must_overruff":"off","hearts_unlock":"discard","first_declarer":"lot",'
    b'"direction":"counter-clockwise","round_clock":"off","open_hands":"off"},"seats"',
}
"""Default options in the headers of a release before these games had ``length``."""


@pytest.mark.parametrize("key", OLD_OPTIONS)
def test_option_added_later_is_stored_only_if_not_default(key):
    game, names, old = GAMES[key], ("Ada", "Bo", "Cy", "Dee"), OLD_OPTIONS[key]
    seats = tuple([Occupant(name, "steady") for name in names])
    for options in (game.options(), game.options(length="short")):
        session = sessions.create(game, seats, options, 7, now=NOW)
        table = score_tables.create(game, names, options, now=NOW)
        simulated = Plan(key, 1, 7, ("steady",) * 4, options).create_header(1)
        opened = FreeSeats(OpenTable(key, 4, options.to_header()), "Ada").to_table_info("t", "Ada", ())
        is_default = options.length == "full"
        assert (old in session.path.read_bytes()) == is_default
        assert (old in table.path.read_bytes()) == is_default
        for stored in (session.header, table.table.header, simulated, opened):
            assert stored.options.get("length") == (None if is_default else "short")
            assert read(game.options, stored.options) == options


@pytest.mark.skipif(os.name == "nt", reason="there modes mean something else")
def test_files_and_folders_are_private(home):
    before = os.umask(0)
    try:
        path = create_session().path
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    for folder in (home, paths.sessions_folder()):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_ids_of_same_second_differ(monkeypatch):
    drawn = iter([b"\x7f\x3a", b"\x7f\x3a", b"\x7f\x3a\x00"])
    monkeypatch.setattr(os, "urandom", lambda n: next(drawn))
    assert create_session().header.id == "20261120-083728-rikiki-7f3a"
    assert create_session().header.id == "20261120-083728-rikiki-7f3a00"


# --- time


def test_line_time_counts_open_seconds():
    clock = ManualClock()
    session = create_session()
    session.clocks.set_time_source(clock)
    clock.seconds += 1.23456
    session.referee.advance()
    clock.seconds += 2
    session.referee.say("hello")
    session.close()
    clock.seconds += 5000
    session = sessions.resume(session.path)
    session.clocks.set_time_source(clock)
    clock.seconds += 0.5
    session.referee.say("again")
    assert [entry.line.at for entry in journal.read(session.path.read_bytes()).entries] == [1.235, 3.235, 3.735]


def test_line_time_stays_within_limit():
    session = create_session()
    session.referee.advance()
    session.close()
    read = journal.read(session.path.read_bytes())
    late = [ChanceLine(entry.line.outcome, at=10**15 - 1) for entry in read.entries]
    session.path.write_bytes(journal.encode(read.header, late))
    session = sessions.resume(session.path)
    session.referee.say("late")
    assert journal.read(session.path.read_bytes()).entries[-1].line.text == "late"


# --- the end


def test_missing_end_line_is_written_on_resume(short):
    data = create_finished_journal()
    path = paths.sessions_folder() / "killed.jsonl"
    path.write_bytes(b"".join(split_lines(data)[:-1]))
    session = sessions.resume(path)
    assert session.referee.ended
    end = journal.read(session.path.read_bytes()).entries[-1].line.result
    assert (end.totals, end.ranks) == (session.referee.totals, session.referee.ranks)
    assert session.path.parent == paths.archive_folder()


def test_missing_shuffle_is_drawn_on_resume():
    session = create_session("bridge")
    rng = Random(1)
    while True:
        play_randomly(session.referee, rng, 1)
        data = session.path.read_bytes()
        if b'"shuffle ' in data:
            break
    before = capture_views(session.referee)
    assert b'"shuffle ' in split_lines(data)[-1]
    session.close()
    session.path.write_bytes(b"".join(split_lines(data)[:-1]))
    session = sessions.resume(session.path)
    assert capture_views(session.referee) == before


# --- chance at a club


def list_outcomes(path):
    """Return the chance outcomes in a journal."""
    return [line.outcome for line in select_lines(ChanceLine, journal.read(path.read_bytes()))]


@pytest.mark.parametrize("game", KEYS)
def test_club_session_continues_after_lost_chance_line(game):
    session, rng = create_session(game, host=CLUB_ID), Random(1)
    play_randomly(session.referee, rng, 40)
    session.close()
    whole = session.path.read_bytes()
    cuts = [number for number, line in enumerate(split_lines(whole)) if b'"chance"' in line][:4]
    for cut in cuts:
        before = b"".join(split_lines(whole)[:cut])
        session.path.write_bytes(before)
        resumed = sessions.resume_at_club(session.path)
        resumed.referee.advance()
        play_randomly(resumed.referee, rng, 1)
        resumed.close()
        data = session.path.read_bytes()
        assert data.startswith(before)
        assert capture_views(summaries.load_referee(session.path)) == capture_views(resumed.referee)
        drawn = split_lines(data)[cut], split_lines(whole)[cut]
        if b'"deal ' in drawn[0]:
            assert drawn[0] != drawn[1], "the seed tells the deal"


def test_no_rematch_with_same_deal_after_club_session():
    session = create_session(host=CLUB_ID)
    assert not session.can_deal_again
    with pytest.raises(CardtableError, match="started at a club, where no deal is played again"):
        create_rematch(session, same_deal=True)
    assert create_rematch(session, same_deal=False).seed is None
    assert create_session().can_deal_again


def test_resumed_home_session_draws_from_its_seed():
    session = create_session()
    play_randomly(session.referee, Random(1), 3)
    session.close()
    resumed = sessions.resume(session.path)
    assert resumed.referee.randomness is None
    play_randomly(resumed.referee, Random(1), 200)
    another = create_session()
    play_randomly(another.referee, Random(2), 200)
    assert list_outcomes(resumed.path)[:3] == list_outcomes(another.path)[:3]


def test_failed_move_to_archive_is_retried(short):
    paths.create_folder(paths.home())
    paths.archive_folder().write_text("a file where the folder should be")
    session = create_closed_session()
    assert session.save_error is None
    assert session.path.parent == paths.sessions_folder()
    assert [summary.state for summary in archive_index.list_finished()] == ["over"]
    assert summaries.list_unfinished() == []
    paths.archive_folder().unlink()
    assert summaries.list_unfinished() == []
    assert [summary.path.parent for summary in archive_index.list_finished()] == [paths.archive_folder()]


def test_finished_session_overwrites_no_archived_file(short):
    session = create_session()
    paths.create_folder(paths.archive_folder())
    archived = paths.archive_folder() / session.path.name
    archived.write_text("another")
    play_every_line_kind(session)
    session.close()
    assert session.path.parent == paths.sessions_folder()
    assert archived.read_text() == "another"


# --- closing, reader on


def test_closed_session_refuses_changes():
    session = create_session()
    session.close()
    session.close()
    with pytest.raises(CardtableError, match="it is closed"):
        session.referee.advance()
    assert session.referee.turn == CHANCE
    assert session.referee.round == 0


def test_close_releases_lock_despite_inherited_descriptor():
    session = create_session()
    inherited = os.dup(find_descriptor(session.path))
    session.close()
    try:
        again = sessions.resume(session.path)
        assert again.read_only_reason is None
        again.close()
    finally:
        os.close(inherited)


def test_session_open_elsewhere_is_read_only():
    path = create_unfinished_journal()
    playing = sessions.resume(path)
    reader = sessions.resume(path)
    assert playing.read_only_reason is None
    assert reader.read_only_reason == "it is open in another program"
    assert capture_views(reader.referee) == capture_views(playing.referee)
    size = path.stat().st_size
    with pytest.raises(CardtableError, match="open in another program"):
        reader.referee.say("hello")
    with pytest.raises(CardtableError, match="open in another program"):
        reader.save_into(paths.home())
    reader.close()
    assert path.stat().st_size == size
    playing.referee.say("hello")
    playing.close()
    assert sessions.resume(path).read_only_reason is None


def test_line_being_written_elsewhere_is_not_torn():
    path = create_unfinished_journal()
    playing = sessions.resume(path)
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"say":"hel')
    reader = sessions.resume(path)
    assert reader.notice is None
    reader.close()
    assert path.read_bytes() == whole + b'{"say":"hel'
    assert not list(paths.sessions_folder().glob("*.torn"))
    playing.close()


# --- journals written by hand


def write_unsealed_journal(folder, ending="\n"):
    """Write a journal as an editor saves it, with spaces and without checksums; return its path."""
    deal = " ".join(rank + suit for suit in "CDHS" for rank in "23456789TJQKA")
    text = [
        '{ "cardtable": 2, "id": "mine", "game": "rikiki", "created": "", "seed": 1, "options": {}, "why": [1.50],'
        ' "seats": [{"name": "Anna"}, {"name": "Bo", "robot": "steady"}, {"name": "Cy"}, {"name": "Dee"}] }',
        '{"chance": "deal ' + deal + '"}  ',
        '{"seat": 0, "action": "bid 0", "thought": "hm"}',
    ]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "mine.jsonl"
    path.write_text("\n".join(text) + ending, encoding="utf-8")
    return path


def test_unsealed_journal_stays_unsealed(tmp_path):
    path = write_unsealed_journal(tmp_path)
    before = path.read_bytes()
    session = sessions.resume(path)
    play_randomly(session.referee, Random(1), 2)
    session.close()
    data = path.read_bytes()
    assert data.startswith(before)
    assert b'"crc"' not in data
    assert capture_views(sessions.resume(path).referee) == capture_views(session.referee)


def test_copy_of_unsealed_journal_is_sealed(tmp_path):
    path = write_unsealed_journal(tmp_path)
    session = sessions.fork(path)
    copied = split_lines(session.path.read_bytes())
    assert all(b'"crc":"' in line for line in copied)
    assert b'"thought": "hm"' in copied[2]
    header = json.loads(copied[0])
    assert header["why"] == [1.5]
    assert header["from"] == {"id": "mine", "line": 3}


# --- copies


def test_copy_has_new_id_and_same_lines(short):
    path = create_unfinished_journal()
    session = sessions.fork(path)
    before, after = journal.read(path.read_bytes()), journal.read(session.path.read_bytes())
    assert session.path.parent == paths.sessions_folder()
    assert after.header.id == session.header.id != before.header.id
    assert after.header.origin == Origin(before.header.id, len(before.entries) + 1)
    assert session.notice is None
    assert after.header.seats == before.header.seats
    assert [entry.body for entry in after.entries] == [entry.body for entry in before.entries]
    kinds = {type(entry.line) for entry in after.entries}
    assert kinds == {*journal.KINDS.values()} - {journal.ForfeitLine, journal.LostLine, journal.ResultLine}


def test_seats_of_a_copy_replace_former_occupants(short):
    path = create_unfinished_journal()
    assert sessions.open_read_only(path).header.seats[1] == Occupant("Dee", "novice")
    others = (Occupant("Cy", "steady"), Occupant("Ada", "steady"), Occupant("Anna"), Occupant("Bo", "steady"))
    session = sessions.fork(path, seats=others)
    assert session.header.seats == others
    session.close()
    assert sessions.open_read_only(session.path).header.seats == others
    assert summaries.summarize(session.path).header.seats == others


def test_copy_of_the_first_lines(short):
    path = create_unfinished_journal()
    session = sessions.fork(path, 4)
    read = journal.read(session.path.read_bytes())
    assert read.header.origin.line == 4
    assert [entry.body for entry in read.entries] == [e.body for e in journal.read(path.read_bytes()).entries[:3]]
    assert sessions.fork(path, 1).referee.turn == CHANCE
    for wrong in (0, -1, 1000):
        with pytest.raises(FileError, match="lines to copy"):
            sessions.fork(path, wrong)


def test_copy_of_torn_journal_has_a_notice(short):
    path = create_unfinished_journal()
    torn = path.read_bytes()[:-3]
    path.write_bytes(torn)
    session = sessions.fork(path)
    assert "incomplete" in session.notice
    assert len(split_lines(session.path.read_bytes())) == len(split_lines(torn)) - 1
    assert path.read_bytes() == torn
    assert sessions.fork(path, 4).notice is None, "the incomplete line was not to be copied"


def test_copy_of_damaged_journal_up_to_last_good_line(short):
    path = create_unfinished_journal()
    lines = split_lines(path.read_bytes())
    path.write_bytes(b"".join([*lines[:6], *lines[7:]]))
    for too_many in (None, 7):
        with pytest.raises(DamagedJournal, match=r"\.jsonl:7: the checksum is wrong"):
            sessions.fork(path, too_many)
    assert len(split_lines(sessions.fork(path, 6).path.read_bytes())) == 6


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ({"game": "whist"}, "the game 'whist' is not installed"),
        ({"options": {"speed": "fast"}}, "no option is called 'speed'"),
        ({"seats": (Occupant("Anna"),)}, "not for 1 seats"),
        ({"seats": (Occupant("Anna"), *[Occupant("Bo", "genius")] * 3)}, "no robot is called 'genius'"),
        ({"cardtable": 9}, "written by a newer version"),
        ({"cardtable": 1}, "written by an older version of cardtable"),
    ],
)
def test_unsupported_header_is_reported_and_unchanged(header, message):
    session = create_session()
    session.close()
    session.path.write_bytes(journal.encode(msgspec.structs.replace(session.header, **header)))
    before = session.path.read_bytes()
    for function in (sessions.resume, sessions.fork):
        with pytest.raises(FileError, match=message):
            function(session.path)
    assert session.path.read_bytes() == before


def test_full_journal_refuses_lines_and_stays_readable(monkeypatch):
    monkeypatch.setattr(sessions, "MAX_SESSION_BYTES", 2000)
    session = create_session()
    session.referee.advance()
    with suppress(CardtableError):
        for _ in range(100):
            session.referee.say("x" * 100)
    with pytest.raises(CardtableError, match="the session is full"):
        session.referee.say("x" * 100)
    assert session.path.stat().st_size <= 2000
    session.close()
    assert sessions.resume(session.path).referee.round == 1


def test_hostile_names_are_sanitized():
    session = create_session()
    session.close()
    read = journal.read(session.path.read_bytes())
    names = ["\x1b]52;c;AAAA\x07", "\u202eevil", "x" * 500, "Dee"]
    header = msgspec.structs.replace(read.header, seats=tuple(map(Occupant, names)))
    session.path.write_bytes(journal.encode(header))
    before = session.path.read_bytes()
    for sanitized in (sessions.resume(session.path).header, summaries.list_unfinished()[0].header):
        seat_names = [occupant.name for occupant in sanitized.seats]
        assert seat_names[0] == "\ufffd]52;c;AAAA\ufffd"
        assert seat_names[1] == "\ufffdevil"
        assert len(seat_names[2]) == 24
    assert session.path.read_bytes() == before


def test_abandoned_sessions_are_restored_in_reverse_order():
    stack = AbandonedStack()
    stack.restore_last()  # nothing to restore
    first, second = create_unfinished_journal(), create_unfinished_journal()
    for path in (first, second):
        stack.abandon(path)
        assert not path.exists()
    stack.restore_last()
    assert (first.exists(), second.exists()) == (False, True)
    assert stack.last == paths.archive_folder() / first.name
    stack.restore_last()
    assert first.exists()
    assert stack.last is None


def test_failed_restoring_can_be_repeated(monkeypatch):
    stack, path = AbandonedStack(), create_unfinished_journal()
    stack.abandon(path)
    failing = FaultyDisk(monkeypatch).failing(0, errno.EIO, lasting=True, only=("rename", "link"))
    with failing, pytest.raises(CardtableError):
        stack.restore_last()
    assert stack.last == paths.archive_folder() / path.name
    stack.restore_last()
    assert path.exists()


# --- unfinished sessions in the picker: watch, rename, abandon and restore


SESSION_HOLDER = """
import sys
from pathlib import Path
from cardtable.store import sessions
session = sessions.resume(Path(sys.argv[1]))
print(session.read_only_reason, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def open_elsewhere():
    """Function that opens a session in another program."""
    begun = []

    def open_session(path):
        program = subprocess.Popen(
            [sys.executable, "-c", SESSION_HOLDER, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        begun.append(program)
        assert program.stdout.readline() == "None\n"

    yield open_session
    for program in begun:
        program.communicate("")


def get_only_summary():
    """Return the summary of the only unfinished session."""
    [summary] = summaries.list_unfinished()
    return summary


def test_abandon_and_restore_session(short):
    path = create_unfinished_journal()
    before = path.read_bytes()
    archived = sessions.abandon(path)
    assert archived == paths.archive_folder() / path.name
    assert summaries.list_unfinished() == []
    [abandoned] = archive_index.list_finished()
    assert (abandoned.state, abandoned.path, abandoned.ranks) == ("abandoned", archived, None)
    assert sessions.restore(archived) == path
    assert path.read_bytes() == before
    assert get_only_summary().state == "open"
    assert archive_index.list_finished() == []


def test_session_open_elsewhere_is_not_abandoned_or_renamed(open_elsewhere):
    path = create_unfinished_journal()
    open_elsewhere(path)
    for refused in (sessions.abandon, lambda path: sessions.rename(path, "Friday")):
        before = path.read_bytes()
        with pytest.raises(CardtableError, match="it is open in another program"):
            refused(path)
        assert path.read_bytes() == before
    assert paths.list_files(paths.archive_folder(), "") == []


def test_resume_during_abandon_is_refused(short, monkeypatch):
    path = create_unfinished_journal()
    lock = atomic_io.lock

    def moved_meanwhile(descriptor):
        monkeypatch.undo()
        paths.create_folder(paths.archive_folder())
        path.rename(paths.archive_folder() / path.name)
        return lock(descriptor)

    monkeypatch.setattr(atomic_io, "lock", moved_meanwhile)
    with pytest.raises(CardtableError, match="That session was abandoned: it is in the archive"):
        sessions.resume(path)


def test_crash_during_abandon_leaves_one_whole_journal(short, monkeypatch):
    path = create_unfinished_journal()
    before = path.read_bytes()
    rename = type(path).rename

    def crash(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as broken:
        broken.setattr(type(path), "rename", crash)
        with pytest.raises(KeyboardInterrupt):
            sessions.abandon(path)
    assert path.read_bytes() == before

    with monkeypatch.context() as broken:
        broken.setattr(type(path), "rename", lambda *arguments: (rename(*arguments), crash()))
        with pytest.raises(KeyboardInterrupt):
            sessions.abandon(path)
    [archived] = paths.list_files(paths.archive_folder(), ".jsonl")
    assert (archived.read_bytes(), path.exists()) == (before, False)


def test_abandon_keeps_damaged_journal_unchanged(short):
    path = create_unfinished_journal()
    path.write_bytes(path.read_bytes().replace(b'"action"', b'"acting"', 1))
    before = path.read_bytes()
    assert sessions.abandon(path).read_bytes() == before


def test_error_for_session_moved_by_another_program(short):
    session = create_closed_session()
    over, abandoned = paths.sessions_folder() / session.path.name, create_unfinished_journal()
    archived = sessions.abandon(abandoned)
    for path, state in ((over, "is over: it is in the archive"), (abandoned, "was abandoned: it is in the archive")):
        for function in (
            sessions.resume,
            sessions.abandon,
            sessions.open_read_only,
            lambda gone: sessions.rename(gone, "Friday"),
        ):
            with pytest.raises(CardtableError, match=rf"^That session {state}$"):
                function(path)
    sessions.restore(archived)
    with pytest.raises(CardtableError, match=r"^That session was restored: it is among the tables$"):
        sessions.restore(archived)


def test_rename_keeps_last_played_time(short):
    path = create_unfinished_journal()
    set_last_played(path, 1e9)
    for name, expected in (("  Friday ", "Friday"), ("Saturday", "Saturday"), ("", "")):
        sessions.rename(path, name)
        assert (get_only_summary().name, get_only_summary().played) == (expected, 1e9)
    names = [line.name for line in select_lines(journal.NameLine, journal.read(path.read_bytes()))]
    assert names[-3:] == ["Friday", "Saturday", ""]


def test_table_name_is_sanitized_and_shortened(short):
    path = create_unfinished_journal()
    sessions.rename(path, "\x1b[31m[b]\u202e" + "x" * 500)
    name = get_only_summary().name
    assert name.startswith("[31m[b]\ufffdxx")
    assert len(name) == 24
    assert "\u202e" in path.read_text(encoding="utf-8"), "it is kept as it was typed, and cleaned where it is shown"
    sessions.rename(path, "\ud800")
    assert get_only_summary().name == ""


def test_open_read_only_changes_and_locks_nothing(short):
    path = create_unfinished_journal()
    path.write_bytes(path.read_bytes() + b'{"torn')
    before = path.read_bytes()
    reader = sessions.open_read_only(path)
    assert reader.read_only_reason == "it is open for reading only"
    with pytest.raises(CardtableError, match="it is open for reading only"):
        reader.referee.say("hello")
    assert sorted(paths.sessions_folder().iterdir()) == [path]
    assert path.read_bytes() == before
    playing = sessions.resume(path)
    assert playing.read_only_reason is None
    assert sessions.open_read_only(path).referee.round == playing.referee.round
    reader.close()


def test_summary_is_cached_until_file_changes(short, monkeypatch):
    path = create_unfinished_journal()
    first = get_only_summary()
    with monkeypatch.context() as unread:
        unread.setattr("cardtable.store.session_files.read_session", lambda path: pytest.fail("it was read again"))
        assert get_only_summary() is first
    sessions.rename(path, "Friday")
    assert get_only_summary().name == "Friday"
