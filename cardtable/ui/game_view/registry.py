"""Registry of the games' table views."""

from functools import cache

from cardtable.games import GAMES, part
from cardtable.ui.game_view.game_view import AnyPiece


@cache
def piece(key: str) -> AnyPiece:
    """Return the table view of a game, or the default view if the game has none."""
    if table := part(key, "table_view"):
        view: AnyPiece = table.PIECE
        return view
    from cardtable.ui.game_view.default_view import usual_piece  # noqa: PLC0415 - lazy: startup, only games without a view need it

    return usual_piece(GAMES[key])
