"""Strict reader for small TOML files written by a person. Size limits are checked before parsing."""

import tomllib
from pathlib import Path
from typing import Any, Final

from cardtable.store import atomic_io
from cardtable.store.errors import FileError, format_os_error

MAX_TOML_BYTES: Final = 16 * 1024
MAX_LINE_LENGTH: Final = 500
"""Maximum length of a line in characters. The parser needs time quadratic in the length of a dotted key."""
_MAX_DIGITS: Final = 15


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
        if len(line) > MAX_LINE_LENGTH:
            raise ValueError(f"line {number} has more than {MAX_LINE_LENGTH} characters")
    try:
        values = tomllib.loads(text, parse_float=_parse_float)
        _check_integers(values)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(str(error)) from None
    except RecursionError:
        raise ValueError("nested too deeply") from None
    return values


def _parse_float(text: str) -> float:
    value = float(text)
    if not abs(value) < 10**_MAX_DIGITS:
        raise ValueError(f"{text[:20]} is not a number that can be used")
    return value


def _check_integers(value: object) -> None:
    """Raise ``ValueError`` if an integer in a value, at any depth, has more than 15 digits."""
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            _check_integers(inner)
    elif type(value) is int and abs(value) >= 10**_MAX_DIGITS:
        raise ValueError(f"a whole number has more than {_MAX_DIGITS} digits")
