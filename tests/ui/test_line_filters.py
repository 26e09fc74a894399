"""Line filters: ASCII, no colours, letters for suits. UPDATE_GOLDEN=1 rewrites the golden files."""

from itertools import product
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color
from textual.strip import Strip

import cardtable
from cardtable.engine import text_format
from cardtable.engine.cards import card
from cardtable.store import paths
from cardtable.store.settings import Settings
from cardtable.ui.app import CardtableApp
from cardtable.ui.toolkit.painting import card_faces, themes
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.svg import build_filters
from cardtable.ui.toolkit.painting.themes import Appearance, RenderOptions
from cardtable.ui.toolkit.preferences import Preferences
from cardtable.wording.formatting import REPLACEMENT, to_ascii
from tests.ui.canvas_rendering import generate_rounds, make_frame, render_round_end
from tests.ui.driver import SMALL, TINY, Driver, at_screen, sit_at
from tests.ui.table_host import create_session

PROGRAM = Path(cardtable.__file__).parent
THEME, _ = themes.load_theme("classic", paths.theme_files())
FELT = Color.parse(THEME.grounds.felt)
ASCII_SETTINGS = Settings(robot_pace=0, trick_pause=0, ascii=True)


def apply_filters(strip, *, ascii=False, mono=False, suit_letters=False):  # noqa: A002 - the flag's word
    """Return a strip as it is sent to the terminal."""
    for each in build_filters(RenderOptions(ascii, mono, suit_letters)):
        strip = strip.apply_filter(each, FELT)
    return strip


def in_ascii(text):
    return apply_filters(Strip([Segment(text)]), ascii=True).text


def test_every_character_in_source_has_ascii_replacement():
    typed_only = "keyboard_layouts.py"
    files = [path for path in PROGRAM.rglob("*.py") if path.name != typed_only]
    written = {*"".join(path.read_text(encoding="utf-8") for path in files)} - {*text_format._CONFUSABLE}
    assert [sign for sign in sorted(written) if to_ascii(sign) == REPLACEMENT and sign != REPLACEMENT] == []


@pytest.mark.parametrize(
    ("text", "replacement"),
    [
        ("10♥ Q♠ 2♦ 9♣", "10H QS 2D 9C"),
        ("★ ▌ ▲ ● •", "* > ^ o *"),
        ("‹9 ▏K ▕ × − – …", "<9 |K | x - - ~"),
        ("←→ card  ↑↓ line  ↺ ↗↘↙↖", "<> card  ^v line  o /\\/\\"),
        ("⠉⠒⠤⣀⡇⣿\u2800", "''..:: "),
        ("Renée Ångström Øyvind Straße", "Renee Angstrom Oyvind Strase"),
        ("Ελένη", "?????"),
        ("李小龍", "? ? ? "),
        ("e\u0301\u200b", "e"),
    ],
)
def test_ascii_replacement_keeps_width(text, replacement):
    assert in_ascii(text) == replacement
    assert cell_len(in_ascii(text)) == cell_len(text)


def test_every_printable_character_keeps_width_in_ascii():
    for start in range(0, 0x20000, 64):
        text = "".join(char for code in range(start, start + 64) if (char := chr(code)).isprintable())
        assert in_ascii(text).isascii()
        assert cell_len(in_ascii(text)) == cell_len(text)


@pytest.mark.parametrize(("key", "seed"), [("rikiki", 11), ("rummy", 3)])
async def test_ascii_table_golden(key, seed):
    async with sit_at(create_session(key, seed), settings=ASCII_SETTINGS) as table:
        table.screen.table_keys.action_commit()
        await table.wait_for_input()
        await table.check_golden_in_sizes(f"{key}_ascii", (SMALL, TINY))
        assert table.text.isascii()


def list_attributes(strip):
    """Return each character that is not blank with its reverse, bold and dim attributes."""
    return [
        (char, bool(style.reverse), bool(style.bold), bool(style.dim))
        for text, style, _ in strip
        for char in text
        if char != " "
    ]


def render_mono_row(paint, y):
    """Return the attributes of row `y`, without colours, of a canvas painted by `paint`."""
    canvas = Canvas(20, 8, Appearance(THEME))
    paint(canvas)
    return list_attributes(apply_filters(canvas.render_row(y), mono=True))


def test_mono_card_states_are_distinct():
    looks = {
        "usual": card_faces.CardLook(),
        "dimmed": card_faces.CardLook(dimmed=True),
        "leads": card_faces.CardLook(is_winning=True),
        "must": card_faces.CardLook(is_mandatory=True, footer="must"),
    }
    seen = {
        name: [
            render_mono_row(
                lambda canvas, look=look: card_faces.paint_card(canvas, 0, 0, card_faces.FULL, card("QH"), look), y
            )
            for y in range(5)
        ]
        for name, look in looks.items()
    }
    for i, one in enumerate(seen):
        for other in list(seen)[i + 1 :]:
            assert seen[one] != seen[other], (one, other)
    assert ("Q", True, True, False) in seen["usual"][0], "a card is a light block"
    assert ("Q", False, False, False) in seen["dimmed"][0], "a forbidden card is not a light block"


def test_mono_output_has_no_colours():
    canvas = render_round_end(make_frame(generate_rounds(16)))
    for y in range(canvas.height):
        for _, style, _ in apply_filters(canvas.render_row(y), mono=True):
            assert style.color is None
            assert style.bgcolor is None


async def test_display_settings_apply_immediately():
    def has_colours():
        styles = [table.app.screen.get_style_at(x, y) for x, y in product(range(80), range(24))]
        return any(style.color or style.bgcolor for style in styles)

    async with at_screen(CardtableApp(Preferences(Settings(robot_pace=0), None))) as table:
        await table.sees("♠")
        table.app.preferences.change(suit_letters=True)
        await table.pilot.pause()
        assert "♠" not in table.text
        await table.sees("▌")
        table.app.preferences.change(ascii=True)
        await table.pilot.pause()
        assert table.text.isascii()
        assert has_colours()
        table.app.preferences.change(mono=True, ascii=False)
        await table.sees("▌")
        assert not has_colours()


async def test_notifications_and_palette_obey_ascii():
    app = CardtableApp(Preferences(Settings(ascii=True, mono=True)))
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await pilot.pause()
        app.notify("René is … away")
        table = Driver(app, pilot)
        await table.sees("Rene is ~ away")
        await table.press("ctrl+p")
        assert table.text.isascii()


def test_no_color_variable_disables_colours(monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    assert Preferences(Settings()).render_options.mono
    monkeypatch.setenv("NO_COLOR", "")
    assert not Preferences(Settings()).render_options.mono


def test_default_theme_depends_on_colour_support():
    assert Preferences(Settings()).theme_name == "classic"
    assert Preferences(Settings(), few_colours=True).theme_name == "ansi"
    assert Preferences(Settings(theme="night"), few_colours=True).theme_name == "night"
    assert Preferences(Settings(theme="classic"), few_colours=True).theme_name == "classic"
