"""Commands of ``club`` that the open club executes, made from the messages of administration."""

import asyncio
import re
import sys
from typing import Final

import click

from cardtable.cli import launch, params
from cardtable.cli.club import club
from cardtable.cli.main import CliCommand
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
from cardtable.engine.text_format import sanitize
from cardtable.plain.console import print_lines
from cardtable.robots.kit.levels import LEVELS
from cardtable.store.seating import normalize_nick
from cardtable.wording.docstrings import read_docstring

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
    for each in COMMANDS:
        if get_words(each)[:-1] == [*words]:
            group.add_command(_create_command(each))


def _create_command(command_type: type[HostCommand]) -> click.Command:
    """Return the subcommand that gives a command to the club."""
    fields = list_fields(command_type)
    parameters = [_create_parameter(each) for each in fields]
    if command_type.confirmation is not HostCommand.confirmation:
        parameters.append(click.Option(["--yes"], is_flag=True, help="Do not ask for confirmation."))

    def run(*, yes: bool = False, **typed: object) -> None:
        values = {each.name: _convert(each.parameter, typed[each.name]) for each in fields}
        command = create_command(command_type, {name: value for name, value in values.items() if value is not None})
        if not yes:
            _confirm(command)
        execute(command)

    return CliCommand(
        get_words(command_type)[-1],
        callback=run,
        params=parameters,
        help=read_docstring(command_type),
        context_settings=_FREE_TEXT if any(each.parameter.is_free_text for each in fields) else {},
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
    if field.bounds and field.bounds.ge:
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
        asyncio.run(_print_log())
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


async def _print_log() -> None:
    from cardtable.club import administration_client

    async with administration_client.connect() as connection:
        async for line in connection.follow_log():
            click.echo(sanitize(line, launch.MAX_FACT_LENGTH))


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
