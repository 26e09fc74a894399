"""Last deal at the table: the previous round with all hands open, and explanations of its decisions."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from cardtable.robots.hints import Advice, AdviceLine
from cardtable.robots.kit.hint_spec import ScoreScale, format_action
from cardtable.robots.kit.robot import decide, make_robot
from cardtable.session.session_events import Stage
from cardtable.store.settings import Settings
from cardtable.ui.table.last_deal import LastDeal
from tests.ui.driver import SMALL, at_table, sit_at
from tests.ui.table_host import InProcessRobotClient, TableApp, create_session


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


async def play_rounds(table, rounds, *, into=0):
    """Play like a steady robot until this number of rounds is finished, and ``into`` decisions of the next one."""
    robot = make_robot("steady", table.screen.session.header.game)
    for _ in range(5000):
        await table.wait_for_input()
        if table.frame.stage is Stage.SESSION_END or (len(table.frame.scores) == rounds and not into):
            return
        if not table.frame.waiting:
            table.screen.table_keys.action_commit()
            continue
        into -= len(table.frame.scores) == rounds
        table.screen.controller.submit(decide(robot, table.view, 1, 0))
    raise AssertionError("the round never ended")


async def press_d(table):
    await table.press("d")
    await table.wait_until(lambda: isinstance(table.overlay, LastDeal))


@asynccontextmanager
async def open_last_deal(session=None, size=SMALL, **options):
    """Open the last deal of a session, by default of one of Gurka after its first round."""
    async with sit_at(session or create_played_session("gurka", 5, level="steady"), size, **options) as table:
        await press_d(table)
        yield table


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
async def test_last_deal_golden(key, seats, rounds, downs, options):
    session = create_played_session(key, 3, rounds, seats=seats, level="steady", **options)
    async with open_last_deal(session) as table:
        await table.press("down " * downs)
        await table.check_golden_in_sizes(f"{key}_last_deal")


async def test_last_deal_opens_after_first_round():
    async with sit_at(create_session("gurka", 5, limit=21)) as table:
        before = table.text
        await table.press("d")
        assert table.text == before, "no last deal in the first round"
        await play_rounds(table, 1)
        await press_d(table)
        await table.sees("round 1, dealer You")
        await table.press("escape")
        while table.frame.stage is not Stage.SESSION_END:
            await play_rounds(table, len(table.frame.scores) + 1)
        await press_d(table)
        await table.sees(f"round {len(table.frame.scores)}, dealer")
        await table.press("d")
        assert table.overlay is None
        assert not table.app.requests, "the table is not left"


async def test_next_round_hidden_and_cursor_restored():
    async with sit_at(create_session("rikiki", 4, level="steady")) as table:
        await play_rounds(table, 5)
        await press_d(table)
        await table.press("down down right")
        last_deal = table.text
        await table.press("d")
        await play_rounds(table, 5, into=2)
        before = table.text
        await press_d(table)
        assert table.text == last_deal
        await table.press("escape")
        assert table.text == before


async def test_finished_trick_still_shows_previous_round():
    session = create_session("rikiki", 4, level="steady")
    async with at_table(TableApp(session, Settings(robot_pace=0, trick_pause="key"))) as table:
        while len(table.referee.scores) < 2:
            await table.play_until_trick_pause()
            await table.press("enter")
        await table.wait_until(lambda: table.frame.shows_trick)
        assert len(table.frame.scores) == 1, "the second round is not scored until the trick is confirmed"
        await press_d(table)
        await table.sees("round 1, 1 card")


async def test_curtain_closes_last_deal_at_hot_seat():
    async with sit_at(create_session("gurka", 5, people=2)) as table:
        await play_rounds(table, 1, into=1)
        await table.play_until(lambda frame: frame.waiting and frame.seat == 0 and len(frame.view.trick) < 3)
        view = table.view
        await press_d(table)
        table.screen.controller.submit(view.legal[0])
        await table.wait_until(lambda: table.view is not view)
        await table.wait_for_input()
        assert table.frame.stage is Stage.CURTAIN
        curtain = table.text
        await table.press("d")
        assert (table.text, table.overlay) == (curtain, None)


async def test_cursor_moves_between_tricks_and_cards():
    async with open_last_deal() as table:
        cursor = table.overlay.cursor
        await table.press("right right")
        seat = cursor.seat
        assert (cursor.row_index, cursor.column) == (0, 2)
        await table.press("down")
        assert (cursor.row_index, cursor.seat) == (1, seat)
        await table.press("end")
        assert cursor.row_index == 6
        await table.press("down right right right right")
        assert (cursor.row_index, cursor.column) == (6, 3), "the cursor stops at the last card"
        await table.press("home left")
        assert cursor.row_index == 0
        await table.press("pagedown")
        assert cursor.row_index == 6
        await table.click(67, next(y for y, row in enumerate(table.rows) if " 3 " in row[57:62]))
        assert (cursor.row_index, cursor.column) == (2, 1)
        await table.click(30, 23)
        assert cursor.row_index == 2


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
        lines = [
            AdviceLine(action, format_action(action), -3.0 * i, 0.5, not i, None, ("takes the trick",))
            for i, action in enumerate(question.view.legal[::-1])
        ]
        return Advice("", tuple(lines), scale=ScoreScale(lowest_wins=True))


async def move_to_choice(table):
    """Move to a card that was chosen out of several and was not the last of them; return its step."""
    cursor = table.overlay.cursor
    while cursor.step is None or len(cursor.step.view.legal) < 2 or cursor.step.event == cursor.step.view.legal[-1]:
        await table.press("right")
    return cursor.step


async def test_explanation_uses_view_of_acting_seat():
    expert = GatedExpert()
    async with open_last_deal(robot_client=expert) as table:
        step = await move_to_choice(table)
        text = table.text
        await table.press("w")
        await table.sees("takes the trick")
        (question,) = expert.questions
        assert (question.view, question.view.seat, question.extra_action) == (step.view, step.seat, step.event)
        explanation = " ".join(table.overlay.explanation)
        assert f"played {format_action(step.event)}, which takes the trick" in explanation
        assert f"The expert would have played {format_action(step.view.legal[-1])}" in explanation
        assert "worse" in explanation
        await table.press("escape")
        assert table.text == text
        await table.press("escape")
        assert table.overlay is None


async def test_moving_on_cancels_explanation():
    expert = GatedExpert()
    expert.released.clear()
    async with open_last_deal(robot_client=expert) as table:
        await move_to_choice(table)
        await table.press("w")
        await table.sees("The expert is thinking")
        await table.press("right")
        assert "The expert" not in table.text
        step = await move_to_choice(table)
        await table.press("w")
        expert.released.set()
        await table.sees("takes the trick")
        assert expert.questions[-1].view == step.view
        assert f"played {format_action(step.event)}" in table.overlay.explanation[0]


async def test_forced_or_automatic_step_needs_no_expert():
    expert = GatedExpert()
    async with open_last_deal(robot_client=expert) as table:
        while len(table.overlay.cursor.step.view.legal) > 1:
            await table.press("right")
        await table.press("w")
        await table.sees("had no choice")
        await table.press("end w")
        await table.sees("nobody chose it")
        assert not expert.questions


async def test_explanation_golden():
    async with open_last_deal(create_played_session("gurka", 5, level="novice")) as table:
        cursor = table.overlay.cursor
        while cursor.seat == 0 or len(cursor.step.view.legal) < 2:
            await table.press("right")
        await table.press("w")
        await table.sees(" played ")
        await table.check_golden_in_sizes("gurka_why")
