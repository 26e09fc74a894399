"""Hint at the table: requested by a key, shown over the board, followed with Enter, closed by the next move."""

import asyncio
from random import Random

import pytest
from msgspec.structs import replace

from cardtable.engine.errors import CardtableError
from cardtable.engine.game import Action
from cardtable.games import GAMES
from cardtable.robots.hints import Advice, AdviceLine, DealSample
from cardtable.robots.kit.hint_spec import ANOTHER, YOURSELF, ScoreScale, format_action
from cardtable.session.session_events import Stage
from cardtable.ui.game_view.hand_cursor import PointCard
from cardtable.ui.table import overlays
from cardtable.ui.table.model.view_model import HintState
from cardtable.ui.table.paint.advice import paint_hint
from cardtable.ui.table.paint.table_widget import paint_table
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import compute_layout
from tests import golden_files
from tests.ui.canvas_rendering import APPEARANCE, THEME
from tests.ui.positions import reach_position
from tests.ui.screen_text import screen_text
from tests.ui.table_host import (
    InProcessRobotClient,
    TableApp,
    create_session,
    open_table,
    take_first_action,
    wait_for_input,
    wait_until,
)

SIZES = [(80, 24), (120, 40), (60, 18)]


def _get_reasons(i):
    """Return the reasons for the action with this number and, except for the first, those against it."""
    return (("keeps KH",), ("takes the trick in 30%",)) if i else (("takes the trick in 90%", "keeps KH"),)


class ScriptedAdvisor(InProcessRobotClient):
    """Advises the last legal action, with falling points, as soon as `may_answer` is set, by default at once."""

    def __init__(self, *, may_answer=True, includes_later_rounds=False):
        super().__init__()
        self.may_answer = asyncio.Event()
        if may_answer:
            self.may_answer.set()
        self.questions = []
        self.includes_later_rounds = includes_later_rounds

    async def advise(self, question):
        self.questions.append(question)
        await self.may_answer.wait()
        lines = [
            AdviceLine(
                action,
                format_action(action),
                4.0 - 3 * i,
                1.2 if i > 1 else 3.5,
                i < 2,
                max(0.7 - i / 10, 0.1),
                *_get_reasons(i),
            )
            for i, action in enumerate(question.view.legal[::-1])
        ]
        person = ANOTHER if question.for_other_player else YOURSELF
        goal = f"make {person.your} bid"
        sentence = (
            f"{lines[0].name}: as I say, and {person.you} {goal} in 70% of similar deals; AD is too close to call"
        )
        scale = ScoreScale(GAMES[question.game].lowest_wins, includes_later_rounds=self.includes_later_rounds)
        return Advice(sentence, tuple(lines), goal, scale, pronouns=person)


async def play_until_choice(pilot, app, cards=True):
    """Play until there is a choice: of a card, in the box (``cards=False``) or either (``None``)."""
    for _ in range(2000):
        await wait_for_input(pilot, app)
        if (
            app.table.frame.waiting
            and len(app.table.frame.view.legal) > 1
            and cards in (None, app.table.frame.decision is None)
        ):
            return app.table.frame
        app.table.table_keys.action_commit()
    raise AssertionError("there was no such choice")


async def open_hint(pilot, app):
    await pilot.press("h")
    await wait_until(pilot, lambda: app.table.frame.advice)
    await pilot.pause()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("choice", ["bid", "card"])
async def test_golden_hint_for_bid_and_card(size, choice):
    app = TableApp(create_session("rikiki", 11), robot_client=ScriptedAdvisor())
    async with app.run_test(size=size) as pilot:
        while (await play_until_choice(pilot, app, cards=choice == "card")).view.round < 5:
            app.table.table_keys.action_commit()
        await open_hint(pilot, app)
        golden_files.check_golden(f"rikiki_hint_{choice}_{size[0]}x{size[1]}.txt", screen_text(app))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("key", ["ten_down", "rifki", "gurka"])
async def test_golden_hint_shows_trick_as_chips(key, size):
    app = TableApp(create_session(key, 11, seats=GAMES[key].about.seats[-1]), robot_client=ScriptedAdvisor())
    async with app.run_test(size=size) as pilot:
        while len((await play_until_choice(pilot, app)).view.trick) < len(app.view.totals) - 2:
            app.table.table_keys.action_commit()
        await open_hint(pilot, app)
        golden_files.check_golden(f"hint_trick_{key}_{size[0]}x{size[1]}.txt", screen_text(app))


@pytest.mark.parametrize("size", SIZES)
async def test_golden_hint_for_contract(size):
    app = TableApp(create_session("king", 3), robot_client=ScriptedAdvisor(includes_later_rounds=True))
    async with app.run_test(size=size) as pilot:
        await play_until_choice(pilot, app, cards=False)
        await open_hint(pilot, app)
        golden_files.check_golden(f"king_hint_{size[0]}x{size[1]}.txt", screen_text(app))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("key", GAMES)
def test_reasons_are_whole(key, size):
    pros, cons = ("keeps your melds back for later",), ("gives nothing away about your hand", "goes with nothing else")
    frame = reach_position(key)
    lines = tuple(
        AdviceLine(action, format_action(action), -3.0 * i, 1.2, i == 1, 0.5, pros, cons if i else ())
        for i, action in enumerate(frame.view.legal)
    )
    advice = Advice(f"{lines[0].name}: {pros[0]}", lines, "make your bid")
    for row, line in enumerate(lines):
        canvas = Canvas(*size, APPEARANCE)
        paint_hint(canvas, replace(frame, latest_hint=HintState(frame.view, advice, row)))
        text = " ".join(str(canvas).split())
        assert "…" not in text
        assert all(reason in text for reason in line.reasons)


def test_order_note_if_shares_disagree():
    def advice(*shares, lasting=False):
        lines = [AdviceLine(None, "", -1.0 * i, 0.0, False, share) for i, share in enumerate(shares)]
        return Advice("", tuple(lines), "make your bid", ScoreScale(includes_later_rounds=lasting))

    assert advice(0.3, 0.5).order_note == "sorted by points, not by percentage"
    assert advice(0.5, 0.3).order_note == advice(0.31, 0.33).order_note == ""
    assert advice(0.3, 0.5, lasting=True).order_note == "", "no shares are shown if later rounds count"


@pytest.mark.parametrize("size", SIZES)
async def test_order_note_needs_large_screen(size):
    class PessimisticAdvisor(ScriptedAdvisor):
        async def advise(self, question):
            advice = await super().advise(question)
            lines = [replace(line, share=1 - line.share) for line in advice.lines]
            return replace(advice, lines=tuple(lines))

    app = TableApp(create_session("rikiki", 11), robot_client=PessimisticAdvisor())
    async with app.run_test(size=size) as pilot:
        await play_until_choice(pilot, app, cards=False)
        await open_hint(pilot, app)
        assert "≈ too close to call" in screen_text(app)
        assert ("sorted by points" in screen_text(app)) == (size == (120, 40))


@pytest.mark.parametrize("size", [*SIZES, (200, 60)])
def test_hint_darkens_board(size):
    canvas, grid = Canvas(*size, APPEARANCE), compute_layout(*size)
    seen = reach_position("rummy")
    paint_table(canvas, seen)
    paint_hint(canvas, seen)
    rows = range(grid.board.y, grid.prompt_row)
    bright = {THEME.grounds.felt, THEME.grounds.plate}
    assert not [(x, y) for y in rows for x in range(grid.panel.x) if canvas.grounds[y][x] in bright]


async def test_hint_on_too_small_screen():
    app = TableApp(create_session("rikiki", 11), robot_client=ScriptedAdvisor())
    async with app.run_test(size=(80, 24)) as pilot:
        await play_until_choice(pilot, app)
        await open_hint(pilot, app)
        before = screen_text(app)
        await pilot.resize_terminal(40, 10)
        await pilot.pause()
        assert "as I say" not in screen_text(app)
        assert "too small" in screen_text(app)
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        assert screen_text(app) == before


def record_actions(app):
    """Return a list to which the actions of the player are appended from now on."""
    done, submit = [], app.table.controller.submit

    def record(choice, decisions=None):
        if isinstance(choice, Action):
            done.append(choice)
        submit(choice, decisions)

    app.table.controller.submit = record
    return done


def get_overlay(app):
    return app.table.view.overlay


@pytest.mark.parametrize("cards", [False, True], ids=["bid", "card"])
async def test_enter_follows_hint_and_closes_it(cards):
    app = TableApp(create_session("rikiki", 11), robot_client=ScriptedAdvisor())
    async with app.run_test(size=(80, 24)) as pilot:
        await play_until_choice(pilot, app, cards)
        action, view, done = app.table.frame.view.legal[-1], app.table.frame.view, record_actions(app)
        await open_hint(pilot, app)
        assert isinstance(get_overlay(app), overlays.Hint)
        await pilot.press("enter")
        await wait_until(pilot, lambda: app.view is not view)
        assert done == [action]
        assert get_overlay(app) is None
        assert app.table.frame.advice is None


def find_enter_action(frame):
    """Return the action that Enter performs."""
    return frame.box_actions[frame.option] if frame.in_box else frame.hand_action


async def test_point_at_selects_whole_combination():
    app = TableApp(create_session("rummy", 3, seats=2), robot_client=ScriptedAdvisor())
    async with app.run_test(size=(80, 24)) as pilot:
        await play_until_choice(pilot, app, cards=False)
        while not any(action.cards_used().bit_count() > 2 for action in app.table.frame.view.legal):
            app.table.table_keys.action_commit()
            await wait_for_input(pilot, app)
        meld = next(action for action in app.table.frame.view.legal if action.cards_used().bit_count() > 2)
        app.table.cursor.point_at(meld)
        assert find_enter_action(app.table.frame) == meld
        for action in app.table.frame.view.legal:
            app.table.cursor.point_at(action)
            assert find_enter_action(app.table.frame) == action


@pytest.mark.parametrize("key", ["left", "right", "home", "end", "5", "shift+left"])
async def test_selecting_another_card_closes_hint(key):
    app = TableApp(create_session("rikiki", 11), robot_client=ScriptedAdvisor())
    async with app.run_test(size=(80, 24)) as pilot:
        while len((await play_until_choice(pilot, app)).hand.distinct_cards) < 5:
            app.table.table_keys.action_commit()
        view, done = app.table.frame.view, record_actions(app)
        await open_hint(pilot, app)
        await pilot.press(key)
        assert get_overlay(app) is None
        frame = app.table.frame
        assert "do it" not in screen_text(app)
        if frame.hand_action is not None:
            await pilot.press("enter")
            await wait_until(pilot, lambda: app.view is not view)
            assert done == [frame.hand_action]


@pytest.mark.parametrize("key", ["left", "0"])
async def test_selecting_in_box_closes_hint(key):
    app = TableApp(create_session("king", 3), robot_client=ScriptedAdvisor(includes_later_rounds=True))
    async with app.run_test(size=(80, 24)) as pilot:
        await play_until_choice(pilot, app, cards=False)
        await pilot.press("home")
        await open_hint(pilot, app)
        await pilot.press(key)
        assert get_overlay(app) is None


def get_selected_line(app):
    frame = app.table.frame
    return frame.advice.lines[frame.hint_row]


@pytest.mark.parametrize(("key", "cards"), [("king", False), ("rikiki", False), ("rikiki", True), ("bridge", True)])
async def test_down_selects_choice_of_hint(key, cards):
    app = TableApp(create_session(key, 3), robot_client=ScriptedAdvisor())
    async with app.run_test(size=(80, 24)) as pilot:
        await play_until_choice(pilot, app, cards)
        view, done = app.view, record_actions(app)
        await open_hint(pilot, app)
        second = app.table.frame.advice.lines[1]
        await pilot.press("down")
        assert app.view is view
        assert get_selected_line(app) == second
        assert find_enter_action(app.table.frame) == second.action, "the cursor follows the hint"
        assert "takes the trick in 30%, but keeps K♥" in " ".join(screen_text(app).split())
        await pilot.press("enter")
        await wait_until(pilot, lambda: app.view is not view)
        assert done == [second.action]
        assert get_overlay(app) is None


async def test_up_and_down_stop_at_ends_of_hint():
    app = TableApp(create_session("king", 3), robot_client=ScriptedAdvisor())
    async with app.run_test(size=(60, 18)) as pilot:
        await play_until_choice(pilot, app, cards=False)
        await open_hint(pilot, app)
        lines = app.table.frame.advice.lines
        assert f"1 of {len(lines)}" in screen_text(app)
        await pilot.press("up")
        assert get_selected_line(app) is lines[0]
        await pilot.press(*["down"] * (len(lines) + 1))
        assert get_selected_line(app) is lines[-1]
        assert f"▌  {lines[-1].name}" in screen_text(app), "the list is scrolled"
        await pilot.press("h", "up")
        assert get_selected_line(app) is lines[-2], "the keys work in the list of deals, too"


async def test_reopened_hint_selects_best_choice():
    app = TableApp(create_session("rikiki", 11), robot_client=ScriptedAdvisor())
    async with app.run_test(size=(80, 24)) as pilot:
        await play_until_choice(pilot, app)
        await open_hint(pilot, app)
        await pilot.press("down", "escape")
        await open_hint(pilot, app)
        assert get_selected_line(app) is app.table.frame.advice.lines[0]


@pytest.mark.parametrize("key", ["up", "down"])
async def test_vertical_keys_play_nothing_while_hint_is_pending(key):
    advisor = ScriptedAdvisor(may_answer=False)
    app = TableApp(create_session("rummy", 5, seats=2), robot_client=advisor)
    async with app.run_test(size=(80, 24)) as pilot:
        await play_until_choice(pilot, app, cards=False)
        view, done = app.view, record_actions(app)
        await pilot.press("h", key)
        assert done == []
        assert app.view is view
        assert "The expert is thinking" in screen_text(app)


async def test_key_sheet_of_hint():
    app = TableApp(create_session("rikiki", 11), robot_client=ScriptedAdvisor())
    async with app.run_test(size=(80, 24)) as pilot:
        await play_until_choice(pilot, app)
        await open_hint(pilot, app)
        await pilot.press("question_mark")
        assert "another choice of the hint" in screen_text(app)
        await pilot.press("escape")
        assert isinstance(get_overlay(app), overlays.Hint)
        assert "as I say" in screen_text(app)


async def test_advice_arrives_under_key_sheet():
    advisor = ScriptedAdvisor(may_answer=False)
    app = TableApp(create_session("rikiki", 11), robot_client=advisor)
    async with app.run_test(size=(80, 24)) as pilot:
        await play_until_choice(pilot, app)
        await pilot.press("h", "question_mark")
        advisor.may_answer.set()
        await wait_until(pilot, app.table.controller.hint_task._task.done)
        await pilot.press("escape")
        await wait_until(pilot, lambda: app.table.frame.advice)
        await pilot.pause()
        assert "as I say" in screen_text(app)


async def test_tab_closes_hint():
    app = TableApp(create_session("king", 3), robot_client=ScriptedAdvisor())
    async with app.run_test(size=(80, 24)) as pilot:
        while (await play_until_choice(pilot, app, cards=None)).decision is None or not app.table.frame.hand.selectable:
            app.table.table_keys.action_commit()
        await open_hint(pilot, app)
        in_box = app.table.frame.in_box
        await pilot.press("tab")
        assert app.table.frame.in_box != in_box
        assert get_overlay(app) is None


async def test_reopened_hint_is_not_requested_again():
    app = TableApp(create_session("rikiki", 11), robot_client=ScriptedAdvisor())
    async with app.run_test(size=(80, 24)) as pilot:
        await play_until_choice(pilot, app)
        for keys in (("h", "h"), ("escape",)):
            await open_hint(pilot, app)
            await pilot.press(*keys)
            assert get_overlay(app) is None
            assert not app.requests, "the table is not left"
        await open_hint(pilot, app)
        await pilot.press("z")
        assert isinstance(get_overlay(app), overlays.Hint)
        assert len(app.table.controller.robot_client.questions) == 1, "the advice is not computed again"


@pytest.mark.parametrize("size", SIZES)
async def test_golden_deals_behind_hint(size):
    class Sampler(ScriptedAdvisor):
        async def sample_deals(self, request):
            return DealSample(50, tuple(range(40, 0, -3))[: len(request.actions)])

    advisor = Sampler()
    app = TableApp(create_session("rikiki", 11), robot_client=advisor)
    async with app.run_test(size=size) as pilot:
        while (await play_until_choice(pilot, app, cards=False)).view.round < 5:
            app.table.table_keys.action_commit()
        advisor.may_answer.clear()
        await pilot.press("h", "h")
        assert get_overlay(app) is None, "the deals cannot be shown before the advice"
        advisor.may_answer.set()
        await open_hint(pilot, app)
        await pilot.press("h")
        await wait_until(pilot, lambda: app.table.frame.deal_sample)
        await pilot.pause()
        golden_files.check_golden(f"rikiki_hint_deals_{size[0]}x{size[1]}.txt", screen_text(app))
        await pilot.press("enter")
        await wait_until(pilot, lambda: app.view.bids[app.view.seat] == 5)


@pytest.mark.parametrize("size", SIZES)
async def test_first_choice_that_is_right_less_often_is_explained(size):
    class Sampler(ScriptedAdvisor):
        async def sample_deals(self, request):
            return DealSample(50, (0, 17, *[0] * len(request.actions))[: len(request.actions)])

    app = TableApp(create_session("rikiki", 11), robot_client=Sampler())
    async with app.run_test(size=size) as pilot:
        await play_until_choice(pilot, app)
        await open_hint(pilot, app)
        await pilot.press("h")
        await wait_until(pilot, lambda: app.table.frame.deal_sample)
        await pilot.pause()
        assert "The first choice loses least on average." in screen_text(app)


class VaryingAdvisor(ScriptedAdvisor):
    """Recommends kinds of actions that it has not recommended yet, otherwise any."""

    def __init__(self):
        super().__init__()
        self.kinds, self.rng = set(), Random(1)

    async def advise(self, question):
        advice = await super().advise(question)
        lines = list(advice.lines)
        self.rng.shuffle(lines)
        lines.sort(key=lambda line: get_action_kind(line.action) in self.kinds)
        self.kinds.add(get_action_kind(lines[0].action))
        return replace(advice, lines=tuple(lines))


def get_action_kind(action):
    """Return the kind of an action for the cursor, with 0, 1 or 2 for its number of cards (2: several)."""
    return f"{action.kind} {min(action.cards_used().bit_count(), 2)}"


@pytest.mark.parametrize(
    ("key", "decisions", "kinds"),
    [
        ("king", 14, {"contract 0", "play 1", "offer 0"}),
        ("rikiki", 8, {"bid 0", "play 1"}),
        ("gurka", 4, {"play 1"}),
        ("bridge", 20, {"play 1", "done 0", "suit 0"}),
        ("rifki", 30, {"contract 0", "play 1"}),
        ("ten_down", 8, {"bid 0", "play 1"}),
        ("rummy", 16, {"stock 0", "take 0", "meld 2", "drop 1"}),
    ],
)
async def test_enter_follows_hint_from_any_cursor(key, decisions, kinds):
    advisor = VaryingAdvisor()
    app = TableApp(create_session(key, 3), robot_client=advisor)
    async with app.run_test(size=(80, 24)) as pilot:
        done, rng = record_actions(app), Random(2)
        while len(advisor.questions) < decisions:
            await wait_for_input(pilot, app)
            frame = app.table.frame
            if not frame.waiting or len(frame.view.legal) == 1:
                take_first_action(app.table)
                continue
            await open_hint(pilot, app)
            action, view = app.table.frame.advice.lines[0].action, app.view
            app.table.cursor.point_at(rng.choice(frame.view.legal))
            del done[:]
            await pilot.press("enter")
            await wait_until(pilot, lambda view=view: app.view is not view)
            assert done == [action]
        assert kinds <= advisor.kinds, advisor.kinds


async def test_space_closes_hint_and_plays_nothing():
    app = TableApp(create_session("rummy", 3), robot_client=ScriptedAdvisor())
    async with app.run_test(size=(80, 24)) as pilot:
        while not (await play_until_choice(pilot, app, cards=None)).hand.selects_cards or app.table.frame.in_box:
            app.table.table_keys.action_commit()
        view, done = app.view, record_actions(app)
        await open_hint(pilot, app)
        await pilot.press("space")
        assert get_overlay(app) is None
        assert app.view is view
        assert done == []


async def test_held_enter_follows_hint_once():
    now = [0.0]
    app = TableApp(create_session("rikiki", 11), robot_client=ScriptedAdvisor(), clock=lambda: now[0])
    async with app.run_test(size=(80, 24)) as pilot:
        now[0] = 10.0
        await play_until_choice(pilot, app)
        await open_hint(pilot, app)
        done, action = record_actions(app), app.table.frame.hint_action
        await pilot.press("enter")
        assert done == [], "Enter does nothing before the hint can be read"
        for _ in range(4):
            now[0] += 1.0
            await pilot.press("enter")
            now[0] += 0.03
            await pilot.press("enter", "enter")
            if done:
                break
        assert done == [action]


async def test_enter_does_nothing_while_hint_is_pending():
    advisor = ScriptedAdvisor(may_answer=False)
    app = TableApp(create_session("rikiki", 11), robot_client=advisor)
    async with app.run_test(size=(80, 24)) as pilot:
        await play_until_choice(pilot, app)
        view, done = app.view, record_actions(app)
        await pilot.press("h", "enter", "space", "enter")
        assert app.view is view
        assert done == []
        advisor.may_answer.set()
        await wait_until(pilot, lambda: app.table.frame.advice)
        action = app.table.frame.hint_action
        await pilot.press("enter")
        await wait_until(pilot, lambda: app.view is not view)
        assert done == [action]


@pytest.mark.parametrize("key", ["escape", "left", "s"])
async def test_late_hint_moves_no_cursor(key):
    advisor = ScriptedAdvisor(may_answer=False)
    app = TableApp(create_session("rikiki", 11), robot_client=advisor)
    async with app.run_test(size=(80, 24)) as pilot:
        await play_until_choice(pilot, app)
        await pilot.press("h", key)
        pointed = app.table.frame.pointed
        advisor.may_answer.set()
        await wait_until(pilot, app.table.controller.hint_task._task.done)
        await pilot.pause()
        assert app.table.frame.advice is None
        assert app.table.frame.pointed == pointed
        if key == "s":
            await pilot.press("escape")
        await open_hint(pilot, app)
        assert find_enter_action(app.table.frame) == app.table.frame.hint_action


async def test_click_on_do_it_follows_hint():
    app = TableApp(create_session("rikiki", 11), robot_client=ScriptedAdvisor())
    async with app.run_test(size=(80, 24)) as pilot:
        await play_until_choice(pilot, app)
        view, done = app.view, record_actions(app)
        await open_hint(pilot, app)
        action = app.table.frame.hint_action
        app.table.cursor.point_at(app.table.frame.view.legal[0])
        await pilot.click(offset=(8, 23))
        await wait_until(pilot, lambda: app.view is not view)
        assert done == [action]


async def test_clicks_close_hint_or_play_card():
    app = TableApp(create_session("rikiki", 11), robot_client=ScriptedAdvisor())
    async with app.run_test(size=(80, 24)) as pilot:
        await play_until_choice(pilot, app)
        view = app.view
        for place in [(20, 3), (37, 23)]:
            await open_hint(pilot, app)
            await pilot.click(offset=place)
            assert get_overlay(app) is None
            assert app.view is view, "nothing was played"
        await open_hint(pilot, app)
        spot = next(
            spot for spot in app.table.view.canvas.hit_boxes if spot.target == PointCard(app.table.frame.hand.at)
        )
        await pilot.click(offset=(spot.x, spot.y), times=2)
        await wait_until(pilot, lambda: app.view is not view)


async def test_play_cancels_pending_hint():
    advisor = ScriptedAdvisor(may_answer=False)
    app = TableApp(create_session("rikiki", 11), robot_client=advisor)
    async with app.run_test(size=(80, 24)) as pilot:
        await play_until_choice(pilot, app)
        view = app.view
        await pilot.press("h")
        await pilot.pause()
        assert "The expert is thinking" in screen_text(app)
        assert "do it" not in screen_text(app)
        await pilot.press("left", "enter")
        await wait_until(pilot, lambda: app.view is not view)
        await wait_for_input(pilot, app)
        advisor.may_answer.set()
        await pilot.pause()
        assert app.table.frame.advice is None
        assert get_overlay(app) is None


async def test_second_hint_while_first_is_pending():
    advisor = ScriptedAdvisor(may_answer=False)
    app = TableApp(create_session("rikiki", 11), robot_client=advisor)
    async with app.run_test(size=(80, 24)) as pilot:
        await play_until_choice(pilot, app)
        view = app.table.frame.view
        await pilot.press("h")
        await pilot.pause()
        await pilot.press("escape", "enter")
        await wait_until(pilot, lambda: app.table.frame.view is not view)
        await play_until_choice(pilot, app)
        await pilot.press("h")
        await pilot.pause()
        assert "The expert is thinking" in screen_text(app)
        advisor.may_answer.set()
        await wait_until(pilot, lambda: app.table.frame.advice)
        assert advisor.questions[-1].view is app.table.frame.view


async def test_hint_key_points_at_advice_again():
    advisor = ScriptedAdvisor()
    app = TableApp(create_session("rikiki", 11), robot_client=advisor)
    async with app.run_test(size=(80, 24)) as pilot:
        await play_until_choice(pilot, app)
        await open_hint(pilot, app)
        await pilot.press("left")
        assert find_enter_action(app.table.frame) != app.table.frame.view.legal[-1]
        await pilot.press("h")
        assert find_enter_action(app.table.frame) == app.table.frame.view.legal[-1]
        assert len(advisor.questions) == 1


async def test_no_hint_without_own_decision():
    app = TableApp(create_session("rikiki", 11), robot_client=ScriptedAdvisor())
    async with app.run_test(size=(80, 24)) as pilot:
        await play_until_choice(pilot, app)
        app.table.cursor.waiting = False
        await pilot.press("h")
        assert "It is not your turn" in screen_text(app)
        await pilot.press("h")
        app.table.cursor.waiting = True
        while app.table.frame.stage is not Stage.ROUND_END:
            app.table.table_keys.action_commit()
            await wait_for_input(pilot, app)
        await pilot.press("h")
        assert get_overlay(app) is None, "no hint at the end of a round"
        assert not app.table.controller.robot_client.questions


async def test_no_hint_over_curtain_or_for_next_player():
    app = TableApp(create_session("rikiki", 11, people=2), robot_client=ScriptedAdvisor())
    async with open_table(app, (80, 24)) as pilot:
        text = screen_text(app)
        await pilot.press("h")
        assert screen_text(app) == text
        assert not app.table.controller.robot_client.questions
        await play_until_choice(pilot, app, cards=False)
        await open_hint(pilot, app)
        assert "as I say" in screen_text(app)
        await pilot.press("enter")
        await wait_until(pilot, lambda: app.table.frame.stage is Stage.CURTAIN)
        assert "as I say" not in screen_text(app)
        await pilot.press("h")
        assert "as I say" not in screen_text(app)
        await pilot.press("escape", "enter")
        await wait_for_input(pilot, app)
        assert app.table.frame.advice is None


async def test_failed_hint_can_be_requested_again():
    class SilentAtFirst(InProcessRobotClient):
        asked = 0

        async def advise(self, question):
            self.asked += 1
            if self.asked == 1:
                raise CardtableError("the robots' process does not answer")
            return await super().advise(question)

    app = TableApp(create_session("rikiki", 11), robot_client=SilentAtFirst())
    async with app.run_test(size=(80, 24)) as pilot:
        await play_until_choice(pilot, app)
        await open_hint(pilot, app)
        assert "the robots' process does not answer" in screen_text(app)
        await pilot.press("escape", "h")
        await wait_until(pilot, lambda: app.table.frame.advice and app.table.frame.advice.lines)
        assert "does not answer" not in screen_text(app)
