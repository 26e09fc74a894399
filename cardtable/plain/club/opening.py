"""A new table of a club, in words such as ``rikiki seats=4 length=short``."""

from collections.abc import Sequence
from typing import Final

from cardtable.club.wire import OpenTable
from cardtable.engine.options import pairs, read
from cardtable.engine.text import clean
from cardtable.engine.words import unknown
from cardtable.games import ABOUT, GAMES, key_of

EXAMPLE: Final = "open rikiki seats=4 length=short"
GRACE: Final = range(5, 3601)
"""Seconds for which who is away can be waited for."""
_LOTS: Final = {"on": True, "off": False}


def wished(words: Sequence[str]) -> OpenTable:
    """The table that is wished for; what is not told is as usual.  Raises ``ValueError`` with what is wrong."""
    if not words:
        raise ValueError(f"say which game, such as {EXAMPLE}: {', '.join(about.title for about in ABOUT.values())}")
    key = key_of(words[0].lower())
    if key is None:
        raise ValueError(clean(unknown("game", words[0], ABOUT)))
    given = pairs(words[1:])
    name, lot = given.pop("name", ""), given.pop("lot", "on")
    if lot not in _LOTS:
        raise ValueError("lot is on, places are drawn, or off, all sit as they have sat down")
    grace = _number(given.pop("grace", "60"), "grace", GRACE)
    seats = _seats(key, given)
    options = read(GAMES[key].options, given, seats)
    return OpenTable(key, seats, options.items(), name, grace, _LOTS[lot])


def _seats(key: str, given: dict[str, str]) -> int:
    """How many seats are told; else the usual number with these house rules."""
    game = GAMES[key]
    if "seats" not in given:
        return game.seats_for(read(game.options, given))
    number = given.pop("seats")
    if not number.isdecimal() or int(number[:3]) not in game.about.seats:
        raise ValueError(f"{game.about.title} has {game.about.seats_in_words()} seats, not {clean(number, 10)}")
    return int(number)


def _number(text: str, name: str, allowed: range) -> int:
    if not text.isdecimal() or int(text[:6]) not in allowed:
        raise ValueError(f"{name} is a number of seconds from {allowed[0]} to {allowed[-1]}, not {clean(text, 20)}")
    return int(text)
