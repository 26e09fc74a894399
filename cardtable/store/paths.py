"""Paths of the user's files and of the files shipped with the program, and the users who can change where they lead.

Root gives up its rights over files of another user, which that user could turn against root by links.
"""

import errno
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from cardtable.engine.errors import CardtableError
from cardtable.store import atomic_io
from cardtable.store.errors import FileError

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable
    from tempfile import TemporaryDirectory

_synced_folders: Final[set[Path]] = set()
"""Folders whose names this program has flushed to the disk."""
_copying: Final = Lock()
"""Lock held while a file of a package in a zip file is copied."""


def home() -> Path:
    """Return the folder of all files of the user: ``CARDTABLE_HOME`` if it is set, else the system's data folder.

    Raises ``CardtableError`` if there is none.
    """
    variable = os.environ.get("CARDTABLE_HOME")
    if variable:
        named = expand_home(variable)
        if named.startswith("~"):
            raise CardtableError(f"CARDTABLE_HOME={variable}: no such home folder is known")
        return Path(named)
    from platformdirs import user_data_dir  # noqa: PLC0415 - lazy: startup

    folder = _find_system_folder(user_data_dir)
    if folder is None:
        raise CardtableError("no home folder is known for you; set CARDTABLE_HOME to a folder of your own")
    return folder


def find_home() -> Path | None:
    """Return the folder of all files of the user, or ``None`` if there is none."""
    try:
        return home()
    except CardtableError:
        return None


def state_folder() -> Path | None:
    """Return the system's folder for program state that is not the user's data, or ``None`` if there is none."""
    from platformdirs import user_state_dir  # noqa: PLC0415 - lazy: startup

    return _find_system_folder(user_state_dir)


def _find_system_folder(find: Callable[[str, Literal[False]], str]) -> Path | None:
    """Return the folder that platformdirs finds, or ``None`` if the user has no home folder."""
    try:
        folder = Path(find("cardtable", False))
    except RuntimeError:
        return None
    return folder if folder.is_absolute() else None  # versions before 4.4 return a path that begins with ~


def expand_home(path: str) -> str:
    """Return a path that a person has written with a leading ``~`` replaced as in a shell.

    It is unchanged if no such home folder is known.
    """
    return os.path.expanduser(path)  # noqa: PTH111 - Path.expanduser raises if no such home folder is known


def _get_path(name: str) -> Path:
    return home() / name


sessions_folder: Final = partial(_get_path, "sessions")
"""Folder of unfinished sessions."""
archive_folder: Final = partial(_get_path, "archive")
"""Folder of finished and abandoned sessions."""
exports_folder: Final = partial(_get_path, "exports")
known_games_file: Final = partial(_get_path, "known-games.txt")
"""List of games that have been started in this home."""
profiles_file: Final = partial(_get_path, "profiles.json")
lesson_progress_file: Final = partial(_get_path, "lessons.json")
puzzles_file: Final = partial(_get_path, "puzzles.json")
"""Lists of the players' puzzles, with their progress."""
puzzles_folder: Final = partial(_get_path, "puzzles")
club_file: Final = partial(_get_path, "club.json")
"""Accounts of the club that this home hosts."""
seasons_file: Final = partial(_get_path, "seasons.json")
club_lock_file: Final = partial(_get_path, "club.lock")
hint_lock_file: Final = partial(_get_path, "club-turn.lock")
"""Lock file that is held while a guest's program on the host computes a hint.

It prevents the programs of several guests from computing hints at the same time.
"""
guest_homes_folder: Final = partial(_get_path, "club-guests")
"""Folder of the temporary homes of the programs that the host runs for guests."""
club_status_file: Final = partial(_get_path, "club-now.json")
tournaments_file: Final = partial(_get_path, "tournaments.json")
tournament_keys_file: Final = partial(_get_path, "tournament-keys.json")
"""Keys of the tournaments that have not ended."""
host_key_file: Final = partial(_get_path, "ssh-host-key")
club_tokens_file: Final = partial(_get_path, "clubs.json")
"""User's tickets for other clubs."""
user_themes_folder: Final = partial(_get_path, "themes")


def journal_folders() -> tuple[Path, Path]:
    return sessions_folder(), archive_folder()


def is_in_archive(path: Path) -> bool:
    """Return True if a file is directly in the archive folder. Symbolic links are resolved."""
    has_archive = find_home() is not None
    return has_archive and atomic_io.resolve_links(path).parent == atomic_io.resolve_links(archive_folder())


def index_file() -> Path:
    """Return the path of the archive's index, a cache."""
    return archive_folder() / "index.jsonl"


def statistics_file() -> Path:
    """Return the path of the cached facts for the statistics."""
    return archive_folder() / "figures.jsonl"


def review_file(session: str) -> Path:
    return archive_folder() / f"{session}.review.json"


def settings_file() -> Path:
    return get_settings_file(home())


def get_settings_file(home_folder: Path) -> Path:
    return home_folder / "settings.toml"


def linkable_files() -> list[Path]:
    """Return the files that may be symbolic links. Writing them preserves the link and replaces its target."""
    progress = (lesson_progress_file(), puzzles_file())
    personal = (settings_file(), profiles_file(), *progress, club_file(), seasons_file(), club_tokens_file())
    return [*personal, known_games_file(), host_key_file()]


def theme_files() -> list[Path]:
    return [*user_theme_files(), *shipped_theme_files()]


def get_shipped_path(*parts: str, package: str = "cardtable") -> Path:
    """Return the path of a file or folder inside an installed package, which need not exist.

    ``parts`` are the components of the path below the package. From a package in a zip file it is copied into a
    temporary folder, which is removed at the end of the program.
    """
    from importlib.resources import files  # noqa: PLC0415 - lazy: startup

    resource = files(package).joinpath(*parts)
    if isinstance(resource, Path):
        return resource
    with _copying:
        copy = Path(get_temporary_folder().name, package, *parts)
        if not copy.exists():
            copy.parent.mkdir(parents=True, exist_ok=True)
            _copy_resource(resource, copy)
    return copy


@cache
def get_temporary_folder() -> "TemporaryDirectory[str]":
    """Return the temporary folder of this program, which only its user can read; it is removed at the end."""
    from tempfile import TemporaryDirectory  # noqa: PLC0415 - lazy: startup

    return TemporaryDirectory(prefix="cardtable-")


def _copy_resource(resource: "Traversable", copy: Path) -> None:
    """Copy a file, or a folder with everything in it; do nothing if there is neither."""
    if resource.is_dir():
        copy.mkdir()
        for inner in resource.iterdir():
            _copy_resource(inner, copy / inner.name)
    elif resource.is_file():
        copy.write_bytes(resource.read_bytes())


def shipped_theme_files() -> list[Path]:
    return list_files(get_shipped_path("themes"), ".toml")


def find_sample_session(name: str) -> Path | None:
    """Return the file of a sample session that is shipped with the program, or ``None`` if there is none.

    ``name`` is the name of the file without its suffix.
    """
    return next((path for path in list_files(get_shipped_path("saves"), ".jsonl") if path.stem == name), None)


def user_theme_files() -> list[Path]:
    return list_files(user_themes_folder(), ".toml") if find_home() else []


def rules_file(game: str) -> Path:
    return get_shipped_path("games", game, "rules.md")


def list_files(folder: Path, suffix: str) -> list[Path]:
    """Return the files of a folder whose names end with ``suffix``, sorted by name.

    The list is empty if the folder cannot be read. Hidden files, such as the ``._`` files of macOS, belong to other
    programs and are left out.
    """
    try:
        with os.scandir(folder) as entries:
            names = sorted(entry.name for entry in entries if is_visible_file(entry.name, suffix))
    except OSError:
        return []
    return [folder / name for name in names]


def list_named_files(folder: Path, word: str, suffix: str) -> list[Path]:
    """Return the files of a folder whose names ``is_named`` accepts, sorted by name.

    There are none without the folder. Raises ``OSError`` if it cannot be read.
    """
    with suppress(FileNotFoundError, NotADirectoryError), os.scandir(folder) as entries:
        names = [entry.name for entry in entries if is_named(entry.name, word, suffix)]
        return [folder / name for name in sorted(names)]
    return []


def is_named(name: str, word: str, suffix: str) -> bool:
    """Return True if the name of a file contains ``word`` as a whole word and ends with ``suffix``.

    Such files are a file itself and its copies by programs that synchronise folders, whatever such a program adds to
    the name.
    """
    if word not in name or not is_visible_file(name, suffix):
        return False
    return re.search(rf"(?<![A-Za-z0-9]){re.escape(word)}(?![A-Za-z0-9])", name) is not None


def is_visible_file(name: str, suffix: str) -> bool:
    return name.endswith(suffix) and not name.startswith(".")


def create_folder(folder: Path) -> None:
    """Create a folder and its missing parents, readable by the owner only, and flush them to the disk.

    An existing folder is left as it is. Raises ``OSError`` if the folder cannot be created, or if a file has its name.
    """
    if folder.is_dir():
        sync_folder_name(folder)
        return
    create_folder(folder.parent)
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except FileExistsError:
        obstacle = "a symbolic link that leads nowhere" if folder.is_symlink() else "a file"
        reason = f"{obstacle} stands where a folder must be"
        raise NotADirectoryError(errno.ENOTDIR, reason, str(folder)) from None
    atomic_io.sync_folder(folder.parent)
    _synced_folders.add(folder)


def sync_folder_name(folder: Path) -> None:
    """Flush the name of an existing folder to the disk, once in each program. Errors are ignored.

    The program that created the folder may have been killed before it did so.
    """
    if folder not in _synced_folders:
        with suppress(OSError):
            atomic_io.sync_folder(folder.parent)
        _synced_folders.add(folder)


class Owner(NamedTuple):
    """User and group to which a file belongs, as numbers."""

    user: int
    group: int


def find_other_owner(path: Path) -> Owner | None:
    """Return the user who can change where a path leads, if this program runs as root and that user is another one.

    It is the owner of the first existing part of the path that does not belong to root.
    """
    if sys.platform != "win32" and os.geteuid() == 0:
        for whole in (path.absolute(), atomic_io.resolve_links(path)):
            for part in [*reversed(whole.parents), whole]:
                try:
                    status = part.lstat()
                except OSError:
                    break
                if status.st_uid != 0:
                    return Owner(status.st_uid, status.st_gid)
    return None


def check_owner(folder: Path) -> None:
    """Raise ``FileError`` if this program runs as root, and another user can change where a folder leads."""
    if find_other_owner(folder):
        raise FileError(folder, "it belongs to another user, for whom root writes no files; do this as that user")


@contextmanager
def act_for_owner(path: Path) -> Iterator[None]:
    """Return a context without the rights of root if another user can change where a path leads.

    Files are then used and created with the rights of that user. All modules that are needed must be imported before,
    since the user may not be able to read the program.
    """
    owner = find_other_owner(path)
    if sys.platform != "win32" and owner:
        groups, group = os.getgroups(), os.getegid()
        os.setgroups([])
        os.setegid(owner.group)
        os.seteuid(owner.user)
        try:
            yield
        finally:
            os.seteuid(0)
            os.setegid(group)
            os.setgroups(groups)
    else:
        yield
