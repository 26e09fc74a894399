"""Files that contain many sessions, read one session at a time."""

import os

import pytest

from cardtable.engine import journal
from cardtable.engine.checksummed_jsonl import JournalError
from cardtable.store import session_files
from cardtable.store.errors import CacheFile, DamagedJournal, FileError, SeveralSessions
from tests.store.playing import create_session, play_every_line_kind, split_lines


def iter_journals(path):
    """Yield the journals of a file, or the error of each that is damaged."""
    for part in session_files.iter_sessions(path):
        try:
            yield journal.read(part.data, part.first_line, more_follows=part.has_more)
        except JournalError as error:
            yield error


@pytest.fixture
def three_sessions(short):
    """Bytes of three sessions of different lengths."""
    parts = []
    for decisions in (1, 9, 3):
        session = create_session(seed=decisions)
        play_every_line_kind(session, decisions)
        session.close()
        parts.append(session.path.read_bytes())
    return parts


@pytest.fixture
def write_file(tmp_path):
    """Function that writes bytes into a file and returns its path."""

    def put(data):
        (tmp_path / "many").write_bytes(data)
        return tmp_path / "many"

    return put


def test_sessions_have_line_numbers_of_the_file(three_sessions, write_file):
    journals = list(iter_journals(write_file(b"".join(three_sessions))))
    assert [one.header.seed for one in journals] == [1, 9, 3]
    starts = [
        1,
        1 + len(split_lines(three_sessions[0])),
        1 + len(split_lines(three_sessions[0])) + len(split_lines(three_sessions[1])),
    ]
    assert [one.first_line for one in journals] == starts
    assert [one.size for one in journals] == list(map(len, three_sessions))
    assert journals[2].entries[0].number == starts[2] + 1


def test_only_the_last_session_can_be_torn(three_sessions, write_file):
    first, second, third = iter_journals(write_file(b"".join(three_sessions)[:-5]))
    assert (first.torn, second.torn) == (b"", b"")
    assert third.torn == split_lines(three_sessions[2])[-1][:-5]
    cut = b"".join(split_lines(three_sessions[0])[:-1]) + split_lines(three_sessions[0])[-1][:-5] + b"\n"
    bad = next(iter_journals(write_file(cut + three_sessions[1])))
    assert isinstance(bad, JournalError)
    assert bad.line == len(split_lines(three_sessions[0]))


def test_session_after_a_damaged_one_is_read(three_sessions, write_file):
    bad = three_sessions[1].replace(b'"bid ', b'"bad ', 1)
    good, damaged, last = iter_journals(write_file(three_sessions[0] + bad + three_sessions[2]))
    assert good.header.seed == 1
    assert "checksum" in damaged.reason
    assert damaged.line > len(split_lines(three_sessions[0]))
    assert last.header.seed == 3
    assert last.first_line == 1 + len(split_lines(three_sessions[0] + bad))


def test_session_after_a_too_large_one_is_read(three_sessions, write_file, monkeypatch):
    monkeypatch.setattr("cardtable.engine.checksummed_jsonl.MAX_BYTES", 60_000)
    monkeypatch.setattr("cardtable.store.session_files.MAX_SESSION_BYTES", 60_000)
    large = three_sessions[0] + b"\n" * 200_000 + (b"x" * 3000 + b"\n") * 60
    path = write_file(large + three_sessions[2])
    assert len(next(session_files.iter_sessions(path)).data) < 70_000
    refused, last = iter_journals(path)
    assert refused.reason == "the session is larger than 4 MiB"
    assert last.header.seed == 3
    assert last.first_line == 1 + large.count(b"\n")


def test_talk_with_header_text_starts_no_session(short, write_file):
    session = create_session()
    session.referee.advance()
    session.referee.say('{"cardtable":2}\n{"cardtable":2}')
    session.close()
    (one,) = iter_journals(write_file(session.path.read_bytes()))
    assert len(one.entries) == 2


@pytest.mark.parametrize("data", [b"", b"\n", b"x", b"\0" * 100_000, b"hello\n" * 10, b'{"cardtable":2}\n'])
def test_invalid_journal_fails_in_first_line(write_file, data):
    (bad,) = iter_journals(write_file(data))
    assert bad.line == 1


def test_missing_file_raises_file_error(tmp_path):
    with pytest.raises(FileError, match="gone: No such file"):
        next(iter_journals(tmp_path / "gone"))


def test_read_session_refuses_several_sessions(three_sessions, write_file, monkeypatch):
    several = write_file(b"".join(three_sessions))
    with pytest.raises(SeveralSessions, match="several sessions"):
        session_files.read_session(several)
    header = split_lines(three_sessions[1])[0]
    with pytest.raises(SeveralSessions, match="several sessions"):
        session_files.read_session(write_file(three_sessions[0] + header))
    monkeypatch.setattr("cardtable.store.session_files.MAX_SESSION_BYTES", len(three_sessions[0]) + 500)
    with pytest.raises(SeveralSessions, match="several sessions"):
        session_files.read_session(write_file(b"".join(three_sessions) * 3))


def test_consecutive_headers_are_refused(three_sessions, write_file):
    header = split_lines(three_sessions[0])[0]
    for data, line in ((header * 1000, 1), (b'{"cardtable":2}\n' * 1000, 1), (three_sessions[1] + header * 1000, 0)):
        path, before = write_file(data), []
        with pytest.raises(DamagedJournal, match="another header") as error_info:
            before.extend(session_files.iter_sessions(path))
        assert error_info.value.line == (line or 1 + len(split_lines(three_sessions[1])))
        assert len(before) == (not line)
        with pytest.raises(DamagedJournal if line else SeveralSessions):
            session_files.read_session(path)


@pytest.mark.parametrize("length", [5_000, 6_000_000])
@pytest.mark.parametrize("before", [0, 1])
def test_too_long_line_is_reported_at_any_length(three_sessions, write_file, before, length):
    long = b'{"%s":"%s"}\n' % (b"say" if before else b"cardtable", b"a" * length)
    path = write_file(split_lines(three_sessions[0])[0] * before + long)
    (by_part,) = iter_journals(path)
    with pytest.raises(DamagedJournal) as as_one:
        session_files.parse_session(path, session_files.read_session(path))
    assert by_part.reason == "the line is longer than 4 KiB"
    assert (by_part.line, as_one.value.line) == (1 + before, 1 + before)
    assert by_part.reason in str(as_one.value)


def test_cache_file_is_refused(write_file):
    path = write_file(b'{"kept":9}\n{"file":"a"}\n')
    for function in (session_files.read_session, lambda path: next(session_files.iter_sessions(path))):
        with pytest.raises(CacheFile, match="no session"):
            function(path)


@pytest.mark.parametrize("before", ["", "half", "whole", "whole sessions"])
def test_sparse_file_of_100_gb(three_sessions, write_file, before):
    data = {
        "": b"",
        "half": three_sessions[0][:500],
        "whole": three_sessions[0],
        "whole sessions": three_sessions[0] + three_sessions[1],
    }[before]
    path = write_file(data)
    os.truncate(path, 10**11)
    *good, bad = iter_journals(path)
    assert [one.size for one in good] == ([len(three_sessions[0])] if before == "whole sessions" else [])
    assert "larger than 4 MiB" in bad.reason
    with pytest.raises(FileError):
        session_files.parse_session(path, session_files.read_session(path))
