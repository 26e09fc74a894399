"""Export page, and pictures of the screen."""

import re
from xml.etree import ElementTree as ET

import pytest

from cardtable.store import paths, summaries
from cardtable.ui.app import CardtableApp
from cardtable.ui.picker.screen import Picker
from cardtable.ui.toolkit.dialog import Dialog
from cardtable.ui.toolkit.preferences import Preferences
from cardtable.wording.export_formats import export_session
from tests.cli.playing import PEOPLE, ROBOTS, write_session
from tests.golden_files import check_golden
from tests.ui.current_screen import is_shown
from tests.ui.screen_text import screen_text
from tests.ui.table_host import wait_until

ID = "20261120-083728-rikiki-7f3a"


@pytest.fixture
def path():
    paths.create_folder(paths.archive_folder())
    write_session(paths.archive_folder() / f"{ID}.jsonl", ROBOTS, rounds=2)
    return paths.archive_folder() / f"{ID}.jsonl"


async def open_export(pilot, path):
    pilot.app.context.show("export", path)
    await wait_until(pilot, lambda: "Export" in screen_text(pilot.app))
    return pilot.app.screen.page


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (60, 18)])
async def test_golden_export_page(path, size):
    app = CardtableApp(Preferences.load())
    async with app.run_test(size=size) as pilot:
        await open_export(pilot, path)
        check_golden(f"export_{size[0]}x{size[1]}.txt", screen_text(app))


@pytest.mark.parametrize(
    ("downs", "form", "ending"), [(0, "markdown", ".md"), (1, "csv", ".csv"), (2, "journal", ".jsonl")]
)
async def test_saves_every_format_without_overwriting(path, downs, form, ending):
    app = CardtableApp(Preferences.load())
    async with app.run_test() as pilot:
        page = await open_export(pilot, path)
        await pilot.press(*["down"] * downs, "enter")
        await wait_until(pilot, lambda: page.status.startswith("Saved as"))
        page.status = ""
        await pilot.press("enter")
        await wait_until(pilot, lambda: page.status.startswith("Saved as"))
        await pilot.press("escape")
        await wait_until(pilot, lambda: is_shown(app, Picker))
    saved = sorted(file.name for file in paths.exports_folder().iterdir())
    assert saved == [f"{ID}-2{ending}", f"{ID}{ending}"]
    assert (paths.exports_folder() / saved[1]).read_bytes() == export_session(path, form)


async def test_mouse_selects_and_saves(path):
    app = CardtableApp(Preferences.load())
    async with app.run_test(size=(80, 24)) as pilot:
        page = await open_export(pilot, path)
        row = next(i for i, line in enumerate(screen_text(app).splitlines()) if "Score sheet" in line)
        await pilot.click(offset=(10, row))
        await pilot.click(offset=(10, row))
        await wait_until(pilot, lambda: page.status.startswith("Saved as"))
    assert [file.suffix for file in paths.exports_folder().iterdir()] == [".csv"]


async def test_export_opens_from_replay(path):
    app = CardtableApp(Preferences.load())
    async with app.run_test() as pilot:
        app.context.show("replay", path)
        await wait_until(pilot, lambda: "round 1 of" in screen_text(app))
        await pilot.press("e")
        await wait_until(pilot, lambda: "Export" in screen_text(app))


async def test_write_error_is_shown(path):
    paths.exports_folder().write_text("a file where the folder should be")
    app = CardtableApp(Preferences.load())
    async with app.run_test() as pilot:
        page = await open_export(pilot, path)
        await pilot.press("enter")
        await wait_until(pilot, lambda: "cannot be written" in page.status)


async def test_export_of_a_session_in_play_asks_first():
    paths.create_folder(paths.sessions_folder())
    write_session(paths.sessions_folder() / f"{ID}.jsonl", PEOPLE)
    (in_play,) = summaries.list_unfinished()
    app = CardtableApp(Preferences.load())
    async with app.run_test() as pilot:
        page = await open_export(pilot, in_play.path)
        await pilot.press("enter")
        await wait_until(pilot, lambda: is_shown(app, Dialog))
        await pilot.press("escape")
        await wait_until(pilot, lambda: app.screen.page is page)
        assert page.status == ""
        assert not paths.exports_folder().exists()
        await pilot.press("enter")
        await wait_until(pilot, lambda: is_shown(app, Dialog))
        await pilot.press("enter")
        await wait_until(pilot, lambda: page.status.startswith("Saved as"))
    (saved,) = paths.exports_folder().iterdir()
    assert saved.read_bytes() == export_session(in_play.path, "markdown", as_open=True)


async def test_f3_saves_picture_of_screen():
    app = CardtableApp(Preferences.load())
    async with app.run_test() as pilot:
        await pilot.press("f3")
        await wait_until(pilot, lambda: paths.exports_folder().is_dir() and any(paths.exports_folder().iterdir()))
    (picture,) = paths.exports_folder().iterdir()
    assert picture.suffix == ".svg"
    text = picture.read_text()
    assert "Rikiki" in text
    assert not re.search("url|href|https|@", text), "a picture loads nothing"
    assert ET.fromstring(text).get("viewBox") == "0 0 640 384"
