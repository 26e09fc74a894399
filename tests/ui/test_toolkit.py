"""README of the toolkit: its example, and the modules it names."""

import importlib
import re
from pathlib import Path

import cardtable.ui.toolkit
from cardtable.ui.app import CardtableApp
from cardtable.ui.toolkit.preferences import Preferences
from tests.ui.screen_text import screen_text

TOOLKIT = Path(cardtable.ui.toolkit.__file__).parent
README = (TOOLKIT / "README.md").read_text(encoding="utf-8")


async def test_example_page_works(tmp_path, monkeypatch):
    [source] = re.findall(r"```python\n(.+?)```", README, re.DOTALL)
    (tmp_path / "counter_page.py").write_text(source, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    counter_page = importlib.import_module("counter_page")
    app = CardtableApp(Preferences.load())
    async with app.run_test(size=(80, 24)) as pilot:
        await app.push_screen(counter_page.create_screen(app.context))
        await pilot.press("down", "up")
        await pilot.press("down")
        assert "0 counted" in screen_text(app)
        assert "↑ more   Esc back" in screen_text(app)
        await pilot.press("up", "up")
        assert "2 counted" in screen_text(app)
        assert "↑ more   ↓ less   Esc back" in screen_text(app)
        await pilot.press("?")
        assert "at the counter" in screen_text(app)
        assert "count down" in screen_text(app)


def test_named_modules_exist():
    named = re.findall(r"`((?:\w+/)*\w+\.py)`", README)
    assert named
    folders = (TOOLKIT, TOOLKIT.parents[1])
    assert [name for name in named if not any((folder / name).is_file() for folder in folders)] == []
