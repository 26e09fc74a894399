"""Care of the home folder: tests of write access, stale temporary files, exports, and copies of its files.

Programs that synchronise a home between machines keep both versions of a file that two of them have changed: one under
another name, which contains the name of the file. Players who are unknown here, and progress in lessons and puzzles,
are added from such a copy. Everything else in it is ignored, but reported. No copy is deleted. Copies of sessions are
handled in ``summaries``.
"""

import os
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from itertools import count
from pathlib import Path
from time import time
from typing import Final, NamedTuple

from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import shorten_path
from cardtable.store import atomic_io, paths, profiles
from cardtable.store.club_tokens import is_hosted_client
from cardtable.store.errors import FileError, convert_os_errors, format_os_error
from cardtable.store.json_file import MergedCopy


def find_save_error() -> str | None:
    """Return the reason why nothing can be saved in the home; ``None`` if it seems possible.

    A file is written as a trial, into the home or the folder in which the home would be created.
    """
    home = paths.home()
    folder = next(parent for parent in (home, *home.absolute().parents) if os.path.lexists(parent))
    trial = folder / f"trial.{os.getpid()}.new"
    try:
        atomic_io.write_new(trial, b"a trial\n")
        atomic_io.remove(trial)
    except OSError as error:
        return f"Nothing can be saved: {format_os_error(error)}. cardtable doctor tells more."
    return None


def check_readable(folder: Path) -> None:
    """Raise ``FileError`` if ``folder`` exists but cannot be listed."""
    try:
        os.scandir(folder).close()
    except OSError as error:
        if os.path.lexists(folder):
            raise FileError(folder, format_os_error(error)) from None


def check_writable(folder: Path) -> None:
    """Raise ``FileError`` if no file can be written into ``folder``.

    A file is written as a trial. It is removed again, and so are folders that were missing before.
    """
    missing = [parent for parent in (folder, *folder.parents) if not os.path.lexists(parent)]
    trial = folder / f"trial.{os.getpid()}.new"
    try:
        paths.create_folder(folder)
        atomic_io.write_new(trial, b"a trial\n")
        atomic_io.remove(trial)
    except OSError as error:
        raise FileError(Path(error.filename or folder), format_os_error(error)) from None
    finally:
        for made in missing:
            with suppress(OSError):
                made.rmdir()


_MAX_TEMP_AGE: Final = 3600.0
"""Age in seconds from which a temporary file on Windows is stale; a running program needs it for moments."""


def remove_stale_files() -> None:
    """Delete the temporary files of processes that have ended. Those of running processes are still in use."""
    temp_files = [
        path
        for folder in (paths.home(), *paths.journal_folders())
        for path in paths.list_files(folder, atomic_io.TEMP_SUFFIX)
    ]
    for link in filter(Path.is_symlink, paths.linkable_files()):
        own = atomic_io.resolve_links(link)
        beside = paths.list_files(own.parent, atomic_io.TEMP_SUFFIX)
        temp_files += [path for path in beside if path.name.startswith(f"{own.name}.")]  # all others are not ours
    for path in temp_files:
        named = atomic_io.TEMP_NAME.fullmatch(path.name)
        with suppress(OSError):
            if named and _is_stale(path, int(named[1])):
                path.unlink()


def _is_stale(path: Path, process_id: int) -> bool:
    """Return True if the process that has written a temporary file has ended.

    On Windows, where ``os.kill`` would end the process and ids are soon used again, the age of the file decides.
    """
    if sys.platform == "win32":
        is_stale = time() - path.stat().st_mtime > _MAX_TEMP_AGE
    else:
        is_stale = not _is_possibly_running(process_id)
    return is_stale


def _is_possibly_running(process_id: int) -> bool:
    """Return True if a process with this id exists, or if that cannot be determined. Not for Windows."""
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def save_export(name: str, data: bytes) -> Path:
    """Write a new file into the export folder, and return its path. A number is added to the name if it is taken.

    Raises ``FileError`` if the file cannot be written, and ``CardtableError`` if this program runs on a host for a
    guest.
    """
    if is_hosted_client():
        raise CardtableError("no files can be saved here: this program runs on the club's machine")
    stem, dot, ending = name.partition(".")
    names = (name if number == 1 else f"{stem}-{number}{dot}{ending}" for number in count(1))
    folder = paths.exports_folder()
    with convert_os_errors(folder / name, "it cannot be written: "):
        paths.create_folder(folder)
        path = folder / next(free for free in names if not os.path.lexists(folder / free))
        with atomic_io.create(path) as file:
            file.write(data)
    return path


_OTHER_SUFFIXES: Final = (atomic_io.TEMP_SUFFIX, ".bak")
"""Suffixes of files beside a file of the home that the program itself makes."""
_MAX_COPY_BYTES: Final = 16 * 1024 * 1024


class CopyReport(NamedTuple):
    """Result of merging all copies."""

    added: list[str]
    """Messages that tell what was added."""
    ignored: list[str]
    """Messages about what is ignored, with what to do."""
    superfluous: list[Path]
    """Copies with nothing that is not in the file itself; they can be deleted."""


def list_copies() -> list[tuple[Path, Path]]:
    """Return each copy of a file of this home, after the path of that file.

    Copies of a file that is a symbolic link are also looked for beside its target.
    """
    files = [*paths.linkable_files(), paths.tournaments_file(), paths.tournament_keys_file()]
    own_names = {path.name for path in (*files, paths.club_status_file())}
    locations = [
        (file, location) for file in files for location in dict.fromkeys([file, atomic_io.resolve_links(file)])
    ]
    names: dict[Path, list[str]] = {}
    for folder in dict.fromkeys([location.parent for _, location in locations]):
        with suppress(OSError):
            names[folder] = sorted(path.name for path in folder.iterdir())
    return [
        (file, location.parent / name)
        for file, location in locations
        for name in names.get(location.parent, ())
        if paths.is_named(name, location.stem, location.suffix)
        and name not in (location.name, *own_names)
        and not name.endswith(_OTHER_SUFFIXES)
    ]


def merge_copies() -> CopyReport:
    """Add from all copies what can be added, and report what was added and what does not count."""
    report, copies = CopyReport([], [], []), list_copies()
    for file, path in copies:
        if file == paths.profiles_file():  # note removed players before another copy adds them
            with suppress(CardtableError, ValueError):
                profiles.merge_removed(_read_copy(path))
    for file, path in copies:
        try:
            merged = _merge_copy(file, path)
        except CardtableError as error:
            merged = MergedCopy(ignored=f"which cannot be used: {error.reason}")
        name = shorten_path(path.name if path.parent == paths.home() else path)
        if merged.added:
            report.added.append(f"{name}: from this copy of another machine {merged.added}")
        if merged.ignored:
            report.ignored.append(
                f"{name}: a copy of {file.name} from another machine, {merged.ignored}; close cardtable and give it "
                f"the name {file.name} to use it instead, or delete it"
            )
        elif not merged.added:
            report.superfluous.append(path)
    return report


def _merge_copy(file: Path, path: Path) -> MergedCopy:
    """Add from a copy what can be added. Raises ``CardtableError`` if it cannot be used, or nothing can be saved."""
    data = _read_copy(path)
    with suppress(CardtableError):
        if data == _read_copy(file):
            return MergedCopy()
    merge = _get_merge_functions().get(file)
    if merge is None:
        return MergedCopy(ignored="which does not count")
    try:
        return merge(data)
    except ValueError as error:
        raise FileError(path, str(error)) from None


def _read_copy(path: Path) -> bytes:
    with convert_os_errors(path):
        return atomic_io.read(path, _MAX_COPY_BYTES, follow_links=True)


def _get_merge_functions() -> Mapping[Path, Callable[[bytes], MergedCopy]]:
    """Return the functions that add from the bytes of a copy, by file. They raise ``ValueError`` if it is invalid."""
    from cardtable.store import player_progress, puzzle_files  # noqa: PLC0415 - lazy: startup

    return {
        paths.known_games_file(): lambda _: MergedCopy(),  # another game explains its aim once more
        paths.profiles_file(): profiles.merge_copy,
        paths.lesson_progress_file(): player_progress.merge_lessons,
        paths.puzzles_file(): puzzle_files.merge_copy,
    }
