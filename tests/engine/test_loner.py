"""Trumps of two suits, cards out of play, seats that sit out, and awards in a trick game: Loner obeys the laws."""

from cardtable.testing import GameTests
from tests.toy import loner


class TestLoner(GameTests):
    game = loner.GAME
