"""Rules of two-player Rummy: meld sequences and groups, and draw any number of cards from the face-up pile.

``rules.md`` explains the game to players.
"""

from typing import Final

from cardtable.games.rummy.rules.game import RummyGame

GAME: Final = RummyGame()
