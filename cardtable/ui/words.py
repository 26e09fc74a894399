"""Words for people: how long ago, dates, numbers, and text made to fit."""

from collections.abc import Callable, Iterable
from datetime import date, datetime, timedelta
from typing import Final

from rich.cells import cell_len

MINUS: Final = "\u2212"
YOU: Final = "You"
"""What the only person at a table is called."""
ELLIPSIS: Final = "…"
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DAYS_COUNTED: Final = 7
"""Up to here days are counted, from here on the date is named."""


def counted(number: int, thing: str) -> str:
    """A number of things: ``1 card``, ``2 cards``."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def second_person(text: str) -> str:
    """What somebody does, said to that person: ``bids 2`` as ``bid 2``."""
    verb, space, rest = text.partition(" ")
    verb = {"is": "are", "has": "have"}.get(verb, verb.removesuffix("s") if verb.islower() else verb)
    return verb + space + rest


def does(name: str, what: str) -> str:
    """Who does what: ``Ada deals``, ``You deal``."""
    return f"{name} {second_person(what) if name == YOU else what}"


def signed(points: int) -> str:
    """A number with a true minus sign, and no plus."""
    return str(points).replace("-", MINUS)


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


def cut(text: str, width: int) -> str:
    """The text in at most ``width`` columns; what is left out shows as an ellipsis."""
    if cell_len(text) <= width:
        return text
    kept = _beginning(text, max(width - 1, 0)).rstrip()
    return kept + ELLIPSIS if width > 0 else ""


def wrap(text: str, width: int, measure: Callable[[str], int] = cell_len) -> list[str]:
    """The text in lines of at most ``width`` columns, broken between words where possible.

    Line ends in the text are kept.  There is at least one line, and ``width`` is at least 2.
    ``measure`` tells the columns of words that are not shown as they are written.
    """
    return [line for part in text.split("\n") for line in _fill(part.split(), width, measure)]


def _fill(parts: Iterable[str], width: int, measure: Callable[[str], int]) -> list[str]:
    lines = [""]
    for part in parts:
        joined = f"{lines[-1]} {part}" if lines[-1] else part
        if measure(joined) <= width:
            lines[-1] = joined
            continue
        rest = part
        while cell_len(rest) > width:
            start = _beginning(rest, width)
            lines.append(start)
            rest = rest[len(start) :]
        lines.append(rest)
    return lines if lines[0] or len(lines) == 1 else lines[1:]


def _beginning(text: str, width: int) -> str:
    """As much of the text as fits, with the marks that belong to its last character."""
    used = 0
    for place, char in enumerate(text):
        used += cell_len(char)
        if used > width:
            return text[:place]
    return text
