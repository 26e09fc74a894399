"""Who sits at a table: the usual people and robots, and ``--seats`` in words."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from random import Random
from typing import Final
from unicodedata import category, normalize

from cardtable.engine.game import AnyGame
from cardtable.engine.journal import Occupant
from cardtable.engine.options import Options
from cardtable.engine.text_format import JOINERS, graphemes, is_of_one_script, sanitize, skeleton
from cardtable.robots.kit.levels import LEVELS

ROBOT_NAMES: Final = ("Ada", "Bo", "Cy", "Dee", "Eve", "Fay")
"""The robots' names, in the order in which they take seats."""
GUEST: Final = "Guest"
"""The name of a person without a profile."""
USUAL_LEVEL: Final = "steady"
FEWEST_LETTERS: Final = 3
MOST_LETTERS: Final = 8
_PERSON: Final = "person:"
_MOST_MARKS: Final = 2
"""Marks that a letter of a nick can have on average."""
_WITHOUT_JOINERS: Final = str.maketrans("", "", JOINERS)
_INVISIBLE: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0").union(
    map(chr, range(0x180B, 0x1810)), map(chr, range(0xFE00, 0xFE10)), map(chr, range(0xE0100, 0xE01F0))
)
"""Letters, marks and variation selectors that show nothing of their own."""


def usual(game: AnyGame, options: Options, me: str = GUEST) -> tuple[Occupant, ...]:
    """One person and steady robots, as many as usually play with these house rules."""
    return (Occupant(me), *robots(game.seats_for(options) - 1))


def robots(number: int) -> tuple[Occupant, ...]:
    """So many steady robots."""
    return tuple([Occupant(name, USUAL_LEVEL) for name in ROBOT_NAMES[:number]])


def drawn(seats: Sequence[Occupant], seed: int) -> tuple[Occupant, ...]:
    """The same people and robots in the seats that the lot of this seed gives them."""
    order = list(seats)
    Random(f"{seed} seats").shuffle(order)
    return tuple(order)


def alone(seats: Sequence[Occupant], seat: int, nick: str) -> tuple[Occupant, ...]:
    """The same robots, and ``nick`` in ``seat``; in the places of other people steady robots."""
    free = [name for name in ROBOT_NAMES if all(name != who.name for who in seats)]
    return tuple(
        [
            Occupant(nick) if place == seat else who if who.robot else Occupant(free.pop(0), USUAL_LEVEL)
            for place, who in enumerate(seats)
        ]
    )


def parse(text: str, game: AnyGame, me: str = GUEST) -> tuple[Occupant, ...]:
    """The seats of ``me,steady,person:Anna``, in seat order.

    Each is ``me``, a robot's level, or ``person:`` with a nick.  Raises ``ValueError`` with one
    line that says what is allowed.
    """
    words = text.split(",")
    names = iter(ROBOT_NAMES)
    if len(words) not in game.about.seats:
        numbers = game.about.seats_in_words()
        raise ValueError(f"{game.about.title} has {numbers} seats, not {len(words)}: {sanitize(text, 60)}")
    seats = tuple([Occupant(next(names), word) if word in LEVELS else _person(word, me) for word in words])
    if len({nick_key(who.name) for who in seats}) < len(seats):
        raise ValueError(f"one nick sits in two seats, but each must be different: {sanitize(text, 60)}")
    return seats


def _person(word: str, me: str) -> Occupant:
    if word == "me":
        return Occupant(me)
    if not word.startswith(_PERSON):
        raise ValueError(f"a seat is me, {', '.join(LEVELS)} or {_PERSON}NICK, not {sanitize(word, 40)!r}")
    nick = as_nick(word.removeprefix(_PERSON))
    if wrong := why_not(nick):
        raise ValueError(f"{_PERSON}{sanitize(nick, 40)}: {wrong}")
    return Occupant(nick)


def as_nick(text: str) -> str:
    """Return a typed nick as it is stored: in NFC, with a capital letter in front, without joiners."""
    return capital(normalize("NFC", text.translate(_WITHOUT_JOINERS).strip()))


@lru_cache(maxsize=4096)
def nick_key(nick: str) -> str:
    """Return what is equal of two nicks that would be taken for each other (NFKC_Casefold, nearly).

    They differ in capitals only, or in forms of the same letter, such as those of full width.
    """
    return normalize("NFKC", normalize("NFKC", nick).casefold())


def is_same_nick(one: str, other: str) -> bool:
    """Return True if two nicks would be taken for each other."""
    return nick_key(one) == nick_key(other)


def capital(text: str) -> str:
    """Return the text with a capital letter in front, if the first letter has one."""
    first = text[:1].title()
    return first + text[1:] if len(first) == 1 else text


def is_nick_character(char: str) -> bool:
    """Return whether a nick can have a character: a letter, a digit, or a mark of a letter."""
    return category(char)[0] in "LMN" and char not in _INVISIBLE


def nick_length(nick: str) -> int:
    """Return how many characters a person sees in a nick."""
    return len(graphemes(nick))


def why_not(nick: str) -> str:
    """Return what is wrong with a nick, in a line; "" if it can be one."""
    seen = graphemes(nick)
    has_length = FEWEST_LETTERS <= len(seen) <= MOST_LETTERS and len(nick) <= (1 + _MOST_MARKS) * len(seen)
    if not (has_length and all(map(is_nick_character, nick))):
        return f"a nick is one word of {FEWEST_LETTERS} to {MOST_LETTERS} letters or digits"
    if category(nick[0])[0] != "L" or capital(nick) != nick:
        return "a nick starts with a letter"
    if nick_key(nick) in map(nick_key, ROBOT_NAMES):
        return "a robot has that name; choose another nick"
    return f"{GUEST} is everybody without a nick; choose another" if is_same_nick(nick, GUEST) else ""


def why_not_new(nick: str) -> str:
    """Return why nobody can choose a nick from now on, in a line; "" if it can be chosen.

    Nicks that were chosen before stay valid if `why_not` finds nothing wrong with them.
    """
    if wrong := why_not(nick):
        return wrong
    if not is_of_one_script(nick):
        return "use letters of one alphabet in a nick"
    return "that looks like a robot's name; choose another nick" if find_alike(nick, (*ROBOT_NAMES, GUEST)) else ""


def find_alike(nick: str, others: Iterable[str]) -> str | None:
    """Return the first of other nicks that a person would take for `nick`; ``None`` if there is none."""
    key, shape = nick_key(nick), skeleton(nick)
    return next((other for other in others if nick_key(other) == key or skeleton(other) == shape), None)
