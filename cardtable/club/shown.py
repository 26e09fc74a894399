"""Seats and tables as the lobby shows them."""

from typing import Annotated

import msgspec

from cardtable.engine.options import Value


class PlaceShown(msgspec.Struct, frozen=True):
    """A seat in the lobby's picture of a table; no name, no one."""

    name: str = ""
    robot: bool = False
    """Whether a robot plays there, its own or for who is away."""
    away: bool = False
    offered: str = ""
    """To whom the game master has offered the seat."""


class TableRow(msgspec.Struct, frozen=True):
    """A table as the lobby shows it."""

    table: str
    game: str
    options: dict[str, Value]
    places: tuple[PlaceShown, ...]
    master: str
    name: str = ""
    playing: bool = False
    """Whether its session has begun; else it fills."""
    round: int = 0
    turn: str = ""
    """Who is to act."""
    since: Annotated[int, msgspec.Meta(ge=0, lt=10**11)] = 0
    """When that began, or when the table was opened, in seconds since 1970-01-01T00:00Z."""
    looking_on: int = 0
    """How many look on."""
    over: bool = False
    """Whether the session is over; people still look at it."""
    taken_up: bool = False
    """Whether its people are called to go on with it; away are those who have not come yet."""
