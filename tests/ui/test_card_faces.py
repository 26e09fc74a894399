"""Cards on a canvas and in texts: layout, faces and the order that a game gives them."""

import re
from itertools import pairwise

import pytest
from msgspec.structs import replace

from cardtable.engine.card_order import CardOrder, sort_in_order
from cardtable.engine.cards import BIT, COPY_OFFSET, NAME, PACK_36, PACK_52, card, cards, iter_cards
from cardtable.engine.faces import GERMAN, ITALIAN
from cardtable.engine.tricks import PLAYS
from cardtable.plain.position_text import describe_legal_actions, describe_open_hands
from cardtable.plain.speech_text import format_card
from cardtable.ui.game_view.default_view import DefaultView
from cardtable.ui.game_view.game_view import sort_by_suit
from cardtable.ui.game_view.hand_cursor import HandCursor
from cardtable.ui.toolkit.painting import card_faces
from cardtable.ui.toolkit.painting.canvas import Canvas, find_changed_regions
from cardtable.ui.toolkit.painting.themes import Appearance
from cardtable.wording.formatting import SUIT_SIGNS
from tests import golden_files
from tests.overriding import override
from tests.toy import eights
from tests.toy.game_plugins import plug_in
from tests.ui.canvas_rendering import APPEARANCE, THEME, make_view_frame, render_table
from tests.ui.driver import SIZES
from tests.ui.positions import deal_cards


@pytest.mark.parametrize("number", range(1, 14))
@pytest.mark.parametrize(
    ("width", "size"), [(57, card_faces.FULL), (89, card_faces.LARGE), (125, card_faces.HUGE), (60, card_faces.CHIP)]
)
def test_fan_fits_width_and_shows_every_index(number, width, size):
    hand = sort_by_suit(sum(1 << c for c in iter_cards(PACK_52)[::4][:number]))
    places = card_faces.compute_fan(hand, width, size, gaps=True)
    assert [place.card for place in places] == hand
    assert places[0].x >= 1
    assert places[-1].x + size.width <= width - 1
    for place, following in pairwise(places):
        assert following.x - place.x >= 3, "rank and suit of each card can be read"
        assert place.shown_columns == 0 or place.x + place.shown_columns <= following.x


@pytest.mark.parametrize(
    ("size", "width", "most"), [(card_faces.FULL, 57, 17), (card_faces.LARGE, 89, 27), (card_faces.CHIP, 60, 14)]
)
def test_window_of_long_hand_contains_cursor(size, width, most):
    assert card_faces.compute_window(most, width, size, 0) == (0, most)
    for at in range(30):
        start, end = card_faces.compute_window(30, width, size, at)
        assert 0 <= start <= at < end <= 30
        places = card_faces.compute_fan(list(iter_cards(PACK_36))[start:end], width, size, gaps=False)
        assert places[0].x >= 1 + card_faces.COUNT_WIDTH
        assert places[-1].x + size.width <= width - 1 - card_faces.COUNT_WIDTH
        assert all(b.x - a.x >= min(card_faces.MIN_STEP, size.width) for a, b in pairwise(places))


@pytest.mark.parametrize(
    ("size", "width", "step"), [(card_faces.FULL, 57, 3), (card_faces.LARGE, 89, 4), (card_faces.CHIP, 60, 4)]
)
def test_only_identical_cards_overlap(size, width, step):
    hand = sort_by_suit(cards("AS QH 9C") | cards("QH") << COPY_OFFSET)
    places = card_faces.compute_fan(hand, width, size, gaps=True)
    steps = [b.x - a.x for a, b in pairwise(places)]
    assert steps == [size.width + 1, step, size.width + 1]
    assert [place.shown_columns for place in places] == [0, step % size.width, 0, 0]
    assert places[2].card == card("QH"), "the copy that can be selected lies on top"
    ten = sort_by_suit(cards("AS KS QH JH 9C") | cards("AS KS QH JH 9C") << COPY_OFFSET)
    places = card_faces.compute_fan(ten, width, size, gaps=True)
    assert len(places) == 10
    assert places[0].x >= 1
    assert places[-1].x + size.width <= width - 1


def _paint_largest(names, shown_columns=0, **fields):
    """Paint cards in the largest size, one beside the other."""
    canvas = Canvas(12 * len(names.split()), 9, Appearance(THEME, **fields))
    for i, name in enumerate(names.split()):
        card_faces.paint_card(canvas, 12 * i, 0, card_faces.HUGE, card(name), shown_columns=shown_columns)
    return canvas


def test_largest_cards_golden():
    names = "2S 3H 4D 5C 6S 7H 8D 9C TS JH QD KC AS"
    pictures = [f"{_paint_largest(names)}\n", f"{_paint_largest('JH QD KC', ascii=True)}\n"]
    pictures += [f"{_paint_largest('7H TS JH QD KC', shown_columns=columns)}\n" for columns in (8, 6, 3)]
    golden_files.check_golden("sizes/cards_11x9.txt", "\n".join(pictures))


@pytest.mark.parametrize(
    "size", [card_faces.CHIP, card_faces.SMALL, card_faces.FULL, card_faces.LARGE, card_faces.HUGE]
)
@pytest.mark.parametrize("look", [card_faces.CardLook(is_winning=True), card_faces.CardLook(mark="✓")])
def test_marks_hide_neither_rank_nor_suit(size, look):
    for which in iter_cards(PACK_52):
        canvas = Canvas(size.width, size.height, APPEARANCE)
        card_faces.paint_card(canvas, 0, 0, size, which, look)
        signs = {card_faces.format_rank(which), card_faces.get_suit_sign(which), "★" if look.is_winning else "✓"}
        assert all(sign in str(canvas) for sign in signs), str(canvas)


def test_text_shows_suit_symbols():
    canvas = Canvas(40, 1, APPEARANCE)
    end = card_faces.paint_text(canvas, 0, 0, "Bo TS, then 9D: \u22124", THEME.inks.text)
    assert str(canvas) == "Bo 10\u2660, then 9\u2666: \u22124"
    assert end == len(str(canvas))
    assert canvas.inks[0][3] == THEME.suits.panel[3]
    assert canvas.inks[0][13] == THEME.suits.panel[1]


def test_columns_of_wide_and_combining_characters():
    canvas = Canvas(10, 1, APPEARANCE)
    assert canvas.write(0, 0, "日e\u0301x", THEME.inks.text) == 4
    assert canvas.chars[0][:4] == ["日", "", "e\u0301", "x"]
    assert canvas.render_row(0).cell_length == 10


def test_finds_changed_regions():
    before, after = Canvas(30, 5, APPEARANCE), Canvas(30, 5, APPEARANCE)
    assert find_changed_regions(before, after) == []
    card_faces.paint_card(after, 10, 1, card_faces.SMALL, card("QH"))
    regions = find_changed_regions(before, after)
    assert [region.y for region in regions] == [1, 2, 3]
    assert all(region.x <= 10 and region.right >= 15 for region in regions)


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


def test_plain_lines_name_trumps_last():
    [sentence] = describe_open_hands(GAME, [make_view()], NAMES)
    assert sentence == (
        "You: clubs two, king, ten; diamonds ten; hearts ace; spades three, king; "
        "trumps jack of diamonds, jack of spades."
    )


def test_plain_choices_follow_the_order_of_the_plain_hand():
    view = replace(make_view(), legal=tuple(PLAYS.of(HAND)))
    [listed] = describe_legal_actions(GAME, view, NAMES)
    words = {format_card(each): each for each in iter_cards(HAND)}
    cards = [words[choice] for choice in re.sub(r"\d+: |play the |\.$", "", listed).split("; ")]
    assert cards == sort_in_order(iter_cards(HAND), ORDER)[::-1]
