"""Command ``join``, which connects to a club at another machine."""

import os
import re
from contextlib import suppress
from typing import Final
from urllib.parse import urlsplit

import click

from cardtable.cli import launch
from cardtable.cli.main import commands, get_terminal_flags, has_flag
from cardtable.cli.params import NEEDS_LIBRARIES
from cardtable.club.addresses import WEB_PORTS, is_ip_address, is_local
from cardtable.club.protocol import DEFAULT_PORT
from cardtable.engine.errors import CardtableError
from cardtable.installation import format_install_command
from cardtable.store import club_tokens, profiles, seating
from cardtable.store.club_tokens import ADMISSION_TOKEN_VARIABLE, NICK_VARIABLE

_ADDRESS: Final = re.compile(r"(?:(wss?|https?)://)?(\[[^]/@\s]+\]|[^][:/@\s]+)(?::(\d{1,5}))?/?")
"""Pattern of an address: optional scheme, host, and optional port; an IPv6 address is enclosed in brackets."""


@commands.command(epilog=NEEDS_LIBRARIES)
@click.argument("address", metavar="HOST[:PORT]")
@click.option("--nick", help="Nick to join under.")
@click.option("--code", default="", help="Guest code, if the club has one.")
@click.option("--word", default="", metavar="WORD", help="Word of your personal invitation; needs --nick.")
@click.pass_context
def join(context: click.Context, address: str, nick: str | None, code: str, word: str) -> None:
    """Join a club opened with `cardtable host`.

    Others on the network can read what you send, unless the address begins with wss:// (TLS). With `ssh` they cannot,
    either, if the club offers it.
    """
    if word and not nick:
        raise click.UsageError("--word needs --nick: an invitation is good for one nick")
    try:
        import websockets  # noqa: F401 - checks the installation
    except ImportError:
        raise CardtableError(f"a club needs more libraries: {format_install_command('club')}") from None
    url = _parse_url(address)
    trouble, nick = club_tokens.load()[1], seating.normalize_nick(nick) if nick else ""
    own_code, token = _find_own_credentials(url, nick or profiles.get_current_nick())
    if token:
        nick = nick or profiles.get_current_nick()
    is_hosted_client = club_tokens.is_hosted_client()
    if is_hosted_client:
        nick, token = os.environ[NICK_VARIABLE], os.environ[ADMISSION_TOKEN_VARIABLE]
    code = code or own_code
    if has_flag(context, "plain"):
        from cardtable.club.client.connection import Login
        from cardtable.plain.club.lobby import visit_club

        if trouble:
            launch.print_error(trouble)
        visit_club(url, Login(nick, code=code, token=token, word=word), get_terminal_flags(context))
    else:
        launch.open_screen(None, get_terminal_flags(context), ("club", url, nick, code, token, is_hosted_client, word))


def _parse_url(address: str) -> str:
    """Return the WebSocket URL of an address, with the default scheme and port if they are missing.

    The address of a page, with https or http, stands for the same name and port.

    Raises ``UsageError`` if the address does not have the form HOST or HOST:PORT.
    """
    match = _ADDRESS.fullmatch(f"[{address}]" if ":" in address and is_ip_address(address) else address)
    if (
        not match
        or (match[2].startswith("[") and not is_ip_address(match[2][1:-1]))
        or int(match[3] or DEFAULT_PORT) > 65535
    ):
        raise click.UsageError(f"an address is HOST or HOST:PORT, not {address!r}")
    scheme, port = match[1] or "ws", match[3] or WEB_PORTS.get(match[1], DEFAULT_PORT)
    return f"{scheme.replace('http', 'ws')}://{match[2]}:{port}"


def _find_own_credentials(url: str, nick: str) -> tuple[str, str]:
    """Return access code and owner token for the club of this home, or two empty strings for any other club.

    The club must be open, and ``url`` must be its address on this machine. The token proves that a player without a
    password owns the host's files; it is empty if ``nick`` cannot use it.
    """
    from cardtable.club.server import accounts, club_file, status_file

    address = urlsplit(url)
    with suppress(CardtableError):
        if is_local(address.hostname or "") and status_file.read_status().port == address.port:
            stored = club_file.read_club_file()
            return stored.code, accounts.get_owner_token(nick, stored.owner_token)
    return "", ""
