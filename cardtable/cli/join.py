"""The command ``join``: a club at another machine."""

import os

import click

from cardtable.cli import program
from cardtable.cli.commands import flags, room, said
from cardtable.club.wire import PORT
from cardtable.store import club_tokens, profiles, seating
from cardtable.store.club_tokens import ENTRY_VARIABLE, NICK_VARIABLE
from cardtable.store.errors import CardtableError


@room.command(epilog="It needs websockets: pip install 'cardtable[club]'.")
@click.argument("address", metavar="HOST[:PORT]")
@click.option("--nick", help="What you are called there.")
@click.option("--code", default="", help="The code of the club, if it asks for one.")
@click.pass_context
def join(context: click.Context, address: str, nick: str | None, code: str) -> None:
    """Play at a club that somebody has opened with `cardtable host`.

    Whoever is between you and the host can read all of it; `ssh` to the host is safe, where it offers that.
    """
    try:
        import websockets  # noqa: F401 - only whether it is there
    except ImportError:
        raise CardtableError("a club needs websockets: pip install 'cardtable[club]'") from None
    if said(context, "plain"):
        raise CardtableError("a club cannot be joined in plain lines yet")
    scheme, _, rest = address.rpartition("://")
    host, _, port = rest.partition(":")
    if not host or not (port or str(PORT)).isdecimal() or scheme not in ("", "ws", "wss"):
        raise click.UsageError(f"an address is HOST or HOST:PORT, not {address!r}")
    url = f"{scheme or 'ws'}://{host}:{port or PORT}"
    before = club_tokens.of(url)
    known = before if before and nick in (None, before.nick) else None
    who = nick or (known.nick if known else profiles.me())
    token = known.token if known else ""
    alone = club_tokens.at_the_host()
    if alone:
        who, token = os.environ[NICK_VARIABLE], os.environ[ENTRY_VARIABLE]
    page = ("club", url, "" if who == seating.GUEST else who, code, token, alone)
    program.open_screen(None, flags(context), page)
