"""Whatever happens to the bytes of a journal: the exact lines before it, or one line that says where."""

import itertools
from random import Random

import pytest

from cardtable.engine import journal
from cardtable.engine.errors import CardtableError
from cardtable.store import paths, sessions
from cardtable.store.errors import DamagedJournal, FileError
from tests.store.playing import begin, lines, play, states, what, whole

pytestmark = pytest.mark.promise(
    "For maintainers",
    "A truncated journal opens with its complete lines; flipped bits and lost or swapped lines are detected.",
)

SECTOR = 512


@pytest.fixture
def over(short):
    """The journal of a session that is over, with a line of every kind."""
    data = whole()
    kinds = {kind for kind in journal.KINDS for e in journal.read(data).entries if getattr(e.line, kind) is not None}
    assert kinds == set(journal.KINDS) - {"forfeit"}
    return data


@pytest.fixture
def put():
    """Put bytes where a journal lies; gives its path."""
    path = paths.sessions_folder() / "damaged.jsonl"
    paths.create_folder(path.parent)

    def put(data):
        path.unlink(missing_ok=True)  # to write over a file is much slower
        path.write_bytes(data)
        return path

    return put


def torn_bytes():
    """What was kept aside, and is forgotten now."""
    kept = sorted(paths.sessions_folder().glob("*.torn"))
    data = [path.read_bytes() for path in kept]
    for path in kept:
        path.unlink()
    return data


def test_cut_at_every_byte_the_exact_lines_before_it_are_there(over, put):
    known = states(over)
    ends = list(itertools.accumulate(map(len, lines(over))))
    for size in range(ends[0]):
        with pytest.raises(FileError):
            sessions.resume(put(over[:size]))
        assert put(over[:size]).read_bytes() == over[:size]
    for size in range(ends[0], len(over)):
        path = put(over[:size])
        session = sessions.resume(path)
        good = max(end for end in ends if end <= size)
        kept = 1 + ends.index(good)
        left = over[good:size]
        assert bool(session.notice) == bool(left)
        assert torn_bytes() == ([left] if left else [])
        assert session.path.read_bytes()[:good] == over[:good]
        if kept == len(ends) - 1:  # only the end was missing
            assert session.referee.ended
            session.path.unlink()
        else:
            assert what(session.referee) == known[kept]
            assert path.stat().st_size == good
        session.close()


def opened(put, data):
    """The lines that a journal of these bytes opens with, or the error; then the file is as it was."""
    path = put(data)
    try:
        session = sessions.resume(path)
    except FileError as error:
        assert path.read_bytes() == data
        assert not torn_bytes()
        return error
    session.close()
    kept = lines(session.path.read_bytes())
    session.path.unlink()
    aside = torn_bytes()
    if aside:
        assert data.endswith(aside[0])
        return kept[: len(lines(data[: len(data) - len(aside[0])]))]
    return kept


def test_no_bit_can_flip_unseen(over, put):
    all_lines = lines(over)
    before_last = len(over) - len(all_lines[-1])
    for at in range(len(over)):
        flipped = bytearray(over)
        flipped[at] ^= 1 << at % 8
        line = 1 + over.count(b"\n", 0, at)
        found = opened(put, bytes(flipped))
        if isinstance(found, DamagedJournal):
            told = 2 if line == 1 and found.good else line  # a header without checksum shows in line 2
            assert (found.line, found.good) == (told, told - 1)
        else:  # in the last line: as a crash may leave it
            assert at >= before_last
            assert found == all_lines[: line - 1]


def refused(put, changed, original):
    """Whether a journal of these lines is damaged, or opens with what is as it was but for the last."""
    found = opened(put, b"".join(changed))
    return isinstance(found, FileError) or found == original[: len(changed) - 1] == changed[:-1]


def test_no_line_can_be_lost_doubled_or_swapped(over, put):
    original = lines(over)
    last = len(original) - 1
    for i in range(last):
        assert refused(put, original[:i] + original[i + 1 :], original)
    for i in range(last + 1):
        assert refused(put, original[: i + 1] + original[i:], original)
    for i, j in itertools.combinations(range(last + 1), 2):
        changed = original.copy()
        changed[i], changed[j] = changed[j], changed[i]
        assert refused(put, changed, original)


def crash_states(before, line):
    """What the disk may hold after the power failed while a line was written.

    Of its 512-byte sectors any may have been written, the others are zeros; the size may be
    the old one, the new one, one between, or longer.
    """
    start, stop = len(before), len(before) + len(line)
    whole = before + line
    first, last = start // SECTOR, (stop - 1) // SECTOR
    sizes = {start, stop, (stop // 4096 + 1) * 4096, *range((first + 1) * SECTOR, stop, SECTOR)}
    for written in itertools.product((False, True), repeat=last - first + 1):
        held = bytearray(before + bytes(len(line)))
        for sector, there in enumerate(written, first):
            part = slice(max(sector * SECTOR, start), min((sector + 1) * SECTOR, stop))
            if there:
                held[part] = whole[part]
        for size in sizes:
            yield bytes(held[:size].ljust(size, b"\0"))


@pytest.mark.parametrize("start", [1, 100, 300, 420, 511])
@pytest.mark.parametrize("text", ["", "x" * 600, "ä" * 1000])
def test_the_power_fails_while_a_line_is_written(put, start, text):
    session = begin()
    play(session.referee, Random(1), 3)
    filler = (start - session.path.stat().st_size - 200) % SECTOR
    session.referee.say("f" * filler)
    before = session.path.read_bytes()
    if text:
        session.referee.say(text)
    else:
        play(session.referee, Random(1), 1)
    session.close()
    line = session.path.read_bytes()[len(before) :]
    tried = 0
    for held in crash_states(before, line):
        resumed = sessions.resume(put(held))
        resumed.close()
        assert resumed.path.read_bytes() == (before + line if held.rstrip(b"\0") == before + line else before)
        assert bool(resumed.notice) == (held not in (before, before + line))
        torn_bytes()
        tried += 1
    assert tried >= 6


def test_power_and_a_crash_again_and_again(put):
    """A torn line found while another is kept aside gets a number of its own."""
    session = begin()
    play(session.referee, Random(1), 4)
    session.close()
    data = session.path.read_bytes()
    for _ in range(3):
        sessions.resume(put(data[:-5])).close()
    assert sorted(path.name for path in paths.sessions_folder().glob("*.torn")) == [
        "damaged.2.torn", "damaged.3.torn", "damaged.torn"
    ]  # fmt: skip
    assert set(torn_bytes()) == {lines(data)[-1][:-5]}


@pytest.mark.parametrize(
    ("data", "why"),
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
        (b'{"cardtable":1,"cardtable":1}\n{}\n', "stands twice"),
        (b"x" * (4 * 1024 * 1024 + 1), "longer than 4 KiB"),
        (b"x\n" * (2 * 1024 * 1024 + 1), "larger than 4 MiB"),
    ],
)
def test_what_is_no_journal_is_said_in_one_line(put, data, why):
    path = put(data)
    for way in (sessions.resume, sessions.fork):
        with pytest.raises(CardtableError, match=why) as found:
            way(path)
        assert str(found.value).isprintable()
        assert len(str(found.value)) <= 200
        assert path.name in str(found.value)
    assert path.read_bytes() == data


def test_line_ends_of_an_editor_are_named(short, put):
    data = whole()
    with pytest.raises(DamagedJournal, match="CR LF: an editor has changed the file"):
        sessions.resume(put(data.replace(b"\n", b"\r\n")))
    with pytest.raises(DamagedJournal, match="byte order mark"):
        sessions.resume(put(b"\xef\xbb\xbf" + data))
