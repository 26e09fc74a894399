"""The command ``serve``: play in a browser."""

import click

from cardtable.cli.commands import FRONT, room, said
from cardtable.store.errors import CardtableError


@room.command(epilog="It needs textual-serve: pip install 'cardtable[serve]'.")
@click.option("--host", default="localhost", show_default=True, help="The address to listen on.")
@click.option("--port", type=click.IntRange(1, 65535), default=8000, show_default=True, help="The port.")
@click.option("--tabs", type=click.IntRange(1), default=16, show_default=True, help="How many may be open at a time.")
@click.pass_context
def serve(context: click.Context, host: str, port: int, tabs: int) -> None:
    """Play in a browser.

    Each tab is a program of its own. Whoever has the address that is printed, with its token, sits at this keyboard. It
    is of this machine only, unless --host names another.
    """
    try:
        from cardtable.cli.browser.server import RoomServer
    except ImportError:
        raise CardtableError("the browser needs textual-serve: pip install 'cardtable[serve]'") from None
    RoomServer(host, port, tabs, [f"--{name}" for name in FRONT if name != "plain" and said(context, name)]).serve()
