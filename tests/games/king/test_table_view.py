"""King at the table: its own moments as drawn; naming, offering and answering by keys and mouse."""

import re
from pathlib import Path

import pytest

from cardtable.engine import journal
from cardtable.engine.journal import Header, Occupant
from cardtable.engine.referee import Referee
from cardtable.games import GAMES
from cardtable.robots.kit.robot import decide, make_robot
from cardtable.session.session_events import Stage
from cardtable.store import sessions
from cardtable.ui.game_view.hand_cursor import PointCard, PointOption
from tests import golden_files
from tests.ui.screen_text import screen_text
from tests.ui.table_host import TableApp, wait_until
from tests.ui.test_table_screen import LARGE, SMALL, TINY, home, wait_for_input

__all__ = ["home"]
KING_FALLS = Path(__file__).parents[3] / "saves" / "king-of-hearts.jsonl"
"""In the second trick of No King the king of hearts has to be thrown on a king of diamonds."""


def gone_on(home, level, holds):
    """A session that robots have played, the person's seat included, until it is that seat's turn and it sees this."""
    game, lines = GAMES["king"], []
    table, robot = Referee(game, 4, game.options(), 3, lines.append), make_robot(level, "king")
    table.advance()
    while table.turn or not holds(table.view(0)):
        if table.turn < 0:
            table.advance()
        else:
            table.play(table.turn, decide(robot, table.view(table.turn), table.seed, table.decisions))
    seats = (Occupant("Anna"), *[Occupant(name, level) for name in ("Ada", "Bo", "Cy")])
    header = Header(
        cardtable=1, id="20261120-083728-king-1f2e", game="king", created="2026-11-20T08:37:28Z", seed=3,
        options=game.options().to_dict(), seats=seats,
    )  # fmt: skip
    path = home / "gone-on.jsonl"
    path.write_bytes(journal.encode([header, *lines]))
    return TableApp(sessions.fork(path))


def naming(home, round_=1):
    """The person is to name the contract."""
    return gone_on(home, "steady", lambda view: view.contract is None and view.round == round_)


def answering(home):
    """The person is to answer an offer."""
    return gone_on(home, "random", lambda view: view.unclaimed > 2)


def claiming(home):
    """The person may claim."""
    return gone_on(home, "random", lambda view: view.complete > 3 and view.points_left)


def neg_jar(home):
    """Much has been taken in Neg Jar."""
    return gone_on(home, "random", lambda v: v.contract and v.contract.text == "neg-jar" and v.complete > 6)


def name(size):
    return f"{size[0]}x{size[1]}.txt"


def label(app):
    """The option under the cursor."""
    return app.table.frame.decision.options[app.table.frame.option].label


@pytest.mark.promise("The table", "King and Rifki show which contracts are left, and for whom.")
@pytest.mark.parametrize("size", [SMALL, LARGE, TINY])
async def test_naming_the_contract_looks_as_drawn(home, size):
    app = naming(home, round_=13)
    async with app.run_test(size=size) as pilot:
        await wait_for_input(pilot, app)
        await pilot.press("down")
        golden_files.check_golden(f"king_contract_{name(size)}", screen_text(app))


async def test_the_last_contract_is_named_and_led_and_no_other_is_offered(home):
    app = gone_on(home, "novice", lambda view: view.contract is None and len(view.legal) == 1)
    async with app.run_test(size=SMALL) as pilot:
        await wait_for_input(pilot, app)
        await pilot.press("enter")
        await wait_until(pilot, lambda: app.view.contract and app.table.frame.waiting)
        assert "You lead." in screen_text(app)
        assert app.table.frame.decision is None
        await pilot.press("tab", "enter")
        await wait_until(pilot, lambda: app.view.first is not None)


@pytest.mark.promise(
    "The table",
    "All games share one table screen: board, side panel, messages, header, and a footer with the available keys.",
)
@pytest.mark.parametrize("size", [SMALL, LARGE, TINY])
async def test_kh_that_must_fall_looks_as_drawn(size):
    app = TableApp(sessions.fork(KING_FALLS))
    async with app.run_test(size=size) as pilot:
        await wait_for_input(pilot, app)
        golden_files.check_golden(f"king_play_{name(size)}", screen_text(app))


@pytest.mark.parametrize("size", [SMALL, LARGE, TINY])
async def test_answering_an_offer_looks_as_drawn(home, size):
    app = answering(home)
    async with app.run_test(size=size) as pilot:
        await wait_for_input(pilot, app)
        golden_files.check_golden(f"king_answer_{name(size)}", screen_text(app))


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_cards_taken_in_a_jar_look_as_drawn(home, size):
    app = neg_jar(home)
    async with app.run_test(size=size) as pilot:
        await wait_for_input(pilot, app)
        golden_files.check_golden(f"king_jar_{name(size)}", screen_text(app))


async def test_round_end_and_score_sheet_look_as_drawn():
    app = TableApp(sessions.fork(KING_FALLS))
    async with app.run_test(size=SMALL) as pilot:
        await wait_for_input(pilot, app)
        await pilot.press("enter")
        await wait_for_input(pilot, app)
        assert app.table.frame.stage is Stage.ROUND_END, "nothing is left to score"
        golden_files.check_golden(f"king_round_end_{name(SMALL)}", screen_text(app))
        await pilot.press("s")
        golden_files.check_golden(f"king_sheet_{name(SMALL)}", screen_text(app))


@pytest.mark.promise("The table", "`s` shows the score sheet with every round, running totals and marked bonuses.")
@pytest.mark.parametrize("size", [SMALL, LARGE, TINY])
async def test_the_score_sheet_tells_who_dealt_and_the_contracts_that_are_left(home, size):
    app = naming(home, round_=13)
    async with app.run_test(size=size) as pilot:
        await wait_for_input(pilot, app)
        await pilot.press("s")
        golden_files.check_golden(f"king_sheet_naming_{name(size)}", screen_text(app))
        if size == LARGE:
            return
        rounds = screen_text(app)
        await pilot.press("tab")
        golden_files.check_golden(f"king_contracts_left_{name(size)}", screen_text(app))
        await pilot.press("tab")
        assert screen_text(app) == rounds
        await pilot.press("tab", "s", "s")
        assert screen_text(app) == rounds, "it is opened with the rounds"


async def test_a_contract_that_was_led_is_not_left(home):
    app = naming(home)
    async with app.run_test(size=SMALL) as pilot:
        await wait_for_input(pilot, app)
        await pilot.press("enter", "enter")
        await wait_for_input(pilot, app)
        await pilot.press("s", "tab")
        assert re.search(r"No Tricks +· +● +● +●\n", screen_text(app))


async def test_a_contract_is_named_and_changed_until_the_first_lead(home):
    app = naming(home)
    async with app.run_test(size=SMALL) as pilot:
        await wait_for_input(pilot, app)
        await pilot.press("down", "down", "enter")
        await wait_for_input(pilot, app)
        assert app.view.contract.text == "no-queens"
        assert not app.table.frame.in_box, "it is for the cards now"
        assert "You lead.  No Queens; Tab changes it" in screen_text(app)
        await pilot.press("tab")
        assert label(app) == "No Queens", "the box begins on the contract that stands"
        assert "Another contract?  No Queens stands" in screen_text(app)
        await pilot.press("enter")
        assert "this one stands: lead" in screen_text(app)
        await pilot.press("down", "enter")
        await wait_for_input(pilot, app)
        assert app.view.contract.text == "no-jacks"
        await pilot.press("enter")
        await wait_for_input(pilot, app)
        assert app.view.first is not None


async def test_positive_contracts_stand_side_by_side_and_are_explained(home):
    app = naming(home)
    async with app.run_test(size=SMALL) as pilot:
        await wait_for_input(pilot, app)
        await pilot.press(*["down"] * 8, "right")
        assert label(app) == "♦ diamonds"
        assert "Diamonds are trump." in screen_text(app)
        await pilot.press("down", "down")
        assert "The 6 is the" in screen_text(app)
        await pilot.press("enter")
        await wait_for_input(pilot, app)
        assert app.view.contract.text == "miser"
        await pilot.press("s")
        assert "1 You  Miser" in screen_text(app)


async def test_the_hint_for_the_only_card_says_so_while_an_offer_may_be_made(home):
    app = TableApp(sessions.fork(KING_FALLS))
    async with app.run_test(size=SMALL) as pilot:
        await wait_for_input(pilot, app)
        await pilot.press("h")
        await wait_until(pilot, lambda: "K♥: the only card you may play" in screen_text(app))


async def test_a_contract_is_named_by_two_clicks(home):
    app = naming(home)
    async with app.run_test(size=SMALL) as pilot:
        await wait_for_input(pilot, app)
        for _ in range(2):
            await pilot.click(offset=place_of(app, PointOption(7)))
        await wait_for_input(pilot, app)
        assert app.view.contract.text == "poz-jar"


def place_of(app, target):
    """A cell that stands for this to the mouse."""
    canvas = app.table.query_one("#table").canvas
    return next((x, y) for y in range(24) for x in range(80) if canvas.hit_test(x, y) == target)


async def test_a_round_is_played_with_the_mouse(home):
    app = naming(home)
    async with app.run_test(size=SMALL) as pilot:
        await wait_for_input(pilot, app)
        while app.table.frame.stage is Stage.PLAY:
            able = [card for card in app.table.frame.hand.cards if app.table.frame.hand.can_select(card)]
            await pilot.click(offset=place_of(app, PointCard(able[-1]) if able else PointOption(8)))
            await wait_for_input(pilot, app)
        assert app.view.contract.text == "clubs"
        assert app.view.complete == 9


async def test_two_rounds_are_played_with_the_enter_key(home):
    app = naming(home)
    async with app.run_test(size=SMALL) as pilot:
        while app.view.finished < 2:
            await wait_for_input(pilot, app)
            await pilot.press("enter")
        assert [str(score.title) for score in app.table.frame.scores][:1] == ["No Tricks"]


async def enter(pilot, app):
    """Press Enter when what is asked has been seen."""
    await wait_until(pilot, lambda: app.table.guard.accepts(app.table.guard.compute_time(0)))
    await pilot.press("enter")


@pytest.mark.promise("Keys and mouse", "Tab goes to the decision box and back; Space selects cards, Enter confirms.")
async def test_an_offer_is_typed_and_the_cards_come_first():
    app = TableApp(sessions.fork(KING_FALLS))
    async with app.run_test(size=SMALL) as pilot:
        await wait_for_input(pilot, app)
        assert not app.table.frame.in_box
        await pilot.press("tab", "3", "0", "right")
        assert "I collect ◂ −31 ×4 ▸" in screen_text(app)
        assert "−5 ×4 for the others," in screen_text(app)
        await pilot.press(*["right"] * 5)
        assert "all of it: the round" in screen_text(app)
        await pilot.press("enter")
        assert "Collect all −36 ×4?" in screen_text(app)
        await enter(pilot, app)
        await wait_for_input(pilot, app)
        assert app.table.frame.stage is Stage.ROUND_END
        assert app.view.points == (0, 0, -36, 0)


async def test_kh_falls_by_enter_and_of_another_card_it_is_said_why_not():
    app = TableApp(sessions.fork(KING_FALLS))
    async with app.run_test(size=SMALL) as pilot:
        await wait_for_input(pilot, app)
        await pilot.press("shift+right", "enter")
        assert "K♥ must fall: play it now" in screen_text(app)
        await pilot.press("k", "enter")
        await wait_for_input(pilot, app)
        assert app.view.points == (0, -36, 0, 0)


async def test_an_answer_is_given_with_arrows_and_enter(home):
    app = answering(home)
    async with app.run_test(size=SMALL) as pilot:
        await wait_for_input(pilot, app)
        place, number = len(app.view.bargains[-1].claims), len(app.view.bargains) - 1
        await pilot.press("right", "right")
        assert label(app) == "−2 ×4"
        await pilot.press("enter")
        await wait_for_input(pilot, app)
        assert app.view.bargains[number].claims[place] == 2


async def test_all_that_is_left_is_claimed(home):
    app = claiming(home)
    async with app.run_test(size=SMALL) as pilot:
        await wait_for_input(pilot, app)
        left, points = app.view.points_left, app.view.points[0]
        await pilot.press("tab")
        assert f"\N{MINUS SIGN}{left} ×4" in screen_text(app)
        assert "you collect all that" in screen_text(app)
        await pilot.press("enter")
        assert f"Collect all −{left} ×4?" in screen_text(app)
        assert screen_text(app).split("\n")[-2].startswith(" Enter claim   Esc back")
        assert (app.view.points_left, app.view.points[0]) == (left, points), "it is asked first"
        await pilot.press("escape")
        assert not app.requests, "Esc goes one step back"
        assert "Collect all" not in screen_text(app)
        await enter(pilot, app)
        await enter(pilot, app)
        await wait_for_input(pilot, app)
        assert app.table.frame.stage is Stage.ROUND_END
        assert app.view.points[0] == points - left


async def test_what_is_asked_before_all_is_claimed_is_taken_back_by_any_key_that_moves(home):
    app = claiming(home)
    async with app.run_test(size=SMALL) as pilot:
        await wait_for_input(pilot, app)
        left = app.view.points_left
        await pilot.press("tab", "enter", "tab", "tab", "enter")
        assert app.view.points_left == left
        assert app.table.frame.needs_confirmation


async def test_digits_choose_no_card_while_a_contract_or_an_offer_is_named():
    app = TableApp(sessions.fork(KING_FALLS))
    async with app.run_test(size=SMALL) as pilot:
        await wait_for_input(pilot, app)
        await pilot.press("tab", "0")
        assert app.table.frame.in_box
        assert "0 cannot be chosen: 1 to 36 can" in screen_text(app)


async def test_cards_taken_stay_by_a_seat_that_thinks(home):
    app = neg_jar(home)
    async with app.run_test(size=LARGE) as pilot:
        await wait_for_input(pilot, app)
        top_seat = screen_text(app).split("\n")[4][60:88]
        assert "Q♠" in top_seat
        app.table.controller.view_model.thinking_robot = 2
        app.table.show()
        assert "thinking" in screen_text(app)
        assert screen_text(app).split("\n")[4][60:88] == top_seat
