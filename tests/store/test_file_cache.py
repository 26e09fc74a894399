"""File cache: missing, stale and damaged rows are computed again."""

import msgspec
import pytest

from cardtable.store.archive_index import FileCache, compute_fingerprint, flush_unchanged


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


def test_prune_removes_rows_of_missing_files(filled):
    cache = open_cache(filled)
    cache.prune(["archive/b.jsonl"])
    cache.save()
    assert b"a.jsonl" not in filled.read_bytes()


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


def test_replaced_rows_are_compacted(filled):
    for number in range(9):
        (filled.parent / "a.jsonl").write_text("one" * number)
        cache = open_cache(filled)
        put(cache, filled, rounds=number)
        cache.save()
    assert read_rounds(filled) == {"a": 8}
    assert filled.read_bytes().count(b"a.jsonl") <= 2


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
