"""A game says in which order its hands are shown, on the table, in a replay and in plain lines."""

import re

import pytest
from msgspec.structs import replace

from cardtable.engine.card_order import CardOrder, sort_in_order
from cardtable.engine.cards import BIT, NAME, card, iter_cards
from cardtable.engine.game import Zone
from cardtable.engine.tricks import PLAYS
from cardtable.plain.position_text import describe_legal_actions, describe_open_hands
from cardtable.plain.speech_text import format_card
from cardtable.ui.game_view.default_view import DefaultView
from cardtable.ui.game_view.hand_cursor import HandCursor
from cardtable.ui.round_view.board import paint_hand
from cardtable.ui.round_view.playhead import PlateContents
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import Box
from tests.overriding import override
from tests.toy import eights
from tests.toy.game_plugins import plug_in
from tests.ui.canvas_rendering import APPEARANCE, make_view_frame, render_table
from tests.ui.driver import LARGE, SIZES
from tests.ui.positions import deal_cards

ORDER = CardOrder(ranks="ATKQ987", trumps=tuple(map(card, ("JC", "JS", "JH", "JD"))))
GAME = override(eights.GAME, card_order=lambda _view: ORDER)
NAMES = ("You", "Ada", "Bo", "Cy")
HAND = sum(BIT[card(name)] for name in ["TC", "KC", "2C", "JD", "TD", "AH", "JS", "KS", "3S"])


@pytest.fixture(autouse=True)
def toys(monkeypatch):
    plug_in(monkeypatch, eights)


def make_view():
    return replace(deal_cards(GAME).view(0), hand=HAND)


def paint(size, hand_order="usual"):
    view, game_view = make_view(), DefaultView(GAME)
    hand = HandCursor().with_hand(game_view.sort_cards(view, hand_order, ORDER), view.legal)
    return render_table(make_view_frame(GAME, view, NAMES, game_view=game_view, hand=hand, hand_order=hand_order), size)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    ("hand_order", "card_names"),
    [
        ("usual", "JS JD KS 3S AH TD TC KC 2C"),
        ("suit", "KS JS 3S AH TD JD TC KC 2C"),
        ("rank", "2C 3S JD JS KC KS TC TD AH"),
    ],
)
def test_hand_on_the_table(size, hand_order, card_names):
    bounds = paint(size, hand_order).card_bounds
    hand = sorted((place.x, which) for which, place in bounds.items() if which in iter_cards(HAND))
    assert " ".join(NAME[which] for _, which in hand) == card_names


def test_gap_after_trumps_and_none_within_them():
    bounds = paint(LARGE).card_bounds
    jack_of_spades, jack_of_diamonds, king = (bounds[card(name)].x for name in ("JS", "JD", "KS"))
    assert jack_of_diamonds - jack_of_spades < king - jack_of_diamonds


def test_replay_has_suits_with_the_ranks_of_the_game():
    canvas = Canvas(60, 1, APPEARANCE)
    paint_hand(canvas, Box(0, 0, 60, 1), PlateContents((), HAND, HAND, 0, unseen=0, taken=0, card_order=ORDER))
    assert re.sub(" +", " ", str(canvas)).strip() == "♠ K J 3 ♥ A ♦ 10 J ♣ 10 K 2"


def test_plain_lines_name_trumps_last():
    [sentence] = describe_open_hands(GAME, [make_view()], NAMES)
    assert sentence == (
        "You: clubs two, king, ten; diamonds ten; hearts ace; spades three, king; "
        "trumps jack of diamonds, jack of spades."
    )


def test_taken_cards_are_in_the_order_of_the_game():
    game = override(GAME, scene=lambda _view: (Zone("taken", 1, tuple(iter_cards(HAND))),))
    plate = DefaultView(game).plate(make_view(), 1)
    assert list(plate.cards) == sort_in_order(iter_cards(HAND), ORDER)


def test_plain_choices_follow_the_order_of_the_plain_hand():
    view = replace(make_view(), legal=tuple(PLAYS.of(HAND)))
    [listed] = describe_legal_actions(GAME, view, NAMES)
    words = {format_card(each): each for each in iter_cards(HAND)}
    cards = [words[choice] for choice in re.sub(r"\d+: |play the |\.$", "", listed).split("; ")]
    assert cards == sort_in_order(iter_cards(HAND), ORDER)[::-1]
