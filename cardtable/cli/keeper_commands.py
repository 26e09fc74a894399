"""Subcommands of ``club`` that give one command to the open club: who is here, kick, ban, invite and so on."""

import asyncio
import re
import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Literal

import click

from cardtable.cli import completion, launch
from cardtable.cli.club import club, forget_person, format_people, format_stage, print_result
from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import align_columns, format_count, sanitize
from cardtable.store import seating

if TYPE_CHECKING:
    from cardtable.club.keeper_protocol import AnyKeeperCommand, AnyResult, Erased, People, PresentPerson, Restriction

_DURATION: Final = re.compile(r"([1-9][0-9]{0,99})([mhdw])")
_SECONDS: Final = {"m": 60, "h": 3600, "d": 24 * 3600, "w": 7 * 24 * 3600}
_MAX_CELL_LENGTH: Final = 60
_FREE_TEXT: Final = {"ignore_unknown_options": True, "allow_interspersed_args": False}
"""Settings of commands whose last argument is free text, which may begin with hyphens."""
HOW_LONG: Final = "a number with m, h, d or w for minutes, hours, days or weeks, such as 2h or 7d"


class _Duration(click.ParamType[int]):
    """Parameter type of a duration such as ``2h``, at most ``longest``, converted to seconds."""

    name = "time"

    def __init__(self, longest: str) -> None:
        self._longest = longest

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        try:
            seconds = _parse_duration(str(value).strip().lower())
        except ValueError:
            self.fail(f"write {HOW_LONG}", param, ctx)
        if seconds > _parse_duration(self._longest):
            self.fail(f"the longest time is {self._longest}", param, ctx)
        return seconds


def _parse_duration(text: str) -> int:
    """Return the seconds in a duration such as ``2h``. Raises ``ValueError`` if it is not valid."""
    match = _DURATION.fullmatch(text)
    if match is None:
        raise ValueError
    return int(match[1]) * _SECONDS[match[2]]


_FOR_HELP: Final = f"How long: {HOW_LONG}."
_for_option = click.option("--for", "seconds", type=_Duration("1653w"), metavar="TIME", help=_FOR_HELP)
_present_nick = click.argument("nick", shell_complete=completion.complete_present_nicks)
_known_nick = click.argument("nick", shell_complete=completion.complete_known_nicks)
_reason = click.argument("reason", nargs=-1)


def _execute(command: "AnyKeeperCommand") -> "AnyResult":
    """Execute a command at the open club of this home, and return its result.

    Raises ``CardtableError`` if no club is open, or the club refuses the command.
    """
    from cardtable.club import keeper_client

    return keeper_client.execute_command(command)


def print_rows(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print rows in aligned columns below their headings."""
    cells = [[sanitize(cell, _MAX_CELL_LENGTH) for cell in row] for row in (headings, *rows)]
    for line in align_columns(cells, left=range(len(headings))):
        click.echo(line)


# People


def _list_people() -> "People":
    from cardtable.club.keeper_protocol import ListPeople, People

    people = _execute(ListPeople())
    assert isinstance(people, People)
    return people


@club.command()
def who() -> None:
    """List the people in the club, and the newcomers who wait.

    For each connection: by which door it came, from which address and since when. Then the tables of the person, and
    how many of their devices can come back by themselves.
    """
    people = _list_people()
    if people.people:
        print_rows(
            ("nick", "", "door", "address", "since", "tables", "devices", ""),
            [row for person in people.people for row in _list_person_rows(person)],
        )
    else:
        click.echo("Nobody is here.")
    _print_newcomers(people)


def _print_newcomers(people: "People") -> None:
    """Print the newcomers who wait, if the host must approve them."""
    from cardtable.club.table_text import format_time

    if people.newcomers:
        click.echo("Waiting until you approve or reject them:")
        rows = [(each.nick, each.address, format_time(each.since)) for each in people.newcomers]
        print_rows(("nick", "address", "since"), rows)
    elif people.requires_approval:
        click.echo("No newcomer waits.")


def _list_person_rows(person: "PresentPerson") -> list[tuple[str, ...]]:
    """Return a row for each connection of a person, the first of them with what concerns the whole person."""
    from cardtable.club.keeper_protocol import shorten_table_id
    from cardtable.club.table_text import format_time

    rows: list[tuple[str, ...]] = [(each.door, each.address, format_time(each.since)) for each in person.connections]
    tables = ", ".join(map(shorten_table_id, person.tables))
    facts = tables or "-", str(person.tokens + person.keys), "muted" if person.is_muted else ""
    identity = person.nick, "player" if person.is_member else "guest"
    if not rows:  # the last connection has just ended
        return [(*identity, "", "", "", *facts)]
    return [(*identity, *rows[0], *facts), *[("", "", *row, "", "", "") for row in rows[1:]]]


@club.command(context_settings=_FREE_TEXT)
@_present_nick
@_reason
def kick(nick: str, reason: tuple[str, ...]) -> None:
    """Disconnect a person, who may come back.

    All connections of the person end, and the person reads the REASON. A seat at a table stays theirs, as after a lost
    connection.
    """
    from cardtable.club.keeper_protocol import Kick

    print_result(_execute(Kick(nick, " ".join(reason))))


@club.command()
@click.argument("target", metavar="NICK|ADDRESS", shell_complete=completion.complete_known_nicks)
@_for_option
@click.option("--address", is_flag=True, help="Ban also the addresses from which the person is here now.")
@click.option("--reason", default="", metavar="TEXT", help="Reason that the person reads.")
def ban(target: str, seconds: int | None, address: bool, reason: str) -> None:
    """Keep a person, or an address, out of the club.

    Without --for it holds until `club unban`. A person is banned with their nick, password, devices and ssh keys, and
    disconnected at once. ADDRESS may be a network, such as 192.0.2.0/24.
    """
    from cardtable.club.keeper_protocol import BanPerson

    print_result(_execute(BanPerson(target, seconds, reason, address)))


@club.command()
@click.argument("target", metavar="NICK|ADDRESS", shell_complete=completion.complete_banned)
def unban(target: str) -> None:
    """End a ban."""
    from cardtable.club.keeper_protocol import Unban

    print_result(_execute(Unban(target)))


@club.command()
def bans() -> None:
    """List the bans and the muted people."""
    from cardtable.club.keeper_protocol import Bans, ListBans

    result = _execute(ListBans())
    assert isinstance(result, Bans)
    rows = [("banned", *_format_restriction(each)) for each in result.bans]
    rows += [("muted", *_format_restriction(each)) for each in result.mutes]
    if rows:
        print_rows(("", "who", "until"), rows)
    else:
        click.echo("Nobody is banned or muted.")


def _format_restriction(restriction: "Restriction") -> tuple[str, str]:
    return restriction.target, _format_moment(restriction.until) if restriction.until else "for ever"


def _format_moment(timestamp: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(timestamp))


@club.command()
@_known_nick
@_for_option
def mute(nick: str, seconds: int | None) -> None:
    """Silence a person in the lobby and at the tables.

    Nobody gets what the person says. The person is told. Without --for it holds until `club unmute`.
    """
    from cardtable.club.keeper_protocol import MutePerson

    print_result(_execute(MutePerson(nick, seconds)))


@club.command()
@click.argument("nick", shell_complete=completion.complete_muted)
def unmute(nick: str) -> None:
    """Let a muted person talk again."""
    from cardtable.club.keeper_protocol import Unmute

    print_result(_execute(Unmute(nick)))


# Tables and messages


@club.command()
def tables() -> None:
    """List the open tables."""
    from cardtable.club.keeper_protocol import ListTables, Tables, shorten_table_id
    from cardtable.club.table_text import format_game_title, format_time

    result = _execute(ListTables())
    assert isinstance(result, Tables)
    rows = [
        (
            shorten_table_id(row.table),
            format_game_title(row.game),
            format_stage(row),
            format_people(row),
            format_time(row.since),
        )
        for row in result.tables
    ]
    if rows:
        print_rows(("table", "game", "stage", "people", "since"), rows)
    else:
        click.echo("No table is open.")


@club.command(context_settings=_FREE_TEXT)
@click.argument("table", shell_complete=completion.complete_tables)
@_reason
def close(table: str, reason: tuple[str, ...]) -> None:
    """Close a table; its session can be resumed.

    The people at it read the REASON. A session in play stays unfinished, and its players can call each other back to it
    at any time. A table that has not started disappears. TABLE is the name that `club tables` lists, or its beginning
    or end.
    """
    from cardtable.club.keeper_protocol import CloseTable

    print_result(_execute(CloseTable(table, " ".join(reason))))


@club.command(context_settings=_FREE_TEXT)
@click.argument("text", nargs=-1, required=True)
def say(text: tuple[str, ...]) -> None:
    """Send a message to everybody.

    It appears in the lobby and at all tables.
    """
    from cardtable.club.keeper_protocol import Announce

    print_result(_execute(Announce(" ".join(text))))


@club.command()
def log() -> None:
    """Print the lines of the log as they are written.

    Ctrl+C ends this; the club stays open.
    """
    from cardtable.club import keeper_client

    async def follow() -> None:
        async with keeper_client.connect_keeper() as connection:
            async for line in connection.follow_log():
                click.echo(sanitize(line, launch.MAX_FACT_LENGTH))

    asyncio.run(follow())


# Coming in


@club.command()
@_known_nick
@click.option("--for", "seconds", type=_Duration("365d"), metavar="TIME", help=_FOR_HELP)
def invite(nick: str, seconds: int | None) -> None:
    """Invite a newcomer, or a known person on another device.

    Prints a command and, if the club is open to browsers, a link for this person. They let the person in under this
    nick once, without the code, within seven days unless --for says otherwise.
    """
    from cardtable.club.keeper_protocol import Invite, Invited

    result = _execute(Invite(nick, seconds))
    assert isinstance(result, Invited)
    click.echo(f"For {sanitize(result.nick)} alone, good once and until {_format_moment(result.until)}:")
    for line in result.lines:
        click.echo(f"    {sanitize(line, launch.MAX_FACT_LENGTH)}")


@club.command()
def invitations() -> None:
    """List the invitations that have not been used."""
    from cardtable.club.keeper_protocol import Invitations, ListInvitations

    result = _execute(ListInvitations())
    assert isinstance(result, Invitations)
    if result.invitations:
        print_rows(("nick", "until"), [_format_restriction(each) for each in result.invitations])
    else:
        click.echo("Nobody is invited.")


@club.command()
@click.argument("nick", shell_complete=completion.complete_invited)
def withdraw(nick: str) -> None:
    """Withdraw an invitation."""
    from cardtable.club.keeper_protocol import WithdrawInvitation

    print_result(_execute(WithdrawInvitation(nick)))


@club.command()
@click.argument("state", type=click.Choice(["on", "off"]), required=False)
def approval(state: Literal["on", "off"] | None) -> None:
    """Set whether newcomers wait until you approve them.

    Without on or off, show which it is, and who waits. If it is on, newcomers with the right code wait. People who
    have been here, and people whom you have invited, never wait.
    """
    from cardtable.club.keeper_protocol import SetApproval

    if state is None:
        people = _list_people()
        on, off = "on: newcomers with the right code wait", "off: newcomers come in by the code alone"
        click.echo(f"Approval is {on if people.requires_approval else off}.")
        _print_newcomers(people)
        return
    print_result(_execute(SetApproval(state == "on")))


_newcomer = click.argument("nick", shell_complete=completion.complete_newcomers)
_address = click.argument("address", default="")


@club.command()
@_newcomer
@_address
def approve(nick: str, address: str) -> None:
    """Let a waiting newcomer in.

    ADDRESS is needed only if several wait under the same nick.
    """
    from cardtable.club.keeper_protocol import Approve

    print_result(_execute(Approve(nick, address)))


@club.command()
@_newcomer
@_address
def reject(nick: str, address: str) -> None:
    """Refuse a waiting newcomer.

    The newcomer cannot ask again for an hour. ADDRESS is needed only if several wait under the same nick.
    """
    from cardtable.club.keeper_protocol import Reject

    print_result(_execute(Reject(nick, address)))


@club.command()
@click.argument("code", required=False)
@click.option("--everybody", is_flag=True, help="Also disconnect everybody; all devices then need the new code.")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
def code(code: str | None, everybody: bool, yes: bool) -> None:
    """Change the code of the club.

    Without CODE it becomes a random one. People who have been here come back without it, but after --everybody each of
    their devices needs it once.
    """
    from cardtable.club.keeper_protocol import ChangeCode, CodeChanged
    from cardtable.plain.console import print_lines

    if everybody and not yes:
        consequence = "This disconnects everybody; each device then needs the new code once, and invitations end."
        _confirm(consequence, "Change the code?")
    result = _execute(ChangeCode(code, everybody))
    assert isinstance(result, CodeChanged)
    print_lines(f"The code is {result.code}. {result.text}")


def _confirm(consequence: str, question: str) -> None:
    """Ask for confirmation. Raises ``CardtableError`` if it is refused, or there is no terminal."""
    if not launch.is_terminal(sys.stdin):
        raise CardtableError(f"{consequence[:1].lower()}{consequence[1:].rstrip('.')}; add --yes to do it")
    click.echo(consequence, err=True)
    if not click.confirm(question, err=True):
        raise CardtableError("nothing was changed")


# Accounts


@club.command()
@_known_nick
def reset(nick: str) -> None:
    """Give a player a new password.

    It is a random one. Pass it on to the player, who can change it later. The old one no longer works.
    """
    from cardtable.club.keeper_protocol import PasswordReset, ResetPassword

    result = _execute(ResetPassword(nick))
    assert isinstance(result, PasswordReset)
    click.echo(f"The new password of {sanitize(result.nick)} is {sanitize(result.password)}")


@club.command()
@_known_nick
def revoke(nick: str) -> None:
    """Revoke the tokens and keys of a person.

    Use it if a device was lost. The person is disconnected; a player comes back by password, a guest by an invitation.
    """
    from cardtable.club.keeper_protocol import RevokeTokens

    print_result(_execute(RevokeTokens(nick)))


@club.command()
@_known_nick
def forget(nick: str) -> None:
    """Free a guest's nick, or ask a player for the password again.

    The next person who takes a guest's nick gets its seats in unfinished sessions. Works without an open club, too.
    """
    forget_person(nick)


@club.command()
@_known_nick
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
def erase(nick: str, yes: bool) -> None:
    """Erase the data of a person at the host.

    Their profile and account go, and their name and chat in all sessions; the cards stay, because the sessions belong
    to the others, too. The person must not be in the club. Works without an open club, too.
    """
    from cardtable.club.keeper_protocol import Erase, Erased
    from cardtable.club.server import status_file

    if not yes:
        _confirm(f"This erases the data of {sanitize(nick, 40)} for good.", "Erase them?")
    result = _execute(Erase(nick)) if status_file.is_club_open() else _erase_in_closed_club(nick)
    assert isinstance(result, Erased)
    sessions = format_count(result.session_count, "session")
    click.echo(f"The data of {sanitize(result.nick)} is erased. In {sessions} the name is {result.name} now.")
    if result.unchanged_files:
        click.echo("These files may still contain the nick:")
        for file in result.unchanged_files:
            click.echo(f"    {sanitize(file, launch.MAX_FACT_LENGTH)}")


def _erase_in_closed_club(nick: str) -> "Erased":
    """Erase a person's data while no club is open. Raises ``CardtableError`` if one is opened meanwhile."""
    from cardtable.club.server import status_file
    from cardtable.club.server.accounts import ClubAccounts
    from cardtable.club.server.keeper import create_erased

    with status_file.hold_host_lock():
        nick = seating.normalize_nick(nick)
        return create_erased(nick, asyncio.run(ClubAccounts().administration.erase(nick)))
