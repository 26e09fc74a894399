"""Backups of the home folder: zip files with a manifest, made while the program runs, and restored into an empty home.

No lock is held: the club's file is read before the profiles to which it refers, and a session that is moved into or out
of the archive meanwhile is found there, since the archive is read before and after the unfinished sessions.
"""

import os
import re
import stat
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext, suppress
from hashlib import sha256
from pathlib import Path
from shutil import disk_usage
from struct import error as struct_error
from tempfile import TemporaryDirectory
from typing import Annotated, BinaryIO, Final

import msgspec

from cardtable import __version__
from cardtable.engine.text_format import format_count, sanitize
from cardtable.store import atomic_io, paths
from cardtable.store.errors import FileError, convert_os_errors, format_os_error
from cardtable.store.json_file import InvalidContent, JsonFile
from cardtable.store.paths import act_for_owner, find_other_owner

MANIFEST_NAME: Final = "manifest.json"
MAX_FILES: Final = 500_000
MAX_FILE_BYTES: Final = 64 * 1024 * 1024
"""Maximum size of one file in a backup."""
_MAX_MANIFEST_BYTES: Final = 128 * 1024 * 1024
_MAX_NAME_LENGTH: Final = 300
_MAX_PARTS: Final = 8
_MAX_SHOWN_NAMES: Final = 3
_REPORTED_FILES: Final = 100
"""Number of files after which the progress is reported."""
_UNSAFE: Final = re.compile(r'[\x00-\x1f\x7f\\:"*?<>|\ud800-\udfff]')
"""Characters that a file name cannot have on every system."""
_RESERVED: Final = re.compile(r"(?:con|prn|aux|nul|com[1-9]|lpt[1-9])(?:\..*)?", re.IGNORECASE)
"""Names of devices on Windows, which no file can have there, whatever its suffix."""
_METHODS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Methods of compression in backups; ``zipfile`` limits the size of what it decompresses for these only."""
_BROKEN_ZIP: Final = (
    zipfile.BadZipFile,
    zlib.error,
    struct_error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    KeyError,
)
"""Errors of ``zipfile`` for an invalid file."""
_FIRST_DOS_TIME: Final = 315_619_200
"""Oldest time that a zip file can contain in every time zone, 1980-01-02 in UTC."""
_LAST_DOS_TIME: Final = 4_354_732_800
"""Latest time that a zip file can contain in every time zone, 2107-12-31 in UTC."""
_TIME_LIMIT: Final = 2**62
"""Nanoseconds since 1970 that no time in a backup reaches, in the year 2116. Later ones are stored as this one."""


class BackupEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """File in a backup."""

    name: str
    """Path below the home folder, with slashes."""
    size: Annotated[int, msgspec.Meta(ge=0, le=MAX_FILE_BYTES)]
    sha256: Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}\Z")]
    modified: Annotated[int, msgspec.Meta(ge=0, lt=_TIME_LIMIT)]
    """Time of the last change, in nanoseconds since 1970-01-01T00:00Z."""


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="backup", tag=1):
    """List of all files of a backup, which is the last member of the zip file."""

    version: str
    """Version of the program that has made the backup."""
    made: Annotated[int, msgspec.Meta(ge=0, lt=10**10)]
    """Time at which the backup was begun, in seconds since 1970-01-01T00:00Z."""
    files: Annotated[tuple[BackupEntry, ...], msgspec.Meta(max_length=MAX_FILES)]

    @property
    def total_bytes(self) -> int:
        return sum(entry.size for entry in self.files)


_MANIFEST: Final = JsonFile(Manifest, _MAX_MANIFEST_BYTES, personal=False)


def write_backup(file: Path, report: Callable[[str], object] = lambda _text: None) -> tuple[Manifest, list[str]]:
    """Write a backup of the home folder, and return its manifest and the names of files that were left out.

    The file is readable by its owner only. Everything that was saved before the call is in it. Left out are symbolic
    links that lead the program nowhere, special files and names that other systems do not allow, and if root backs up
    the home of another user, all files that do not belong to that user. ``report`` is called with a text about the
    progress. Raises ``FileError`` if ``file`` exists, lies in the home folder or cannot be
    written, or if a file of the home cannot be read.
    """
    home = atomic_io.resolve_links(paths.home())
    if atomic_io.resolve_links(file).is_relative_to(home):
        raise FileError(file, "it would be part of the next backup; choose a place outside the folder of your files")
    writer = _BackupWriter(report)
    try:
        with atomic_io.create(file) as output:
            manifest = writer.write(output)
    except FileExistsError:
        raise FileError(file, "it already exists; choose another name") from None
    except OSError as error:
        raise FileError(Path(error.filename or file), format_os_error(error)) from None
    return manifest, writer.left_out


class _BackupWriter:
    """Writer of one backup."""

    def __init__(self, report: Callable[[str], object]) -> None:
        self._report = report
        self._owner = find_other_owner(paths.home())
        self._entries: list[BackupEntry] = []
        self._session_names: set[str] = set()
        """Names of the files that were found in one of the two folders of sessions."""
        self.left_out: list[str] = []
        """Names of files that are not part of the backup."""

    def write(self, output: BinaryIO) -> Manifest:
        """Write the zip file with all files of the home, and return its manifest."""
        made = min(int(time.time()), _TIME_LIMIT // 10**9)
        with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, path in self._iterate_files():
                with suppress(FileNotFoundError):  # moved or deleted meanwhile
                    self._add_file(archive, name, path)
            manifest = Manifest(__version__, made, tuple(self._entries))
            archive.writestr(_create_info(MANIFEST_NAME, made), _MANIFEST.encode(manifest))
        if not self._entries:
            raise FileError(paths.home(), "there are no files of the program to back up")
        return manifest

    def _iterate_files(self) -> Iterator[tuple[str, Path]]:
        """Yield the name in the backup and the path of each file of the home, in the order in which they are read."""
        sessions, archive = paths.sessions_folder().name, paths.archive_folder().name
        linkable = {path.name for path in paths.linkable_files()}
        folders = []
        for path in _list_folder(paths.home()):
            if path.is_dir():
                folders.append(path)
            elif path.is_symlink() and path.name in linkable:
                yield path.name, atomic_io.resolve_links(path)
            else:
                yield path.name, path
        for path in folders:
            if path.name not in (sessions, archive, paths.guest_homes_folder().name):
                yield from _iterate_tree(path, path.name)
        for folder in (archive, sessions, archive):
            for name, path in _iterate_tree(paths.home() / folder, folder):
                if name.partition("/")[2] not in self._session_names:
                    yield name, path

    def _add_file(self, archive: zipfile.ZipFile, name: str, path: Path) -> None:
        """Add a file to the zip file, unless the home can do without it.

        A session is cut after its last complete line, since its next one may be only partly written.
        """
        if is_ephemeral(name):
            return
        if not is_safe_name(name) or not stat.S_ISREG(path.lstat().st_mode):
            self.left_out.append(name)
            return
        descriptor = atomic_io.open_regular(path, os.O_RDONLY)
        try:
            status = os.fstat(descriptor)
            if self._owner and status.st_uid != self._owner.user:
                self.left_out.append(name)
                return
            data = atomic_io.read_first(descriptor, MAX_FILE_BYTES + 1)
        finally:
            os.close(descriptor)
        if len(data) > MAX_FILE_BYTES:
            raise FileError(path, f"it is larger than {MAX_FILE_BYTES >> 20} MiB; move it elsewhere")
        folder, _, rest = name.partition("/")
        if folder == paths.sessions_folder().name and name.endswith(".jsonl"):
            data = data[: data.rfind(b"\n") + 1]
        if folder in (paths.sessions_folder().name, paths.archive_folder().name):
            self._session_names.add(rest)
        archive.writestr(_create_info(name, status.st_mtime), data)
        modified = min(max(status.st_mtime_ns, 0), _TIME_LIMIT - 1)
        self._entries.append(BackupEntry(name, len(data), sha256(data).hexdigest(), modified))
        if len(self._entries) % _REPORTED_FILES == 0:
            self._report(format_count(len(self._entries), "file"))


def _create_info(name: str, modified: float) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, time.localtime(min(max(modified, _FIRST_DOS_TIME), _LAST_DOS_TIME))[:6])
    info.external_attr = (stat.S_IFREG | 0o600) << 16
    info.compress_type = zipfile.ZIP_DEFLATED
    return info


def _list_folder(folder: Path) -> list[Path]:
    """Return the paths in a folder, sorted by name; none if there is no such folder."""
    try:
        return sorted(folder.iterdir())
    except FileNotFoundError:
        return []


def _iterate_tree(folder: Path, name: str) -> Iterator[tuple[str, Path]]:
    """Yield name and path of each file below a folder, without following symbolic links below it.

    Of a folder that is too deep for any name in a backup, only the folder itself is yielded.
    """
    for path in _list_folder(folder):
        inner = f"{name}/{path.name}"
        if path.is_dir() and not path.is_symlink() and inner.count("/") + 1 <= _MAX_PARTS:
            yield from _iterate_tree(path, inner)
        else:
            yield inner, path


def is_ephemeral(name: str) -> bool:
    """Return True if a file is a lock, a cache, a temporary file or belongs to a running program.

    ``name`` is the path below the home folder, with slashes.
    """
    first, _, rest = name.partition("/")
    caches = {f"{path.parent.name}/{path.name}" for path in (paths.index_file(), paths.statistics_file())}
    return (
        first in (paths.guest_homes_folder().name, paths.club_status_file().name)
        or (not rest and first.endswith(".lock"))
        or name in caches
        or atomic_io.TEMP_NAME.fullmatch(name) is not None
    )


def is_safe_name(name: str) -> bool:
    """Return True if ``name`` denotes a file below a folder on every system."""
    parts = name.split("/")
    return (
        len(name) <= _MAX_NAME_LENGTH
        and len(parts) <= _MAX_PARTS
        and not _UNSAFE.search(name)
        and not any(not part or part.endswith((".", " ")) or _RESERVED.fullmatch(part) for part in parts)
    )


def check_empty(folder: Path) -> None:
    """Raise ``FileError`` if a folder exists and contains more than locks and the like."""
    with convert_os_errors(folder):
        names = [path.name for path in _list_folder(folder) if not is_ephemeral(path.name)]
    if names:
        first = sanitize(", ".join(names[:_MAX_SHOWN_NAMES]))
        more = ", ..." if len(names) > _MAX_SHOWN_NAMES else ""
        raise FileError(
            folder, f"it is not empty ({first}{more}); move it away, or restore into another folder with --into"
        )


def restore_backup(file: Path, folder: Path, lock: AbstractContextManager[object] | None = None) -> Manifest:
    """Restore a backup into a folder, which must be empty or missing, and return its manifest.

    All files are checked before the first of them gets its place. If root restores into a folder of another user, the
    files are written with the rights of that user. ``lock`` is a context that is entered before. Raises ``FileError``
    if the backup is damaged or hostile, or the files cannot be written; the folder is then as it was.
    """
    check_empty(folder)
    try:
        with (
            os.fdopen(atomic_io.open_regular(file, os.O_RDONLY, follow_links=True), "rb") as source,
            zipfile.ZipFile(source) as archive,
        ):
            manifest = _read_manifest(file, archive)
            with act_for_owner(folder), lock or nullcontext():
                paths.create_folder(folder)
                if manifest.total_bytes > disk_usage(folder).free:
                    raise FileError(folder, f"the files need {manifest.total_bytes >> 20} MiB, and there is less room")
                with TemporaryDirectory(prefix="club-restore-", dir=folder) as staging:
                    for entry in manifest.files:
                        _extract(file, archive, entry, Path(staging))
                    _move_into_place(Path(staging), folder)
    except _BROKEN_ZIP as error:
        raise FileError(file, f"it is not a backup, or it is damaged: {sanitize(str(error))}") from None
    except MemoryError:
        raise FileError(file, "it needs more memory than there is") from None
    except OSError as error:
        raise FileError(Path(error.filename or file), format_os_error(error)) from None
    return manifest


def _read_manifest(file: Path, archive: zipfile.ZipFile) -> Manifest:
    """Read and check the manifest of a backup, with which the members of the zip file must agree.

    Raises ``FileError`` or one of ``_BROKEN_ZIP`` otherwise.
    """
    members = archive.infolist()
    if len(members) > MAX_FILES + 1 or not members or members[-1].filename != MANIFEST_NAME:
        raise FileError(file, "it is not a backup of a club: it has no list of files")
    for member in members:
        if member.compress_type not in _METHODS:
            raise FileError(file, f"{sanitize(member.filename)} is compressed by a method that no backup uses")
    try:
        manifest = _MANIFEST.parse(_read_member(archive, members[-1], _MAX_MANIFEST_BYTES))
    except InvalidContent as error:
        raise FileError(file, f"its list of files is invalid: {error}") from None
    names = [entry.name for entry in manifest.files]
    for name in names:
        if not is_safe_name(name) or is_ephemeral(name):
            raise FileError(file, f"it contains a file that no backup has: {sanitize(name)}")
    if [member.filename for member in members[:-1]] != names or len(names) != len(set(names)):
        raise FileError(file, "its files are not those of its list")
    for member, entry in zip(members[:-1], manifest.files, strict=True):
        kind = stat.S_IFMT(member.external_attr >> 16)
        if member.file_size != entry.size or kind not in (0, stat.S_IFREG):
            raise FileError(file, f"{sanitize(entry.name)} is not the file of its list")
    return manifest


def _read_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, max_bytes: int) -> bytes:
    """Return the bytes of a member. Raises ``BadZipFile`` if there are more than ``max_bytes``."""
    with archive.open(member) as opened:
        data = opened.read(max_bytes + 1)
    if len(data) > max_bytes:
        raise zipfile.BadZipFile(f"{member.filename} is too large")
    return data


def _extract(file: Path, archive: zipfile.ZipFile, entry: BackupEntry, staging: Path) -> None:
    """Check a file of a backup, and write it below the folder ``staging``."""
    data = _read_member(archive, archive.getinfo(entry.name), entry.size)
    if len(data) != entry.size or sha256(data).hexdigest() != entry.sha256:
        raise FileError(file, f"{sanitize(entry.name)} is damaged")
    target = staging / entry.name
    paths.create_folder(target.parent)
    with os.fdopen(atomic_io.open_regular(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb") as output:
        output.write(data)
    os.utime(target, ns=(entry.modified, entry.modified))


def _move_into_place(staging: Path, folder: Path) -> None:
    """Move all files from ``staging`` into ``folder``, the club's file last, and flush them to the disk."""
    if hasattr(os, "sync"):
        os.sync()
    for path in sorted(staging.iterdir(), key=lambda path: path.name == paths.club_file().name):
        path.rename(folder / path.name)
    atomic_io.sync_folder(folder)
