"""Each game's part of the table screen, by its key."""

from functools import cache

from cardtable.games import GAMES, part
from cardtable.ui.game_view.game_view import AnyPiece


@cache
def piece(key: str) -> AnyPiece:
    """The piece of the game of a key: its part of the table, or what is usual where it has none."""
    if table := part(key, "table_view"):
        found: AnyPiece = table.PIECE
        return found
    from cardtable.ui.game_view.default_view import usual_piece  # noqa: PLC0415 - only for games without

    return usual_piece(GAMES[key])
