"""House rules of a session.

Each game has a frozen dataclass, whose fields define the options with their allowed values and meanings.
"""

from collections.abc import Iterable, Mapping
from dataclasses import Field, dataclass, field, fields
from enum import StrEnum
from typing import Any, Final, Literal, Self, TypeAlias

from cardtable.engine.text_format import format_count, format_unknown_name

Value: TypeAlias = str | int
"""Value of a house rule."""


class OnOff(StrEnum):
    """Value of a house rule that is on or off: a truth value in code, and a word in files and messages."""

    OFF = "off"
    ON = "on"

    def __bool__(self) -> bool:
        return self is OnOff.ON

    def __reduce_ex__(self, _protocol: object) -> tuple[Any, ...]:
        return getattr, (OnOff, self.name)  # by its word, equal views could have different pickles


_WORDS: Final[Mapping[Value, Value]] = {word.value: word for word in OnOff}


@dataclass(frozen=True, slots=True)
class Options:
    """Base class of the house rules of a game, which do not change during a session."""

    def __post_init__(self) -> None:
        """Turn the words of house rules that are on or off, as files have them, into ``OnOff``."""
        for f in fields(self):
            if isinstance(f.default, OnOff):
                value = getattr(self, f.name)
                object.__setattr__(self, f.name, _WORDS.get(value, value))

    def to_dict(self) -> dict[str, Value]:
        """Return the value of each option by its name."""
        return {f.name: getattr(self, f.name) for f in _list_fields(type(self))}

    def to_header(self) -> dict[str, Value]:
        """Return the options as headers and messages of the club state them.

        An option that a game got after its first release is left out at its default, so that a session without it has
        the same header as before, and programs without it can read the session.
        """
        return {
            f.name: value
            for f in _list_fields(type(self))
            if (value := getattr(self, f.name)) != f.default or not f.metadata["added_later"]
        }

    def for_seats(self, seats: int) -> Self:  # noqa: ARG002 - for games whose options depend on it
        """Return the house rules that apply with this number of seats.

        They are unchanged unless an option of the game depends on the number of seats.
        """
        return self

    @property
    def rounds(self) -> int | None:
        """Number of rounds in a session; ``None`` if reaching a number of points ends the session."""
        return None

    @property
    def stake(self) -> int:
        """Number of credits that each seat stakes."""
        return 0


@dataclass(frozen=True, slots=True)
class Choice:
    """Definition of an option, with its meaning and its allowed values."""

    name: str
    label: str
    """Name of the option for the screen, such as ``Open hands``."""
    meaning: str
    values: Mapping[Value, str]
    """Readable label of each allowed value, as screens show it; the first value is the default."""
    minutes: bool = False
    """True if a whole number of minutes from 1 to 9999 is allowed as well."""
    added_later: bool = False
    """True if older programs do not know the option, so that headers leave it out at its default."""

    @property
    def default(self) -> Value:
        return next(iter(self.values))

    def format_value(self, value: Value) -> str:
        """Return a value as screens show it: its label, or a number of minutes."""
        if value in self.values:
            return self.values[value]
        return format_count(value, "minute") if self.minutes and isinstance(value, int) else str(value)

    def format_allowed(self) -> str:
        """Return the allowed values as text, such as ``off, on or a whole number of minutes``."""
        *others, last = [*map(str, self.values), *(["a whole number of minutes"] if self.minutes else [])]
        return f"{', '.join(others)} or {last}"


def choice(
    meaning: str,
    values: Mapping[Value, str],
    *,
    label: str = "",
    minutes: bool = False,
    added_later: bool = False,
) -> Any:
    """Define an option: a field of an options class. The first of ``values`` is the default.

    ``values`` maps each allowed value to its readable label of a few words, which screens show in its place; with the
    values "on" and "off" alone, the option is an ``OnOff``. ``label`` is the name of the option for the screen,
    followed there by the value, as in ``Barred bid: never``; by default it is the name of the field. ``minutes`` allows
    any whole number of minutes from 1 to 9999 as well. ``added_later`` leaves the option out of headers at its default,
    which then must never change.
    """
    if values.keys() == _WORDS.keys():
        values = {_WORDS[word]: words for word, words in values.items()}
    metadata = {
        "label": label, "meaning": meaning, "values": values, "minutes": minutes, "added_later": added_later
    }  # fmt: skip
    return field(default=next(iter(values)), metadata=metadata)


def round_clock() -> Any:
    """Define the option for a time limit per round, which all games share."""
    return choice(
        "Time limit per round (the round is redealt when time runs out)",
        {"off": "none"},
        label="Time per round",
        minutes=True,
    )


def open_hands() -> Any:
    """Define the option for practice with open hands, which all games share."""
    return choice("Practice: the screen shows all hands; never ranked", {"off": "off", "on": "on"})


@dataclass(frozen=True, slots=True, kw_only=True)
class CommonOptions(Options):
    """Base class with the options that all built-in games share; they follow the options of the game itself."""

    round_clock: Literal["off"] | int = round_clock()
    open_hands: OnOff = open_hands()


def has_open_hands(values: Mapping[str, Value]) -> bool:
    """Return True if the house rules with these values are those of practice with open hands."""
    return values.get("open_hands") == OnOff.ON


def _list_fields(options_type: type[Options]) -> list[Field[Any]]:
    """Return the fields of the options of a game: its own in their order, then those of ``CommonOptions``."""
    common = CommonOptions.__dataclass_fields__ if issubclass(options_type, CommonOptions) else {}
    return sorted(fields(options_type), key=lambda f: f.name in common)


def list_choices(options_type: type[Options]) -> list[Choice]:
    """Return the definitions of the options of a game, in the order of its rules page."""
    return [
        Choice(f.name, **{**f.metadata, "label": f.metadata["label"] or f.name.replace("_", " ").capitalize()})
        for f in _list_fields(options_type)
    ]


def parse_pairs(arguments: Iterable[str]) -> dict[str, str]:
    """Parse arguments such as ``length=short`` into names and values.

    Raises ``ValueError`` with a message for the user if an argument has no ``=`` or a name is given twice.
    """
    values: dict[str, str] = {}
    for word in arguments:
        name, equals, value = word.partition("=")
        if not equals:
            raise ValueError(f"{word[:40]!r} is not NAME=VALUE, such as open_hands=on")
        if name in values:
            raise ValueError(f"{name[:30]!r} is given twice; give it once")
        values[name] = value
    return values


def read(options_type: type[Options], values: Mapping[str, object], seats: int | None = None) -> Options:
    """Return the house rules with the given values; the other options have their defaults.

    A value may also be given as text, as on the command line. With ``seats``, the house rules are adapted to this
    number of seats. Raises ``ValueError`` with a one-line message for the user if a name is unknown, a value is not
    allowed, or a given value contradicts the number of seats.
    """
    known = {c.name: c for c in list_choices(options_type)}
    chosen: dict[str, Value] = {}
    for name, value in values.items():
        if name not in known:
            raise ValueError(format_unknown_name("option", name, known))
        chosen[name] = _parse_value(known[name], value)
    options = options_type(**chosen)
    if seats is None:
        return options
    fitting = options.for_seats(seats)
    for name, value in chosen.items():
        if fitting.to_dict()[name] != value:
            raise ValueError(f"option {name} is {value}, but there are {seats} seats; one of the two has to change")
    return fitting


def read_unchecked(options_type: type[Options], values: Mapping[str, Value], seats: int) -> Options:
    """Return the house rules of a session that another version of the game has written, adapted to the seats.

    Values that are not allowed any more are taken as they are, because the session was played with them. Options that
    do not exist any more are left out.
    """
    known = {c.name for c in list_choices(options_type)}
    return options_type(**{name: value for name, value in values.items() if name in known}).for_seats(seats)


def _parse_value(option: Choice, raw_value: object) -> Value:
    for value in option.values:
        if raw_value in (value, str(value)) and type(raw_value) in (type(value), str):
            return value
    if option.minutes:
        number = (
            int(raw_value)
            if type(raw_value) is str and raw_value.isascii() and raw_value.isdigit() and len(raw_value) < 5
            else raw_value
        )
        if type(number) is int and 1 <= number < 10_000:
            return number
    raise ValueError(f"option {option.name} cannot be {raw_value!r:.40}; it can be {option.format_allowed()}")
