"""Italian and German faces on the table, in a replay and in the picker, at every size, in ASCII and with letters."""

import pytest
from msgspec.structs import replace

from cardtable.engine.cards import card
from cardtable.engine.faces import FRENCH, GERMAN, ITALIAN
from cardtable.ui.game_view.default_view import DefaultView
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
from tests.ui.driver import SIZES, TINY
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
