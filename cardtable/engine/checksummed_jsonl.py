"""JSON Lines with chained CRC-32 checksums, parsed strictly: the format of journals and score tables.

The last member of each line is the checksum of its JSON object, continued from the checksum of the line before.
"""

import json
import re
import zlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Generic, TypeAlias, TypeVar

import msgspec

MAX_BYTES: Final = 4 * 1024 * 1024
MAX_LINE_BYTES: Final = 4096
NEWER_VERSION: Final = "written by a newer version of cardtable"
OLDER_VERSION: Final = "written by an older version of cardtable"
OLDEST_VERSION: Final = 2
"""Oldest version of journals and score tables that this program can read."""
_TOO_LONG: Final = "the line is longer than 4 KiB"
_LINE_BREAK_LOST: Final = "the line goes on after its end: the line break behind it was changed"
_MAX_DIGITS: Final = 15
_MAX_DEPTH: Final = 8
_SEAL: Final = re.compile(rb',"crc":"([0-9a-f]{8})"}')
_SEAL_SIZE: Final = len(b',"crc":"00000000"}')
_CRC: Final = re.compile(_SEAL.pattern + rb"\Z")
Members: TypeAlias = dict[str, object]
"""Members of a JSON object."""
H = TypeVar("H")
L = TypeVar("L")
T = TypeVar("T")


class JournalError(ValueError):
    """A file is damaged from line number ``line`` onwards; ``good`` is the valid part before it, if there is one."""

    def __init__(self, line: int, reason: str, good: "ParsedFile[Any, Any] | None" = None) -> None:
        super().__init__(reason)
        self.line, self.reason, self.good = line, reason, good


class ParsedLine(msgspec.Struct, Generic[L], frozen=True, gc=False):
    """Line of a file: its number, its JSON object as bytes (without checksum and line end) and the decoded value."""

    number: int
    body: bytes
    line: L


class ParsedFile(msgspec.Struct, Generic[H, L]):
    """Result of parsing a file: a header and the lines after it."""

    first_line: int
    """Number of the header's line in the file, which may hold several sessions."""
    header: H
    header_body: bytes
    sealed: bool
    """True if the lines have checksums."""
    entries: list[ParsedLine[L]]
    crc: int
    """Checksum of the last complete line; 0 if the lines have no checksums."""
    size: int
    """Size of the header and all complete lines, in bytes."""
    torn: bytes
    """Incomplete last line that a crash has left; empty if the data ends with a complete line."""


class FileFormat(msgspec.Struct, Generic[H, L], frozen=True):
    """Definition of a file type that uses this format."""

    member: str
    """Member of the header that identifies the file type; its value is the version of the file."""
    version: int
    """Newest version of the file type that this program can read."""
    decode_header: Callable[[Members], H]
    """Decode the members of a header. Raises ``ValueError`` if they are not valid."""
    decode_line: Callable[[H, Members], L]
    """Decode the members of a line that follows this header. Raises ``ValueError`` if they are not valid."""
    format_foreign: Callable[[Members], str]
    """Return the error message for a header that belongs to another file type."""
    decode_canonical: Callable[[H, bytes], L | None] = lambda _header, _body: None
    """Decode a line quickly if it is byte for byte as the program writes it.

    Returns ``None`` for any other line, which is then decoded by ``decode_line``.
    """


def append_crc(body: bytes, previous_crc: int) -> tuple[bytes, int]:
    """Return the line for a JSON object, with checksum and line end, and the checksum.

    ``previous_crc``: checksum of the previous line; 0 for a header.
    """
    previous_crc = zlib.crc32(body, previous_crc)
    return b'%s,"crc":"%08x"}\n' % (body[:-1], previous_crc), previous_crc


def seal(bodies: Iterable[bytes]) -> bytes:
    """Return the lines of a file with these JSON objects, the header first."""
    lines, crc = [], 0
    for body in bodies:
        line, crc = append_crc(body, crc)
        lines.append(line)
    return b"".join(lines)


def unseal(line: bytes) -> bytes:
    """Return the JSON object of a complete line that was written with ``append_crc(body, 0)``.

    Raises ``ValueError`` if the line was changed.
    """
    body = line[: -_SEAL_SIZE - 1] + b"}"
    if append_crc(body, 0)[0] != line:
        raise ValueError("the checksum is wrong: the file was changed")
    return body


def parse_header(line: bytes) -> Members:
    """Return the members of the first line of a file without verifying its checksum.

    Raises ``ValueError`` if the line is too long or not a JSON object.
    """
    return parse_object(_split_crc(line)[0])


def read(
    data: bytes, file_format: FileFormat[H, L], first_line: int = 1, *, more_follows: bool = False
) -> ParsedFile[H, L]:
    """Parse the bytes of a file, or a part of a file whose first line has the number ``first_line``.

    A torn last line is left out, unless ``more_follows``: an incomplete line before other data cannot result from a
    crash and is an error. A last line that begins with a complete line is not torn either, because a crash leaves only
    parts of lines, and zero bytes. Raises ``JournalError`` if the data is damaged.
    """
    if len(data) > MAX_BYTES:
        raise _create_size_error(data, first_line)
    lines = data.rstrip(b"\0").split(b"\n")
    tail = lines.pop()
    if not lines:
        reason = _TOO_LONG if _is_too_long(tail) else "the header is not a whole line"
        raise JournalError(first_line, reason if tail else "the file is empty")
    try:
        chain = _start_chain(lines[0], file_format, first_line)
    except ValueError as error:
        raise JournalError(first_line, str(error)) from None
    if not chain.sealed and len(lines) == 1:
        raise JournalError(first_line, "the line has no checksum")
    for index in range(1, len(lines)):
        try:
            _parse_line(chain, file_format, lines[index])
        except ValueError as error:
            if not isinstance(error, _TornError) or index < len(lines) - 1 or tail or more_follows:
                raise JournalError(first_line + index, str(error), chain) from None
            if _has_excess_bytes(lines[index], chain):
                raise JournalError(first_line + index, _LINE_BREAK_LOST, chain) from None
    if _is_too_long(tail) or _has_excess_bytes(tail, chain):
        raise JournalError(first_line + len(lines), _TOO_LONG if _is_too_long(tail) else _LINE_BREAK_LOST, chain)
    chain.torn = data[chain.size :]
    if more_follows and chain.torn:
        raise JournalError(first_line + len(lines), "the line is not whole", chain)
    return chain


def _create_size_error(data: bytes, first_line: int) -> JournalError:
    """Return the error for data above the size limit; it names the first line that is too long, if there is one."""
    for number, line in enumerate(data.rstrip(b"\0").split(b"\n"), first_line):
        if _is_too_long(line):
            return JournalError(number, _TOO_LONG)
    return JournalError(first_line, "the session is larger than 4 MiB")


def _is_too_long(line: bytes) -> bool:
    """Return True if a line has too many bytes. Zero bytes do not count: each crash may leave any number of them."""
    return len(line) >= MAX_LINE_BYTES and len(line) - line.count(0) >= MAX_LINE_BYTES


class _TornError(ValueError):
    """Damage that a crash may have caused if it is in the last line of the file."""


def _start_chain(line: bytes, file_format: FileFormat[H, L], first_line: int) -> ParsedFile[H, L]:
    """Parse the header line and start a chain of checksums with it.

    Raises ``ValueError`` if the header is damaged, belongs to another file type, or has a newer or older version.
    """
    body, crc = _split_crc(line)
    members = parse_object(body)
    version = members.get(file_format.member)
    if type(version) is not int:
        raise ValueError(file_format.format_foreign(members))
    if version > file_format.version:
        raise ValueError(NEWER_VERSION)
    if 0 < version < OLDEST_VERSION:
        raise ValueError(OLDER_VERSION)
    _check_crc(body, 0, crc)
    return ParsedFile(
        first_line=first_line,
        header=file_format.decode_header(members),
        header_body=body,
        sealed=crc is not None,
        entries=[],
        crc=crc or 0,
        size=len(line) + 1,
        torn=b"",
    )


def _parse_line(chain: ParsedFile[H, L], file_format: FileFormat[H, L], line: bytes) -> None:
    """Parse the next line and add it to the chain. Raises ``ValueError`` if the line is damaged or not valid."""
    if chain.sealed and len(line) < MAX_LINE_BYTES:
        body = line[:-_SEAL_SIZE] + b"}"
        checksum = zlib.crc32(body, chain.crc)
        if line[-_SEAL_SIZE:] == b',"crc":"%08x"}' % checksum and (
            decoded := file_format.decode_canonical(chain.header, body)
        ):
            _append_entry(chain, body, decoded, checksum, len(line) + 1)
            return
    body, crc = _split_crc(line)
    if chain.sealed:
        _check_crc(body, chain.crc, crc)
    decoded = file_format.decode_line(chain.header, parse_object(body))
    if (crc is not None) != chain.sealed:
        raise ValueError("some lines have a checksum, some have none")
    _append_entry(chain, body, decoded, crc or 0, len(line) + 1)


def _append_entry(chain: ParsedFile[H, L], body: bytes, decoded: L, crc: int, size: int) -> None:
    chain.entries.append(ParsedLine(chain.first_line + len(chain.entries) + 1, body, decoded))
    chain.crc = crc
    chain.size += size


def _has_excess_bytes(line: bytes, chain: ParsedFile[Any, Any]) -> bool:
    """Return True if ``line`` begins with the complete next line of the chain, followed by more bytes.

    This happens if the line end behind that line was changed.
    """
    if chain.sealed:
        match = _SEAL.search(line)
        if match is None or match.end() == len(line):
            return False
        return zlib.crc32(line[: match.start()] + b"}", chain.crc) == int(match[1], 16)
    text = line.decode("utf-8", "replace")
    try:
        return _JSON.raw_decode(text)[1] < len(text.rstrip())
    except (ValueError, RecursionError):  # raised by the decoder, or by its hooks above
        return False


def _split_crc(line: bytes) -> tuple[bytes, int | None]:
    """Return the JSON object of a line and its checksum, which is ``None`` if the line has none.

    Raises ``ValueError`` if the line is too long or an editor has changed its beginning or end.
    """
    if _is_too_long(line):
        raise ValueError(_TOO_LONG)
    if line.endswith(b"\r"):
        raise ValueError("the line ends in CR LF: an editor has changed the file")
    if line.startswith(b"\xef\xbb\xbf"):
        raise ValueError("the file begins with a byte order mark: an editor has changed it")
    match = _CRC.search(line, max(len(line) - _SEAL_SIZE, 0))
    return (line[: match.start()] + b"}", int(match[1], 16)) if match else (line, None)


def _check_crc(body: bytes, previous_crc: int, crc: int | None) -> None:
    """Raise ``_TornError`` if the checksum does not match the JSON object and the previous checksum."""
    if crc is not None and zlib.crc32(body, previous_crc) != crc:
        raise _TornError("the checksum is wrong: the line was changed, or one before it is missing")


def parse_object(body: bytes) -> Members:
    """Parse the JSON object of a line.

    Raises ``ValueError`` if it is not strict JSON in UTF-8: duplicate members, unpaired surrogates, numbers of more
    than 15 digits and deep nesting are refused as well.
    """
    try:
        members = _JSON.decode(body.decode("utf-8"))
    except UnicodeDecodeError:
        raise _TornError("not UTF-8 text") from None
    except json.JSONDecodeError as error:
        raise _TornError(f"not valid JSON: {error.msg} at column {error.colno}") from None
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not isinstance(members, dict):
        raise ValueError("not a JSON object")
    if "crc" in members:
        raise _TornError("the checksum is not eight hexadecimal digits in the last member, written without spaces")
    _check_depth(members, _MAX_DEPTH)
    if b"\\ud" in body.lower():
        _check_unicode(members)
    return members


def reject_duplicate_keys(body: bytes) -> None:
    """Raise ``ValueError`` if an object anywhere in this JSON has two members of the same name."""
    json.loads(body, object_pairs_hook=_build_object)


def _check_depth(value: object, depth: int) -> None:
    """Raise ``ValueError`` if lists and objects are nested more than ``depth`` levels deep."""
    if isinstance(value, dict | list):
        if not depth:
            raise ValueError("nested too deeply")
        for inner in value.values() if isinstance(value, dict) else value:
            _check_depth(inner, depth - 1)


def _check_unicode(members: Members) -> None:
    """Raise ``ValueError`` if a text contains an unpaired surrogate."""
    try:
        msgspec.json.encode(members)
    except UnicodeEncodeError:
        raise ValueError("a text is not Unicode") from None


def _build_object(pairs: list[tuple[str, object]]) -> Members:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a member occurs twice")
    return members


def _reject_constant(constant: str) -> object:
    raise ValueError(f"{constant} is not a number")


def _parse_float(text: str) -> float:
    value = float(text)
    if abs(value) >= 10**_MAX_DIGITS:
        raise ValueError("a number is too large")
    return value


def _parse_int(text: str) -> int:
    if len(text.lstrip("-")) > _MAX_DIGITS:
        raise ValueError(f"a whole number has more than {_MAX_DIGITS} digits")
    return int(text)


_JSON: Final = json.JSONDecoder(
    object_pairs_hook=_build_object, parse_constant=_reject_constant, parse_float=_parse_float, parse_int=_parse_int
)


def decode(body: bytes, target_type: type[T]) -> T:
    """Decode JSON into a value of the given type. Raises ``ValueError`` if it does not match the type."""
    try:
        return msgspec.json.decode(body, type=target_type)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def convert(members: Members, target_type: type[T]) -> T:
    """Convert the members of an object into a structure. Raises ``ValueError`` if they do not match its type."""
    try:
        return msgspec.convert(members, target_type)
    except msgspec.ValidationError as error:
        raise ValueError(str(error).replace(" | null", "")) from None


def convert_variant(members: Members, kinds: Mapping[str, type[T]]) -> T:
    """Convert the members of an object, which has exactly one of the members ``kinds``, into a structure of its type.

    Raises ``ValueError`` if there are several, none or a null, or if the members do not match the type.
    """
    present = [kind for kind in kinds if kind in members]
    if len(present) != 1:
        raise ValueError(
            f"the line holds {len(present)} things instead of one" if present else "the line holds nothing known"
        )
    if members[present[0]] is None:
        raise ValueError(f"the line is empty: {present[0]} is null")
    return convert(members, kinds[present[0]])
