"""Hint at the table: requested by a key, shown over the board, followed with Enter, closed by the next move."""

import asyncio
from contextlib import asynccontextmanager
from random import Random

import pytest
from msgspec.structs import replace

from cardtable.engine.errors import CardtableError
from cardtable.engine.game import Action
from cardtable.games import GAMES
from cardtable.robots.hints import Advice, AdviceLine
from cardtable.robots.kit.hint_spec import ANOTHER, YOURSELF, ScoreScale, format_action, format_command
from cardtable.session.session_events import Stage
from cardtable.ui.table import overlays
from cardtable.ui.table.model.view_model import HintState
from cardtable.ui.table.paint.advice import paint_hint
from cardtable.ui.table.paint.table_widget import paint_table
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import get_layout
from tests.ui.canvas_rendering import APPEARANCE, THEME
from tests.ui.driver import SIZES, SMALL, sit_at
from tests.ui.positions import reach_position
from tests.ui.table_host import InProcessRobotClient, create_session, take_first_action


def _get_reasons(i):
    """Return the reasons for the action with this number and, except for the first, those against it."""
    return (("keeps KH",), ("may take the trick",)) if i else (("will probably take the trick", "keeps KH"),)


class ScriptedAdvisor(InProcessRobotClient):
    """Advises the last legal action, with falling points, as soon as `may_answer` is set, by default at once."""

    def __init__(self, *, may_answer=True, includes_later_rounds=False):
        super().__init__()
        self.may_answer = asyncio.Event()
        if may_answer:
            self.may_answer.set()
        self.questions, self.answer_count = [], 0
        self.includes_later_rounds = includes_later_rounds

    async def advise(self, question):
        self.questions.append(question)
        await self.may_answer.wait()
        self.answer_count += 1
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
            f"{format_command(lines[0].action)}, as I say, and {person.you} will probably {goal}; AD is about as good."
        )
        scale = ScoreScale(GAMES[question.game].lowest_wins, includes_later_rounds=self.includes_later_rounds)
        return Advice(sentence, tuple(lines), goal, scale, pronouns=person)


def is_fifth_bid(frame):
    return is_box_choice(frame) and frame.view.round == 5


def is_fifth_round_card(frame):
    return is_card_choice(frame) and frame.view.round == 5


def is_choice(frame):
    return frame.waiting and len(frame.view.legal) > 1


def is_card_choice(frame):
    return is_choice(frame) and frame.decision is None


def is_box_choice(frame):
    return is_choice(frame) and frame.decision is not None


@asynccontextmanager
async def sit_at_choice(key="rikiki", seed=11, *, where=is_card_choice, advisor=None, size=SMALL, **options):
    """Play at a table with an expert until the person has a choice, by default of a card."""
    advisor = advisor or ScriptedAdvisor()
    async with sit_at(create_session(key, seed, **options), size, robot_client=advisor) as table:
        await table.play_until(where)
        yield table


async def open_hint(table):
    await table.press("h")
    await table.wait_until(lambda: table.frame.advice)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("choice", "where"), [("bid", is_fifth_bid), ("card", is_fifth_round_card)])
async def test_golden_hint_for_bid_and_card(size, choice, where):
    async with sit_at_choice(where=where, size=size) as table:
        await open_hint(table)
        table.check_golden(f"rikiki_hint_{choice}")


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("key", ["ten_down", "rifki", "gurka"])
async def test_golden_hint_shows_trick_as_chips(key, size):
    def follows_late(frame):
        return is_card_choice(frame) and len(frame.view.trick) == len(frame.view.totals) - 2

    async with sit_at_choice(key, where=follows_late, size=size, seats=GAMES[key].about.seats[-1]) as table:
        await open_hint(table)
        table.check_golden(f"hint_trick_{key}")


@pytest.mark.parametrize("size", SIZES)
async def test_golden_hint_for_contract(size):
    advisor = ScriptedAdvisor(includes_later_rounds=True)
    async with sit_at_choice("king", 3, where=is_box_choice, advisor=advisor, size=size) as table:
        await open_hint(table)
        table.check_golden("king_hint")


@pytest.mark.parametrize("size", SIZES)
async def test_golden_figures_behind_hint(size):
    async with sit_at_choice(where=is_fifth_bid, size=size) as table:
        await open_hint(table)
        assert "points" not in table.text, "words come first"
        await table.press("h")
        table.check_golden("rikiki_hint_figures")
        await table.press("enter")
        await table.wait_until(lambda: table.view.bids[table.view.seat] == 5)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("key", GAMES)
def test_reasons_are_whole(key, size):
    pros, cons = ("keeps your melds back for later",), ("gives nothing away about your hand", "goes with nothing else")
    frame = reach_position(key)
    lines = tuple(
        AdviceLine(action, format_action(action), -3.0 * i, 1.2, i == 1, 0.5, pros, cons if i else ())
        for i, action in enumerate(frame.view.legal)
    )
    advice = Advice(f"Play {lines[0].name}, which {pros[0]}.", lines, "make your bid")
    for row, line in enumerate(lines):
        canvas = Canvas(*size, APPEARANCE)
        paint_hint(canvas, replace(frame, latest_hint=HintState(frame.view, advice, row)))
        text = " ".join(str(canvas).split())
        assert "…" not in text
        assert all(reason in text for reason in line.reasons)


@pytest.mark.parametrize("size", SIZES)
def test_figures_say_which_choices_they_show_and_leave_out_hopeless_shares(size):
    frame = reach_position("rummy")
    for share, count in ((0.0, 30), (0.2, 2)):
        lines = tuple([AdviceLine(frame.view.legal[0], f"Choice {i}", 0.0, 1.0, True, share) for i in range(count)])
        canvas = Canvas(*size, APPEARANCE)
        hint = HintState(frame.view, Advice("Choose.", lines, "make {your} bid"), count - 1)
        paint_hint(canvas, replace(frame, latest_hint=hint), shows_figures=True)
        assert ("–30 of 30" in str(canvas)) == (count == 30)
        assert ("%" in str(canvas)) == bool(share)


def test_order_note_if_shares_disagree():
    def advice(*shares, lasting=False):
        lines = [AdviceLine(None, "", -1.0 * i, 0.0, False, share) for i, share in enumerate(shares)]
        return Advice("", tuple(lines), "make your bid", ScoreScale(includes_later_rounds=lasting))

    assert advice(0.3, 0.5).order_note == "in order of points"
    assert advice(0.5, 0.3).order_note == advice(0.31, 0.33).order_note == ""
    assert advice(0.3, 0.5, lasting=True).order_note == "", "no shares are shown if later rounds count"


@pytest.mark.parametrize("size", [*SIZES, (200, 60)])
def test_hint_darkens_board(size):
    canvas = Canvas(*size, APPEARANCE)
    seen = reach_position("rummy")
    paint_table(canvas, seen)
    grid = get_layout(canvas)
    paint_hint(canvas, seen)
    rows = range(grid.board.y, grid.prompt_row)
    bright = {THEME.grounds.felt, THEME.grounds.plate}
    assert not [(x, y) for y in rows for x in range(grid.panel.x) if canvas.grounds[y][x] in bright]


def record_actions(table):
    """Return a list to which the actions of the player are appended from now on."""
    done, submit = [], table.screen.controller.submit

    def record(choice, decisions=None):
        if isinstance(choice, Action):
            done.append(choice)
        submit(choice, decisions)

    table.screen.controller.submit = record
    return done


def find_enter_action(frame):
    """Return the action that Enter performs."""
    return frame.box_actions[frame.option] if frame.in_box else frame.hand_action


def has_five_cards(frame):
    return is_card_choice(frame) and len(frame.hand.distinct_cards) >= 5


def has_box_and_hand(frame):
    return is_box_choice(frame) and frame.hand.selectable


def selects_melds(frame):
    return is_choice(frame) and frame.hand.selects_cards and not frame.in_box


@pytest.mark.parametrize(
    ("key", "where", "pressed"),
    [
        *[("rikiki", has_five_cards, pressed) for pressed in ("left", "right", "home", "end", "5", "shift+left")],
        ("king", is_box_choice, "left"),
        ("king", is_box_choice, "0"),
        ("king", has_box_and_hand, "tab"),
        ("rummy", selects_melds, "space"),
    ],
)
async def test_moving_the_cursor_closes_hint_and_plays_nothing(key, where, pressed):
    async with sit_at_choice(key, 11 if key == "rikiki" else 3, where=where) as table:
        view, in_box, done = table.view, table.frame.in_box, record_actions(table)
        await open_hint(table)
        await table.press(pressed)
        assert table.overlay is None
        assert table.view is view
        assert "do it" not in table.text
        assert (table.frame.in_box != in_box) == (pressed == "tab")
        if key == "rikiki" and (action := table.frame.hand_action):
            await table.press_and_play("enter")
            assert done == [action], "Enter does what the cursor is at"


def get_selected_line(table):
    return table.frame.advice.lines[table.frame.hint_row]


@pytest.mark.parametrize(
    ("key", "where"),
    [("king", is_box_choice), ("rikiki", is_box_choice), ("rikiki", is_card_choice), ("bridge", is_card_choice)],
)
async def test_down_selects_choice_of_hint(key, where):
    async with sit_at_choice(key, 3, where=where) as table:
        view, done = table.view, record_actions(table)
        await open_hint(table)
        second = table.frame.advice.lines[1]
        await table.press("down")
        assert table.view is view
        assert get_selected_line(table) == second
        assert find_enter_action(table.frame) == second.action, "the cursor follows the hint"
        await table.reads("may take the trick, but keeps K♥. It is")
        await table.press_and_play("enter")
        assert done == [second.action]
        assert table.overlay is None


async def test_reopened_hint_is_not_requested_again():
    async with sit_at_choice() as table:
        for keys in ("down h h", "down escape"):
            await open_hint(table)
            assert get_selected_line(table) is table.frame.advice.lines[0], "the best choice is selected anew"
            await table.press(keys)
            assert table.overlay is None
            assert not table.app.requests, "the table is not left"
        await open_hint(table)
        await table.press("z")
        assert isinstance(table.overlay, overlays.Hint)
        assert len(table.screen.controller.robot_client.questions) == 1, "the advice is not computed again"


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
    async with sit_at(create_session(key, 3), robot_client=advisor) as table:
        done, rng = record_actions(table), Random(2)
        while len(advisor.questions) < decisions:
            await table.wait_for_input()
            frame = table.frame
            if not is_choice(frame):
                take_first_action(table.screen)
                continue
            await open_hint(table)
            action = table.frame.advice.lines[0].action
            assert find_enter_action(table.frame) == action, "the cursor is at the recommended action"
            table.screen.cursor.point_at(rng.choice(frame.view.legal))
            del done[:]
            await table.press_and_play("enter")
            assert done == [action]
            assert table.frame.advice is None
        assert kinds <= advisor.kinds, advisor.kinds


async def test_held_enter_follows_hint_once():
    now = [0.0]
    session = create_session("rikiki", 11)
    async with sit_at(session, robot_client=ScriptedAdvisor(), clock=lambda: now[0]) as table:
        now[0] = 10.0
        await table.play_until(is_card_choice)
        await open_hint(table)
        done, action = record_actions(table), table.frame.hint_action
        await table.press("enter")
        assert done == [], "Enter does nothing before the hint can be read"
        for _ in range(4):
            now[0] += 1.0
            await table.press("enter")
            now[0] += 0.03
            await table.press("enter enter")
            if done:
                break
        assert done == [action]


@pytest.mark.parametrize(
    ("key", "where", "keys"),
    [("rikiki", is_card_choice, "enter enter"), ("rummy", is_box_choice, "up"), ("rummy", is_box_choice, "down")],
)
async def test_keys_play_nothing_while_hint_is_pending(key, where, keys):
    advisor = ScriptedAdvisor(may_answer=False)
    async with sit_at_choice(key, where=where, advisor=advisor) as table:
        view, done = table.view, record_actions(table)
        await table.press(f"h {keys}")
        await table.sees("The expert is thinking")
        assert done == []
        assert table.view is view
        advisor.may_answer.set()
        await table.wait_until(lambda: table.frame.advice)
        action = table.frame.hint_action
        await table.press_and_play("enter")
        assert done == [action]


@pytest.mark.parametrize("key", ["escape", "left", "s"])
async def test_late_hint_moves_no_cursor(key):
    advisor = ScriptedAdvisor(may_answer=False)
    async with sit_at_choice(advisor=advisor) as table:
        await table.press(f"h {key}")
        pointed = table.frame.pointed
        advisor.may_answer.set()
        await table.wait_until(lambda: advisor.answer_count)
        assert table.frame.advice is None
        assert table.frame.pointed == pointed
        if key == "s":
            await table.press("escape")
        await open_hint(table)
        assert find_enter_action(table.frame) == table.frame.hint_action


async def test_play_cancels_pending_hint():
    advisor = ScriptedAdvisor(may_answer=False)
    async with sit_at_choice(advisor=advisor) as table:
        await table.press("h")
        await table.sees("The expert is thinking")
        assert "do it" not in table.text
        await table.press_and_play("left enter")
        await table.wait_for_input()
        advisor.may_answer.set()
        await table.wait_until(lambda: advisor.answer_count)
        assert table.frame.advice is None
        assert table.overlay is None


async def test_second_hint_while_first_is_pending():
    advisor = ScriptedAdvisor(may_answer=False)
    async with sit_at_choice(advisor=advisor) as table:
        await table.press_and_play("h escape enter")
        await table.play_until(is_card_choice)
        await table.press("h")
        await table.sees("The expert is thinking")
        advisor.may_answer.set()
        await table.wait_until(lambda: table.frame.advice)
        assert advisor.questions[-1].view is table.view


async def test_no_hint_without_own_decision():
    async with sit_at_choice() as table:
        table.screen.cursor.waiting = False
        await table.press("h")
        await table.sees("It is not your turn")
        await table.press("h")
        table.screen.cursor.waiting = True
        await table.play_until(lambda frame: frame.stage is Stage.ROUND_END)
        await table.press("h")
        assert table.overlay is None, "no hint at the end of a round"
        assert not table.screen.controller.robot_client.questions


async def test_no_hint_over_curtain_or_for_next_player():
    async with sit_at(create_session("rikiki", 11, people=2), robot_client=ScriptedAdvisor()) as table:
        text = table.text
        await table.press("h")
        assert table.text == text
        assert not table.screen.controller.robot_client.questions
        await table.play_until(is_box_choice)
        await open_hint(table)
        await table.sees("as I say")
        await table.press("enter")
        await table.wait_until(lambda: table.frame.stage is Stage.CURTAIN)
        assert "as I say" not in table.text
        await table.press("h")
        assert "as I say" not in table.text
        await table.press("escape enter")
        await table.wait_for_input()
        assert table.frame.advice is None


async def test_failed_hint_can_be_requested_again():
    class SilentAtFirst(InProcessRobotClient):
        asked = 0

        async def advise(self, question):
            self.asked += 1
            if self.asked == 1:
                raise CardtableError("the robots' process does not answer")
            return await super().advise(question)

    async with sit_at_choice(advisor=SilentAtFirst()) as table:
        await open_hint(table)
        await table.sees("the robots' process does not answer")
        await table.press("escape h")
        await table.wait_until(lambda: table.frame.advice and table.frame.advice.lines)
        assert "does not answer" not in table.text


@pytest.mark.parametrize("key", ["escape", "h h"])
async def test_cursor_returns_when_hint_is_closed(key):
    async with sit_at_choice() as table:
        before = table.frame.pointed
        await open_hint(table)
        await table.press("down")
        assert table.frame.pointed != before
        await table.press(f"question_mark escape o {key}")
        assert table.overlay is None
        assert table.frame.pointed == before
