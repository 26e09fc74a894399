"""Where everything lies that a person has, and what is shipped with the program."""

import errno
import os
from pathlib import Path

from cardtable.store import atomic_io


def home() -> Path:
    """The folder of everything a person has; ``CARDTABLE_HOME`` overrides where it is."""
    given = os.environ.get("CARDTABLE_HOME")
    if given:
        return Path(given)
    from platformdirs import user_data_dir  # noqa: PLC0415  (late: not needed where the folder is given)

    return Path(user_data_dir("cardtable", False))


def state() -> Path:
    """The folder in which the system lets programs leave what is no file of the person's."""
    from platformdirs import user_state_dir  # noqa: PLC0415  (late: seldom needed)

    return Path(user_state_dir("cardtable", False))


def sessions() -> Path:
    """The folder of sessions that are not over."""
    return home() / "sessions"


def archive() -> Path:
    """The folder of sessions that are over or given up."""
    return home() / "archive"


def in_archive(path: Path) -> bool:
    """Whether a file lies in the folder of sessions that are over or given up, however its path is written."""
    return path.resolve().parent == archive().resolve()


def index() -> Path:
    """The file that remembers what the archive's sessions are; it lies among them and is none."""
    return archive() / "index.jsonl"


def figures() -> Path:
    """The file that remembers what was played in the archive's sessions; it lies among them and is none, too."""
    return archive() / "figures.jsonl"


def exports() -> Path:
    """The folder of what was exported from the screen."""
    return home() / "exports"


def settings_file() -> Path:
    """The file of the settings."""
    return home() / "settings.toml"


def known_games_file() -> Path:
    """The file of the games that have been started here."""
    return home() / "known-games.txt"


def profiles_file() -> Path:
    """The file of the players."""
    return home() / "profiles.json"


def club_file() -> Path:
    """The file of who has been in the club that is opened here."""
    return home() / "club.json"


def club_lock() -> Path:
    """The file that is locked while a club is open here."""
    return home() / "club.lock"


def club_turn() -> Path:
    """Locked by the one of the guests' programs on this machine that thinks of a hint."""
    return home() / "club-turn.lock"


def club_guests() -> Path:
    """Return the folder of the temporary homes of guests' programs that the host runs."""
    return home() / "club-guests"


def club_now_file() -> Path:
    """The file of how the club stands that is open here."""
    return home() / "club-now.json"


def host_key_file() -> Path:
    """The file of the key by which programs know this machine as a club's that they reach by ssh."""
    return home() / "ssh-host-key"


def club_tokens_file() -> Path:
    """The file of who somebody is at clubs elsewhere."""
    return home() / "clubs.json"


def linkable_files() -> list[Path]:
    """Return the files that may be symbolic links and stay links when they are written."""
    return [settings_file(), profiles_file(), club_file(), club_tokens_file(), known_games_file(), host_key_file()]


def theme_files() -> list[Path]:
    """The theme files, first the person's own, then the shipped ones, each by name."""
    return [*own_theme_files(), *shipped_theme_files()]


def shipped(*parts: str, package: str = "cardtable") -> Path:
    """Return the path of a file or folder that is installed inside a package."""
    from importlib.resources import files  # noqa: PLC0415  (late: it takes long to import)

    return Path(str(files(package).joinpath(*parts)))


def shipped_theme_files() -> list[Path]:
    """Return the theme files of the program, by name: inside the installed package, or beside that of a checkout."""
    return listed(shipped("themes"), ".toml") or listed(shipped().parent / "themes", ".toml")


def own_themes() -> Path:
    """The folder of the person's own themes."""
    return home() / "themes"


def own_theme_files() -> list[Path]:
    """The person's own theme files, by name."""
    return listed(own_themes(), ".toml")


def rules_page(game: str) -> Path:
    """Return the path of the rules page of a game of this program."""
    return shipped("games", game, "rules.md")


def listed(folder: Path, ending: str) -> list[Path]:
    """Return the files of a folder whose names end in `ending`, by name; none if the folder cannot be read.

    Hidden files belong to other programs, such as the ``._`` files of macOS, and are left out.
    """
    try:
        with os.scandir(folder) as entries:
            names = sorted(entry.name for entry in entries if is_listed(entry.name, ending))
    except OSError:
        return []
    return [folder / name for name in names]


def is_listed(name: str, ending: str) -> bool:
    """Return True if a file of this name in one of our folders is ours: it ends in `ending` and is not hidden."""
    return name.endswith(ending) and not name.startswith(".")


def make(folder: Path) -> None:
    """Make a folder, and those above it, for its owner only.  Raises ``OSError``."""
    if folder.is_dir():
        return
    if folder.parts[:1] == ("~",):
        raise OSError(errno.ENOENT, "no home folder is known")
    make(folder.parent)
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except FileExistsError:
        what = "a symbolic link that leads nowhere" if folder.is_symlink() else "a file"
        why = f"{what} stands where a folder must be"
        raise NotADirectoryError(errno.ENOTDIR, why, str(folder)) from None
    atomic_io.sync_folder(folder.parent)
