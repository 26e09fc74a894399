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
from tests.ui.current_screen import is_shown
from tests.ui.driver import at_screen
from tests.ui.recording_context import RecordingContext

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


@pytest.mark.parametrize(
    ("text", "width", "rows"),
    [
        (
            PAGE,
            26,
            "Play|Follow suit if you can. No|trump beats play KH.|• the dealer leads, and|  the Q♥ falls to the 10♠"
            "|• the winner leads|1. one|2. two||    took      points|    13   13       36|After it.",
        ),
        ("    7     draw 1\n    others  -", 20, "    7     draw 1|    others  -"),
        (
            "    7        the next player draws one card\n    others   nothing happens, QS stays",
            24,
            "7       the next player|        draws one card|others  nothing happens,|        QS stays",
        ),
        (
            "    rounds  1-12    1, 2 ... 12 cards each\n    rounds 13-16    13 cards each",
            30,
            "rounds 1-12   1, 2 ... 12|              cards each|rounds 13-16  13 cards each",
        ),
        ("One.\n\n\nTwo.\n## Three\n\n\nFour.", 20, "One.||Two.||Three|Four."),
    ],
    ids=["paragraphs and lists", "fitting lines", "wide columns", "columns and numbers", "blank rows"],
)
def test_layout_of_texts(text, width, rows):
    assert str(paint_text(text, width)).split("\n") == rows.split("|")


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


def read_body(screen):
    """Return the rows between header and footer."""
    return screen.rows[1:-1]


async def test_rules_page_golden():
    async with at_screen(Host(Sample())) as screen:
        await screen.pilot.pause()
        await screen.check_golden_in_sizes("rules")


async def test_keys_scroll_to_both_ends():
    async with at_screen(Host()) as screen:
        await screen.pilot.pause()
        first = read_body(screen)
        await screen.press("down")
        second = read_body(screen)
        assert second[1:-1] == first[2:]
        await screen.press("pagedown")
        assert read_body(screen)[1] == second[-1], "one row of the page before stays in sight"
        await screen.press("pageup up")
        assert read_body(screen) == first
        await screen.press("end")
        last = read_body(screen)
        assert "T is the ten." in last[-1]
        await screen.press("down space")
        assert read_body(screen) == last
        await screen.press("home")
        assert read_body(screen) == first


async def test_search():
    async with at_screen(Host(Sample()), (60, 18)) as screen:
        await screen.press("slash", *"TRUMP")
        await screen.sees("Search  TRUMP", "1 of 3")
        await screen.press("enter enter")
        await screen.sees("3 of 3")
        assert any("No trump" in row for row in read_body(screen))
        await screen.press("enter")
        await screen.sees("1 of 3")
        await screen.press(*"q")
        await screen.sees("not found")
        await screen.press("enter escape")
        assert "Search" not in screen.text


async def test_glossary_golden():
    async with at_screen(Host()) as screen:
        await screen.press("i")
        await screen.check_golden_in_sizes("glossary")
        await screen.press("i")
        assert is_shown(screen.app, RulesPage)
        await screen.sees("Rikiki")
