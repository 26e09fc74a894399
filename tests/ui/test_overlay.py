from pathlib import Path

import pytest

from cardtable.ui.toolkit.keys.bindings import SCOPES
from cardtable.ui.toolkit.overlay import KeySheet, build_key_groups, paint_box, paint_help
from cardtable.ui.toolkit.painting import themes
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.themes import Appearance
from tests.golden_files import check

THEME = themes.load_theme_file(Path(__file__).parents[2] / "themes" / "classic.toml")
LOOK = Appearance(THEME)
KEYS = [
    ("Play", [("←→", "next legal card"), ("2-9 0 j q k a", "to that rank"), ("⏎ Space", "play or bid it")]),
    ("See", [("l", "previous trick"), ("s", "score sheet"), ("m", "messages"), ("d", "last deal")]),
    ("Help", [("h", "hint and reason"), ("u Ctrl+Z", "take back")]),
    ("Set", [("o", "order of the hand"), ("z", "card size")]),
    ("Go", [("n", "new session"), ("Esc", "menu"), ("Ctrl+Q", "leave, all kept")]),
]
WORDS = [word for _, keys in KEYS for _, word in keys]


def canvas(width, height):
    felt = Canvas(width, height, LOOK)
    felt.write(0, 0, "Rikiki   round 13 of 28", THEME.inks.text)
    return felt


@pytest.mark.parametrize(("width", "height"), [(80, 24), (120, 40), (60, 18)])
def test_the_key_sheet(width, height):
    felt = canvas(width, height)
    paint_help(felt, "Keys", "at the table, Rikiki", KEYS)
    check(f"help_{width}x{height}.txt", f"{felt}\n")


@pytest.mark.promise("Keys and mouse", "The key sheet lists the keys that work now, and no others, at every size.")
@pytest.mark.parametrize(("width", "height"), [(200, 60), (80, 24), (100, 20), (70, 18), (60, 18)])
def test_every_key_is_on_the_sheet_at_every_size(width, height):
    felt = canvas(width, height)
    paint_help(felt, "Keys", "", KEYS)
    assert [word for word in WORDS if word not in str(felt)] == []


@pytest.mark.parametrize("scope", SCOPES, ids=lambda scope: scope.where)
def test_on_a_small_screen_the_sheet_of_every_page_is_whole_once_it_is_scrolled(scope):
    groups, keys, seen = build_key_groups(LOOK.keys, scope, lambda _: True), KeySheet(), ""
    for _ in range(40):
        felt = canvas(60, 18)
        keys.paint(felt, scope.where, groups)
        seen += str(felt)
        assert not any(row[57:].strip() for row in str(felt).splitlines()), "what stands beside the box"
        more = "\u2193 more" in str(felt)
        assert ("\u2191\u2193 scroll" in str(felt)) >= more
        assert keys.handle_key(LOOK.keys, "down") >= more
    assert [word for _, rows in groups for _, word in rows if word not in seen] == []
    assert not more


def test_a_sheet_that_is_whole_is_put_away_by_any_key():
    keys = KeySheet()
    keys.paint(canvas(80, 24), "", KEYS)
    assert not keys.handle_key(LOOK.keys, "down")


def test_no_size_is_too_small_to_be_painted():
    for width, height in [(60, 18), (30, 8), (12, 5), (5, 2), (2, 1), (1, 1)]:
        for offset in (0, 5, 100):
            paint_help(canvas(width, height), "Keys", "at the table", KEYS * 3, offset)
        paint_box(canvas(width, height), "Messages", ["Bo takes the trick"])


def test_what_lies_under_a_box_is_dark_and_cannot_be_pointed_at():
    felt = canvas(80, 24)
    felt.add_hit_box(0, 0, 80, 24, "everything")
    before = felt.grounds[0][0]
    paint_box(felt, "Messages", ["Bo takes the trick"])
    assert felt.hit_test(0, 0) is None
    assert felt.grounds[0][0] < before


def test_a_box_is_as_high_as_its_lines():
    felt = canvas(80, 24)
    paint_box(felt, "Last error", ["saving failed: no space left on device", "TS and QH are kept"])
    lines = [line.strip() for line in str(felt).splitlines()]
    top = lines.index("Last error")
    assert lines[top + 1 : top + 5] == ["", "saving failed: no space left on device", "10♠ and Q♥ are kept", ""]
    mat = [y for y in range(24) if felt.grounds[y][20] == THEME.grounds.mat]
    assert mat == list(range(top - 1, top + 5))


def test_of_more_lines_than_fit_the_last_are_shown():
    felt = canvas(80, 24)
    paint_box(felt, "Messages", [f"message {number}" for number in range(100)])
    assert "message 99" in str(felt)
    assert "message 50" not in str(felt)
