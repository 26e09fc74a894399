"""What is listed, and what a name finds."""

from pathlib import Path
from random import Random

import msgspec
import pytest

from cardtable.engine import journal
from cardtable.engine.errors import CardtableError
from cardtable.engine.journal import Line
from cardtable.games import KEYS
from cardtable.store import archive_index, paths, session_files, sessions
from cardtable.store.journal_scan import find_last_played
from tests.played_at import played_at
from tests.store.playing import begin, fill, lines, play, unfinished, whole


def put(folder, id_, data, played=None):
    """A journal of this id, played last at a time."""
    paths.create_folder(folder)
    path = folder / f"{id_}.jsonl"
    path.write_bytes(data)
    if played is not None:
        played_at(path, played)
    return path


def with_id(id_, data):
    """The journal of another session that went the same way."""
    read = journal.read(data)
    return journal.encode([msgspec.structs.replace(read.header, id=id_), *[entry.line for entry in read.entries]])


@pytest.mark.parametrize("game", KEYS)
def test_an_unfinished_session_says_where_it_stands(game):
    session = begin(game)
    play(session.referee, Random(1), 20)
    session.close()
    (summary,) = sessions.list_unfinished()
    assert summary.id == session.header.id
    assert summary.path == session.path
    assert summary.header == session.header
    assert (summary.state, summary.ranks, summary.trouble) == ("open", None, None)
    assert (summary.round, summary.totals) == (session.referee.round, session.referee.totals)
    assert summary.round >= 1
    assert summary.played == find_last_played(session.path.read_bytes())
    assert archive_index.list_finished() == []


def test_a_session_lost_by_the_clock_is_over():
    session = begin("rummy", clock=5)
    play(session.referee, Random(1), 30)
    loser, number = session.referee.turn, session.referee.round
    session.referee.forfeit(loser, "clock")
    session.close()
    assert session.path.parent == paths.archive_folder()
    ranks = tuple(1 + (seat == loser) for seat in range(2))
    (summary,) = archive_index.list_finished()
    assert (summary.state, summary.ranks, summary.round) == ("over", ranks, number)
    with pytest.raises(CardtableError, match="over"):
        sessions.resume(session.path)


def test_damaged_loss_by_the_clock_is_listed_as_unreadable():
    session = begin("rummy", clock=5)
    play(session.referee, Random(1), 30)
    session.referee.forfeit(session.referee.turn, "clock")
    session.close()
    data = session.path.read_bytes()
    session.path.write_bytes(data.replace(b'{"forfeit":', b'{"forfeit":1.'))
    (summary,) = archive_index.list_finished()
    assert summary.trouble


def test_a_session_just_begun_is_listed_too():
    session = begin()
    assert [(summary.round, summary.state) for summary in sessions.list_unfinished()] == [(0, "open")]
    session.close()


def test_unfinished_sessions_are_read_one_by_one_the_last_played_first(monkeypatch):
    old, new = unfinished(), unfinished()
    played_at(old, 1)
    read, original = [], session_files.replay_journal
    monkeypatch.setattr(session_files, "replay_journal", lambda path, read_: read.append(path) or original(path, read_))
    found = sessions.iter_unfinished()
    assert next(found).path == new
    assert read == [new]
    assert next(found).path == old


def test_a_finished_session_says_how_it_ended(short):
    data = whole()
    session = begin()
    fill(session)
    session.close()
    found = {summary.id: summary for summary in archive_index.list_finished()}
    assert len(found) == 2
    summary = found[session.header.id]
    assert (summary.state, summary.trouble) == ("over", None)
    assert (summary.totals, summary.ranks) == (session.referee.totals, session.referee.ranks)
    assert summary.round == session.referee.round == 2
    assert summary.header == session.header
    assert b'"void"' in data  # a round dealt again keeps its number
    assert sessions.list_unfinished() == []


def test_talk_after_the_end_hides_nothing(short):
    session = begin()
    fill(session)
    for _ in range(50):
        session.referee.say('thanks "chance":"deal {"end":')
    session.close()
    (summary,) = archive_index.list_finished()
    assert (summary.round, summary.totals) == (2, session.referee.totals)


def test_an_end_written_by_hand_is_found(short):
    read = journal.read(whole())
    header_body = read.header_body.replace(read.header.id.encode(), b"hand")
    text = [header_body, *[entry.body.replace(b":", b": ", 1) for entry in read.entries], b""]
    for path in paths.archive_folder().iterdir():
        path.unlink()
    put(paths.archive_folder(), "hand", b"\n".join(text))
    (summary,) = archive_index.list_finished()
    assert (summary.id, summary.state, summary.round) == ("hand", "over", 2)


def test_a_session_given_up_is_in_the_archive_without_an_end(short):
    path = unfinished()
    put(paths.archive_folder(), path.stem, path.read_bytes())
    path.unlink()
    (summary,) = archive_index.list_finished()
    assert (summary.state, summary.round, summary.ranks) == ("given-up", 2, None)


def test_a_session_over_but_for_its_end_can_still_be_gone_on_with(short):
    data = b"".join(lines(whole())[:-1])
    path = put(paths.sessions_folder(), "killed", with_id("killed", data))
    (summary,) = sessions.list_unfinished()
    assert (summary.path, summary.state, len(summary.ranks)) == (path, "over", 4)


def test_a_finished_session_left_behind_by_a_crash_is_moved(short):
    data = with_id("killed", whole())
    put(paths.sessions_folder(), "killed", data)
    next(paths.archive_folder().glob("2*.jsonl")).unlink()
    assert [summary.id for summary in archive_index.list_finished()] == ["killed"]
    assert sessions.list_unfinished() == []
    assert (paths.archive_folder() / "killed.jsonl").read_bytes() == data
    assert [summary.path.parent for summary in archive_index.list_finished()] == [paths.archive_folder()]


def test_the_last_played_comes_first(short):
    data = unfinished().read_bytes()
    for path in paths.sessions_folder().iterdir():
        path.unlink()
    for id_, played in (("old", 100), ("newest", 300), ("new", 200)):
        put(paths.sessions_folder(), id_, with_id(id_, data), played)
        put(paths.archive_folder(), f"{id_}-over", with_id(f"{id_}-over", data), played)
    assert [summary.id for summary in sessions.list_unfinished()] == ["newest", "new", "old"]
    assert [summary.played for summary in archive_index.list_finished()] == [300, 200, 100]


def broken(data):
    """Journals that cannot be opened."""
    return {
        "empty": b"",
        "noise": b"\xff\0\n" * 50,
        "cut-in-header": data[:20],
        "damaged": b"".join([*lines(data)[:4], *lines(data)[5:]]),
        "newer": data.replace(b'"cardtable":2', b'"cardtable":3', 1),
    }


@pytest.mark.parametrize("folder", [paths.sessions_folder, paths.archive_folder])
def test_what_cannot_be_opened_is_listed_and_the_rest_works(short, folder):
    listed = sessions.list_unfinished if folder is paths.sessions_folder else archive_index.list_finished
    data = unfinished().read_bytes()
    for path in paths.sessions_folder().iterdir():
        path.unlink()
    kept = {put(folder(), id_, bad): bad for id_, bad in broken(data).items()}
    put(folder(), "good", with_id("good", data), 10**9)
    found = {summary.id: summary for summary in listed()}
    assert set(found) == {*broken(data), "good"}
    assert found["good"].trouble is None
    for id_ in broken(data):
        assert found[id_].header is None
        assert found[id_].trouble
        assert f"{id_}.jsonl" in found[id_].trouble
    assert "written by a newer version" in found["newer"].trouble
    assert ":5: the checksum is wrong" in found["damaged"].trouble
    for path, bad in kept.items():
        assert path.read_bytes() == bad


def test_an_end_that_lies_is_not_believed(short):
    """A finished journal whose end does not fit its seats is judged as a whole."""
    data = whole()
    read = journal.read(data)
    body = [entry.line for entry in read.entries[:-1]]
    end = read.entries[-1].line.end
    lying = journal.encode([read.header, *body, Line(end=type(end)((1, 2), (1, 2), 0), at=1)])
    for path in paths.archive_folder().iterdir():
        path.unlink()
    put(paths.archive_folder(), "lying", lying)
    (summary,) = archive_index.list_finished()
    assert "the end is not what the rounds add up to" in summary.trouble


def test_many_finished_sessions_are_not_replayed(short, monkeypatch):
    data = whole()
    for number in range(20):
        put(paths.archive_folder(), f"n{number}", with_id(f"n{number}", data))
    monkeypatch.setattr(session_files, "replay_journal", None)
    assert len(archive_index.list_finished()) == 21


def test_other_files_are_not_sessions():
    paths.create_folder(paths.sessions_folder())
    for name in ("notes.txt", "x.jsonl.123.new", "x.torn", "x.2.torn"):
        (paths.sessions_folder() / name).write_text("mine")
    assert sessions.list_unfinished() == []


# --- names


def test_a_session_is_found_by_its_id_or_a_beginning_that_no_other_has():
    one = put(paths.sessions_folder(), "20261120-083728-rikiki-7f3a", b"")
    two = put(paths.archive_folder(), "20261119-193200-rikiki-11bb", b"")
    three = put(paths.archive_folder(), "20261119-193200-rikiki-11bb00", b"")
    assert sessions.find_path("20261120") == one
    assert sessions.find_path(one.stem) == one
    assert sessions.find_path("20261119-193200-rikiki-11bb") == two
    assert sessions.find_path("20261119-193200-rikiki-11bb0") == three
    for name, why in (
        ("2026", "several sessions begin with '2026'"),
        ("2025", "no session begins with '2025'"),
        ("", "no session begins with ''"),
        ("..", "no session begins with"),
        ("\x1b[2J", "no session begins with '\ufffd\\[2J'"),
    ):
        with pytest.raises(CardtableError, match=why):
            sessions.find_path(name)


@pytest.mark.parametrize("name", ["./x", "a/b", "x.jsonl", "/somewhere/x.jsonl", "saves/rikiki-1.jsonl"])
def test_a_path_is_a_path(name):
    assert sessions.find_path(name) == Path(name)


def test_a_name_never_leads_out_of_the_home():
    put(paths.home(), "secret", b"")
    with pytest.raises(CardtableError):
        sessions.find_path("..")
