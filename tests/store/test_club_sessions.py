"""Sessions of this home's club: resume, fork, repair and rename."""

import errno
import re
from random import Random

import pytest
from msgspec.structs import replace

from cardtable.engine import journal
from cardtable.engine.errors import CardtableError
from cardtable.engine.journal import MarkLine, Occupant, TalkLine
from cardtable.games import GAMES, KEYS
from cardtable.store import paths, sessions, summaries, visibility
from cardtable.store.errors import NotSaved
from cardtable.store.visibility import PlayedAtClub
from cardtable.testing.cases import play_random_action
from tests.journal_lines import HOSTILE_TALK, select_lines
from tests.records.archive_sessions import archive_journal, make_header, play_at_random
from tests.store.disk_faults import FaultyDisk
from tests.store.playing import CLUB_ID, NOW, split_lines

SHORT_OPTIONS = {"rummy": {"limit": 500}}


def create_second_round_journal(game="gurka", host=CLUB_ID, now=NOW):
    """Return the path of a session of two people and robots in its second round."""
    about, rng = GAMES[game], Random(1)
    seats = [Occupant("Anna"), Occupant("Cara"), Occupant("Bo", "steady"), Occupant("Cy", "steady")][
        : about.about.usual_seats
    ]
    while True:
        session = sessions.create(about, seats, about.options(**SHORT_OPTIONS.get(game, {})), 7, now=now, host_id=host)
        while not session.referee.scores:
            play_random_action(session.referee, rng)
        session.referee.advance()
        session.close()
        if not session.referee.ended:
            return session.path
        session.path.unlink()  # deals of a club do not follow from the seed, and Bridge can end after one round


@pytest.mark.parametrize("game", KEYS)
def test_fork_at_finished_round_gets_new_seed(game):
    path = create_second_round_journal(game)
    read = journal.read(path.read_bytes())
    finished = 1 + visibility.count_finished_entries(read)
    for number in (None, len(read.entries) + 1, finished + 1):
        with pytest.raises(PlayedAtClub):
            sessions.fork(path, number)
    copied = sessions.fork(path, finished)
    copied.referee.advance()
    deals = [line for line in split_lines(copied.path.read_bytes()) if b'"deal ' in line]
    before = [line for line in split_lines(path.read_bytes()) if b'"deal ' in line]
    assert deals[0].split(b",")[0] == before[0].split(b",")[0]
    assert deals[1].split(b",")[0] != before[1].split(b",")[0]
    assert (copied.header.host, copied.header.seed == 7) == (None, False)


def test_damaged_club_session_is_repaired_for_the_club_only():
    path = create_second_round_journal()
    whole = split_lines(path.read_bytes())
    path.write_bytes(b"".join([*whole, whole[-1], whole[-1]]))
    with pytest.raises(PlayedAtClub, match=r"the lines before the damage are now session \S+; open the club") as error:
        sessions.fork(path, len(whole))
    id_ = re.search(r"now session (\S+);", str(error.value))[1]
    repaired = summaries.summarize_full(paths.sessions_folder() / f"{id_}.jsonl")
    assert repaired.is_club_only
    assert repaired.header.host == CLUB_ID
    session = sessions.resume_at_club(repaired.path)
    assert session.read_only_reason is None
    assert session.referee.randomness is not None


def test_home_session_resumed_at_club_is_club_only():
    path = create_second_round_journal(host=None)
    assert not summaries.summarize(path).is_club_only
    for _ in range(2):
        session = sessions.resume_at_club(path)
        session.close()
    assert [line.mark for line in select_lines(MarkLine, journal.read(path.read_bytes()))] == ["at-club"]
    assert summaries.summarize(path).is_club_only
    assert session.referee.randomness is None, "an open journal keeps its rule"
    for function in (sessions.resume, sessions.open_read_only, sessions.fork):
        with pytest.raises(PlayedAtClub):
            function(path)


def test_club_never_resumes_copy_of_a_guest():
    path = create_second_round_journal(host=None)
    read = journal.read(path.read_bytes())
    copy = journal.encode(replace(read.header, club="example.org"), [entry.line for entry in read.entries])
    path.write_bytes(copy)
    with pytest.raises(CardtableError, match="played at a club and cannot be continued here"):
        sessions.resume_at_club(path)
    assert path.read_bytes() == copy


def test_rename_and_abandon_club_session_at_home():
    path = create_second_round_journal()
    sessions.rename(path, "Friday")
    assert summaries.summarize(path).name == "Friday"
    archived = sessions.abandon(path)
    assert summaries.summarize(archived).is_club_only
    for function in (sessions.resume, sessions.open_read_only, sessions.fork):
        with pytest.raises(PlayedAtClub):
            function(archived)
    assert sessions.resume_at_club(sessions.restore(archived)).read_only_reason is None


def test_failed_reveal_opens_no_hands(monkeypatch):
    path = create_second_round_journal()
    disk = FaultyDisk(monkeypatch)
    with disk.failing(0, errno.ENOSPC, lasting=True), pytest.raises(CardtableError, match="No space left"):
        sessions.reveal_hands(path)
    assert summaries.summarize_full(path).is_club_only


@pytest.mark.parametrize(
    ("line", "marks"),
    [
        (MarkLine("at-club", at=0), {"at-club"}),
        (MarkLine("private", at=0), {"private"}),
        *[(TalkLine(text=text, seat=seat, at=0), set()) for text in HOSTILE_TALK for seat in (None, 0)],
    ],
)
@pytest.mark.parametrize("version", [2, 3])
def test_finished_session_has_the_marks_of_its_club(line, marks, version):
    head, lines = replace(make_header("gurka", "Anna Bob steady steady"), cardtable=version), []
    play_at_random(head, lines)
    path = archive_journal(head, [line, *lines])
    for summary in (summaries.summarize_full(path), summaries.summarize_fast(path)):
        assert summary.marks == marks


def test_session_resumed_at_club_refuses_unsaved_lines(monkeypatch):
    session = sessions.resume_at_club(create_second_round_journal())
    with FaultyDisk(monkeypatch).failing(0, errno.ENOSPC, lasting=True), pytest.raises(NotSaved):
        session.referee.say("one")
    session.referee.say("two")
    lines = [line.text for line in select_lines(TalkLine, session.journal())]
    assert lines[-1] == "two"
    assert "one" not in lines


def test_refused_copy_of_a_club_session_is_not_stored():
    path = create_second_round_journal()
    with pytest.raises(PlayedAtClub, match=r"^this session is played at the club: open the club to continue"):
        sessions.fork(path)
    assert list(paths.sessions_folder().glob("*.jsonl")) == [path]
