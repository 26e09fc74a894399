"""Every JSON file of ours: whatever became of its bytes is one line, and it is not written over."""

import asyncio
import json
import os
from contextlib import suppress
from typing import Any, NamedTuple

import pytest

from cardtable.club.protocol import SeatInfo, TableInfo
from cardtable.club.server import accounts, ssh_server, status_file
from cardtable.engine.errors import CardtableError
from cardtable.games import ABOUT
from cardtable.records import review_worker
from cardtable.records.review import Review
from cardtable.records.review_worker import ReviewJob
from cardtable.store import club_tokens, paths, profiles, session_setup, settings, temp_cleanup
from cardtable.store.file_cache import compute_fingerprint
from tests.records.reviewed import recorded
from tests.store.processes import gone

BOOK = accounts.ClubFile(
    code="sesame77",
    people=(accounts.KnownGuest("Cleo", tokens=("a" * 64,), keys=("SHA256:x",)),),
    tables=(accounts.SavedTable("20261120-083728-rikiki-7f3a", "Cleo", 60, (1,)),),
)
NOW = status_file.Status(
    "Fridays", ("Fridays is open",), 7036, 5, ("Cleo",), (TableInfo("A", "king", {}, (SeatInfo(),), "Cleo"),), 2, 0
)


class Kind(NamedTuple):
    """A file of one kind, and how the program deals with it."""

    path: Any
    write: Any
    """Write it the first time, and then once more with another value."""
    read: Any
    """Return its value; raises ``CardtableError`` if it does not hold."""
    change: Any = None
    """Change it; where it is not understood that raises ``CardtableError``, or does nothing."""
    newer: tuple[str, str] = ()
    personal: bool = True


def profiles_kind():
    def write():
        profiles.register("Anna", "Anna Katharina", "anna@example.org")
        profiles.register("Tom")

    return Kind(paths.profiles_file(), write, profiles.read, lambda: profiles.register("Max"), ('"profiles": 2', "99"))


def club_kind():
    def write():
        accounts._write(BOOK)
        accounts._write(accounts.ClubFile(code="other777", people=BOOK.people, tables=BOOK.tables))

    return Kind(paths.club_file(), write, accounts.read, lambda: accounts._write(BOOK), ('"club":2', "3"))


def tokens_kind():
    def write():
        club_tokens.store_ticket("c1", "ws://localhost:7036", "Anna", "token")
        club_tokens.store_ticket("c2", "ws://localhost:7037", "Tom", "other")

    def read():
        tickets, trouble = club_tokens.load()
        if trouble:
            assert tickets == club_tokens.Tickets()
            raise CardtableError(trouble)
        return tickets

    def change():
        club_tokens.store_ticket("c3", "ws://localhost:7038", "Max", "third")

    return Kind(paths.club_tokens_file(), write, read, change, ('"clubs":2', "3"))


def status_kind():
    def write():
        paths.create_folder(paths.home())
        status_file._FILE.write(paths.club_status_file(), NOW)

    def read():
        with status_file.hold_host_lock():
            return status_file.read()

    return Kind(paths.club_status_file(), write, read, newer=('"club_now":1', "2"), personal=False)


def review_kind():
    paths.create_folder(paths.archive_folder())
    journal = paths.archive_folder() / "s.jsonl"
    journal.write_bytes(recorded("gurka", "novice", limit=21))
    reviewing = ReviewJob(journal, 0)
    steps = reviewing.iter_pieces()
    next(steps)
    steps.close()

    def read():
        found = review_worker.load(journal, compute_fingerprint(journal.stat()), reviewing.session)
        if trouble := review_worker.find_file_error(journal):
            assert found == Review([], [])
            raise CardtableError(trouble)
        return found

    def write():
        review_worker.save(journal, compute_fingerprint(journal.stat()), 0, reviewing.review)

    return Kind(review_worker.get_review_path(journal), write, read, newer=('"version":2', "3"), personal=False)


@pytest.fixture(params=[profiles_kind, club_kind, tokens_kind, status_kind, review_kind])
def kind(request):
    made = request.param()
    made.write()
    return made


def refused(kind, data, why=""):
    """The file with these bytes is not used; one line says so, and the file stays as it is."""
    kind.path.write_bytes(data)
    with pytest.raises(CardtableError) as told:
        kind.read()
    line = str(told.value)
    assert line.isprintable()
    assert len(line) <= 200
    assert kind.path.name in line
    assert why in line
    assert kind.path.read_bytes() == data


def test_any_changed_byte(kind):
    data = kind.path.read_bytes()
    before = kind.read()
    assert data.endswith(b'"}\n')
    for at, byte in enumerate(data):
        changed = data[:at] + bytes([byte ^ 1 << at % 8]) + data[at + 1 :]
        refused(kind, changed)
    kind.path.write_bytes(data)
    assert kind.read() == before


def test_cut_anywhere(kind):
    data = kind.path.read_bytes()
    for size in range(0, len(data), max(1, len(data) // 200)):
        refused(kind, data[:size])
    refused(kind, data[:-1])
    refused(kind, data + b"\n")
    refused(kind, data + data)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda data: data.replace(b"a", b"\xff", 1), "not UTF-8 text"),
        (lambda data: data.decode().encode("utf-16"), "not UTF-8 text"),
        (lambda data: b"\xef\xbb\xbf" + data, ""),
        (lambda data: b"", "truncated"),
        (lambda data: b"[]", "got `array`"),
        (lambda data: b"\0" * 5000, ""),
        (lambda data: b'{"a":' * 100_000, "nested too deeply"),
        (lambda data: b"{" + b" " * 16 * 1024 * 1024 + b"}", "larger than"),
        (lambda data: without_seal(data)[:-1] + b',"more":1}', "unknown field `more`"),
        (lambda data: without_seal(data)[:-1] + b',"crc":"00000000"}\n', "the checksum is wrong"),
        (lambda data: without_seal(data)[:-1] + b',"crc":5}', "the checksum is wrong"),
    ],
)
def test_what_is_not_understood(kind, change, why):
    data = change(kind.path.read_bytes())
    backup = kind.path.with_name(f"{kind.path.name}.bak")
    before = backup.read_bytes() if kind.personal else None
    refused(kind, data, why)
    if kind.change:
        with suppress(CardtableError):
            kind.change()
        assert kind.path.read_bytes() == data
        assert backup.read_bytes() == before
        with pytest.raises(CardtableError, match=rf"; {backup.name} is the file before its last change"):
            kind.read()
    assert backup.exists() == kind.personal


def without_seal(data):
    """The JSON object of a file, as it was written before there were checksums."""
    return data[: data.rindex(b',"crc":')] + b"}"


def test_file_of_newer_version(kind):
    member, newer = kind.newer
    data = kind.path.read_bytes()
    assert data.count(member.encode()) == 1
    newest = data.replace(member.encode(), f"{member[:-1]}{newer}".encode())
    refused(kind, newest, "written by a newer version of cardtable")
    if kind.change:
        with suppress(CardtableError):
            kind.change()
    elif not kind.path.name.startswith("club"):  # which the host alone has, and writes anew
        kind.write()
    else:
        return
    assert kind.path.read_bytes() == newest


def test_file_of_before_there_were_checksums(kind):
    value = kind.read()
    kind.path.write_bytes(without_seal(kind.path.read_bytes()))
    assert kind.read() == value


def test_member_that_stands_twice(kind):
    data = without_seal(kind.path.read_bytes())
    first = data[1 : data.index(b":")]
    refused(kind, data[:-1] + b"," + first.strip() + b":" + b"1}", "")


@pytest.mark.parametrize(
    "data",
    [
        b'{"ws://localhost:7036":{"nick":"Anna","token":"t"},"ws://b:1":{"nick":"Bob","token":"b"}}',
        b'{"tickets":{"ws://localhost:7036":{"nick":"Anna","token":"t"},"ws://b:1":{"nick":"Bob","token":"b"}},'
        b'"clubs":1,"crc":"fec6289e"}\n',
    ],
    ids=["without version", "version 1"],
)
def test_tokens_that_were_kept_by_address(data):
    path = paths.club_tokens_file()
    paths.create_folder(path.parent)
    path.write_bytes(data)
    for nick in ("", "anna"):
        assert club_tokens.find_ticket("c1", "ws://localhost:7036", nick, "Guest") == club_tokens.ClubToken("Anna", "t")
    assert club_tokens.find_ticket("c1", "ws://localhost:7037", "", "Guest") == club_tokens.ClubToken("", "")
    club_tokens.store_ticket("c1", "ws://localhost:7036", "Anna", "t")
    assert club_tokens.find_ticket("c1", "ws://another:7036", "", "Guest") == club_tokens.ClubToken("Anna", "t")
    assert club_tokens.find_ticket("c2", "ws://b:1", "Bob", "Guest") == club_tokens.ClubToken("Bob", "b")
    assert club_tokens.load()[0].by_address == {"ws://b:1": club_tokens.ClubToken("Bob", "b")}
    assert json.loads(path.read_bytes())["clubs"] == 2
    assert path.with_name("clubs.json.bak").read_bytes() == data


def test_damaged_review_is_made_anew():
    kind = review_kind()
    good = kind.path.read_bytes()
    kind.path.write_bytes(good.replace(b'"cost":', b'"cost":1', 1))
    kind.write()
    assert kind.path.read_bytes() == good


def test_guest_is_told_no_path_where_guest_book_was_changed():
    book = accounts.AccountStore()
    paths.create_folder(paths.home())
    paths.club_file().write_bytes(b'{"club":3}')
    with pytest.raises(CardtableError, match="the club's host cannot save: written by a newer") as told:
        asyncio.run(book.save_all(()))
    assert str(paths.home()) not in told.value.full_message
    assert paths.club_file().read_bytes() == b'{"club":3}'


# --- symbolic links


@pytest.mark.parametrize("made", [profiles_kind, club_kind, tokens_kind])
def test_link_to_a_file_stays_a_link(made, tmp_path):
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
    refused(kind, b"{", "file.json.bak is the file before its last change")


@pytest.mark.parametrize("made", [profiles_kind, club_kind, tokens_kind])
def test_link_to_a_file_that_is_not_there_yet(made, tmp_path):
    kind, real = made(), tmp_path / "file.json"
    paths.create_folder(paths.home())
    kind.path.symlink_to(real)
    assert not kind.read() or kind.read() in (profiles.ProfileStore(), accounts.ClubFile(), club_tokens.Tickets())
    kind.write()
    assert kind.path.readlink() == real
    assert real.is_file()


@pytest.mark.parametrize("made", [profiles_kind, club_kind, tokens_kind])
@pytest.mark.parametrize("target", [".", "club.lock", "file.json"])
def test_link_that_leads_nowhere_of_use(made, target):
    """To a folder, a pipe, or in a circle."""
    kind = made()
    paths.create_folder(paths.home())
    os.mkfifo(paths.club_lock_file())
    kind.path.symlink_to(kind.path.name if target == "file.json" else target)
    with pytest.raises(CardtableError, match=kind.path.name):
        kind.read()
    with suppress(CardtableError):
        kind.change()
    assert kind.path.is_symlink()


def test_links_of_other_files_stay_links(tmp_path, monkeypatch):
    monkeypatch.undo()
    paths.create_folder(paths.home())
    for path in (paths.known_games_file(), paths.host_key_file(), paths.settings_file()):
        path.symlink_to(tmp_path / path.name)
    (tmp_path / paths.known_games_file().name).write_text("king\n")
    session_setup.get_aim_at_first_start(ABOUT["gurka"])
    key = ssh_server.host_key()
    settings.save(settings.Settings(), settings.Settings(beep=True))
    assert (tmp_path / paths.known_games_file().name).read_text() == "king\ngurka\n"
    assert ssh_server.host_key() == key
    assert settings.load()[0].beep
    assert all(path.is_symlink() for path in paths.linkable_files() if path.exists())


def test_drafts_beside_a_linked_file(tmp_path):
    """Only what is ours is swept there."""
    paths.create_folder(paths.home())
    (tmp_path / "file.json").write_text("{}")
    paths.profiles_file().symlink_to(tmp_path / "file.json")
    left, other = [tmp_path / f"{name}.{gone()}.new" for name in ("file.json", "mine")]
    left.touch()
    other.touch()
    temp_cleanup.remove_stale()
    assert (left.exists(), other.exists()) == (False, True)
