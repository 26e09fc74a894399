"""Time of last play, computed from the content of a journal."""

import os
from random import Random

import pytest

from cardtable.engine import journal
from cardtable.engine.journal import ActionLine, Header, NameLine, Occupant, OccupantLine, Origin, ResultLine, TalkLine
from cardtable.store import paths, score_tables, sessions, summaries
from cardtable.store.session_files import find_last_played, parse_creation_time
from tests.journal_times import format_iso
from tests.store.playing import create_session, play_randomly
from tests.store.test_score_tables import create_score_table as begin_scores

CREATED = 1_795_422_000
MINUTE, DAY = 60, 86400


def make_journal(*lines, version=2, **changes):
    """Return a journal with these lines, created at `CREATED`."""
    head = {
        "cardtable": version, "id": "x", "game": "rikiki", "created": format_iso(CREATED), "seed": 1, "options": {},
        "seats": (Occupant("Anna"),),
    }  # fmt: skip
    return journal.encode(Header(**{**head, **changes}), lines)


def make_bid(at, **more):
    return ActionLine(0, "bid 0", at=at, **more)


TALK = [NameLine("Friday", at=5, when=CREATED + DAY), TalkLine(text="hello", at=9)]
END = ResultLine(journal.SessionResult((0,), (1,)), at=70, when=CREATED + 2 * DAY)
COPIED = [make_bid(100, when=CREATED - DAY), make_bid(200)]
COPY = {"origin": Origin("y", 3)}


@pytest.mark.parametrize(
    ("lines", "changes", "expected"),
    [
        pytest.param([], {}, 0, id="new"),
        pytest.param([make_bid(5), make_bid(90.9)], {}, 90, id="open seconds"),
        pytest.param(
            [make_bid(1, when=CREATED + 1), make_bid(50), make_bid(51, when=CREATED + DAY), make_bid(60), make_bid(71)],
            {},
            DAY + 20,
            id="seconds from the latest opening time",
        ),
        pytest.param(
            [make_bid(1, when=CREATED), END, TalkLine(text="well played", at=99)],
            {},
            2 * DAY,
            id="end line with own time",
        ),
        pytest.param([make_bid(1, when=CREATED), make_bid(4), *TALK], {}, 3, id="talk and names are no play"),
        pytest.param([make_bid(1, when=CREATED), *TALK, make_bid(10)], {}, DAY + 5, id="talk sets the reference time"),
        pytest.param([make_bid(1), OccupantLine(0, "Bo", robot="steady", at=30)], {}, 30, id="seat change"),
        pytest.param(COPIED, COPY, 0, id="only copied lines"),
        pytest.param([*COPIED, make_bid(210)], COPY, 10, id="seconds after copied lines"),
        pytest.param([*COPIED, make_bid(210, when=CREATED + DAY)], COPY, DAY, id="time after copied lines"),
        pytest.param([make_bid(1, when=99), make_bid(7)], {}, 7, id="time before creation"),
        pytest.param([make_bid(7)], {"created": "yesterday"}, 7 - CREATED, id="invalid creation time"),
        pytest.param([make_bid(7, when=CREATED), make_bid(9)], {"created": ""}, 2, id="no creation time"),
    ],
)
def test_last_played_after_creation(lines, changes, expected):
    assert find_last_played(make_journal(*lines, **changes)) == CREATED + expected


def test_creation_day_alone_is_understood():
    assert find_last_played(make_journal(created="2026-11-23")) > 0


@pytest.mark.parametrize("data", [b"", b"\n\n", b"\xff\xfe\n[]\n", b'{"created":5}\n{"at":"x","when":true,"undo":1}\n'])
def test_invalid_journal_was_never_played(data):
    assert find_last_played(data) == 0


def test_damaged_and_torn_lines_are_skipped():
    data = make_journal(make_bid(1, when=CREATED + 5), make_bid(3))
    assert find_last_played(data + b'{"seat":0,"act\n' + b'{"seat":0,"action":"bid 0","at":999') == CREATED + 7


# In the folders


def list_times(path):
    return [entry.line.when for entry in journal.read(path.read_bytes()).entries]


@pytest.fixture
def clock(monkeypatch):
    """Clock that a test sets."""
    times = [float(CREATED)]
    monkeypatch.setattr(sessions, "time", lambda: times[0])
    monkeypatch.setattr(score_tables, "time", lambda: times[0])
    return times


def test_time_is_on_first_line_after_opening_and_on_end_line(short, clock):
    session = create_session()
    play_randomly(session.referee, Random(1), 3)
    session.close()
    first = list_times(session.path)
    assert first == [CREATED, *[None] * (len(first) - 1)]
    clock[0] += DAY + 0.75
    session = sessions.resume(session.path)
    session.referee.say("again")
    clock[0] += MINUTE
    play_randomly(session.referee, Random(1), 1000)
    session.close()
    times = list_times(session.path)
    later = [CREATED + DAY, *[None] * (len(times) - len(first) - 2), CREATED + DAY + MINUTE]
    assert times == [*first, *later]
    assert summaries.summarize(session.path).played == CREATED + DAY + MINUTE


def test_opening_a_session_does_not_change_its_file(clock):
    session = create_session()
    play_randomly(session.referee, Random(1), 3)
    session.close()
    before = session.path.read_bytes()
    clock[0] += DAY
    sessions.resume(session.path).close()
    sessions.open_read_only(session.path).close()
    assert session.path.read_bytes() == before


def test_file_modification_times_are_ignored(clock):
    paths_of = []
    for _ in range(3):
        session = create_session()
        play_randomly(session.referee, Random(1), 3)
        session.close()
        paths_of.append(session.path)
        clock[0] += MINUTE
    newest_first = paths_of[::-1]
    for path, seconds in zip(paths_of, (3e8, 2e8, 1e8), strict=True):
        os.utime(path, (seconds, seconds))
    assert [summary.path for summary in summaries.list_unfinished()] == newest_first


def test_rounds_of_score_table_have_times(clock):
    clock[0] += DAY
    opened = begin_scores()
    opened.enter_round({"contract": "kiz", "taken": (4, 0, 0, 0)})
    clock[0] += MINUTE
    opened.rename("Friday")
    opened.close()
    assert paths.sessions_folder() == opened.path.parent
    assert summaries.summarize(opened.path).played == CREATED + DAY


@pytest.mark.parametrize("created", ["", "yesterday", "2026-13-45T99:99:99Z", "1815-06-18T11:00:00Z", "0001-01-01"])
def test_invalid_creation_time_is_parsed_as_zero(created):
    assert parse_creation_time(created) == 0
