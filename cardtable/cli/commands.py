"""Which commands there are, and how one of them is run; its module is imported when it is asked for.

Results go to standard output, errors and progress to standard error.
"""

import os
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

import click

from cardtable import __version__
from cardtable.cli import program
from cardtable.engine.words import unknown
from cardtable.store.settings import Flags

if TYPE_CHECKING:
    from cardtable.store.sessions import Session

COMMANDS: Final = {
    "play": ("playing", "Begin a session and sit down at its table."),
    "resume": ("playing", "Go on with the session played last, or with ID."),
    "list": ("reading", "List all sessions, the unfinished ones first."),
    "show": ("reading", "Print the score sheet of a session."),
    "replay": ("reading", "Show a session again, card by card."),
    "trace": ("reading", "Print the position after each line of a session."),
    "review": ("review", "Print what the expert thinks of a player's decisions."),
    "rankings": ("figures", "Print the ten best players of each game by rating."),
    "statistics": ("figures", "Print the results of each player in each game."),
    "verify": ("reading", "Check that sessions were played by the rules."),
    "simulate": ("simulate", "Let robots play whole sessions."),
    "arena": ("arena", "Compare two robots on the same deals."),
    "score": ("playing", "Keep the score of a game with real cards."),
    "games": ("listed_games", "List all games, those that come with the program first."),
    "new-game": ("new_game", "Write a package with a small game, to be made into yours."),
    "rules": ("reading", "Print the rules of a game."),
    "export": ("reading", "Print a session as Markdown, CSV or a journal."),
    "join": ("join", "Play at a club that somebody has opened with `cardtable host`."),
    "serve": ("serve", "Play in a browser."),
    "host": ("host", "Open a club: people at other machines come in and play."),
    "club": ("host", "Print who is in the open club, its tables, and what its robots do."),
    "reveal": ("host", "Open the hands of a session that is played at the club."),
    "reset-password": ("reset_password", "Give a player another password, without the old one."),
    "doctor": ("doctor", "Print where your files are and what is wrong with them."),
    "help": ("commands", "Print how a command is used, or which commands there are."),
    "version": ("commands", "Print the version of the program."),
}
"""The module of each command and what it does in a line, in the order in which help tells them."""
FRONT: Final = {
    "plain": "Play in plain lines: for screen readers, pipes and slow links.",
    "ascii": "Show only ASCII, with letters for suits.",
    "mono": "Use no colours.",
    "no-mouse": "Leave the mouse to the terminal.",
}
"""What may stand before a command or after it, for all that is shown."""


def run(arguments: Sequence[str]) -> int:
    """Run one command; the exit code."""
    return program.ended(lambda: _run(arguments))


def _run(arguments: Sequence[str]) -> int | None:
    if "_CARDTABLE_COMPLETE" in os.environ:
        from cardtable.cli import shells

        shells.prepare()
    try:
        code = room.main(list(arguments), prog_name="cardtable", standalone_mode=False)
    except click.ClickException as error:
        from cardtable.cli.misuse import in_words

        return program.complain(in_words(error), program.MISUSED)
    except click.Abort:
        return program.INTERRUPTED
    return code if isinstance(code, int) else None


def said(context: click.Context, name: str) -> bool:
    """Whether ``--NAME`` of ``FRONT`` stands anywhere in the command line."""
    return bool(context.meta.get(f"cardtable.{name}"))


def flags(context: click.Context) -> Flags:
    """What the command line says of the terminal."""
    return Flags(said(context, "ascii"), said(context, "mono"), mouse=not said(context, "no-mouse"))


def open_room(context: click.Context, session: "Session | None") -> None:
    """Open the program, on the screen or in plain lines, at the table of a session or at the picker."""
    (program.open_plain if said(context, "plain") else program.open_screen)(session, flags(context))


def _front(name: str) -> click.Option:
    """The option ``--NAME`` of one command."""

    def note(context: click.Context, _option: click.Parameter, wanted: bool) -> None:
        context.meta[f"cardtable.{name}"] = wanted or said(context, name)

    return click.Option([f"--{name}"], is_flag=True, expose_value=False, callback=note, help=FRONT[name])


class _Commands(click.Group):
    """Commands, each to be imported when it is asked for; says which there are when asked for another.

    Each takes what may stand before the command, too.
    """

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        name = args[0]
        if name in COMMANDS:
            import_module(f"cardtable.cli.{COMMANDS[name][0]}")
        elif not name.startswith("-"):
            raise click.UsageError(unknown("command", name, COMMANDS))
        return super().resolve_command(ctx, args)

    def add_command(self, cmd: click.Command, name: str | None = None) -> None:
        cmd.params += map(_front, FRONT)
        super().add_command(cmd, name)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)


@click.group(cls=_Commands, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="cardtable %(version)s")
@click.pass_context
def room(context: click.Context) -> None:
    """A card room in a terminal.

    Without a command: choose a game, or go on with a session.
    """
    if context.invoked_subcommand is None:
        open_room(context, None)


@click.command(name="help")
@click.argument("command", required=False)
@click.pass_context
def _help(context: click.Context, command: str | None) -> None:
    """Print how a command is used, or which commands there are."""
    above = context.parent
    assert above is not None
    if command is None:
        click.echo(above.get_help())
        return
    name, found, _ = room.resolve_command(above, [command])
    assert found is not None
    with click.Context(found, parent=above, info_name=name) as of_command:
        click.echo(found.get_help(of_command))


@click.command(name="version")
def _version() -> None:
    """Print the version of the program."""
    click.echo(f"cardtable {__version__}")


room.params += map(_front, FRONT)
for _name, (_module, _what) in COMMANDS.items():
    room.commands[_name] = click.Command(_name, help=_what)
for _own in (_help, _version):
    room.add_command(_own)
