"""Command ``join``, which connects to a club at another machine."""

import sys
from contextlib import suppress

import click

from cardtable.cli import launch
from cardtable.cli.main import commands, get_terminal_flags, has_flag
from cardtable.cli.params import NEEDS_LIBRARIES
from cardtable.club.addresses import format_club_address, parse_club_address
from cardtable.club.credentials import find_credentials
from cardtable.engine.errors import CardtableError
from cardtable.installation import format_missing_club_libraries
from cardtable.store import club_tokens, paths, seating


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
        raise CardtableError(format_missing_club_libraries()) from None
    url = _parse_url(address)
    paths.home()  # raises if there is none, before a token is received that cannot be kept
    if not address.isascii():
        click.echo(f"cardtable: joining {format_club_address(url)}", err=True)
    error, nick = club_tokens.load()[1], seating.normalize_nick(nick) if nick else ""
    nick, code, token = find_credentials(url, nick, code)
    # a guest by ssh cannot choose a flag
    needs_plain = club_tokens.is_hosted_client() and not launch.can_show_screens()
    if needs_plain:
        _take_terminal()
    if needs_plain or has_flag(context, "plain"):
        from cardtable.club.client.connection import Login
        from cardtable.plain.club.lobby import visit_club

        if error:
            launch.print_error(error)
        visit_club(url, Login(nick, code=code, token=token, word=word), get_terminal_flags(context))
    else:
        page = "club", url, nick, code, token, club_tokens.is_hosted_client(), word
        launch.open_screen(None, get_terminal_flags(context), page)


def _take_terminal() -> None:
    """Make standard input the controlling terminal of this program, which Ctrl+C then reaches."""
    if sys.platform != "win32":
        import fcntl
        import termios

        with suppress(OSError):
            fcntl.ioctl(sys.stdin, termios.TIOCSCTTY, 0)


def _parse_url(address: str) -> str:
    """Return the WebSocket URL of an address.

    Raises ``UsageError`` if the address does not have the form HOST or HOST:PORT.
    """
    try:
        return parse_club_address(address)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
