"""All sessions from an index that may be anything: deleted, stale, half written, hostile."""

import msgspec
import pytest

from cardtable.engine import journal
from cardtable.engine.journal import Occupant, append_crc
from cardtable.engine.text_format import sanitize
from cardtable.store import archive_index, paths, session_files, sessions, summaries
from tests.store.playing import begin, fill, lines, unfinished, whole

pytestmark = [
    pytest.mark.usefixtures("short"),
    pytest.mark.promise(
        "For maintainers", "The archive index is a cache: if it is missing, stale or damaged, the list is the same."
    ),
]


@pytest.fixture
def kept():
    """A session that is over, one that was given up and one that is open; what a first look finds."""
    whole()
    given_up = unfinished()
    sessions.abandon(given_up)
    unfinished()
    return archive_index.list_summaries()


@pytest.fixture
def unread(monkeypatch):
    """The journals that are read from now on."""
    read, original = [], session_files.read_session
    monkeypatch.setattr(session_files, "read_session", lambda path: read.append(path) or original(path))
    return read


def states(found):
    return {(each.state, each.round, each.totals, each.ranks, each.name, each.undone) for each in found}


def judged(found):
    """The same sessions, each read and judged as a whole."""
    return {(each.path, *states([summaries.summarize_full(each.path)])) for each in found}


def test_what_is_listed_is_what_the_journals_say(kept):
    assert {each.state for each in kept} == {"over", "given-up", "open"}
    assert {(each.path, *states([each])) for each in kept} == judged(kept)
    assert {each.name for each in kept} == {"Friday"}


@pytest.mark.promise(
    "Archive, replay, review and export", "Opened again, the archive reads no journal that has not changed."
)
def test_a_second_look_reads_no_journal(kept, unread):
    assert states(archive_index.list_summaries()) == states(kept)
    assert unread == []


def test_the_index_is_no_session(kept):
    assert paths.index_file().exists()
    assert len(kept) == 3
    assert "index" not in sessions.list_ids()


def test_what_is_new_is_read_and_nothing_else(kept, unread):
    session = begin()
    fill(session)
    session.close()
    assert len(archive_index.list_summaries()) == 4
    assert set(unread) == {session.path}


def test_what_has_changed_is_shown_as_it_is(kept):
    given_up = next(each.path for each in kept if each.state == "given-up")
    given_up.write_bytes(b"".join(lines(given_up.read_bytes())[:-3]))
    assert {(each.path, *states([each])) for each in archive_index.list_summaries()} == judged(kept)


def test_what_is_gone_is_not_shown(kept):
    for each in kept:
        each.path.unlink()
    assert archive_index.list_summaries() == []


def test_what_is_moved_while_the_folder_is_listed_hides_nothing_else(kept, monkeypatch):
    over, traces = next(each.path for each in kept if each.state == "over"), archive_index.compute_fingerprint

    def moved(stat):
        if stat.st_ino == over.stat().st_ino:
            raise FileNotFoundError
        return traces(stat)

    monkeypatch.setattr(archive_index, "compute_fingerprint", moved)
    assert {each.path for each in archive_index.list_summaries()} == {each.path for each in kept} - {over}


def test_what_is_moved_before_it_is_read_is_no_session_that_cannot_be_opened(kept):
    paths.index_file().unlink()
    looking = archive_index.Archive()
    looking.scan()
    gone = kept[0].path
    gone.unlink()
    while looking.read(0):
        pass
    assert {each.path for each in looking.list_sessions()} == {each.path for each in kept} - {gone}


def test_given_up_and_taken_back_it_is_another_row(kept):
    given_up = next(each.path for each in kept if each.state == "given-up")
    sessions.restore(given_up)
    assert sorted(each.state for each in archive_index.list_summaries()) == ["open", "open", "over"]


def test_first_the_header_then_the_figures_of_what_was_not_played_to_its_end(kept):
    paths.index_file().unlink()
    found = archive_index.Archive()
    found.scan()
    steps = [(found.unread_count, found.half_read_count, len(found.list_sessions()))]
    while found.read(0.0):
        steps.append((found.unread_count, found.half_read_count, len(found.list_sessions())))
        assert all(each.is_complete or not each.round for each in found.list_sessions())
    assert steps == [(3, 0, 0), *steps[1:3], (0, 2, 3), (0, 1, 3)]
    assert states(found.list_sessions()) == states(kept)
    assert (found.unread_count, found.half_read_count) == (0, 0)


def rows_of_index():
    """The lines of the index after the one with its version."""
    return lines(paths.index_file().read_bytes())[1:]


def told(row):
    """What a row says, its checksum left out."""
    members = msgspec.json.decode(row)
    del members["crc"]
    return members


def written(rows):
    """An index with these rows, each with its right checksum."""
    head = lines(paths.index_file().read_bytes())[0]
    paths.index_file().write_bytes(b"".join([head, *[append_crc(msgspec.json.encode(row), 0)[0] for row in rows]]))


@pytest.mark.parametrize("part", [0.0, 0.1, 0.4, 0.7, 0.99])
def test_half_written_it_is_made_anew_and_nothing_is_lost(kept, part):
    whole_index = paths.index_file().read_bytes()
    paths.index_file().write_bytes(whole_index[: int(len(whole_index) * part)])
    assert states(archive_index.list_summaries()) == states(kept)
    assert sorted(rows_of_index()) == sorted(lines(whole_index)[1:])


def test_a_bit_that_flipped_in_the_index_changes_nothing(kept):
    data = paths.index_file().read_bytes()
    for at in range(0, len(data), 37):
        paths.index_file().write_bytes(data[:at] + bytes([data[at] ^ 4]) + data[at + 1 :])
        assert states(archive_index.list_summaries()) == states(kept), at


def test_rows_of_other_files_and_of_files_that_are_gone_are_not_shown(kept):
    rows = [told(row) for row in rows_of_index()]
    written([*rows, rows[0] | {"file": "archive/gone.jsonl"}, rows[0] | {"file": "../../etc/passwd"}])
    assert states(archive_index.list_summaries()) == states(kept)
    written([row | {"traces": [1, 2, 3]} for row in rows])
    assert states(archive_index.list_summaries()) == states(kept)


HOSTILE = [
    {"totals": [1, 2]},
    {"totals": [10**30, 0, 0, 0]},
    {"totals": []},
    {"ranks": [1]},
    {"ranks": None},
    {"state": "won"},
    {"name": "\x1b[2J"},
    {"name": "x" * 3000},
    {"round": "many"},
    {"header": None},
]
HEADERS = [
    {"game": "poker"},
    {"seats": []},
    {"seats": [{"name": "\x1b]0;owned\x07"}] * 4},
    {"seats": [{"name": "A" * 100}] * 4},
    {"seats": [{"name": "Ada", "robot": "\x1b[31m"}] * 4},
    {"options": [1]},
]


@pytest.mark.parametrize("wrong", [*HOSTILE, *[{"header": each} for each in HEADERS]])
def test_a_row_that_cannot_be_is_not_shown(kept, wrong):
    rows = [told(row) for row in rows_of_index()]
    for row in rows:
        changed = row["found"] | wrong
        if wrong.get("header"):
            changed["header"] = row["found"]["header"] | wrong["header"]
        row["found"] = changed
    written(rows)
    assert states(archive_index.list_summaries()) == states(kept)


def test_names_of_the_journals_are_shown_harmless_also_from_the_index(kept):
    read = journal.read(next(each.path for each in kept if each.state == "over").read_bytes())
    seats = (Occupant("\x1b[2J" + "n" * 300), *read.header.seats[1:])
    end = journal.encode(
        [msgspec.structs.replace(read.header, id="hostile", seats=seats), *[entry.line for entry in read.entries]]
    )
    (paths.archive_folder() / "hostile.jsonl").write_bytes(end)
    for _ in range(2):
        found = next(each for each in archive_index.list_summaries() if each.id == "hostile")
        assert found.header.seats[0].name == sanitize("\x1b[2J" + "n" * 300, 24)


def test_a_damaged_journal_is_told_each_time_and_never_kept(kept):
    given_up = next(each.path for each in kept if each.state == "given-up")
    data = given_up.read_bytes()
    given_up.write_bytes(data.replace(b'"seat":1', b'"seat":2', 1))
    for _ in range(2):
        found = next(each for each in archive_index.list_summaries() if each.path == given_up)
        assert "the checksum is wrong" in found.trouble
    given_up.write_bytes(data)
    assert states(archive_index.list_summaries()) == states(kept)


def test_where_the_index_cannot_be_written_all_is_listed_all_the_same(kept):
    paths.index_file().unlink()
    paths.index_file().mkdir()
    assert states(archive_index.list_summaries()) == states(kept)
    assert len(sessions.list_ids()) == 3


def test_what_is_named_in_a_way_that_cannot_be_read_is_read_as_a_whole(kept):
    read = journal.read(next(each.path for each in kept if each.state == "over").read_bytes())
    data = journal.encode([read.header, *[entry.line for entry in read.entries]])
    line, _ = append_crc(b'{"name":5}', read.crc)
    (paths.archive_folder() / "odd.jsonl").write_bytes(data + line)
    assert "name" in next(each.trouble for each in archive_index.list_summaries() if each.id == "odd")
