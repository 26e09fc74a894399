"""Files of the home with the progress of each player, and what is added from copies of them.

The file of the lessons has which are done, and at which step an unfinished one continues.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Final, Generic, TypeAlias, TypeVar

import msgspec
from msgspec.structs import replace

from cardtable.store import paths, profiles
from cardtable.store.json_file import Change, Digest, JsonFile, JsonStore, MergedCopy, compute_digest

P = TypeVar("P")
_MAX_DIGESTS: Final = 100
"""Maximum number of copies of a file that it remembers; the oldest of more are forgotten."""


class ProgressFile(msgspec.Struct, Generic[P], frozen=True, forbid_unknown_fields=True):
    """Content of a file with the progress of all players."""

    players: dict[str, P] = {}
    """Progress by player: a profile id, or the nick of a player without a profile."""
    merged: tuple[Digest, ...] | msgspec.UnsetType = msgspec.UNSET
    """Digests of the copies of this file that have been merged into it; left out if there are none."""


class ProgressStore(JsonStore[ProgressFile[P]]):
    """File of the home with the progress of all players."""

    def __init__(self, file: JsonFile[ProgressFile[P]], get_path: Callable[[], Path], failure: str, empty: P) -> None:
        """``empty`` is the progress of a player who is not in the file."""
        super().__init__(file, get_path, failure)
        self._empty = empty

    def load_own(self, nick: str) -> tuple[P, str | None]:
        """Return the progress of a player, and the error of its file in one line, if there is one."""
        stored, error = self.load()
        return self._get_own(stored, profiles.get_player_key(nick)), error

    def update_own(self, nick: str, change: Callable[[P], P]) -> Change[P]:
        """Save the result of ``change`` of a player's progress, and return both. Raises as ``update`` does."""
        key = profiles.get_player_key(nick)

        def change_own(stored: ProgressFile[P]) -> ProgressFile[P]:
            return replace(stored, players={**stored.players, key: change(self._get_own(stored, key))})

        before, after = self.update(change_own)
        return Change(self._get_own(before, key), after.players[key])

    def remove_player(self, key: str) -> None:
        """Remove the progress of a player, a profile id or a nick. Raises as ``update`` does."""

        def remove(stored: ProgressFile[P]) -> ProgressFile[P]:
            return replace(stored, players={player: own for player, own in stored.players.items() if player != key})

        self.update(remove)

    def merge_copy(self, data: bytes, combine: Callable[[P, P], P]) -> bool:
        """Add the progress in a copy of the file that another machine has made, once; return True if any was new.

        ``combine`` returns the progress of a player from that of this file and that of the copy. Raises ``ValueError``
        if the copy is invalid, and otherwise as ``update`` does.
        """
        copy, digest = self.file.parse(data), compute_digest(data)
        players = [player for player in copy.players if profiles.is_player_key(player)]

        def merge(stored: ProgressFile[P]) -> ProgressFile[P]:
            merged = stored.merged or ()
            if digest in merged:
                return stored
            added = {player: combine(self._get_own(stored, player), copy.players[player]) for player in players}
            return replace(stored, players={**stored.players, **added}, merged=(*merged, digest)[-_MAX_DIGESTS:])

        before, after = self.update(merge)
        return after.players != before.players

    def _get_own(self, stored: ProgressFile[P], key: str) -> P:
        return stored.players.get(key, self._empty)


_MAX_LESSONS_BYTES: Final = 1024 * 1024


class LessonProgress(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Progress of a player in one lesson."""

    done: bool = False
    """True once the player has taken the lesson to its end without being told an answer."""
    step: Annotated[int, msgspec.Meta(ge=0)] = 0
    """Index of the step at which the lesson continues; 0 if it begins anew."""
    needed_answer: bool = False
    """True if the player was told an answer before that step."""
    helped: bool = False
    """True once the player has taken the lesson to its end with an answer that was told."""

    @property
    def is_finished(self) -> bool:
        return self.done or self.helped


NOT_BEGUN: Final = LessonProgress()
Progress: TypeAlias = dict[str, LessonProgress]
"""Progress of a player by lesson."""


class LessonsFile(ProgressFile[Progress], frozen=True, tag_field="progress", tag=1):
    """Content of the file with the progress of all players."""


LESSONS: Final = ProgressStore[Progress](
    JsonFile(LessonsFile, _MAX_LESSONS_BYTES, personal=True, indent=1),
    paths.lesson_progress_file,
    "the progress in the lessons cannot be saved: ",
    {},
)
load_lessons: Final = LESSONS.load_own


def save_lesson(nick: str, lesson_id: str, progress: LessonProgress) -> None:
    """Save the progress of a player in a lesson.

    Raises ``CardtableError`` if the file cannot be written, or is invalid; it is then unchanged.
    """
    LESSONS.update_own(nick, lambda own: {**own, lesson_id: progress})


def merge_lessons(data: bytes) -> MergedCopy:
    """Add the progress in a copy of the file as ``ProgressStore.merge_copy`` does."""
    return MergedCopy("progress in lessons was added" if LESSONS.merge_copy(data, _combine_lessons) else "")


def _combine_lessons(own: Progress, other: Progress) -> Progress:
    return {**other, **own, **{key: _choose_better(own[key], other[key]) for key in own.keys() & other.keys()}}


def _choose_better(own: LessonProgress, other: LessonProgress) -> LessonProgress:
    """Merge the progress in a lesson on two machines: done if done on either, continued at the later step."""
    further = own if own.done else max(own, other, key=lambda lesson: lesson.step)
    return replace(further, done=own.done or other.done, helped=own.helped or other.helped)
