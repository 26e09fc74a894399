"""Faces and order that a game gives its cards: on the table, in a replay, in the picker and in plain lines."""

import re

import pytest
from msgspec.structs import replace

from cardtable.engine.card_order import CardOrder, sort_in_order
from cardtable.engine.cards import BIT, NAME, card, iter_cards
from cardtable.engine.faces import FRENCH, GERMAN, ITALIAN
from cardtable.engine.game import Zone
from cardtable.engine.tricks import PLAYS
from cardtable.plain.position_text import describe_legal_actions, describe_open_hands
from cardtable.plain.speech_text import format_card
from cardtable.ui.game_view.default_view import DefaultView
from cardtable.ui.game_view.hand_cursor import HandCursor
from cardtable.ui.picker.model import paint_game_block, paint_game_line
from cardtable.ui.round_view.board import paint_hand
from cardtable.ui.round_view.playhead import PlateContents
from cardtable.ui.table.overlays import OpenHands
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.card_faces import HUGE, paint_card
from cardtable.ui.toolkit.painting.layout import Box
from cardtable.ui.toolkit.scroll_list import BlockArea
from cardtable.wording.formatting import SUIT_SIGNS
from tests.overriding import override
from tests.toy import eights
from tests.toy.game_plugins import plug_in
from tests.ui.canvas_rendering import APPEARANCE, make_view_frame, render_table
from tests.ui.driver import LARGE, SIZES, TINY
from tests.ui.positions import deal_cards

NAMES = ("You", "Ada", "Bo", "Cy")


@pytest.fixture(autouse=True)
def toys(monkeypatch):
    plug_in(monkeypatch, eights)


def make_frame(faces, **fields):
    """Return a frame in which a seat has to follow a lead of the lowest card."""
    game = override(eights.GAME, about=replace(eights.GAME.about, faces=faces))
    state = deal_cards(game, seed=3)
    state.apply(state.legal()[0])
    view = state.view(state.turn)
    return make_view_frame(game, view, NAMES, game_view=DefaultView(game), **fields)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("faces", "court"), [(ITALIAN, "F"), (GERMAN, "U")])
def test_table_shows_only_signs_of_the_faces(size, faces, court):
    text = str(render_table(make_frame(faces), size))
    assert all(sign in text for sign in faces.signs)
    assert not {*text} & ({*SUIT_SIGNS} - {*faces.signs})
    assert f"▏{court}" in text


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("appearance", [{"ascii": True}, {"suit_letters": True}])
def test_letters_replace_the_signs(size, appearance):
    text = str(render_table(make_frame(GERMAN), size, **appearance))
    assert not {*text} & {*GERMAN.signs, *SUIT_SIGNS}
    assert "▏U" in text


def test_prompt_names_the_suit():
    assert "Follow acorns." in str(render_table(make_frame(GERMAN, waiting=True)))


def test_largest_courts_of_other_faces_have_a_sign_in_place_of_a_picture():
    def draw(faces):
        canvas = Canvas(HUGE.width, HUGE.height, APPEARANCE, faces)
        paint_card(canvas, 0, 0, HUGE, card("KD"))
        return str(canvas)

    assert "━━━━♦━━━━" in draw(FRENCH)
    assert draw(ITALIAN).replace("▏", "").replace("▕", "").split() == ["R", "◎", "◎", "◎", "R"]


@pytest.mark.parametrize("width", [50, 76])
def test_emblem_in_the_picker(width):
    canvas, about = Canvas(width, 4, APPEARANCE), replace(eights.GAME.about, faces=GERMAN, emblem="QS JD AC")
    paint_game_line(BlockArea(canvas, 0, 0, width, has_cursor=False), about, odd=False)
    paint_game_block(BlockArea(canvas, 0, 1, width, has_cursor=False), about)
    assert "O♤" in str(canvas)
    assert "U" in str(canvas)
    assert canvas.faces is FRENCH, "the faces of the canvas are reset for the next game"


def test_open_hands_as_text():
    frame = make_frame(ITALIAN)
    canvas = render_table(frame, TINY)
    OpenHands().paint(canvas, replace(frame, shows_open_hands=True))
    assert " F" in str(canvas)
    assert " J" not in str(canvas)


def test_hand_in_a_replay():
    canvas = Canvas(60, 1, APPEARANCE, ITALIAN)
    hand = 1 << card("JD") | 1 << card("KD")
    paint_hand(canvas, Box(0, 0, 60, 1), PlateContents((), hand, hand, 0, unseen=0, taken=0))
    assert str(canvas).split() == ["◎", "R", "F"]


ORDER = CardOrder(ranks="ATKQ987", trumps=tuple(map(card, ("JC", "JS", "JH", "JD"))))
GAME = override(eights.GAME, card_order=lambda _view: ORDER)
HAND = sum(BIT[card(name)] for name in ["TC", "KC", "2C", "JD", "TD", "AH", "JS", "KS", "3S"])


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
