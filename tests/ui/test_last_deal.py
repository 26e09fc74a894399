"""Last deal at the table: the previous round with all hands open, and explanations of its decisions."""

import asyncio

import pytest

from cardtable.engine.errors import CardtableError
from cardtable.robots.hints import Advice, AdviceLine
from cardtable.robots.kit.hint_spec import ScoreScale, format_action
from cardtable.robots.kit.robot import decide, make_robot
from cardtable.session.robot_client import RobotClient
from cardtable.session.session_events import Stage
from cardtable.store import sessions
from cardtable.store.settings import Settings
from cardtable.ui.command_palette import list_screen_commands
from cardtable.ui.table.last_deal import LastDeal
from tests import golden_files
from tests.ui.screen_text import screen_text
from tests.ui.table_host import (
    InProcessRobotClient,
    TableApp,
    create_session,
    open_table,
    wait_for_input,
    wait_for_input_or_trick,
    wait_until,
)

SIZES = [(80, 24), (120, 40), (60, 18)]


def get_overlay(app):
    return app.table.view.overlay


def create_played_session(key, seed, rounds=1, **options):
    """Return a session of which steady robots have played the given number of rounds, also in the player's place."""
    made = create_session(key, seed, **options)
    table, robot = made.referee, make_robot("steady", key)
    while len(table.scores) < rounds:
        if table.turn < 0:
            table.advance()
        else:
            table.play(table.turn, decide(robot, table.view(table.turn), 1, 0))
    return made


async def play_rounds(pilot, app, rounds, *, into=0):
    """Play like a steady robot until this number of rounds is finished, and ``into`` decisions of the next one."""
    robot = make_robot("steady", app.table.session.header.game)
    for _ in range(5000):
        await wait_for_input(pilot, app)
        if app.table.frame.stage is Stage.SESSION_END or (len(app.table.frame.scores) == rounds and not into):
            return
        if not app.table.frame.waiting:
            app.table.table_keys.action_commit()
            continue
        into -= len(app.table.frame.scores) == rounds
        app.table.controller.submit(decide(robot, app.table.frame.view, 1, 0))
    raise AssertionError("the round never ended")


async def open_last_deal(pilot, app):
    await pilot.press("d")
    await wait_until(pilot, lambda: isinstance(get_overlay(app), LastDeal))
    await pilot.pause()


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize(
    ("key", "seats", "rounds", "downs", "options"),
    [
        ("rikiki", 4, 7, 5, {"length": "short"}),
        ("king", 4, 2, 6, {}),
        ("gurka", 6, 1, 3, {}),
        ("rummy", 2, 1, 20, {}),
        ("bridge", 3, 1, 6, {}),
    ],
    ids=["rikiki", "king", "gurka", "rummy", "bridge"],
)
async def test_last_deal_golden(key, seats, rounds, downs, options, size):
    app = TableApp(create_played_session(key, 3, rounds, seats=seats, level="steady", **options))
    async with open_table(app, size) as pilot:
        await open_last_deal(pilot, app)
        for _ in range(downs):
            await pilot.press("down")
        golden_files.check_golden(f"{key}_last_deal_{size[0]}x{size[1]}.txt", screen_text(app))


async def test_last_deal_opens_after_first_round():
    app = TableApp(create_session("gurka", 5))
    async with open_table(app, (80, 24)) as pilot:
        table = screen_text(app)
        await pilot.press("d")
        await pilot.pause()
        assert screen_text(app) == table, "no last deal in the first round"
        await play_rounds(pilot, app, 1)
        await open_last_deal(pilot, app)
        assert "round 1, dealer You" in screen_text(app)
        await pilot.press("escape")
        while app.table.frame.stage is not Stage.SESSION_END:
            await play_rounds(pilot, app, len(app.table.frame.scores) + 1)
        await open_last_deal(pilot, app)
        assert f"round {len(app.table.frame.scores)}, dealer" in screen_text(app)
        await pilot.press("d")
        assert get_overlay(app) is None
        assert not app.requests, "the table is not left"


async def test_next_round_hidden_and_cursor_restored():
    app = TableApp(create_session("rikiki", 4, level="steady"))
    async with app.run_test(size=(80, 24)) as pilot:
        await play_rounds(pilot, app, 5)
        await open_last_deal(pilot, app)
        await pilot.press("down", "down", "right")
        text = screen_text(app)
        await pilot.press("d")
        await play_rounds(pilot, app, 5, into=2)
        table = screen_text(app)
        await open_last_deal(pilot, app)
        assert screen_text(app) == text
        await pilot.press("escape")
        assert screen_text(app) == table


async def test_finished_trick_still_shows_previous_round():
    app = TableApp(create_session("rikiki", 4, level="steady"), Settings(robot_pace=0, trick_pause="key"))
    async with app.run_test(size=(80, 24)) as pilot:
        while len(app.table.session.referee.scores) < 2:
            await wait_for_input_or_trick(pilot, app)
            await pilot.press("enter")
        await wait_until(pilot, lambda: app.table.frame.shows_trick)
        assert len(app.table.frame.scores) == 1, "the second round is not scored until the trick is confirmed"
        await open_last_deal(pilot, app)
        assert "round 1, 1 card" in screen_text(app)


async def test_same_last_deal_after_resume():
    begun = create_session("gurka", 5, level="steady")
    app = TableApp(begun)
    async with app.run_test(size=(80, 24)) as pilot:
        await play_rounds(pilot, app, 2, into=2)
        await open_last_deal(pilot, app)
        text = screen_text(app)
    app = TableApp(sessions.resume(begun.path))
    async with open_table(app, (80, 24)) as pilot:
        await open_last_deal(pilot, app)
        assert screen_text(app) == text


async def test_curtain_closes_last_deal_at_hot_seat():
    app = TableApp(create_session("gurka", 5, people=2))
    async with app.run_test(size=(80, 24)) as pilot:
        await play_rounds(pilot, app, 1, into=1)
        while not (app.table.frame.waiting and app.view.seat == 0 and len(app.view.trick) < 3):
            app.table.table_keys.action_commit()
            await wait_for_input(pilot, app)
        view = app.view
        await open_last_deal(pilot, app)
        app.table.controller.submit(view.legal[0])
        await wait_until(pilot, lambda: app.view is not view)
        await wait_for_input(pilot, app)
        assert app.table.frame.stage is Stage.CURTAIN
        assert get_overlay(app) is None
        curtain = screen_text(app)
        await pilot.press("d")
        await pilot.pause()
        assert screen_text(app) == curtain


async def test_cursor_moves_between_tricks_and_cards():
    app = TableApp(create_played_session("gurka", 5, level="steady"))
    async with open_table(app, (80, 24)) as pilot:
        await open_last_deal(pilot, app)
        cursor = get_overlay(app).cursor
        await pilot.press("right", "right")
        seat = cursor.seat
        assert (cursor.row_index, cursor.column) == (0, 2)
        await pilot.press("down")
        assert (cursor.row_index, cursor.seat) == (1, seat)
        await pilot.press("end")
        assert cursor.row_index == 6
        await pilot.press("down", "right", "right", "right", "right")
        assert (cursor.row_index, cursor.column) == (6, 3), "the cursor stops at the last card"
        await pilot.press("home", "left")
        assert cursor.row_index == 0
        await pilot.press("pagedown")
        assert cursor.row_index == 6
        y = next(y for y, line in enumerate(screen_text(app).split("\n")) if " 3 " in line[57:62])
        await pilot.click(offset=(67, y))
        assert (cursor.row_index, cursor.column) == (2, 1)
        await pilot.click(offset=(30, 23))
        assert cursor.row_index == 2


async def test_palette_lists_last_deal_commands():
    app = TableApp(create_session("gurka", 5))
    async with app.run_test(size=(80, 24)) as pilot:
        await play_rounds(pilot, app, 1)
        await open_last_deal(pilot, app)
        commands = {
            command.name: command for command in list_screen_commands(app.table, app.preferences.appearance.keys)
        }
        assert commands["Back to the table"].key == "d"
        await commands["Why it was played"].run()
        assert get_overlay(app).explanation
        await commands["Back to the table"].run()
        assert get_overlay(app) is None


async def test_key_sheet_returns_to_last_deal():
    app = TableApp(create_session("gurka", 5))
    async with app.run_test(size=(80, 24)) as pilot:
        await play_rounds(pilot, app, 1)
        await open_last_deal(pilot, app)
        text = screen_text(app)
        await pilot.press("?")
        assert "in the last deal, Gurka" in screen_text(app)
        assert "why it was played" in screen_text(app)
        await pilot.press("x")
        assert screen_text(app) == text


class GatedExpert(InProcessRobotClient):
    """Expert that prefers the last legal action and answers once `released` is set."""

    def __init__(self):
        super().__init__()
        self.released = asyncio.Event()
        self.released.set()
        self.questions = []

    async def advise(self, question):
        self.questions.append(question)
        await self.released.wait()
        order = question.view.legal[::-1]
        lines = [
            AdviceLine(a, format_action(a), -3.0 * i, 0.5, not i, None, ("takes the trick",))
            for i, a in enumerate(order)
        ]
        return Advice("", tuple(lines), scale=ScoreScale(lowest_wins=True))


async def move_to_choice(pilot, app):
    """Move to a card that was chosen out of several and was not the last of them; return its step."""
    cursor = get_overlay(app).cursor
    while cursor.step is None or len(cursor.step.view.legal) < 2 or cursor.step.event == cursor.step.view.legal[-1]:
        await pilot.press("right")
    return cursor.step


async def test_explanation_uses_view_of_acting_seat():
    expert = GatedExpert()
    app = TableApp(create_played_session("gurka", 5, level="steady"), robot_client=expert)
    async with open_table(app, (80, 24)) as pilot:
        await open_last_deal(pilot, app)
        step = await move_to_choice(pilot, app)
        text = screen_text(app)
        await pilot.press("w")
        await wait_until(pilot, lambda: "takes the trick" in screen_text(app))
        (question,) = expert.questions
        assert question.view == step.view
        assert question.view.seat == step.seat
        assert question.extra_action == step.event
        explanation = " ".join(get_overlay(app).explanation)
        assert f"chose {format_action(step.event)}: takes the trick" in explanation
        assert f"The expert would have chosen {format_action(step.view.legal[-1])}" in explanation
        assert "points worse" in explanation
        await pilot.press("escape")
        assert screen_text(app) == text
        await pilot.press("escape")
        assert app.table.view.overlay is None


async def test_moving_on_cancels_explanation():
    expert = GatedExpert()
    expert.released.clear()
    app = TableApp(create_played_session("gurka", 5, level="steady"), robot_client=expert)
    async with open_table(app, (80, 24)) as pilot:
        await open_last_deal(pilot, app)
        await move_to_choice(pilot, app)
        await pilot.press("w")
        await pilot.pause()
        assert "The expert is thinking" in screen_text(app)
        await pilot.press("right")
        assert "The expert" not in screen_text(app)
        step = await move_to_choice(pilot, app)
        await pilot.press("w")
        expert.released.set()
        await wait_until(pilot, lambda: "takes the trick" in screen_text(app))
        assert expert.questions[-1].view == step.view
        assert f"chose {format_action(step.event)}:" in get_overlay(app).explanation[0]


async def test_forced_or_automatic_step_needs_no_expert():
    expert = GatedExpert()
    app = TableApp(create_played_session("gurka", 5, level="steady"), robot_client=expert)
    async with open_table(app, (80, 24)) as pilot:
        await open_last_deal(pilot, app)
        cursor = get_overlay(app).cursor
        while len(cursor.step.view.legal) > 1:
            await pilot.press("right")
        await pilot.press("w")
        assert "had no choice" in screen_text(app)
        await pilot.press("end", "w")
        assert "nobody chose it" in screen_text(app)
        assert not expert.questions


async def test_robot_process_explains_decision():
    robot_client = RobotClient()
    app = TableApp(create_played_session("gurka", 5, level="steady"), robot_client=robot_client)
    async with open_table(app, (80, 24)) as pilot:
        await open_last_deal(pilot, app)
        step = await move_to_choice(pilot, app)
        await pilot.press("w")
        await wait_until(pilot, lambda: f"chose {format_action(step.event)}" in " ".join(get_overlay(app).explanation))
        await robot_client.stop()


async def test_unanswered_explanation_shows_error():
    class Silent(InProcessRobotClient):
        async def advise(self, question):
            raise CardtableError("the robots' process does not answer")

    app = TableApp(create_played_session("gurka", 5, level="steady"), robot_client=Silent())
    async with open_table(app, (60, 18)) as pilot:
        await open_last_deal(pilot, app)
        await move_to_choice(pilot, app)
        await pilot.press("w")
        await wait_until(pilot, lambda: "does not answer" in screen_text(app))


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_explanation_golden(size):
    app = TableApp(create_played_session("gurka", 5, level="novice"))
    async with open_table(app, size) as pilot:
        await open_last_deal(pilot, app)
        cursor = get_overlay(app).cursor
        while cursor.seat == 0 or len(cursor.step.view.legal) < 2:
            await pilot.press("right")
        await pilot.press("w")
        await wait_until(pilot, lambda: "chose" in screen_text(app))
        golden_files.check_golden(f"gurka_why_{size[0]}x{size[1]}.txt", screen_text(app))
