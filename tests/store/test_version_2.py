"""Journals of version 2, which have sentences in place of marks, are read and continued as such.

`version_2.jsonl` was written by a program of that version: an unfinished session of each game, with all three
sentences, and with the same words as talk of a player.
"""

from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from cardtable.engine import journal
from cardtable.engine.journal import SENTENCES, MarkLine, TalkLine
from cardtable.games import KEYS
from cardtable.records.review import load_reviewed_session
from cardtable.store import paths, session_files, sessions, summaries
from cardtable.wording import export_formats
from tests.journal_lines import select_lines
from tests.store.playing import create_closed_session, play_randomly

SHORT_OPTIONS = {"rikiki": {"length": "short"}, "rummy": {"limit": 500}}


def split_sessions(data):
    """Return the journals of a file by game."""
    size = journal.find_next_session(data) or len(data)
    first = data[:size]
    return {journal.read(first).header.game: first} | (split_sessions(data[size:]) if data[size:] else {})


WRITTEN = split_sessions((Path(__file__).parent / "version_2.jsonl").read_bytes())


@pytest.fixture(params=KEYS)
def path(request, home):
    """Path of a session that a program of version 2 has written."""
    data = WRITTEN[request.param]
    paths.create_folder(paths.sessions_folder())
    path = paths.sessions_folder() / f"{journal.read(data).header.id}.jsonl"
    path.write_bytes(data)
    return path


def test_sentences_are_read_as_marks_and_written_as_sentences(path):
    read = session_files.load_journal(path)
    marks = [line.mark for line in select_lines(MarkLine, read)]
    assert marks == ["at-club", "private", "hands-revealed"]
    assert [line.text for line in select_lines(TalkLine, read) if line.seat is None] == ["Kay: hello"]
    assert [line.text for line in select_lines(TalkLine, read) if line.seat == 0][1:] == [
        SENTENCES[mark] for mark in marks
    ]
    assert journal.encode(read.header, [entry.line for entry in read.entries]) == path.read_bytes()
    assert summaries.summarize_full(path).marks == {*SENTENCES}


def test_session_goes_on_with_sentences(path):
    before, session = path.read_bytes(), sessions.resume(path)
    play_randomly(session.referee, Random(1), 1)
    session.referee.void("clock")
    session.referee.advance()
    session.close()
    added = session.path.read_bytes().removeprefix(before)
    assert added.count(b'\n{"say":"%s","at":' % SENTENCES["hands-revealed"].encode()) == 1, "after the next deal"
    assert b'"mark"' not in added
    sessions.resume_at_club(session.path).close()
    assert session.path.read_bytes() == before + added, "it is known to be at the club"


@pytest.mark.parametrize("key", KEYS)
def test_session_is_the_same_in_both_versions(key):
    session = create_closed_session(9, key, **SHORT_OPTIONS.get(key, {}))
    read = session_files.load_journal(session.path)
    lines = [entry.line for entry in read.entries]
    results = []
    for version in (2, 3):
        path = session.path.with_name(f"version-{version}.jsonl")
        header = replace(read.header, cardtable=version, id=path.stem)
        path.write_bytes(journal.encode(header, lines))
        assert [entry.line for entry in session_files.load_journal(path).entries] == lines
        copy, resumed = sessions.fork(path), sessions.resume(path)
        play_randomly(resumed.referee, Random(2), 30)
        for each in (copy, resumed):
            assert each.journal().header.cardtable == version
            each.close()
        written = session_files.load_journal(resumed.path)
        referee = session_files.replay_journal(resumed.path, written)
        results.append(
            (
                [replace(entry.line, at=None, when=None) for entry in written.entries],
                [entry.line for entry in session_files.load_journal(copy.path).entries],
                export_formats.format_session(written, referee).replace(path.stem, ""),
                load_reviewed_session(written, 0, is_abandoned=True).decisions,
                summaries.summarize_full(resumed.path).totals,
            )
        )
    assert results[0] == results[1]
