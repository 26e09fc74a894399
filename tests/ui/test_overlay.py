"""Key sheet and message box over a screen."""

from pathlib import Path

import pytest

from cardtable.ui.keys.keymap import SCOPES
from cardtable.ui.toolkit.overlay import KeySheet, build_key_groups, paint_box, paint_help
from cardtable.ui.toolkit.painting import themes
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.themes import Appearance
from tests.golden_files import check_golden

THEME = themes.load_theme_file(Path(__file__).parents[2] / "cardtable" / "themes" / "classic.toml")
LOOK = Appearance(THEME)
KEYS = [
    ("Play", [("←→", "next legal card"), ("2-9 0 j q k a", "to that rank"), ("⏎ Space", "play or bid it")]),
    ("See", [("l", "previous trick"), ("s", "score sheet"), ("m", "messages"), ("d", "last deal")]),
    ("Help", [("h", "hint and reason"), ("u Ctrl+Z", "undo")]),
    ("Set", [("o", "order of the hand"), ("z", "card size")]),
    ("Go", [("n", "new session"), ("Esc", "menu"), ("Ctrl+Q", "leave, all kept")]),
]
WORDS = [word for _, keys in KEYS for _, word in keys]


def create_canvas(width, height):
    felt = Canvas(width, height, LOOK)
    felt.write(0, 0, "Rikiki   round 13 of 28", THEME.inks.text)
    return felt


@pytest.mark.parametrize(("width", "height"), [(80, 24), (120, 40), (60, 18)])
def test_key_sheet_golden(width, height):
    felt = create_canvas(width, height)
    paint_help(felt, "Keys", "at the table, Rikiki", KEYS)
    check_golden(f"help_{width}x{height}.txt", f"{felt}\n")


@pytest.mark.parametrize(("width", "height"), [(200, 60), (80, 24), (100, 20), (70, 18), (60, 18)])
def test_key_sheet_is_complete_at_every_size(width, height):
    felt = create_canvas(width, height)
    paint_help(felt, "Keys", "", KEYS)
    assert [word for word in WORDS if word not in str(felt)] == []


@pytest.mark.parametrize("scope", SCOPES, ids=lambda scope: scope.location)
def test_scrolled_key_sheet_is_complete_on_small_screen(scope):
    groups, keys, seen = build_key_groups(LOOK.keys, scope.keys), KeySheet(), ""
    for _ in range(40):
        felt = create_canvas(60, 18)
        keys.paint(felt, scope.location, groups)
        seen += str(felt)
        assert not any(row[57:].strip() for row in str(felt).splitlines()), "nothing is painted beside the box"
        more = "\u2193 more" in str(felt)
        assert ("\u2191\u2193 scroll" in str(felt)) >= more
        assert keys.handle_key(LOOK.keys, "down") >= more
    assert [word for _, rows in groups for _, word in rows if word not in seen] == []
    assert not more


@pytest.mark.parametrize(("width", "height"), [(200, 60), (80, 24), (60, 18)])
def test_no_cut_words_beside_a_box(width, height):
    felt = Canvas(width, height, LOOK)
    for y in range(height):
        felt.write(0, y, f"{'=' * (width - 5)}  +++", THEME.inks.text)
    paint_box(felt, "Title", ["two lines", "of text"])
    assert {row.count("=") for row in str(felt).splitlines()} == {0, width - 5}
    assert any(row.count("+") == 3 > row.count("=") for row in str(felt).splitlines()) == (width == 200)


def test_box_darkens_and_disables_background():
    felt = create_canvas(80, 24)
    felt.add_hit_box(0, 0, 80, 24, "everything")
    before = felt.grounds[0][0]
    paint_box(felt, "Messages", ["Bo takes the trick"])
    assert felt.hit_test(0, 0) is None
    assert felt.grounds[0][0] < before


def test_box_shows_last_lines_that_fit():
    felt = create_canvas(80, 24)
    paint_box(felt, "Messages", [f"message {number}" for number in range(100)])
    assert "message 99" in str(felt)
    assert "message 50" not in str(felt)
