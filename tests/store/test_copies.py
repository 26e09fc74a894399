"""Copies of a session beside it, as programs make them that synchronise folders: one file counts as the session."""

from datetime import date, datetime
from random import Random

import msgspec
import pytest

from cardtable.engine import journal
from cardtable.engine.errors import CardtableError
from cardtable.engine.journal import Line
from cardtable.games import GAMES
from cardtable.records.aggregation import aggregate
from cardtable.records.ratings import Player
from cardtable.records.review_worker import ReviewJob
from cardtable.store import (
    archive_index,
    club_import,
    credit_ledger,
    paths,
    profiles,
    score_tables,
    session_setup,
    sessions,
    summaries,
)
from cardtable.store.session_setup import SessionSetup, create_default_setup
from tests.store.playing import begin, fill, lines, play, unfinished

NAMES = [
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


@pytest.fixture(autouse=True)
def quick(short):
    """Sessions of two rounds."""


def gone_on(data, *texts):
    """A journal with more lines."""
    read = journal.read(data)
    return journal.encode([read.header, *[entry.line for entry in read.entries], *[Line(say=text) for text in texts]])


def written_by_hand(data):
    """A journal without checksums."""
    read = journal.read(data)
    return b"".join([body + b"\n" for body in [read.header_body, *[entry.body for entry in read.entries]]])


@pytest.fixture
def data():
    """An unfinished session, which is nowhere any more."""
    path = unfinished()
    found = path.read_bytes()
    path.unlink()
    return found


@pytest.fixture
def id_(data):
    return journal.read(data).header.id


@pytest.fixture
def put(id_):
    def put(folder, name, data):
        paths.create_folder(folder())
        path = folder() / f"{name.format(id_)}.jsonl"
        path.write_bytes(data)
        return path

    return put


def listed():
    """The files that are listed: unfinished ones, then all, at first and from the index."""
    first = sorted(each.path for each in archive_index.list_summaries())
    assert sorted(each.path for each in archive_index.list_summaries()) == first
    return [each.path for each in sessions.list_unfinished()], first


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("folder", FOLDERS)
class TestOneCopy:
    def test_same_or_older_copy_is_left_out(self, folder, name, data, id_, put):
        for shown in (data, b"".join(lines(data)[:-2])):
            own, _ = put(folder, "{}", data), put(folder, name, shown)
            assert listed() == ([own] * (folder is paths.sessions_folder), [own])
            assert sessions.find_path(id_) == sessions.find_path(id_[:-2]) == own
            assert [each.ignored for each in archive_index.list_copies()] == [()]

    def test_copy_that_goes_on_takes_its_place(self, folder, name, data, id_, put):
        put(folder, "{}", data)
        copy = put(folder, name, gone_on(data, "played on elsewhere"))
        assert listed() == ([copy] * (folder is paths.sessions_folder), [copy])
        assert archive_index.list_summaries()[0].id == id_
        if name != "renamed":
            assert sessions.find_path(id_) == copy

    def test_copy_that_went_on_differently_never_counts(self, folder, name, data, put):
        own = put(folder, "{}", gone_on(data, "here"))
        copy = put(folder, name, gone_on(data, "there", "and on"))
        assert listed() == ([own] * (folder is paths.sessions_folder), [own])
        number = data.count(b"\n") + 1
        assert [each.ignored for each in archive_index.list_copies()] == [
            ((copy, f"it differs from line {number} on"),)
        ]

    def test_copy_without_checksums_never_counts(self, folder, name, data, put):
        own, copy = put(folder, "{}", data), put(folder, name, written_by_hand(gone_on(data, "on")))
        assert listed() == ([own] * (folder is paths.sessions_folder), [own])
        assert [each.ignored for each in archive_index.list_copies()] == [((copy, "it has no checksums"),)]

    def test_damaged_copy_is_told_and_the_session_counts(self, folder, name, data, id_, put):
        cut = lines(data)
        own, copy = put(folder, "{}", data), put(folder, name, b"".join([*cut[:4], *cut[5:]]))
        troubles = {each.path: bool(each.trouble) for each in archive_index.list_summaries()}
        assert troubles == {own: False, copy: True}
        assert sessions.find_path(id_) == own

    def test_torn_copy_is_an_older_one(self, folder, name, data, put):
        own, _ = put(folder, "{}", data), put(folder, name, data[:-9])
        assert listed() == ([own] * (folder is paths.sessions_folder), [own])


@pytest.mark.parametrize("folder", FOLDERS)
def test_without_its_own_file_the_longest_copy_with_checksums_counts(folder, data, id_, put):
    put(folder, NAMES[0], data)
    longest = put(folder, NAMES[2], gone_on(data, "on"))
    put(folder, NAMES[4], written_by_hand(gone_on(data, "on", "and on")))
    apart = put(folder, NAMES[6], gone_on(data, "elsewhere"))
    assert listed() == ([longest] * (folder is paths.sessions_folder), [longest])
    assert sessions.find_path(id_) == longest
    [files] = archive_index.list_copies()
    assert apart in dict(files.ignored)


def test_a_copy_without_checksums_and_nothing_else(data, put):
    copy = put(paths.archive_folder, NAMES[0], written_by_hand(data))
    assert listed() == ([], [])
    assert [each.ignored for each in archive_index.list_copies()] == [((copy, "it has no checksums"),)]
    copy.unlink()
    own = put(paths.archive_folder, "{}", written_by_hand(data))
    assert listed() == ([], [own])


def test_a_journal_written_by_hand_may_have_any_name(data, put):
    own = put(paths.archive_folder, "my first game", written_by_hand(data))
    assert listed() == ([], [own])


@pytest.mark.parametrize(
    ("unfinished_one", "archived_one", "counts"),
    [
        ((), (), "archived"),
        (("a",), (), "unfinished"),
        ((), ("a",), "archived"),
        (("a",), ("b",), "unfinished"),
    ],
    ids=["equal", "unfinished goes on", "archived goes on", "both went on"],
)
def test_the_same_session_in_both_folders(unfinished_one, archived_one, counts, data, id_, put):
    made = {
        "unfinished": put(paths.sessions_folder, "{}", gone_on(data, *unfinished_one)),
        "archived": put(paths.archive_folder, "{}", gone_on(data, *archived_one)),
    }
    own = made[counts]
    assert listed() == ([own] * (counts == "unfinished"), [own])
    assert sessions.find_path(id_) == own


def test_unfinished_copies_of_a_session_that_is_over(put):
    session = begin()
    fill(session)
    session.close()
    data = session.path.read_bytes()
    cut = b"".join(lines(data)[:-3])
    put(paths.sessions_folder, session.header.id, cut)
    put(paths.sessions_folder, f"{session.header.id} 2", gone_on(cut, "elsewhere"))
    assert [each.path for each in archive_index.list_summaries()] == [session.path]
    assert sessions.list_unfinished() == []
    assert [each.path for each in archive_index.list_finished()] == [session.path]


def test_a_copy_that_cannot_be_played_never_takes_the_place(data, put):
    own = put(paths.sessions_folder, "{}", data)
    read = journal.read(data)
    wrong = Line(seat=0, action="bid 99")
    put(paths.sessions_folder, NAMES[0], journal.encode([read.header, *[entry.line for entry in read.entries], wrong]))
    assert own in [each.path for each in sessions.list_unfinished()]


def test_a_file_with_the_name_of_another_session(data, id_, put):
    other = unfinished()
    moved = put(paths.archive_folder, "{}", other.read_bytes())
    other.unlink()
    assert summaries.read_session_id(moved) != id_
    with pytest.raises(CardtableError, match="no session begins with"):
        sessions.find_path(f"{id_}0")
    assert [each.id for each in archive_index.list_summaries()] == [summaries.read_session_id(moved)]


# What is reckoned from sessions


def ended(nick="Anna", seed=1):
    game = GAMES["rikiki"]
    session = create_default_setup(game, nick).begin()
    play(session.referee, Random(seed), 10_000)
    session.close()
    return session.path


def anna():
    records = [told for told in aggregate() if told.records][-1].records
    return records.statistics[Player("Anna"), "rikiki"].sessions, len(records.ratings["rikiki"].end_times)


def test_copies_are_counted_once(put):
    profiles.register("Anna")
    data = ended().read_bytes()
    own = journal.read(data).header.id
    before = anna()
    for name in NAMES:
        put(paths.archive_folder, name.format(own), data)
        put(paths.sessions_folder, name.format(own), b"".join(lines(data)[:-1]))
    assert before == anna() == (1, 1)
    (paths.archive_folder() / f"{own}.jsonl").unlink()
    assert anna() == (1, 1), "the longest copy counts then"


def test_copies_do_not_make_a_deal_known(put):
    profiles.register("Anna")
    path = ended()
    put(paths.archive_folder, f"{path.stem} 2", path.read_bytes())
    assert [each.is_rated for each in archive_index.list_summaries()] == [True]


def test_copies_have_one_review(put):
    profiles.register("Anna")
    path = ended()
    longer = put(paths.archive_folder, f"{path.stem} (1)", gone_on(path.read_bytes(), "thanks"))
    seat = summaries.summarize(path).header.people[0]
    next(ReviewJob(longer, seat).iter_pieces())
    reviews = list(paths.archive_folder().glob("*.review.json"))
    assert [review.name for review in reviews] in ([], [f"{path.stem}.review.json"])


def test_stakes_stay_while_a_copy_of_the_session_is_left():
    profiles.register("Anna")
    game = GAMES["ten_down"]
    how = create_default_setup(game, "Anna")
    session = SessionSetup(game, how.seats, game.options(room=50), None, random_seating=False).begin()
    session.close()
    session.path.rename(session.path.with_name(f"{session.header.id} (conflicted copy).jsonl"))
    credit_ledger.pay_out()
    assert profiles.find("Anna").credits == 950
    next(paths.sessions_folder().iterdir()).unlink()
    credit_ledger.pay_out()
    assert profiles.find("Anna").credits == 1000


def test_deal_of_the_day_in_a_copy():
    day = date(2026, 11, 20)
    session = session_setup.create_daily_setup(day).begin()
    session.close()
    data = session.path.read_bytes()
    session.path.unlink()
    read = journal.read(data)
    header = msgspec.structs.replace(read.header, id=f"20261120-120000-{read.header.game}-7f3a")
    copy = paths.sessions_folder() / f"Copy of {header.id}.jsonl"
    copy.write_bytes(journal.encode([header, *[entry.line for entry in read.entries]]))
    assert session_setup.find_daily_session(day, "Guest").path == copy
    own = paths.sessions_folder() / f"{header.id}.jsonl"
    own.write_bytes(copy.read_bytes())
    assert session_setup.find_daily_session(day, "Guest").path == own


def test_new_session_gets_no_id_that_a_copy_has(id_, data, put, monkeypatch):
    put(paths.archive_folder, "Copy of {}", data)
    drawn = iter([id_.rpartition("-")[2], "abcd"])
    monkeypatch.setattr(sessions.os, "urandom", lambda _digits: bytes.fromhex(next(drawn)))
    when = msgspec.convert(journal.read(data).header.created, type=datetime)
    assert sessions.generate_id(when, "rikiki").endswith("-abcd")


def test_session_of_a_club_that_is_here_as_a_copy(id_, data, put):
    assert club_import.is_missing(id_)
    put(paths.archive_folder, NAMES[0], data)
    assert not club_import.is_missing(id_)


def test_last_players_with_real_cards_are_those_of_the_newest_session():
    game = GAMES["rummy"]
    opened = score_tables.create(game, ["Anna", "Tom"], game.options())
    opened.close()
    old = paths.sessions_folder() / f"zzz {opened.path.name}"
    old.write_bytes(opened.path.read_bytes())
    newer = msgspec.json.decode(opened.path.read_bytes())
    opened.path.unlink()
    assert score_tables.find_previous_names("rummy") == ["Anna", "Tom"]
    assert newer["id"] == summaries.read_session_id(old)
