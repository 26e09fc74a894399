"""Commands that a dialog understands (their words, help and handlers), and dialogs with a numbered list."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Generic, NoReturn, TypeAlias, TypeVar

from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import fold
from cardtable.plain.console import QuitRequested, print_lines, read_line
from cardtable.plain.speech_text import to_sentence

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
PAGE_SIZE: Final = 10
"""Number of items on a page of a list."""


class ListDialog(Generic[T]):
    """Dialog that executes commands, or opens an item of its list by its number, until the user goes back.

    Subclasses set ``commands``, and ``items`` when they print the list.
    """

    commands: Commands
    items: Sequence[T] = ()
    advice = "Type a number from the list, or help."
    """Advice after a line that is neither a command nor a number."""
    printed = 0
    """Number of items that have been printed."""

    def open_item(self, item: T) -> None:
        raise NotImplementedError

    def take_page(self) -> list[tuple[int, T]]:
        """Return the next page of the list, numbered; its items then count as printed."""
        first, self.printed = self.printed, min(self.printed + PAGE_SIZE, len(self.items))
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
