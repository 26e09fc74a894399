"""Sentences on lessons, for every front end."""

from collections.abc import Mapping
from typing import Final

from cardtable.engine.text_format import format_count
from cardtable.robots.kit.hint_spec import format_action
from cardtable.session.lessons import Course, Lesson
from cardtable.session.session_events import SessionPrompt
from cardtable.store.lesson_progress import NOT_BEGUN, LessonProgress


def format_prompt_text(prompt: SessionPrompt) -> str:
    """Return the text to read, which ends with the right answer once it is told; "" if there is nothing to read."""
    if not prompt.text or prompt.answer is None:
        return prompt.text
    return f"{prompt.text}\n\nThe right answer: *{format_action(prompt.answer)}*."


def format_step(prompt: SessionPrompt) -> str:
    """Return the number of the step, such as ``step 2 of 9``, or ``""`` for a puzzle."""
    return f"step {prompt.step} of {prompt.steps}" if prompt.steps else ""


def count_done_lessons(course: Course, progress: Mapping[str, LessonProgress]) -> int:
    return sum(progress.get(lesson.id, NOT_BEGUN).done for lesson in course.lessons)


def format_course(course: Course, progress: Mapping[str, LessonProgress]) -> str:
    """Return how many lessons of a game are done, such as ``2 of 5 done`` or ``5 lessons``."""
    done, number = count_done_lessons(course, progress), len(course.lessons)
    if done == number:
        return "all done"
    return f"{done} of {number} done" if done else format_count(number, "lesson")


def format_lesson_progress(lesson: Lesson, progress: Mapping[str, LessonProgress]) -> str:
    """Return the progress in a lesson: ``done``, ``done, step 3 of 9``, or ``""`` if it has not been begun."""
    own = progress.get(lesson.id, NOT_BEGUN)
    step = f"step {own.step + 1} of {len(lesson.steps)}" if is_lesson_begun(lesson, progress) else ""
    return ", ".join(filter(None, ["done" if own.done else "", step]))


def is_lesson_begun(lesson: Lesson, progress: Mapping[str, LessonProgress]) -> bool:
    """Return True if the player has left the lesson at a step at which it continues."""
    return 0 < progress.get(lesson.id, NOT_BEGUN).step < len(lesson.steps)


def find_next_lesson(course: Course, progress: Mapping[str, LessonProgress]) -> int:
    """Return the index of the first lesson that is not done; 0 if all are."""
    undone = [i for i, lesson in enumerate(course.lessons) if not progress.get(lesson.id, NOT_BEGUN).done]
    return undone[0] if undone else 0


ANSWER_TOLD_NOTE: Final = "You were told an answer. A lesson counts as done once you take it without being told."
"""Remark at the end of a lesson in which the pupil was told an answer."""
