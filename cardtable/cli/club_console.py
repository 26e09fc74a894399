"""Subcommand ``console`` of ``club``: the other subcommands at a prompt, with the lines of the host's log."""

import asyncio
import shlex
import sys
import time
from collections.abc import Callable
from importlib import import_module
from threading import Thread
from typing import Final

import click
from click.shell_completion import ShellComplete

from cardtable.cli import launch
from cardtable.cli.club import CLUB_COMMANDS, club, print_status
from cardtable.cli.main import format_click_error
from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import format_unknown_name, sanitize
from cardtable.plain import console as plain_console
from cardtable.plain.commands import Commands, Handler, UnknownCommand, request_quit
from cardtable.plain.console import PROMPT, QuitRequested, print_lines
from cardtable.plain.speech_text import to_sentence

_CLEAR_LINE: Final = "\r\x1b[K"
"""Sequence that moves the cursor to the beginning of the line and clears the line."""
_OWN_WORDS: Final = ("console", "log")
"""Subcommands that are useless at the prompt."""
_WORD_BREAKS: Final = " \t"
INTRODUCTION: Final = "Type help for what can be typed, and quit to end this; the club stays open."
CLUB_CLOSED: Final = "The club is closed; this prompt waits until it is open again."
CLUB_REOPENED: Final = "The club is open again."
REOPEN_SECONDS: Final = 2.0
"""Time in seconds between two checks whether a closed club is open again."""


class _Prompt:
    """Prompt for commands, above which lines of the log appear while the administrator types."""

    def __init__(self, complete: Callable[[str], list[str]]) -> None:
        """``complete`` returns the words that can replace the last word of a line, by the line up to the cursor."""
        self._complete, self._candidates = complete, list[str]()
        self._is_reading = False
        self._is_terminal = plain_console.is_on_terminal()
        self._get_typed: Callable[[], str] = str
        if self._is_terminal:
            self._set_up_completion()

    def _set_up_completion(self) -> None:
        """Let the Tab key complete words, if the system has the readline library."""
        if sys.platform != "win32":
            try:
                import readline
            except ImportError:
                return

            def complete(_word: str, number: int) -> str | None:
                if number == 0:
                    self._candidates = self._complete(readline.get_line_buffer()[: readline.get_endidx()])
                return f"{self._candidates[number]} " if number < len(self._candidates) else None

            readline.set_completer(complete)
            readline.set_completer_delims(_WORD_BREAKS)
            is_libedit = "libedit" in (readline.__doc__ or "")
            readline.parse_and_bind("bind ^I rl_complete" if is_libedit else "tab: complete")
            self._get_typed = readline.get_line_buffer

    def read_line(self) -> str:
        """Print the prompt, and return a line of input without surrounding blanks.

        Raises ``QuitRequested`` at the end of input.
        """
        if not self._is_terminal:
            return plain_console.read_line()
        self._is_reading = True
        try:
            return plain_console.strip_control_sequences(input(PROMPT)).strip()
        except EOFError:
            click.echo()
            raise QuitRequested from None
        finally:
            self._is_reading = False

    def print_above(self, line: str) -> None:
        """Print a line with the time from another thread, above the prompt and what has been typed."""
        text = f"{time.strftime('%H:%M')} {sanitize(line, launch.MAX_FACT_LENGTH)}"
        if self._is_reading:
            sys.stdout.write(f"{_CLEAR_LINE}{text}\n{PROMPT}{self._get_typed()}")
            sys.stdout.flush()
        else:
            click.echo(text)


def run() -> None:
    """Read commands until the administrator quits or the club closes; on a terminal, print the lines of the log
    meanwhile.

    Raises ``CardtableError`` if no club is open.
    """
    plain_console.prepare_output(ascii_only=False)
    print_status()
    print_lines(INTRODUCTION)
    prompt = _Prompt(_complete_line)
    if plain_console.is_on_terminal():
        Thread(target=_follow_log, args=(prompt.print_above,), daemon=True).start()
    commands = _create_commands()
    while True:
        typed = ""
        try:
            typed = prompt.read_line()
            if typed:
                commands.execute(typed)
        except UnknownCommand:
            names = [name for name in CLUB_COMMANDS if name not in _OWN_WORDS]
            print_lines(to_sentence(format_unknown_name("command", typed.split()[0], names, "type help")))
        except CardtableError as error:
            print_lines(to_sentence(str(error)))
        except KeyboardInterrupt:
            click.echo()
        except QuitRequested:
            return


def _create_commands() -> Commands:
    """Return the subcommands of ``club`` as commands of a dialog, with their usage and help."""
    rows: dict[str, dict[str, Handler]] = {}
    for name, (module, line) in CLUB_COMMANDS.items():
        if name not in _OWN_WORDS:
            import_module(f"cardtable.cli.{module}")
            command = club.commands[name]
            with click.Context(command, info_name=name) as context:
                usage = [name, *command.collect_usage_pieces(context)[1:]]
            rows[f"{' '.join(usage)}: {line}"] = {name: _create_handler(name, command)}
    rows["NAME --help: more about a command. quit: end this."] = {"quit": lambda _rest: request_quit()}
    return Commands(rows)


def _create_handler(name: str, command: click.Command) -> Handler:
    # in free text, double quotes are part of what is said
    split = str.split if "ignore_unknown_options" in command.context_settings else _split_words

    def execute(rest: str) -> None:
        try:
            command.main(split(rest), prog_name=name, standalone_mode=False)
        except click.ClickException as error:
            print_lines(to_sentence(format_click_error(error)))
        except click.Abort:
            click.echo()

    return execute


def _split_words(text: str) -> list[str]:
    """Return the words of a text; double quotes enclose a word with blanks.

    Apostrophes and backslashes stay as they are. Raises ``click.UsageError`` if a double quote is not closed.
    """
    words = shlex.shlex(text, posix=True, punctuation_chars=False)
    words.whitespace_split, words.quotes, words.escape, words.commenters = True, '"', "", ""
    try:
        return list(words)
    except ValueError:
        raise click.UsageError(f"a double quote is missing in {text}") from None


def _complete_line(line: str) -> list[str]:
    """Return the words that can replace the last word of a line; that word is empty after a blank."""
    last = line.rpartition(" ")[2]
    try:
        words = _split_words(line[: len(line) - len(last)])
    except click.UsageError:
        return []
    completions = ShellComplete(club, {}, "club", "").get_completions(words, last)
    return [item.value for item in completions if item.value not in _OWN_WORDS]


def _follow_log(print_line: Callable[[str], None]) -> None:
    """Print the lines of the host's log for ever; if the club closes and is opened again, say so."""
    from cardtable.club import administration_client
    from cardtable.club.server import status_file

    async def follow() -> None:
        async with administration_client.connect() as connection:
            async for line in connection.follow_log():
                print_line(line)

    while True:
        try:
            asyncio.run(follow())
        except CardtableError:
            print_line(CLUB_CLOSED)
        while not status_file.is_club_open():
            time.sleep(REOPEN_SECONDS)
        time.sleep(REOPEN_SECONDS)  # until the host has written its status file
        print_line(CLUB_REOPENED)


@club.command()
def console() -> None:
    """Give these commands at a prompt, and read the log meanwhile.

    The same words as after `cardtable club`; the Tab key completes nicks and tables. Ends with `quit` or Ctrl+D.
    """
    run()
