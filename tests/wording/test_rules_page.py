"""House rules of a table, marked in the rules page of every game."""

import re

import pytest
from textual.app import App

from cardtable.engine.options import list_choices
from cardtable.games import GAMES
from cardtable.store import paths
from cardtable.ui.rules import create_screen
from cardtable.ui.toolkit.painting import markup_text, themes
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.themes import Appearance
from cardtable.wording.rules_page import mark_options, read_rules
from tests.every_game import GAMES_WITH_RULES
from tests.golden_files import check_golden
from tests.toy import layaway
from tests.toy.game_plugins import plug_in
from tests.ui.recording_context import RecordingContext
from tests.ui.screen_text import screen_text

THEME, _ = themes.load_theme("classic", paths.theme_files())
APPEARANCE = Appearance(THEME)


def read_page(key):
    return paths.rules_file(key).read_text(encoding="utf-8")


def iter_options(key):
    """Yield options in which each value is in force once, with a clock as well."""
    kind = GAMES[key].options
    for option in list_choices(kind):
        for value in (*option.values, *[17] * option.minutes):
            yield option, value, kind(**{option.name: value})


@pytest.mark.parametrize("key", GAMES_WITH_RULES)
def test_marks_exactly_the_value_in_force(key):
    for option, value, options in iter_options(key):
        text = mark_options(read_page(key), options)
        part = re.split(r"^`\w+` - ", text, flags=re.MULTILINE)
        names = re.findall(r"^`(\w+)` - ", text, flags=re.MULTILINE)
        assert sorted(names) == sorted(options.to_dict()), "every option has a place, and one only"
        listed = part[1 + names.index(option.name)].partition("\n## ")[0]
        [marked] = re.findall(r"^\+ (.*)$", listed, flags=re.MULTILINE)
        label = option.format_value(value)
        named = f"**{label}**" if value == 17 else f"`{value}`" if label == value else f"{label} (`{value}`"
        assert marked.startswith(named), (option.name, value)
        others = re.findall(r"^\* (.*)$", listed, flags=re.MULTILINE)
        assert len(others) == len(option.values) - 1 + option.minutes, "the list has every value"


@pytest.mark.parametrize("key", GAMES_WITH_RULES)
def test_marks_one_value_of_each_option(key):
    options = GAMES[key].options()
    assert len(re.findall(r"^\+ ", mark_options(read_page(key), options), flags=re.MULTILINE)) == len(options.to_dict())


@pytest.mark.parametrize("key", GAMES_WITH_RULES)
def test_changes_nothing_but_the_options(key):
    before, _, after = read_page(key).partition("\n## Options")
    rest = after.partition("\n## ")[2]
    marked = mark_options(read_page(key), GAMES[key].options())
    assert marked.startswith(before)
    assert marked.endswith(rest)
    assert len(marked.split("\n")) == len(read_page(key).split("\n"))


def test_docstring_gets_its_options(monkeypatch):
    plug_in(monkeypatch, layaway)
    page = mark_options(read_rules("layaway"), GAMES["layaway"].options(length=1))
    assert page.endswith(
        """
## Options

`length` - Number of rounds

* 3 rounds (`3`, default)
+ 1 round (`1`)
""".rstrip()
    )


def test_mark_is_gold_and_bold():
    rows = markup_text.layout_rows("+ here\n* there\n- a list", 40)
    canvas = Canvas(40, 3, APPEARANCE)
    for y, row in enumerate(rows):
        markup_text.paint_row(canvas, 0, y, row)
    assert str(canvas).split("\n") == ["• here", "· there", "• a list"]
    assert [(canvas.inks[y][0], canvas.bold[y][0]) for y in range(3)] == [
        (THEME.inks.gold, True), (THEME.inks.soft, False), (THEME.inks.soft, False),
    ]  # fmt: skip


class RulesApp(App[None]):
    def on_mount(self):
        options = GAMES["rikiki"].options(hook="never", round_clock=7)
        self.push_screen(create_screen(RecordingContext(self), "rikiki", options))


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_golden_screen(size):
    app = RulesApp()
    async with app.run_test(size=size) as pilot:
        await pilot.press("end", *["up"] * 14)
        check_golden(f"rules_in_force_{size[0]}x{size[1]}.txt", screen_text(app))
