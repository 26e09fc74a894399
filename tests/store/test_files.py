"""Files of many sessions, read one session at a time."""

import pytest

from cardtable.engine import journal
from cardtable.engine.journal import BadJournal
from cardtable.store.errors import FileError
from cardtable.store.files import journals
from tests.store.playing import begin, fill, lines


@pytest.fixture
def three(short):
    """The bytes of three sessions, of different lengths."""
    parts = []
    for decisions in (1, 9, 3):
        session = begin(seed=decisions)
        fill(session, decisions)
        session.close()
        parts.append(session.path.read_bytes())
    return parts


@pytest.fixture
def put(tmp_path):
    """Put bytes into a file; gives its path."""

    def put(data):
        (tmp_path / "many").write_bytes(data)
        return tmp_path / "many"

    return put


def test_sessions_come_one_after_another_with_the_file_s_line_numbers(three, put):
    found = list(journals(put(b"".join(three))))
    assert [one.header.seed for one in found] == [1, 9, 3]
    starts = [1, 1 + len(lines(three[0])), 1 + len(lines(three[0])) + len(lines(three[1]))]
    assert [one.first for one in found] == starts
    assert [one.size for one in found] == list(map(len, three))
    assert found[2].entries[0].number == starts[2] + 1


def test_only_the_last_session_can_be_torn(three, put):
    first, second, third = journals(put(b"".join(three)[:-5]))
    assert (first.torn, second.torn) == (b"", b"")
    assert third.torn == lines(three[2])[-1][:-5]
    cut = b"".join(lines(three[0])[:-1]) + lines(three[0])[-1][:-5] + b"\n"
    reader = journals(put(cut + three[1]))
    with pytest.raises(BadJournal) as found:
        next(reader)
    assert found.value.line == len(lines(three[0]))


def test_after_a_bad_session_the_next_one_comes(three, put):
    bad = three[1].replace(b'"bid ', b'"bad ', 1)
    reader = journals(put(three[0] + bad + three[2]))
    assert next(reader).header.seed == 1
    with pytest.raises(BadJournal, match="checksum") as found:
        next(reader)
    assert found.value.line > len(lines(three[0]))
    last = next(reader)
    assert last.header.seed == 3
    assert last.first == 1 + len(lines(three[0] + bad))
    assert next(reader, None) is None


def test_a_session_that_is_too_large_does_not_hide_the_next_one(three, put, monkeypatch):
    monkeypatch.setattr("cardtable.engine.lines.MOST_BYTES", 60_000)
    monkeypatch.setattr("cardtable.store.files.MOST_SESSION_BYTES", 60_000)
    large = three[0] + b"\n" * 200_000 + b"x" * 200_000 + b"\n"
    reader, read, sizes = journals(put(large + three[2])), journal.read, []
    monkeypatch.setattr(
        journal, "read", lambda data, *rest, **more: sizes.append(len(data)) or read(data, *rest, **more)
    )
    with pytest.raises(BadJournal, match="larger than 4 MiB"):
        next(reader)
    assert sizes[0] < 70_000
    last = next(reader)
    assert last.header.seed == 3
    assert last.first == 1 + large.count(b"\n")
    assert next(reader, None) is None


def test_talk_about_headers_starts_no_session(short, put):
    session = begin()
    session.table.go_on()
    session.table.say('{"cardtable":1}\n{"cardtable":1}')
    session.close()
    (one,) = journals(put(session.path.read_bytes()))
    assert len(one.entries) == 2


@pytest.mark.parametrize("data", [b"", b"\n", b"x", b"\0" * 100_000, b"hello\n" * 10, b'{"cardtable":2}\n'])
def test_what_is_no_journal_is_bad_in_its_first_line(put, data):
    reader = journals(put(data))
    with pytest.raises(BadJournal) as found:
        next(reader)
    assert found.value.line == 1
    assert next(reader, None) is None


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(FileError, match="gone: No such file"):
        next(journals(tmp_path / "gone"))
