"""Command ``serve``, which shows the program in a browser."""

import click

from cardtable.cli.main import FRONT_END_OPTIONS, commands, has_flag
from cardtable.cli.params import NEEDS_LIBRARIES, WholeNumber, validate_address
from cardtable.engine.errors import CardtableError
from cardtable.installation import format_install_command
from cardtable.store import paths


@commands.command(epilog=NEEDS_LIBRARIES)
@click.option("--host", callback=validate_address, default="localhost", show_default=True, help="Address to listen on.")
@click.option(
    "--port",
    type=WholeNumber(1, 65535),
    default=8000,
    show_default=True,
    help="Port to listen on.",
)
@click.option("--tabs", type=WholeNumber(1), default=16, show_default=True, metavar="N", help="Maximum open tabs.")
@click.pass_context
def serve(context: click.Context, host: str, port: int, tabs: int) -> None:
    """Play in a browser.

    Each tab runs its own program. Anyone who has the printed address can do everything that you can at this keyboard.
    Only this machine can reach it, unless --host names another address.
    """
    paths.home()  # raises if there is none, which the program in a tab could not say
    try:
        from cardtable.cli.web_server import ServeApp
    except ImportError:
        raise CardtableError(f"the browser needs more libraries: {format_install_command('serve')}") from None
    ServeApp(
        host, port, tabs, [f"--{name}" for name in FRONT_END_OPTIONS if name != "plain" and has_flag(context, name)]
    ).serve()
