"""Words for people: who does what, numbers, dates, how long ago, clocks."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Final

from cardtable.engine.cards import RANK_TOLD
from cardtable.engine.titles import LAST_CARD
from cardtable.engine.words import counted

MINUS: Final = "\u2212"
YOU: Final = "You"
"""What the only person at a table is called."""
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DAYS_COUNTED: Final = 7
"""Up to here days are counted, from here on the date is named."""


def either(names: Sequence[str]) -> str:
    """``Anna``, ``Anna or Tom``, ``Anna, Tom or Zoe``."""
    return " or ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def ordinal(number: int) -> str:
    """A place: ``1st``, ``2nd``, ``11th``."""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def does(name: str, they: str, you: str) -> str:
    """Who does what: ``Ada deals``, ``You deal``."""
    return f"{name} {you if name == YOU else they}"


def signed(points: int) -> str:
    """A number with a true minus sign, and no plus."""
    return str(points).replace("-", MINUS)


def figure(heading: str, number: int) -> str:
    """What stands under a heading of ``Game.columns``: a number with a true minus sign, or a card by its rank."""
    return RANK_TOLD[number - 2] if heading == LAST_CARD and number else signed(number)


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


def minutes(seconds: float | None) -> str:
    """Time on a clock: ``9:05``; nothing where there is none."""
    return "" if seconds is None else "{}:{:02}".format(*divmod(max(int(seconds), 0), 60))


def lost_on_time(who: str) -> str:
    """That somebody's clock ran out, which has lost the session."""
    return f"{who} lost on time"
