"""The piece of each game: its part of the table, or what is usual where it has none."""

from functools import cache

from cardtable.games import GAMES, part
from cardtable.ui.kit.piece import AnyPiece


@cache
def piece(key: str) -> AnyPiece:
    """That of the game of a key."""
    if table := part(key, "table"):
        found: AnyPiece = table.PIECE
        return found
    from cardtable.ui.kit.usual_piece import usual_piece  # noqa: PLC0415 - only for games without

    return usual_piece(GAMES[key])
