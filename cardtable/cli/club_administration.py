"""Commands of ``club`` that the open club executes, and the prompt for them.

The commands are made from the messages of administration.
"""

import asyncio
import re
import shlex
import sys
import time
from collections.abc import Callable
from importlib import import_module
from threading import Thread
from typing import Final

import click
from click.shell_completion import ShellComplete

from cardtable.cli import launch, params
from cardtable.cli.club import CLUB_COMMANDS, club, print_status
from cardtable.cli.main import CliCommand, format_click_error
from cardtable.cli.params import GAME, WholeNumber
from cardtable.club.administration import (
    COMMANDS,
    HOW_LONG,
    AnyResult,
    CommandField,
    Done,
    Erase,
    FollowLog,
    Forget,
    HostCommand,
    Listing,
    Parameter,
    create_command,
    get_words,
    list_fields,
)
from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import format_unknown_name, sanitize
from cardtable.plain import console as plain_console
from cardtable.plain.console import PROMPT, Commands, Handler, QuitRequested, UnknownCommand, print_lines, request_quit
from cardtable.plain.speech_text import to_sentence
from cardtable.robots.kit.levels import LEVELS
from cardtable.store.seating import normalize_nick
from cardtable.wording.formatting import read_docstring

_DURATION: Final = re.compile(r"([1-9][0-9]{0,99})([mhdw])")
_SECONDS: Final = {"m": 60, "h": 3600, "d": 24 * 3600, "w": 7 * 24 * 3600}
_FREE_TEXT: Final = {"ignore_unknown_options": True, "allow_interspersed_args": False}
"""Settings of commands whose last argument is free text, which may begin with hyphens."""


class _Duration(click.ParamType[int]):
    """Parameter type of a duration such as ``2h``, at most ``longest``, converted to seconds."""

    name = "time"

    def __init__(self, longest: str) -> None:
        self._longest = longest

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        match = _DURATION.fullmatch(str(value).strip().lower())
        if match is None:
            self.fail(f"write {HOW_LONG}", param, ctx)
        seconds = int(match[1]) * _SECONDS[match[2]]
        if seconds > int(self._longest[:-1]) * _SECONDS[self._longest[-1]]:
            self.fail(f"the longest time is {self._longest}", param, ctx)
        return seconds


def add_host_commands(group: click.Group, *words: str) -> None:
    """Add the commands of the host that have one word behind ``words`` to the group that these words name."""
    for command_type in COMMANDS:
        if get_words(command_type)[:-1] == [*words]:
            group.add_command(_create_command(command_type))


def _create_command(command_type: type[HostCommand]) -> click.Command:
    """Return the subcommand that gives a command to the club."""
    fields = list_fields(command_type)
    parameters = [_create_parameter(field) for field in fields]
    if command_type.confirmation is not HostCommand.confirmation:
        parameters.append(click.Option(["--yes"], is_flag=True, help="Do not ask for confirmation."))

    def run(*, yes: bool = False, **typed: object) -> None:
        values = {field.name: _convert(field.parameter, typed[field.name]) for field in fields}
        command = create_command(command_type, {name: value for name, value in values.items() if value is not None})
        if not yes:
            _confirm(command)
        execute(command)

    return CliCommand(
        get_words(command_type)[-1],
        callback=run,
        params=parameters,
        help=read_docstring(command_type),
        context_settings=_FREE_TEXT if any(field.parameter.is_free_text for field in fields) else {},
    )


def _convert(parameter: Parameter, value: object) -> object:
    """Return the value of a field from that of its parameter."""
    if isinstance(value, tuple) and parameter.is_free_text:
        return " ".join(value)
    return tuple(value.split(parameter.separator)) if isinstance(value, str) and parameter.separator else value


def _create_parameter(field: CommandField) -> click.Parameter:
    parameter, is_required, value_type = field.parameter, field.field.required, _find_type(field)
    has_names = parameter.names != "" and value_type is None
    complete = params.create_name_completion(parameter.names) if has_names else None
    if parameter.option:
        return click.Option(
            [parameter.option, field.name],
            required=is_required,
            default=None if is_required else field.field.default or None,
            show_default=True,
            is_flag=field.annotation is bool,
            multiple=not is_required and field.field.default == (),
            type=value_type,
            metavar=parameter.metavar,
            help=parameter.help,
            shell_complete=complete,
        )
    return click.Argument(
        [field.name],
        required=is_required,
        type=value_type,
        nargs=-1 if parameter.is_free_text else 1,
        metavar=parameter.metavar,
        shell_complete=complete,
    )


def _find_type(field: CommandField) -> click.ParamType[object] | None:
    """Return the type of a parameter, or ``None`` if its values are texts or a flag."""
    if field.parameter.names == "game":
        return GAME
    if field.parameter.longest:
        return _Duration(field.parameter.longest)
    if field.bounds and field.bounds.ge is not None:
        return WholeNumber(int(field.bounds.ge), int(field.bounds.le) if field.bounds.le else None)
    choices = LEVELS if field.parameter.names == "level" else field.choices
    return click.Choice(choices) if choices else None


def _confirm(command: HostCommand) -> None:
    """Ask for confirmation of a command that needs one.

    Raises ``CardtableError`` if it is refused, or there is no terminal.
    """
    if command.confirmation is None:
        return
    consequence, question = command.confirmation
    if not launch.is_terminal(sys.stdin):
        raise CardtableError(f"{consequence[:1].lower()}{consequence[1:].rstrip('.')}; add --yes to do it")
    click.echo(consequence, err=True)
    if not click.confirm(question, err=True):
        raise CardtableError("nothing was changed")


def execute(command: HostCommand) -> None:
    """Execute a command at the open club of this home, and print its result.

    Raises ``CardtableError`` if no club is open and the command needs one, or the club refuses the command.
    """
    from cardtable.club import administration_client
    from cardtable.club.server import status_file

    if isinstance(command, FollowLog):
        asyncio.run(_print_log(lambda line: click.echo(sanitize(line, launch.MAX_FACT_LENGTH))))
    elif isinstance(command, Forget | Erase) and not status_file.is_club_open():
        print_result(_execute_in_closed_club(command))
    else:
        print_result(administration_client.execute_command(command))


def _execute_in_closed_club(command: Forget | Erase) -> AnyResult:
    """Raise ``CardtableError`` if a club is opened meanwhile."""
    from cardtable.club.server import status_file
    from cardtable.club.server.accounts import ClubAccounts
    from cardtable.club.server.administration import describe_erasure
    from cardtable.club.server.club_file import format_forgotten

    nick = normalize_nick(command.nick)
    with status_file.hold_host_lock():
        administration = ClubAccounts().administration
        if isinstance(command, Forget):
            return Done(format_forgotten(asyncio.run(administration.forget(nick))))
        return describe_erasure(nick, asyncio.run(administration.erase(nick)))


async def _print_log(print_line: Callable[[str], None]) -> None:
    from cardtable.club import administration_client

    async with administration_client.connect() as connection:
        async for line in connection.follow_log():
            print_line(line)


def print_result(result: AnyResult) -> None:
    """Print the result of a command."""
    if isinstance(result, Listing):
        for line in result.iter_lines():
            click.echo(line)
    elif isinstance(result, Done):
        print_lines(result.text)
        for line in result.details:
            click.echo(f"    {sanitize(line, launch.MAX_FACT_LENGTH)}")


add_host_commands(club, "club")


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

    def handle_words(rest: str) -> None:
        try:
            command.main(split(rest), prog_name=name, standalone_mode=False)
        except click.ClickException as error:
            print_lines(to_sentence(format_click_error(error)))
        except click.Abort:
            click.echo()

    return handle_words


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
    from cardtable.club.server import status_file

    while True:
        try:
            asyncio.run(_print_log(print_line))
        except CardtableError:
            print_line(CLUB_CLOSED)
        while not status_file.is_club_open():
            time.sleep(REOPEN_SECONDS)
        time.sleep(REOPEN_SECONDS)  # until the host has written its status file
        print_line(CLUB_REOPENED)


@club.command()
def console() -> None:
    """Open a prompt for these commands that also shows the log.

    The same words as after `cardtable club`; the Tab key completes nicks and tables. Ends with `quit` or Ctrl+D.
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
