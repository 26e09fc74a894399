"""What the people and robots at a table are called, and in which order they are told."""

from collections.abc import Sequence

from cardtable.engine.contract import Seat, Sides
from cardtable.engine.errors import CardtableError
from cardtable.engine.journal import Header
from cardtable.engine.text import clean
from cardtable.store import files
from cardtable.wording.words import YOU

Names = Sequence[str]
"""What each seat is called, in order of seats."""


def called(header: Header, own: str = "you", *, mine: bool = True, people: Sequence[Seat] | None = None) -> list[str]:
    """What each seat is called: the only person is ``own``, if she is who is spoken to.

    ``people``: who plays here, where others do at other machines.
    """
    names, here = files.names(header.seats), header.people if people is None else people
    if len(here) == 1 and mine:
        names[here[0]] = own
    return names


def of_side(names: Names, side: Sequence[Seat]) -> list[str]:
    """What those are called who play together; who is spoken to first."""
    return sorted([names[seat] for seat in side], key=lambda name: name != YOU)


def side_name(names: Names, side: Sequence[Seat]) -> str:
    """What a side is called in a table: ``You & Cy``."""
    return " & ".join(of_side(names, side))


def own_side_first(sides: Sides, me: Seat) -> Sides:
    """The sides clockwise from the own one on; so the seats in each, too."""
    seats = sum(map(len, sides))
    found = [tuple(sorted(side, key=lambda seat: (seat - me) % seats)) for side in sides]
    return tuple(sorted(found, key=lambda side: (side[0] - me) % seats))


def own_first(header: Header) -> list[Seat]:
    """The seats clockwise, from the only person's on, if there is only one."""
    first = header.people[0] if len(header.people) == 1 else 0
    return [(first + i) % len(header.seats) for i in range(len(header.seats))]


def seat_of(header: Header, who: str) -> Seat:
    """The seat of somebody's name, or of a number from 0 on as in journals.  Raises ``CardtableError``."""
    names = files.names(header.seats)
    numbers = list(map(str, range(len(names))))
    for known in (names, numbers):
        if who in known:
            return known.index(who)
    raise CardtableError(f"nobody called {clean(who, 30)!r} sits there: {', '.join(names)}, or 0 to {numbers[-1]}")
