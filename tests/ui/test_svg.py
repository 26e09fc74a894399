"""Pictures of cells as SVG: rectangles, texts, escaping, and nothing that is loaded from elsewhere."""

import re
from xml.etree import ElementTree as ET

import pytest
from rich.segment import Segment
from rich.style import Style

from cardtable.store.settings import Settings
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.svg import format_canvas, format_svg
from cardtable.ui.toolkit.painting.themes import RenderOptions
from cardtable.ui.toolkit.preferences import Preferences
from docs import pictures

SVG = "{http://www.w3.org/2000/svg}"
RED, BLUE = Style(color="#ff0000", bgcolor="#000000"), Style(color="#ffffff", bgcolor="#0000ff")


def draw(*rows, title="A picture"):
    """Return the picture of rows of segments as a parsed document."""
    width = max(sum(segment.cell_length for segment in row) for row in rows)
    return ET.fromstring(format_svg(rows, width, title))


def list_texts(picture):
    """Return the texts of a picture with their left edges in columns; a single character has its middle there."""
    return [(float(text.get("x")) / 8, text.text) for text in picture.iter(f"{SVG}text")]


def list_rectangles(picture):
    """Return left, top, width, height and colour of the rectangles, without the one of the whole picture."""
    names = ("x", "y", "width", "height")
    return [(*[int(one.get(name)) for name in names], one.get("fill")) for one in picture.findall(f"{SVG}g/{SVG}rect")]


def test_words_are_as_wide_as_their_cells():
    (text,) = draw([Segment("  two words  ", RED)]).iter(f"{SVG}text")
    assert (text.text, text.get("x"), text.get("textLength")) == ("two words", "16", "72")
    assert text.get("fill") == "#ff0000"


def test_symbols_do_not_shift_the_letters_beside_them():
    assert list_texts(draw([Segment("10♠ Zoë→x", RED)])) == [(0, "10"), (2.5, "♠"), (4, "Zoë"), (7.5, "→"), (8.5, "x")]


def test_columns_stay_aligned_after_wide_and_combining_characters():
    assert list_texts(draw([Segment("日本 e\u0301x  y", RED)])) == [(0, "日本"), (5, "e\u0301x"), (9.5, "y")]


def test_equal_backgrounds_are_one_rectangle():
    row = [Segment("   ", RED), Segment("ab", BLUE), Segment("c", BLUE + Style(bold=True)), Segment("    ", RED)]
    assert list_rectangles(draw(row, row)) == [(24, 0, 24, 32, "#0000ff")]


@pytest.mark.parametrize(
    ("char", "rectangles"),
    [
        ("█", [(0, 0, 8, 16, "#ff0000")]),
        ("▌", [(0, 0, 4, 16, "#ff0000")]),
        ("▏", [(0, 0, 1, 16, "#ff0000")]),
        ("▕", [(7, 0, 1, 16, "#ff0000")]),
        ("▁", [(0, 14, 8, 2, "#ff0000")]),
        ("▙", [(0, 0, 4, 8, "#ff0000"), (0, 8, 8, 8, "#ff0000")]),
        ("▒", [(0, 0, 8, 16, "#7f0000")]),
    ],
)
def test_block_characters_are_rectangles(char, rectangles):
    picture = draw([Segment(char, RED)])
    assert list_rectangles(picture) == rectangles
    assert list_texts(picture) == []


def test_looks_of_text():
    style = RED + Style(bold=True, underline=True)
    (text,) = draw([Segment("link", style)]).iter(f"{SVG}text")
    assert (text.get("font-weight"), text.get("text-decoration")) == ("bold", "underline")
    (reverse,) = draw([Segment("x", RED + Style(reverse=True))]).iter(f"{SVG}text")
    assert reverse.get("fill") == "#000000"
    (dim,) = draw([Segment("x", RED + Style(dim=True))]).iter(f"{SVG}text")
    assert dim.get("fill") == "#7f0000"


def test_escapes_markup_and_characters_that_xml_forbids():
    hostile = "<b>&\"']]>\x1b\x00\ufffe\ud800"
    picture = draw([Segment(hostile, RED)], title=hostile)
    assert picture.find(f"{SVG}title").text == "<b>&\"']]>\ufffd\ufffd\ufffd\ufffd"
    assert "".join(text for _, text in list_texts(picture)).startswith("<b>&\"']]>")


@pytest.mark.parametrize("options", [RenderOptions(ascii=True, mono=False, suit_letters=False)])
def test_canvas_is_drawn_with_line_filters(options):
    canvas = Canvas(20, 2, Preferences(Settings()).appearance)
    canvas.write(1, 1, "Q♠ ▌", canvas.theme.inks.gold)
    assert "♠" in format_canvas(canvas, "x", RenderOptions(ascii=False, mono=False, suit_letters=False))
    assert format_canvas(canvas, "x", options).isascii()
    mono = format_canvas(canvas, "x", options._replace(mono=True))
    assert set(re.findall('fill="(.*?)"', mono)) == {"#000000", "#ffffff"}


def test_empty_picture_is_valid():
    assert ET.fromstring(format_svg([], 0, "")).get("width") == "0"


async def test_readme_pictures_are_up_to_date():
    saved_pictures = {file.stem: file.read_text(encoding="utf-8") for file in pictures.FOLDER.glob("*.svg")}
    drawn_pictures = await pictures.drawn()
    assert {name: pictures.text(svg) for name, svg in saved_pictures.items()} == {
        name: pictures.text(svg) for name, svg in drawn_pictures.items()
    }
    assert not [name for name, svg in saved_pictures.items() if "url" in svg or "https" in svg]
