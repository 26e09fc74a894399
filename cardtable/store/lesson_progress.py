"""Progress of the players in the lessons: which are done, and at which step an unfinished one continues."""

from collections.abc import Callable, Mapping
from typing import Annotated, Final, TypeAlias

import msgspec

from cardtable.engine.errors import CardtableError
from cardtable.store import paths, profiles
from cardtable.store.errors import FileError, format_os_error
from cardtable.store.json_file import Digest, JsonFile, MergedCopy, add_digest, compute_digest, home_lock

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
_Progress: TypeAlias = dict[str, LessonProgress]
"""Progress by lesson."""
_Players: TypeAlias = dict[str, _Progress]
"""Progress by player: a profile id, or the nick of a player without a profile."""


class ProgressFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="progress", tag=1):
    """Content of the file with the progress of all players."""

    players: _Players = {}
    merged: tuple[Digest, ...] | msgspec.UnsetType = msgspec.UNSET
    """Digests of the copies of this file that have been merged into it; left out if there are none."""


_FILE: Final = JsonFile(ProgressFile, MAX_BYTES, personal=True, indent=1)


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
    _change(lambda before: {player: own for player, own in before.players.items() if player != key})


def save(nick: str, lesson_id: str, progress: LessonProgress) -> None:
    """Save the progress of a player in a lesson.

    Raises ``CardtableError`` if the file cannot be written, or is invalid; it is then unchanged.
    """

    def add_progress(before: ProgressFile) -> _Players:
        player = profiles.get_player_key(nick)
        return {**before.players, player: {**before.players.get(player, {}), lesson_id: progress}}

    _change(add_progress)


def merge_copy(data: bytes) -> MergedCopy:
    """Add the progress in a copy of the file that another machine has made, once.

    Raises ``ValueError`` if the copy is invalid, and ``CardtableError`` as ``save`` does.
    """
    copy, before, digest = _FILE.parse(data), read(), compute_digest(data)
    if digest in (before.merged or ()):
        return MergedCopy()
    others = [player for player in copy.players if profiles.is_player_key(player)]
    _change(
        lambda now: {
            **now.players,
            **{player: _combine(now.players.get(player, {}), copy.players[player]) for player in others},
        },
        digest,
    )
    return MergedCopy("progress in lessons was added" if read().players != before.players else "")


def _combine(own: _Progress, other: _Progress) -> _Progress:
    """Return the better progress in each lesson."""
    return {**other, **own, **{key: _choose_better(own[key], other[key]) for key in own.keys() & other.keys()}}


def _choose_better(own: LessonProgress, other: LessonProgress) -> LessonProgress:
    """Return a lesson as done if it is done on one of two machines, and continue it where more of it is done."""
    further = own if own.done else max(own, other, key=lambda each: each.step)
    return msgspec.structs.replace(further, done=own.done or other.done)


def _change(update: Callable[[ProgressFile], _Players], merged: Digest | None = None) -> None:
    """Replace the progress of all players by the result of ``update``, under the lock of the home, and save it.

    ``merged``: digest of a copy that is merged with this change. Raises ``CardtableError`` if the file cannot be
    written, or is invalid; it is then unchanged.
    """
    path = paths.lesson_progress_file()
    try:
        with home_lock():
            before = read()
            after = msgspec.structs.replace(before, players=update(before))
            if merged:
                after = msgspec.structs.replace(after, merged=add_digest(before.merged, merged))
            if after != before:
                _FILE.write(path, after)
    except OSError as error:
        raise FileError(path, f"the progress in the lessons cannot be saved: {format_os_error(error)}") from None
