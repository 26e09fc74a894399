"""Settings of the user, stored in ``settings.toml``."""

import os
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, NamedTuple, get_args

import msgspec

from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import format_unknown_name, sanitize
from cardtable.store import atomic_io, paths, toml_file
from cardtable.store.errors import FileError, format_os_error
from cardtable.store.json_file import home_lock

THEME_NAME_PATTERN: Final = r"^[a-z0-9-]{1,32}\Z"
"""Regular expression for theme names."""
Seconds = Annotated[float, msgspec.Meta(ge=0, le=10)]
Key = Literal["key"]
CardSize = Literal["auto", "11x9", "9x7", "7x5", "5x3", "line"]
HandOrder = Literal["usual", "suit", "rank", "melds"]
Preset = Literal["default", "vim"]
CoachLevel = Literal["off", "big", "all"]


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


class TerminalFlags(NamedTuple):
    """Properties of the terminal as given on the command line, for this run of the program only."""

    ascii: bool = False
    mono: bool = False
    mouse: bool = True


AUTO_THEME: Final = "auto"
"""Value of ``Settings.theme`` that lets the program choose, according to the number of colours of the terminal."""


class Settings(msgspec.Struct, frozen=True):
    """Settings of the user. A setting that is missing in the file has its default."""

    theme: Annotated[str, msgspec.Meta(pattern=THEME_NAME_PATTERN)] = AUTO_THEME
    """Name of a theme file without its suffix, or ``"auto"``. It has lower-case letters, digits and hyphens."""
    pace: Annotated[float, msgspec.Meta(ge=0, le=2)] = 0.6
    """Delay before a robot acts, in seconds from 0 to 2."""
    trick_pause: Seconds | Key = 1.2
    """Time for which a finished trick remains visible, in seconds from 0 to 10, or ``"key"`` to wait for a key."""
    round_pause: Seconds | Key = "key"
    """Time for which the result of a round remains visible, in seconds from 0 to 10, or ``"key"`` to wait for a key."""
    autoplay: bool = False
    """True if an action is played automatically when it is the only legal one."""
    beep: bool = False
    """True if the terminal beeps when it is a human player's turn."""
    four_colours: bool = True
    """True if each suit has its own colour. If False, suits are black or red."""
    card_size: CardSize = "auto"
    """Width and height of a card in cells, or ``"line"`` for one row, or ``"auto"`` for the largest size that fits.

    If there is not enough room for the size, a smaller one is used.
    """
    hand_order: HandOrder = "usual"
    """Order of the player's hand: usual for the game, by suit, by rank, or by melds in a game that has them."""
    coach: CoachLevel = "off"
    """Mistakes that the coach names during play: none, big ones, or all. It is for tables with one human player only.
    """
    suit_letters: bool = False
    """True if suits are shown as letters instead of symbols."""
    animation: bool = True
    """True if moving cards are animated. There is no animation if ``pace`` or ``trick_pause`` is 0."""
    confirm: bool = True
    """True if the player has to confirm before a session is abandoned, or replaced by a new one."""
    guard: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.3
    """Time for which Enter, Space and clicks are ignored after the table asks something new, in seconds from 0 to 1."""
    ascii: bool = False
    """True if the screen shows ASCII characters only."""
    mono: bool = False
    """True if the screen shows no colours."""
    mouse: bool = True
    """True if the program handles the mouse. If False, the terminal does, for selecting text."""
    key_preset: Preset = "default"
    """Key bindings of all commands that ``keys`` does not change."""
    keys: dict[str, str] = {}
    """Key bindings by name of the command. Several keys are separated by spaces."""

    @property
    def min_choices(self) -> int:
        """Minimum number of legal actions for which the player is asked."""
        return 2 if self.autoplay else 1


def _format_choices(literal_type: Any) -> str:
    *others, last = map(repr, get_args(literal_type))
    return f"{', '.join(others)} or {last}".replace("'", '"')


_BOOLEAN_VALUES: Final = "true or false"
_PAUSE_VALUES: Final = 'a number of seconds from 0 to 10, or "key"'
ALLOWED_VALUES: Final = {
    "theme": "a name of lower-case letters, digits and hyphens",
    "pace": "a number of seconds from 0 to 2",
    "trick_pause": _PAUSE_VALUES,
    "round_pause": _PAUSE_VALUES,
    "autoplay": _BOOLEAN_VALUES,
    "coach": _format_choices(CoachLevel),
    "beep": _BOOLEAN_VALUES,
    "four_colours": _BOOLEAN_VALUES,
    "card_size": _format_choices(CardSize),
    "hand_order": _format_choices(HandOrder),
    "suit_letters": _BOOLEAN_VALUES,
    "animation": _BOOLEAN_VALUES,
    "confirm": _BOOLEAN_VALUES,
    "guard": "a number of seconds from 0 to 1",
    "ascii": _BOOLEAN_VALUES,
    "mono": _BOOLEAN_VALUES,
    "mouse": _BOOLEAN_VALUES,
    "key_preset": _format_choices(Preset),
    "keys": 'a table of names with a text each, such as hint = "h"',
}
"""Permitted values of each setting, in words."""


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
    types = {field.name: field.type for field in msgspec.structs.fields(Settings)}
    for name, value in stored.items():
        if name not in types:
            complaints.append(
                _format_error(
                    format_unknown_name("setting", name, ALLOWED_VALUES, "the settings page shows every name")
                )
            )
            continue
        try:
            good[name] = msgspec.convert(value, types[name])
        except msgspec.ValidationError:
            complaints.append(
                _format_error(f"{name} cannot be {_format_value(value)}; it can be {ALLOWED_VALUES[name]}")
            )
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
            toml_file.parse(data)
            paths.create_folder(path.parent)
            atomic_io.write_personal(path, data, toml_file.MAX_BYTES)
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
        return toml_file.read(paths.settings_file())
    except FileNotFoundError:
        return {}


def _format_error(message: str) -> str:
    return sanitize(f"{paths.settings_file().name}: {message}")


def _format_value(value: object) -> str:
    """Return a value in TOML notation, shortened to 40 characters."""
    return str(value).lower() if isinstance(value, bool) else sanitize(repr(value), 40)
