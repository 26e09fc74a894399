"""Rules page: layout of marked-up text, and reading on the screen."""

import pytest
from textual.app import App
from textual.screen import Screen

from cardtable.store import paths
from cardtable.ui import rules
from cardtable.ui.rules import MAX_TEXT_WIDTH, RulesPage
from cardtable.ui.toolkit.painting import markup_text, themes
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.themes import Appearance
from tests.every_game import GAMES_WITH_RULES
from tests.golden_files import check_golden
from tests.ui.current_screen import is_shown
from tests.ui.recording_context import RecordingContext
from tests.ui.screen_text import screen_text

THEME, _ = themes.load_theme("classic", paths.theme_files())
LOOK = Appearance(THEME)
PAGE = """\
## Play

Follow suit if
you can. **No trump** beats `play KH`.

- the *dealer* leads, and the QH
  falls to the TS
- the winner leads

1. one
2. two

    took      points
    13   13       36
After it.
"""


def paint_text(text, width):
    """Paint a text at a width and return the canvas."""
    rows = markup_text.layout_rows(text, width)
    canvas = Canvas(width, len(rows), LOOK)
    for y, row in enumerate(rows):
        markup_text.paint_row(canvas, 0, y, row)
    return canvas


def test_paragraphs_are_filled_and_lists_indented():
    assert str(paint_text(PAGE, 26)).split("\n") == [
        "Play",
        "Follow suit if you can. No",
        "trump beats play KH.",
        "• the dealer leads, and",
        "  the Q♥ falls to the 10♠",
        "• the winner leads",
        "1. one",
        "2. two",
        "",
        "    took      points",
        "    13   13       36",
        "After it.",
    ]


def test_headings_and_emphasis_are_bold_and_code_has_ground():
    canvas = paint_text(PAGE, 60)
    rows = str(canvas).split("\n")
    assert all(canvas.bold[0][:4])
    at = rows[1].index("No trump")
    assert canvas.bold[1][at - 2 : at + 10] == [False] * 2 + [True] * 2 + [False] + [True] * 5 + [False] * 2
    code = rows[1].index("play KH")
    assert set(canvas.grounds[1][code : code + 7]) == {THEME.grounds.track}
    assert canvas.grounds[1][code + 7] == THEME.grounds.felt
    assert canvas.bold[2][rows[2].index("dealer")]


def test_cards_have_ink_of_their_suit():
    canvas = paint_text("The QH falls.", 60)
    assert canvas.inks[0][4:6] == [THEME.suits.panel[2]] * 2


def test_fitting_indented_lines_are_unchanged():
    assert str(paint_text("    7     draw 1\n    others  -", 20)) == "    7     draw 1\n    others  -"


def test_wide_columns_are_wrapped():
    text = "    7        the next player draws one card\n    others   nothing happens, QS stays"
    assert str(paint_text(text, 24)).split("\n") == [
        "7       the next player",
        "        draws one card",
        "others  nothing happens,",
        "        QS stays",
    ]


def test_columns_differ_from_aligned_numbers():
    text = "    rounds  1-12    1, 2 ... 12 cards each\n    rounds 13-16    13 cards each"
    assert str(paint_text(text, 30)).split("\n") == [
        "rounds 1-12   1, 2 ... 12",
        "              cards each",
        "rounds 13-16  13 cards each",
    ]


def test_blank_rows_only_before_headings_and_paragraphs():
    assert str(paint_text("One.\n\n\nTwo.\n## Three\n\n\nFour.", 20)).split("\n") == [
        "One.", "", "Two.", "", "Three", "Four.",
    ]  # fmt: skip


@pytest.mark.parametrize("key", GAMES_WITH_RULES)
@pytest.mark.parametrize("width", [56, 76, MAX_TEXT_WIDTH])
def test_rules_fit_their_width(key, width):
    rows = markup_text.layout_rows(paths.rules_file(key).read_text(encoding="utf-8"), width)
    assert max(piece.x + piece.width for row in rows for piece in row) <= width


class Host(App[None]):
    """App that shows the rules of one game, or another page."""

    def __init__(self, screen=None):
        super().__init__()
        self.page_screen = screen or rules.create_screen(RecordingContext(self), "rikiki")

    def on_mount(self):
        self.push_screen(self.page_screen)


class Sample(Screen[None]):
    """Page with every kind of markup."""

    def compose(self):
        yield RulesPage(RecordingContext(self.app), f"# Sample\n\n{PAGE}\n{PAGE}\n{PAGE}")


def read_body(app):
    """Return the rows between header and footer."""
    return screen_text(app).split("\n")[1:-2]


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (60, 18)])
async def test_rules_page_golden(size):
    app = Host(Sample())
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        check_golden(f"rules_{size[0]}x{size[1]}.txt", screen_text(app))


async def test_keys_scroll_to_both_ends():
    app = Host()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        first = read_body(app)
        await pilot.press("down")
        second = read_body(app)
        assert second[1:-1] == first[2:]
        await pilot.press("pagedown")
        assert read_body(app)[1] == second[-1], "one row of the page before stays in sight"
        await pilot.press("pageup", "up")
        assert read_body(app) == first
        await pilot.press("end")
        last = read_body(app)
        assert "T is the ten." in last[-1]
        await pilot.press("down", "space")
        assert read_body(app) == last
        await pilot.press("home")
        assert read_body(app) == first


async def test_wheel_scrolls():
    app = Host()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        first = read_body(app)
        page = app.screen.query_one("RulesPage")
        page.on_wheel(1, 0)
        await pilot.pause()
        assert read_body(app)[1] == first[4]
        page.on_wheel(-1, 0)
        await pilot.pause()
        assert read_body(app) == first


@pytest.mark.parametrize("key", ["escape", "q", "enter"])
async def test_keys_close_rules(key):
    app = Host()
    async with app.run_test() as pilot:
        await pilot.press(key)
        assert not is_shown(app, RulesPage)


async def test_any_key_only_closes_key_sheet():
    app = Host()
    async with app.run_test() as pilot:
        await pilot.pause()
        before = screen_text(app)
        await pilot.press("question_mark")
        assert "in the rules" in screen_text(app)
        await pilot.press("escape")
        assert screen_text(app) == before


async def test_resizing_keeps_text_in_view():
    app = Host()
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("pagedown")
        top = " ".join(read_body(app)[1].split()[:4])
        await pilot.resize_terminal(60, 18)
        await pilot.pause()
        assert top in " ".join(" ".join(read_body(app)).split())
        assert max(map(len, read_body(app))) <= 60


async def test_footer_keys_are_clickable():
    app = Host()
    async with app.run_test(size=(80, 24)) as pilot:
        first = read_body(app)

        async def click(word):
            await pilot.click(offset=(screen_text(app).splitlines()[-1].index(word), 23))
            await pilot.pause()

        await click("scroll")
        assert read_body(app) != first
        await click("help")
        assert "any key closes" in screen_text(app)
        await click("closes")
        await click("back")
        assert not is_shown(app, RulesPage)


async def test_section_keys():
    app = Host()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        first = read_body(app)
        await pilot.press("tab")
        second = read_body(app)
        assert f"## {second[1].strip()}\n" in paths.rules_file("rikiki").read_text(encoding="utf-8")
        await pilot.press("tab", "shift+tab")
        assert read_body(app) == second
        await pilot.press("shift+tab", "shift+tab")
        assert read_body(app) == first


async def test_search():
    app = Host(Sample())
    async with app.run_test(size=(60, 18)) as pilot:
        await pilot.press("slash", *"TRUMP")
        await pilot.pause()
        assert "Search  TRUMP" in screen_text(app)
        assert "1 of 3" in screen_text(app)
        await pilot.press("enter", "enter")
        assert "3 of 3" in screen_text(app)
        assert any("No trump" in row for row in read_body(app))
        await pilot.press("enter")
        assert "1 of 3" in screen_text(app)
        await pilot.press(*"q")
        assert "not found" in screen_text(app)
        await pilot.press("enter", "escape")
        assert "Search" not in screen_text(app)


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (60, 18)])
async def test_glossary_golden(size):
    app = Host()
    async with app.run_test(size=size) as pilot:
        await pilot.press("i")
        await pilot.pause()
        check_golden(f"glossary_{size[0]}x{size[1]}.txt", screen_text(app))
        await pilot.press("i")
        await pilot.pause()
        assert is_shown(app, RulesPage)
        assert "Rikiki" in screen_text(app)


async def test_resizing_during_search():
    app = Host(Sample())
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("slash", *"trump")
        await pilot.resize_terminal(60, 18)
        await pilot.press("enter")
        await pilot.pause()
        assert "Search  trump" in screen_text(app)
        assert "1 of 3" in screen_text(app)
