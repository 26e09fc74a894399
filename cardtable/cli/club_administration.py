"""Subcommands of ``club`` that give one command to the open club, made from the messages of administration."""

import asyncio
import re
import sys
from typing import Final, Literal, get_args, get_origin

import click
from msgspec.structs import FieldInfo

from cardtable.cli import launch, params
from cardtable.cli.club import club
from cardtable.cli.main import CliCommand
from cardtable.club.administration import (
    HOW_LONG,
    AnyCommand,
    AnyResult,
    ChangeCode,
    Done,
    Erase,
    FollowLog,
    Forget,
    HostCommand,
    Listing,
    Parameter,
    create_command,
    iter_parameters,
)
from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import sanitize
from cardtable.plain.console import print_lines
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


def _create_command(command_type: type[HostCommand]) -> click.Command:
    """Return the subcommand that gives a command to the club."""
    rows = [*iter_parameters(command_type)]
    parameters = [_create_parameter(*row) for row in rows]
    needs_confirmation = command_type in (ChangeCode, Erase)
    if needs_confirmation:
        parameters.append(click.Option(["--yes"], is_flag=True, help="Do not ask for confirmation."))

    def run(*, yes: bool = False, **values: object) -> None:
        typed = {name: value for name, value in values.items() if value is not None}
        texts = {name: " ".join(value) if isinstance(value, tuple) else value for name, value in typed.items()}
        command = create_command(command_type, texts)
        if needs_confirmation and not yes:
            _confirm(command)
        execute(command)

    return CliCommand(
        str(command_type.__struct_config__.tag).removeprefix("club "),
        callback=run,
        params=parameters,
        help=read_docstring(command_type),
        context_settings=_FREE_TEXT if any(row[2].is_free_text for row in rows) else {},
    )


def _create_parameter(field: FieldInfo, annotation: object, parameter: Parameter) -> click.Parameter:
    if parameter.option:
        return click.Option(
            [parameter.option, field.name],
            is_flag=annotation is bool,
            type=_Duration(parameter.longest) if parameter.longest else None,
            metavar=parameter.metavar,
            help=parameter.help,
        )
    choices = [value for each in get_args(annotation) if get_origin(each) is Literal for value in get_args(each)]
    return click.Argument(
        [field.name],
        required=field.required,
        type=click.Choice(choices) if choices else None,
        nargs=-1 if parameter.is_free_text else 1,
        metavar=parameter.metavar,
        shell_complete=params.create_name_completion(parameter.names) if parameter.names else None,
    )


def _confirm(command: AnyCommand) -> None:
    """Ask for confirmation of a command whose effect nobody can undo.

    Raises ``CardtableError`` if it is refused, or there is no terminal.
    """
    match command:
        case ChangeCode(everybody=True):
            consequence = "This disconnects everybody; each device then needs the new code once, and invitations end."
            question = "Change the code?"
        case Erase(nick):
            consequence = f"This erases the data of {sanitize(nick, 40)} for good."
            question = "Erase them?"
        case _:
            return
    if not launch.is_terminal(sys.stdin):
        raise CardtableError(f"{consequence[:1].lower()}{consequence[1:].rstrip('.')}; add --yes to do it")
    click.echo(consequence, err=True)
    if not click.confirm(question, err=True):
        raise CardtableError("nothing was changed")


def execute(command: AnyCommand) -> None:
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


for _command_type in get_args(AnyCommand):
    if str(_command_type.__struct_config__.tag).startswith("club "):
        club.add_command(_create_command(_command_type))
