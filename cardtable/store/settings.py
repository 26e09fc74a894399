"""Settings of one person, stored in ``settings.toml``."""

import os
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, NamedTuple, get_args

import msgspec

from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import sanitize, unknown_name_message
from cardtable.store import atomic_io, paths, toml_file
from cardtable.store.errors import FileError, os_error_message
from cardtable.store.json_file import home_lock

THEME_NAME: Final = r"^[a-z0-9-]{1,32}\Z"
"""Pattern of theme names."""
Seconds = Annotated[float, msgspec.Meta(ge=0, le=10)]
Key = Literal["key"]
CardSize = Literal["auto", "9x7", "7x5", "5x3", "line"]
HandOrder = Literal["usual", "suit", "rank"]
Preset = Literal["default", "vim"]


COLOUR_VARIABLES: Final = ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "CLICOLOR")
"""Environment variables that ``colour_choice`` reads."""
_NO: Final = frozenset({"0", "false", "no"})


def colour_choice() -> tuple[bool | None, str]:
    """Return the environment's choice of colours, and the variable that makes it.

    The choice is True for colours, False for none, ``None`` if no variable is set. The order of precedence is:
    non-empty ``NO_COLOR``, ``FORCE_COLOR``, ``CLICOLOR_FORCE``, ``CLICOLOR=0``.
    """
    if os.environ.get("NO_COLOR"):
        return False, "NO_COLOR"
    for name in ("FORCE_COLOR", "CLICOLOR_FORCE"):
        if value := os.environ.get(name):
            wanted = value.lower() not in _NO
            if wanted or name == "FORCE_COLOR":
                return wanted, name if wanted else f"{name}={value}"
    return (False, "CLICOLOR=0") if os.environ.get("CLICOLOR") == "0" else (None, "")


class TerminalFlags(NamedTuple):
    """Properties of the terminal given on the command line, for this run only."""

    ascii: bool = False
    mono: bool = False
    mouse: bool = True


AUTOMATIC: Final = "auto"
"""Theme chosen by the program: the default one, or on a terminal with 16 colours the one for it."""


class Settings(msgspec.Struct, frozen=True):
    """All settings; the defaults apply to those that the file lacks."""

    theme: Annotated[str, msgspec.Meta(pattern=THEME_NAME)] = AUTOMATIC
    """Name of a theme file without its suffix, in lower-case letters, digits and hyphens; or ``"auto"``."""
    pace: Annotated[float, msgspec.Meta(ge=0, le=2)] = 0.6
    """Delay before a robot acts, in seconds, 0 to 2."""
    trick_pause: Seconds | Key = 1.2
    """Time for which a finished trick stays, in seconds, 0 to 10; or ``"key"`` to wait for a key."""
    round_pause: Seconds | Key = "key"
    """Time for which the end of a round stays, in seconds, 0 to 10; or ``"key"`` to wait for a key."""
    autoplay: bool = False
    """True if the only legal action is played automatically."""
    beep: bool = False
    """True if the terminal beeps when it is a person's turn."""
    four_colours: bool = True
    """True if each suit has its own colour; False for black and red."""
    card_size: CardSize = "auto"
    """Columns and rows of a card, or ``"line"`` for one row; a smaller size is used if there is not enough room."""
    hand_order: HandOrder = "usual"
    """Order of the own hand: usual for the game, by suit, or by rank."""
    suit_letters: bool = False
    """True if suits are shown as letters."""
    animation: bool = True
    """True if cards move visibly; without pace or trick pause they do not."""
    confirm: bool = True
    """True if abandoning a session, or replacing it by a new one, needs confirmation."""
    guard: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.3
    """Time in seconds, 0 to 1, for which Enter, Space and clicks are ignored after the table's question has changed."""
    ascii: bool = False
    """True if the screen shows ASCII characters only."""
    mono: bool = False
    """True if no colours are used."""
    mouse: bool = True
    """True if the mouse is used; False leaves it to the terminal's own selection."""
    key_preset: Preset = "default"
    """Key bindings for the commands that ``keys`` does not change."""
    keys: dict[str, str] = {}
    """Keys by command, separated by spaces."""

    @property
    def min_choices(self) -> int:
        """Minimum number of legal actions at which a player is asked."""
        return 2 if self.autoplay else 1


def _one_of(kind: Any) -> str:
    *others, last = map(repr, get_args(kind))
    return f"{', '.join(others)} or {last}".replace("'", '"')


_YES_OR_NO: Final = "true or false"
_SECONDS: Final = 'a number of seconds from 0 to 10, or "key"'
ALLOWED: Final = {
    "theme": "a name of small letters, digits and hyphens",
    "pace": "a number of seconds from 0 to 2",
    "trick_pause": _SECONDS,
    "round_pause": _SECONDS,
    "autoplay": _YES_OR_NO,
    "beep": _YES_OR_NO,
    "four_colours": _YES_OR_NO,
    "card_size": _one_of(CardSize),
    "hand_order": _one_of(HandOrder),
    "suit_letters": _YES_OR_NO,
    "animation": _YES_OR_NO,
    "confirm": _YES_OR_NO,
    "guard": "a number of seconds from 0 to 1",
    "ascii": _YES_OR_NO,
    "mono": _YES_OR_NO,
    "mouse": _YES_OR_NO,
    "key_preset": _one_of(Preset),
    "keys": 'a table of names with a text each, such as hint = "h"',
}
"""Allowed values of each setting, in words."""


def load() -> tuple[Settings, list[str]]:
    """Return the settings, and a one-line error for each fault of the file.

    An invalid value is replaced by the default, an unknown name is ignored; a file that cannot be read counts as
    empty.
    """
    try:
        return read()
    except CardtableError as error:
        return Settings(), [str(error)]


def read() -> tuple[Settings, list[str]]:
    """Return the settings as ``load`` does, but raise ``FileError`` if the file cannot be read."""
    return choose(_read_file())


def choose(stored: Mapping[str, object]) -> tuple[Settings, list[str]]:
    """Return the settings with the given values, and a one-line error for each invalid one."""
    good, complaints = {}, []
    types = {field.name: field.type for field in msgspec.structs.fields(Settings)}
    for name, value in stored.items():
        if name not in types:
            complaints.append(
                _complaint(unknown_name_message("setting", name, ALLOWED, "the settings page shows every name"))
            )
            continue
        try:
            good[name] = msgspec.convert(value, types[name])
        except msgspec.ValidationError:
            complaints.append(_complaint(f"{name} cannot be {_shown(value)}; it can be {ALLOWED[name]}"))
    return Settings(**good), complaints


def save(since: Settings, chosen: Settings) -> None:
    """Save the settings that differ between ``since`` and ``chosen``.

    All else in the file is preserved except comments, so that changes saved by another program remain. The old file
    becomes ``settings.toml.bak``; an invalid file is not overwritten. Raises ``CardtableError``.
    """
    import tomli_w  # noqa: PLC0415 - lazy: startup

    path = paths.settings_file()
    try:
        with home_lock():
            stored = _read_file()
            values = _apply_changes(msgspec.structs.asdict(since), msgspec.structs.asdict(chosen), stored)
            if values == stored:
                return
            paths.make(path.parent)
            atomic_io.write_personal(path, tomli_w.dumps(values).encode(), toml_file.MOST_BYTES)
    except OSError as error:
        raise FileError(path, f"the settings cannot be saved: {os_error_message(error)}") from None


def merged(since: Settings, chosen: Settings, others: Settings) -> Settings:
    """Return ``others`` with the differences between ``since`` and ``chosen`` applied."""
    asdict = msgspec.structs.asdict
    return Settings(**_apply_changes(asdict(since), asdict(chosen), asdict(others)))


def _apply_changes(before: Mapping[str, Any], after: Mapping[str, Any], into: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``into`` with the differences between ``before`` and ``after`` applied; nested tables are merged."""
    values = {**into}
    for name in (*before, *after):
        old, new = before.get(name), after.get(name)
        if old == new:
            continue
        if name not in after:
            values.pop(name, None)
        elif isinstance(old, dict) and isinstance(new, dict):
            inner = into.get(name)
            values[name] = _apply_changes(old, new, inner if isinstance(inner, dict) else {})
        else:
            values[name] = new
    return values


def _read_file() -> dict[str, Any]:
    """Return the values in the file; empty if it does not exist."""
    try:
        return toml_file.read(paths.settings_file())
    except FileNotFoundError:
        return {}


def _complaint(what: str) -> str:
    return sanitize(f"{paths.settings_file().name}: {what}")


def _shown(value: object) -> str:
    """Return a value in TOML notation."""
    return str(value).lower() if isinstance(value, bool) else sanitize(repr(value), 40)
