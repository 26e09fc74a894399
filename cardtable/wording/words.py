"""Words for people: who does what, numbers, dates, how long ago."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Final

from cardtable.engine.contract import Note, Seat
from cardtable.engine.journal import SeatOf
from cardtable.engine.words import counted
from cardtable.store.files import MOST_NAME
from cardtable.store.text import clean

MINUS: Final = "\u2212"
YOU: Final = "You"
"""What the only person at a table is called."""
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DAYS_COUNTED: Final = 7
"""Up to here days are counted, from here on the date is named."""


MOST_SAID: Final = 200
"""Characters of table talk that can be said at once."""
SOMEBODY: Final = "Somebody"
"""Who talks at a table without sitting there."""


class Said(Note, frozen=True):
    """Table talk: ``text`` is not what ``seat`` does, but what it says."""


class SatDown(Note, frozen=True):
    """Somebody else decides for a seat from here on."""


def said(text: str, seat: Seat | None) -> Said:
    """Table talk as it may be shown: on one line, and not too long."""
    return Said(seat, clean(" ".join(text.split()), MOST_SAID))


def either(names: Sequence[str]) -> str:
    """``Anna``, ``Anna or Tom``, ``Anna, Tom or Zoe``."""
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last


def sits_down(who: SeatOf, left: SeatOf) -> SatDown:
    """What everybody is told of who sits down where ``left`` sat."""
    name, other = clean(who.name, MOST_NAME), clean(left.name, MOST_NAME)
    robot = f", a {clean(who.robot, MOST_NAME)} robot," if who.robot else ""
    return SatDown(None, f"{name}{robot} sits down where {other} sat")


def ordinal(number: int) -> str:
    """A place: ``1st``, ``2nd``, ``11th``."""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def second_person(text: str) -> str:
    """What somebody does, said to that person: ``bids 2`` as ``bid 2``."""
    verb, space, rest = text.partition(" ")
    verb = {"is": "are", "has": "have"}.get(verb, verb.removesuffix("s") if verb.islower() else verb)
    return verb + space + rest


def does(name: str, what: str) -> str:
    """Who does what: ``Ada deals``, ``You deal``."""
    return f"{name} {second_person(what) if name == YOU else what}"


def told(note: Note, names: Sequence[str]) -> str:
    """What a message says, cards in notation; what the person looking does in the second person."""
    if isinstance(note, Said):
        return note.text
    own = note.seat is not None and names[note.seat] == YOU
    return second_person(note.text) if own else note.text


def signed(points: int) -> str:
    """A number with a true minus sign, and no plus."""
    return str(points).replace("-", MINUS)


def gained(points: int) -> str:
    """Points of a round: unlike totals with a plus."""
    return f"+{points}" if points > 0 else signed(points)


def tenths(points: float) -> str:
    """Points that are to be expected, with a sign: ``+2.4``."""
    return f"{round(points, 1) + 0.0:+.1f}".replace("-", MINUS)


def day(when: date) -> str:
    """A day of this year: ``12 Nov``."""
    return f"{when.day} {_MONTHS[when.month - 1]}"


def age(then: datetime, now: datetime) -> str:
    """How long ago ``then`` was, as people say it; both know their time zone, days are those of ``now``.

    A time to come is taken for a clock that was set, and is ``just now``.
    """
    passed = now - then
    if passed < timedelta(minutes=1):
        return "just now"
    if passed < timedelta(hours=1):
        return f"{counted(passed // timedelta(minutes=1), 'minute')} ago"
    local = then.astimezone(now.tzinfo)
    days = (now.date() - local.date()).days
    if days == 0:
        return f"{counted(passed // timedelta(hours=1), 'hour')} ago"
    if days == 1:
        return "yesterday"
    if days < _DAYS_COUNTED:
        return f"{days} days ago"
    return day(local) if local.year == now.year else f"{day(local)} {local.year}"
