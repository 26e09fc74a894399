"""Progress of the players in the lessons: which are done, and at which step an unfinished one continues."""

from typing import Annotated, Final, TypeAlias

import msgspec

from cardtable.store import paths
from cardtable.store.json_file import JsonFile, MergedCopy
from cardtable.store.player_progress import ProgressFile, ProgressStore

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
Progress: TypeAlias = dict[str, LessonProgress]
"""Progress of a player by lesson."""


class LessonsFile(ProgressFile[Progress], frozen=True, tag_field="progress", tag=1):
    """Content of the file with the progress of all players."""


LESSONS: Final = ProgressStore[Progress](
    JsonFile(LessonsFile, MAX_BYTES, personal=True, indent=1),
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
    return MergedCopy("progress in lessons was added" if LESSONS.merge_copy(data, _combine) else "")


def _combine(own: Progress, other: Progress) -> Progress:
    """Return the better progress in each lesson."""
    return {**other, **own, **{key: _choose_better(own[key], other[key]) for key in own.keys() & other.keys()}}


def _choose_better(own: LessonProgress, other: LessonProgress) -> LessonProgress:
    """Return a lesson as done if it is done on one of two machines, and continue it where more of it is done."""
    further = own if own.done else max(own, other, key=lambda each: each.step)
    return msgspec.structs.replace(further, done=own.done or other.done)
