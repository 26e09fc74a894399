"""Registry of game views."""

from functools import cache

from cardtable.games import GAMES, guard_part, import_submodule
from cardtable.ui.game_view.game_view import AnyGameView, GameView


@cache
def get_game_view(key: str) -> AnyGameView:
    """Return the game view from the game's ``table_view`` module, or the default view if the game has no such
    module.
    """
    if table := import_submodule(key, "table_view"):
        view: AnyGameView = guard_part(key, "TABLE_VIEW", table.TABLE_VIEW, GameView)
        return view
    from cardtable.ui.game_view.default_view import DefaultView  # noqa: PLC0415 - lazy: startup, only games without a view need it

    return DefaultView(GAMES[key])
