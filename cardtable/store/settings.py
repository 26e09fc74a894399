"""What a person has set, in one TOML file."""

import os
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, NamedTuple, get_args

import msgspec

from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import sanitize, unknown
from cardtable.store import atomic_io, paths, toml_file
from cardtable.store.errors import FileError, reason
from cardtable.store.json_file import home_lock

THEME_NAME: Final = r"^[a-z0-9-]{1,32}\Z"
"""The pattern of the name of a theme."""
Seconds = Annotated[float, msgspec.Meta(ge=0, le=10)]
Key = Literal["key"]
CardSize = Literal["auto", "9x7", "7x5", "5x3", "line"]
HandOrder = Literal["usual", "suit", "rank"]
Preset = Literal["default", "vim"]


COLOUR_VARIABLES: Final = ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "CLICOLOR")
"""Variables of the environment that `colour_choice` looks at."""
_NO: Final = frozenset({"0", "false", "no"})


def colour_choice() -> tuple[bool | None, str]:
    """Return whether the environment asks for colours (True) or against them, and the variable that does.

    ``None`` if no variable does.  The first of these counts: ``NO_COLOR`` unless it is empty, ``FORCE_COLOR``,
    ``CLICOLOR_FORCE``, ``CLICOLOR=0``.
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
    """What the command line says of the terminal, for this run only."""

    ascii: bool = False
    mono: bool = False
    mouse: bool = True


AUTOMATIC: Final = "auto"
"""As a theme: the usual one, or with sixteen colours only the one for them."""


class Settings(msgspec.Struct, frozen=True):
    """All settings; those that are not in the file are as here."""

    theme: Annotated[str, msgspec.Meta(pattern=THEME_NAME)] = AUTOMATIC
    """The name of a theme file without its ending: small letters, digits and hyphens; or ``"auto"``."""
    pace: Annotated[float, msgspec.Meta(ge=0, le=2)] = 0.6
    """Seconds from 0 to 2 before a robot acts."""
    trick_pause: Seconds | Key = 1.2
    """Seconds from 0 to 10 that a finished trick stays, or ``"key"``: until a key."""
    round_pause: Seconds | Key = "key"
    """Seconds from 0 to 10 that a round's end stays, or ``"key"``: until a key."""
    autoplay: bool = False
    """Whether the only legal action is played by itself."""
    beep: bool = False
    """Whether the terminal beeps when a person is to act."""
    four_colours: bool = True
    """Whether each suit has a colour of its own; if not, there are black and red."""
    card_size: CardSize = "auto"
    """Columns and rows of a card, or ``"line"``: one row; larger ones than there is room for are not drawn."""
    hand_order: HandOrder = "usual"
    """The order of the own hand: as usual in the game, by suits, or by ranks."""
    suit_letters: bool = False
    """Whether suits are shown as letters."""
    animation: bool = True
    """Whether cards are seen to move; without a pace or a pause after tricks they are not."""
    confirm: bool = True
    """Whether the program asks before a session is given up, or another one begun in its place."""
    guard: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.3
    """Seconds from 0 to 1 for which Enter, Space and clicks do not count when the table asks for something else."""
    ascii: bool = False
    """Whether nothing but ASCII is on the screen."""
    mono: bool = False
    """Whether there are no colours."""
    mouse: bool = True
    """Whether the mouse is asked for; without it the terminal's own selection works."""
    key_preset: Preset = "default"
    """The keys that all but those in ``keys`` follow."""
    keys: dict[str, str] = {}
    """Keys by what they do, several with a space between."""

    @property
    def fewest_choices(self) -> int:
        """How many choices there are at least where somebody is asked."""
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
"""What each setting can be, in words."""


def load() -> tuple[Settings, list[str]]:
    """The settings, and in a line each what is wrong with their file.

    A wrong value is left out, an unknown name ignored; nothing at all is taken from a file
    that cannot be read.
    """
    try:
        return read()
    except CardtableError as error:
        return Settings(), [str(error)]


def read() -> tuple[Settings, list[str]]:
    """As ``load``, but a file that cannot be read raises ``FileError``."""
    return choose(_found())


def choose(found: Mapping[str, object]) -> tuple[Settings, list[str]]:
    """The settings of such values, and in a line each what is wrong with them."""
    good, complaints = {}, []
    types = {field.name: field.type for field in msgspec.structs.fields(Settings)}
    for name, value in found.items():
        if name not in types:
            complaints.append(_complaint(unknown("setting", name, ALLOWED, "the settings page shows every name")))
            continue
        try:
            good[name] = msgspec.convert(value, types[name])
        except msgspec.ValidationError:
            complaints.append(_complaint(f"{name} cannot be {_shown(value)}; it can be {ALLOWED[name]}"))
    return Settings(**good), complaints


def save(since: Settings, chosen: Settings) -> None:
    """Write what is chosen otherwise than ``since``; all else that stands in the file is kept but for comments.

    So nothing is undone that another program has written meanwhile.  The file as it was becomes
    ``settings.toml.bak``.  One that cannot be read is left alone.  Raises ``CardtableError``.
    """
    import tomli_w  # noqa: PLC0415  (late: few sessions change a setting)

    path = paths.settings_file()
    try:
        with home_lock():
            found = _found()
            values = _carried(msgspec.structs.asdict(since), msgspec.structs.asdict(chosen), found)
            if values == found:
                return
            paths.make(path.parent)
            atomic_io.write_personal(path, tomli_w.dumps(values).encode(), toml_file.MOST_BYTES)
    except OSError as error:
        raise FileError(path, f"the settings cannot be saved: {reason(error)}") from None


def merged(since: Settings, chosen: Settings, others: Settings) -> Settings:
    """``others``, but for what is chosen otherwise than ``since``."""
    asdict = msgspec.structs.asdict
    return Settings(**_carried(asdict(since), asdict(chosen), asdict(others)))


def _carried(before: Mapping[str, Any], after: Mapping[str, Any], into: Mapping[str, Any]) -> dict[str, Any]:
    """The changes from ``before`` to ``after`` made to ``into``; in a table within, each of its names by itself."""
    values = {**into}
    for name in (*before, *after):
        old, new = before.get(name), after.get(name)
        if old == new:
            continue
        if name not in after:
            values.pop(name, None)
        elif isinstance(old, dict) and isinstance(new, dict):
            inner = into.get(name)
            values[name] = _carried(old, new, inner if isinstance(inner, dict) else {})
        else:
            values[name] = new
    return values


def _found() -> dict[str, Any]:
    """What the file holds."""
    try:
        return toml_file.read(paths.settings_file())
    except FileNotFoundError:
        return {}


def _complaint(what: str) -> str:
    return sanitize(f"{paths.settings_file().name}: {what}")


def _shown(value: object) -> str:
    """A value in the words of the file."""
    return str(value).lower() if isinstance(value, bool) else sanitize(repr(value), 40)
