"""A plug-in game that raises at the table: the picker reports it, and the program continues."""

from inspect import get_annotations

import pytest

from cardtable.engine.errors import GameFailed
from cardtable.engine.plugin_guard import call_directly, guard_part
from cardtable.games import GAMES
from cardtable.store import paths, session_setup, summaries
from cardtable.ui.game_view.default_view import DefaultView
from cardtable.ui.game_view.game_view import GameView
from cardtable.ui.picker.screen import Picker
from tests.failing_game import create_failing_game, raise_lookup_error
from tests.overriding import override
from tests.toy.game_plugins import install_layaway
from tests.ui.driver import start_program


async def read_failure(program, game):
    """Begin a session of a game that fails; return the notice in the picker."""
    program.app.context.begin(session_setup.create_default_setup(game))
    await program.is_at(Picker)
    await program.wait_until(lambda: program.notices)
    (notice,) = program.notices
    assert program.app.return_code is None
    return notice


@pytest.mark.parametrize("member", ["scene", "trick", "narrate", "marks", "legal", "apply", "view"])
async def test_failing_plug_in_game_is_reported(member):
    async with start_program(robot_pace=0) as program:
        notice = await read_failure(program, create_failing_game(member))
        assert notice.startswith("Gurka (cardtable-gurka 1.0) has failed: LookupError in failing_game.py, line ")
        assert "AS KH" not in notice
        program.app.context.begin(session_setup.create_default_setup(GAMES["rikiki"]))
        await program.sees("Rikiki  round 1")
    (file,) = paths.sessions_folder().glob("*gurka*.jsonl")
    assert summaries.summarize_full(file).error is None


def list_members(base):
    """Return the names of what a subclass of ``base`` can define, without its facts and final members."""
    final = {"hand_orders", "sort_cards", "list_melded_cards"}
    return sorted({name for name in dir(base) if name[0] != "_"} - {*get_annotations(base)} - final)


@pytest.mark.parametrize("name", list_members(GameView))
def test_every_method_of_a_table_view_is_guarded(name):
    failing = override(DefaultView(GAMES["gurka"]), **{name: raise_lookup_error})
    guarded = guard_part("TABLE_VIEW", failing, GameView, lambda error: GameFailed(repr(error)), call_directly)
    with pytest.raises(GameFailed, match="LookupError"):
        getattr(guarded, name)(None, None)


TABLE_VIEW = """
from cardtable.ui.game_view.default_view import DefaultView
from layaway_with_parts import GAME
class View(DefaultView):
    {}
TABLE_VIEW = View(GAME)
"""


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("TABLE_VIEW = 3", "TABLE_VIEW is int in place of GameView"),
        (TABLE_VIEW.format("header = lambda self, view: 3"), "TABLE_VIEW.header gives int in place of HeaderFacts"),
        (TABLE_VIEW.format("sections = lambda *_: (3,)"), "TABLE_VIEW.sections gives int in place of Section"),
        (TABLE_VIEW.format("wide = 'yes'"), "TABLE_VIEW.wide is str in place of bool"),
        (TABLE_VIEW.format("middle = lambda *_: 1 // 0"), "ZeroDivisionError in table_view.py, line 5"),
    ],
)
async def test_broken_table_view_is_reported(monkeypatch, tmp_path, source, message):
    with install_layaway(monkeypatch, tmp_path, table_view=source):
        async with start_program(robot_pace=0) as program:
            notice = await read_failure(program, GAMES["layaway"])
            assert notice.startswith(f"Layaway (layaway 1.0) has failed: {message};")
