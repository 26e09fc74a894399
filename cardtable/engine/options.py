"""House rules of a session: frozen dataclasses whose fields name every value and its meaning."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Self, TypeAlias

from cardtable.engine.text_format import unknown

Value: TypeAlias = str | int


@dataclass(frozen=True, slots=True)
class Options:
    """Base of every game's options.  A session keeps those it was started with."""

    def items(self) -> dict[str, Value]:
        """Every option with its value, as the journal's header holds them."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def for_seats(self, seats: int) -> Self:  # noqa: ARG002 - for games whose options tell the number of seats
        """The same house rules at a table of ``seats``."""
        return self

    @property
    def rounds(self) -> int | None:
        """How many rounds a session has; ``None`` where points end it."""
        return None

    @property
    def stake(self) -> int:
        """Credits that each seat stakes."""
        return 0


@dataclass(frozen=True, slots=True)
class Choice:
    """What one option may be."""

    name: str
    meaning: str
    values: Mapping[Value, str]
    """The values with their meanings, the default first."""
    minutes: bool
    """Whether any whole number of minutes from 1 is allowed, too."""

    @property
    def default(self) -> Value:
        """The value where nobody chose."""
        return next(iter(self.values))

    def allowed(self) -> str:
        """The allowed values in words."""
        *others, last = [*map(str, self.values), *["a whole number of minutes"] * self.minutes]
        return f"{', '.join(others)} or {last}"


def choice(meaning: str, values: Mapping[Value, str], *, minutes: bool = False) -> Any:
    """A field of an options class; the first of ``values`` is the default."""
    metadata = {"meaning": meaning, "values": values, "minutes": minutes}
    return field(default=next(iter(values)), metadata=metadata)


def round_clock() -> Any:
    """The round clock, the same in every game."""
    return choice("Time for a round, which is dealt again when it is up", {"off": "no limit"}, minutes=True)


def open_hands() -> Any:
    """Practice with open hands, the same in every game."""
    return choice("Practice: the screen shows all hands; never ranked", {"off": "hands are hidden", "on": "all open"})


def choices(kind: type[Options]) -> list[Choice]:
    """The options of a game, in the order of its rules page."""
    return [Choice(f.name, **f.metadata) for f in fields(kind)]


def pairs(words: Iterable[str]) -> dict[str, str]:
    """The names and values of words such as ``length=short``.  Raises ``ValueError`` with what is wrong."""
    found: dict[str, str] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals:
            raise ValueError(f"{word[:40]!r} is not NAME=VALUE, such as open_hands=on")
        if name in found:
            raise ValueError(f"{name[:30]!r} is given twice; give it once")
        found[name] = value
    return found


def read(kind: type[Options], given: Mapping[str, object], seats: int | None = None) -> Options:
    """Options of the given names and values, the others at their defaults.

    A value is one of those named, of the same type, or its text (as the command line gives
    it).  With ``seats`` they are those of a table of so many, and none that is given may say
    otherwise.  Raises ``ValueError`` with one line that says what is allowed.
    """
    known = {c.name: c for c in choices(kind)}
    chosen: dict[str, Value] = {}
    for name, value in given.items():
        if name not in known:
            raise ValueError(unknown("option", name, known))
        chosen[name] = _value(known[name], value)
    options = kind(**chosen)
    if seats is None:
        return options
    fitting = options.for_seats(seats)
    for name, value in chosen.items():
        if fitting.items()[name] != value:
            raise ValueError(f"option {name} is {value}, but there are {seats} seats; one of the two has to change")
    return fitting


def _value(option: Choice, given: object) -> Value:
    for value in option.values:
        if given in (value, str(value)) and type(given) in (type(value), str):
            return value
    if option.minutes:
        number = int(given) if type(given) is str and given.isascii() and given.isdigit() and len(given) < 5 else given
        if type(number) is int and 1 <= number < 10_000:
            return number
    raise ValueError(f"option {option.name} cannot be {given!r:.40}; it can be {option.allowed()}")
