"""Partners in a game without tricks and bids: Scopetta for four obeys the laws of every game."""

from msgspec.structs import replace

from cardtable.testing import GameTests
from tests.overriding import override
from tests.toy.scopetta import GAME


class TestScopettaForFour(GameTests):
    game = override(GAME, about=replace(GAME.about, seats=(4,), usual_seats=4))
