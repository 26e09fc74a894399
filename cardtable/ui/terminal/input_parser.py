"""Parser of terminal input: keys, mouse events and pastes are recognised, replies to queries are discarded.

A terminal replies to queries about its colours, version or modes at any time, including queries of the program that ran
before. Such a reply is a control string (OSC, DCS, APC, PM, SOS) or a control sequence (CSI) that is not a key. It can
arrive in pieces, or without its end. The rest of the program never receives any of it.

Control functions are named as in ECMA-48. Keys are taken from Textual's tables and from the kitty keyboard protocol
(https://sw.kovidgoyal.net/kitty/keyboard-protocol/).
"""

import os
import re
import sys
from codecs import getincrementaldecoder
from collections.abc import Iterator
from contextlib import suppress
from enum import Enum, auto
from math import inf
from select import select
from threading import Lock
from time import monotonic
from typing import Any, Final, assert_never

from textual import constants, events
from textual.app import App
from textual.driver import Driver
from textual.keys import Keys
from textual.message import Message

from cardtable.ui.terminal.capabilities import MAX_TERMINAL_SIDE
from cardtable.ui.terminal.keyboard_layouts import find_control_key
from cardtable.ui.terminal.textual_internals import XTermParser

SILENCE: Final = 1.0
"""Seconds without input after which an unterminated sequence, control string or paste is ended."""
KEYBOARD_FLAGS: Final = 0b101
"""Flags of the kitty keyboard protocol to request: disambiguate escape codes (1), report alternate keys (4)."""

_ESC: Final = "\x1b"
_BEL: Final = "\x07"
_CANCEL: Final = "\x18\x1a"
_STRINGS: Final = "]P_^X"
"""Characters that begin an OSC, DCS, APC, PM or SOS string after ESC."""
_C1: Final = {0x9B: "[", 0x9D: "]", 0x90: "P", 0x9F: "_", 0x9E: "^", 0x98: "X", 0x8F: "O", 0x9C: "\\"}
"""8-bit control characters (C1), each with the character that follows ESC in its 7-bit form."""
_RAW_BYTES: Final = range(0xDC80, 0xDD00)
"""Surrogate code points that represent bytes that are not UTF-8 (error handler surrogateescape).

The low eight bits are the byte.
"""

_MAX_SEQUENCE: Final = 128
_MAX_PASTED: Final = 100_000
"""Maximum number of characters that are stored of a sequence and of a paste; the rest is discarded."""
_PASTE_START: Final = "200~"
_PASTE_END: Final = ("\x1b[201~", "\x9b201~", "\udc9b201~")
_PART_OF_PASTE_END: Final = "(?:\x1b|(?:\x1b\\[|[\x9b\udc9b])(?:2(?:0(?:1~?)?)?)?)$"
_PASTED_SEQUENCE: Final = "\x1b(?:\\[[ -?]*[@-~]|[\\]P_^X][^\x1b\x07]*(?:\x07|\x1b\\\\)|O?.)?"
"""Pattern of an escape sequence in pasted text. The patterns here are compiled on first use, to shorten the start-up.
"""

_MODE_REPORTS: Final = tuple([f"?{mode};{setting}$y" for mode in (2026, 2048) for setting in range(5)])
"""Replies to queries about two modes: synchronized output (2026), and in-band reports of the window size (2048)."""
_ALTERNATE_SCROLL_OFF: Final = "?1007;2$y"
_MOUSE: Final = r"<(?:\d{1,2}|1[01]\d|12[0-7]);-?\d{1,6};-?\d{1,6}[Mm]"
"""Pattern of a mouse event; codes of further buttons, such as thumb buttons, begin at 128."""
_SIZE_REPORT: Final = r"48" + 4 * r";([1-9]\d{0,5})(?::[\d:]*)?" + "t"
_KITTY_KEY: Final = r"(\d{1,7})(?::(\d{0,7})(?::(\d{0,7}))?)?(?:;(\d{0,3})(?::(\d))?(?:;([\d:]*))?)?u"
_OTHER_KEY: Final = r"27;(\d{1,3});(\d{1,7})~"
"""Pattern of a key that xterm reports with modifyOtherKeys."""
_MODIFIERS: Final = r"(?:;(\d{1,3})(?::(\d))?)?"
_FUNCTION_KEY: Final = f"(1?){_MODIFIERS}([ABCDEFHPQS])|([1-8]|1[1-57-9]|2[0134]){_MODIFIERS}(~)"
_LEGACY_KEY: Final = r"[A-QS-Za-z]|(?:[1-8]|[123]\d)[~^@]"
"""Pattern of the keys of other terminals; a final R is excluded because it ends a cursor position report."""
_RXVT_KEY: Final = r"\d{1,2}\$"
"""Pattern of a key with Shift in rxvt, whose final $ is no final character in ECMA-48."""
_RELEASED: Final = "3"
_SHIFT: Final = 1
_LOCKS: Final = 0b1100_0000
"""Bits of Caps Lock and Num Lock in the modifiers of the kitty keyboard protocol; the other bits are keys held down."""
_KEYPAD: Final = {57399 + index: character for index, character in enumerate("0123456789./*-+")} | {57415: "="}
"""Characters of the keypad keys, by their code points in the kitty keyboard protocol."""
_KEYS_WITHOUT_TEXT: Final = {9, 13, 27, 127} | set(range(57361, 57441))
"""Code points of keys that type no text: Tab, Enter, Escape, Backspace, function keys and the like.

Modifier and lock keys are not included.
"""


class _State(Enum):
    """State of the parser: the kind of construct to which the next character belongs."""

    GROUND = auto()
    ESCAPE = auto()
    SINGLE_SHIFT = auto()
    SEQUENCE = auto()
    CONSOLE_KEY = auto()
    """Function key of the Linux console: `ESC [ [` and a letter."""
    OLD_MOUSE = auto()
    """Mouse event of three bytes (X10 encoding), which the program has not requested."""
    STRING = auto()
    ESCAPE_IN_STRING = auto()
    PASTE = auto()


class InputParser:
    """State machine that converts bytes into Textual messages."""

    def __init__(self, *, debug: bool = False) -> None:
        self._textual_parser = XTermParser(debug)
        self._decoder = getincrementaldecoder("utf-8")("surrogateescape")
        self._fed_at = -inf
        self._began_at = -inf
        """Time at which the first byte of the present construct was read."""
        self._state = _State.GROUND
        self._deadline = inf
        self._sequence = ""
        """Characters of the sequence so far, without its introducer."""
        self._pasted: list[str] = []
        self._escape_at = -inf
        """Time at which an ESC was taken for the Escape key because nothing followed.

        It is -infinity once a character has arrived.
        """
        self.had_alternate_scroll = True
        """False if the terminal has reported that alternate scroll mode was off before."""

    def compute_wait(self, now: float, max_seconds: float) -> float:
        """Return the seconds until ``tick`` must be called, limited to ``max_seconds``."""
        return max(0.0, min(max_seconds, self._deadline - now))

    def feed(self, data: bytes, now: float) -> list[Message]:
        """Parse bytes that were read at the time ``now``, in seconds of a monotonic clock, and return their messages.

        The time of a message is that of its first byte, so that a late end does not make old input new.
        """
        messages: list[Message] = []
        if now - self._fed_at >= SILENCE:
            self._decoder.reset()  # the rest of an incomplete character is not expected any more
        self._fed_at = now
        text = self._decoder.decode(data)
        for index, character in enumerate(text):
            if self._state is _State.GROUND:
                self._began_at = now
            for message in self._consume(character, now, is_last=index == len(text) - 1):
                message.time = self._began_at
                messages.append(message)
        return messages

    def tick(self, now: float) -> list[Message]:
        """Return the messages of input that a timeout completes, such as the Escape key; empty before the deadline."""
        if now < self._deadline:
            return []
        state = self._state
        self._enter(_State.GROUND, now)
        if state in (_State.ESCAPE, _State.ESCAPE_IN_STRING):
            self._escape_at = now
        if state is _State.ESCAPE:
            return [_create_escape_key()]
        if state is _State.SINGLE_SHIFT and not self._sequence:
            return list(self._iter_alt_keys("O"))
        if state is _State.PASTE:
            return list(self._iter_paste())
        return []

    def _enter(self, state: _State, now: float) -> None:
        """Enter a state, or stay in it, and set the time at which it ends if no input arrives."""
        self._state = state
        if state is _State.GROUND:
            self._deadline = inf
        elif state in (_State.ESCAPE, _State.SINGLE_SHIFT):
            self._deadline = now + constants.ESCAPE_DELAY
        else:
            self._deadline = now + SILENCE

    def _consume(self, character: str, now: float, *, is_last: bool) -> Iterator[Message]:
        code = ord(character)
        if self._state not in (_State.PASTE, _State.OLD_MOUSE):
            is_raw = code in _RAW_BYTES
            introducer = _C1.get(code & 0xFF if is_raw else code)
            if introducer and (introducer == "\\" or self._state not in (_State.STRING, _State.ESCAPE_IN_STRING)):
                yield from self._handle_escape(introducer, now)
                return
            if is_raw:
                character = "\ufffd"
        match self._state:
            case _State.GROUND:
                yield from self._handle_ground(character, now, is_last=is_last)
            case _State.ESCAPE:
                yield from self._handle_escape(character, now)
            case _State.SINGLE_SHIFT:
                yield from self._handle_single_shift(character, now)
            case _State.SEQUENCE:
                yield from self._handle_sequence(character, now)
            case _State.CONSOLE_KEY:
                self._enter(_State.GROUND, now)
                yield from self._iter_keys(f"\x1b[[{character}")
            case _State.OLD_MOUSE:
                self._sequence += character
                self._enter(_State.OLD_MOUSE if len(self._sequence) < len("M...") else _State.GROUND, now)
            case _State.STRING | _State.ESCAPE_IN_STRING:
                self._handle_string(character, now)
            case _State.PASTE:
                yield from self._handle_paste(character, now)
            case _:
                assert_never(self._state)

    def _handle_ground(self, character: str, now: float, *, is_last: bool) -> Iterator[Message]:
        late, self._escape_at = now - self._escape_at < SILENCE, -inf
        if character == _ESC:
            self._enter(_State.ESCAPE, now)
        elif late and (character in "[]\\" or (character in _STRINGS + "O" and not is_last)):
            yield from self._handle_escape(character, now)  # the ESC of this sequence was taken for the Escape key
        else:
            yield from self._iter_keys(character)

    def _handle_escape(self, character: str, now: float) -> Iterator[Message]:
        self._sequence = ""
        if character == _ESC:
            self._enter(_State.ESCAPE, now)
            yield _create_escape_key()
        elif character == "[":
            self._enter(_State.SEQUENCE, now)
        elif character in _STRINGS:
            self._enter(_State.STRING, now)
        elif character == "O":
            self._enter(_State.SINGLE_SHIFT, now)
        else:
            self._enter(_State.GROUND, now)
            if character != "\\":  # ESC \ ends a control string
                yield from self._iter_alt_keys(character)

    def _handle_single_shift(self, character: str, now: float) -> Iterator[Message]:
        if character == _ESC:
            self._enter(_State.ESCAPE, now)
        elif character.isascii() and (character.isdigit() or character == ";"):
            self._collect(character)
            self._enter(_State.SINGLE_SHIFT, now)
        else:
            self._enter(_State.GROUND, now)
            yield from self._iter_keys(f"\x1bO{character}")

    def _handle_sequence(self, character: str, now: float) -> Iterator[Message]:
        if character == _ESC:
            self._enter(_State.ESCAPE, now)
        elif " " <= character <= "?":
            self._collect(character)
            self._enter(_State.SEQUENCE, now)
            if character == "$" and re.fullmatch(_RXVT_KEY, self._sequence):
                self._enter(_State.GROUND, now)
                yield from self._iter_keys(f"\x1b[{self._sequence}")
        elif "@" <= character <= "~":
            self._collect(character)
            self._enter(_State.GROUND, now)
            if self._sequence == "[":
                self._enter(_State.CONSOLE_KEY, now)
            elif self._sequence == "M":
                self._enter(_State.OLD_MOUSE, now)
            elif self._sequence == _PASTE_START:
                self._pasted.clear()
                self._enter(_State.PASTE, now)
            else:
                yield from self._iter_sequence(self._sequence)
        else:  # not part of any sequence: a key
            self._enter(_State.GROUND, now)
            yield from self._iter_keys(character)

    def _collect(self, character: str) -> None:
        if len(self._sequence) < _MAX_SEQUENCE:
            self._sequence += character

    def _handle_string(self, character: str, now: float) -> None:
        """Discard a character of a control string, or end the string.

        Control characters do not postpone the deadline.
        """
        if self._state is _State.ESCAPE_IN_STRING and character != _ESC:
            if character == "\\":
                self._enter(_State.GROUND, now)
            elif character in _STRINGS:
                self._enter(_State.STRING, now)
            elif character in "[O":
                self._sequence = ""
                self._enter(_State.SEQUENCE if character == "[" else _State.SINGLE_SHIFT, now)
            else:
                self._state = _State.STRING
                self._handle_string(character, now)
        elif character == _BEL or character in _CANCEL:
            self._enter(_State.GROUND, now)
        elif character == _ESC and self._state is _State.STRING:
            self._enter(_State.ESCAPE_IN_STRING, now)
        elif character >= " ":
            self._enter(_State.STRING, now)

    def _handle_paste(self, character: str, now: float) -> Iterator[Message]:
        if len(self._pasted) < _MAX_PASTED:
            self._pasted.append(character)
        if character >= " " or character in "\t\r\n\x1b":
            self._enter(_State.PASTE, now)
        self._sequence = (self._sequence + character)[-len(_PASTE_END[0]) :]
        if self._sequence.endswith(_PASTE_END):
            self._enter(_State.GROUND, now)
            yield from self._iter_paste()

    def _iter_paste(self) -> Iterator[Message]:
        """Yield the pasted text without escape sequences; nothing if no text remains."""
        pasted = re.sub(_PART_OF_PASTE_END, "", "".join(self._pasted))
        if text := re.sub(_PASTED_SEQUENCE, "", pasted).replace("\x00", ""):
            yield events.Paste(text.encode("utf-8", "surrogateescape").decode("utf-8", "replace"))

    def _iter_sequence(self, sequence: str) -> Iterator[Message]:
        """Yield the messages of a control sequence, which is given without its introducer.

        None for a reply to a query.
        """
        whole = f"\x1b[{sequence}"
        if sequence == "I":
            yield events.AppFocus()
        elif sequence == "O":
            yield events.AppBlur()
        elif sequence in _MODE_REPORTS or _is_size_report(sequence):
            yield from self._textual_parser.feed(whole)
        elif sequence == _ALTERNATE_SCROLL_OFF:
            self.had_alternate_scroll = False
        elif re.fullmatch(_MOUSE, sequence):
            if event := self._textual_parser.parse_mouse_code(whole):
                yield event
        elif key := re.fullmatch(_KITTY_KEY, sequence):
            code, shifted, base, modifiers, event_type, text = key.groups(default="")
            if event_type != _RELEASED:
                yield from self._iter_kitty_key(int(code), int(shifted or 0), int(base or 0), int(modifiers or 1), text)
        elif key := re.fullmatch(_OTHER_KEY, sequence):
            yield from self._iter_kitty_key(int(key[2]), 0, 0, int(key[1]), "")
        elif key := re.fullmatch(_FUNCTION_KEY, sequence):
            number, modifiers, event_type, final = (part or "" for part in key.groups()[0 if key[4] else 4 :][:4])
            if event_type != _RELEASED:
                yield from self._iter_keys(f"\x1b[{number}{modifiers and ';'}{modifiers}{final}")
        elif re.fullmatch(_LEGACY_KEY, sequence):
            yield from self._iter_keys(whole)

    def _iter_kitty_key(self, code: int, shifted: int, base: int, modifiers: int, text: str) -> Iterator[Message]:
        """Yield the keys of a report of the kitty keyboard protocol.

        ``code``, ``shifted`` and ``base`` are the code points of the key, of the key with Shift, and of the key at the
        same position of a US keyboard; 0 if not reported. ``modifiers`` is the reported bit mask plus 1.
        """
        mask = max(modifiers - 1, 0) & ~_LOCKS
        character = _to_printable(code)
        if not character and code not in _KEYS_WITHOUT_TEXT:
            return
        if mask & ~_SHIFT:
            key = find_control_key(character, _to_printable(base)) if character else chr(code)
            yield from self._iter_keys(f"\x1b[{ord(key)};{mask + 1}u")
        elif text or code in _KEYPAD:
            for typed in map(_to_printable, map(int, filter(None, text.split(":")))) if text else [_KEYPAD[code]]:
                yield from self._iter_keys(typed)
        elif character:
            upper = _to_printable(shifted) or character.upper()
            yield from self._iter_keys(upper if mask and len(upper) == 1 else character)
        else:
            yield from self._iter_keys(f"\x1b[{code};{mask + 1}u" if mask else f"\x1b[{code}u")

    def _iter_alt_keys(self, character: str) -> Iterator[Message]:
        """Yield the keys meant by ESC and a character: Alt with a key, or Escape followed by a key such as Enter."""
        keys = list(self._iter_keys(_ESC + character))
        if not keys and character < " ":
            keys = [_create_escape_key(), *self._iter_keys(character)]
        yield from keys or self._textual_parser._sequence_to_key_events(find_control_key(character, ""), alt=True)

    def _iter_keys(self, sequence: str) -> Iterator[Message]:
        """Yield the keys that Textual's tables have for a sequence."""
        for key in self._textual_parser._sequence_to_key_events(sequence):
            if key.key != Keys.Ignore:
                yield key


def _create_escape_key() -> Message:
    return events.Key("escape", _ESC)


def _to_printable(code: int) -> str:
    """Return the character of a code point; empty if it is not printable."""
    character = chr(code) if 0 < code <= sys.maxunicode else ""
    return character if character.isprintable() else ""


def _is_size_report(sequence: str) -> bool:
    """Return True if the sequence reports a window size of at most ``MAX_CELLS`` columns and rows."""
    report = re.fullmatch(_SIZE_REPORT, sequence) if sequence.endswith("t") else None
    return report is not None and max(int(report[1]), int(report[2])) <= MAX_TERMINAL_SIDE


MAX_WAIT: Final = 0.1
"""Maximum time in seconds that a call of ``InputReader.read`` waits."""
_DELAY_THRESHOLD: Final = MAX_WAIT + 0.08
"""Seconds between two checks of the input from which the input thread counts as delayed."""
_MAX_READ: Final = 4096


class InputReader:
    """Reader of a file descriptor, for one thread; another thread may call ``note_waiting``."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._empty_at = monotonic()
        """Latest time at which no input was waiting."""
        self._waiting_at = inf
        """Earliest time at which input was noted that has not been read yet; infinity if there is none."""
        self._lock = Lock()
        self.typed_at = self._empty_at
        """Estimated time, on the monotonic clock, at which the input read last was typed."""

    def read(self, seconds: float) -> bytes | None:
        """Return the input that arrives within ``seconds``; ``None`` if none arrives, and ``b""`` at the end of file.

        A closed terminal counts as the end of file.
        """
        began = monotonic()
        if not self._is_waiting(0):
            with self._lock:
                self._empty_at = max(self._empty_at, began)
            if not self._is_waiting(seconds):
                return None
        with self._lock:
            came = monotonic()
            data = b""
            with suppress(OSError):  # the terminal has been closed
                data = os.read(self._descriptor, _MAX_READ)
            waiting_at, self._waiting_at = self._waiting_at, inf
            self.typed_at = min(self._empty_at if came - self._empty_at > _DELAY_THRESHOLD else came, waiting_at)
            if len(data) < _MAX_READ:
                self._empty_at = came
        return data

    def note_waiting(self) -> None:
        """Record that input that is waiting now was typed before this moment, and any other input after it."""
        with self._lock:
            if self._is_waiting(0):
                self._waiting_at = min(self._waiting_at, monotonic())
            else:
                self._empty_at = monotonic()

    def _is_waiting(self, seconds: float) -> bool:
        return bool(select([self._descriptor], [], [], seconds)[0])


class InputDriver(Driver):
    """Base class of drivers that read their input with an ``InputReader`` and an ``InputParser``."""

    reader: InputReader | None = None
    parser: InputParser | None = None

    def disable_alternate_scroll(self) -> None:
        """Ask for alternate scroll mode, in which the mouse wheel types arrow keys, and switch it off."""
        self.write("\x1b[?1007$p\x1b[?1007l")

    def restore_alternate_scroll(self) -> None:
        """Switch alternate scroll mode on again, unless the terminal has reported that it was off."""
        if self.parser is None or self.parser.had_alternate_scroll:
            self.write("\x1b[?1007h")


def note_waiting_input(app: App[Any]) -> None:
    """Record that input that is waiting now was typed before this moment, and any other input after it.

    Does nothing with a driver that has no ``InputReader``.
    """
    driver = app._driver
    if isinstance(driver, InputDriver) and driver.reader:
        driver.reader.note_waiting()
