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


def get_fingerprint(file, name="a"):
    return compute_fingerprint((file.parent / f"{name}.jsonl").stat())


def fill_cache(file):
    cache = open_cache(file)
    cache.put("archive/a.jsonl", get_fingerprint(file), CachedRow(28))
    cache.save()


def test_row_is_returned_until_file_changes(file):
    fill_cache(file)
    assert open_cache(file).get("archive/a.jsonl", get_fingerprint(file)) == CachedRow(28)
    (file.parent / "a.jsonl").write_text("another")
    assert open_cache(file).get("archive/a.jsonl", get_fingerprint(file)) is None
    assert open_cache(file).get("archive/b.jsonl", get_fingerprint(file)) is None


def test_prune_removes_rows_of_missing_files(file):
    fill_cache(file)
    cache = open_cache(file)
    cache.prune(["archive/b.jsonl"])
    cache.save()
    assert open_cache(file).get("archive/a.jsonl", get_fingerprint(file)) is None


def test_cache_of_another_version_is_ignored(file):
    fill_cache(file)
    assert open_cache(file, version=2).get("archive/a.jsonl", get_fingerprint(file)) is None


def test_new_rows_are_appended(file):
    fill_cache(file)
    before = file.read_bytes()
    cache = open_cache(file)
    cache.put("archive/b.jsonl", get_fingerprint(file, "b"), CachedRow(4))
    cache.save()
    whole = file.read_bytes()
    assert whole.startswith(before)
    for length in range(len(before), len(whole)):
        file.write_bytes(whole[:length])
        cut = open_cache(file)
        assert (
            cut.get("archive/a.jsonl", get_fingerprint(file)),
            cut.get("archive/b.jsonl", get_fingerprint(file, "b")),
        ) == (CachedRow(28), None)
        cut.put("archive/b.jsonl", get_fingerprint(file, "b"), CachedRow(4))
        cut.save()
        assert file.read_bytes() == whole


def test_concurrent_saves_keep_the_cache_valid(file):
    fill_cache(file)
    first, second = open_cache(file), open_cache(file)
    first.put("archive/b.jsonl", get_fingerprint(file, "b"), CachedRow(4))
    second.put("archive/c.jsonl", get_fingerprint(file, "c"), CachedRow(7))
    first.save()
    second.save()
    last = open_cache(file)
    assert (
        last.get("archive/a.jsonl", get_fingerprint(file)),
        last.get("archive/c.jsonl", get_fingerprint(file, "c")),
    ) == (CachedRow(28), CachedRow(7))


def test_replaced_rows_are_compacted(file):
    fill_cache(file)
    for number in range(9):
        (file.parent / "a.jsonl").write_text("one" * number)
        cache = open_cache(file)
        cache.put("archive/a.jsonl", get_fingerprint(file), CachedRow(number))
        cache.save()
    assert open_cache(file).get("archive/a.jsonl", get_fingerprint(file)) == CachedRow(8)
    assert file.read_bytes().count(b"a.jsonl") <= 2


def test_facts_of_changed_file_are_not_written(file):
    first, second = open_cache(file), open_cache(file)
    first.put("archive/a.jsonl", get_fingerprint(file), CachedRow(1))
    first.put("archive/b.jsonl", get_fingerprint(file, "b"), CachedRow(2))
    (file.parent / "a.jsonl").write_text("erased")
    first.save()
    assert b"a.jsonl" not in file.read_bytes()
    assert open_cache(file).get("archive/b.jsonl", get_fingerprint(file, "b")) == CachedRow(2)
    second.put("archive/c.jsonl", get_fingerprint(file, "c"), CachedRow(3))
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
