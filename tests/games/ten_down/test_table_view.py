"""Table screen of Ten Down: golden screens, identical cards under cursor and mouse."""

import re
from pathlib import Path

import pytest

from cardtable.engine.cards import BIT, NAME, card, cards, names
from cardtable.games import GAMES
from cardtable.session.session_events import Stage
from cardtable.store import profiles, sessions
from cardtable.store.session_setup import create_default_setup
from cardtable.ui.game_view import trick_game
from cardtable.ui.table.paint.table_widget import paint_table
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import compute_layout
from tests import golden_files
from tests.games.ten_down.test_rules import begin_round, start_session
from tests.ui.canvas_rendering import APPEARANCE, get_rows, make_view_frame
from tests.ui.screen_text import screen_text
from tests.ui.table_host import TableApp, create_session, open_table
from tests.ui.test_table_screen import LARGE, SMALL, TINY, is_bidding, is_following, play_until, wait_for_input

TWO_ACES = Path(__file__).parents[3] / "cardtable" / "saves" / "ten_down-two-aces.jsonl"
"""Saved session: Bo leads 8S, Cy and Ada have each played an ace of spades.

The player holds two nines of clubs and no spade.
"""


def format_size(size):
    return f"{size[0]}x{size[1]}.txt"


@pytest.mark.parametrize("size", [SMALL, LARGE, TINY])
async def test_golden_identical_cards(size):
    app = TableApp(sessions.fork(TWO_ACES))
    async with open_table(app, size):
        golden_files.check_golden(f"ten_down_two_aces_{format_size(size)}", screen_text(app))


@pytest.mark.parametrize("size", [SMALL, LARGE, TINY])
async def test_golden_bidding(size):
    app = TableApp(create_session("ten_down", 11, room=500))
    async with app.run_test(size=size) as pilot:
        await play_until(pilot, app, lambda frame: is_bidding(frame) and frame.view.round == 3)
        golden_files.check_golden(f"ten_down_bid_{format_size(size)}", screen_text(app))


@pytest.mark.parametrize(("seats", "size"), [(2, SMALL), (3, SMALL), (2, LARGE)])
async def test_golden_two_and_three_seats(seats, size):
    app = TableApp(create_session("ten_down", 3, seats=seats))
    async with app.run_test(size=size) as pilot:
        await play_until(pilot, app, lambda frame: is_following(frame) and frame.view.round == 2)
        golden_files.check_golden(f"ten_down_{seats}_seats_{format_size(size)}", screen_text(app))


async def test_golden_round_end_and_score_sheet():
    app = TableApp(create_session("ten_down", 11, room=5))
    async with app.run_test(size=SMALL) as pilot:
        await play_until(pilot, app, lambda frame: frame.stage is Stage.ROUND_END and frame.view.round == 3)
        golden_files.check_golden(f"ten_down_round_end_{format_size(SMALL)}", screen_text(app))
        await pilot.press("s")
        golden_files.check_golden(f"ten_down_sheet_{format_size(SMALL)}", screen_text(app))


async def test_session_end_shows_pot_and_credits():
    profiles.register("Anna")
    game = GAMES["ten_down"]
    table = create_default_setup(game, "Anna")._replace(options=game.options(room=5), seed=11, random_seating=False)
    app = TableApp(table.begin())
    async with app.run_test(size=SMALL) as pilot:
        await play_until(pilot, app, lambda frame: frame.stage is Stage.SESSION_END)
        winner = app.table.frame.names[app.table.frame.ranks.index(1)]
        mine = "You win 15 credits, and have 1015 now." if winner == "You" else "You lose 5 credits, and now have 995."
        for size in (TINY, SMALL, LARGE):
            text = " ".join(
                [
                    row[: compute_layout(*size).wide_mat.right].strip()
                    for row in str(app.table.view.paint(*size)).split("\n")
                ]
            )
            assert f"{winner} take{'s' * (winner != 'You')} the pot of 20 credits. {mine}" in " ".join(text.split())
            assert "Not rated: the deal was chosen by number or played again." in " ".join(text.split())
            assert all(name in text for name in app.table.frame.names), "the table of places names all players"


@pytest.mark.parametrize("size", [SMALL, TINY])
async def test_golden_session_end_with_multiplied_totals(size):
    app = TableApp(create_session("ten_down", 11, room=5))
    async with app.run_test(size=size) as pilot:
        await play_until(pilot, app, lambda frame: frame.stage is Stage.SESSION_END)
        golden_files.check_golden(f"ten_down_session_end_{format_size(size)}", screen_text(app))
        assert f"with {4 * max(app.view.totals)}" in screen_text(app)


@pytest.mark.parametrize(
    ("identical", "led", "words"),
    [
        ("first", "play 8S", ["first wins", "second"]),
        ("last", "play 8S", ["first", "second wins"]),
        ("first", "play KH", ["first", "second"]),
    ],
)
def test_identical_cards_in_trick_are_labelled(identical, led, words):
    game = begin_round(start_session(identical=identical), "8S KH", "AS 7C", "AS 7C", trump="H", bids="0 0 0 0")
    game.do(f"{led}, play {'AS' if led == 'play 8S' else '7C'}, play {'AS' if led == 'play 8S' else '7C'}")
    canvas = Canvas(80, 24, APPEARANCE)
    paint_table(canvas, make_view_frame(game.game, game.view(3)))
    assert re.findall(r"first wins|second wins|first|second", "\n".join(row[:57] for row in get_rows(canvas))) == words


def test_own_copy_stays_in_hand_when_other_is_played():
    game = begin_round(start_session(after=4, room=50), "KS AS 7D", "7S", "8S", "AS", trump="H", bids="0 0 0 0")
    before = game.do("play KS, play 7S, play 8S").view(0)
    [event] = [action for action in game.view(3).legal if str(action) == "play AS"]
    [full] = trick_game.list_intermediate_views(event, before, game.do("play AS").view(0))
    assert full.hand == cards("AS 7D")
    assert names(full.trick) == "KS 7S 8S AS"


async def test_cursor_treats_identical_cards_as_one():
    app = TableApp(sessions.fork(TWO_ACES))
    async with open_table(app, SMALL) as pilot:
        met = []
        for _ in range(3):
            met.append(NAME[app.table.frame.hand.at])
            await pilot.press("right")
        assert met == ["8D", "KC", "9C"]
        await pilot.press("9")
        assert "Your two 9♣ are identical" in screen_text(app)


async def test_click_on_either_identical_card_selects_it():
    app = TableApp(sessions.fork(TWO_ACES))
    async with open_table(app, SMALL) as pilot:
        cursor, nine = app.table.cursor, card("9C")
        fan = screen_text(app).split("\n")[18].index("▏9 ▏9")
        for x in (fan + 1, fan + 5):
            cursor.go_to_card(cursor.hand.cards[0])
            await pilot.click(offset=(x, 19))
            assert cursor.hand.at == nine
        await pilot.click(offset=(fan + 1, 19))
        await wait_for_input(pilot, app)
        assert app.table.frame.view.played[app.table.frame.seat] == BIT[nine]
