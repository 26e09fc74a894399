"""Texts on lessons and puzzles, for every front end."""

from collections import Counter
from collections.abc import Mapping
from datetime import date
from typing import TYPE_CHECKING, Final

from cardtable.engine.text_format import format_count, sanitize
from cardtable.robots.kit.hint_spec import format_action
from cardtable.session.lessons import Course, Lesson
from cardtable.session.session_events import SessionPrompt
from cardtable.store.player_progress import NOT_BEGUN, LessonProgress

if TYPE_CHECKING:  # lessons need no puzzles
    from cardtable.records.puzzles import SearchProgress
    from cardtable.store.puzzle_files import PlayerPuzzles, PuzzleProgress


def format_prompt_text(prompt: SessionPrompt) -> str:
    """Return the text to read, which ends with the right answer once it is told; "" if there is nothing to read."""
    if not prompt.text or prompt.answer is None:
        return prompt.text
    return f"{prompt.text}\n\nThe right answer: *{format_action(prompt.answer)}*."


def format_step(prompt: SessionPrompt) -> str:
    """Return the number of the step, such as ``step 2 of 9``, or ``""`` for a puzzle."""
    return f"step {prompt.step} of {prompt.steps}" if prompt.steps else ""


def format_course(course: Course, progress: Mapping[str, LessonProgress]) -> str:
    """Return how many lessons of a game are done, with help or without, such as ``2 of 5 done`` or ``5 lessons``."""
    done = sum(progress.get(lesson.id, NOT_BEGUN).is_finished for lesson in course.lessons)
    number = len(course.lessons)
    if done == number:
        return "all done"
    return f"{done} of {number} done" if done else format_count(number, "lesson")


def format_lesson_progress(lesson: Lesson, progress: Mapping[str, LessonProgress]) -> str:
    """Return the progress in a lesson: ``done with help``, ``done, step 3 of 9``, or ``""`` if it is not begun."""
    own = progress.get(lesson.id, NOT_BEGUN)
    step = f"step {own.step + 1} of {len(lesson.steps)}" if is_lesson_begun(lesson, progress) else ""
    return ", ".join(filter(None, ["done" if own.done else "done with help" if own.helped else "", step]))


def is_lesson_begun(lesson: Lesson, progress: Mapping[str, LessonProgress]) -> bool:
    """Return True if the player has left the lesson at a step at which it continues."""
    return 0 < progress.get(lesson.id, NOT_BEGUN).step < len(lesson.steps)


def find_next_lesson(course: Course, progress: Mapping[str, LessonProgress], start: int = 0) -> int:
    """Return the index of the first lesson from ``start`` on that has not been finished, or else before it.

    It is 0 if all have been finished.
    """
    left = [i for i, lesson in enumerate(course.lessons) if not progress.get(lesson.id, NOT_BEGUN).is_finished]
    return next((i for i in left if i >= start), left[0] if left else 0)


def find_left_lesson(
    course: Course, before: Mapping[str, LessonProgress], progress: Mapping[str, LessonProgress]
) -> int | None:
    """Return the index of the last lesson whose progress has changed; ``None`` if no progress has."""
    changed = [i for i, lesson in enumerate(course.lessons) if before.get(lesson.id) != progress.get(lesson.id)]
    return changed[-1] if changed else None


HELPED_NOTE: Final = "You were shown an answer, so it counts half."
"""Remark at the end of a lesson in which the pupil was told an answer."""


NO_PUZZLES = "No puzzles here. The big mistakes in the sessions that you finish become new ones."

IMPORT_NOTE = "To add a puzzle from a file, run: cardtable puzzles --import FILE"

CANNOT_BE_DISPLAYED = "this position cannot be displayed, so that it cannot be right"


def format_puzzle_summary(own: "PlayerPuzzles", today: date) -> str:
    """Return the numbers of puzzles and attempts: ``3 due, 12 puzzles, 5 done, 8 of 10 attempts right``.

    That none is due is not said before one has been tried.
    """
    puzzles = own.puzzles.values()
    done, attempts = sum(puzzle.is_done for puzzle in puzzles), sum(puzzle.attempts for puzzle in puzzles)
    due = len(own.list_due(today))
    texts = [f"{due} due"] if due or attempts else []
    texts.append(format_count(len(puzzles), "puzzle"))
    if done:
        texts.append(f"{done} done")
    if attempts:
        texts.append(f"{sum(puzzle.solved for puzzle in puzzles)} of {format_count(attempts, 'attempt')} right")
    return ", ".join(texts)


def format_puzzle_names(own: "PlayerPuzzles") -> dict[str, str]:
    """Return the names of a player's puzzles by id; those of the same game and round are numbered."""
    names = {id_: sanitize(f"{puzzle.title}, round {puzzle.round}") for id_, puzzle in own.puzzles.items()}
    totals, numbers = Counter(names.values()), Counter[str]()
    for id_, name in names.items():
        numbers[name] += 1
        if totals[name] > 1:
            names[id_] = f"{name} ({numbers[name]})"
    return names


def format_puzzle_state(progress: "PuzzleProgress", today: date) -> str:
    """Return when a puzzle is due, or why it cannot be solved: ``due``, ``any time``, ``tomorrow``, ``in 3 days``,
    ``done``.
    """
    if missing := progress.missing_game:
        return "game does not load" if missing.is_installed else "game not installed"
    if progress.is_done:
        return "done"
    if progress.is_due(today):
        return "any time" if progress.is_waiting else "due"
    days = (progress.due - today).days
    return "tomorrow" if days == 1 else f"in {days} days"


def format_attempts(progress: "PuzzleProgress") -> str:
    return f"{progress.solved} of {progress.attempts} right" if progress.attempts else "new"


def format_search(progress: "SearchProgress | None") -> str:
    """Return a text on the search for puzzles, or ``""`` if it has ended. ``None`` means that it has just begun."""
    if progress is None:
        return "looking for sessions ..."
    if not progress.sessions:
        return ""
    position = f", decision {progress.done} of {progress.decisions}" if progress.decisions else ""
    return f"{format_count(progress.sessions, 'session')} to look through{position}"


def list_puzzles_in_order(own: "PlayerPuzzles", today: date) -> list[str]:
    """Return the ids of a player's puzzles: those to solve now, then by the day of their return.

    Those that are done come last.
    """
    following = {puzzle: number for number, puzzle in enumerate(own.list_next(today))}

    def compute_key(puzzle: str) -> tuple[bool, bool, int, date]:
        progress = own.puzzles[puzzle]
        number = following.get(puzzle, len(following))
        return progress.is_done, progress.missing_game is not None, number, progress.due

    return sorted(own.puzzles, key=compute_key)
