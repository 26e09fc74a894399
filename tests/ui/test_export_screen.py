"""Export page, and pictures of the screen as SVG."""

import re
from contextlib import asynccontextmanager
from xml.etree import ElementTree as ET

import pytest
from rich.segment import Segment
from rich.style import Style

from cardtable.store import paths, summaries
from cardtable.store.settings import Settings
from cardtable.ui.picker.screen import Picker
from cardtable.ui.toolkit.dialog import Dialog
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.svg import format_canvas, format_svg
from cardtable.ui.toolkit.painting.themes import RenderOptions
from cardtable.ui.toolkit.preferences import Preferences
from cardtable.wording.export_formats import export_session
from docs import pictures
from tests.cli.playing import PEOPLE, ROBOTS, write_session
from tests.ui.driver import SMALL, start_program

ID = "20261120-083728-rikiki-7f3a"


@pytest.fixture
def path():
    paths.create_folder(paths.archive_folder())
    write_session(paths.archive_folder() / f"{ID}.jsonl", ROBOTS, rounds=2)
    return paths.archive_folder() / f"{ID}.jsonl"


@asynccontextmanager
async def open_export(path, size=SMALL):
    """Open the export page of a session, and yield the program and the page."""
    async with start_program(size=size) as program:
        program.app.context.show("export", path)
        await program.sees("Export")
        yield program, program.app.screen.page


async def test_golden_export_page(path):
    async with open_export(path) as (program, _):
        await program.check_golden_in_sizes("export")


@pytest.mark.parametrize(
    ("downs", "form", "ending"), [(0, "markdown", ".md"), (1, "csv", ".csv"), (2, "journal", ".jsonl")]
)
async def test_saves_every_format_without_overwriting(path, downs, form, ending):
    async with open_export(path) as (program, page):
        await program.press("down " * downs + "enter")
        await program.wait_until(lambda: page.status.startswith("Saved as"))
        page.status = ""
        await program.press("enter")
        await program.wait_until(lambda: page.status.startswith("Saved as"))
        await program.press("escape")
        await program.is_at(Picker)
    saved = sorted(file.name for file in paths.exports_folder().iterdir())
    assert saved == [f"{ID}-2{ending}", f"{ID}{ending}"]
    assert (paths.exports_folder() / saved[1]).read_bytes() == export_session(path, form)


async def test_write_error_is_shown(path):
    paths.exports_folder().write_text("a file where the folder should be")
    async with open_export(path) as (program, page):
        await program.press("enter")
        await program.wait_until(lambda: "cannot be written" in page.status)


async def test_export_of_a_session_in_play_asks_first():
    paths.create_folder(paths.sessions_folder())
    write_session(paths.sessions_folder() / f"{ID}.jsonl", PEOPLE)
    (in_play,) = summaries.list_unfinished()
    async with open_export(in_play.path) as (program, page):
        await program.press("enter")
        await program.is_at(Dialog)
        await program.press("escape")
        await program.wait_until(lambda: program.app.screen.page is page)
        assert page.status == ""
        assert not paths.exports_folder().exists()
        await program.press("enter")
        await program.is_at(Dialog)
        await program.press("enter")
        await program.wait_until(lambda: page.status.startswith("Saved as"))
    (saved,) = paths.exports_folder().iterdir()
    assert saved.read_bytes() == export_session(in_play.path, "markdown", as_open=True)


async def test_f3_saves_picture_of_screen():
    async with start_program() as program:
        await program.press("f3")
        await program.wait_until(lambda: paths.exports_folder().is_dir() and any(paths.exports_folder().iterdir()))
    (picture,) = paths.exports_folder().iterdir()
    assert picture.suffix == ".svg"
    text = picture.read_text()
    assert "Rikiki" in text
    assert not re.search("url|href|https|@", text), "a picture loads nothing"
    assert ET.fromstring(text).get("viewBox") == "0 0 640 384"


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


async def test_readme_pictures_are_up_to_date():
    saved_pictures = {file.stem: file.read_text(encoding="utf-8") for file in pictures.FOLDER.glob("*.svg")}
    drawn_pictures = await pictures.drawn()
    assert {name: pictures.text(svg) for name, svg in saved_pictures.items()} == {
        name: pictures.text(svg) for name, svg in drawn_pictures.items()
    }
    assert not [name for name, svg in saved_pictures.items() if "url" in svg or "https" in svg]
