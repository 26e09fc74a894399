"""What the people and robots at a table are called, and in which order they are told."""

from collections.abc import Sequence

from cardtable.engine.contract import Seat
from cardtable.engine.journal import Header
from cardtable.store import files
from cardtable.store.text import clean

Names = Sequence[str]
"""What each seat is called, in order of seats."""


def called(header: Header, own: str = "you", me: str | None = None) -> list[str]:
    """What each seat is called: the only person is ``own``, if it is ``me`` or whoever sits there is meant."""
    names = [clean(who.name, files.MOST_NAME) for who in header.seats]
    if len(header.people) == 1 and me in (None, names[header.people[0]]):
        names[header.people[0]] = own
    return names


def own_first(header: Header) -> list[Seat]:
    """The seats clockwise, from the only person's on, if there is only one."""
    first = header.people[0] if len(header.people) == 1 else 0
    return [(first + i) % len(header.seats) for i in range(len(header.seats))]
