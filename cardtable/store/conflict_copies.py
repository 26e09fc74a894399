"""Copies of the files of a home that programs leave which synchronise it between machines.

Such a program keeps both versions of a file that two machines have changed: one under another name, which contains the
name of the file. Players who are unknown here, and progress in lessons and puzzles, are added from such a copy. All
else in it does not count and is only named. No copy is deleted. Copies of sessions are handled in ``summaries``.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import shorten_path
from cardtable.store import atomic_io, paths
from cardtable.store.errors import FileError, format_os_error
from cardtable.store.json_file import MergedCopy

_OTHER_SUFFIXES: Final = (atomic_io.TEMP_SUFFIX, ".bak")
"""Suffixes of files beside a file of the home that the program itself makes."""
_MAX_BYTES: Final = 16 * 1024 * 1024


class CopyReport(NamedTuple):
    """Result of merging all copies."""

    added: list[str]
    """Messages that tell what was added."""
    ignored: list[str]
    """Messages that tell what does not count, with what to do."""
    superfluous: list[Path]
    """Copies with nothing that is not in the file itself; they can be deleted."""


def list_copies() -> list[tuple[Path, Path]]:
    """Return each copy of a file of this home, after the path of that file.

    Copies of a file that is a symbolic link are also looked for beside its target.
    """
    files = [*paths.linkable_files(), paths.tournaments_file(), paths.tournament_keys_file()]
    own_names = {path.name for path in (*files, paths.club_status_file())}
    places = [(file, place) for file in files for place in dict.fromkeys([file, atomic_io.resolve_links(file)])]
    names: dict[Path, list[str]] = {}
    for folder in dict.fromkeys([place.parent for _, place in places]):
        with suppress(OSError):
            names[folder] = sorted(path.name for path in folder.iterdir())
    return [
        (file, place.parent / name)
        for file, place in places
        for name in names.get(place.parent, ())
        if paths.is_named(name, place.stem, place.suffix)
        and name not in (place.name, *own_names)
        and not name.endswith(_OTHER_SUFFIXES)
    ]


def merge_copies() -> CopyReport:
    """Add from all copies what can be added, and report what was added and what does not count."""
    report, copies = CopyReport([], [], []), list_copies()
    _merge_removed_players([path for file, path in copies if file == paths.profiles_file()])
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


def _merge_removed_players(copies: Sequence[Path]) -> None:
    """Note who was removed on another machine, before one of the other copies adds them."""
    for path in copies:
        from cardtable.store import profiles  # noqa: PLC0415 - lazy: startup

        with suppress(CardtableError, ValueError):
            profiles.merge_removed(_read(path))


def _merge_copy(file: Path, path: Path) -> MergedCopy:
    """Add from a copy what can be added. Raises ``CardtableError`` if it cannot be used, or nothing can be saved."""
    data = _read(path)
    with suppress(CardtableError):
        if data == _read(file):
            return MergedCopy()
    merge = _get_merge_functions().get(file)
    if merge is None:
        return MergedCopy(ignored="which does not count")
    try:
        return merge(data)
    except ValueError as error:
        raise FileError(path, str(error)) from None


def _read(path: Path) -> bytes:
    try:
        return atomic_io.read(path, _MAX_BYTES, follow_links=True)
    except OSError as error:
        raise FileError(path, format_os_error(error)) from None


def _get_merge_functions() -> Mapping[Path, Callable[[bytes], MergedCopy]]:
    """Return the functions that add from the bytes of a copy, by file. They raise ``ValueError`` if it is invalid."""
    from cardtable.store import lesson_progress, profiles, puzzle_progress  # noqa: PLC0415 - lazy: startup

    return {
        paths.known_games_file(): lambda _: MergedCopy(),  # another game explains its aim once more
        paths.profiles_file(): profiles.merge_copy,
        paths.lesson_progress_file(): lesson_progress.merge_lessons,
        paths.puzzles_file(): puzzle_progress.merge_copy,
    }
