"""Console input and output, and dialogs of commands with their words, help and handlers.

Only printable text and the sequence that clears the screen are written.
"""

import re
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from textwrap import wrap
from time import sleep
from types import FrameType
from typing import Final, Generic, NoReturn, TypeAlias, TypeVar

from cardtable.engine.errors import CardtableError, EndedBySignal
from cardtable.engine.text_format import fold, sanitize
from cardtable.plain.speech_text import to_sentence
from cardtable.wording.formatting import measure_terminal, print_similar_characters

PROMPT: Final = "> "
CLEAR_SEQUENCE: Final = "\x1b[H\x1b[2J\x1b[3J"
"""Escape sequence that clears the screen and the scrollback of a terminal."""
_EXIT_SIGNALS: Final = tuple(
    signal.Signals[name] for name in ("SIGTERM", "SIGHUP", "SIGQUIT", "SIGBREAK") if name in signal.Signals.__members__
)
"""Signals besides SIGINT (Ctrl+C) that ask the program to end; SIGBREAK is Ctrl+Break on Windows."""
_SIGNAL_EXIT_BASE: Final = 128
"""Exit code of a program that was ended by signal n, less n."""
DISCARD_SECONDS: Final = 0.6
"""Time after a curtain in which input is discarded, in seconds; the player typed it before they could read the curtain.
"""
_MAX_LINE_LENGTH: Final = 4096
"""Largest number of characters read from one line; the rest of the line is discarded."""
_MAX_PRINTED_LENGTH: Final = 100_000
"""Largest number of characters printed of one line."""
_SPACE_AFTER_NUMBER: Final = re.compile(r"(?<=\d:) ")
"""Pattern of the space between a number and its item, at which lines are not wrapped."""

_CONTROL_SEQUENCE: Final = re.compile(
    "(?:\x1b[]P_^X]|[\x9d\x90\x9f\x9e\x98]).*?(?:\x07|\x9c|\x1b\\\\|$)|(?:\x1b\\[|\x9b)[ -?]*(?:[@-~]|$)|\x1bO.|\x1b",
    re.DOTALL,
)
"""Pattern of control strings (OSC, DCS, APC, PM, SOS), control sequences (CSI) and function keys (SS3), as in ECMA-48.
"""


class QuitRequested(Exception):
    """Raised if the player quits: by ``quit``, or at the end of input."""


def prepare_output(*, ascii_only: bool) -> None:
    """Let the console of Windows obey escape sequences, such as the one of ``clear_screen``.

    With ``ascii_only``, non-ASCII characters are replaced in all further output, including names and chat.
    """
    if sys.platform == "win32":
        from colorama import just_fix_windows_console  # noqa: PLC0415 - lazy: optional, Windows only

        just_fix_windows_console()
    if ascii_only:
        print_similar_characters(sys.stdout, "ascii")


def print_lines(*lines: str) -> None:
    """Print lines without control characters; on a terminal they are wrapped at words.

    No line is wrapped between a number and its item.
    """
    width = measure_terminal(sys.stdout)[0]
    for line in lines:
        text = sanitize(line, _MAX_PRINTED_LENGTH)
        print(_wrap_line(text, width) if 0 < width < len(text) else text)


def _wrap_line(line: str, width: int) -> str:
    glued = _SPACE_AFTER_NUMBER.sub("\xa0", line)
    return "\n".join(wrap(glued, width, break_long_words=False, break_on_hyphens=False)).replace("\xa0", " ")


def print_prompt() -> None:
    print(PROMPT, end="", flush=True)


def read_line(begin: Callable[[], None] = print_prompt, end: Callable[[], None] = lambda: None) -> str:
    """Print the prompt, and return a line of input without surrounding blanks.

    ``begin`` prints the prompt, and ``end`` is called when the line has been read, before anything else is printed.
    Raises ``QuitRequested`` at the end of input.
    """
    begin()
    try:
        line = rest = _read_chunk()
        while rest and not rest.endswith("\n"):
            rest = _read_chunk()
    finally:
        end()
    if not line or not sys.stdin.isatty():
        print()  # no Enter key has ended the line on the screen
    if not line:
        raise QuitRequested
    return strip_control_sequences(line).strip()


def confirm(*question: str) -> bool:
    """Ask for ``yes``; return False after any other line. Raises ``QuitRequested`` at the end of input."""
    print_lines(*question)
    return read_line().lower() in ("yes", "y")


def strip_control_sequences(line: str) -> str:
    """Remove a terminal's reports and the sequences of function keys from a line of input."""
    return _CONTROL_SEQUENCE.sub("", line.removeprefix("\ufeff"))


def _read_chunk() -> str:
    """Read a line, or its first ``_MAX_LINE_LENGTH`` characters.

    The result is empty at the end of input, if the terminal is gone, or if the input cannot be decoded.
    """
    try:
        return sys.stdin.readline(_MAX_LINE_LENGTH) if sys.stdin else ""
    except (OSError, UnicodeError):
        return ""


def discard_input() -> None:
    """Wait ``DISCARD_SECONDS``, and discard everything typed until then.

    Without a terminal nothing is discarded, since every line of a pipe is meant for the next prompt.
    """
    if not is_on_terminal():
        return
    sys.stdout.flush()
    sleep(DISCARD_SECONDS)
    if sys.platform == "win32":
        import msvcrt  # noqa: PLC0415 - lazy: optional, Windows only

        while msvcrt.kbhit():
            msvcrt.getwch()
    else:
        import termios  # noqa: PLC0415 - lazy: optional, POSIX only

        with suppress(termios.error):  # the terminal may be gone
            termios.tcflush(sys.stdin, termios.TCIFLUSH)


def is_on_terminal() -> bool:
    return bool(sys.stdin and sys.stdin.isatty() and sys.stdout and sys.stdout.isatty())


def require_privacy(people: int) -> None:
    """Check that the hands of ``people`` players at one keyboard can be hidden from each other.

    Raises ``CardtableError`` if there are several players and no terminal.
    """
    if people > 1 and not is_on_terminal():
        raise CardtableError(f"{people} people take turns here, and a pipe cannot hide their hands; use a terminal")


def clear_screen() -> None:
    print(CLEAR_SEQUENCE, end="", flush=True)


@contextmanager
def defer_signals() -> Iterator[None]:
    """Defer SIGINT and signals that end the program until the context is left; only the first one is delivered."""
    deferred: list[tuple[int, FrameType | None]] = []

    def defer(number: int, frame: FrameType | None) -> None:
        deferred.append((number, frame))

    with _handle_signals(defer, signal.SIGINT, *_EXIT_SIGNALS):
        yield
    for number, frame in deferred[:1]:
        answer = signal.getsignal(number)
        if callable(answer):
            answer(number, frame)


@contextmanager
def exit_on_signals() -> Iterator[None]:
    """Convert signals that end the program into ``EndedBySignal``, so that cleanup runs."""

    def exit_program(number: int, _frame: FrameType | None) -> None:
        raise EndedBySignal(_SIGNAL_EXIT_BASE + number)

    with _handle_signals(exit_program, *_EXIT_SIGNALS):
        yield


@contextmanager
def _handle_signals(handler: Callable[[int, FrameType | None], None], *numbers: signal.Signals) -> Iterator[None]:
    """Install a handler for signals, and restore the previous handlers on exit."""
    before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, answered in before.items():
            signal.signal(number, answered)


Handler: TypeAlias = Callable[[str], bool | None]
"""Function that executes a command; receives the text after the command's words, which may be empty.

It returns True if the dialog has to stop reading commands: the picker then prints its list again, a local table of
robots makes its next step, and a table of a club is left. The other dialogs ignore the result; a command ends them with
an exception, such as ``Back``. A handler raises ``UnknownCommand`` if the text does not fit the command.
"""
CommandRows: TypeAlias = Mapping[str, Mapping[str, Handler]]
"""Help text by lines, each with the handlers of the commands that it explains, by their words.

The words of an empty line are the empty string. Commands below an empty help line are refused, or announced when they
can be used.
"""

SYNONYMS: Final = {
    "chat": "talk",
    "say": "talk",
    "start": "begin",
    "score": "sheet",
    "claim": "rest",
    "take back": "undo",
    "exit": "quit",
}
"""Other words for commands, accepted wherever they are no commands themselves."""


class UnknownCommand(Exception):
    """Raised if a line of input is no command of the dialog."""


def format_unknown(typed: str, advice: str = "Type help.") -> str:
    return f'I don\'t know "{typed[:40]}" here. {advice}'


class Back(Exception):
    """Raised if the user goes back from a dialog to the one that has opened it."""


class Commands:
    """Commands of one dialog; ``help`` and ``?`` are among them."""

    def __init__(self, *groups: CommandRows) -> None:
        self.rows = [row for rows in groups for row in rows.items()]
        self.help_lines = [line for text, _ in self.rows for line in text.splitlines()]
        listed = {words: handler for _, handlers in self.rows for words, handler in handlers.items()}
        self._handlers = {"help": self._print_help, "?": self._print_help, **listed}

    def execute(self, typed: str) -> bool:
        """Execute the command in a line of input; return True if the dialog has to stop reading commands.

        A command of two words takes precedence over one of one word, and a command over a synonym. Case is ignored in
        the words of commands. Raises ``UnknownCommand`` if the line is no command.
        """
        for number in (2, 1):
            *words, rest = [*typed.split(maxsplit=number), ""][: number + 1]
            name = fold(" ".join(words))
            if handler := self._handlers.get(name) or self._handlers.get(SYNONYMS.get(name, name)):
                return bool(handler(rest))
        raise UnknownCommand

    def _print_help(self, _rest: str) -> None:
        print_lines(*self.help_lines)


def alone(handler: Callable[[], bool | None]) -> Handler:
    """Return the handler of a command that no text may follow."""

    def execute(rest: str) -> bool | None:
        if rest:
            raise UnknownCommand
        return handler()

    return execute


def one_word(handler: Handler) -> Handler:
    """Return the handler of a command that exactly one word must follow."""

    def execute(rest: str) -> bool | None:
        if len(rest.split()) != 1:
            raise UnknownCommand
        return handler(rest)

    return execute


def request_quit() -> NoReturn:
    raise QuitRequested


def _go_back() -> NoReturn:
    raise Back


LEAVE: Final[Mapping[str, Handler]] = {"back": alone(_go_back), "quit": alone(request_quit)}
"""Commands that leave a dialog, and the program."""


def parse_number(word: str) -> int | None:
    """Return the number that ``word`` represents, or ``None``; only its first 6 digits are used."""
    return int(word[:6]) if word.isascii() and word.isdecimal() else None


T = TypeVar("T")


class ListDialog(Generic[T]):
    """Dialog that executes commands, or opens an item of its list by its number, until the user goes back.

    Subclasses set ``commands``, and ``items`` when they print the list.
    """

    commands: Commands
    items: Sequence[T] = ()
    advice = "Type a number from the list, or help."
    """Advice after a line that is neither a command nor a number."""
    page_size = 10
    printed = 0
    """Number of items that have been printed."""

    def open_item(self, item: T) -> None:
        raise NotImplementedError

    def take_page(self) -> list[tuple[int, T]]:
        """Return the next page of the list, numbered; its items then count as printed."""
        first, self.printed = self.printed, min(self.printed + self.page_size, len(self.items))
        return [*enumerate(self.items[first : self.printed], first + 1)]

    def find_item(self, typed: str) -> T | None:
        """Return the item with this number; ``None`` if there is none."""
        number = parse_number(typed)
        return self.items[number - 1] if number is not None and 1 <= number <= len(self.items) else None

    def execute(self, typed: str) -> None:
        """Execute a command, or open an item."""
        try:
            self.commands.execute(typed)
        except UnknownCommand:
            if (item := self.find_item(typed)) is None:
                print_lines(format_unknown(typed, self.advice))
            else:
                self.open_item(item)

    def read_until_back(self) -> None:
        """Read lines and execute them until the user goes back; an error is printed as a sentence.

        Raises ``QuitRequested`` if the user quits.
        """
        while True:
            try:
                self.execute(read_line())
            except CardtableError as error:
                print_lines(to_sentence(str(error)))
            except Back:
                return
