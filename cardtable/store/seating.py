"""Occupants of seats: default players and robots, the syntax of ``--seats``, and the rules for nicks."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from random import Random
from typing import Final
from unicodedata import category, normalize

from cardtable.engine.game import AnyGame, Seat
from cardtable.engine.journal import Occupant
from cardtable.engine.options import Options
from cardtable.engine.text_format import (
    JOINERS,
    capitalize_first,
    compute_skeleton,
    fold,
    has_single_script,
    is_east_asian,
    sanitize,
    split_graphemes,
)
from cardtable.robots.kit.levels import LEVELS

ROBOT_NAMES: Final = ("Ada", "Bo", "Cy", "Dee", "Eve", "Fay", "Gus", "Hal")
"""Names of robots, which are assigned in this order."""
GUEST: Final = "Guest"
"""Name of a human player without a profile."""
RESERVED_NAMES: Final = (*ROBOT_NAMES, GUEST, "Robot", "Robots", "Host", "Admin", "Club", "Nobody", "You", *LEVELS)
"""Names that the program itself uses; nobody can choose one of them, or one that looks like it, as a nick."""
DEFAULT_LEVEL: Final = "steady"
NEWCOMER_LEVEL: Final = "novice"
"""Level of the opponents that a player new to a game is given."""
MIN_NICK_LENGTH: Final = 3
MIN_EAST_ASIAN_LENGTH: Final = 2
"""Minimum length of a nick in Han, Hangul or kana, in which most given names have one or two characters."""
MAX_NICK_LENGTH: Final = 8
NICK_LENGTHS: Final = (
    f"{MIN_NICK_LENGTH} to {MAX_NICK_LENGTH} letters or digits; "
    f"{MIN_EAST_ASIAN_LENGTH} are enough in Chinese, Japanese or Korean"
)
"""Description of the permitted lengths."""
_PERSON_PREFIX: Final = "person:"
_MAX_MARKS_PER_LETTER: Final = 2
"""Maximum number of combining marks in a nick, per letter on average."""
_WITHOUT_JOINERS: Final = str.maketrans("", "", JOINERS)
_INVISIBLE: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0").union(
    map(chr, range(0x180B, 0x1810)), map(chr, range(0xFE00, 0xFE10)), map(chr, range(0xE0100, 0xE01F0))
)
"""Letters, marks and variation selectors that are invisible, and not permitted in a nick."""


def create_default_seats(
    game: AnyGame, options: Options, me: str = GUEST, level: str = DEFAULT_LEVEL
) -> tuple[Occupant, ...]:
    return (Occupant(me), *create_robots(game.seats_for(options) - 1, level))


def create_robots(number: int, level: str = DEFAULT_LEVEL) -> tuple[Occupant, ...]:
    return tuple([Occupant(name, level) for name in ROBOT_NAMES[:number]])


def shuffle_seats(seats: Sequence[Occupant], seed: int) -> tuple[Occupant, ...]:
    """Return the occupants in a random order, which is always the same for the same seed."""
    order = list(seats)
    Random(f"{seed} seats").shuffle(order)
    return tuple(order)


def list_arrivals(seats: Sequence[Occupant], came: Iterable[Occupant]) -> tuple[Seat, ...]:
    """Return the seats in the order in which their occupants came to the table, robots last.

    ``came`` holds at least the people of ``seats``, the first to come first.
    """
    people = [seats.index(occupant) for occupant in came if occupant.robot is None]
    return (*people, *[seat for seat, occupant in enumerate(seats) if occupant.robot])


def replace_other_people(seats: Sequence[Occupant], seat: int, nick: str) -> tuple[Occupant, ...]:
    """Return the occupants with ``nick`` in ``seat``, and robots of the default level in place of all other people."""
    free = [name for name in ROBOT_NAMES if all(name != occupant.name for occupant in seats)]
    return tuple(
        [
            Occupant(nick) if index == seat else occupant if occupant.robot else Occupant(free.pop(0), DEFAULT_LEVEL)
            for index, occupant in enumerate(seats)
        ]
    )


def parse_seats(text: str, game: AnyGame, me: str = GUEST) -> tuple[Occupant, ...]:
    """Parse the occupants of the seats, in order, from a text such as ``me,steady,person:Anna``.

    Each word is ``me``, a robot level, or ``person:`` followed by a nick. Raises ``ValueError``, with a reason in one
    line, if a word is invalid, a nick occurs twice or looks like another name at the table, or the game does not allow
    this number of seats.
    """
    words = text.split(",")
    names = iter(ROBOT_NAMES)
    if len(words) not in game.about.seats:
        numbers = game.about.seats_in_words()
        raise ValueError(f"{game.about.title} has {numbers} seats, not {len(words)}: {sanitize(text, 60)}")
    seats = tuple([Occupant(next(names), word) if word in LEVELS else _parse_person(word, me) for word in words])
    if len({fold(occupant.name) for occupant in seats}) < len(seats):
        raise ValueError(f"one nick sits in two seats, but each must be different: {sanitize(text, 60)}")
    for seat, occupant in enumerate(seats):
        if other := find_confusable(occupant.name, [earlier.name for earlier in seats[:seat]]):
            raise ValueError(f"{occupant.name} looks like {other}, who has another seat; choose another nick")
    return seats


def _parse_person(word: str, me: str) -> Occupant:
    if word == "me":
        return Occupant(me)
    if not word.startswith(_PERSON_PREFIX):
        raise ValueError(f"a seat is me, {', '.join(LEVELS)} or {_PERSON_PREFIX}NICK, not {sanitize(word, 40)!r}")
    nick = normalize_nick(word.removeprefix(_PERSON_PREFIX))
    if wrong := find_nick_error(nick):
        raise ValueError(f"{_PERSON_PREFIX}{sanitize(nick, 40)}: {wrong}")
    return Occupant(nick)


def normalize_nick(text: str) -> str:
    """Normalize a nick as typed: Unicode form NFC, a capital first letter, no joiners, no surrounding spaces."""
    capitalized = capitalize_first(normalize("NFC", text.translate(_WITHOUT_JOINERS).strip()))
    return normalize("NFC", capitalized)  # i with a combining dot has become İ


@lru_cache(maxsize=4096)
def compute_nick_key(nick: str) -> str:
    """Return a key that is equal for forms of the same nick (approximately Unicode's NFKC_Casefold).

    It is narrower than ``fold``, by which typed nicks are found and new ones are compared with those in use: nicks of
    older versions may differ only in the dots of ``i``.
    """
    return normalize("NFKC", normalize("NFKC", nick).casefold())


def is_same_nick(one: str, other: str) -> bool:
    return compute_nick_key(one) == compute_nick_key(other)


def is_nick_character(char: str) -> bool:
    """Return True if a character is permitted in a nick: a letter, a digit, or a visible combining mark."""
    return category(char)[0] in "LMN" and char not in _INVISIBLE


def count_nick_characters(nick: str) -> int:
    """Return the length of a nick in grapheme clusters, which are the characters that a reader perceives."""
    return len(split_graphemes(nick))


def find_nick_error(nick: str) -> str | None:
    """Explain in one line why a nick is invalid. Return ``None`` if it is valid.

    Names of robots and ``GUEST`` are invalid. Whether the nick is taken is not checked.
    """
    length, min_length = count_nick_characters(nick), MIN_EAST_ASIAN_LENGTH if is_east_asian(nick) else MIN_NICK_LENGTH
    has_length = min_length <= length <= MAX_NICK_LENGTH and len(nick) <= (1 + _MAX_MARKS_PER_LETTER) * length
    if not (has_length and all(map(is_nick_character, nick))):
        return f"a nick is one word of {min_length} to {MAX_NICK_LENGTH} letters or digits"
    if category(nick[0])[0] != "L" or capitalize_first(nick) != nick:
        return "a nick starts with a letter"
    if fold(nick) in map(fold, ROBOT_NAMES):
        return "a robot has that name; choose another nick"
    return f"{GUEST} is everyone without a profile; choose another nick" if is_same_nick(nick, GUEST) else None


def find_new_nick_error(nick: str) -> str | None:
    """Explain in one line why a nick cannot be chosen. Return ``None`` if it can.

    The rules are stricter than for ``find_nick_error``, because nicks that were chosen under older rules remain valid.
    """
    if wrong := find_nick_error(nick):
        return wrong
    if not has_single_script(nick):
        return "use letters of one alphabet in a nick"
    alike = find_confusable(nick, RESERVED_NAMES)
    return f"the program calls something else {capitalize_first(alike)}; choose another nick" if alike else None


def find_confusable(nick: str, others: Iterable[str]) -> str | None:
    """Return the first of ``others`` that can be mistaken for ``nick``, or ``None`` if there is none.

    Two nicks are confusable if they are equal by ``fold``, or have the same skeleton according to Unicode UTS #39.
    """
    key, shape = fold(nick), compute_skeleton(nick)
    return next((other for other in others if fold(other) == key or compute_skeleton(other) == shape), None)
