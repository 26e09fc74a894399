"""Settings of the user, stored in ``settings.toml``, and the strict reader of small TOML files written by a person."""

import os
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeAlias, get_args, get_origin

import msgspec

from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import format_unknown_name, sanitize
from cardtable.store import atomic_io, paths
from cardtable.store.errors import FileError, format_os_error
from cardtable.store.json_file import home_lock

_FORMER_NAMES: Final = {"guard": "key_guard", "pace": "robot_pace"}
"""Present names of settings, by those that a file may have from before. The next change writes the present ones."""
THEME_NAME_PATTERN: Final = r"^[a-z0-9-]{1,32}\Z"
"""Regular expression for theme names."""
Seconds = Annotated[float, msgspec.Meta(ge=0, le=10)]
Key = Literal["key"]
CardSize = Literal["auto", "11x9", "9x7", "7x5", "5x3", "line"]
CardBack = Literal["crosses", "dots", "waves", "plain"]
HandOrder = Literal["usual", "suit", "rank", "melds"]
Preset = Literal["default", "vim"]
CoachLevel = Literal["off", "big", "all"]
TerminalFlags: TypeAlias = Mapping[str, bool]
"""Settings that the command line overrides for this run of the program, by name."""


COLOUR_VARIABLES: Final = ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "CLICOLOR")
"""Environment variables that ``read_colour_choice`` evaluates."""
_FALSE_WORDS: Final = frozenset({"0", "false", "no"})


def read_colour_choice() -> tuple[bool | None, str]:
    """Return whether the environment asks for colours, and the variable that decides it.

    The first value is True for colours, False for none, and ``None`` if no variable decides. The second is then ``""``.
    The order of precedence is: a non-empty ``NO_COLOR``, ``FORCE_COLOR``, ``CLICOLOR_FORCE``, and ``CLICOLOR=0``.
    """
    if os.environ.get("NO_COLOR"):
        return False, "NO_COLOR"
    for name in ("FORCE_COLOR", "CLICOLOR_FORCE"):
        if value := os.environ.get(name):
            use_colours = value.lower() not in _FALSE_WORDS
            if use_colours or name == "FORCE_COLOR":
                return use_colours, name if use_colours else f"{name}={value}"
    return (False, "CLICOLOR=0") if os.environ.get("CLICOLOR") == "0" else (None, "")


AUTO_THEME: Final = "auto"
"""Value of ``Settings.theme`` that lets the program choose, according to the number of colours of the terminal."""


class Flag(NamedTuple):
    """Option of the command line that gives a setting a value for this run of the program."""

    name: str
    value: bool
    help_text: str


class Setting(msgspec.Struct, frozen=True, eq=False):
    """Row of a setting: everything about it that is not in the field of ``Settings``, and a copy of what is."""

    topic: str
    """Part of the settings page."""
    label: str
    help_text: str
    values: Sequence[Any] = (False, True)
    """Values in the order in which keys select them. The file may contain other numbers; empty if there are too many.
    """
    words: Mapping[Any, str] = {}
    """Values in words, where the usual words are not enough."""
    flag: Flag | None = None
    allowed: str = ""
    """Values that the file may contain, in words; those of the type if it is empty here."""
    name: str = ""
    """Name in the settings file. The rest is taken from the field, too."""
    type: Any = None
    default: Any = None

    def format_value(self, value: Any) -> str:
        """Return a value in words."""
        if value in self.words:
            return self.words[value]
        if isinstance(value, bool):
            return "on" if value else "off"
        return value if isinstance(value, str) else f"{value:g} s"

    def step_value(self, value: Any, step: int) -> Any:
        """Return the next (1) or the previous (-1) value, wrapping around.

        From a number that is not listed, the nearest listed number in this direction follows, or the first one.
        """
        if value in self.values:
            return self.values[(self.values.index(value) + step) % len(self.values)]
        numbers = [number for number in self.values if not isinstance(number, str)]
        return next((number for number in numbers[::step] if (number - value) * step > 0), numbers[0])


LOOK: Final = "Look"
PLAY: Final = "Play"
ROBOTS: Final = "Robots"
KEYS: Final = "Keys"
_PAUSE_WORDS: Final = {0: "no time", "key": "until a key"}


class Settings(msgspec.Struct, frozen=True):
    """Settings of the user, in the order of the settings page. One that is missing in the file has its default."""

    # fmt: off
    theme: Annotated[str, msgspec.Meta(pattern=THEME_NAME_PATTERN), Setting(
        LOOK, "Theme", "colours: a theme by its name, or auto",
        values=(), allowed="a name of lower-case letters, digits and hyphens",
    )] = AUTO_THEME
    card_size: Annotated[CardSize, Setting(
        LOOK, "Card size", "auto: as large as fits", get_args(CardSize), {"line": "one line"},
    )] = "auto"
    card_back: Annotated[CardBack, Setting(
        LOOK, "Card backs", "pattern of cards face down", get_args(CardBack),
    )] = "crosses"
    four_colours: Annotated[bool, Setting(
        LOOK, "Suit colours", "two: black and red", (True, False), {True: "four", False: "two"},
    )] = True
    suit_letters: Annotated[bool, Setting(LOOK, "Suits as letters", "S H D C instead of symbols")] = False
    ascii: Annotated[bool, Setting(
        LOOK, "ASCII only", "for terminals without other characters",
        flag=Flag("ascii", True, "Use ASCII only, with letters for suits."),
    )] = False
    mono: Annotated[bool, Setting(
        LOOK, "No colours", "light, dark and bold only", flag=Flag("mono", True, "Use no colours."),
    )] = False
    hand_order: Annotated[HandOrder, Setting(
        PLAY, "Order of the hand", "as usual, by suit, rank or melds",
        get_args(HandOrder), {"suit": "by suit", "rank": "by rank", "melds": "by melds"},
    )] = "usual"
    autoplay: Annotated[bool, Setting(PLAY, "Play forced cards", "the only legal play is made automatically")] = False
    beep: Annotated[bool, Setting(PLAY, "Beep on your turn", "the terminal beeps when it is your turn")] = False
    coach: Annotated[CoachLevel, Setting(
        PLAY, "Coach", "what a mistake costs, and why; against robots only, and not rated",
        get_args(CoachLevel), {"big": "big mistakes", "all": "all mistakes"},
    )] = "off"
    confirm: Annotated[bool, Setting(PLAY, "Ask first", "before a session is abandoned or replaced")] = True
    key_guard: Annotated[float, msgspec.Meta(ge=0, le=1), Setting(
        PLAY, "Ignore early keys", "ignore Enter for this long after the table changes or the picker opens",
        (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0), {0: "off"},
    )] = 0.3
    mouse: Annotated[bool, Setting(
        PLAY, "Mouse", "off: the terminal's own selection works; from the next start",
        flag=Flag("no-mouse", False, "Do not use the mouse; leave it to the terminal."),
    )] = True
    robot_pace: Annotated[float, msgspec.Meta(ge=0, le=2), Setting(
        ROBOTS, "Pace of robots", "minimum time that a robot takes",
        (0.0, 0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0), {0: "at once"},
    )] = 0.6
    trick_pause: Annotated[Seconds | Key, Setting(
        ROBOTS, "Trick stays", "how long a complete trick stays on the table",
        (0.0, 0.6, 1.2, 1.8, 2.4, 3.0, 5.0, 10.0, "key"), _PAUSE_WORDS,
    )] = 1.2
    round_pause: Annotated[Seconds | Key, Setting(
        ROBOTS, "Round end stays", "how long points and totals are shown",
        (0.0, 1.0, 2.0, 3.0, 5.0, 10.0, "key"), _PAUSE_WORDS,
    )] = "key"
    animation: Annotated[bool, Setting(ROBOTS, "Moving cards", "and totals that count up; by ssh only cards")] = True
    key_preset: Annotated[Preset, Setting(
        KEYS, "Preset",
        "For keys that you have not changed. With vim, h j k l move, and capitals do what these letters did.",
        get_args(Preset),
    )] = "default"
    keys: Annotated[dict[str, str], Setting(
        KEYS, "Own keys", "by the name of what they do; several are separated by spaces",
        values=(), allowed='a table of names with a text each, such as hint = "h"',
    )] = {}
    # fmt: on

    @property
    def min_choices(self) -> int:
        """Minimum number of legal actions for which the player is asked."""
        return 2 if self.autoplay else 1


def _describe_type(type_: Any) -> str:
    """Return the values of a type in words."""
    parts = get_args(type_)
    if get_origin(type_) is Literal:
        quoted = [f'"{part}"' for part in parts]
        return " or ".join(filter(None, (", ".join(quoted[:-1]), quoted[-1])))
    if get_origin(type_) is Annotated:
        limits = [part for part in parts if isinstance(part, msgspec.Meta)]
        return f"a number of seconds from {limits[0].ge} to {limits[0].le}" if limits else _describe_type(parts[0])
    return ", or ".join(map(_describe_type, parts)) or "true or false"


def _complete_setting(field: msgspec.structs.FieldInfo) -> Setting:
    setting: Setting = field.type.__metadata__[-1]
    return msgspec.structs.replace(
        setting,
        name=field.name,
        type=field.type,
        default=getattr(Settings(), field.name),
        allowed=setting.allowed or _describe_type(field.type),
    )


SETTINGS: Final = {field.name: _complete_setting(field) for field in msgspec.structs.fields(Settings)}
"""All settings by name."""


def load() -> tuple[Settings, list[str]]:
    """Return the settings, and one message for each error in the file.

    An invalid value is replaced by its default, and an unknown name is ignored. A file that cannot be read counts as
    empty, and is reported as one error.
    """
    try:
        return read()
    except CardtableError as error:
        return Settings(), [str(error)]


def read() -> tuple[Settings, list[str]]:
    """Return the settings and the error messages as ``load`` does.

    Raises ``FileError`` if the file cannot be read or is no valid TOML.
    """
    return parse_values(_read_file())


def parse_values(stored: Mapping[str, object]) -> tuple[Settings, list[str]]:
    """Return the settings with these values, and one message for each invalid value or unknown name."""
    good, complaints = {}, []
    for name, value in stored.items():
        setting = SETTINGS.get(name)
        if setting is None:
            complaints.append(
                _format_error(format_unknown_name("setting", name, SETTINGS, "the settings page shows every name"))
            )
            continue
        try:
            good[name] = msgspec.convert(value, setting.type)
        except msgspec.ValidationError:
            wrong = str(value).lower() if isinstance(value, bool) else sanitize(repr(value), 40)
            complaints.append(_format_error(f"{name} cannot be {wrong}; it can be {setting.allowed}"))
    return Settings(**good), complaints


def save(before: Settings, after: Settings) -> None:
    """Save the settings that differ between ``before`` and ``after``.

    Everything else in the file is preserved, so that changes by another program are not lost, except comments. The old
    version becomes ``settings.toml.bak``. Raises ``CardtableError`` if the file is or would be invalid, or cannot be
    written; it is then not overwritten.
    """
    import tomli_w  # noqa: PLC0415 - lazy: startup

    path = paths.settings_file()
    try:
        with home_lock():
            stored = _read_file()
            values = _apply_changes(msgspec.structs.asdict(before), msgspec.structs.asdict(after), stored)
            if values == stored:
                return
            data = tomli_w.dumps(values).encode()
            parse_toml(data)
            paths.create_folder(path.parent)
            atomic_io.write_personal(path, data, MAX_TOML_BYTES)
    except OSError as error:
        raise FileError(path, f"the settings cannot be saved: {format_os_error(error)}") from None
    except ValueError as error:
        raise FileError(path, f"the settings cannot be saved so that they can be read again: {error}") from None


def merge_changes(before: Settings, after: Settings, target: Settings) -> Settings:
    """Return ``target`` with the differences between ``before`` and ``after`` applied."""
    asdict = msgspec.structs.asdict
    return Settings(**_apply_changes(asdict(before), asdict(after), asdict(target)))


def _apply_changes(before: Mapping[str, Any], after: Mapping[str, Any], target: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of ``target`` with the differences between ``before`` and ``after`` applied.

    Nested tables are merged.
    """
    values = {**target}
    for name in (*before, *after):
        old, new = before.get(name), after.get(name)
        if old == new:
            continue
        if name not in after:
            values.pop(name, None)
        elif isinstance(old, dict) and isinstance(new, dict):
            inner = target.get(name)
            values[name] = _apply_changes(old, new, inner if isinstance(inner, dict) else {})
        else:
            values[name] = new
    return values


def _read_file() -> dict[str, Any]:
    """Return the values in the settings file, which are empty if it does not exist.

    Raises ``FileError`` if the file cannot be read or is no valid TOML.
    """
    try:
        stored = read_toml(paths.settings_file())
    except FileNotFoundError:
        return {}
    present = {name: value for name, value in stored.items() if name not in _FORMER_NAMES}
    return {_FORMER_NAMES.get(name, name): value for name, value in stored.items()} | present


def _format_error(message: str) -> str:
    return sanitize(f"{paths.settings_file().name}: {message}")


MAX_TOML_BYTES: Final = 16 * 1024
_MAX_TOML_LINE_LENGTH: Final = 500
"""Maximum length of a line in characters. The parser needs time quadratic in the length of a dotted key."""
_MAX_TOML_DIGITS: Final = 15


def read_toml(path: Path, max_bytes: int = MAX_TOML_BYTES) -> dict[str, Any]:
    """Return the values of a TOML file. Symbolic links are followed.

    Raises ``FileNotFoundError`` if the file does not exist, and ``FileError`` if it cannot be read, is larger than
    ``max_bytes``, or is invalid.
    """
    try:
        data = atomic_io.read(path, max_bytes, follow_links=True)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise FileError(path, format_os_error(error)) from None
    try:
        return parse_toml(data, max_bytes)
    except ValueError as error:
        raise FileError(path, str(error)) from None


def parse_toml(data: bytes, max_bytes: int = MAX_TOML_BYTES) -> dict[str, Any]:
    """Parse the bytes of a TOML file.

    Raises ``ValueError``, with a reason in one line, if the bytes exceed a limit or are invalid. Numbers with more than
    15 digits are invalid.
    """
    if len(data) > max_bytes:
        raise ValueError(f"the file is larger than {max_bytes // 1024} KiB")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError("not UTF-8 text") from None
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > _MAX_TOML_LINE_LENGTH:
            raise ValueError(f"line {number} has more than {_MAX_TOML_LINE_LENGTH} characters")
    try:
        values = tomllib.loads(text, parse_float=_parse_toml_float)
        _check_integers(values)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(str(error)) from None
    except RecursionError:
        raise ValueError("nested too deeply") from None
    return values


def _parse_toml_float(text: str) -> float:
    value = float(text)
    if not abs(value) < 10**_MAX_TOML_DIGITS:
        raise ValueError(f"{text[:20]} is not a number that can be used")
    return value


def _check_integers(value: object) -> None:
    """Raise ``ValueError`` if an integer in a value, at any depth, has more than 15 digits."""
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            _check_integers(inner)
    elif type(value) is int and abs(value) >= 10**_MAX_TOML_DIGITS:
        raise ValueError(f"a whole number has more than {_MAX_TOML_DIGITS} digits")
