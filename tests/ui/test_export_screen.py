"""Export page, and pictures of the screen."""

import re
from contextlib import asynccontextmanager
from xml.etree import ElementTree as ET

import pytest

from cardtable.store import paths, summaries
from cardtable.ui.picker.screen import Picker
from cardtable.ui.toolkit.dialog import Dialog
from cardtable.wording.export_formats import export_session
from tests.cli.playing import PEOPLE, ROBOTS, write_session
from tests.ui.driver import SIZES, SMALL, start_program

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


@pytest.mark.parametrize("size", SIZES)
async def test_golden_export_page(path, size):
    async with open_export(path, size) as (program, _):
        program.check_golden("export")


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


async def test_mouse_selects_and_saves(path):
    async with open_export(path) as (program, page):
        row = next(i for i, line in enumerate(program.text.splitlines()) if "Score sheet" in line)
        await program.click(10, row)
        await program.click(10, row)
        await program.wait_until(lambda: page.status.startswith("Saved as"))
    assert [file.suffix for file in paths.exports_folder().iterdir()] == [".csv"]


async def test_export_opens_from_replay(path):
    async with start_program() as program:
        program.app.context.show("replay", path)
        await program.sees("round 1 of")
        await program.press("e")
        await program.sees("Export")


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
