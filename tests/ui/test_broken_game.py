"""A plug-in game that raises at the table: the picker reports it, and the program continues."""

import pytest

from cardtable.engine.game import Zone
from cardtable.games import GAMES
from cardtable.store import paths, session_setup, summaries
from cardtable.ui.app import CardtableApp
from cardtable.ui.picker.screen import Picker
from cardtable.ui.toolkit.preferences import Preferences
from tests.failing_game import create_failing_game
from tests.toy.game_plugins import install_layaway
from tests.ui.current_screen import is_shown
from tests.ui.screen_text import list_notices, screen_text
from tests.ui.table_host import QUICK, wait_until


@pytest.mark.promise(
    "For maintainers",
    "A game of another package that raises is reported with package and place, without cards; the rest continues.",
)
@pytest.mark.parametrize("member", ["scene", "trick", "narrate", "marks", "legal", "apply", "view"])
async def test_failing_plug_in_game_is_reported(member):
    app = CardtableApp(Preferences(QUICK))
    async with app.run_test(size=(80, 24)) as pilot:
        app.context.begin(session_setup.create_default_setup(create_failing_game(member)))
        await wait_until(pilot, lambda: is_shown(app, Picker) and list_notices(app))
        (notice,) = list_notices(app)
        assert notice.startswith("Gurka (cardtable-gurka 1.0) has failed: LookupError in failing_game.py, line ")
        assert "AS KH" not in notice
        app.context.begin(session_setup.create_default_setup(GAMES["rikiki"]))
        await wait_until(pilot, lambda: "Rikiki  round 1" in screen_text(app))
    (file,) = paths.sessions_folder().glob("*gurka*.jsonl")
    assert summaries.summarize_full(file).trouble is None


@pytest.mark.promise(
    "For maintainers",
    "A game of another package that raises is reported with package and place, without cards; the rest continues.",
)
@pytest.mark.parametrize(
    ("member", "result", "message"),
    [
        ("scene", None, "scene gives nothing"),
        ("scene", ("hand",), "scene gives str in place of Zone"),
        ("scene", (Zone("hand", 0, ("AS",)),), "scene gives str in place of a card"),
        ("legal", ["play AS"], "legal gives str in place of Action"),
        ("view", None, "view gives nothing"),
        ("trick", 7, "trick gives int"),
        ("narrate", "You play", "narrate gives str"),
    ],
)
async def test_wrong_type_is_reported_once(member, result, message):
    app = CardtableApp(Preferences(QUICK))
    async with app.run_test(size=(80, 24)) as pilot:
        app.context.begin(session_setup.create_default_setup(create_failing_game(member, lambda *_: result)))
        await wait_until(pilot, lambda: is_shown(app, Picker) and list_notices(app))
        await pilot.pause(0.2)
        (notice,) = list_notices(app)
        assert notice.startswith(f"Gurka (cardtable-gurka 1.0) has failed: {message}")
        assert app.return_code is None


TABLE_VIEW = """
from msgspec.structs import replace
from cardtable.ui.game_view.default_view import create_default_view
from layaway_with_parts import GAME
TABLE_VIEW = replace(create_default_view(GAME), {})
"""


@pytest.mark.promise(
    "For maintainers",
    "A game of another package that raises is reported with package and place, without cards; the rest continues.",
)
@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("TABLE_VIEW = 3", "TABLE_VIEW is int in place of GameView"),
        (TABLE_VIEW.format("header=lambda view: 3"), "TABLE_VIEW.header gives int in place of HeaderFacts"),
        (
            TABLE_VIEW.format("sections=lambda *_: (3,)"),
            "TABLE_VIEW.sections gives tuple in place of tuple[Section, ...]",
        ),
        (TABLE_VIEW.format("middle=lambda *_: 1 // 0"), "ZeroDivisionError in table_view.py, line 5"),
    ],
)
async def test_broken_table_view_is_reported(monkeypatch, tmp_path, source, message):
    app = CardtableApp(Preferences(QUICK))
    with install_layaway(monkeypatch, tmp_path, table_view=source):
        async with app.run_test(size=(80, 24)) as pilot:
            app.context.begin(session_setup.create_default_setup(GAMES["layaway"]))
            await wait_until(pilot, lambda: is_shown(app, Picker) and list_notices(app))
            (notice,) = list_notices(app)
            assert notice.startswith(f"Layaway (layaway 1.0) has failed: {message};")
            assert app.return_code is None
