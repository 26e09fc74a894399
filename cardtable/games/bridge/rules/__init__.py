"""Rules of Bridge, a shedding game with 36 cards: match the suit or rank of the top card; a jack names the suit.

``rules.md`` explains the game to players.
"""

from typing import Final

from cardtable.games.bridge.rules.game import BridgeGame

GAME: Final = BridgeGame()
