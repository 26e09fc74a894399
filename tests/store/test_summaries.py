"""Summaries of sessions, and sessions found by name."""

import os
from random import Random

import msgspec
import pytest

from cardtable.engine import journal
from cardtable.engine.errors import CardtableError
from cardtable.engine.journal import ActionLine, Header, NameLine, Occupant, OccupantLine, Origin, ResultLine, TalkLine
from cardtable.games import KEYS
from cardtable.store import archive_index, paths, score_tables, session_files, sessions, summaries
from cardtable.store.session_files import find_last_played, parse_creation_time
from tests.journal_times import format_iso, set_last_played
from tests.store.playing import (
    create_finished_journal,
    create_session,
    create_unfinished_journal,
    play_every_line_kind,
    play_randomly,
    split_lines,
)


def write_journal(folder, id_, data, played=None):
    """Write a journal with this id, last played at a given time; return its path."""
    paths.create_folder(folder)
    path = folder / f"{id_}.jsonl"
    path.write_bytes(data)
    if played is not None:
        set_last_played(path, played)
    return path


def replace_id(id_, data):
    """Return the same journal under another session id."""
    read = journal.read(data)
    return journal.encode(msgspec.structs.replace(read.header, id=id_), [entry.line for entry in read.entries])


@pytest.mark.parametrize("game", KEYS)
def test_summary_of_unfinished_session(game):
    session = create_session(game)
    play_randomly(session.referee, Random(1), 20)
    session.close()
    (summary,) = summaries.list_unfinished()
    assert summary.id == session.header.id
    assert summary.path == session.path
    assert summary.header == session.header
    assert (summary.state, summary.ranks, summary.error) == ("open", None, None)
    assert (summary.round, summary.totals) == (session.referee.round, session.referee.totals)
    assert summary.round >= 1
    assert summary.played == find_last_played(session.path.read_bytes())
    assert archive_index.list_finished() == []


def test_forfeited_session_is_listed_as_over():
    session = create_session("rummy", clock=5)
    play_randomly(session.referee, Random(1), 30)
    loser, number = session.referee.turn, session.referee.round
    session.referee.forfeit(loser, "clock")
    session.close()
    assert session.path.parent == paths.archive_folder()
    ranks = tuple(1 + (seat == loser) for seat in range(2))
    (summary,) = archive_index.list_finished()
    assert (summary.state, summary.ranks, summary.round) == ("over", ranks, number)
    with pytest.raises(CardtableError, match="over"):
        sessions.resume(session.path)


def test_talk_after_end_line_does_not_hide_result(short):
    session = create_session()
    play_every_line_kind(session)
    for _ in range(50):
        session.referee.say('thanks "chance":"deal {"end":')
    session.close()
    (summary,) = archive_index.list_finished()
    assert (summary.round, summary.totals) == (2, session.referee.totals)


def test_end_line_with_spaces_is_found(short):
    read = journal.read(create_finished_journal())
    header_body = read.header_body.replace(read.header.id.encode(), b"hand")
    text = [header_body, *[entry.body.replace(b":", b": ", 1) for entry in read.entries], b""]
    for path in paths.archive_folder().iterdir():
        path.unlink()
    write_journal(paths.archive_folder(), "hand", b"\n".join(text))
    (summary,) = archive_index.list_finished()
    assert (summary.id, summary.state, summary.round) == ("hand", "over", 2)


def test_finished_session_without_end_line_is_unfinished(short):
    data = b"".join(split_lines(create_finished_journal())[:-1])
    path = write_journal(paths.sessions_folder(), "killed", replace_id("killed", data))
    (summary,) = summaries.list_unfinished()
    assert (summary.path, summary.state, len(summary.ranks)) == (path, "over", 4)


def make_broken_journals(data):
    """Return journals that cannot be opened."""
    return {
        "empty": b"",
        "noise": b"\xff\0\n" * 50,
        "cut-in-header": data[:20],
        "damaged": b"".join([*split_lines(data)[:4], *split_lines(data)[5:]]),
        "newer": data.replace(b'"cardtable":4', b'"cardtable":9', 1),
        "older": data.replace(b'"cardtable":4', b'"cardtable":1', 1),
    }


@pytest.mark.parametrize("folder", [paths.sessions_folder, paths.archive_folder])
def test_broken_journals_are_listed_with_their_errors(short, folder):
    listed = summaries.list_unfinished if folder is paths.sessions_folder else archive_index.list_finished
    data = create_unfinished_journal().read_bytes()
    for path in paths.sessions_folder().iterdir():
        path.unlink()
    broken = {write_journal(folder(), id_, bad): bad for id_, bad in make_broken_journals(data).items()}
    write_journal(folder(), "good", replace_id("good", data), 10**9)
    by_id = {summary.id: summary for summary in listed()}
    assert set(by_id) == {*make_broken_journals(data), "good"}
    assert by_id["good"].error is None
    for id_ in make_broken_journals(data):
        assert by_id[id_].header is None
        assert by_id[id_].error
        assert f"{id_}.jsonl" in by_id[id_].error
    assert "written by a newer version" in by_id["newer"].error
    assert "written by an older version of cardtable" in by_id["older"].error
    assert ":5: the checksum is wrong" in by_id["damaged"].error
    for path, bad in broken.items():
        assert path.read_bytes() == bad


def test_wrong_end_line_is_reported(short):
    """A finished journal whose end does not fit its seats is replayed as a whole."""
    data = create_finished_journal()
    read = journal.read(data)
    body = [entry.line for entry in read.entries[:-1]]
    end = read.entries[-1].line.result
    lying = journal.encode(read.header, [*body, ResultLine(type(end)((1, 2), (1, 2), 0), at=1)])
    for path in paths.archive_folder().iterdir():
        path.unlink()
    write_journal(paths.archive_folder(), "lying", lying)
    (summary,) = archive_index.list_finished()
    assert "the final totals are not the sum of the rounds" in summary.error


def test_finished_sessions_are_not_replayed(short, monkeypatch):
    data = create_finished_journal()
    for number in range(20):
        write_journal(paths.archive_folder(), f"n{number}", replace_id(f"n{number}", data))
    monkeypatch.setattr(session_files, "replay_journal", None)
    assert len(archive_index.list_finished()) == 21


# --- names


def test_find_path_by_id_or_unique_prefix():
    one = write_journal(paths.sessions_folder(), "20261120-083728-rikiki-7f3a", b"")
    two = write_journal(paths.archive_folder(), "20261119-193200-rikiki-11bb", b"")
    three = write_journal(paths.archive_folder(), "20261119-193200-rikiki-11bb00", b"")
    assert summaries.find_path("20261120") == one
    assert summaries.find_path(one.stem) == one
    assert summaries.find_path("20261119-193200-rikiki-11bb") == two
    assert summaries.find_path("20261119-193200-rikiki-11bb0") == three
    for name, message in (
        ("2026", "several sessions begin with '2026'"),
        ("2025", "no session begins with '2025'"),
        ("", "no session begins with ''"),
        ("..", "no session begins with"),
        ("\x1b[2J", "no session begins with '\ufffd\\[2J'"),
    ):
        with pytest.raises(CardtableError, match=message):
            summaries.find_path(name)


@pytest.mark.parametrize(
    ("seats", "places"),
    [
        (["Anna", "Ada", "Bo", "Cy"], (4, 1, 1, 1)), (["Ada", "Anna", "Tom", "Bo"], (1, 3, 3, 1)),
        (["Anna", "Tom"], (2, 2)), (["Ada", "Bo"], None),
    ],
)  # fmt: skip
def test_people_share_the_last_rank_of_an_abandoned_session(seats, places):
    occupants = [Occupant(name, "steady" if name in ("Ada", "Bo", "Cy") else None) for name in seats]
    assert summaries.compute_abandoned_places(occupants) == places


# --- time of last play, computed from the content of a journal


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


@pytest.mark.parametrize("created", ["", "yesterday", "2026-13-45T99:99:99Z", "1815-06-18T11:00:00Z", "0001-01-01"])
def test_invalid_creation_time_is_parsed_as_zero(created):
    assert parse_creation_time(created) == 0
