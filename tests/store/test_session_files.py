"""Files of many sessions, read one session at a time."""

import os

import pytest

from cardtable.engine import journal
from cardtable.engine.journal import JournalError
from cardtable.store import session_files
from cardtable.store.errors import CacheFile, DamagedJournal, FileError, SeveralSessions
from tests.store.playing import begin, fill, lines


def journals(path):
    """The journals of a file, or what is wrong with them."""
    for part in session_files.iter_sessions(path):
        try:
            yield journal.read(part.data, part.first_line, more_follows=part.has_more)
        except JournalError as error:
            yield error


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
    assert [one.first_line for one in found] == starts
    assert [one.size for one in found] == list(map(len, three))
    assert found[2].entries[0].number == starts[2] + 1


def test_only_the_last_session_can_be_torn(three, put):
    first, second, third = journals(put(b"".join(three)[:-5]))
    assert (first.torn, second.torn) == (b"", b"")
    assert third.torn == lines(three[2])[-1][:-5]
    cut = b"".join(lines(three[0])[:-1]) + lines(three[0])[-1][:-5] + b"\n"
    bad = next(journals(put(cut + three[1])))
    assert isinstance(bad, JournalError)
    assert bad.line == len(lines(three[0]))


def test_after_a_bad_session_the_next_one_comes(three, put):
    bad = three[1].replace(b'"bid ', b'"bad ', 1)
    good, damaged, last = journals(put(three[0] + bad + three[2]))
    assert good.header.seed == 1
    assert "checksum" in damaged.why
    assert damaged.line > len(lines(three[0]))
    assert last.header.seed == 3
    assert last.first_line == 1 + len(lines(three[0] + bad))


def test_a_session_that_is_too_large_does_not_hide_the_next_one(three, put, monkeypatch):
    monkeypatch.setattr("cardtable.engine.checksummed_jsonl.MAX_BYTES", 60_000)
    monkeypatch.setattr("cardtable.store.session_files.MAX_SESSION_BYTES", 60_000)
    large = three[0] + b"\n" * 200_000 + (b"x" * 3000 + b"\n") * 60
    path = put(large + three[2])
    assert len(next(session_files.iter_sessions(path)).data) < 70_000
    refused, last = journals(path)
    assert refused.why == "the session is larger than 4 MiB"
    assert last.header.seed == 3
    assert last.first_line == 1 + large.count(b"\n")


def test_talk_about_headers_starts_no_session(short, put):
    session = begin()
    session.referee.advance()
    session.referee.say('{"cardtable":1}\n{"cardtable":1}')
    session.close()
    (one,) = journals(put(session.path.read_bytes()))
    assert len(one.entries) == 2


@pytest.mark.parametrize("data", [b"", b"\n", b"x", b"\0" * 100_000, b"hello\n" * 10, b'{"cardtable":2}\n'])
def test_what_is_no_journal_is_bad_in_its_first_line(put, data):
    (bad,) = journals(put(data))
    assert bad.line == 1


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(FileError, match="gone: No such file"):
        next(journals(tmp_path / "gone"))


def test_one_session_is_asked_of_a_file_of_several(three, put, monkeypatch):
    several = put(b"".join(three))
    with pytest.raises(SeveralSessions, match="several sessions"):
        session_files.read_session(several)
    header = lines(three[1])[0]
    with pytest.raises(SeveralSessions, match="several sessions"):
        session_files.read_session(put(three[0] + header))
    monkeypatch.setattr("cardtable.store.session_files.MAX_SESSION_BYTES", len(three[0]) + 500)
    with pytest.raises(SeveralSessions, match="several sessions"):
        session_files.read_session(put(b"".join(three) * 3))


def test_headers_with_nothing_between_are_refused_at_once(three, put):
    header = lines(three[0])[0]
    for data, line in ((header * 1000, 1), (b'{"cardtable":1}\n' * 1000, 1), (three[1] + header * 1000, 0)):
        path, before = put(data), []
        with pytest.raises(DamagedJournal, match="another header") as found:
            before.extend(session_files.iter_sessions(path))
        assert found.value.line == (line or 1 + len(lines(three[1])))
        assert len(before) == (not line)
        with pytest.raises(DamagedJournal if line else SeveralSessions):
            session_files.read_session(path)


@pytest.mark.parametrize("length", [5_000, 6_000_000])
@pytest.mark.parametrize("before", [0, 1])
def test_a_line_that_is_too_long_is_told_as_that_however_long_it_is(three, put, before, length):
    long = b'{"%s":"%s"}\n' % (b"say" if before else b"cardtable", b"a" * length)
    path = put(lines(three[0])[0] * before + long)
    (by_part,) = journals(path)
    with pytest.raises(DamagedJournal) as as_one:
        session_files.parse_session(path, session_files.read_session(path))
    assert by_part.why == "the line is longer than 4 KiB"
    assert (by_part.line, as_one.value.line) == (1 + before, 1 + before)
    assert by_part.why in str(as_one.value)


def test_what_is_kept_of_sessions_is_none(put):
    path = put(b'{"kept":9}\n{"file":"a"}\n')
    for way in (session_files.read_session, lambda path: next(session_files.iter_sessions(path))):
        with pytest.raises(CacheFile, match="no session"):
            way(path)


def test_too_long_line_ends_the_reading(three, put):
    first = b"".join(lines(three[0])[:3])
    (bad,) = journals(put(first + b"x" * 5000 + b"\n" + three[1]))
    assert (bad.line, bad.why, bad.good.size) == (4, "the line is longer than 4 KiB", len(first))


@pytest.mark.parametrize("before", ["", "half", "whole", "whole sessions"])
def test_sparse_file_of_100_gb(three, put, before):
    data = {"": b"", "half": three[0][:500], "whole": three[0], "whole sessions": three[0] + three[1]}[before]
    path = put(data)
    os.truncate(path, 10**11)
    *good, bad = journals(path)
    assert [one.size for one in good] == ([len(three[0])] if before == "whole sessions" else [])
    assert "larger than 4 MiB" in bad.why
    with pytest.raises(FileError):
        session_files.parse_session(path, session_files.read_session(path))
