"""Rules of Rifki, the Turkish King: each round has a contract to avoid certain cards or to win tricks.

``rules.md`` explains the game to players.
"""

from typing import Final

from cardtable.games.rifki.rules.game import RifkiGame

GAME: Final = RifkiGame()
