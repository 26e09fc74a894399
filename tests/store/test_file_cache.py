"""File cache: missing, stale and damaged rows are computed again."""

import msgspec
import pytest

from cardtable.store.file_cache import FileCache, compute_fingerprint

pytestmark = pytest.mark.promise(
    "For maintainers", "The cache of records may be missing, stale or damaged; its rows are then computed again."
)


class CachedRow(msgspec.Struct):
    rounds: int


@pytest.fixture
def file(home):
    home.mkdir()
    (home / "a.jsonl").write_text("one")
    return home / "index.jsonl"


def open_cache(file, version=1):
    return FileCache(file, CachedRow, version)


def get_fingerprint(file):
    return compute_fingerprint((file.parent / "a.jsonl").stat())


def fill_cache(file):
    cache = open_cache(file)
    cache.put("a.jsonl", get_fingerprint(file), CachedRow(28))
    cache.save()


def test_row_is_returned_until_file_changes(file):
    fill_cache(file)
    assert open_cache(file).get("a.jsonl", get_fingerprint(file)) == CachedRow(28)
    (file.parent / "a.jsonl").write_text("another")
    assert open_cache(file).get("a.jsonl", get_fingerprint(file)) is None
    assert open_cache(file).get("b.jsonl", get_fingerprint(file)) is None


def test_prune_removes_rows_of_missing_files(file):
    fill_cache(file)
    cache = open_cache(file)
    cache.prune(["b.jsonl"])
    cache.save()
    assert open_cache(file).get("a.jsonl", get_fingerprint(file)) is None


def test_cache_of_another_version_is_ignored(file):
    fill_cache(file)
    assert open_cache(file, version=2).get("a.jsonl", get_fingerprint(file)) is None


@pytest.mark.parametrize("length", range(0, 90, 7))
def test_truncated_or_damaged_cache_is_ignored(file, length):
    fill_cache(file)
    whole = file.read_bytes()
    file.write_bytes(whole[:length])
    assert open_cache(file).get("a.jsonl", get_fingerprint(file)) in (None, CachedRow(28))
    file.write_bytes(b"\xff\x00[[[[" + whole)
    assert open_cache(file).get("a.jsonl", get_fingerprint(file)) is None


def test_unwritable_cache_is_ignored(file):
    file.mkdir()
    fill_cache(file)
    assert open_cache(file).get("a.jsonl", get_fingerprint(file)) is None


def test_new_rows_are_appended(file):
    fill_cache(file)
    before = file.read_bytes()
    cache = open_cache(file)
    cache.put("b.jsonl", (1, 2, 3), CachedRow(4))
    cache.save()
    whole = file.read_bytes()
    assert whole.startswith(before)
    for length in range(len(before), len(whole)):
        file.write_bytes(whole[:length])
        cut = open_cache(file)
        assert (cut.get("a.jsonl", get_fingerprint(file)), cut.get("b.jsonl", (1, 2, 3))) == (CachedRow(28), None)
        cut.put("b.jsonl", (1, 2, 3), CachedRow(4))
        cut.save()
        assert file.read_bytes() == whole


def test_concurrent_saves_keep_the_cache_valid(file):
    fill_cache(file)
    first, second = open_cache(file), open_cache(file)
    first.put("b.jsonl", (1, 2, 3), CachedRow(4))
    second.put("c.jsonl", (4, 5, 6), CachedRow(7))
    first.save()
    second.save()
    last = open_cache(file)
    assert (last.get("a.jsonl", get_fingerprint(file)), last.get("c.jsonl", (4, 5, 6))) == (CachedRow(28), CachedRow(7))


def test_replaced_rows_are_compacted(file):
    fill_cache(file)
    for number in range(9):
        cache = open_cache(file)
        cache.put("a.jsonl", (1, 2, number), CachedRow(number))
        cache.save()
    assert open_cache(file).get("a.jsonl", (1, 2, 8)) == CachedRow(8)
    assert file.read_bytes().count(b"a.jsonl") <= 2
