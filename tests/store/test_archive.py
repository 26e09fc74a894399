"""Archive index: missing, stale, truncated and hostile indexes."""

import msgspec
import pytest

from cardtable.engine.checksummed_jsonl import append_crc
from cardtable.store import archive_index, paths, session_files, sessions, summaries
from cardtable.store.archive_index import FileCache, compute_fingerprint, flush_unchanged
from tests.store.playing import create_closed_session, create_finished_journal, create_unfinished_journal, split_lines

pytestmark = pytest.mark.usefixtures("short")


@pytest.fixture
def indexed_sessions():
    """Summaries of a finished, an abandoned and an open session, with an index on disk."""
    create_finished_journal()
    abandoned = create_unfinished_journal()
    sessions.abandon(abandoned)
    create_unfinished_journal()
    return archive_index.list_summaries()


@pytest.fixture
def read_paths(monkeypatch):
    """Paths of the journals that are read from now on."""
    read, original = [], session_files.read_session
    monkeypatch.setattr(session_files, "read_session", lambda path: read.append(path) or original(path))
    return read


def collect_figures(rows):
    return {(each.state, each.round, each.totals, each.ranks, each.name, each.undone, each.coached) for each in rows}


def summarize_fully(rows):
    """Return the figures of the same sessions, each read and replayed as a whole."""
    return {(each.path, *collect_figures([summaries.summarize_full(each.path)])) for each in rows}


def test_listed_summaries_match_journals(indexed_sessions):
    assert {each.state for each in indexed_sessions} == {"over", "abandoned", "open"}
    assert {(each.path, *collect_figures([each])) for each in indexed_sessions} == summarize_fully(indexed_sessions)
    assert {each.name for each in indexed_sessions} == {"Friday"}


def test_second_listing_reads_no_journal(indexed_sessions, read_paths):
    assert collect_figures(archive_index.list_summaries()) == collect_figures(indexed_sessions)
    assert read_paths == []


def test_only_new_journal_is_read(indexed_sessions, read_paths):
    session = create_closed_session()
    assert len(archive_index.list_summaries()) == 4
    assert set(read_paths) == {session.path}


def test_changed_journal_is_read_again(indexed_sessions):
    abandoned = next(each.path for each in indexed_sessions if each.state == "abandoned")
    abandoned.write_bytes(b"".join(split_lines(abandoned.read_bytes())[:-3]))
    assert {(each.path, *collect_figures([each])) for each in archive_index.list_summaries()} == summarize_fully(
        indexed_sessions
    )


def test_journal_moved_during_scan_hides_no_other(indexed_sessions, monkeypatch):
    over, traces = (
        next(each.path for each in indexed_sessions if each.state == "over"),
        archive_index.compute_fingerprint,
    )

    def moved(stat):
        if stat.st_ino == over.stat().st_ino:
            raise FileNotFoundError
        return traces(stat)

    monkeypatch.setattr(archive_index, "compute_fingerprint", moved)
    assert {each.path for each in archive_index.list_summaries()} == {each.path for each in indexed_sessions} - {over}


def test_journal_moved_before_reading_is_not_listed(indexed_sessions):
    paths.index_file().unlink()
    archive, gone = archive_index.Archive(), indexed_sessions[0].path
    slices = archive.read()
    next(slices)
    gone.unlink()
    assert [progress.left for progress in slices] == [0]
    assert {each.path for each in archive.list_sessions()} == {each.path for each in indexed_sessions} - {gone}


def read_index_rows():
    """Return the lines of the index without its first line, the version."""
    return split_lines(paths.index_file().read_bytes())[1:]


def decode_row(row):
    """Return the members of an index row without its checksum."""
    members = msgspec.json.decode(row)
    del members["crc"]
    return members


def write_index(rows):
    """Write an index with these rows, each with a valid checksum."""
    head = split_lines(paths.index_file().read_bytes())[0]
    paths.index_file().write_bytes(b"".join([head, *[append_crc(msgspec.json.encode(row), 0)[0] for row in rows]]))


def test_flipped_bit_in_index_changes_nothing(indexed_sessions):
    data = paths.index_file().read_bytes()
    for at in range(0, len(data), 37):
        paths.index_file().write_bytes(data[:at] + bytes([data[at] ^ 4]) + data[at + 1 :])
        assert collect_figures(archive_index.list_summaries()) == collect_figures(indexed_sessions), at


def test_index_rows_of_missing_files_are_ignored(indexed_sessions):
    rows = [decode_row(row) for row in read_index_rows()]
    write_index([*rows, rows[0] | {"file": "archive/gone.jsonl"}, rows[0] | {"file": "../../etc/passwd"}])
    assert collect_figures(archive_index.list_summaries()) == collect_figures(indexed_sessions)
    write_index([row | {"traces": [1, 2, 3]} for row in rows])
    assert collect_figures(archive_index.list_summaries()) == collect_figures(indexed_sessions)


INVALID_FIGURES = [
    *[{"totals": totals} for totals in ([1, 2], [10**30, 0, 0, 0], [])],
    *[{"ranks": ranks} for ranks in ([1], None)],
    *[{"name": name} for name in ("\x1b[2J", "x" * 3000)],
    *[{"played": seconds} for seconds in (10**15, -(10**15))],
    *[{"state": "won"}, {"round": "many"}, {"id": "another"}, {"error": "\x1b[2J"}, {"seen_before": True}],
    *[{"timed_out": 4}, {"replaced_occupants": [[4, {"name": "Ada"}]]}, {"header": None}],
]
INVALID_HEADERS = [
    *[{"seats": [seat] * 4} for seat in ({"name": "\x1b]0;owned\x07"}, {"name": "A" * 100})],
    *[{"seats": []}, {"seats": [{"name": "Ada", "robot": "\x1b[31m"}] * 4}],
    *[{"id": id_} for id_ in ("\x1b]52;c;AAAA\x07", "")],
    *[{"seed": seed} for seed in (10**15, -(10**15))],
    *[{"game": "poker"}, {"options": [1]}, {"cardtable": 99}],
]


@pytest.mark.parametrize("wrong", [*INVALID_FIGURES, *[{"header": each} for each in INVALID_HEADERS]])
def test_invalid_index_row_is_ignored(indexed_sessions, wrong):
    rows = [decode_row(row) for row in read_index_rows()]
    for row in rows:
        changed = row["found"] | wrong
        if wrong.get("header"):
            changed["header"] = row["found"]["header"] | wrong["header"]
        row["found"] = changed
    write_index(rows)
    assert collect_figures(archive_index.list_summaries()) == collect_figures(indexed_sessions)


def test_damaged_journal_is_never_indexed(indexed_sessions):
    abandoned = next(each.path for each in indexed_sessions if each.state == "abandoned")
    data = abandoned.read_bytes()
    abandoned.write_bytes(data.replace(b'"seat":1', b'"seat":2', 1))
    for _ in range(2):
        summary = next(each for each in archive_index.list_summaries() if each.path == abandoned)
        assert "the checksum is wrong" in summary.error
    abandoned.write_bytes(data)
    assert collect_figures(archive_index.list_summaries()) == collect_figures(indexed_sessions)


def test_listing_with_unwritable_index(indexed_sessions):
    paths.index_file().unlink()
    paths.index_file().mkdir()
    assert collect_figures(archive_index.list_summaries()) == collect_figures(indexed_sessions)
    assert len(summaries.list_ids()) == 3


# --- file cache: missing, stale and damaged rows are computed again


class CachedRow(msgspec.Struct):
    rounds: int


@pytest.fixture
def file(home):
    folder = home / "archive"
    folder.mkdir(parents=True)
    for name in "abc":
        (folder / f"{name}.jsonl").write_text("one")
    return folder / "index.jsonl"


def open_cache(file, version=1):
    return FileCache(file, CachedRow, version)


def put(cache, file, name="a", rounds=28):
    cache.put(f"archive/{name}.jsonl", get_fingerprint(file, name), CachedRow(rounds))


def get_fingerprint(file, name="a"):
    return compute_fingerprint((file.parent / f"{name}.jsonl").stat())


def read_rounds(file, cache=None):
    """Return the number of rounds of each file whose row is known."""
    cache = cache or open_cache(file)
    rows = {name: cache.get(f"archive/{name}.jsonl", get_fingerprint(file, name)) for name in "abc"}
    return {name: row.rounds for name, row in rows.items() if row}


@pytest.fixture
def filled(file):
    """File of a cache that has a row of the first file."""
    cache = open_cache(file)
    put(cache, file)
    cache.save()
    return file


def test_row_is_returned_until_file_changes(filled):
    assert read_rounds(filled) == {"a": 28}
    assert read_rounds(filled, open_cache(filled, version=2)) == {}
    (filled.parent / "a.jsonl").write_text("another")
    assert read_rounds(filled) == {}


def test_new_rows_are_appended(filled):
    before = filled.read_bytes()
    cache = open_cache(filled)
    put(cache, filled, "b", 4)
    cache.save()
    whole = filled.read_bytes()
    assert whole.startswith(before)
    for length in range(len(before), len(whole)):
        filled.write_bytes(whole[:length])
        cut = open_cache(filled)
        assert read_rounds(filled, cut) == {"a": 28}
        put(cut, filled, "b", 4)
        cut.save()
        assert filled.read_bytes() == whole


def test_damaged_row_is_not_kept(filled):
    filled.write_bytes(filled.read_bytes().replace(b"28", b"29"))
    cache = open_cache(filled)
    put(cache, filled, "b", 4)
    cache.save()
    assert (read_rounds(filled), b"a.jsonl" in filled.read_bytes()) == ({"b": 4}, False)


def test_concurrent_saves_keep_the_cache_valid(filled):
    first, second = open_cache(filled), open_cache(filled)
    put(first, filled, "b")
    put(second, filled, "c", 7)
    first.save()
    second.save()
    assert read_rounds(filled).items() >= {"a": 28, "c": 7}.items()


def test_facts_of_changed_file_are_not_written(file):
    first, second = open_cache(file), open_cache(file)
    put(first, file)
    put(first, file, "b", 2)
    (file.parent / "a.jsonl").write_text("erased")
    first.save()
    assert (read_rounds(file), b"a.jsonl" in file.read_bytes()) == ({"b": 2}, False)
    put(second, file, "c")
    (file.parent / "c.jsonl").unlink()
    second.save()
    assert b"c.jsonl" not in file.read_bytes()


def test_changed_file_is_not_cached(file):
    before = get_fingerprint(file)
    assert flush_unchanged(file.parent / "a.jsonl", before)
    with (file.parent / "a.jsonl").open("a") as opened:
        opened.write("more")
    assert not flush_unchanged(file.parent / "a.jsonl", before)
    (file.parent / "a.jsonl").unlink()
    assert not flush_unchanged(file.parent / "a.jsonl", before)
