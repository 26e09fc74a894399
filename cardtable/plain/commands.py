"""Registry of the commands that a dialog understands: their words, help and handlers."""

from collections.abc import Callable, Mapping
from typing import Final, NoReturn, TypeAlias

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

NO_ROWS: Final[CommandRows] = {}


class UnknownCommand(Exception):
    """Raised if a line of input is no command of the dialog."""


def format_unknown(typed: str, advice: str = "Type help.") -> str:
    """Return the answer to a line of input that is no command of the dialog."""
    return f'I don\'t know "{typed[:40]}" here. {advice}'


class Back(Exception):
    """Raised if the user goes back from a dialog to the one that has opened it."""


class Commands:
    """Commands of one dialog; ``help`` and ``?`` are among them."""

    def __init__(self, rows: CommandRows) -> None:
        self.rows = rows
        self.help_lines = [line for text in rows for line in text.splitlines()]
        listed = {words: handler for row in rows.values() for words, handler in row.items()}
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


def when(condition: bool, rows: CommandRows) -> CommandRows:
    """Return rows if the dialog has them: if ``condition`` is true when it begins."""
    return rows if condition else {}


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


def go_back() -> NoReturn:
    raise Back


def read_until_back(execute: Callable[[str], object]) -> None:
    """Read lines and execute them until the user goes back; an error is printed as a sentence.

    Raises ``QuitRequested`` if the user quits.
    """
    while True:
        try:
            execute(read_line())
        except CardtableError as error:
            print_lines(to_sentence(str(error)))
        except Back:
            return
