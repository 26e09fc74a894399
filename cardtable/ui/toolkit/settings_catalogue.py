"""Labels, values and explanations of the settings with few values, for the settings page."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, get_args

from cardtable.store.settings import CardSize, CoachLevel, HandOrder


class Setting(NamedTuple):
    """Setting that is chosen from a few values."""

    name: str
    """Name in the settings file."""
    label: str
    meaning: str
    values: Sequence[Any]
    """Values in the order in which keys select them; the file may contain other numbers."""
    format_value: Callable[[Any], str]
    """Formats a value in words."""

    def step_value(self, value: Any, step: int) -> Any:
        """Return the next (1) or the previous (-1) value, wrapping around.

        From a number that is not listed, the nearest listed number in this direction follows, or the first one.
        """
        if value in self.values:
            return self.values[(self.values.index(value) + step) % len(self.values)]
        numbers = [number for number in self.values if not isinstance(number, str)]
        return next((number for number in numbers[::step] if (number - value) * step > 0), numbers[0])


def _make_formatter(words: Mapping[str, str]) -> Callable[[Any], str]:
    return lambda value: words.get(value, value)


def _make_flag_formatter(yes: str, no: str) -> Callable[[Any], str]:
    return lambda value: yes if value else no


def _format_pause(value: Any) -> str:
    return "until a key" if value == "key" else f"{value:g} s" if value else "no time"


def _make_flag(name: str, label: str, meaning: str) -> Setting:
    return Setting(name, label, meaning, (False, True), _make_flag_formatter("on", "off"))


_LOOK: Final = (
    Setting(
        "card_size",
        "Card size",
        "auto: as large as fits",
        get_args(CardSize),
        _make_formatter({"line": "one line"}),
    ),
    Setting(
        "four_colours",
        "Suit colours",
        "two: black and red",
        (True, False),
        _make_flag_formatter("four", "two"),
    ),
    _make_flag("suit_letters", "Suits as letters", "S H D C instead of symbols"),
    _make_flag("ascii", "ASCII only", "for terminals without other characters"),
    _make_flag("mono", "No colours", "light, dark and bold only"),
)
_PLAY: Final = (
    Setting(
        "hand_order",
        "Order of the hand",
        "as usual, by suit, rank or melds",
        get_args(HandOrder),
        _make_formatter({"suit": "by suit", "rank": "by rank", "melds": "by melds"}),
    ),
    _make_flag("autoplay", "Play forced cards", "the only legal play is made automatically"),
    _make_flag("beep", "Beep on your turn", "the terminal beeps when it is your turn"),
    Setting(
        "coach",
        "Coach",
        "what a mistake costs, and why; against robots only, and not rated",
        get_args(CoachLevel),
        _make_formatter({"big": "big mistakes", "all": "all mistakes"}),
    ),
    _make_flag("confirm", "Ask first", "before a session is abandoned or replaced"),
    Setting(
        "guard",
        "Ignore early keys",
        "ignore Enter for this long after the table changes",
        (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0),
        lambda value: f"{value:g} s" if value else "off",
    ),
    _make_flag("mouse", "Mouse", "off: the terminal's own selection works; from the next start"),
)
_ROBOTS: Final = (
    Setting(
        "pace",
        "Pace of robots",
        "minimum time that a robot takes",
        (0.0, 0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0),
        lambda value: f"{value:g} s" if value else "at once",
    ),
    Setting(
        "trick_pause",
        "Trick stays",
        "how long a complete trick stays on the table",
        (0.0, 0.6, 1.2, 1.8, 2.4, 3.0, 5.0, 10.0, "key"),
        _format_pause,
    ),
    Setting(
        "round_pause",
        "Round end stays",
        "how long points and totals are shown",
        (0.0, 1.0, 2.0, 3.0, 5.0, 10.0, "key"),
        _format_pause,
    ),
    _make_flag("animation", "Moving cards", "animate played cards"),
)
PARTS: Final[Mapping[str, Sequence[Setting]]] = {"Look": _LOOK, "Play": _PLAY, "Robots": _ROBOTS}
"""Settings by part of the settings page."""
SETTINGS: Final[Mapping[str, Setting]] = {each.name: each for part in PARTS.values() for each in part}
"""Settings by name, except theme and keys, which have too many values."""
