"""Who sits at a table: the usual people and robots, and ``--seats`` in words."""

from collections.abc import Sequence
from random import Random
from typing import Final
from unicodedata import normalize

from cardtable.engine.contract import AnyGame
from cardtable.engine.journal import SeatOf
from cardtable.engine.options import Options
from cardtable.engine.text import clean
from cardtable.robots.kit.levels import LEVELS

ROBOT_NAMES: Final = ("Ada", "Bo", "Cy", "Dee", "Eve", "Fay")
"""The robots' names, in the order in which they take seats."""
GUEST: Final = "Guest"
"""The name of a person without a profile."""
USUAL_LEVEL: Final = "steady"
FEWEST_LETTERS: Final = 3
MOST_LETTERS: Final = 8
_PERSON: Final = "person:"


def usual(game: AnyGame, options: Options, me: str = GUEST) -> tuple[SeatOf, ...]:
    """One person and steady robots, as many as usually play with these house rules."""
    return (SeatOf(me), *robots(game.seats_for(options) - 1))


def robots(number: int) -> tuple[SeatOf, ...]:
    """So many steady robots."""
    return tuple([SeatOf(name, USUAL_LEVEL) for name in ROBOT_NAMES[:number]])


def drawn(seats: Sequence[SeatOf], seed: int) -> tuple[SeatOf, ...]:
    """The same people and robots in the seats that the lot of this seed gives them."""
    order = list(seats)
    Random(f"{seed} seats").shuffle(order)
    return tuple(order)


def alone(seats: Sequence[SeatOf], seat: int, nick: str) -> tuple[SeatOf, ...]:
    """The same robots, and ``nick`` in ``seat``; in the places of other people steady robots."""
    free = [name for name in ROBOT_NAMES if all(name != who.name for who in seats)]
    return tuple(
        [
            SeatOf(nick) if place == seat else who if who.robot else SeatOf(free.pop(0), USUAL_LEVEL)
            for place, who in enumerate(seats)
        ]
    )


def parse(text: str, game: AnyGame, me: str = GUEST) -> tuple[SeatOf, ...]:
    """The seats of ``me,steady,person:Anna``, in seat order.

    Each is ``me``, a robot's level, or ``person:`` with a nick.  Raises ``ValueError`` with one
    line that says what is allowed.
    """
    words = text.split(",")
    names = iter(ROBOT_NAMES)
    if len(words) not in game.about.seats:
        numbers = game.about.seats_in_words()
        raise ValueError(f"{game.about.title} has {numbers} seats, not {len(words)}: {clean(text, 60)}")
    seats = tuple([SeatOf(next(names), word) if word in LEVELS else _person(word, me) for word in words])
    if len({who.name for who in seats}) < len(seats):
        raise ValueError(f"one nick sits in two seats, but each must be different: {clean(text, 60)}")
    return seats


def _person(word: str, me: str) -> SeatOf:
    if word == "me":
        return SeatOf(me)
    if not word.startswith(_PERSON):
        raise ValueError(f"a seat is me, {', '.join(LEVELS)} or {_PERSON}NICK, not {clean(word, 40)!r}")
    nick = as_nick(word.removeprefix(_PERSON))
    if wrong := why_not(nick):
        raise ValueError(f"{_PERSON}{clean(nick, 40)}: {wrong}")
    return SeatOf(nick)


def as_nick(text: str) -> str:
    """What somebody types who tells a nick, as the nick is written."""
    return capital(normalize("NFC", text.strip()))


def capital(text: str) -> str:
    """The text with a capital letter in front."""
    first = text[:1].upper()
    return first + text[1:] if len(first) == 1 else text


def why_not(nick: str) -> str:
    """What is wrong with a nick, in a line; nothing (``""``) if it can be one."""
    if not (FEWEST_LETTERS <= len(nick) <= MOST_LETTERS and nick.isalnum()):
        return f"a nick is one word of {FEWEST_LETTERS} to {MOST_LETTERS} letters or digits"
    if not nick[0].isupper():
        return "a nick starts with a letter"
    if nick.casefold() in map(str.casefold, ROBOT_NAMES):
        return "a robot has that name; choose another nick"
    return f"{GUEST} is everybody without a nick; choose another" if nick.casefold() == GUEST.casefold() else ""
