"""Additions of single games to the table screen."""

import re

import pytest
from msgspec.structs import replace

from cardtable.engine.cards import cards, iter_cards
from cardtable.engine.game import Action, find_action
from cardtable.engine.referee import Referee
from cardtable.games import GAMES
from cardtable.testing.cases import iter_random_positions
from cardtable.ui.game_view.game_view import Row
from cardtable.ui.game_view.hand_cursor import HandCursor
from cardtable.ui.game_view.registry import get_game_view
from cardtable.ui.table.paint.board import paint_hand, paint_prompt
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import compute_layout
from cardtable.wording.formatting import insert_suit_signs
from tests.laws.sessions import CASES_BY_GAME
from tests.ui.canvas_rendering import (
    APPEARANCE,
    NAMES,
    get_rows,
    make_view_frame,
    render_table,
)
from tests.ui.driver import SIZES, SMALL, TINY


def deal_view(game, seats):
    """Return the view of seat 0 after the first deal."""
    table = Referee(game, seats, game.options(), 1)
    table.advance()
    return table.view(0)


@pytest.mark.parametrize("key", GAMES)
def test_tricks_are_shown_before_their_round_is_counted(key):
    """Also a last trick that plays itself: the score sheet lists the same rounds as before."""
    game_view, before, shown = get_game_view(key), None, 0
    case = CASES_BY_GAME[key][0]
    for position in iter_random_positions(case, 0):
        state = position.state
        if before is not None and isinstance(position.events[-1][1], Action):
            for seat in range(case.seats):
                old = before.view(seat)
                for view in game_view.intermediate_views(position.events[-1][1], old, state.view(seat)):
                    shown += 1
                    assert (view.round, view.finished) == (old.round, old.finished)
                    assert [*game_view.upcoming_titles(view)] == [*game_view.upcoming_titles(old)]
                    assert [*game_view.progress(view)] == [*game_view.progress(old)]
                    if game_view.has_declarers:
                        assert game_view.contracts_left(view) == game_view.contracts_left(old)
        before = state.copy()
    assert shown or not GAMES[key].has_tricks


@pytest.mark.parametrize("key", ["rikiki", "ten_down"])
@pytest.mark.parametrize(
    ("bids", "text"),
    [((2, 1, 3), "bids: 1 too many"), ((2, 0, 0), "3 tricks nobody bid"), ((2, 1, 2), "every trick was bid")],
)
def test_bidding_games_show_equal_sections(key, bids, text):
    view = replace(deal_view(GAMES[key], GAMES[key].about.usual_seats), cards=5)

    def sections(**more):
        return get_game_view(key).sections(replace(view, **more), NAMES[:4])

    bidding = sections(bids=(None, None, 3, 0), turn=0)[0].rows
    assert [row.label for row in bidding] == ["1 Bo", "2 Cy", "3 You", "4 Ada", "total"]
    assert [row.values[0] for row in bidding] == ["3", "0", "?", "·", "3 of 5"]
    assert [row.asked for row in bidding] == [False, False, True, False, False]
    facts, seated = sections(bids=(*bids, 0), won=(1, 0, 0, 0), turn=0)[:2]
    assert facts.rows == (Row(text), Row("trick", ("2 of 5",)))
    assert seated.rows[0].values == ("bid", "won", "total")
    assert seated.rows[1] == Row("You", ("2", "1", "0"), own=True)


def render_prompt(frame, *prompt, size=SMALL):
    """Return the row of the prompt and the next one."""
    canvas, grid = Canvas(*size, APPEARANCE), compute_layout(*size)
    paint_prompt(canvas, grid, frame, *prompt)
    return get_rows(canvas)[grid.prompt_row : grid.prompt_row + 2]


@pytest.mark.parametrize("at", ["2C", "KH"])
def test_long_hand_shows_required_card_and_counts(at):
    rummy = GAMES["rummy"]
    names = "2C 3C 4C 5C 6C 7C 2D 3D 4D 5D 6D 7D 2H 3H 4H 5H KH 2S 3S 4S 5S"
    view = replace(deal_view(rummy, 2), hand=cards(f"{names} KS"), turn=0, drew=True, must=iter_cards(cards("KS"))[0])
    hand = HandCursor().with_hand(get_game_view("rummy").order(view), ()).move_to(iter_cards(cards(at))[0])
    seen = make_view_frame(rummy, view, waiting=True, hand=hand)
    canvas, grid = Canvas(80, 24, APPEARANCE), compute_layout(80, 24)
    paint_hand(canvas, grid, seen)
    hand = get_rows(canvas)[grid.hand_row - 1 :]
    assert "must" in "\n".join(hand)
    assert re.search(r"\d+\u203a" if at == "2C" else r"\u2039\d+", hand[1])


def make_rifki_frame(taken):
    rifki = GAMES["rifki"]
    return make_view_frame(rifki, replace(deal_view(rifki, 4), taken=(cards(taken), 0, 0, 0), opening=False))


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("taken", ["", "AH", "AH KH QH JH", "AH KH QH QC JS", "AH KH QH JH TH 9H 8H 7H 6H 5H 4H QC JS"])
@pytest.mark.parametrize(
    ("prompt", "reason"),
    [
        ("Follow hearts.", "Q♥ is still out"),
        ("No diamonds:", "discard A♥, K♠, Q♠ or J♣"),
        ("Play K♥:", "a higher heart was played"),
    ],
)
def test_prompt_keeps_reason_beside_taken_cards(taken, prompt, reason, size):
    text = " ".join(render_prompt(make_rifki_frame(taken), prompt, reason, size=size))
    assert prompt in text
    assert reason in text


@pytest.mark.parametrize("key", GAMES)
def test_no_sentence_of_a_prompt_breaks_off(key):
    """The reason after a colon is on the screen, in the row of the prompt or in the next one."""
    game, game_view, seen = GAMES[key], get_game_view(key), set()
    for position in iter_random_positions(CASES_BY_GAME[key][0], 0):
        if position.state.turn < 0:
            continue
        view = position.state.view(position.state.turn)
        names = (*NAMES[1 : view.seat + 1], NAMES[0], *NAMES[view.seat + 1 :])
        frame = make_view_frame(game, view, names, waiting=True)
        prompt, reason, *_ = (*game_view.prompt(view, frame.pointed), "")
        if not prompt.endswith(":") or (prompt, reason) in seen:
            continue
        seen.add((prompt, reason))
        for size in SIZES:
            rows = " ".join(render_prompt(frame, prompt, reason, size=size))
            assert insert_suit_signs(APPEARANCE.keys.format_keys(reason)) in rows, (prompt, size)


@pytest.mark.parametrize("size", [TINY, SMALL], ids=str)
def test_all_four_queens_are_shown_beside_their_taker(size):
    """King, No Queens, after the first lead: Bo has taken Q♠ Q♥ Q♦ Q♣."""
    table = Referee(GAMES["king"], 4, GAMES["king"].options(), 1)
    table.advance()
    dealer = table.turn
    table.play(dealer, find_action(table.view(dealer).legal, "contract no-queens"))
    table.play(dealer, next(action for action in table.view(dealer).legal if str(action).startswith("play")))
    view = replace(table.view(0), taken=(0, 0, cards("QC QD QH QS"), 0))
    assert "▏Q♠  ▏Q♥  ▏Q♦  ▏Q♣" in str(render_table(make_view_frame(GAMES["king"], view), size))
