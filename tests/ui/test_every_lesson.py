"""Every lesson of every game on the table screen: looking answers no question, and a told answer leads on."""

import pytest

from cardtable.games import ABOUT, KEYS
from cardtable.session.lessons import Course, load_lessons
from cardtable.session.session_events import AwaitingPlayer, AwaitingReader, SessionOver
from cardtable.ui.keys.bindings import MOVE_TOPIC
from cardtable.ui.keys.input_guard import InputGuard
from cardtable.ui.keys.table_keys import TABLE
from cardtable.ui.learning import LessonTable
from tests.ui.driver import TINY, start_program

COURSES = {key: Course(ABOUT[key], load_lessons(key)) for key in KEYS if load_lessons(key)}
LOOKING = [key.name for key in TABLE.keys if key.topic == MOVE_TOPIC] + ["explain_card", "order", "explain_card"]


@pytest.fixture(autouse=True)
def patient_pupil(monkeypatch):
    monkeypatch.setattr(InputGuard, "accepts", lambda *_args, **_named: True)
    monkeypatch.setattr(InputGuard, "is_repeat", lambda *_args: False)


def list_looking_keys(app):
    """Return the keys that look, move or mark a card."""
    keymap = app.preferences.appearance.keys
    keys = [keymap.find_keys(name)[0] for name in LOOKING] + [*"23456789"]
    in_hand = ["jack", "queen", "king", "ace", "right_any", "left_any"]
    return keys + [each for name in in_hand for each in (keymap.find_keys(name)[0], "space")]


@pytest.mark.parametrize(
    ("key", "index"), [(key, index) for key, course in COURSES.items() for index in range(len(course.lessons))]
)
async def test_looking_is_no_answer_and_a_told_answer_leads_on(key, index):
    quick = {"robot_pace": 0, "trick_pause": 0, "key_guard": 0, "animation": False}
    async with start_program(page=("lesson", COURSES[key], index), **quick) as program:
        controller = (await program.is_at(LessonTable)).controller
        session = controller.playable

        async def reach(*kinds):
            await program.wait_until(
                lambda: (
                    isinstance(session.pending, SessionOver)
                    or (isinstance(session.pending, kinds) and controller.is_awaiting_input)
                )
            )

        async def give_wrong_answers(wrong):
            for _ in range(2):
                controller.submit(wrong)
                await reach(AwaitingReader)
                await program.press("enter")
                await reach(AwaitingPlayer)

        while not isinstance(session.pending, SessionOver):
            await reach(AwaitingPlayer, AwaitingReader)
            if isinstance(session.pending, AwaitingReader):
                before = session.prompt
                await program.press("enter")
                await program.wait_until(lambda: session.prompt != before)  # noqa: B023 - called in this turn
            elif isinstance(session.pending, AwaitingPlayer):
                if session.current_step.play_on:
                    return  # the round that ends a course
                step, asked = session.step, session.prompt
                if not (controller.frame.in_box or controller.frame.hand.armed):
                    await program.press_at_once("enter enter")
                    await program.sees("Choose a card: ")
                    assert session.prompt == asked, "Enter without a chosen card is no answer"
                await program.press_at_once(" ".join(list_looking_keys(program.app)))
                assert session.prompt == asked, f"a key has answered step {step + 1}"
                legal = session.snapshot(0).view.legal
                wrong = [action for action in legal if str(action) not in session.current_step.expect]
                if wrong:
                    await give_wrong_answers(wrong[0])
                    assert session.prompt.answer is not None
                    await program.press("enter")
                else:
                    controller.submit(legal[0])
                await program.wait_until(
                    lambda: session.step > step or not isinstance(session.pending, AwaitingPlayer)  # noqa: B023
                )
                assert session.prompt.answer is None, f"Enter is no right answer in step {step + 1}"


async def test_list_opens_on_the_game_at_the_cursor():
    async with start_program() as program:
        await program.press("down down L")
        await program.sees("choose a game", "Rummy")
        await program.press("enter")
        await program.sees("Learn   Rifki, 7 lessons")


async def test_narrow_list_of_games_shows_whole_aims():
    async with start_program(page=("learn",), size=TINY) as program:
        await program.sees(*[ABOUT[key].summary for key in KEYS])
