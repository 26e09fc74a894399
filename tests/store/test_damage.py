"""Damaged journals: the exact lines before the damage, or one line that says where it is."""

import itertools
import os
from random import Random

import pytest

from cardtable.engine import journal
from cardtable.engine.checksummed_jsonl import JournalError
from cardtable.engine.errors import CardtableError
from cardtable.store import paths, session_files, sessions
from cardtable.store.errors import CacheFile, DamagedJournal, FileError, SeveralSessions
from tests.store.playing import (
    capture_views,
    collect_states,
    create_closed_session,
    create_finished_journal,
    create_session,
    list_probed_offsets,
    play_randomly,
    split_lines,
)

SECTOR_SIZE = 512


@pytest.fixture
def finished_journal(short):
    """Journal of a finished session with a line of every kind."""
    data = create_finished_journal()
    kinds = {type(entry.line) for entry in journal.read(data).entries}
    assert kinds == {*journal.KINDS.values()} - {journal.ForfeitLine, journal.LostLine}
    return data


def take_torn_bytes():
    """Return the contents of all files of torn lines, and delete them."""
    torn_files = sorted(paths.sessions_folder().glob("*.torn"))
    data = [path.read_bytes() for path in torn_files]
    for path in torn_files:
        path.unlink()
    return data


def test_truncated_journal_keeps_complete_lines(finished_journal, write_journal):
    known = collect_states(finished_journal)
    ends = list(itertools.accumulate(map(len, split_lines(finished_journal))))
    for size in list_probed_offsets(finished_journal):
        path = write_journal(finished_journal[:size])
        if size < ends[0]:
            with pytest.raises(FileError):
                sessions.resume(path)
            assert path.read_bytes() == finished_journal[:size]
            continue
        session = sessions.resume(path)
        good = max(end for end in ends if end <= size)
        line_count = 1 + ends.index(good)
        left = finished_journal[good:size]
        assert bool(session.notice) == bool(left)
        assert take_torn_bytes() == ([left] if left else [])
        assert session.path.read_bytes()[:good] == finished_journal[:good]
        if line_count == len(ends) - 1:  # only the end was missing
            assert session.referee.ended
            session.path.unlink()
        else:
            assert capture_views(session.referee) == known[line_count]
            assert path.stat().st_size == good
        session.close()


def resume_bytes(write_journal, data):
    """Return the lines that the session resumed from these bytes keeps, or the error, after which the file must be
    unchanged.
    """
    path = write_journal(data)
    try:
        session = sessions.resume(path)
    except FileError as error:
        assert path.read_bytes() == data
        assert not take_torn_bytes()
        return error
    session.close()
    lines = split_lines(session.path.read_bytes())
    session.path.unlink()
    aside = take_torn_bytes()
    if aside:
        assert data.endswith(aside[0])
        return lines[: len(split_lines(data[: len(data) - len(aside[0])]))]
    return lines


def test_flipped_bit_is_detected(finished_journal, write_journal):
    all_lines = split_lines(finished_journal)
    before_last = len(finished_journal) - len(all_lines[-1])
    for at in list_probed_offsets(finished_journal):
        flipped = bytearray(finished_journal)
        flipped[at] ^= 1 << at % 8
        line = 1 + finished_journal.count(b"\n", 0, at)
        result = resume_bytes(write_journal, bytes(flipped))
        if isinstance(result, DamagedJournal):
            reported_line = 2 if line == 1 and result.good else line  # a header without checksum shows in line 2
            assert (result.line, result.good) == (reported_line, reported_line - 1)
        else:  # in the last line: as a crash may leave it
            assert at >= before_last
            assert result == all_lines[: line - 1]


def is_detected(write_journal, changed, original):
    """Return True if the journal is reported as damaged, or if it opens with its original lines except the last."""
    result = resume_bytes(write_journal, b"".join(changed))
    return isinstance(result, FileError) or result == original[: len(changed) - 1] == changed[:-1]


def test_lost_repeated_or_swapped_lines_are_detected(finished_journal, write_journal):
    original = split_lines(finished_journal)
    last = len(original) - 1
    for i in range(last):
        assert is_detected(write_journal, original[:i] + original[i + 1 :], original)
    for i in range(last + 1):
        assert is_detected(write_journal, original[: i + 1] + original[i:], original)
    for i in range(last):
        swapped = [*original[:i], original[i + 1], original[i], *original[i + 2 :]]
        assert is_detected(write_journal, swapped, original)


def iter_crash_states(before, line):
    """Yield what the disk may contain after a power failure during the write of a line.

    Each of the 512-byte sectors may have been written or contain zeros; the size may be the old one, the new one, one
    between, or larger.
    """
    start, stop = len(before), len(before) + len(line)
    whole = before + line
    first, last = start // SECTOR_SIZE, (stop - 1) // SECTOR_SIZE
    sizes = {start, stop, (stop // 4096 + 1) * 4096, *range((first + 1) * SECTOR_SIZE, stop, SECTOR_SIZE)}
    for written in itertools.product((False, True), repeat=last - first + 1):
        content = bytearray(before + bytes(len(line)))
        for sector, is_written in enumerate(written, first):
            part = slice(max(sector * SECTOR_SIZE, start), min((sector + 1) * SECTOR_SIZE, stop))
            if is_written:
                content[part] = whole[part]
        for size in sizes:
            yield bytes(content[:size].ljust(size, b"\0"))


@pytest.mark.parametrize("start", [1, 100, 300, 420, 511])
@pytest.mark.parametrize("text", ["", "x" * 600, "ä" * 1000])
def test_power_failure_while_a_line_is_written(write_journal, start, text):
    session = create_session()
    play_randomly(session.referee, Random(1), 3)
    filler = (start - session.path.stat().st_size - 200) % SECTOR_SIZE
    session.referee.say("f" * filler)
    before = session.path.read_bytes()
    if text:
        session.referee.say(text)
    else:
        play_randomly(session.referee, Random(1), 1)
    session.close()
    line = session.path.read_bytes()[len(before) :]
    tried = 0
    for content in iter_crash_states(before, line):
        resumed = sessions.resume(write_journal(content))
        resumed.close()
        assert resumed.path.read_bytes() == (before + line if content.rstrip(b"\0") == before + line else before)
        assert bool(resumed.notice) == (content not in (before, before + line))
        take_torn_bytes()
        tried += 1
    assert tried >= 6


def test_repeated_crashes_keep_every_torn_line(write_journal):
    """A second torn line is saved in a file with a number in its name."""
    session = create_session()
    play_randomly(session.referee, Random(1), 4)
    session.close()
    data = session.path.read_bytes()
    for _ in range(3):
        sessions.resume(write_journal(data[:-5])).close()
    assert sorted(path.name for path in paths.sessions_folder().glob("*.torn")) == [
        "damaged.2.torn", "damaged.3.torn", "damaged.torn"
    ]  # fmt: skip
    assert set(take_torn_bytes()) == {split_lines(data)[-1][:-5]}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "the file is empty"),
        (b"\n", "not valid JSON"),
        (b"\0" * 5000, "the file is empty"),
        (b"hello", "not a whole line"),
        (b"\xff\xfe{\0}\0\n\0\n\0", "not UTF-8"),
        (b"[" * 100_000 + b"\n{}\n", "longer than 4 KiB"),
        (b'{"a":' * 500 + b"1" + b"}" * 500 + b"\n{}\n", "nested too deeply"),
        (b'{"cardtable":NaN}\n{}\n', "NaN is not a number"),
        (b'{"cardtable":1e999}\n{}\n', "too large"),
        (b'{"cardtable":1' + b"0" * 4000 + b"}\n{}\n", "more than 15 digits"),
        (b'{"cardtable":true}\n{}\n', "not a cardtable journal"),
        (b'{"cardtable":2,"cardtable":2}\n{}\n', "occurs twice"),
        (b"x" * (4 * 1024 * 1024 + 1), "longer than 4 KiB"),
        (b"x\n" * (2 * 1024 * 1024 + 1), "larger than 4 MiB"),
    ],
)
def test_invalid_journal_is_reported_in_one_line(write_journal, data, message):
    path = write_journal(data)
    for function in (sessions.resume, sessions.fork):
        with pytest.raises(CardtableError, match=message) as error_info:
            function(path)
        assert str(error_info.value).isprintable()
        assert len(str(error_info.value)) <= 200
        assert path.name in str(error_info.value)
    assert path.read_bytes() == data


# --- files that contain many sessions, read one session at a time


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
    return [create_closed_session(decisions, seed=decisions).path.read_bytes() for decisions in (1, 9, 3)]


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
    monkeypatch.setattr("cardtable.engine.journal.MAX_SESSION_BYTES", 60_000)
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
    monkeypatch.setattr("cardtable.engine.journal.MAX_SESSION_BYTES", len(three_sessions[0]) + 500)
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
