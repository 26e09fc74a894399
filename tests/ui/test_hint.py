"""Hint at the table: requested by a key, shown over the board, followed with Enter, closed by the next move."""

import asyncio
from dataclasses import replace
from random import Random

import pytest

from cardtable.engine.errors import CardtableError
from cardtable.games import GAMES
from cardtable.robots.hints import Advice, AdviceLine
from cardtable.robots.kit.hint_spec import ScoreScale, format_action
from cardtable.session.session_events import Stage
from cardtable.ui.game_view.hand_cursor import PointCard
from cardtable.ui.table.overlays import simple
from cardtable.ui.table.paint.hint import paint_hint
from cardtable.ui.table.paint.table_view import paint_table
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import compute_layout
from tests import golden_files
from tests.ui.painted import LOOK, THEME
from tests.ui.positions import position
from tests.ui.screen_text import screen_text
from tests.ui.table_host import AtOnce, Host, asked, session, until

SIZES = [(80, 24), (120, 40), (60, 18)]


def _told(i):
    """Return the reasons for the action with this number and, except for the first, those against it."""
    return (("keeps KH",), ("takes the trick in 30 %",)) if i else (("takes the trick in 90 %", "keeps KH"),)


class Said(AtOnce):
    """Advises the last legal action, with falling points, as soon as `may_answer` is set."""

    def __init__(self, *, lasting=False):
        super().__init__()
        self.may = asyncio.Event()
        self.may.set()
        self.questions = []
        self.lasting = lasting

    async def advise(self, question):
        self.questions.append(question)
        await self.may.wait()
        lines = [
            AdviceLine(
                action,
                format_action(action),
                4.0 - 3 * i,
                1.2 if i > 1 else 3.5,
                i < 2,
                max(0.7 - i / 10, 0.1),
                *_told(i),
            )
            for i, action in enumerate(question.view.legal[::-1])
        ]
        best, aim = lines[0].name, "they make their bid" if question.for_other_player else "you make your bid"
        sentence = f"{best}: as I say, and {aim} in 70 % of similar deals; AD is too close to call"
        return Advice(
            sentence,
            tuple(lines),
            aim,
            ScoreScale(GAMES[question.game].lowest_wins, includes_later_rounds=self.lasting),
        )


async def choosing(pilot, app, cards=True):
    """Play until there is a choice: of a card, in the box (``cards=False``) or either (``None``)."""
    for _ in range(2000):
        await asked(pilot, app)
        if (
            app.table.frame.waiting
            and len(app.table.frame.view.legal) > 1
            and cards in (None, app.table.frame.decision is None)
        ):
            return app.table.frame
        app.table.table_keys.action_commit()
    raise AssertionError("the position never came")


async def hinted(pilot, app):
    await pilot.press("h")
    await until(pilot, lambda: app.table.frame.advice)
    await pilot.pause()


@pytest.mark.promise("The table", "`h` shows a hint with a reason; its figures come from the simulated deals.")
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("what", ["bid", "card"])
async def test_the_hint_looks_as_drawn(size, what):
    app = Host(session("rikiki", 11), thinker=Said())
    async with app.run_test(size=size) as pilot:
        while (await choosing(pilot, app, cards=what == "card")).view.round < 5:
            app.table.table_keys.action_commit()
        await hinted(pilot, app)
        golden_files.check(f"rikiki_hint_{what}_{size[0]}x{size[1]}.txt", screen_text(app))


@pytest.mark.promise("The table", "`h` shows a hint with a reason; its figures come from the simulated deals.")
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("key", ["ten_down", "rifki", "gurka"])
async def test_the_trick_that_the_hint_hides_is_told_by_chips(key, size):
    app = Host(session(key, 11, seats=GAMES[key].about.seats[-1]), thinker=Said())
    async with app.run_test(size=size) as pilot:
        while len((await choosing(pilot, app)).view.trick) < len(app.view.totals) - 2:
            app.table.table_keys.action_commit()
        await hinted(pilot, app)
        golden_files.check(f"hint_trick_{key}_{size[0]}x{size[1]}.txt", screen_text(app))


@pytest.mark.parametrize("size", SIZES)
async def test_contracts_are_compared_with_what_is_left_for_later(size):
    app = Host(session("king", 3), thinker=Said(lasting=True))
    async with app.run_test(size=size) as pilot:
        await choosing(pilot, app, cards=False)
        await hinted(pilot, app)
        golden_files.check(f"king_hint_{size[0]}x{size[1]}.txt", screen_text(app))


def test_the_order_is_told_where_something_is_more_often_what_is_wanted():
    def advice(*shares, lasting=False):
        lines = [AdviceLine(None, "", -1.0 * i, 0.0, False, share) for i, share in enumerate(shares)]
        return Advice("", tuple(lines), "you make your bid", ScoreScale(includes_later_rounds=lasting))

    assert advice(0.3, 0.5).order_note == "Sorted by points, not by how often"
    assert advice(0.5, 0.3).order_note == advice(0.31, 0.33).order_note == ""
    assert advice(0.3, 0.5, lasting=True).order_note == "", "shares are not shown there"


@pytest.mark.parametrize("size", SIZES)
async def test_the_order_stands_below_the_lines(size):
    class Modest(Said):
        async def advise(self, question):
            advice = await super().advise(question)
            lines = [replace(line, share=1 - line.share) for line in advice.lines]
            return replace(advice, lines=tuple(lines))

    app = Host(session("rikiki", 11), thinker=Modest())
    async with app.run_test(size=size) as pilot:
        await choosing(pilot, app, cards=False)
        await hinted(pilot, app)
        assert "≈ too close to call" in screen_text(app)
        assert ("Sorted by points" in screen_text(app)) == (size == (120, 40))


@pytest.mark.parametrize("size", [*SIZES, (200, 60)])
def test_all_that_lies_left_of_the_panel_is_darkened(size):
    canvas, grid = Canvas(*size, LOOK), compute_layout(*size)
    seen = position("rummy")
    paint_table(canvas, seen)
    paint_hint(canvas, seen)
    rows = range(grid.board.y, grid.prompt_row)
    bright = {THEME.grounds.felt, THEME.grounds.plate}
    assert not [(x, y) for y in rows for x in range(grid.panel.x) if canvas.grounds[y][x] in bright]


async def test_where_there_is_no_table_there_is_no_hint():
    app = Host(session("rikiki", 11), thinker=Said())
    async with app.run_test(size=(80, 24)) as pilot:
        await choosing(pilot, app)
        await hinted(pilot, app)
        before = screen_text(app)
        await pilot.resize_terminal(40, 10)
        await pilot.pause()
        assert "as I say" not in screen_text(app)
        assert "too small" in screen_text(app)
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        assert screen_text(app) == before


def acts(app):
    """Return a list to which the actions of the player are appended from now on."""
    done, act = [], app.table.cursor.submit_action
    app.table.cursor.submit_action = lambda action: (done.append(action), act(action))
    return done


def cover(app):
    return app.table.view.overlay


@pytest.mark.parametrize("cards", [False, True], ids=["bid", "card"])
async def test_enter_does_what_is_advised_and_the_hint_is_gone_with_it(cards):
    app = Host(session("rikiki", 11), thinker=Said())
    async with app.run_test(size=(80, 24)) as pilot:
        await choosing(pilot, app, cards)
        wanted, view, done = app.table.frame.view.legal[-1], app.table.frame.view, acts(app)
        await hinted(pilot, app)
        assert isinstance(cover(app), simple.Hint)
        await pilot.press("enter")
        await until(pilot, lambda: app.view is not view)
        assert done == [wanted]
        assert cover(app) is None
        assert app.table.frame.advice is None


async def test_combinations_are_chosen_whole():
    app = Host(session("rummy", 3, seats=2), thinker=Said())
    async with app.run_test(size=(80, 24)) as pilot:
        await choosing(pilot, app, cards=False)
        while not any(action.cards_used().bit_count() > 2 for action in app.table.frame.view.legal):
            app.table.table_keys.action_commit()
            await asked(pilot, app)
        meld = next(action for action in app.table.frame.view.legal if action.cards_used().bit_count() > 2)
        app.table.cursor.point_at(meld)
        assert app.table.frame.enter_action == meld
        for action in app.table.frame.view.legal:
            app.table.cursor.point_at(action)
            assert app.table.frame.enter_action == action


@pytest.mark.parametrize("key", ["left", "right", "home", "end", "5", "shift+left"])
async def test_choosing_another_card_closes_the_hint(key):
    app = Host(session("rikiki", 11), thinker=Said())
    async with app.run_test(size=(80, 24)) as pilot:
        while len((await choosing(pilot, app)).hand.distinct_cards) < 5:
            app.table.table_keys.action_commit()
        view, done = app.table.frame.view, acts(app)
        await hinted(pilot, app)
        await pilot.press(key)
        assert cover(app) is None
        frame = app.table.frame
        assert "do it" not in screen_text(app)
        if frame.hand_action is not None:
            await pilot.press("enter")
            await until(pilot, lambda: app.view is not view)
            assert done == [frame.hand_action]


@pytest.mark.parametrize("key", ["left", "up", "0"])
async def test_choosing_in_the_box_closes_the_hint(key):
    app = Host(session("king", 3), thinker=Said(lasting=True))
    async with app.run_test(size=(80, 24)) as pilot:
        await choosing(pilot, app, cards=False)
        await pilot.press("home")
        await hinted(pilot, app)
        await pilot.press(key)
        assert cover(app) is None


async def test_tab_to_the_offers_closes_the_hint():
    app = Host(session("king", 3), thinker=Said())
    async with app.run_test(size=(80, 24)) as pilot:
        while (await choosing(pilot, app, cards=None)).decision is None or not app.table.frame.hand.selectable:
            app.table.table_keys.action_commit()
        await hinted(pilot, app)
        in_box = app.table.frame.in_box
        await pilot.press("tab")
        assert app.table.frame.in_box != in_box
        assert cover(app) is None


async def test_looking_at_other_things_keeps_the_choice():
    app = Host(session("rikiki", 11), thinker=Said())
    async with app.run_test(size=(80, 24)) as pilot:
        await choosing(pilot, app)
        for key in ("h", "escape"):
            await hinted(pilot, app)
            await pilot.press(key)
            assert cover(app) is None
            assert not app.told, "the table is not left"
        await hinted(pilot, app)
        await pilot.press("z")
        assert isinstance(cover(app), simple.Hint)
        assert len(app.table.controller._robot_client.questions) == 1, "what was said stands"


class Each(Said):
    """Recommends kinds of actions that it has not recommended yet, otherwise any."""

    def __init__(self):
        super().__init__()
        self.kinds, self.rng = set(), Random(1)

    async def advise(self, question):
        advice = await super().advise(question)
        lines = list(advice.lines)
        self.rng.shuffle(lines)
        lines.sort(key=lambda line: kind_of(line.action) in self.kinds)
        self.kinds.add(kind_of(lines[0].action))
        return replace(advice, lines=tuple(lines))


def kind_of(action):
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
async def test_enter_does_the_hint_wherever_the_cursor_is(key, decisions, kinds):
    thinker = Each()
    app = Host(session(key, 3), thinker=thinker)
    async with app.run_test(size=(80, 24)) as pilot:
        done, rng = acts(app), Random(2)
        while len(thinker.questions) < decisions:
            await asked(pilot, app)
            frame = app.table.frame
            if not frame.waiting or len(frame.view.legal) == 1:
                app.table.controller.submit(frame.view.legal[0] if frame.waiting else None)
                continue
            await hinted(pilot, app)
            wanted, view = app.table.frame.advice.lines[0].action, app.view
            app.table.cursor.point_at(rng.choice(frame.view.legal))
            del done[:]
            await pilot.press("enter")
            await until(pilot, lambda view=view: app.view is not view)
            assert done == [wanted]
        assert kinds <= thinker.kinds, thinker.kinds


async def test_space_selects_cards_of_a_meld_and_closes_the_hint():
    app = Host(session("rummy", 3), thinker=Said())
    async with app.run_test(size=(80, 24)) as pilot:
        while not (await choosing(pilot, app, cards=None)).hand.has_multi_card_actions or app.table.frame.in_box:
            app.table.table_keys.action_commit()
        view, done = app.view, acts(app)
        await hinted(pilot, app)
        await pilot.press("space")
        assert cover(app) is None
        assert app.view is view
        assert done == []


async def test_a_held_enter_plays_the_hint_once():
    now = [0.0]
    app = Host(session("rikiki", 11), thinker=Said(), clock=lambda: now[0])
    async with app.run_test(size=(80, 24)) as pilot:
        now[0] = 10.0
        await choosing(pilot, app)
        await hinted(pilot, app)
        done, wanted = acts(app), app.table.frame.hint_action
        await pilot.press("enter")
        assert done == [], "pressed before the hint could be read"
        for _ in range(4):
            now[0] += 1.0
            await pilot.press("enter")
            now[0] += 0.03
            await pilot.press("enter", "enter")
            if done:
                break
        assert done == [wanted]


async def test_enter_does_nothing_while_the_hint_is_thought_of():
    thinker = Said()
    thinker.may.clear()
    app = Host(session("rikiki", 11), thinker=thinker)
    async with app.run_test(size=(80, 24)) as pilot:
        await choosing(pilot, app)
        view, done = app.view, acts(app)
        await pilot.press("h", "enter", "space", "enter")
        assert app.view is view
        assert done == []
        thinker.may.set()
        await until(pilot, lambda: app.table.frame.advice)
        wanted = app.table.frame.hint_action
        await pilot.press("enter")
        await until(pilot, lambda: app.view is not view)
        assert done == [wanted]


@pytest.mark.parametrize("key", ["escape", "left", "s"])
async def test_a_hint_that_comes_late_moves_no_cursor(key):
    thinker = Said()
    thinker.may.clear()
    app = Host(session("rikiki", 11), thinker=thinker)
    async with app.run_test(size=(80, 24)) as pilot:
        await choosing(pilot, app)
        await pilot.press("h", key)
        pointed = app.table.frame.pointed
        thinker.may.set()
        await until(pilot, app.table.controller.hint_task._task.done)
        await pilot.pause()
        assert app.table.frame.advice is None
        assert app.table.frame.pointed == pointed
        if key == "s":
            await pilot.press("escape")
        await hinted(pilot, app)
        assert app.table.frame.enter_action == app.table.frame.hint_action


async def test_a_click_on_do_it_does_the_hint():
    app = Host(session("rikiki", 11), thinker=Said())
    async with app.run_test(size=(80, 24)) as pilot:
        await choosing(pilot, app)
        view, done = app.view, acts(app)
        await hinted(pilot, app)
        wanted = app.table.frame.hint_action
        app.table.cursor.point_at(app.table.frame.view.legal[0])
        await pilot.click(offset=(8, 23))
        await until(pilot, lambda: app.view is not view)
        assert done == [wanted]


async def test_a_click_on_the_board_or_its_key_puts_it_away_and_one_on_a_card_plays():
    app = Host(session("rikiki", 11), thinker=Said())
    async with app.run_test(size=(80, 24)) as pilot:
        await choosing(pilot, app)
        view = app.view
        for place in [(20, 8), (18, 23)]:
            await hinted(pilot, app)
            await pilot.click(offset=place)
            assert cover(app) is None
            assert app.view is view, "nothing was played"
        await hinted(pilot, app)
        spot = next(
            spot for spot in app.table.view.canvas.hit_boxes if spot.target == PointCard(app.table.frame.hand.at)
        )
        await pilot.click(offset=(spot.x, spot.y), times=2)
        await until(pilot, lambda: app.view is not view)


async def test_playing_on_while_the_hint_is_thought_of():
    thinker = Said()
    thinker.may.clear()
    app = Host(session("rikiki", 11), thinker=thinker)
    async with app.run_test(size=(80, 24)) as pilot:
        await choosing(pilot, app)
        view = app.view
        await pilot.press("h")
        await pilot.pause()
        assert "The expert thinks it over" in screen_text(app)
        assert "do it" not in screen_text(app)
        await pilot.press("left", "enter")
        await until(pilot, lambda: app.view is not view)
        await asked(pilot, app)
        thinker.may.set()
        await pilot.pause()
        assert app.table.frame.advice is None
        assert cover(app) is None


async def test_a_second_hint_while_the_first_is_thought_of():
    thinker = Said()
    thinker.may.clear()
    app = Host(session("rikiki", 11), thinker=thinker)
    async with app.run_test(size=(80, 24)) as pilot:
        await choosing(pilot, app)
        view = app.table.frame.view
        await pilot.press("h")
        await pilot.pause()
        await pilot.press("escape", "enter")
        await until(pilot, lambda: app.table.frame.view is not view)
        await choosing(pilot, app)
        await pilot.press("h")
        await pilot.pause()
        assert "The expert thinks it over" in screen_text(app)
        thinker.may.set()
        await until(pilot, lambda: app.table.frame.advice)
        assert thinker.questions[-1].view is app.table.frame.view


async def test_asked_again_it_points_at_what_is_advised():
    thinker = Said()
    app = Host(session("rikiki", 11), thinker=thinker)
    async with app.run_test(size=(80, 24)) as pilot:
        await choosing(pilot, app)
        await hinted(pilot, app)
        await pilot.press("left")
        assert app.table.frame.enter_action != app.table.frame.view.legal[-1]
        await pilot.press("h")
        assert app.table.frame.enter_action == app.table.frame.view.legal[-1]
        assert len(thinker.questions) == 1


async def test_there_is_none_when_others_are_to_act_or_nobody():
    app = Host(session("rikiki", 11), thinker=Said())
    async with app.run_test(size=(80, 24)) as pilot:
        await choosing(pilot, app)
        app.table.cursor.waiting = False
        await pilot.press("h")
        assert "It is not your turn" in screen_text(app)
        await pilot.press("h")
        app.table.cursor.waiting = True
        while app.table.frame.stage is not Stage.ROUND_END:
            app.table.table_keys.action_commit()
            await asked(pilot, app)
        await pilot.press("h")
        assert cover(app) is None, "there is nothing to choose"
        assert not app.table.controller._robot_client.questions


@pytest.mark.promise("Hot seat and hidden cards", "No hint is shown over a curtain or to the next player.")
async def test_no_hint_lies_over_a_curtain_or_goes_to_the_next_person():
    app = Host(session("rikiki", 11, people=2), thinker=Said())
    async with app.run_test(size=(80, 24)) as pilot:
        await asked(pilot, app)
        text = screen_text(app)
        await pilot.press("h")
        assert screen_text(app) == text
        assert not app.table.controller._robot_client.questions
        await choosing(pilot, app, cards=False)
        await hinted(pilot, app)
        assert "as I say" in screen_text(app)
        await pilot.press("enter")
        await until(pilot, lambda: app.table.frame.stage is Stage.CURTAIN)
        assert "as I say" not in screen_text(app)
        await pilot.press("h")
        assert "as I say" not in screen_text(app)
        await pilot.press("escape", "enter")
        await asked(pilot, app)
        assert app.table.frame.advice is None


async def test_a_hint_that_failed_can_be_asked_for_again():
    class SilentAtFirst(AtOnce):
        asked = 0

        async def advise(self, question):
            self.asked += 1
            if self.asked == 1:
                raise CardtableError("the robots' process does not answer")
            return await super().advise(question)

    app = Host(session("rikiki", 11), thinker=SilentAtFirst())
    async with app.run_test(size=(80, 24)) as pilot:
        await choosing(pilot, app)
        await hinted(pilot, app)
        assert "the robots' process does not answer" in screen_text(app)
        await pilot.press("escape", "h")
        await until(pilot, lambda: app.table.frame.advice and app.table.frame.advice.lines)
        assert "does not answer" not in screen_text(app)
