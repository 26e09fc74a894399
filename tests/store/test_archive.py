"""All sessions from an index that may be anything: deleted, stale, half written, hostile."""

import pytest

from cardtable.store import archive, files, paths, sessions, summaries
from tests.store.playing import begin, fill, lines, unfinished, whole

pytestmark = pytest.mark.usefixtures("short", "quick")


@pytest.fixture
def kept():
    """A session that is over, one that was given up and one that is open; what a first look finds."""
    whole()
    given_up = unfinished()
    sessions.give_up(given_up)
    unfinished()
    return archive.entries()


@pytest.fixture
def unread(monkeypatch):
    """The journals that are read from now on."""
    read, original = [], files.read_session
    monkeypatch.setattr(files, "read_session", lambda path: read.append(path) or original(path))
    return read


def states(found):
    return {(each.state, each.round, each.totals, each.ranks, each.name, each.undone) for each in found}


def judged(found):
    """The same sessions, each read and judged as a whole."""
    return {(each.path, *states([summaries.whole(each.path)])) for each in found}


def test_what_is_listed_is_what_the_journals_say(kept):
    assert {each.state for each in kept} == {"over", "given-up", "open"}
    assert {(each.path, *states([each])) for each in kept} == judged(kept)
    assert {each.name for each in kept} == {"Friday"}


def test_a_second_look_reads_no_journal(kept, unread):
    assert states(archive.entries()) == states(kept)
    assert unread == []


def test_the_index_is_no_session(kept):
    assert paths.index().exists()
    assert len(kept) == 3
    assert "index" not in sessions.ids()


def test_what_is_new_is_read_and_nothing_else(kept, unread):
    session = begin()
    fill(session)
    session.close()
    assert len(archive.entries()) == 4
    assert set(unread) == {session.path}


def test_what_has_changed_is_shown_as_it_is(kept):
    given_up = next(each.path for each in kept if each.state == "given-up")
    given_up.write_bytes(b"".join(lines(given_up.read_bytes())[:-3]))
    assert {(each.path, *states([each])) for each in archive.entries()} == judged(kept)


def test_what_is_gone_is_not_shown(kept):
    for each in kept:
        each.path.unlink()
    assert archive.entries() == []


def test_given_up_and_taken_back_it_is_another_row(kept):
    given_up = next(each.path for each in kept if each.state == "given-up")
    sessions.take_back(given_up)
    assert sorted(each.state for each in archive.entries()) == ["open", "open", "over"]


def test_first_the_header_then_the_figures_of_what_was_not_played_to_its_end(kept):
    paths.index().unlink()
    found = archive.Archive()
    found.look()
    steps = [(found.unread, found.half_read, len(found.sessions()))]
    while found.read(0.0):
        steps.append((found.unread, found.half_read, len(found.sessions())))
        assert all(each.known or not each.round for each in found.sessions())
    assert steps == [(3, 0, 0), *steps[1:3], (0, 2, 3), (0, 1, 3)]
    assert states(found.sessions()) == states(kept)
    assert (found.unread, found.half_read) == (0, 0)
