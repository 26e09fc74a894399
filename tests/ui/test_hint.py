"""The hint at the table: asked with a key, shown over the board, done with Enter, gone with the next move."""

import asyncio
from dataclasses import replace

import pytest

from cardtable.engine.errors import CardtableError
from cardtable.games import GAMES
from cardtable.play.seen import Stage
from cardtable.robots.coach import Advice, AdviceLine
from cardtable.robots.kit.lesson import name
from cardtable.robots.kit.measure import Measure
from cardtable.ui.draw.canvas import Canvas
from cardtable.ui.draw.layout import layout
from cardtable.ui.kit.pointing import PointCard
from cardtable.ui.table.overlays import overlays
from cardtable.ui.table.paint.hint import paint_hint
from cardtable.ui.table.paint.table_view import paint_table
from tests import golden_files
from tests.ui.painted import LOOK, THEME
from tests.ui.positions import position
from tests.ui.screen_text import screen_text
from tests.ui.table_host import AtOnce, Host, asked, session, until

SIZES = [(80, 24), (120, 40), (60, 18)]


REASONS = ("takes this trick in 3 of 10", "keeps KH")


class Said(AtOnce):
    """Advises the last of what is legal, with points that fall, as soon as it may."""

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
                action, name(action), 4.0 - 3 * i, i == 1, 0.7 - i / 10, ("takes this trick in 3 of 10", "keeps KH")
            )
            for i, action in enumerate(question.view.legal[::-1])
        ]
        best, aim = lines[0].name, "they make their bid" if question.to_another else "you make your bid"
        sentence = f"{best}: as I say, and {aim} in 7 of 10 deals like this; AD is 3.0 points worse"
        return Advice(
            sentence,
            tuple(lines),
            aim,
            Measure(GAMES[question.game].lowest_wins, lasting=self.lasting),
        )


async def choosing(pilot, app, cards=True):
    """Play on until there is something to choose, a card or else in the box."""
    for _ in range(2000):
        await asked(pilot, app)
        if (
            app.table.frame.waiting
            and len(app.table.frame.view.legal) > 1
            and (app.table.frame.decision is None) == cards
        ):
            return app.table.frame
        app.table.keys.action_commit()
    raise AssertionError("the position never came")


async def hinted(pilot, app):
    await pilot.press("h")
    await until(pilot, lambda: app.table.frame.advice)
    await pilot.pause()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("what", ["bid", "card"])
async def test_the_hint_looks_as_drawn(size, what):
    app = Host(session("rikiki", 11), thinker=Said())
    async with app.run_test(size=size) as pilot:
        while (await choosing(pilot, app, cards=what == "card")).view.round < 5:
            app.table.keys.action_commit()
        await hinted(pilot, app)
        golden_files.check(f"rikiki_hint_{what}_{size[0]}x{size[1]}.txt", screen_text(app))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("key", ["ten_down", "rifki", "gurka"])
async def test_the_trick_that_the_hint_hides_is_told_by_chips(key, size):
    app = Host(session(key, 11, seats=GAMES[key].about.seats[-1]), thinker=Said())
    async with app.run_test(size=size) as pilot:
        while len((await choosing(pilot, app)).view.trick) < len(app.view.totals) - 2:
            app.table.keys.action_commit()
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
        lines = [AdviceLine(None, "", -1.0 * i, False, share, ()) for i, share in enumerate(shares)]
        return Advice("", tuple(lines), "you make your bid", Measure(lasting=lasting))

    assert advice(0.3, 0.5).order == "Sorted by points, not by how often"
    assert advice(0.5, 0.3).order == advice(0.31, 0.33).order == ""
    assert advice(0.3, 0.5, lasting=True).order == "", "shares are not shown there"


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
        assert "≈ may do as well" in screen_text(app)
        assert ("Sorted by points" in screen_text(app)) == (size == (120, 40))


@pytest.mark.parametrize("size", [*SIZES, (200, 60)])
def test_all_that_lies_left_of_the_panel_is_darkened(size):
    canvas, grid = Canvas(*size, LOOK), layout(*size)
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
    """What the person does from now on."""
    done, act = [], app.table._cursor._act
    app.table._cursor._act = lambda action: (done.append(action), act(action))
    return done


def cover(app):
    return app.table._view.cover


@pytest.mark.parametrize("cards", [False, True], ids=["bid", "card"])
async def test_enter_does_what_is_advised_and_the_hint_is_gone_with_it(cards):
    app = Host(session("rikiki", 11), thinker=Said())
    async with app.run_test(size=(80, 24)) as pilot:
        await choosing(pilot, app, cards)
        wanted, view, done = app.table.frame.view.legal[-1], app.table.frame.view, acts(app)
        await hinted(pilot, app)
        assert isinstance(cover(app), overlays.Hint)
        await pilot.press("enter")
        await until(pilot, lambda: app.view is not view)
        assert done == [wanted]
        assert cover(app) is None
        assert app.table.frame.advice is None


async def test_combinations_are_chosen_whole():
    app = Host(session("rummy", 3, seats=2), thinker=Said())
    async with app.run_test(size=(80, 24)) as pilot:
        await choosing(pilot, app, cards=False)
        while not any(action.uses().bit_count() > 2 for action in app.table.frame.view.legal):
            app.table.keys.action_commit()
            await asked(pilot, app)
        meld = next(action for action in app.table.frame.view.legal if action.uses().bit_count() > 2)
        app.table._cursor.point_at(meld)
        assert app.table.frame.entered == meld
        for action in app.table.frame.view.legal:
            app.table._cursor.point_at(action)
            assert app.table.frame.entered == action


async def test_other_keys_play_on_below_the_hint_and_its_own_put_it_away():
    app = Host(session("rikiki", 11), thinker=Said())
    async with app.run_test(size=(80, 24)) as pilot:
        await choosing(pilot, app)
        for key in ("h", "escape"):
            await hinted(pilot, app)
            at = app.table.frame.hand.at
            await pilot.press("left")
            assert app.table.frame.hand.at != at
            assert isinstance(cover(app), overlays.Hint)
            await pilot.press(key)
            assert cover(app) is None
            assert not app.told, "the table is not left"
        assert len(app.table.driver._thinker.questions) == 1, "what was said stands"


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
        spot = next(spot for spot in app.table._view.canvas.spots if spot.target == PointCard(app.table.frame.hand.at))
        await pilot.click(offset=(spot.x, spot.y), times=2)
        await until(pilot, lambda: app.view is not view)


async def test_while_it_thinks_one_can_play_and_what_comes_too_late_is_not_shown():
    thinker = Said()
    thinker.may.clear()
    app = Host(session("rikiki", 11), thinker=thinker)
    async with app.run_test(size=(80, 24)) as pilot:
        await choosing(pilot, app)
        view = app.view
        await pilot.press("h")
        await pilot.pause()
        assert "The expert thinks it over" in screen_text(app)
        assert "do it" not in screen_text(app), "Enter does what the person points at"
        await pilot.press("enter")
        await until(pilot, lambda: app.view is not view)
        await asked(pilot, app)
        thinker.may.set()
        await pilot.pause()
        assert app.table.frame.advice is None
        assert cover(app) is None


async def test_a_hint_that_is_wanted_while_it_thinks_of_an_earlier_place_comes_in_its_turn():
    thinker = Said()
    thinker.may.clear()
    app = Host(session("rikiki", 11), thinker=thinker)
    async with app.run_test(size=(80, 24)) as pilot:
        await choosing(pilot, app)
        view = app.table.frame.view
        await pilot.press("h")
        await pilot.pause()
        await pilot.press("enter")
        await until(pilot, lambda: app.table.frame.view is not view)
        await choosing(pilot, app)
        await pilot.press("h")
        await pilot.pause()
        assert "The expert thinks it over" in screen_text(app)
        thinker.may.set()
        await until(pilot, lambda: app.table.frame.advice)
        assert thinker.questions[-1].view is app.table.frame.view


async def test_advice_leaves_a_cursor_alone_that_was_moved_meanwhile():
    thinker = Said()
    app = Host(session("rikiki", 11), thinker=thinker)
    async with app.run_test(size=(80, 24)) as pilot:
        await choosing(pilot, app)
        thinker.may.clear()
        await pilot.press("h")
        await pilot.pause()
        before = app.table.frame.entered
        await pilot.press("left")
        moved = app.table.frame.entered
        assert moved not in (before, app.table.frame.view.legal[-1])
        thinker.may.set()
        await until(pilot, lambda: app.table.frame.advice)
        assert app.table.frame.entered == moved


async def test_asked_again_it_points_at_what_is_advised():
    thinker = Said()
    app = Host(session("rikiki", 11), thinker=thinker)
    async with app.run_test(size=(80, 24)) as pilot:
        await choosing(pilot, app)
        await hinted(pilot, app)
        await pilot.press("left", "h")
        assert app.table.frame.entered != app.table.frame.view.legal[-1]
        await pilot.press("h")
        assert app.table.frame.entered == app.table.frame.view.legal[-1]
        assert len(thinker.questions) == 1


async def test_what_enter_does_is_on_the_list_however_small_the_window():
    app = Host(session("king", 3), thinker=Said(lasting=True))
    async with app.run_test(size=(60, 18)) as pilot:
        await choosing(pilot, app, cards=False)
        await hinted(pilot, app)
        last = app.table.frame.view.legal[0]
        assert name(last) not in screen_text(app)
        app.table._cursor.point_at(last)
        app.table._show()
        await pilot.pause()
        assert f"▌  {name(last)} " in screen_text(app)


async def test_there_is_none_when_others_are_to_act_or_nobody():
    app = Host(session("rikiki", 11), thinker=Said())
    async with app.run_test(size=(80, 24)) as pilot:
        await choosing(pilot, app)
        app.table._cursor.waiting = False
        await pilot.press("h")
        assert "It is not your turn" in screen_text(app)
        await pilot.press("h")
        app.table._cursor.waiting = True
        while app.table.frame.stage is not Stage.ROUND_END:
            app.table.keys.action_commit()
            await asked(pilot, app)
        await pilot.press("h")
        assert cover(app) is None, "there is nothing to choose"
        assert not app.table.driver._thinker.questions


async def test_no_hint_lies_over_a_curtain_or_goes_to_the_next_person():
    app = Host(session("rikiki", 11, people=2), thinker=Said())
    async with app.run_test(size=(80, 24)) as pilot:
        await asked(pilot, app)
        text = screen_text(app)
        await pilot.press("h")
        assert screen_text(app) == text
        assert not app.table.driver._thinker.questions
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
