"""Table screen of Gurka: four and six seats, heading and lowest cards, aces, distance to the limit."""

import pytest

from cardtable.engine.cards import card
from cardtable.games.gurka.table_view import TABLE_VIEW
from cardtable.ui.game_view.hand_cursor import NO_CURSOR
from cardtable.ui.table.paint.table_widget import paint_table
from cardtable.ui.toolkit.painting.canvas import Canvas
from tests.games.gurka.test_rules import deal_round
from tests.ui.canvas_rendering import APPEARANCE, THEME, find_text, get_rows, make_view_frame
from tests.ui.driver import LARGE, SMALL

NAMES = ("You", "Ada", "Bo", "Cy", "Dee", "Eve")


def paint_game(game, width=80, height=24):
    """Paint the table for the seat on turn; return the canvas and the frame."""
    seen = make_view_frame(game.game, game.view(), NAMES, waiting=True)
    canvas = Canvas(width, height, APPEARANCE)
    paint_table(canvas, seen)
    return canvas, seen


def test_card_footers_mark_heading_and_lowest_cards():
    game = deal_round("9C", "3C 5D 9H 9S QD KC AH")
    assert TABLE_VIEW.card_footers(game.view()) == {}, "any card may lead"
    feet = TABLE_VIEW.card_footers(game.do("play 9C").view())
    assert feet == {card("3C"): "low"} | dict.fromkeys(map(card, ["9H", "9S", "QD", "KC", "AH"]), "head")
    assert TABLE_VIEW.card_footers(deal_round("2C", "2D 2H 3C 4C 5C 6C 7C").do("play 2C").view())[card("2D")] == "head"
    canvas, _ = paint_game(game)
    assert "low" in str(canvas)
    assert str(canvas).count("head") >= 5


@pytest.mark.parametrize(
    ("led", "hand", "options", "prompt", "reason"),
    [
        ("", "", {}, "You lead:", "play any card"),
        ("TC", "3C 5D 9H 9S QD KC AH", {}, "Play 10 or higher,", "or your lowest card"),
        ("TC", "3C 5D 9H 9S QD KC AH", {"must_head": "on"}, "Play 10 or higher:", "you must head"),
        ("KC", "4S 4H 8D JC 9C TC QC", {}, "You can't head it:", "play your lowest"),
        ("AC", "4S 4H 8D JC 9C TC QC", {}, "Ace in the trick:", "play your lowest"),
        ("AC", "4S 4H 8D JC 9C TC AD", {"ace_rule": "off"}, "Play an ace,", "or your lowest card"),
    ],
)
def test_prompt_names_legal_cards(led, hand, options, prompt, reason):
    game = deal_round(led, hand, **options)
    if led:
        game.do(f"play {led}")
    assert TABLE_VIEW.prompt(game.view(), NO_CURSOR) == (prompt, reason)
    canvas, _ = paint_game(game)
    assert f"{prompt} {reason}" in str(canvas), "there is room for all of it"


def test_roles_at_plates():
    game = deal_round("6C", "7D", "4C 5C 6D 7C 8C 5D 8D", "8H", seats=6).do("play 6C, play 7D, play 4C, play 8H")
    roles = [TABLE_VIEW.plate(game.view(), seat).role for seat in range(6)]
    assert roles == ["led", "headed", "lowest", "heads", "", ""]


@pytest.mark.parametrize(("width", "height"), [SMALL, LARGE])
def test_bar_colours_warn_near_limit(width, height):
    game = deal_round()
    game.table.state.totals = (12, 26, 30, 0)
    canvas, _ = paint_game(game, width, height)
    inks = THEME.inks
    bar_inks = {name: find_text(canvas, rf"{name} +(▅+) +\d+ *$").ink for name in NAMES[:4]}
    assert bar_inks == {"You": inks.bar, "Ada": inks.warn, "Bo": inks.bad, "Cy": THEME.grounds.track}
    assert len({row.rindex("▅") for row in get_rows(canvas) if "▅" in row}) == 1
