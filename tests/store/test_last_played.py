"""When a session was played last follows from what its file holds."""

import os
from random import Random

import msgspec
import pytest

from cardtable.engine import journal
from cardtable.engine.journal import Header, Line, Occupant, Origin
from cardtable.store import paths, score_tables, sessions, summaries
from cardtable.store.journal_scan import find_last_played, parse_creation_time
from tests.played_at import iso
from tests.store.playing import begin, play, unfinished
from tests.store.test_score_tables import begin as begin_scores

CREATED = 1_795_422_000
MINUTE, DAY = 60, 86400


def written(*lines, version=2, **changes):
    """A session that was begun at ``CREATED``, whose lines say these things."""
    head = {
        "cardtable": version, "id": "x", "game": "rikiki", "created": iso(CREATED), "seed": 1, "options": {},
        "seats": (Occupant("Anna"),),
    }  # fmt: skip
    return journal.encode([Header(**{**head, **changes}), *lines])


def plays(at, **more):
    return Line(seat=0, action="bid 0", at=at, **more)


def test_nothing_has_happened_since_it_was_begun():
    assert find_last_played(written()) == CREATED


@pytest.mark.parametrize("version", [1, 2])
def test_without_any_time_it_is_as_old_as_its_beginning_and_the_seconds_it_was_open_say(version):
    assert find_last_played(written(plays(5), plays(90.9), version=version)) == CREATED + 90


def test_after_each_opening_seconds_are_counted_from_its_time():
    lines = [plays(1, when=CREATED + 1), plays(50), plays(51, when=CREATED + DAY), plays(60), plays(71)]
    assert find_last_played(written(*lines)) == CREATED + DAY + 20


def test_the_end_says_it_itself():
    end = Line(end=journal.SessionResult((0,), (1,)), at=70, when=CREATED + 2 * DAY)
    assert find_last_played(written(plays(1, when=CREATED), end, Line(say="well played", at=99))) == CREATED + 2 * DAY


def test_talk_and_names_are_no_play_but_tell_the_time_of_what_follows():
    talk = [Line(name="Friday", at=5, when=CREATED + DAY), Line(say="hello", at=9)]
    assert find_last_played(written(plays(1, when=CREATED), plays(4), *talk)) == CREATED + 3
    assert find_last_played(written(plays(1, when=CREATED), *talk, plays(10))) == CREATED + DAY + 5


def test_who_sits_down_plays():
    assert find_last_played(written(plays(1), Line(sit=0, name="Bo", robot="steady", at=30))) == CREATED + 30


def test_what_was_copied_was_played_in_another_session():
    copied = [plays(100, when=CREATED - DAY), plays(200)]
    assert find_last_played(written(*copied, origin=Origin("y", 3))) == CREATED
    assert find_last_played(written(*copied, plays(210), origin=Origin("y", 3))) == CREATED + 10
    assert find_last_played(written(*copied, plays(210, when=CREATED + DAY), origin=Origin("y", 3))) == CREATED + DAY


def test_a_time_before_the_session_was_begun_says_nothing():
    assert find_last_played(written(plays(1, when=99), plays(7))) == CREATED + 7


def test_a_beginning_that_is_no_time_leaves_what_the_lines_say():
    assert find_last_played(written(plays(7), created="yesterday")) == 7
    assert find_last_played(written(plays(7, when=CREATED), plays(9), created="")) == CREATED + 2
    assert find_last_played(written(created="2026-11-23")) > 0, "a day alone, by hand"


@pytest.mark.parametrize("data", [b"", b"\n\n", b"\xff\xfe\n[]\n", b'{"created":5}\n{"at":"x","when":true,"undo":1}\n'])
def test_what_is_no_journal_was_never_played(data):
    assert find_last_played(data) == 0


def test_damage_and_a_torn_line_are_passed_over():
    data = written(plays(1, when=CREATED + 5), plays(3))
    assert find_last_played(data + b'{"seat":0,"act\n' + b'{"seat":0,"action":"bid 0","at":999') == CREATED + 7


# In the folders


def when_told(path):
    return [entry.line.when for entry in journal.read(path.read_bytes()).entries]


@pytest.fixture
def now(monkeypatch):
    """A clock that goes on when a test says so."""
    times = [float(CREATED)]
    monkeypatch.setattr(sessions, "time", lambda: times[0])
    monkeypatch.setattr(score_tables, "time", lambda: times[0])
    return times


def test_the_time_stands_on_the_first_line_after_each_opening_and_on_the_end(short, now):
    session = begin()
    play(session.referee, Random(1), 3)
    session.close()
    first = when_told(session.path)
    assert first == [CREATED, *[None] * (len(first) - 1)]
    now[0] += DAY + 0.75
    session = sessions.resume(session.path)
    session.referee.say("again")
    now[0] += MINUTE
    play(session.referee, Random(1), 1000)
    session.close()
    told = when_told(session.path)
    later = [CREATED + DAY, *[None] * (len(told) - len(first) - 2), CREATED + DAY + MINUTE]
    assert told == [*first, *later]
    assert summaries.summarize(session.path).played == CREATED + DAY + MINUTE


def test_looking_at_a_session_does_not_make_it_younger(now):
    session = begin()
    play(session.referee, Random(1), 3)
    session.close()
    before = session.path.read_bytes()
    now[0] += DAY
    sessions.resume(session.path).close()
    sessions.open_read_only(session.path).close()
    assert session.path.read_bytes() == before


def test_a_session_of_version_1_stays_one_and_old_programs_can_read_on(now):
    path = unfinished()
    read = journal.read(path.read_bytes())
    lines = [msgspec.structs.replace(entry.line, when=None) for entry in read.entries if entry.line.sit is None]
    path.write_bytes(journal.encode([msgspec.structs.replace(read.header, cardtable=1), *lines]))
    now[0] += DAY
    session = sessions.resume(path)
    play(session.referee, Random(1), 2)
    session.close()
    read = journal.read(path.read_bytes())
    assert read.header.cardtable == 1
    assert {entry.line.when for entry in read.entries} == {None}, "in version 1 the member means nothing"
    assert b'"when":' in path.read_bytes(), "but whoever knows it sees when it was played last"
    assert summaries.summarize(path).played >= CREATED + DAY


def test_times_of_files_are_never_asked(now):
    paths_of = []
    for _ in range(3):
        session = begin()
        play(session.referee, Random(1), 3)
        session.close()
        paths_of.append(session.path)
        now[0] += MINUTE
    newest_first = paths_of[::-1]
    for path, seconds in zip(paths_of, (3e8, 2e8, 1e8), strict=True):
        os.utime(path, (seconds, seconds))
    assert [summary.path for summary in sessions.list_unfinished()] == newest_first


def test_a_score_table_tells_it_with_every_round(now):
    now[0] += DAY
    opened = begin_scores()
    opened.enter_round({"contract": "kiz", "taken": (4, 0, 0, 0)})
    now[0] += MINUTE
    opened.rename("Friday")
    opened.close()
    assert paths.sessions_folder() == opened.path.parent
    assert summaries.summarize(opened.path).played == CREATED + DAY


@pytest.mark.parametrize("created", ["", "yesterday", "2026-13-45T99:99:99Z", "1815-06-18T11:00:00Z", "0001-01-01"])
def test_header_without_a_time_that_can_be(created):
    assert parse_creation_time(created) == 0
