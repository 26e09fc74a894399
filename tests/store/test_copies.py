"""Copies of a session, as programs for folder synchronisation make them: one file counts as the session."""

from datetime import datetime
from random import Random

import msgspec
import pytest

from cardtable.engine import journal
from cardtable.engine.errors import CardtableError
from cardtable.engine.journal import ActionLine, TalkLine
from cardtable.games import GAMES
from cardtable.records.ratings import Player
from cardtable.store import archive_index, credit_ledger, paths, profiles, sessions, summaries
from cardtable.store.session_setup import SessionSetup, create_default_setup
from tests.records.archive_sessions import aggregate_records
from tests.store.playing import create_closed_session, create_unfinished_journal, play_randomly, split_lines

COPY_NAMES = [
    "{} (conflicted copy 2026-11-20)",
    "{} (Anna's conflicted copy)",
    "{}.sync-conflict-20261120-083728-ABCDEFG",
    "{}_conflict-20261120-083728",
    "{} 2",
    "{} (1)",
    "{}~",
    "{}-LAPTOP",
    "Copy of {}",
    "renamed",
]
FOLDERS = [paths.sessions_folder, paths.archive_folder]


pytestmark = pytest.mark.usefixtures("short")


def append_lines(data, *lines):
    """Return the journal with these lines at its end."""
    read = journal.read(data)
    return journal.encode(read.header, [*[entry.line for entry in read.entries], *lines])


def append_talk(data, *texts):
    """Return the journal with a line of talk for each text."""
    return append_lines(data, *[TalkLine(text=text) for text in texts])


def remove_checksums(data):
    """Return the journal without checksums."""
    read = journal.read(data)
    return b"".join([body + b"\n" for body in [read.header_body, *[entry.body for entry in read.entries]]])


@pytest.fixture
def data():
    """Journal of an unfinished session whose file is deleted."""
    path = create_unfinished_journal()
    content = path.read_bytes()
    path.unlink()
    return content


@pytest.fixture
def id_(data):
    return journal.read(data).header.id


@pytest.fixture
def write_copy(id_):
    def put(folder, name, data):
        paths.create_folder(folder())
        path = folder() / f"{name.format(id_)}.jsonl"
        path.write_bytes(data)
        return path

    return put


def list_paths():
    """Return the paths of the unfinished sessions and of all sessions, and check that the index lists the same ones."""
    first = sorted(each.path for each in archive_index.list_summaries())
    assert sorted(each.path for each in archive_index.list_summaries()) == first
    return [each.path for each in summaries.list_unfinished()], first


def assert_only_session(path):
    """Assert that this file alone is listed as a session, as unfinished if it is in the folder of those."""
    assert list_paths() == ([path] if path.parent == paths.sessions_folder() else [], [path])


@pytest.mark.parametrize("name", COPY_NAMES)
@pytest.mark.parametrize("folder", FOLDERS)
class TestOneCopy:
    def test_same_or_older_copy_is_hidden(self, folder, name, data, id_, write_copy):
        for copied in (data, b"".join(split_lines(data)[:-2])):
            own, _ = write_copy(folder, "{}", data), write_copy(folder, name, copied)
            assert_only_session(own)
            assert summaries.find_path(id_) == summaries.find_path(id_[:-2]) == own
            assert [each.ignored for each in archive_index.list_copies()] == [()]

    def test_longer_copy_replaces_the_session(self, folder, name, data, id_, write_copy):
        write_copy(folder, "{}", data)
        copy = write_copy(folder, name, append_talk(data, "played on elsewhere"))
        assert_only_session(copy)
        assert archive_index.list_summaries()[0].id == id_
        if name != "renamed":
            assert summaries.find_path(id_) == copy

    def test_diverged_copy_is_ignored(self, folder, name, data, write_copy):
        own = write_copy(folder, "{}", append_talk(data, "here"))
        copy = write_copy(folder, name, append_talk(data, "there", "and on"))
        assert_only_session(own)
        number = data.count(b"\n") + 1
        assert [each.ignored for each in archive_index.list_copies()] == [
            ((copy, f"it differs from line {number} on"),)
        ]

    def test_copy_without_checksums_is_ignored(self, folder, name, data, write_copy):
        own, copy = write_copy(folder, "{}", data), write_copy(folder, name, remove_checksums(append_talk(data, "on")))
        assert_only_session(own)
        assert [each.ignored for each in archive_index.list_copies()] == [((copy, "it has no checksums"),)]

    def test_damaged_copy_is_reported_and_ignored(self, folder, name, data, id_, write_copy):
        cut = split_lines(data)
        own, copy = write_copy(folder, "{}", data), write_copy(folder, name, b"".join([*cut[:4], *cut[5:]]))
        errors = {each.path: bool(each.error) for each in archive_index.list_summaries()}
        assert errors == {own: False, copy: True}
        assert summaries.find_path(id_) == own

    def test_torn_copy_is_treated_as_older(self, folder, name, data, write_copy):
        own, _ = write_copy(folder, "{}", data), write_copy(folder, name, data[:-9])
        assert_only_session(own)


@pytest.mark.parametrize("folder", FOLDERS)
def test_longest_sealed_copy_replaces_missing_file(folder, data, id_, write_copy):
    write_copy(folder, COPY_NAMES[0], data)
    longest = write_copy(folder, COPY_NAMES[2], append_talk(data, "on"))
    write_copy(folder, COPY_NAMES[4], remove_checksums(append_talk(data, "on", "and on")))
    apart = write_copy(folder, COPY_NAMES[6], append_talk(data, "elsewhere"))
    assert_only_session(longest)
    assert summaries.find_path(id_) == longest
    [files] = archive_index.list_copies()
    assert apart in dict(files.ignored)


def test_unsealed_copy_alone_is_not_listed(data, write_copy):
    copy = write_copy(paths.archive_folder, COPY_NAMES[0], remove_checksums(data))
    assert list_paths() == ([], [])
    assert [each.ignored for each in archive_index.list_copies()] == [((copy, "it has no checksums"),)]
    copy.unlink()
    own = write_copy(paths.archive_folder, "{}", remove_checksums(data))
    assert_only_session(own)


@pytest.mark.parametrize("name", COPY_NAMES)
def test_copy_of_the_index_is_not_listed(name, data, write_copy):
    own = write_copy(paths.archive_folder, "{}", data)
    assert_only_session(own)
    copy = paths.archive_folder() / f"{name.format('index')}.jsonl"
    copy.write_bytes(paths.index_file().read_bytes())
    assert_only_session(own)
    assert copy.exists()


def test_unsealed_journal_may_have_any_name(data, write_copy):
    own = write_copy(paths.archive_folder, "my first game", remove_checksums(data))
    assert_only_session(own)


@pytest.mark.parametrize(
    ("unfinished_one", "archived_one", "counts"),
    [((), (), "archived"), (("a",), (), "unfinished"), ((), ("a",), "archived"), (("a",), ("b",), "unfinished")],
    ids=["equal", "unfinished goes on", "archived goes on", "both went on"],
)
def test_same_session_in_both_folders(unfinished_one, archived_one, counts, data, id_, write_copy):
    made = {
        "unfinished": write_copy(paths.sessions_folder, "{}", append_talk(data, *unfinished_one)),
        "archived": write_copy(paths.archive_folder, "{}", append_talk(data, *archived_one)),
    }
    own = made[counts]
    assert_only_session(own)
    assert summaries.find_path(id_) == own


def test_unfinished_copies_of_a_finished_session(write_copy):
    session = create_closed_session()
    data = session.path.read_bytes()
    cut = b"".join(split_lines(data)[:-3])
    write_copy(paths.sessions_folder, session.header.id, cut)
    write_copy(paths.sessions_folder, f"{session.header.id} 2", append_talk(cut, "elsewhere"))
    assert [each.path for each in archive_index.list_summaries()] == [session.path]
    assert summaries.list_unfinished() == []
    assert [each.path for each in archive_index.list_finished()] == [session.path]


def test_unplayable_copy_is_ignored(data, write_copy):
    own = write_copy(paths.sessions_folder, "{}", data)
    write_copy(paths.sessions_folder, COPY_NAMES[0], append_lines(data, ActionLine(0, "bid 99")))
    assert [each.path for each in summaries.list_unfinished()] == [own]


def test_file_named_like_another_session(data, id_, write_copy):
    other = create_unfinished_journal()
    moved = write_copy(paths.archive_folder, "{}", other.read_bytes())
    other.unlink()
    assert summaries.read_session_id(moved) != id_
    with pytest.raises(CardtableError, match="no session begins with"):
        summaries.find_path(f"{id_}0")
    assert [each.id for each in archive_index.list_summaries()] == [summaries.read_session_id(moved)]


# --- copies in statistics, credits and lists of ids


def create_finished_session(nick="Anna", seed=1):
    game = GAMES["rikiki"]
    session = create_default_setup(game, nick).begin()
    play_randomly(session.referee, Random(seed), 10_000)
    session.close()
    return session.path


def count_sessions_of_anna():
    records = aggregate_records()
    return records.statistics[Player("Anna"), "rikiki"].sessions, len(records.ratings["rikiki"].end_times)


def test_copies_count_once_in_records(write_copy):
    profiles.register("Anna")
    data = create_finished_session().read_bytes()
    own = journal.read(data).header.id
    before = count_sessions_of_anna()
    for name in COPY_NAMES:
        write_copy(paths.archive_folder, name.format(own), data)
        write_copy(paths.sessions_folder, name.format(own), b"".join(split_lines(data)[:-1]))
    assert before == count_sessions_of_anna() == (1, 1)
    (paths.archive_folder() / f"{own}.jsonl").unlink()
    assert count_sessions_of_anna() == (1, 1), "the longest copy counts then"


def test_stakes_are_held_while_a_copy_exists():
    profiles.register("Anna")
    game = GAMES["ten_down"]
    seats = create_default_setup(game, "Anna").seats
    session = SessionSetup(game, seats, game.options(room=50), None, random_seating=False).begin()
    session.close()
    session.path.rename(session.path.with_name(f"{session.header.id} (conflicted copy).jsonl"))
    credit_ledger.pay_out()
    assert profiles.find("Anna").credits == 950
    next(paths.sessions_folder().iterdir()).unlink()
    credit_ledger.pay_out()
    assert profiles.find("Anna").credits == 1000


def test_new_id_avoids_ids_of_copies(id_, data, write_copy, monkeypatch):
    write_copy(paths.archive_folder, "Copy of {}", data)
    drawn = iter([id_.rpartition("-")[2], "abcd"])
    monkeypatch.setattr(sessions.os, "urandom", lambda _digits: bytes.fromhex(next(drawn)))
    when = msgspec.convert(journal.read(data).header.created, type=datetime)
    assert sessions.generate_id(when, "rikiki").endswith("-abcd")


def test_copied_club_session_is_not_missing(id_, data, write_copy):
    assert archive_index.is_import_missing(id_)
    write_copy(paths.archive_folder, COPY_NAMES[0], data)
    assert not archive_index.is_import_missing(id_)
