"""Progress of the players in the lessons: which are done, and at which step an unfinished one continues."""

from collections.abc import Mapping
from typing import Annotated, Final, Literal

import msgspec

from cardtable.engine.errors import CardtableError
from cardtable.store import paths, profiles
from cardtable.store.errors import FileError, format_os_error
from cardtable.store.json_file import JsonFile, home_lock

MAX_BYTES: Final = 1024 * 1024


class LessonProgress(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Progress of a player in one lesson."""

    done: bool = False
    """True once the player has taken the lesson to its end without being told an answer."""
    step: Annotated[int, msgspec.Meta(ge=0)] = 0
    """Index of the step at which the lesson continues; 0 if it begins anew."""
    needed_answer: bool = False
    """True if the player was told an answer before that step."""


NOT_BEGUN: Final = LessonProgress()


class ProgressFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Content of the file with the progress of all players."""

    progress: Literal[1] = 1
    players: dict[str, dict[str, LessonProgress]] = {}
    """Progress by player and lesson. A player is a profile id, or the nick of a player without a profile."""


_FILE: Final = JsonFile(ProgressFile, "progress", 1, MAX_BYTES, personal=True, indent=1)


def load(nick: str) -> tuple[Mapping[str, LessonProgress], str]:
    """Return the progress of a player by the ids of the lessons, and the error of the file in one line.

    The error is ``""`` if the file is valid or missing. After an error no progress is returned.
    """
    try:
        return read().players.get(profiles.get_player_key(nick), {}), ""
    except CardtableError as error:
        return {}, str(error)


def read() -> ProgressFile:
    """Return the progress of all players, which is empty if the file does not exist.

    Raises ``FileError`` if the file cannot be read or is invalid.
    """
    try:
        return _FILE.read(paths.lesson_progress_file())
    except FileNotFoundError:
        return ProgressFile()


def remove_player(key: str) -> None:
    """Remove the progress of a player, who is a profile id or a nick as in ``ProgressFile.players``.

    Raises ``CardtableError`` if the file cannot be written, or is invalid; it is then unchanged.
    """
    path = paths.lesson_progress_file()
    try:
        with home_lock():
            before = read()
            if key in before.players:
                others = {player: own for player, own in before.players.items() if player != key}
                _FILE.write(path, ProgressFile(players=others))
    except OSError as error:
        raise FileError(path, f"the progress in the lessons cannot be saved: {format_os_error(error)}") from None


def save(nick: str, lesson_id: str, progress: LessonProgress) -> None:
    """Save the progress of a player in a lesson.

    Raises ``CardtableError`` if the file cannot be written, or is invalid; it is then unchanged.
    """
    path = paths.lesson_progress_file()
    try:
        with home_lock():
            before, player = read(), profiles.get_player_key(nick)
            own = {**before.players.get(player, {}), lesson_id: progress}
            after = ProgressFile(players={**before.players, player: own})
            if after != before:
                _FILE.write(path, after)
    except OSError as error:
        raise FileError(path, f"the progress in the lessons cannot be saved: {format_os_error(error)}") from None
