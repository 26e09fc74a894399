"""What root does with the files of another user, who could lead it elsewhere by links."""

import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

from cardtable.club.server import status_file
from cardtable.store import home_backup, paths, profiles, seasons
from cardtable.store.errors import FileError
from cardtable.store.paths import Owner, find_other_owner

pytestmark = pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() != 0, reason="only root can give files to another user"
)
USER = 54321


@pytest.fixture
def folder(monkeypatch):
    """A folder of root that everybody can read, with a home of another user."""
    whole = Path(tempfile.mkdtemp(dir="/tmp"))
    whole.chmod(0o755)
    (whole / "home").mkdir()
    monkeypatch.setenv("CARDTABLE_HOME", str(whole / "home"))
    for name in ("notes", "settings.toml", "archive/over.jsonl"):
        give(whole / "home" / name, "x")
    give(whole / "home")
    (whole / "secret").write_text("the secret of root")
    (whole / "secret").chmod(0o600)
    yield whole
    shutil.rmtree(whole)


def give(path, text=None):
    """Give a file or folder to the other user, after writing ``text`` if there is one."""
    if text is not None:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        os.chown(path.parent, USER, USER)
    os.chown(path, USER, USER, follow_symlinks=False)


@pytest.mark.parametrize(
    ("path", "is_found"),
    [("secret", False), ("missing/below", False), ("home", True), ("home/notes", True), ("home/missing/below", True),
     ("home/link", True), ("link", True), ("link/notes", True)],
)  # fmt: skip
def test_owner_of_the_first_part_that_is_not_of_root(folder, path, is_found):
    (folder / "home" / "link").symlink_to(folder / "secret")
    (folder / "link").symlink_to(folder / "home")
    assert find_other_owner(folder / path) == (Owner(USER, USER) if is_found else None)


def test_backup_by_root_has_files_of_the_user_alone(folder):
    home = folder / "home"
    (home / "settings.toml").unlink()
    (home / "settings.toml").symlink_to(folder / "secret")
    os.link(folder / "secret", home / "profiles.json")
    (folder / "of-root").mkdir()
    (folder / "of-root" / "seed").write_text("x")
    (home / "themes").symlink_to(folder / "of-root")
    (home / "lessons.json").symlink_to("notes")
    manifest, left_out = home_backup.write_backup(folder / "b.zip")
    assert [entry.name for entry in manifest.files] == ["lessons.json", "notes", "archive/over.jsonl"]
    assert sorted(left_out) == ["profiles.json", "settings.toml", "themes/seed"]


def test_backup_by_root_of_a_home_that_is_a_link_to_another(folder):
    """The user leads root from their own folder to one of root's."""
    (folder / "of-root").mkdir()
    (folder / "of-root" / "key").write_text("x")
    shutil.rmtree(folder / "home" / "archive")
    (folder / "home" / "club").symlink_to(folder / "of-root")
    os.environ["CARDTABLE_HOME"] = str(folder / "home" / "club")
    with pytest.raises(FileError, match="there are no files of the program"):
        home_backup.write_backup(folder / "b.zip")


@pytest.fixture
def backup(folder):
    home_backup.write_backup(folder / "b.zip")
    (folder / "into").mkdir()
    give(folder / "into")
    return folder / "b.zip"


@pytest.mark.parametrize("into", ["into", "into/new/home"])
def test_restore_by_root_has_the_rights_of_the_user(folder, backup, into):
    lock = status_file.hold_host_lock("the club is open", folder / into)
    home_backup.restore_backup(backup, folder / into, lock)
    assert (os.geteuid(), os.getegid()) == (0, 0)
    restored = [*(folder / "into").rglob("*")]
    assert {(path.lstat().st_uid, path.lstat().st_gid) for path in restored} == {(USER, USER)}
    assert {path.name for path in restored} >= {"notes", "settings.toml", "over.jsonl", "club.lock"}


@pytest.mark.parametrize("target", ["archive", "staging"])
def test_restore_by_root_writes_nothing_through_a_swapped_folder(folder, backup, monkeypatch, target):
    """The user swaps a folder for a link to one of root's while the files are written."""
    (folder / "of-root").mkdir(mode=0o755)
    create_folder = paths.create_folder

    def swap_and_create(created):
        if created.name == "archive" or (target == "staging" and created.name.startswith("club-restore-")):
            swapped = created if target == "archive" else created.parent if created.name == "archive" else created
            if swapped.exists() and not swapped.is_symlink():
                swapped.rename(folder / "into" / "gone")
            if not swapped.is_symlink():
                swapped.symlink_to(folder / "of-root")
        create_folder(created)

    monkeypatch.setattr(paths, "create_folder", swap_and_create)
    with pytest.raises(FileError):
        home_backup.restore_backup(backup, folder / "into")
    assert list((folder / "of-root").iterdir()) == []
    assert (folder / "of-root").stat().st_uid == 0


def test_lock_of_the_club_is_not_created_through_a_link(folder, backup):
    (folder / "into" / "club.lock").symlink_to(folder / "created")
    lock = status_file.hold_host_lock("the club is open", folder / "into")
    with pytest.raises(FileError):
        home_backup.restore_backup(backup, folder / "into", lock)
    assert not (folder / "created").exists()


@pytest.mark.parametrize(
    "write",
    [
        lambda: profiles.register("Anna"),
        lambda: seasons.delete("Autumn"),
        lambda: status_file.hold_host_lock().__enter__(),
    ],
)
def test_root_writes_no_other_files_of_another_user(folder, write):
    before = sorted(folder.rglob("*"))
    with pytest.raises(Exception, match="it belongs to another user, for whom root writes no files"):
        write()
    assert not status_file.is_club_open()
    assert sorted(folder.rglob("*")) == before
    assert paths.home() == folder / "home"
