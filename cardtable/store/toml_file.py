"""Strict reader for small TOML files written by a person. Size limits are checked before parsing."""

import tomllib
from pathlib import Path
from typing import Any, Final

from cardtable.store import atomic_io
from cardtable.store.errors import FileError, os_error_message

MOST_BYTES: Final = 16 * 1024
MOST_LINE: Final = 500
"""Maximum length of a line in characters. The parser needs time quadratic in the length of a dotted key."""
_MOST_DIGITS: Final = 15


def read(path: Path, most: int = MOST_BYTES) -> dict[str, Any]:
    """Return the values of a TOML file. Symbolic links are followed.

    Raises ``FileNotFoundError`` if the file does not exist, and ``FileError`` if it cannot be read, is larger than
    ``max_bytes``, or is invalid.
    """
    try:
        data = atomic_io.read(path, most, links=True)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise FileError(path, os_error_message(error)) from None
    try:
        return parse(data, most)
    except ValueError as error:
        raise FileError(path, str(error)) from None


def parse(data: bytes, most: int = MOST_BYTES) -> dict[str, Any]:
    """Parse the bytes of a TOML file.

    Raises ``ValueError``, with a reason in one line, if the bytes exceed a limit or are invalid. Numbers with more than
    15 digits are invalid.
    """
    if len(data) > most:
        raise ValueError(f"the file is larger than {most // 1024} KiB")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError("not UTF-8 text") from None
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > MOST_LINE:
            raise ValueError(f"line {number} has more than {MOST_LINE} characters")
    try:
        values = tomllib.loads(text, parse_float=_number)
        _check(values)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(str(error)) from None
    except RecursionError:
        raise ValueError("nested too deeply") from None
    return values


def _number(text: str) -> float:
    value = float(text)
    if not abs(value) < 10**_MOST_DIGITS:
        raise ValueError(f"{text[:20]} is not a number that can be used")
    return value


def _check(value: object) -> None:
    """Raise ``ValueError`` if an integer in a value, at any depth, has more than 15 digits."""
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            _check(inner)
    elif type(value) is int and abs(value) >= 10**_MOST_DIGITS:
        raise ValueError(f"a whole number has more than {_MOST_DIGITS} digits")
