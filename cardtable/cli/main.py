"""Table of commands, and their execution; the module of a command is imported on demand.

Results are written to standard output, errors and progress to standard error.
"""

import os
import platform
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

import click

from cardtable import __version__
from cardtable.cli import launch
from cardtable.engine.text_format import format_unknown_name
from cardtable.store.settings import SETTINGS, TerminalFlags

if TYPE_CHECKING:
    from cardtable.store.sessions import Session


def format_click_error(error: click.ClickException) -> str:
    """Return the message of a usage error in one line, with advice."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    command = context.command_path if context else "cardtable"
    advice = f"see {command} --help"
    match error:
        case click.MissingParameter(param=click.Parameter() as param):
            choices = " ".join((param.type.get_missing_message(param, context) or "").split())
            return f"{_format_parameter(param)} is missing; {_format_clause(choices) if choices else advice}"
        case click.BadParameter(param=click.Parameter() as param):
            return f"{_format_parameter(param)}: {_format_clause(error.message)}; {advice}"
        case click.exceptions.NoArgsIsHelpError():
            return f"COMMAND is missing; {advice}"
        case click.NoSuchOption():
            like = f"; did you mean {' or '.join(error.possibilities)}?" if error.possibilities else f"; {advice}"
            return f"{command} has no option {error.option_name}{like}"
        case click.BadOptionUsage() if "does not take a value" in error.message:
            return f"{error.option_name} takes no value; {advice}"
        case click.BadOptionUsage(option_name="--option"):  # only the rules of the game list the values
            return "--option needs a value; see cardtable rules GAME"
        case click.BadOptionUsage():
            return f"{error.option_name} needs a value; {advice}"
        case click.UsageError() if context and "unexpected extra" in error.message:
            return f"too many words: {error.message.partition('(')[2].rstrip(')')}; {advice}"
        case _:
            return error.format_message()


def _format_parameter(param: click.Parameter) -> str:
    return (
        max(param.opts, key=len) if isinstance(param, click.Option) else param.human_readable_name.upper().rstrip(".")
    )


def _format_clause(text: str) -> str:
    """Return a sentence in the form in which it follows a semicolon: lower case, without the final stop."""
    return text[:1].lower() + text[1:].rstrip(".")


COMMANDS: Final = {
    "play": ("play", "Start a session and sit down at its table."),
    "learn": ("games", "Learn a game in short lessons."),
    "resume": ("play", "Continue your last session, or the one with ID."),
    "list": ("sessions", "List all sessions, the unfinished ones first."),
    "show": ("sessions", "Print the score sheet of a session."),
    "replay": ("sessions", "Replay a session card by card."),
    "trace": ("sessions", "Print the position after each line of a session."),
    "review": ("review", "Review a player's decisions with the expert."),
    "share": ("review", "Print your result in a deal of the day, to share it."),
    "puzzles": ("games", "Solve puzzles: ends of rounds, and your own mistakes."),
    "rankings": ("players", "Print the ten best players of each game by rating."),
    "statistics": ("players", "Print the results of each player in each game."),
    "verify": ("sessions", "Check that sessions follow the rules."),
    "simulate": ("robots", "Have robots play whole sessions."),
    "arena": ("robots", "Compare two robots on the same deals."),
    "score": ("play", "Keep score for a game with real cards."),
    "schema": ("json_output", "Print the JSON schema of a command's --json output."),
    "games": ("games", "List all games, the built-in ones first."),
    "new-game": ("games", "Create a package with a sample game to build on."),
    "rules": ("games", "Print the rules of a game."),
    "export": ("sessions", "Print a session as Markdown, CSV, a journal or a picture."),
    "join": ("play", "Join a club opened with `cardtable host`."),
    "serve": ("host", "Play in a browser."),
    "host": ("host", "Open a club for people on other machines."),
    "club": ("club", "Show the open club, and keep order in it."),
    "reveal": ("host", "Reveal the hands of a session played at the club."),
    "reset-password": ("players", "Set a player's password without the old one."),
    "completion": ("completion_scripts", "Set up completion with Tab in your shell."),
    "doctor": ("doctor", "Show where your files are, and any problems in them."),
    "help": ("main", "Show help for a command, or list all commands."),
    "version": ("main", "Print the version of the program."),
}
"""Module and help line of each command by its name, in the order of the help text."""
FRONT_END_OPTIONS: Final = {
    "plain": "Play in plain lines, for screen readers, pipes and slow connections.",
    **{setting.flag.name: setting.flag.help_text for setting in SETTINGS.values() if setting.flag},
}
"""Help line of each option about the front end; these options are accepted before and after every command."""


_NO_COMPLETION_REQUEST: Final = "_CARDTABLE_COMPLETE is set without the COMP_WORDS and COMP_CWORD of a shell"


def run(arguments: Sequence[str]) -> int:
    return launch.run_command(lambda: _run(arguments))


def _run(arguments: Sequence[str]) -> int | None:
    if "_CARDTABLE_COMPLETE" in os.environ:
        from cardtable.cli import shells

        if not shells.is_request_valid(os.environ["_CARDTABLE_COMPLETE"]):
            launch.print_error(_NO_COMPLETION_REQUEST)
            return launch.USAGE_ERROR
        shells.register_shells()
    try:
        code = commands.main(list(arguments), prog_name="cardtable", standalone_mode=False)
    except click.ClickException as error:
        launch.print_error(format_click_error(error))
        return launch.USAGE_ERROR
    except click.Abort:
        return launch.INTERRUPTED
    return code if isinstance(code, int) else None


def has_flag(context: click.Context, name: str) -> bool:
    """Return True if ``--NAME`` is given anywhere on the command line. ``name`` is a key of ``FRONT_END_OPTIONS``."""
    return bool(context.meta.get(f"cardtable.{name}"))


def get_terminal_flags(context: click.Context) -> TerminalFlags:
    """Return the settings that the command line overrides."""
    return {
        setting.name: setting.flag.value
        for setting in SETTINGS.values()
        if setting.flag and has_flag(context, setting.flag.name)
    }


def open_front_end(context: click.Context, session: "Session | None" = None, page: launch.Page | None = None) -> None:
    """Open the front end that the command line selects, at the table of a session, at a page, or at the picker."""
    open_selected = launch.open_plain if has_flag(context, "plain") else launch.open_screen
    open_selected(session, get_terminal_flags(context), page)


def _create_front_end_option(name: str) -> click.Option:
    """Create the option ``--NAME`` of ``FRONT_END_OPTIONS`` for one command."""

    def store_flag(context: click.Context, _option: click.Parameter, value: bool) -> None:
        context.meta[f"cardtable.{name}"] = value or has_flag(context, name)

    return click.Option(
        [f"--{name}"], is_flag=True, expose_value=False, callback=store_flag, help=FRONT_END_OPTIONS[name]
    )


class CliCommand(click.Command):
    """Command whose usage errors refer to its own help; those of the library's parser do not name the command."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if kwargs.get("callback") and not kwargs.get("help"):
            from cardtable.wording.formatting import read_docstring

            kwargs["help"] = read_docstring(kwargs["callback"])
        super().__init__(*args, **kwargs)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            error.ctx = error.ctx or ctx
            raise


class LazyGroup(CliCommand, click.Group):
    """Command group that imports the module of a command on demand.

    The error for an unknown command suggests a similar one. Each command also takes the options ``FRONT_END_OPTIONS``.
    """

    command_class = CliCommand

    def __init__(self, *args: Any, table: Mapping[str, tuple[str, str]] = {}, **kwargs: Any) -> None:
        """Create a group of the commands in ``table``: module in ``cardtable.cli`` and help line of each by its name.

        Each module registers its commands with the decorator ``command`` of the group. Until then the help line stands
        for a command. Without a table, the commands are those of the module that creates the group.
        """
        super().__init__(*args, **kwargs)
        self._table: Final = table
        self.params += map(_create_front_end_option, FRONT_END_OPTIONS)
        for name, (_, line) in table.items():
            self.commands[name] = click.Command(name, help=line)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        name = args[0]
        if name in self._table:
            import_module(f"cardtable.cli.{self._table[name][0]}")
        elif name not in self.commands and not name.startswith("-"):
            raise click.UsageError(self._explain_unknown_command(name, ctx.command_path))
        return super().resolve_command(ctx, args)

    def _explain_unknown_command(self, name: str, path: str) -> str:
        """Return the error message for an unknown command; the name of a game suggests to play it.

        ``path`` is the command line up to the unknown word.
        """
        if self._table is COMMANDS:
            from difflib import get_close_matches

            from cardtable.games import find_key, list_keys

            near = get_close_matches(name[:40].casefold(), [*self.commands, *list_keys()], 1)
            game = find_key(name) or (near[0] if near and near[0] not in self.commands else None)
            if game:
                return f"no command is called {name[:30]!r}; did you mean {path} play {game}?"
        return format_unknown_name("command", name, self.commands, f"{path} --help lists all commands")

    def add_command(self, cmd: click.Command, name: str | None = None) -> None:
        if not isinstance(cmd, LazyGroup):
            cmd.params += map(_create_front_end_option, FRONT_END_OPTIONS)
        super().add_command(cmd, name)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(self.commands)


@click.group(
    cls=LazyGroup,
    table=COMMANDS,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option("--version", is_flag=True, help="Show the version and exit.")
@click.option("-v", "--verbose", is_flag=True, help="With --version: also show what the program runs on.")
@click.pass_context
def commands(context: click.Context, *, version: bool, verbose: bool) -> None:
    """A card room in a terminal.

    Without a command, choose a game or continue a session.
    """
    if version:
        click.echo(f"cardtable {__version__}")
        if verbose:
            from cardtable.installation import describe_build

            click.echo(f"Python {platform.python_version()}\nrobots: {describe_build()}")
        context.exit()
    if verbose:
        raise click.UsageError("-v needs --version", context)
    if context.invoked_subcommand is None:
        open_front_end(context)


@commands.command(name="help")
@click.argument("names", metavar="[COMMAND]...", nargs=-1)
@click.pass_context
def _print_help(context: click.Context, names: tuple[str, ...]) -> None:
    """Show help for a command, or list all commands.

    A command of another one is named after it, as in `help club kick`.
    """
    help_context = context.parent
    assert help_context is not None
    for number, name in enumerate(names):
        if not isinstance(help_context.command, click.Group):
            path = " ".join(names[:number])
            raise click.UsageError(f"{path} has no command {name[:30]!r}, and no other; see cardtable help {path}")
        known, command, _ = help_context.command.resolve_command(help_context, [name])
        assert command is not None
        help_context = click.Context(command, parent=help_context, info_name=known)
    click.echo(help_context.get_help())


@commands.command(name="version")
def _print_version() -> None:
    """Print the version of the program."""
    click.echo(f"cardtable {__version__}")
