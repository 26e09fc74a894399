"""Layout of hands, and of cards in texts."""

from itertools import pairwise

import pytest

from cardtable.engine.cards import COPY_OFFSET, NAME, PACK_36, PACK_52, RANK, TEN, card, cards, iter_cards
from cardtable.ui.game_view.game_view import sort_by_suit
from cardtable.ui.toolkit.painting import card_faces
from cardtable.ui.toolkit.painting.canvas import Canvas, find_changed_regions
from cardtable.ui.toolkit.painting.themes import Appearance
from cardtable.wording.formatting import to_ascii_text
from tests import golden_files
from tests.ui.canvas_rendering import APPEARANCE, THEME


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


def test_gaps_between_suits():
    places = card_faces.compute_fan(sort_by_suit(cards("AS KS QH JH TD 9D 8C 7C")), 57, card_faces.FULL, gaps=True)
    steps = [b.x - a.x for a, b in pairwise(places)]
    assert steps[1] > steps[0]


def test_gaps_between_groups():
    hand = [card(name) for name in ["TS", "JS", "QS", "7C", "7H", "7S", "4D", "TD"]]
    groups = {each: int(place > 2) for place, each in enumerate(hand[:6])}
    for width, step in ((57, 6), (89, 8)):
        places = card_faces.compute_fan(hand, width, card_faces.FULL, gaps=True, groups=groups)
        assert [b.x - a.x for a, b in pairwise(places)] == [step, step, step + 2, step, step, step + 2, step]


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


def test_largest_number_cards_show_as_many_signs_as_their_rank():
    for each in iter_cards(PACK_52):
        if RANK[each] <= TEN:
            signs = str(_paint_largest(NAME[each])).count(card_faces.get_suit_sign(each))
            assert signs == RANK[each] + 2 + 2, "one sign for each pip, and two in the indices"


def test_courts_are_ascii_if_the_terminal_is():
    text = str(_paint_largest("JS QS KS", ascii=True))
    assert to_ascii_text(text) == text.translate({**dict.fromkeys(map(ord, "▏▕"), "|"), ord("♠"): "S"})


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


def test_text_is_cut_at_max_width():
    canvas = Canvas(40, 1, APPEARANCE)
    assert card_faces.paint_text(canvas, 2, 0, "You must follow suit: play a heart", THEME.inks.text, max_width=8) == 10
    assert str(canvas) == "  You must"


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
