"""Who ratings and statistics are about: people by their nicks, and each level of robots as one player."""

from typing import NamedTuple

from cardtable.engine.journal import Header, SeatOf
from cardtable.store.seating import GUEST


class Player(NamedTuple):
    """A person, or all robots of a level."""

    name: str
    """A person's nick; of robots the level."""
    robot: bool = False

    @property
    def rated(self) -> bool:
        """Whether the player has ratings: guests, who may be anybody, have none."""
        return self.robot or self.name != GUEST


def seated(header: Header) -> list[Player]:
    """Who sits where, by seat."""
    return [of(who) for who in header.seats]


def of(who: SeatOf) -> Player:
    """The player at a seat."""
    return Player(who.name) if who.robot is None else Player(who.robot, robot=True)
