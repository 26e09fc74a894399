"""README of the toolkit: its example, and the modules it names."""

import importlib
import re
from pathlib import Path

import cardtable.ui.toolkit
from cardtable.ui.app import CardtableApp
from cardtable.ui.toolkit.preferences import Preferences
from tests.ui.driver import at_screen

TOOLKIT = Path(cardtable.ui.toolkit.__file__).parent
README = (TOOLKIT / "README.md").read_text(encoding="utf-8")


async def test_example_page_works(tmp_path, monkeypatch):
    [source] = re.findall(r"```python\n(.+?)```", README, re.DOTALL)
    (tmp_path / "counter_page.py").write_text(source, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    counter_page = importlib.import_module("counter_page")
    async with at_screen(CardtableApp(Preferences.load())) as screen:
        await screen.app.push_screen(counter_page.create_screen(screen.app.context))
        await screen.press("down up down")
        await screen.sees("0 counted", "↑ more   Esc back")
        await screen.press("up up")
        await screen.sees("2 counted", "↑ more   ↓ less   Esc back")
        await screen.press("?")
        await screen.sees("at the counter", "count down")


def test_named_modules_exist():
    named = re.findall(r"`((?:\w+/)*\w+\.py)`", README)
    assert named
    folders = (TOOLKIT, TOOLKIT.parents[1])
    assert [name for name in named if not any((folder / name).is_file() for folder in folders)] == []
