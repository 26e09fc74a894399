"""Table screen of King: golden screens; naming contracts, offers and answers by keys and mouse."""

import re
from pathlib import Path

import pytest

from cardtable.engine import journal
from cardtable.engine.journal import Header, Occupant
from cardtable.engine.referee import Referee
from cardtable.games import GAMES
from cardtable.games.king.plain_text import PLAIN_TEXT
from cardtable.games.king.table_view import TABLE_VIEW
from cardtable.robots.kit.robot import decide, make_robot
from cardtable.session.session_events import Stage
from cardtable.store import sessions
from cardtable.ui.game_view.hand_cursor import PointCard, PointOption
from tests import golden_files
from tests.games.king.test_rules import play_collected_round, start_session
from tests.ui.screen_text import screen_text
from tests.ui.table_host import TableApp, open_table, wait_until
from tests.ui.test_table_screen import LARGE, SMALL, TINY, wait_for_input

KING_FALLS = Path(__file__).parents[3] / "cardtable" / "saves" / "king-of-hearts.jsonl"
"""Saved session: in the second trick of No King the king of hearts must be thrown on a king of diamonds."""


def open_session_until(home, level, condition):
    """Open a session that robots have played up to the first view of seat 0, on turn, for which `condition` is true."""
    game, lines = GAMES["king"], []
    table, robot = Referee(game, 4, game.options(), 3, lines.append), make_robot(level, "king")
    table.advance()
    while table.turn or not condition(table.view(0)):
        if table.turn < 0:
            table.advance()
        else:
            table.play(table.turn, decide(robot, table.view(table.turn), table.seed, table.decisions))
    seats = (Occupant("Anna"), *[Occupant(name, level) for name in ("Ada", "Bo", "Cy")])
    header = Header(
        cardtable=3, id="20261120-083728-king-1f2e", game="king", created="2026-11-20T08:37:28Z", seed=3,
        options=game.options().to_dict(), seats=seats,
    )  # fmt: skip
    home.mkdir(exist_ok=True)
    path = home / "gone-on.jsonl"
    path.write_bytes(journal.encode(header, lines))
    return TableApp(sessions.fork(path))


def open_naming(home, round_=1):
    """Open a session in which the player names the contract."""
    return open_session_until(home, "steady", lambda view: view.contract is None and view.round == round_)


def open_answering(home):
    """Open a session in which the player answers an offer."""
    return open_session_until(home, "random", lambda view: view.unclaimed > 2)


def open_claiming(home):
    """Open a session in which the player may claim."""
    return open_session_until(home, "random", lambda view: view.complete > 3 and view.points_left)


def open_neg_jar(home):
    """Open a session late in a round of Neg Jar."""
    return open_session_until(home, "random", lambda v: v.contract and v.contract.text == "neg-jar" and v.complete > 6)


def format_size(size):
    return f"{size[0]}x{size[1]}.txt"


def get_option_label(app):
    """Return the label of the option under the cursor."""
    return app.table.frame.decision.options[app.table.frame.option].label


@pytest.mark.parametrize("size", [SMALL, LARGE, TINY])
async def test_golden_naming(home, size):
    app = open_naming(home, round_=13)
    async with open_table(app, size) as pilot:
        await pilot.press("down")
        golden_files.check_golden(f"king_contract_{format_size(size)}", screen_text(app))


def test_short_session_shows_remaining_contracts():
    game = start_session(length="short")
    for text in ("no-king", "no-jacks", "poz-jar", "no-queens"):
        play_collected_round(game, text)
        for _ in range(3):
            play_collected_round(game)
    view, names = game.deal(number=9).view(0), ("You", "Ada", "Bo", "Cy")
    assert TABLE_VIEW.header(view).round == "round 17 of 20"
    decision = TABLE_VIEW.decision(view, names)
    assert [group.marks[0] for group in decision.groups] == ["0", "0", "1"]
    options = {option.label: (option.marks[:1], option.note) for option in decision.options}
    assert options["No King"] == (("·",), "You have already played it")
    assert options["No Tricks"] == (("·",), "You have already played all 3 of yours")
    assert options["Neg Jar"] == (("·",), "You have already played one of them")
    assert options["miser"] == ((), "")
    left = {row.label: row.values[0] for row in TABLE_VIEW.contracts_left(view)}
    assert (left["No Tricks"], left["Negative"], left["Jar"], left["Positive"]) == ("·", "···", "·", "●")
    assert next(PLAIN_TEXT.contracts_left(view)) == "1 positive"
    begun = start_session(length="short").deal(number=9).view(0)
    assert next(PLAIN_TEXT.contracts_left(begun)) == (
        "3 of No Tricks / No Hearts / No Queens / No Jacks / No Last Two / No King, 1 of Neg Jar / Poz Jar, 1 positive"
    )


async def test_last_contract_left_is_named_and_led(home):
    app = open_session_until(home, "novice", lambda view: view.contract is None and len(view.legal) == 1)
    async with open_table(app, SMALL) as pilot:
        await pilot.press("enter")
        await wait_until(pilot, lambda: app.view.contract and app.table.frame.waiting)
        assert "You lead." in screen_text(app)
        assert app.table.frame.decision is None
        await pilot.press("tab", "enter")
        await wait_until(pilot, lambda: app.view.first is not None)


@pytest.mark.parametrize("size", [SMALL, LARGE, TINY])
async def test_golden_forced_king_of_hearts(size):
    app = TableApp(sessions.fork(KING_FALLS))
    async with open_table(app, size):
        golden_files.check_golden(f"king_play_{format_size(size)}", screen_text(app))


@pytest.mark.parametrize("size", [SMALL, LARGE, TINY])
async def test_golden_answer_to_offer(home, size):
    app = open_answering(home)
    async with open_table(app, size):
        golden_files.check_golden(f"king_answer_{format_size(size)}", screen_text(app))


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_golden_cards_taken_in_jar(home, size):
    app = open_neg_jar(home)
    async with open_table(app, size):
        golden_files.check_golden(f"king_jar_{format_size(size)}", screen_text(app))


async def test_golden_round_end_and_score_sheet():
    app = TableApp(sessions.fork(KING_FALLS))
    async with open_table(app, SMALL) as pilot:
        await pilot.press("enter")
        await wait_for_input(pilot, app)
        assert app.table.frame.stage is Stage.ROUND_END, "no points are left, so the round is over"
        golden_files.check_golden(f"king_round_end_{format_size(SMALL)}", screen_text(app))
        await pilot.press("s")
        golden_files.check_golden(f"king_sheet_{format_size(SMALL)}", screen_text(app))


@pytest.mark.parametrize("size", [SMALL, LARGE, TINY])
async def test_golden_score_sheet_and_contracts_left(home, size):
    app = open_naming(home, round_=13)
    async with open_table(app, size) as pilot:
        await pilot.press("s")
        golden_files.check_golden(f"king_sheet_naming_{format_size(size)}", screen_text(app))
        if size == LARGE:
            return
        rounds = screen_text(app)
        await pilot.press("tab")
        golden_files.check_golden(f"king_contracts_left_{format_size(size)}", screen_text(app))
        await pilot.press("tab")
        assert screen_text(app) == rounds
        await pilot.press("tab", "s", "s")
        assert screen_text(app) == rounds, "the sheet opens with the rounds"


async def test_played_contract_is_marked_as_used(home):
    app = open_naming(home)
    async with open_table(app, SMALL) as pilot:
        await pilot.press("enter", "enter")
        await wait_for_input(pilot, app)
        await pilot.press("s", "tab")
        assert re.search(r"No Tricks +· +● +● +●\n", screen_text(app))


async def test_contract_can_be_changed_before_first_lead(home):
    app = open_naming(home)
    async with open_table(app, SMALL) as pilot:
        await pilot.press("down", "down", "enter")
        await wait_for_input(pilot, app)
        assert app.view.contract.text == "no-queens"
        assert not app.table.frame.in_box, "the cursor is on the cards"
        assert "You lead.  No Queens; Tab changes it" in screen_text(app)
        await pilot.press("tab")
        assert get_option_label(app) == "No Queens", "the box opens at the current contract"
        assert "Another contract?  Now it is No Queens" in screen_text(app)
        await pilot.press("enter")
        assert "Current contract." in screen_text(app)
        await pilot.press("down", "enter")
        await wait_for_input(pilot, app)
        assert app.view.contract.text == "no-jacks"
        await pilot.press("enter")
        await wait_for_input(pilot, app)
        assert app.view.first is not None


async def test_positive_contracts_share_rows_with_explanations(home):
    app = open_naming(home)
    async with open_table(app, SMALL) as pilot:
        await pilot.press(*["down"] * 8, "right")
        assert get_option_label(app) == "♦ diamonds"
        assert "Diamonds are trump." in screen_text(app)
        await pilot.press("down", "down")
        assert "The 6 is the" in screen_text(app)
        await pilot.press("enter")
        await wait_for_input(pilot, app)
        assert app.view.contract.text == "miser"
        await pilot.press("s")
        assert "1 You  Miser" in screen_text(app)


async def test_hint_for_only_card_while_offer_is_possible():
    app = TableApp(sessions.fork(KING_FALLS))
    async with open_table(app, SMALL) as pilot:
        await pilot.press("h")
        await wait_until(pilot, lambda: "K♥: the only card you may play" in screen_text(app))


async def test_two_clicks_name_contract(home):
    app = open_naming(home)
    async with open_table(app, SMALL) as pilot:
        for _ in range(2):
            await pilot.click(offset=find_cell(app, PointOption(7)))
        await wait_for_input(pilot, app)
        assert app.view.contract.text == "poz-jar"


def find_cell(app, target):
    """Return the first cell of the canvas that hits the target."""
    canvas = app.table.query_one("#table").canvas
    return next((x, y) for y in range(24) for x in range(80) if canvas.hit_test(x, y) == target)


async def test_round_with_mouse(home):
    app = open_naming(home)
    async with open_table(app, SMALL) as pilot:
        while app.table.frame.stage is Stage.PLAY:
            able = [card for card in app.table.frame.hand.cards if app.table.frame.hand.can_select(card)]
            await pilot.click(offset=find_cell(app, PointCard(able[-1]) if able else PointOption(8)))
            await wait_for_input(pilot, app)
        assert app.view.contract.text == "clubs"
        assert app.view.complete == 9


async def test_two_rounds_with_enter_key(home):
    app = open_naming(home)
    async with app.run_test(size=SMALL) as pilot:
        while app.view.finished < 2:
            await wait_for_input(pilot, app)
            await pilot.press("enter")
        assert [str(score.title) for score in app.table.frame.scores][:1] == ["No Tricks"]


async def press_enter_when_accepted(pilot, app):
    """Press Enter once the input guard accepts keys."""
    await wait_until(pilot, lambda: app.table.guard.accepts(app.table.guard.compute_time(0)))
    await pilot.press("enter")


async def test_offer_is_typed_after_tab_from_cards():
    app = TableApp(sessions.fork(KING_FALLS))
    async with open_table(app, SMALL) as pilot:
        assert not app.table.frame.in_box
        await pilot.press("tab", "3", "0", "right")
        assert "I take ◂ −31 ×4 ▸" in screen_text(app)
        assert "to share −5 ×4, or" in screen_text(app)
        await pilot.press(*["right"] * 5)
        assert "That is all of it" in screen_text(app)
        await pilot.press("enter")
        assert "Take all −36 ×4?" in screen_text(app)
        await press_enter_when_accepted(pilot, app)
        await wait_for_input(pilot, app)
        assert app.table.frame.stage is Stage.ROUND_END
        assert app.view.points == (0, 0, -36, 0)


async def test_forced_king_of_hearts_refuses_other_cards():
    app = TableApp(sessions.fork(KING_FALLS))
    async with open_table(app, SMALL) as pilot:
        await pilot.press("shift+right", "enter")
        assert "K♥ must go: play it now" in screen_text(app)
        await pilot.press("k", "enter")
        await wait_for_input(pilot, app)
        assert app.view.points == (0, -36, 0, 0)


async def test_offer_is_answered_with_arrows_and_enter(home):
    app = open_answering(home)
    async with open_table(app, SMALL) as pilot:
        place, number = len(app.view.bargains[-1].claims), len(app.view.bargains) - 1
        await pilot.press("right", "right")
        assert get_option_label(app) == "−2 ×4"
        await pilot.press("enter")
        await wait_for_input(pilot, app)
        assert app.view.bargains[number].claims[place] == 2


async def test_claim_asks_for_confirmation(home):
    app = open_claiming(home)
    async with open_table(app, SMALL) as pilot:
        left, points = app.view.points_left, app.view.points[0]
        await pilot.press("tab")
        assert f"\N{MINUS SIGN}{left} ×4" in screen_text(app)
        assert "You take all that" in screen_text(app)
        await pilot.press("enter")
        assert f"Take all −{left} ×4?" in screen_text(app)
        assert screen_text(app).split("\n")[-2].startswith(" Enter claim   Esc back")
        assert (app.view.points_left, app.view.points[0]) == (left, points), "it is asked first"
        await pilot.press("escape")
        assert not app.requests, "Esc goes one step back"
        assert "Take all" not in screen_text(app)
        await press_enter_when_accepted(pilot, app)
        await press_enter_when_accepted(pilot, app)
        await wait_for_input(pilot, app)
        assert app.table.frame.stage is Stage.ROUND_END
        assert app.view.points[0] == points - left


async def test_moving_cancels_confirmation_of_claim(home):
    app = open_claiming(home)
    async with open_table(app, SMALL) as pilot:
        left = app.view.points_left
        await pilot.press("tab", "enter", "tab", "tab", "enter")
        assert app.view.points_left == left
        assert app.table.frame.needs_confirmation


async def test_advice_that_arrives_cancels_confirmation_of_claim(home):
    app = open_claiming(home)
    async with open_table(app, SMALL) as pilot:
        await pilot.press("tab", "enter")
        claim = app.table.frame.decision.actions[app.table.frame.option]
        app.table.cursor.point_at(claim)
        assert not app.table.cursor.confirm(), "the question is asked again"
        assert app.table.cursor.confirm() == claim


async def test_digits_in_decision_box_select_no_card():
    app = TableApp(sessions.fork(KING_FALLS))
    async with open_table(app, SMALL) as pilot:
        await pilot.press("tab", "0")
        assert app.table.frame.in_box
        assert "You can't choose 0 – only 1 to 36" in screen_text(app)


async def test_cards_taken_remain_while_robot_thinks(home):
    app = open_neg_jar(home)
    async with open_table(app, LARGE):
        top_seat = screen_text(app).split("\n")[4][60:88]
        assert "Q♠" in top_seat
        app.table.view_model.show(thinking_robot=2)
        assert "thinking" in screen_text(app)
        assert screen_text(app).split("\n")[4][60:88] == top_seat
