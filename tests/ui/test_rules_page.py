"""Rules page: layout of marked-up text, and reading on the screen."""

import pytest
from textual.app import App
from textual.screen import Screen

from cardtable.store import paths
from cardtable.ui.rules import screen as rules
from cardtable.ui.rules.screen import MAX_TEXT_WIDTH, RulesPage
from cardtable.ui.toolkit.painting import markup_text, themes
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.themes import Appearance
from tests.every_game import WITH_A_PAGE
from tests.golden_files import check
from tests.ui.rooms import AskedRoom
from tests.ui.screen_text import screen_text
from tests.ui.shown import shows

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


def painted(text, width):
    """Paint a text at a width and return the canvas."""
    rows = markup_text.layout_rows(text, width)
    canvas = Canvas(width, len(rows), LOOK)
    for y, row in enumerate(rows):
        markup_text.paint_row(canvas, 0, y, row)
    return canvas


def test_paragraphs_are_filled_and_lists_hang():
    assert str(painted(PAGE, 26)).split("\n") == [
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


def test_headings_and_marked_words_are_bold_and_code_has_a_ground():
    canvas = painted(PAGE, 60)
    rows = str(canvas).split("\n")
    assert all(canvas.bold[0][:4])
    at = rows[1].index("No trump")
    assert canvas.bold[1][at - 2 : at + 10] == [False] * 2 + [True] * 2 + [False] + [True] * 5 + [False] * 2
    code = rows[1].index("play KH")
    assert set(canvas.grounds[1][code : code + 7]) == {THEME.grounds.track}
    assert canvas.grounds[1][code + 7] == THEME.grounds.felt
    assert canvas.bold[2][rows[2].index("dealer")]


def test_cards_in_a_text_have_the_ink_of_their_suit():
    canvas = painted("The QH falls.", 60)
    assert canvas.inks[0][4:6] == [THEME.suits.panel[2]] * 2


def test_indented_lines_stay_as_they_are_where_they_fit():
    assert str(painted("    7     draw 1\n    others  -", 20)) == "    7     draw 1\n    others  -"


def test_the_columns_of_indented_lines_are_broken_where_they_do_not_fit():
    text = "    7        the next player draws one card\n    others   nothing happens, QS stays"
    assert str(painted(text, 24)).split("\n") == [
        "7       the next player",
        "        draws one card",
        "others  nothing happens,",
        "        QS stays",
    ]


def test_columns_are_told_from_numbers_that_end_below_each_other_by_the_other_lines():
    text = "    rounds  1-12    1, 2 ... 12 cards each\n    rounds 13-16    13 cards each"
    assert str(painted(text, 30)).split("\n") == [
        "rounds 1-12   1, 2 ... 12",
        "              cards each",
        "rounds 13-16  13 cards each",
    ]


def test_a_free_row_stands_before_headings_and_between_paragraphs_only():
    assert str(painted("One.\n\n\nTwo.\n## Three\n\n\nFour.", 20)).split("\n") == [
        "One.", "", "Two.", "", "Three", "Four.",
    ]  # fmt: skip


@pytest.mark.parametrize("key", WITH_A_PAGE)
@pytest.mark.parametrize("width", [56, 76, MAX_TEXT_WIDTH])
def test_no_page_is_wider_than_its_place(key, width):
    rows = markup_text.layout_rows(paths.rules_file(key).read_text(encoding="utf-8"), width)
    assert max(piece.x + piece.width for row in rows for piece in row) <= width


class Host(App[None]):
    """App that shows the rules of one game, or another page."""

    def __init__(self, screen=None):
        super().__init__()
        self.shown = screen or rules.create_screen(AskedRoom(self), "rikiki")

    def on_mount(self):
        self.push_screen(self.shown)


class Sample(Screen[None]):
    """Page with every kind of markup."""

    def compose(self):
        yield RulesPage(AskedRoom(self.app), f"# Sample\n\n{PAGE}\n{PAGE}\n{PAGE}")


def body(app):
    """Return the rows between header and footer."""
    return screen_text(app).split("\n")[1:-2]


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (60, 18)])
async def test_a_page_on_the_screen(size):
    app = Host(Sample())
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        check(f"rules_{size[0]}x{size[1]}.txt", screen_text(app))


async def test_keys_scroll_from_the_beginning_to_the_end():
    app = Host()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        first = body(app)
        await pilot.press("down")
        second = body(app)
        assert second[1:-1] == first[2:]
        await pilot.press("pagedown")
        assert body(app)[1] == second[-1], "one row of the page before stays in sight"
        await pilot.press("pageup", "up")
        assert body(app) == first
        await pilot.press("end")
        last = body(app)
        assert "T is the ten." in last[-1]
        await pilot.press("down", "space")
        assert body(app) == last
        await pilot.press("home")
        assert body(app) == first


async def test_the_wheel_scrolls():
    app = Host()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        first = body(app)
        page = app.screen.query_one("RulesPage")
        page.on_wheel(1, 0)
        await pilot.pause()
        assert body(app)[1] == first[4]
        page.on_wheel(-1, 0)
        await pilot.pause()
        assert body(app) == first


@pytest.mark.parametrize("key", ["escape", "q", "i", "enter"])
async def test_these_keys_close_the_rules(key):
    app = Host()
    async with app.run_test() as pilot:
        await pilot.press(key)
        assert not shows(app, RulesPage)


async def test_any_key_puts_the_key_sheet_away_and_the_rules_stay():
    app = Host()
    async with app.run_test() as pilot:
        await pilot.pause()
        before = screen_text(app)
        await pilot.press("question_mark")
        assert "in the rules" in screen_text(app)
        await pilot.press("escape")
        assert screen_text(app) == before


async def test_another_width_keeps_about_the_same_words_in_sight():
    app = Host()
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("pagedown")
        top = " ".join(body(app)[1].split()[:4])
        await pilot.resize_terminal(60, 18)
        await pilot.pause()
        assert top in " ".join(" ".join(body(app)).split())
        assert max(map(len, body(app))) <= 60


async def test_keys_named_in_the_footer_can_be_clicked():
    app = Host()
    async with app.run_test(size=(80, 24)) as pilot:
        first = body(app)

        async def click(word):
            await pilot.click(offset=(screen_text(app).splitlines()[-1].index(word), 23))
            await pilot.pause()

        await click("scroll")
        assert body(app) != first
        await click("help")
        assert "any key closes" in screen_text(app)
        await click("closes")
        await click("back")
        assert not shows(app, RulesPage)
