"""What is kept of files: a cache that may be wrong in any way, and then is found out anew."""

import msgspec
import pytest

from cardtable.store.file_cache import FileCache, compute_fingerprint

pytestmark = pytest.mark.promise(
    "For maintainers", "The cache of records may be missing, stale or damaged; its rows are then computed again."
)


class Found(msgspec.Struct):
    rounds: int


@pytest.fixture
def file(home):
    home.mkdir()
    (home / "a.jsonl").write_text("one")
    return home / "index.jsonl"


def kept(file, version=1):
    return FileCache(file, Found, version)


def now(file):
    return compute_fingerprint((file.parent / "a.jsonl").stat())


def filled(file):
    cache = kept(file)
    cache.put("a.jsonl", now(file), Found(28))
    cache.save()


def test_what_was_found_is_there_again_as_long_as_the_file_is_as_it_was(file):
    filled(file)
    assert kept(file).get("a.jsonl", now(file)) == Found(28)
    (file.parent / "a.jsonl").write_text("another")
    assert kept(file).get("a.jsonl", now(file)) is None
    assert kept(file).get("b.jsonl", now(file)) is None


def test_files_that_are_gone_are_forgotten(file):
    filled(file)
    cache = kept(file)
    cache.prune(["b.jsonl"])
    cache.save()
    assert kept(file).get("a.jsonl", now(file)) is None


def test_another_version_is_not_read(file):
    filled(file)
    assert kept(file, version=2).get("a.jsonl", now(file)) is None


@pytest.mark.parametrize("length", range(0, 90, 7))
def test_half_written_it_is_found_out_anew(file, length):
    filled(file)
    whole = file.read_bytes()
    file.write_bytes(whole[:length])
    assert kept(file).get("a.jsonl", now(file)) in (None, Found(28))
    file.write_bytes(b"\xff\x00[[[[" + whole)
    assert kept(file).get("a.jsonl", now(file)) is None


def test_where_it_cannot_be_written_nothing_happens(file):
    file.mkdir()
    filled(file)
    assert kept(file).get("a.jsonl", now(file)) is None


def test_new_rows_are_written_at_the_end(file):
    filled(file)
    before = file.read_bytes()
    cache = kept(file)
    cache.put("b.jsonl", (1, 2, 3), Found(4))
    cache.save()
    whole = file.read_bytes()
    assert whole.startswith(before)
    for length in range(len(before), len(whole)):
        file.write_bytes(whole[:length])
        cut = kept(file)
        assert (cut.get("a.jsonl", now(file)), cut.get("b.jsonl", (1, 2, 3))) == (Found(28), None)
        cut.put("b.jsonl", (1, 2, 3), Found(4))
        cut.save()
        assert file.read_bytes() == whole


def test_what_another_program_has_written_meanwhile_is_not_made_worse(file):
    filled(file)
    first, second = kept(file), kept(file)
    first.put("b.jsonl", (1, 2, 3), Found(4))
    second.put("c.jsonl", (4, 5, 6), Found(7))
    first.save()
    second.save()
    last = kept(file)
    assert (last.get("a.jsonl", now(file)), last.get("c.jsonl", (4, 5, 6))) == (Found(28), Found(7))


def test_rows_that_were_replaced_do_not_pile_up(file):
    filled(file)
    for number in range(9):
        cache = kept(file)
        cache.put("a.jsonl", (1, 2, number), Found(number))
        cache.save()
    assert kept(file).get("a.jsonl", (1, 2, 8)) == Found(8)
    assert file.read_bytes().count(b"a.jsonl") <= 2
