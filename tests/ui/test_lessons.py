"""Lessons on the table screen: texts, questions, wrong answers, progress, and the pages that list them."""

import re
from random import Random

import pytest
from msgspec.structs import replace

from cardtable.games import GAMES, KEYS
from cardtable.session import lessons
from cardtable.session.lessons import Course, Lesson, LessonSession, LessonStep, continue_lesson
from cardtable.session.session_events import AwaitingPlayer, SessionOver, Stage
from cardtable.store import player_progress
from cardtable.store.player_progress import LessonProgress
from cardtable.store.settings import Settings
from cardtable.ui.app import CardtableApp
from cardtable.ui.keys.input_guard import InputGuard
from cardtable.ui.keys.table_keys import TABLE, TableKeyState, list_footer_keys
from cardtable.ui.learning import LessonTable
from cardtable.ui.table.model.view_model import TableViewModel
from cardtable.ui.table.paint.table_widget import paint_table
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.preferences import Preferences
from tests.lessons import COURSE, LONG_TEXT, write_lessons
from tests.ui.screen_text import screen_text
from tests.ui.table_host import InProcessRobotClient, wait_until

SIZES = [(60, 18), (80, 24), (120, 40)]
SENSELESS_KEYS = {
    "take_back",
    "coach",
    "rest",
    "messages",
    "new",
    "again",
    "last_deal",
    "watch",
    "stand_in",
    "learn",
    "replay",
}


@pytest.fixture(autouse=True)
def course(monkeypatch, tmp_path):
    file = write_lessons(tmp_path)
    monkeypatch.setattr(lessons, "_find_file", lambda key: file if key == "gurka" else None)
    monkeypatch.setattr(InputGuard, "accepts", lambda *_args, **_named: True)  # a player who waits before each key
    monkeypatch.setattr(InputGuard, "is_repeat", lambda *_args: False)
    return file


def create_app(*page, **settings):
    app = CardtableApp(Preferences.load(), None, page)
    app.context.robot_client = InProcessRobotClient()
    app.preferences.change(**{"robot_pace": 0, "trick_pause": 0, "key_guard": 0, "animation": False, **settings})
    return app


def table(app) -> LessonTable:
    assert isinstance(app.screen, LessonTable)
    return app.screen


async def read_texts(pilot, app, number):
    """Continue after this number of texts."""
    for _ in range(number):
        await wait_until(pilot, lambda: table(app).frame.is_reading)
        before = table(app).frame.prompt
        await pilot.press("enter")
        await wait_until(pilot, lambda: has_changed(app, before))  # noqa: B023 - called in this turn


def has_changed(app, prompt):
    return not isinstance(app.screen, LessonTable) or app.screen.frame.prompt != prompt


def load_progress():
    return player_progress.load_lessons("Guest")[0]


async def test_lesson_from_list_to_next():
    app = create_app("game_lessons", "gurka")
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_until(pilot, lambda: "Heading a trick" in screen_text(app))
        await pilot.press("enter")
        await wait_until(pilot, lambda: isinstance(app.screen, LessonTable) and app.screen.frame.is_reading)
        text = screen_text(app)
        assert "Heading a trick  step 1 of 3" in text
        assert "You led 9♥. Ada plays next." in text
        await read_texts(pilot, app, 2)
        await wait_until(pilot, lambda: table(app).frame.is_reading)
        assert load_progress() == {"gurka/heading": LessonProgress(step=2)}
        await read_texts(pilot, app, 1)
        await wait_until(pilot, lambda: table(app).frame.question)
        assert "Play your lowest card." in screen_text(app)
        # a card that the rules refuse, then the right one
        await pilot.press("5")
        assert "Play your lowest card." in screen_text(app)
        assert "Play an eight or higher, or your lowest" in screen_text(app)
        await pilot.press("home", "enter")
        await wait_until(pilot, lambda: "You keep K♣ for later." in screen_text(app))
        await pilot.press("enter")
        await wait_until(pilot, lambda: "Lesson done" in screen_text(app))
        assert load_progress() == {"gurka/heading": LessonProgress(done=True)}
        await pilot.press("enter")
        await wait_until(pilot, lambda: "Now play a round." in screen_text(app))
        await pilot.press("escape")
        await wait_until(pilot, lambda: "1 of 2 done" in screen_text(app))


async def test_cursor_begins_on_no_right_answer():
    app = create_app("lesson", COURSE, 0)
    async with app.run_test(size=(80, 24)) as pilot:
        await read_texts(pilot, app, 3)
        await wait_until(pilot, lambda: table(app).frame.question)
        assert str(table(app).frame.hand_action) == "play 9S"
        await pilot.press("home")
        assert str(table(app).frame.hand_action) == "play 3C", "Home selects the first card"


async def test_two_wrong_answers_and_hint_key():
    app = create_app("lesson", COURSE, 0)
    async with app.run_test(size=(80, 24)) as pilot:
        await read_texts(pilot, app, 3)
        for number, needed_answer in enumerate((False, True), 1):
            await wait_until(pilot, lambda: table(app).frame.question)
            await pilot.press("k", "enter")
            await wait_until(pilot, lambda: table(app).frame.is_reading)
            assert "K♣ heads the trick." in screen_text(app)
            assert ("The right answer: 3♣." in screen_text(app)) is needed_answer
            assert load_progress()["gurka/heading"].needed_answer is needed_answer, number
            await pilot.press("enter")
        await wait_until(pilot, lambda: table(app).frame.question)
        await pilot.press("h")
        await wait_until(pilot, lambda: "Head the trick with 8 or higher" in screen_text(app))
        await pilot.press("enter", "home", "enter")
        await read_texts(pilot, app, 1)
        await wait_until(pilot, lambda: "You were told an answer." in screen_text(app))
        assert load_progress() == {"gurka/heading": LessonProgress()}
        await pilot.press("enter")
        await wait_until(pilot, lambda: "step 1 of 3" in screen_text(app))


async def test_lesson_continues_where_it_was_left():
    player_progress.save_lesson("Guest", "gurka/heading", LessonProgress(step=2, needed_answer=True))
    app = create_app("game_lessons", "gurka")
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_until(pilot, lambda: "step 3 of 3" in screen_text(app))
        assert "Enter continue" in screen_text(app)
        await pilot.press("enter")
        await wait_until(pilot, lambda: isinstance(app.screen, LessonTable) and app.screen.frame.is_reading)
        assert "Head the trick with 8 or higher" in screen_text(app)
        await read_texts(pilot, app, 1)
        await pilot.press("home", "enter")
        await read_texts(pilot, app, 1)
        await wait_until(pilot, lambda: "You were told an answer." in screen_text(app))


def test_changed_lesson_begins_anew():
    lesson = COURSE.lessons[0]
    player_progress.save_lesson("Guest", lesson.id, LessonProgress(step=3))
    assert continue_lesson(lesson, "Guest").step == 0
    player_progress.save_lesson("Guest", lesson.id, LessonProgress(step=1))
    changed = replace(lesson, steps=(replace(lesson.steps[0], then=("play AC",)), *lesson.steps[1:]))
    assert continue_lesson(changed, "Guest").step == 0


async def test_free_round_to_its_end_without_automatic_plays():
    app = create_app("lesson", COURSE, 1, autoplay=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await read_texts(pilot, app, 1)
        await wait_until(pilot, lambda: table(app).frame.waiting)
        await pilot.press("h")
        await wait_until(pilot, lambda: table(app).frame.advice)
        await pilot.press("escape")
        for left in range(6, 0, -1):  # the last trick plays itself
            await wait_until(pilot, lambda: table(app).frame.waiting)
            assert len(table(app).frame.hand.cards) == left + 1
            await pilot.press("enter")
        await wait_until(pilot, lambda: table(app).frame.is_reading)
        assert table(app).frame.stage is Stage.ROUND_END
        assert "The round is over." in screen_text(app)
        for size in SIZES:
            picture = str(table(app).view.paint(*size))
            assert "The round is over." in picture
            assert re.search(r"Ada +2 +0", picture)
            assert "Enter continue" in picture
        await pilot.press("enter")
        await wait_until(pilot, lambda: "Lesson done" in screen_text(app))
        await pilot.press("enter")
        await wait_until(pilot, lambda: type(app.screen).__name__ == "TableScreen")


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize(("text", "rows"), [("One row.", 1), (LONG_TEXT, 9)], ids=["short", "long"])
async def test_text_leaves_hand_and_trick_visible(text, rows, size):
    lesson = COURSE.lessons[0]
    steps = (replace(lesson.steps[0], text=text), *lesson.steps[1:])
    course = Course(COURSE.game, (replace(lesson, start=(*lesson.start, "play JC"), steps=steps),))
    app = create_app("lesson", course, 0)
    async with app.run_test(size=size) as pilot:
        await wait_until(pilot, lambda: table(app).frame.is_reading)
        picture = str(table(app).view.paint(*size)).splitlines()
        title = next(y for y, row in enumerate(picture) if "Heading a trick" in row)
        text_rows = picture[title + 1 : title + 1 + rows]
        assert all(row[: size[0] - 31].strip() for row in text_rows[-2:])
        bounds = table(app).view.canvas.card_bounds
        hand = [card for card in bounds if isinstance(card, int) and bounds[card].is_in_hand]
        assert len(hand) == 6
        below = "\n".join(picture[title + 1 + rows :])
        for card in ("9", "J"):
            assert card in below
        assert not any("Heading" in row for row in picture[title + 1 :])


@pytest.mark.parametrize("key", KEYS)
def test_every_game_leaves_room_for_texts(key):
    drawn = {"start": ("first 0", "deal")} if key in ("rifki", "rummy") else {}
    steps = (LessonStep(text="Go.", play_on=True), LessonStep(text="Over."))
    session = LessonSession(Lesson("free", "Free", steps, game=key, seats=max(GAMES[key].about.seats), **drawn), "")
    preferences, rng, number = Preferences(Settings()), Random(3), 0
    view_model = TableViewModel(session, preferences)
    while not session.is_finished:
        number += 1
        if number % 10 == 1 or not session.snapshot(0).view.playing:
            view_model.refresh()
            frame = view_model.frame
            for size in SIZES:
                for paragraphs in (1, 3, 5):
                    text = "\n\n".join(["Nine of spades."] * paragraphs)
                    canvas = Canvas(*size, preferences.appearance)
                    paint_table(canvas, replace(frame, prompt=replace(frame.prompt, text=text, question="")))
                    assert str(canvas).count("Nine of spades.") == paragraphs
                    assert "Free  step 1 of 2" in str(canvas) or "Free  step 2 of 2" in str(canvas)
        if isinstance(session.pending, AwaitingPlayer):
            session.play(rng.choice(session.snapshot(0).view.legal))
        else:
            session.advance()


async def test_keys_without_sense_are_absent():
    app = create_app("lesson", COURSE, 0)
    async with app.run_test(size=(80, 24)) as pilot:
        for _ in range(4):
            await wait_until(pilot, lambda: table(app).controller.is_awaiting_input)
            frame = table(app).frame
            enabled = {key.name for key in TABLE.list_enabled(TableKeyState(frame))}
            assert not enabled & SENSELESS_KEYS
            assert not set(" ".join(list_footer_keys(frame)).split()) & SENSELESS_KEYS
            for key in ("u", "c", "g", "m", "n", "d", "="):
                await pilot.press(key)
            assert table(app).frame == frame
            await pilot.press("?")
            text = screen_text(app)
            assert not any(word in text for word in ("host", "lobby", "club", "machine"))
            await pilot.press("escape", "enter")


async def test_quitting_during_events_saves_the_step():
    app = create_app("lesson", COURSE, 0, robot_pace=2)
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_until(pilot, lambda: table(app).frame.is_reading)
        await pilot.press("enter", "escape")
        await wait_until(pilot, lambda: not isinstance(app.screen, LessonTable))
    assert continue_lesson(COURSE.lessons[0], "Guest").step == 0


async def test_unsaved_progress_is_reported(monkeypatch):
    app = create_app("lesson", COURSE, 0)
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_until(pilot, lambda: table(app).frame.is_reading)
        player_progress.save_lesson("Guest", "gurka/other", LessonProgress(done=True))
        player_progress.paths.lesson_progress_file().write_bytes(b"{")
        await pilot.press("enter")
        await wait_until(pilot, lambda: "Your progress is not saved: " in screen_text(app))
        assert "J♣ takes the trick" in screen_text(app)
        assert player_progress.paths.lesson_progress_file().read_bytes() == b"{"


async def test_list_of_games_with_a_faulty_file(course):
    app = create_app("learn")
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_until(pilot, lambda: "2 lessons" in screen_text(app))
        await pilot.press("enter")
        await wait_until(pilot, lambda: "Heading a trick" in screen_text(app))
    course.write_text("[[lessons]]\nname = 5")
    app = create_app("learn")
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_until(pilot, lambda: "Gurka: the lessons in" in screen_text(app))
        await pilot.press("enter", "down", "home", "pageup")  # nothing to open


async def test_resizing_and_session_over():
    app = create_app("lesson", COURSE, 0)
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_until(pilot, lambda: table(app).frame.is_reading)
        for size in ((40, 10), (60, 18), (200, 60), (80, 24)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
        assert "You led 9♥." in screen_text(app)
        assert not isinstance(table(app).controller.playable.pending, SessionOver)
