"""Lessons: each can be taken to its end, its answers are legal, and its comments agree with the rules."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from cardtable.engine.cards import cards
from cardtable.engine.game import Action
from cardtable.games import GAMES, KEYS
from cardtable.session.lessons import PUPIL, Lesson, LessonError, LessonSession, LessonStep, load_lessons, parse_lessons
from cardtable.session.session_events import AwaitingPlayer, AwaitingReader, SessionOver
from cardtable.ui.toolkit.painting.markup_text import layout_rows
from cardtable.wording.formatting import insert_suit_signs

TEXT_COLUMNS, TEXT_ROWS = 54, 9
"""Size of the box for a text on the smallest screen."""
QUESTION_COLUMNS, TITLE_COLUMNS = 56, 34
MAX_MINUTES, WORDS_PER_MINUTE = 10, 200
SECONDS_PER_KEY, KEYS_PER_ANSWER = 1, 3
"""An answer takes a rank, a suit and Enter."""
GAMES_WITH_LESSONS = [key for key in KEYS if load_lessons(key)]


def read_example() -> tuple[Lesson, ...]:
    """Return the lessons in the document that describes the format."""
    text = (
        (Path(__file__).parents[2] / "docs/lessons.md")
        .read_text(encoding="utf-8")
        .partition("```toml\n")[2]
        .partition("```")[0]
    )
    return tuple(replace(lesson, game="gurka") for lesson in parse_lessons(text).lessons)


LESSONS = {f"{key} {lesson.name}": lesson for key in KEYS for lesson in load_lessons(key)} | {
    f"example {lesson.name}": lesson for lesson in read_example()
}
each_lesson = pytest.mark.parametrize("lesson", LESSONS.values(), ids=LESSONS)


def find(session: LessonSession, text: str) -> Action:
    """Return the legal action of the pupil with this text in the journal."""
    legal = session.snapshot(PUPIL).view.legal
    return next(action for action in legal if str(action) == text)


def iter_questions(session: LessonSession, alternative: tuple[int, str] | None = None) -> Iterator[LessonStep]:
    """Take a lesson to its end, and yield the step of each question before it is answered.

    The answers are the best ones, but for the step ``alternative[0]``, which gets the answer ``alternative[1]``.
    """
    for _ in range(2000):
        pending = session.pending
        if isinstance(pending, SessionOver):
            return
        if not isinstance(pending, AwaitingPlayer):
            session.advance()
            continue
        step = session.current_step
        yield step
        if step.play_on:
            session.play(session.snapshot(PUPIL).view.legal[0])
            continue
        is_alternative = alternative is not None and alternative[0] == session.step
        session.play(find(session, alternative[1] if alternative and is_alternative else step.expect[0]))
    raise AssertionError("the lesson does not end")


@each_lesson
def test_every_lesson_can_be_taken_to_its_end(lesson: Lesson) -> None:
    session = LessonSession(lesson, "Guest")
    steps = list(iter_questions(session))
    assert steps, "the lesson asks no question"
    assert session.is_finished
    assert not session.needed_answer


def test_lesson_in_a_late_round() -> None:
    late = Lesson(name="late", title="Late", steps=(), game="rikiki", round=6, hands=("2C 3C 4C 5C 6C 7C",))
    session = LessonSession(late, "Guest")
    assert session.progress[0] == 6
    assert session.snapshot(PUPIL).view.hand == cards("2C 3C 4C 5C 6C 7C")
    with pytest.raises(LessonError, match="is not to act"):
        LessonSession(replace(late, round=40), "Guest")


@each_lesson
def test_every_right_answer_leads_to_the_end(lesson: Lesson) -> None:
    for number, step in enumerate(lesson.steps):
        for answer in step.expect[1:]:
            session = LessonSession(lesson, "Guest")
            assert list(iter_questions(session, (number, answer)))
            assert session.is_finished


@each_lesson
def test_answers_and_comments_agree_with_the_rules(lesson: Lesson) -> None:
    session = LessonSession(lesson, "Guest")
    for step in iter_questions(session):
        view = session.snapshot(PUPIL).view
        legal = set(map(str, view.legal))
        assert {*step.expect, *step.wrong} <= legal, "an expected or wrong answer is not legal"
        assert not set(step.expect) & set(step.wrong), "an answer is both right and wrong"
        if not step.play_on:
            assert step.otherwise or legal == {*step.expect, *step.wrong}, "a legal action has no comment"
        for card_names, reason in step.refused.items():
            assert not any(action.cards_used() == cards(card_names) for action in view.legal), f"{card_names} is legal"
            assert GAMES[lesson.game].explain_illegal(view, cards(card_names)) == reason


@each_lesson
def test_wrong_answers_leave_the_position_and_end_with_the_answer(lesson: Lesson) -> None:
    session = LessonSession(lesson, "Guest")
    for step in iter_questions(session):
        wrong = [action for action in session.snapshot(PUPIL).view.legal if str(action) not in step.expect]
        if not step.play_on and wrong:
            before = session.snapshot(PUPIL).view
            for _ in range(2):
                assert session.play(wrong[0]) == []
                assert isinstance(session.pending, AwaitingReader)
                session.advance()
            assert session.snapshot(PUPIL).view == before
            assert session.needed_answer
            return


@each_lesson
def test_a_lesson_continues_at_any_step(lesson: Lesson) -> None:
    for first in range(1, len(lesson.steps)):
        session = LessonSession(lesson, "Guest", first)
        list(iter_questions(session))
        assert session.is_finished


@each_lesson
def test_texts_fit_the_smallest_screen(lesson: Lesson) -> None:
    comment = ""
    assert len(lesson.title) <= TITLE_COLUMNS
    for step in lesson.steps:
        for text in (step.text, *step.wrong.values(), step.otherwise, "\n\n".join(filter(None, [comment, step.text]))):
            assert len(layout_rows(text, TEXT_COLUMNS)) <= TEXT_ROWS, text
        assert len(insert_suit_signs(step.ask)) <= QUESTION_COLUMNS, step.ask
        comment = step.right


@pytest.mark.parametrize("key", GAMES_WITH_LESSONS)
def test_lessons_of_a_game_take_ten_minutes_at_most_and_end_with_a_free_round(key: str) -> None:
    lessons = load_lessons(key)
    assert len(lessons) == len({lesson.name for lesson in lessons})
    assert any(step.play_on for step in lessons[-1].steps)
    assert 3 <= len(lessons) <= 8, "three to seven lessons, and the shared ones"
    words = keys = 0
    for lesson in lessons:
        for step in lesson.steps:
            words += len(f"{step.text} {step.ask} {step.right}".split())
            keys += 1 + KEYS_PER_ANSWER * bool(step.expect)
    assert words / WORDS_PER_MINUTE * 60 + keys * SECONDS_PER_KEY <= MAX_MINUTES * 60
