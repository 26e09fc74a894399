"""What most games do alike: each round begins with one whole pack in random order, and nothing else is chance."""

from random import Random
from typing import ClassVar

from cardtable.engine.cards import PACK_52, Cards
from cardtable.engine.chance import Deal, orders, shuffled
from cardtable.engine.contract import Chance, State, V_co


class WholeDeal(State[V_co]):
    """A session to which chance owes deals only."""

    __slots__ = ()
    pack: ClassVar[Cards] = PACK_52

    def owes(self) -> type[Chance]:
        """A deal."""
        return Deal

    def lot(self, rng: Random) -> Chance:
        """The pack in random order."""
        return Deal(shuffled(self.pack, rng))

    def admits(self, chance: Chance) -> bool:
        """Whether it is the pack in some order."""
        return isinstance(chance, Deal) and orders(chance.order, self.pack)
