"""JSON files of the program: damage is reported in one line, and the file is not overwritten."""

import asyncio
import errno
import os
from contextlib import closing, suppress
from datetime import date
from functools import partial
from typing import Any, NamedTuple

import pytest
from msgspec.structs import replace

from cardtable.club.protocol import SeatInfo, TableInfo
from cardtable.club.server import club_file, ssh_endpoint, status_file
from cardtable.club.server.accounts import ClubAccounts
from cardtable.club.server.disk_space import DiskUse
from cardtable.engine.errors import CardtableError
from cardtable.games import ABOUT
from cardtable.records import review_worker
from cardtable.records.review import Review
from cardtable.records.review_worker import ReviewJob
from cardtable.store import (
    club_tokens,
    home_folder,
    paths,
    player_progress,
    profiles,
    puzzle_files,
    seasons,
    session_setup,
    settings,
    tournaments,
)
from cardtable.store.archive_index import compute_fingerprint
from cardtable.store.errors import FileError
from cardtable.store.seasons import Season
from tests.puzzles import add_puzzle
from tests.records.review_journals import record_session
from tests.store.disk_faults import FaultyDisk
from tests.store.processes import get_ended_pid
from tests.store.tournament_tables import store_tournament

CLUB_FILE = club_file.ClubFile(
    code="sesame77",
    people=(club_file.KnownGuest("Cleo", tokens=("a" * 64,), keys=("SHA256:x",)),),
    tables=(club_file.SavedTable("20261120-083728-rikiki-7f3a", "Cleo", 60, (1,)),),
)
TABLE = TableInfo("A", "king", {}, (SeatInfo(),), "Cleo")
HOST_STATUS = status_file.Status(
    "Fridays", ("Fridays is open",), 7036, 5, ("Cleo",), (TABLE,), 2, 0, "", DiskUse(0, 10**9), 7037
)


class FileKind(NamedTuple):
    """A kind of file, and how the program uses it."""

    path: Any
    write: Any
    """Write the file for the first time, then again with another value."""
    read: Any
    """Return the file's value; raise `CardtableError` if the file is invalid."""
    version: str
    """Member with the version, as it is written."""
    change: Any = None
    """Change the file; if the file is invalid, raise `CardtableError` or do nothing."""
    personal: bool = True


def save_lesson(nick, lesson, **progress):
    player_progress.save_lesson(nick, lesson, player_progress.LessonProgress(**progress))


def save_club(**changes):
    club_file.update_club_file(lambda _: replace(CLUB_FILE, **changes))


DAY = date(2026, 11, 20)
STORES = {
    profiles.PROFILES: (
        '"profiles": 2',
        lambda: profiles.register("Anna", "Anna Katharina", "anna@example.org"),
        lambda: profiles.register("Tom"),
        lambda: profiles.register("Max"),
    ),
    club_file.CLUB: ('"club":2', save_club, lambda: save_club(code="other777"), save_club),
    club_tokens.TICKETS: (
        '"clubs":2',
        lambda: club_tokens.store_ticket("c1", "Anna", "token"),
        lambda: club_tokens.store_ticket("c2", "Tom", "other"),
        lambda: club_tokens.store_ticket("c3", "Max", "third"),
    ),
    player_progress.LESSONS: (
        '"progress": 1',
        lambda: save_lesson("Guest", "gurka/heading", step=2, needed_answer=True),
        lambda: save_lesson("Guest", "gurka/aces", done=True),
        lambda: save_lesson("Tom", "gurka/heading", done=True),
    ),
    puzzle_files.PUZZLES: (
        '"puzzles": 1',
        lambda: add_puzzle("Guest", DAY),
        lambda: add_puzzle("Guest", DAY, number=1),
        lambda: puzzle_files.add_puzzles("Tom", [], DAY, "s/1"),
    ),
    seasons.SEASONS: (
        '"seasons": 1',
        lambda: seasons.add(Season("Autumn", ("rikiki", "gurka"), 1_700_000_000)),
        lambda: seasons.add(Season("Winter", ("king",), ranked_by="average")),
        lambda: seasons.add(Season("Max", ("king",))),
    ),
    tournaments.TOURNAMENTS: (
        '"tournaments":1',
        lambda: store_tournament("gurka"),
        lambda: store_tournament("king", rounds=2),
        lambda: store_tournament("rikiki"),
    ),
}
"""Files that several programs change: how the version is written, two ways to write the file, and a change."""


def make_store_kind(store):
    version, first, second, change = STORES[store]

    def write():
        first()
        second()

    personal = store is not tournaments.TOURNAMENTS
    return FileKind(store.get_path(), write, store.read, version, change, personal)


def make_status_kind():
    def write():
        paths.create_folder(paths.home())
        status_file._FILE.write(paths.club_status_file(), HOST_STATUS)

    def read():
        with status_file.hold_host_lock():
            return status_file.read_status()

    return FileKind(paths.club_status_file(), write, read, '"club_now":2', personal=False)


def make_review_kind():
    paths.create_folder(paths.archive_folder())
    journal = paths.archive_folder() / "s.jsonl"
    journal.write_bytes(record_session("gurka", "novice", rounds=1))
    reviewing = ReviewJob(journal, 0)
    with closing(reviewing.iter_pieces()) as steps:
        next(steps)

    def read():
        review = review_worker.load(journal, compute_fingerprint(journal.stat()), reviewing.session)
        if error := review_worker.find_file_error(journal):
            assert review == Review([], [])
            raise CardtableError(error)
        return review

    def write():
        review_worker.save(journal, compute_fingerprint(journal.stat()), 0, reviewing.review)

    return FileKind(review_worker.get_review_path(journal), write, read, '"version":2', personal=False)


STORE_KINDS = [pytest.param(partial(make_store_kind, store), id=store.get_path().name) for store in STORES]
HOME_KINDS = [*STORE_KINDS, make_status_kind]
LINKED_KINDS = STORE_KINDS[:3]


@pytest.fixture(params=STORE_KINDS)
def changed_kind(request):
    """A kind that several programs change; the status of a host is written by it alone."""
    made = request.param()
    made.write()
    return made


@pytest.fixture(params=[*HOME_KINDS, make_review_kind])
def kind(request):
    made = request.param()
    made.write()
    return made


def assert_refused(kind, data, message=""):
    """Assert that the file with these bytes is reported in one line and stays unchanged."""
    kind.path.write_bytes(data)
    with pytest.raises(CardtableError) as error:
        kind.read()
    line = str(error.value)
    assert line.isprintable()
    assert len(line) <= 200
    assert kind.path.name in line
    assert message in line
    assert kind.path.read_bytes() == data


def test_changed_byte_is_detected(kind):
    data = kind.path.read_bytes()
    before = kind.read()
    assert data.endswith(b'"}\n')
    for at in range(0, len(data), 1 + len(data) // 150):
        changed = data[:at] + bytes([data[at] ^ 1 << at % 8]) + data[at + 1 :]
        assert_refused(kind, changed)
    kind.path.write_bytes(data)
    assert kind.read() == before


def test_truncated_file_is_detected(kind):
    data = kind.path.read_bytes()
    for size in range(0, len(data), 1 + len(data) // 50):
        assert_refused(kind, data[:size])
    assert_refused(kind, data[:-1])
    assert_refused(kind, data + b"\n")
    assert_refused(kind, data + data)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: data.replace(b"a", b"\xff", 1), "not UTF-8 text"),
        (lambda data: data.decode().encode("utf-16"), "not UTF-8 text"),
        (lambda data: b"\xef\xbb\xbf" + data, ""),
        (lambda data: b"", "truncated"),
        (lambda data: b"[]", "got `array`"),
        (lambda data: b"\0" * 5000, ""),
        (lambda data: b'{"a":' * 100_000, "nested too deeply"),
        (lambda data: b"{" + b" " * 16 * 1024 * 1024 + b"}", "larger than"),
        (lambda data: remove_checksum(data)[:-1] + b',"more":1}', "unknown field `more`"),
        (lambda data: remove_checksum(data)[:-1] + b',"crc":"00000000"}\n', "the checksum is wrong"),
        (lambda data: remove_checksum(data)[:-1] + b',"crc":5}', "the checksum is wrong"),
    ],
)
def test_invalid_file_is_reported_and_unchanged(kind, change, message):
    data = change(kind.path.read_bytes())
    backup = kind.path.with_name(f"{kind.path.name}.bak")
    before = backup.read_bytes() if kind.personal else None
    assert_refused(kind, data, message)
    if kind.change:
        with suppress(CardtableError):
            kind.change()
        assert kind.path.read_bytes() == data
    if kind.personal:
        assert backup.read_bytes() == before
        with pytest.raises(CardtableError, match=rf"; {backup.name} is the file before its last change"):
            kind.read()
    assert backup.exists() == kind.personal


def test_message_mentions_only_a_backup_that_exists(kind):
    backup = kind.path.with_name(f"{kind.path.name}.bak")
    kind.path.write_bytes(b"{")
    backup.unlink(missing_ok=True)
    with pytest.raises(CardtableError, match=r"^(?!.*before its last change)"):
        kind.read()
    backup.write_bytes(b"{")
    with pytest.raises(CardtableError) as error:
        kind.read()
    assert ("before its last change" in str(error.value)) == kind.personal, "only personal files have backups"


def remove_checksum(data):
    """Return the JSON object of a file without its checksum, as former versions wrote it."""
    return data[: data.rindex(b',"crc":')] + b"}"


def assert_version_refused(kind, data, message):
    """Assert that the file of another version is reported, and neither changed nor replaced."""
    assert_refused(kind, data, message)
    if kind.change:
        with suppress(CardtableError):
            kind.change()
    elif not kind.path.name.startswith("club"):  # which the host alone has, and writes anew
        kind.write()
    else:
        return
    assert kind.path.read_bytes() == data


def replace_version(kind, version):
    data = kind.path.read_bytes()
    assert data.count(kind.version.encode()) == 1
    return data.replace(kind.version.encode(), f"{kind.version[:-1]}{version}".encode())


def test_file_of_newer_version_is_not_changed(kind):
    assert_version_refused(kind, replace_version(kind, 99), "written by a newer version of cardtable")


@pytest.mark.parametrize("made", HOME_KINDS)
def test_file_of_older_version_is_not_changed(made):
    kind = made()
    kind.write()
    assert_version_refused(kind, replace_version(kind, 0), "written by an older version of cardtable")


def test_review_of_older_version_is_computed_again():
    kind = make_review_kind()
    kind.write()
    data = kind.path.read_bytes()
    kind.path.write_bytes(replace_version(kind, 1))
    assert kind.read() == Review([], [])
    kind.write()
    assert kind.path.read_bytes() == data


def test_first_tickets_had_no_version():
    data = b'{"ws://localhost:7036":{"nick":"Anna","token":"t"}}'
    kind = make_store_kind(club_tokens.TICKETS)
    kind.write()
    assert_version_refused(kind, data, "it has no version (clubs)")


def test_file_without_checksum_is_read(kind):
    value = kind.read()
    kind.path.write_bytes(remove_checksum(kind.path.read_bytes()))
    assert kind.read() == value


def test_value_that_could_not_be_read_again_is_not_written():
    paths.create_folder(paths.home())
    seasons.add(Season("Autumn", ("rikiki",)))
    before = paths.seasons_file().read_bytes()
    with pytest.raises(FileError, match=r"cannot be written so that it can be read again: .*>= 1"):
        seasons.change("Autumn", lambda season: replace(season, least=0))
    assert paths.seasons_file().read_bytes() == before


def test_duplicate_member_is_refused(kind):
    data = remove_checksum(kind.path.read_bytes())
    version = data[1 : data.index(b",")].strip()
    assert_refused(kind, data[:-1] + b"," + version + b"}", "occurs twice")


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EACCES], ids=errno.errorcode.get)
@pytest.mark.parametrize("lasting", [False, True], ids=["once", "lasting"])
def test_failing_call_leaves_old_or_new_file(changed_kind, monkeypatch, number, lasting):
    store = next(each for each in STORES if each.get_path() == changed_kind.path)
    before, data = store.read(), changed_kind.path.read_bytes()
    changed_kind.change()
    after, disk = store.read(), FaultyDisk(monkeypatch)
    for fails in disk.iter_call_indexes(6):
        changed_kind.path.write_bytes(data)
        with disk.failing(fails, number, lasting=lasting):
            error = find_error(lambda: store.update(lambda _: after))
        assert store.read() == after or (store.read() == before and os.strerror(number) in error)


def find_error(function):
    try:
        function()
    except CardtableError as error:
        return str(error)
    return ""


def test_change_of_nothing_is_not_written(changed_kind):
    before = get_file_identity(changed_kind.path)
    for store in (*STORES, tournaments.KEYS):
        value = store.read()
        assert store.update(lambda stored: stored) == (value, value)
    assert get_file_identity(changed_kind.path) == before


def get_file_identity(path):
    """Return what changes with each write, unlike the access time, which changes with a read."""
    status = path.stat()
    return status.st_ino, status.st_size, status.st_mtime_ns


def test_error_for_guests_contains_no_path():
    accounts = ClubAccounts()
    paths.create_folder(paths.home())
    paths.club_file().write_bytes(b'{"club":3}')
    with pytest.raises(CardtableError, match="the club's host cannot save: written by a newer") as error:
        asyncio.run(accounts.store.save_all())
    assert str(paths.home()) not in error.value.full_message
    assert paths.club_file().read_bytes() == b'{"club":3}'


# --- symbolic links


@pytest.mark.parametrize("made", LINKED_KINDS)
def test_symlink_to_a_file_is_preserved(made, tmp_path):
    kind, real = made(), tmp_path / "kept" / "file.json"
    kind.write()
    kind.path.with_name(f"{kind.path.name}.bak").unlink()
    real.parent.mkdir()
    kind.path.rename(real)
    kind.path.symlink_to(real)
    before, data = kind.read(), real.read_bytes()
    kind.change()
    assert kind.path.readlink() == real
    assert kind.read() != before
    assert real.with_name("file.json.bak").read_bytes() == data
    assert not list(paths.home().glob("*.bak"))
    real.write_bytes(b"{")
    assert_refused(kind, b"{", "file.json.bak is the file before its last change")


@pytest.mark.parametrize("made", LINKED_KINDS)
def test_symlink_to_a_missing_file(made, tmp_path):
    kind, real = made(), tmp_path / "file.json"
    paths.create_folder(paths.home())
    kind.path.symlink_to(real)
    assert kind.read() in (profiles.ProfileStore(), club_file.ClubFile(), club_tokens.Tickets())
    kind.write()
    assert kind.path.readlink() == real
    assert real.is_file()


@pytest.mark.parametrize("made", LINKED_KINDS)
@pytest.mark.parametrize("target", [".", "club.lock", "file.json"])
def test_symlink_to_folder_pipe_or_itself(made, target):
    kind = made()
    paths.create_folder(paths.home())
    os.mkfifo(paths.club_lock_file())
    kind.path.symlink_to(kind.path.name if target == "file.json" else target)
    with pytest.raises(CardtableError, match=kind.path.name):
        kind.read()
    with suppress(CardtableError):
        kind.change()
    assert kind.path.is_symlink()


def test_symlinks_of_other_files_are_preserved(tmp_path, monkeypatch):
    monkeypatch.undo()
    paths.create_folder(paths.home())
    for path in (paths.known_games_file(), paths.host_key_file(), paths.settings_file()):
        path.symlink_to(tmp_path / path.name)
    (tmp_path / paths.known_games_file().name).write_text("king\n")
    session_setup.take_aim_at_first_start(ABOUT["gurka"])
    key = ssh_endpoint.load_host_key()
    settings.save(settings.Settings(), settings.Settings(beep=True))
    assert (tmp_path / paths.known_games_file().name).read_text() == "king\ngurka\n"
    assert ssh_endpoint.load_host_key() == key
    assert settings.load()[0].beep
    assert all(path.is_symlink() for path in paths.linkable_files() if path.exists())


def test_cleanup_of_temp_files_beside_a_linked_file(tmp_path):
    """Only temporary files of this program are removed there."""
    paths.create_folder(paths.home())
    (tmp_path / "file.json").write_text("{}")
    paths.profiles_file().symlink_to(tmp_path / "file.json")
    left, other = [tmp_path / f"{name}.{get_ended_pid()}.new" for name in ("file.json", "mine")]
    left.touch()
    other.touch()
    home_folder.remove_stale_files()
    assert (left.exists(), other.exists()) == (False, True)
