"""Backups of the home folder: what is in them, moves meanwhile, damaged and hostile ones, restoring."""

import os
import stat
import zipfile
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest

from cardtable.engine import checksummed_jsonl
from cardtable.store import home_backup
from cardtable.store.errors import FileError
from cardtable.store.home_backup import BackupEntry, Manifest, restore_backup, write_backup

CONTENT = {
    "archive/over.jsonl": b"a finished session\n",
    "club.json": b"accounts",
    "exports/a/b.md": b"a table",
    "profiles.json": b"profiles",
    "sessions/open.jsonl": b"a line\nanother\n",
    "ssh-host-key": b"a key",
    "themes/dusk.toml": b"",
}
EPHEMERAL = (
    *("archive/figures.jsonl", "archive/index.jsonl", "club-guests/guest-1/settings.toml", "club-now.json"),
    *("club.json.4711.new", "club.lock", "home.lock", "sessions/open.jsonl.4711.new"),
)


def write_files(folder, content):
    for name, data in content.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


def read_files(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.fixture
def filled_home(home):
    write_files(home, CONTENT | dict.fromkeys(EPHEMERAL, b"not in a backup"))
    return home


def test_backup_restores_everything_but_locks_and_caches(filled_home, tmp_path):
    with (filled_home / "sessions/open.jsonl").open("ab") as file:
        file.write(b'{"torn":')
    os.utime(filled_home / "archive/over.jsonl", ns=(10**18, 10**18 + 7))
    made, left_out = write_backup(tmp_path / "b.zip")
    assert (stat.S_IMODE((tmp_path / "b.zip").stat().st_mode), left_out) == (0o600, [])
    assert restore_backup(tmp_path / "b.zip", tmp_path / "new/home") == made
    assert read_files(tmp_path / "new/home") == CONTENT
    assert (tmp_path / "new/home/archive/over.jsonl").stat().st_mtime_ns == 10**18 + 7
    assert {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "new/home").rglob("*")} == {0o600, 0o700}
    assert [path.name for path in tmp_path.glob("*.zip*")] == ["b.zip"]


@pytest.mark.parametrize("seconds", [0, 315_500_000, 4_354_819_199, 4_400_000_000, 253_402_300_799])
def test_file_times_that_zip_cannot_store(filled_home, tmp_path, seconds):
    os.utime(filled_home / "archive/over.jsonl", (seconds, seconds))
    write_backup(tmp_path / "b.zip")
    restore_backup(tmp_path / "b.zip", tmp_path / "new")
    assert (tmp_path / "new/archive/over.jsonl").stat().st_mtime_ns == min(seconds * 10**9, 2**62 - 1)


def test_only_links_that_the_program_follows_are_in_the_backup(filled_home, tmp_path):
    (tmp_path / "elsewhere").write_bytes(b"my settings")
    (filled_home / "settings.toml").symlink_to(tmp_path / "elsewhere")
    (filled_home / "passwd").symlink_to("/etc/passwd")
    (filled_home / "archive").rename(tmp_path / "big disk")
    (filled_home / "archive").symlink_to(tmp_path / "big disk")
    os.mkfifo(filled_home / "exports/pipe")
    (filled_home / "exports/a\\b").touch()
    _, left_out = write_backup(tmp_path / "b.zip")
    assert sorted(left_out) == ["exports/a\\b", "exports/pipe", "passwd"]
    restore_backup(tmp_path / "b.zip", tmp_path / "new")
    assert read_files(tmp_path / "new") == CONTENT | {"settings.toml": b"my settings"}


@pytest.mark.parametrize(("source", "target"), [("sessions", "archive"), ("archive", "sessions")])
@pytest.mark.parametrize("moment", range(9))
def test_session_moved_during_the_backup(home, tmp_path, monkeypatch, source, target, moment):
    """The session is moved just before a file is opened, or just before a folder is listed."""
    names = ["sessions/a", "sessions/c", "archive/x", "archive/z", f"{source}/b"]
    write_files(home, {f"{name}.jsonl": b"line\n" for name in names})
    steps = iter(range(100))

    def move_before(call):
        def moving(*arguments, **named):
            if next(steps) == moment:
                (home / source / "b.jsonl").rename(home / target / "b.jsonl")
            return call(*arguments, **named)

        return moving

    monkeypatch.setattr(Path, "iterdir", move_before(Path.iterdir))
    monkeypatch.setattr(home_backup.atomic_io, "open_regular", move_before(home_backup.atomic_io.open_regular))
    manifest, _ = write_backup(tmp_path / "b.zip")
    assert next(steps) > moment
    assert sorted(entry.name[-len("a.jsonl")] for entry in manifest.files) == ["a", "b", "c", "x", "z"]


def test_refused_backup_leaves_no_file(filled_home, tmp_path, monkeypatch):
    (tmp_path / "taken").touch()
    for file, text in [(tmp_path / "taken", "it already exists"), (filled_home / "b.zip", "part of the next backup")]:
        with pytest.raises(FileError, match=text):
            write_backup(file)
    monkeypatch.setattr(home_backup, "MAX_FILE_BYTES", 9)
    with pytest.raises(FileError, match="larger than"):
        write_backup(tmp_path / "b.zip")
    assert [path.name for path in tmp_path.glob("*b.zip*")] == []


def test_restore_refuses_a_folder_with_files(filled_home, tmp_path):
    write_backup(tmp_path / "b.zip")
    with pytest.raises(FileError, match=r"not empty \(archive, club.json, exports, ...\); move it away"):
        restore_backup(tmp_path / "b.zip", filled_home)


def create_entry(name, data=b"data", **changes):
    return msgspec.structs.replace(BackupEntry(name, len(data), sha256(data).hexdigest(), 0), **changes)


def write_zip(path, entries, members=None, *, mode=stat.S_IFREG | 0o600, method=zipfile.ZIP_DEFLATED):
    """Write a backup with a list of entries, whose members are ``(name, data)``, by default those of the entries."""
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, data in members if members is not None else [(entry.name, b"data") for entry in entries]:
            info = zipfile.ZipInfo(name)
            info.external_attr = mode << 16
            archive.writestr(info, data, method)
        manifest = msgspec.json.encode(Manifest("1", 0, tuple(entries)))
        archive.writestr("manifest.json", checksummed_jsonl.append_crc(manifest, 0)[0])


FINE = create_entry("club.json")
HUGE = b"0" * 10_000_000
HOSTILE = {
    "absolute": ([create_entry("/tmp/x")], {}, "contains a file that no backup has: /tmp/x"),
    "parent": ([create_entry("../x")], {}, "contains a file that no backup has"),
    "inner parent": ([create_entry("themes/../../x")], {}, "contains a file that no backup has"),
    "empty part": ([create_entry("themes//x")], {}, "contains a file that no backup has"),
    "backslash": ([create_entry("..\\x")], {}, "contains a file that no backup has"),
    "drive": ([create_entry("C:x")], {}, "contains a file that no backup has"),
    "control": ([create_entry("a\x1b[2Jb")], {}, "contains a file that no backup has"),
    "lock": ([create_entry("club.lock")], {}, "contains a file that no backup has"),
    "link": ([FINE], {"mode": stat.S_IFLNK | 0o777}, "club.json is not the file of its list"),
    "device": ([FINE], {"mode": stat.S_IFCHR | 0o600}, "club.json is not the file of its list"),
    "folder and file": ([create_entry("a"), create_entry("a/b")], {}, "a file stands where a folder must be"),
    "twice": ([FINE, FINE], {}, "its files are not those of its list"),
    "not in the list": ([FINE], {"members": [("club.json", b"data"), ("x", b"")]}, "not those of its list"),
    "missing": ([FINE], {"members": []}, "not those of its list"),
    "other bytes": ([FINE], {"members": [("club.json", b"daTa")]}, "club.json is damaged"),
    "bzip2": ([FINE], {"method": zipfile.ZIP_BZIP2}, "club.json is compressed by a method that no backup uses"),
    "lzma": ([FINE], {"method": zipfile.ZIP_LZMA}, "club.json is compressed by a method that no backup uses"),
    "larger than said": ([FINE], {"members": [("club.json", HUGE)]}, "club.json is not the file of its list"),
}


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_backups_change_nothing(tmp_path, case):
    entries, changes, message = HOSTILE[case]
    write_zip(tmp_path / "b.zip", entries, **changes)
    with pytest.raises(FileError, match=message):
        restore_backup(tmp_path / "b.zip", tmp_path / "deep/new")
    assert read_files(tmp_path).keys() == {"b.zip"}


def test_zip_header_with_a_false_size_is_refused(tmp_path):
    """The headers say four bytes, and the compressed data has ten million."""
    write_zip(tmp_path / "b.zip", [FINE], [("club.json", HUGE)])
    data = (tmp_path / "b.zip").read_bytes()
    (tmp_path / "b.zip").write_bytes(data.replace(len(HUGE).to_bytes(4, "little"), (4).to_bytes(4, "little")))
    with pytest.raises(FileError, match="not a backup, or it is damaged"):
        restore_backup(tmp_path / "b.zip", tmp_path / "new")
    assert read_files(tmp_path / "new") == {}


@pytest.mark.parametrize("data", [b"", b"PK\x05\x06" + bytes(18), b"text" * 100], ids=["empty", "none", "text"])
def test_file_that_is_no_backup_is_refused(tmp_path, data):
    (tmp_path / "b.zip").write_bytes(data)
    with pytest.raises(FileError, match="not a backup"):
        restore_backup(tmp_path / "b.zip", tmp_path / "new")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no such pipes")
def test_pipe_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FileError, match="not a regular file"):
        restore_backup(tmp_path / "pipe", tmp_path / "new")


def test_backup_that_needs_more_memory_than_available(tmp_path, monkeypatch):
    def fail(*_):
        raise MemoryError

    write_zip(tmp_path / "b.zip", [FINE])
    monkeypatch.setattr(zipfile.ZipFile, "infolist", fail)
    with pytest.raises(FileError, match="it needs more memory than there is"):
        restore_backup(tmp_path / "b.zip", tmp_path / "new")


def unnest(folder):
    """Remove the nested folders one by one; pytest cannot remove so many levels."""
    while (folder / "x").exists():
        inner = (folder / "x").rename(folder.with_name("inner"))
        folder.rmdir()
        inner.rename(folder)


def test_folders_nested_too_deeply_are_left_out(filled_home, tmp_path):
    """There are more levels than Python's limit of recursion."""
    descriptor = os.open(filled_home / "exports", os.O_RDONLY)
    for _ in range(1100):
        os.mkdir("x", dir_fd=descriptor)
        outer, descriptor = descriptor, os.open("x", os.O_RDONLY, dir_fd=descriptor)
        os.close(outer)
    os.close(os.open("deep", os.O_CREAT, dir_fd=descriptor))
    os.close(descriptor)
    try:
        _, left_out = write_backup(tmp_path / "b.zip")
    finally:
        unnest(filled_home / "exports" / "x")
    assert left_out == ["exports/x/x/x/x/x/x/x/x"]
    restore_backup(tmp_path / "b.zip", tmp_path / "new")
    assert read_files(tmp_path / "new") == CONTENT


def test_damaged_backup_restores_everything_or_nothing(filled_home, tmp_path):
    """A truncated file is refused, and so is a changed byte unless it is in the zip file's own times and remarks."""
    write_backup(tmp_path / "b.zip")
    data = (tmp_path / "b.zip").read_bytes()
    for number, position in enumerate(range(0, len(data), 7)):
        for damaged in (data[:position], data[:position] + bytes([data[position] ^ 0x20]) + data[position + 1 :]):
            (tmp_path / "damaged.zip").write_bytes(damaged)
            folder = tmp_path / f"new{number}"
            try:
                restore_backup(tmp_path / "damaged.zip", folder)
            except FileError:
                assert read_files(folder) == {}
            else:
                assert (len(damaged), read_files(folder)) == (len(data), CONTENT)
                folder.rename(tmp_path / f"restored{number}-{len(damaged)}")


def test_restore_needs_room(tmp_path, monkeypatch):
    write_zip(tmp_path / "b.zip", [FINE])
    monkeypatch.setattr(home_backup, "disk_usage", lambda _folder: SimpleNamespace(free=3))
    with pytest.raises(FileError, match="there is less room"):
        restore_backup(tmp_path / "b.zip", tmp_path / "new")


def test_newer_backup_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "c.zip", "w") as archive:
        archive.writestr("manifest.json", checksummed_jsonl.append_crc(b'{"backup":2}', 0)[0])
    with pytest.raises(FileError, match=r"its list of files is invalid: .*newer version"):
        restore_backup(tmp_path / "c.zip", tmp_path / "new")
