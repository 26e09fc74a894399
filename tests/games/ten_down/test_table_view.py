"""Table screen of Ten Down: golden screens, identical cards under cursor and mouse."""

import re

import pytest

from cardtable.engine.cards import NAME, card, cards, names
from cardtable.games import GAMES
from cardtable.games.ten_down.table_view import TABLE_VIEW
from cardtable.session.session_events import Stage
from cardtable.store import profiles
from cardtable.store.session_setup import create_default_setup
from cardtable.ui.game_view import trick_game
from cardtable.ui.game_view.hand_cursor import CursorState
from cardtable.ui.table.paint.table_widget import paint_table
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import compute_layout
from tests.games.moments import open_saved
from tests.games.ten_down.test_rules import begin_round, start_session
from tests.ui.canvas_rendering import APPEARANCE, get_rows, make_view_frame
from tests.ui.driver import SIZES, sit_at


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


@pytest.mark.parametrize("identical", ["first", "last"])
def test_prompt_says_which_copy_is_higher(identical):
    game = begin_round(start_session(identical=identical), "8S KH", "AS 7C", "AS 7C", trump="H", bids="0 0 0 0")
    view = game.do("play 8S, play AS").view(2)
    assert TABLE_VIEW.prompt(view, CursorState(at=card("AS")))[1] == f"The {identical} AS is higher"


def test_own_copy_stays_in_hand_when_other_is_played():
    game = begin_round(start_session(after=4, room=50), "KS AS 7D", "7S", "8S", "AS", trump="H", bids="0 0 0 0")
    before = game.do("play KS, play 7S, play 8S").view(0)
    [event] = [action for action in game.view(3).legal if str(action) == "play AS"]
    [full] = trick_game.list_intermediate_views(event, before, game.do("play AS").view(0))
    assert full.hand == cards("AS 7D")
    assert names(full.trick) == "KS 7S 8S AS"


async def test_session_end_shows_pot_and_credits():
    profiles.register("Anna")
    game = GAMES["ten_down"]
    setup = create_default_setup(game, "Anna")._replace(options=game.options(room=5), seed=11, random_seating=False)
    async with sit_at(setup.begin()) as table:
        await table.play_until(lambda frame: frame.stage is Stage.SESSION_END)
        winner = table.frame.names[table.frame.ranks.index(1)]
        mine = "You win 15 credits, and have 1015 now." if winner == "You" else "You lose 5 credits, and now have 995."
        for size in SIZES:
            rows = str(table.app.table.view.paint(*size)).split("\n")
            text = " ".join(" ".join([row[: compute_layout(*size).wide_mat.right] for row in rows]).split())
            assert f"{winner} take{'s' * (winner != 'You')} the pot of 20 credits. {mine}" in text
            assert "Not rated: the deal was chosen by number or played again." in text
            assert all(name in text for name in table.frame.names), "the table of places names all players"


async def test_cursor_treats_identical_cards_as_one():
    """Bo leads 8S, Cy and Ada have each played an ace of spades; the player holds two nines of clubs and no spade."""
    async with sit_at(open_saved("ten_down-two-aces")) as table:
        met = []
        for _ in range(3):
            met.append(NAME[table.frame.hand.at])
            await table.press("right")
        assert met == ["8D", "KC", "9C"]
        await table.press("9")
        await table.sees("Your two 9♣ are identical")
