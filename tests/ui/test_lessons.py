"""Lessons on the table screen: texts, questions, wrong answers, progress, and the pages that list them."""

import re
from contextlib import asynccontextmanager
from random import Random

import pytest
from msgspec.structs import replace

from cardtable.games import GAMES, KEYS
from cardtable.session import lessons
from cardtable.session.lessons import Course, Lesson, LessonSession, LessonStep, continue_lesson, load_course
from cardtable.session.session_events import AwaitingPlayer, Shown, Stage
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
from tests.ui.driver import SIZES, SMALL, Driver
from tests.ui.table_host import InProcessRobotClient

KING = load_course("king")
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


class LessonDriver(Driver[CardtableApp]):
    """Person who takes a lesson."""

    @property
    def table(self) -> LessonTable:
        assert isinstance(self.app.screen, LessonTable)
        return self.app.screen

    @property
    def frame(self):
        return self.table.frame

    async def reads_text(self):
        """Wait until a text of the lesson is shown."""
        await self.wait_until(lambda: isinstance(self.app.screen, LessonTable) and self.frame.is_reading)

    async def is_asked(self):
        """Wait until the lesson asks a question."""
        await self.wait_until(lambda: self.frame.question)

    async def read_texts(self, number):
        """Continue after this number of texts."""
        for _ in range(number):
            await self.reads_text()
            before = self.frame.prompt
            await self.press("enter")
            await self.wait_until(lambda: self.has_left(before))  # noqa: B023 - called in this turn

    def has_left(self, prompt):
        return not isinstance(self.app.screen, LessonTable) or self.frame.prompt != prompt


@asynccontextmanager
async def open_page(*page, size=SMALL, **settings):
    """Start the program at a page, by default at the first lesson."""
    app = CardtableApp(Preferences.load(), None, page or ("lesson", COURSE, 0))
    app.context.robot_client = InProcessRobotClient()
    app.preferences.change(**{"robot_pace": 0, "trick_pause": 0, "key_guard": 0, "animation": False, **settings})
    async with app.run_test(size=size) as pilot:
        yield LessonDriver(app, pilot)


def load_progress():
    return player_progress.load_lessons("Guest")[0]


async def test_lesson_from_list_to_next():
    async with open_page("game_lessons", "gurka") as screen:
        await screen.sees("Heading a trick")
        await screen.press("enter")
        await screen.reads_text()
        await screen.sees("Heading a trick  step 1 of 3", "You led 9♥. Ada plays next.")
        await screen.read_texts(2)
        await screen.reads_text()
        assert load_progress() == {"gurka/heading": LessonProgress(step=2)}
        await screen.read_texts(1)
        await screen.is_asked()
        await screen.sees("Play your lowest card.")
        # a card that the rules refuse, then the right one
        await screen.press("5")
        await screen.sees("Play your lowest card.", "Play an eight or higher, or your lowest")
        await screen.press("home enter")
        await screen.sees("You keep K♣ for later.")
        await screen.press("enter")
        await screen.sees("Lesson done")
        assert load_progress() == {"gurka/heading": LessonProgress(done=True)}
        await screen.press("enter")
        await screen.sees("Now play a round.")
        await screen.press("escape")
        await screen.sees("1 of 2 done")


async def test_cursor_begins_on_no_right_answer():
    async with open_page() as screen:
        await screen.read_texts(3)
        await screen.is_asked()
        assert str(screen.frame.hand_action) == "play 9S"
        await screen.press("home")
        assert str(screen.frame.hand_action) == "play 3C", "Home selects the first card"


async def test_two_wrong_answers_and_the_lesson_is_done_with_help():
    async with open_page() as screen:
        await screen.read_texts(3)
        for number, needed_answer in enumerate((False, True), 1):
            await screen.is_asked()
            await screen.press("k enter")
            await screen.reads_text()
            await screen.sees("K♣ heads the trick.")
            assert ("The right answer: 3♣." in screen.text) is needed_answer
            assert load_progress()["gurka/heading"].needed_answer is needed_answer, number
            await screen.press("enter")
        await screen.is_asked()
        await screen.press("h")
        await screen.sees("Head the trick with 8 or higher")
        await screen.press("enter")
        await screen.is_asked()
        assert str(screen.frame.hand_action) == "play 3C", "the cursor is on the answer"
        await screen.press("enter")
        await screen.read_texts(1)
        await screen.sees("Lesson done with help", "Next: A round of your own", "r repeat")
        assert load_progress() == {"gurka/heading": LessonProgress(helped=True)}
        await screen.press("r")
        await screen.sees("step 1 of 3")
        await screen.press("escape")
    async with open_page("game_lessons", "gurka") as screen:
        await screen.sees("½  1  Heading a trick", "done with help", "1 of 2 done")
        await screen.press("enter")
        await screen.sees("Now play a round.")


async def test_cursor_returns_after_text_is_read_again():
    async with open_page("lesson", KING, [lesson.name for lesson in KING.lessons].index("positive")) as screen:
        await screen.read_texts(2)
        await screen.is_asked()
        screen.table.controller.submit(next(each for each in screen.frame.view.legal if str(each) == "contract clubs"))
        await screen.read_texts(1)
        await screen.is_asked()
        for keys in ("right", "tab"):
            await screen.press(keys)
            before = screen.frame.pointed
            await screen.press("h")
            await screen.read_texts(1)
            await screen.is_asked()
            assert screen.frame.pointed == before


async def test_refused_twice_the_answer_is_told():
    async with open_page() as screen:
        await screen.read_texts(3)
        await screen.is_asked()
        await screen.press("home shift+right enter")
        await screen.sees("Play your lowest card.", "Play an eight or higher, or your lowest")
        assert not screen.frame.is_reading, "the first time only the reason is told"
        await screen.press("enter")
        await screen.reads_text()
        await screen.sees("Play an eight or higher, or your lowest.", "The right answer: 3♣.")


@pytest.mark.parametrize(
    ("shows", "seen", "hidden"),
    [
        (Shown.CARDS, ("step 3 of 3",), ("0 tricks", "1 trick", "round 1", "Totals")),
        (Shown.ROUND, ("step 3 of 3", "0 tricks", "1 trick"), ("round 1", "Totals")),
        (Shown.ALL, ("0 tricks", "1 trick", "round 1", "Totals"), ()),
    ],
)
async def test_first_lessons_show_what_has_been_taught(shows, seen, hidden):
    course = Course(COURSE.game, (replace(COURSE.lessons[0], shows=shows),))
    async with open_page("lesson", course, 0) as screen:
        await screen.read_texts(3)
        await screen.is_asked()
        await screen.sees("Play your lowest card.", *seen)
        for size in SIZES:
            picture = str(screen.table.view.paint(*size))
            assert not [text for text in hidden if text in picture], size


async def test_scripted_play_is_announced_and_agrees_with_its_text():
    played = ("play 2D", "play 4H", "play 3H", "play AH", "play 4C", "play 5H", "play 3S")
    step = LessonStep(ask="Lead a queen.", expect=("play QD",), otherwise="No.", then=played, right="You took both.")
    course = Course(COURSE.game, (replace(COURSE.lessons[0], start=("deal",), steps=(step,)),))
    async with open_page("lesson", course, 0, robot_pace=0.1) as screen:
        await screen.is_asked()
        await screen.press("q enter")
        await screen.sees("The lesson plays on to trick 3.")
        assert "is thinking" not in screen.text
        await screen.reads_text()
        await screen.sees("You took both.", "You 2 tricks", "A♥")
        assert "The lesson plays on" not in screen.text


async def test_lesson_continues_where_it_was_left():
    player_progress.save_lesson("Guest", "gurka/heading", LessonProgress(step=2, needed_answer=True))
    async with open_page("game_lessons", "gurka") as screen:
        await screen.sees("step 3 of 3", "Enter continue")
        await screen.press("enter")
        await screen.reads_text()
        await screen.sees("Head the trick with 8 or higher")
        await screen.read_texts(1)
        await screen.press("home enter")
        await screen.read_texts(1)
        await screen.sees("Lesson done with help")


def test_changed_lesson_begins_anew():
    lesson = COURSE.lessons[0]
    player_progress.save_lesson("Guest", lesson.id, LessonProgress(step=3))
    assert continue_lesson(lesson, "Guest").step == 0
    player_progress.save_lesson("Guest", lesson.id, LessonProgress(step=1))
    changed = replace(lesson, steps=(replace(lesson.steps[0], then=("play AC",)), *lesson.steps[1:]))
    assert continue_lesson(changed, "Guest").step == 0


async def test_free_round_to_its_end_without_automatic_plays():
    async with open_page("lesson", COURSE, 1, autoplay=True, trick_pause=0.01) as screen:
        await screen.read_texts(1)
        await screen.wait_until(lambda: screen.frame.waiting)
        await screen.press("h")
        await screen.wait_until(lambda: screen.frame.advice)
        await screen.press("escape")
        for left in range(6, 0, -1):  # the last trick plays itself
            await screen.wait_until(lambda: screen.frame.waiting)
            assert len(screen.frame.hand.cards) == left + 1
            await screen.press("enter")  # which continues after no trick but the last
        await screen.wait_until(lambda: screen.frame.shows_trick and not screen.frame.hand.cards)
        await screen.press("enter")
        await screen.reads_text()
        assert screen.frame.stage is Stage.ROUND_END
        await screen.sees("The round is over.")
        for size in SIZES:
            picture = str(screen.table.view.paint(*size))
            assert "The round is over." in picture
            assert re.search(r"Ada +2 +0", picture)
            assert "Enter continue" in picture
        await screen.press("enter")
        await screen.sees("Lesson done")
        for name in ("Ada", "Bo", "Cy"):
            assert re.search(rf"^ +{name} +\w +0", screen.text, re.MULTILINE), "the box covers no points"
        await screen.press("enter")
        await screen.wait_until(lambda: type(screen.app.screen).__name__ == "TableScreen")


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize(("text", "rows"), [("One row.", 1), (LONG_TEXT, 9)], ids=["short", "long"])
async def test_text_leaves_hand_and_trick_visible(text, rows, size):
    lesson = COURSE.lessons[0]
    steps = (replace(lesson.steps[0], text=text), *lesson.steps[1:])
    course = Course(COURSE.game, (replace(lesson, start=(*lesson.start, "play JC"), steps=steps),))
    async with open_page("lesson", course, 0, size=size) as screen:
        await screen.reads_text()
        picture = str(screen.table.view.paint(*size)).splitlines()
        title = next(y for y, row in enumerate(picture) if "Heading a trick" in row)
        text_rows = picture[title + 1 : title + 1 + rows]
        assert all(row[: size[0] - 31].strip() for row in text_rows[-2:])
        bounds = screen.table.view.canvas.card_bounds
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
    async with open_page() as screen:
        for _ in range(4):
            await screen.wait_until(lambda: screen.table.controller.is_awaiting_input)
            frame = screen.frame
            enabled = {key.name for key in TABLE.list_enabled(TableKeyState(frame))}
            assert not enabled & SENSELESS_KEYS
            assert not set(" ".join(list_footer_keys(frame)).split()) & SENSELESS_KEYS
            for key in ("u", "c", "g", "m", "n", "d", "="):
                await screen.press(key)
            assert screen.frame == frame
            await screen.press("?")
            text = screen.text
            assert not any(word in text for word in ("host", "lobby", "club", "machine"))
            await screen.press("escape enter")


async def test_leaving_a_round_of_ones_own_is_asked_about():
    async with open_page("lesson", COURSE, 1) as screen:
        await screen.read_texts(1)
        await screen.wait_until(lambda: screen.frame.waiting)
        await screen.press("enter")
        await screen.wait_until(lambda: screen.frame.waiting and len(screen.frame.hand.cards) < 7)
        await screen.press("escape")
        await screen.sees("Leave the round?", "begins anew")
        await screen.press("escape")
        await screen.wait_until(lambda: isinstance(screen.app.screen, LessonTable))
        await screen.press("escape enter")
        await screen.wait_until(lambda: not isinstance(screen.app.screen, LessonTable))


async def test_quitting_during_events_saves_the_step():
    async with open_page(robot_pace=2) as screen:
        await screen.reads_text()
        await screen.press("enter escape")
        await screen.wait_until(lambda: not isinstance(screen.app.screen, LessonTable))
    assert continue_lesson(COURSE.lessons[0], "Guest").step == 0


async def test_unsaved_progress_is_reported(monkeypatch):
    async with open_page() as screen:
        await screen.reads_text()
        player_progress.save_lesson("Guest", "gurka/other", LessonProgress(done=True))
        player_progress.paths.lesson_progress_file().write_bytes(b"{")
        await screen.press("enter")
        await screen.sees("Your progress is not saved: ", "J♣ takes the trick")
        assert player_progress.paths.lesson_progress_file().read_bytes() == b"{"


async def test_list_of_games_with_a_faulty_file(course):
    async with open_page("learn", "gurka") as screen:
        await screen.sees("2 lessons")
        await screen.press("enter")
        await screen.sees("Heading a trick")
    course.write_text("[[lessons]]\nname = 5")
    async with open_page("learn") as screen:
        await screen.sees("Gurka: the lessons in")
        await screen.press("enter down home pageup")  # nothing to open
