"""What a person has set, in one TOML file."""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

import msgspec

from cardtable.store import disk, paths, toml
from cardtable.store.errors import CardtableError, FileError, reason
from cardtable.store.text import clean

Seconds = Annotated[float, msgspec.Meta(ge=0, le=10)]
Key = Literal["key"]


class Settings(msgspec.Struct, frozen=True):
    """All settings; those that are not in the file are as here."""

    theme: Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9-]{1,32}\Z")] = "classic"
    """The name of a theme file without its ending: small letters, digits and hyphens."""
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


_YES_OR_NO: Final = "true or false"
_SECONDS: Final = 'a number of seconds from 0 to 10, or "key"'
_ALLOWED: Final = {
    "theme": "a name of small letters, digits and hyphens",
    "pace": "a number of seconds from 0 to 2",
    "trick_pause": _SECONDS,
    "round_pause": _SECONDS,
    "autoplay": _YES_OR_NO,
    "beep": _YES_OR_NO,
    "four_colours": _YES_OR_NO,
}


def load() -> tuple[Settings, list[str]]:
    """The settings, and in a line each what is wrong with their file.

    A wrong value is left out, an unknown name ignored; nothing at all is taken from a file
    that cannot be read.
    """
    try:
        return choose(_found())
    except CardtableError as error:
        return Settings(), [str(error)]


def choose(found: Mapping[str, object]) -> tuple[Settings, list[str]]:
    """The settings of such values, and in a line each what is wrong with them."""
    good, complaints = {}, []
    types = {field.name: field.type for field in msgspec.structs.fields(Settings)}
    for name, value in found.items():
        if name not in types:
            complaints.append(_complaint(f"there is no {_shown(name)}{_nearest(name)}"))
            continue
        try:
            good[name] = msgspec.convert(value, types[name])
        except msgspec.ValidationError:
            complaints.append(_complaint(f"{name} cannot be {_shown(value)}; it is {_ALLOWED[name]}"))
    return Settings(**good), complaints


def save(settings: Settings) -> None:
    """Write the settings; what else stands in the file is kept, but for comments.

    The file as it was becomes ``settings.toml.bak``.  One that could not be read is left
    alone.  Raises ``CardtableError``.
    """
    import tomli_w  # noqa: PLC0415  (late: few sessions change a setting)

    found = _found()
    values = {**found, **msgspec.structs.asdict(settings)}
    path = paths.settings_file()
    try:
        paths.make(path.parent)
        path = path.resolve()
        if path.exists():
            disk.write_whole(path.with_name(f"{path.name}.bak"), disk.read(path, toml.MOST_BYTES))
        disk.write_whole(path, tomli_w.dumps(values).encode())
    except OSError as error:
        raise FileError(path, f"the settings cannot be saved: {reason(error)}") from None


def _found() -> dict[str, Any]:
    """What the file holds."""
    try:
        return toml.read(paths.settings_file())
    except FileNotFoundError:
        return {}


def _complaint(what: str) -> str:
    return clean(f"{paths.settings_file().name}: {what}")


def _shown(value: object) -> str:
    """A value in the words of the file."""
    return str(value).lower() if isinstance(value, bool) else clean(repr(value), 40)


def _nearest(name: str) -> str:
    from difflib import get_close_matches  # noqa: PLC0415  (late: needed for slips only)

    near = get_close_matches(name[:40], _ALLOWED, 1)
    return f"; did you mean {near[0]}?" if near else ""
