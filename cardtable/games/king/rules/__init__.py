"""Rules of King: the dealer names the contract of the round, which mostly says what costs points.

``rules.md`` explains the game to players.
"""

from typing import Final

from cardtable.games.king.rules.game import KingGame

GAME: Final = KingGame()
