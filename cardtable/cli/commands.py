"""The command line: reads arguments and wires the rest together.

Results go to standard output, errors and progress to standard error.  What only some commands
need is imported by those commands.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from cardtable import __version__
from cardtable.cli import program
from cardtable.engine import options as house
from cardtable.engine.contract import AnyGame
from cardtable.engine.journal import MOST_SEED, SeatOf
from cardtable.games import GAMES, KEYS, key_of
from cardtable.robots.kit.levels import LEVELS
from cardtable.store.errors import CardtableError, DamagedJournal
from cardtable.store.settings import Flags

if TYPE_CHECKING:
    from cardtable.store.sessions import Session
    from cardtable.store.setup import Setup
    from cardtable.wording.exports import Form


def run(arguments: Sequence[str]) -> int:
    """Run one command; the exit code."""
    return program.ended(lambda: _run(arguments))


def _run(arguments: Sequence[str]) -> int | None:
    if "_CARDTABLE_COMPLETE" in os.environ:
        from cardtable.cli import completion

        completion.prepare()
    try:
        code = room.main(list(arguments), prog_name="cardtable", standalone_mode=False)
    except click.ClickException as error:
        return program.complain(error.format_message(), program.MISUSED)
    except click.Abort:
        return program.INTERRUPTED
    return code if isinstance(code, int) else None


_FRONT: Final = {
    "plain": "Play in plain lines: for screen readers, pipes and slow links.",
    "ascii": "Show nothing but ASCII: letters for suits.",
    "mono": "Show no colours.",
    "no-mouse": "Leave the mouse to the terminal.",
}
"""What may stand before a command or after it, for all that is shown."""


def _said(context: click.Context, name: str) -> bool:
    """Whether ``--NAME`` stands anywhere in the command line."""
    return bool(context.meta.get(f"cardtable.{name}"))


def _front(name: str) -> click.Option:
    """The option ``--NAME`` of one command."""

    def note(context: click.Context, _option: click.Parameter, wanted: bool) -> None:
        context.meta[f"cardtable.{name}"] = wanted or _said(context, name)

    return click.Option([f"--{name}"], is_flag=True, expose_value=False, callback=note, help=_FRONT[name])


def _flags(context: click.Context) -> Flags:
    """What the command line says of the terminal."""
    return Flags(_said(context, "ascii"), _said(context, "mono"), mouse=not _said(context, "no-mouse"))


class _Commands(click.Group):
    """Commands in the order of this file; says which there are when asked for another.

    Each of them takes what may stand before the command, too.
    """

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        name = args[0]
        if name not in self.commands and not name.startswith("-"):
            raise click.UsageError(f"there is no command {name!r}; there are {', '.join(self.commands)}")
        return super().resolve_command(ctx, args)

    def add_command(self, cmd: click.Command, name: str | None = None) -> None:
        cmd.params += map(_front, _FRONT)
        super().add_command(cmd, name)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(self.commands)


@click.group(cls=_Commands, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="cardtable %(version)s")
@click.pass_context
def room(context: click.Context) -> None:
    """A card room in a terminal.

    Without a command: choose a game, or go on with a session.
    """
    if context.invoked_subcommand is not None:
        return
    if _said(context, "plain"):
        program.open_plain(None, _flags(context))
    else:
        program.open_at(None, _flags(context))


room.params += map(_front, _FRONT)


class _GameType(click.Choice[str]):
    """A game as somebody calls it; a command gets its key."""

    def __init__(self) -> None:
        super().__init__(KEYS)

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:  # noqa: ARG002 - the library's
        """Its key.  Raises ``UsageError`` where there is no such game."""
        key = key_of(value)
        if key is None:
            raise click.UsageError(f"no game is called {value}: {', '.join(KEYS)}", ctx)
        return key


_GAME: Final = _GameType()
_game = click.argument("game", type=_GAME)


def _ids(_context: click.Context, _parameter: click.Parameter, beginning: str) -> list[Any]:
    """The ids that a word of the command line may become, and files where it becomes none."""
    from click.shell_completion import CompletionItem

    from cardtable.store import sessions

    found = [id_ for id_ in sessions.ids() if id_.startswith(beginning)]
    return [CompletionItem(id_) for id_ in found] or [CompletionItem(beginning, type="file")]


def _house_rules(_context: click.Context, _parameter: click.Parameter, beginning: str) -> list[str]:
    """``NAME=VALUE`` for house rules of the games in the line; of all games where it has none.

    The line is read from the shell: an option without its value hides from the library which game was named.
    """
    words = map(key_of, os.environ.get("COMP_WORDS", "").split())
    named = [game for game in words if game]
    rules = [rule for game in named or KEYS for rule in house.choices(GAMES[game].options)]
    every = [f"{rule.name}={value}" for rule in rules for value in rule.values]
    return [text for text in dict.fromkeys(every) if text.startswith(beginning)]


def _robots(_context: click.Context, _parameter: click.Parameter, beginning: str) -> list[str]:
    """Levels of robots, also after others with commas between."""
    return _listed(LEVELS, beginning)


def _sitters(_context: click.Context, _parameter: click.Parameter, beginning: str) -> list[str]:
    """Who may sit at a seat but for people by their nicks."""
    return _listed(["me", *LEVELS], beginning)


def _listed(words: Iterable[str], beginning: str) -> list[str]:
    before, comma, last = beginning.rpartition(",")
    return [f"{before}{comma}{word}" for word in words if word.startswith(last)]


_option = click.option(
    "--option",
    "options",
    multiple=True,
    metavar="NAME=VALUE",
    help="A house rule of the game, as its rules name it.",
    shell_complete=_house_rules,
)
_LEVELS: Final = ", ".join(LEVELS)
_FORMS: Final = ("markdown", "csv", "journal")
"""What ``export`` writes."""
_FILE: Final = "FILE is a path, or the id of a session or a beginning of one that no other has."


@room.command()
@_game
@click.option(
    "--seats",
    metavar="S,S,...",
    help=f"Who sits where: me, person:NICK, or a robot: {_LEVELS}.",
    shell_complete=_sitters,
)
@click.option("--seed", type=click.IntRange(0, MOST_SEED), metavar="N", help="The number of the deal.")
@_option
@click.pass_context
def play(context: click.Context, game: str, seats: str | None, seed: int | None, options: tuple[str, ...]) -> None:
    """Begin a session.

    Without --seats you sit down with steady robots, and places are drawn by lot.
    """
    from cardtable.store import profiles, seating
    from cardtable.store.setup import Setup

    chosen = GAMES[game]
    if seats is None:
        rules = _options(chosen, options)
        sitting = seating.usual(chosen, rules, profiles.me())
    else:
        try:
            sitting = seating.parse(seats, chosen, profiles.me())
        except (CardtableError, ValueError) as error:
            raise click.UsageError(str(error)) from None
        rules = _options(chosen, options, len(sitting))
    _need_front(context, [who for who in sitting if not who.robot])
    _open(context, _begun(Setup(chosen, sitting, rules, seed, by_lot=seats is None)))


def _begun(how: "Setup") -> "Session":
    """Begin a session; whose credits are staked gives her password first."""
    from cardtable.store import ledgers

    if not ledgers.needed(how.seats, how.options.stake):
        return how.begin()
    from cardtable.plain.console import Left
    from cardtable.plain.passwords import begun

    try:
        return begun(how)
    except Left:
        raise CardtableError("the session is not begun without the password") from None


@room.command(epilog="ID may be a path, too: a session from elsewhere is copied and the copy opened.")
@click.argument("name", metavar="[ID]", required=False, shell_complete=_ids)
@click.option("--copy", "as_copy", is_flag=True, help="Go on in a copy; of a damaged session up to its last good line.")
@click.pass_context
def resume(context: click.Context, name: str | None, as_copy: bool) -> None:
    """Go on with a session; without ID with the one played last.

    Where it goes on elsewhere, since it could not be saved in its place, that is offered first.
    """
    from cardtable.store import sessions, strays

    elsewhere = {stray.path.stem for stray in strays.offered()}
    if name is None and elsewhere:
        _open(context, None)
        return
    path = _played_last() if name is None else sessions.find(name)
    _need_front(context)
    _open(context, None if path.stem in elsewhere and not as_copy else _gone_on_with(path, as_copy))


def _need_front(context: click.Context, people: Sequence[SeatOf] = ()) -> None:
    """Raise ``CardtableError`` where these people cannot be shown a table."""
    if not _said(context, "plain"):
        program.need_terminal()
    else:
        from cardtable.plain.console import need_privacy
        from cardtable.plain.passwords import need_terminal

        need_privacy(len(people))
        need_terminal([who.name for who in people])


def _open(context: click.Context, session: "Session | None") -> None:
    """Open the program at the table of a session, or at the picker."""
    if _said(context, "plain"):
        program.open_plain(session, _flags(context))
    else:
        program.open_at(session, _flags(context))


def _played_last() -> Path:
    from cardtable.store import sessions

    for summary in sessions.unfinished():
        if summary.state == "open" and summary.trouble is None and not summary.real_cards:
            return summary.path
    raise CardtableError("there is no unfinished session; cardtable play GAME begins one")


def _gone_on_with(path: Path, as_copy: bool) -> "Session":
    """The session of a journal, in its place if that is where sessions are kept, else in a copy."""
    from cardtable.store import paths, sessions, summaries

    try:
        if not as_copy and path.resolve().parent == paths.sessions().resolve():
            return sessions.resume(path)
        if not as_copy and paths.in_archive(path) and summaries.of(path).state == "given-up":
            raise CardtableError(f"{path.stem}: the session was given up; resume --copy goes on in a copy of it")
        return sessions.copy(path)
    except DamagedJournal as error:
        if as_copy and error.good:
            return sessions.copy(path, error.good)
        offer = "; resume --copy goes on from what is before" * bool(error.good)
        raise CardtableError(f"{error}{offer}") from None


@room.command(name="list")
@click.option("--json", "as_json", is_flag=True, help="A JSON array.")
@click.option("--game", type=_GAME, help="Those of this game only.")
@click.option("--player", metavar="NICK", default="", help="Those in which this person or robot sat.")
@click.option("--state", type=click.Choice(["open", "over", "given-up"]), help="Those of this state only.")
def list_sessions(as_json: bool, game: str | None, player: str, state: str | None) -> int:
    """List all sessions, the unfinished ones first, each the last played first.

    A line each: ID GAME open|over|given-up ROUND TOTALS PLAYERS, and real-cards where it is a score table.
    """
    from cardtable.cli import reading

    return reading.list_sessions(as_json, game or "", player, state or "")


@room.command(epilog=_FILE)
@click.argument("file", metavar="FILE", shell_complete=_ids)
@click.option("--json", "form", flag_value="json", help="One JSON object.")
@click.option("--csv", "form", flag_value="csv", help="Comma-separated values, a line a round.")
def show(file: str, form: str | None) -> int:
    """Print the score sheet of a session: its finished rounds."""
    from cardtable.cli import reading

    return reading.show(_find(file), form or "text")


@room.command(epilog=_FILE)
@click.argument("file", metavar="FILE", shell_complete=_ids)
@click.option("--round", "number", type=click.IntRange(1), metavar="N", help="Begin there; in lines, that round only.")
@click.option("--seat", "who", default="", metavar="N|NICK", help="What that seat saw; the first is 0.")
@click.option("--open", "as_open", is_flag=True, help="Also of a session with people that is not over: it tells cards.")
@click.pass_context
def replay(context: click.Context, file: str, number: int | None, who: str, as_open: bool) -> None:
    """Show a session again, card by card.

    At a terminal on the screen; through a pipe, or with --plain, in lines. Of a session that people still play the
    screen shows finished rounds only, and lines are refused.
    """
    path = _find(file)
    if program.on_screen() and not _said(context, "plain"):
        program.open_page(_flags(context), "replay", path, number or 1, None, who, as_open)
        return
    from cardtable.plain import replaying

    replaying.run(path, number, who, _flags(context), as_open=as_open)


@room.command(epilog=_FILE)
@click.argument("file", metavar="FILE", shell_complete=_ids)
@click.option("--open", "as_open", is_flag=True, help="Also of a session with people that is not over: it tells cards.")
def trace(file: str, as_open: bool) -> int:
    """Print how a session stands after each of its lines.

    One line of JSON for each line of FILE: the seat to act, its legal actions, the round, the tricks taken in it, and
    the totals.
    """
    from cardtable.cli import reading

    return reading.trace(_find(file), as_open)


@room.command(epilog=_FILE)
@click.argument("file", metavar="FILE", shell_complete=_ids)
@click.option("--seat", metavar="N|NICK", help="Whose decisions; the first seat is 0. Without it the only person's.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def review(file: str, seat: str | None, as_json: bool) -> int:
    """Tell what the expert thinks of somebody's decisions.

    What each cost on average in points, those that cost most first, and what experts made of the same deals. The
    session must be over. What is done is kept, and gone on with.
    """
    from cardtable.cli import review as command

    return command.run(_find(file), seat, as_json=as_json)


@room.command()
@click.argument("game", type=_GAME, required=False)
@click.option("--json", "as_json", is_flag=True, help="A JSON array, of everybody who is rated.")
def rankings(game: str | None, as_json: bool) -> int:
    """Print who is how strong in each game: the ten best by rating."""
    from cardtable.cli import figures

    return figures.rankings(game or "", as_json=as_json)


@room.command()
@click.argument("player", metavar="NICK|LEVEL", default="")
@click.option("--game", type=_GAME, help="In this game only.")
@click.option("--json", "as_json", is_flag=True, help="A JSON array, with bids, contracts, best and worst rounds.")
def statistics(player: str, game: str | None, as_json: bool) -> int:
    """Print what finished sessions come to, by player and game."""
    from cardtable.cli import figures

    return figures.statistics(player, game or "", as_json=as_json)


@room.command(epilog=_FILE)
@click.argument("files", metavar="FILE...", nargs=-1, required=True, shell_complete=_ids)
def verify(files: tuple[str, ...]) -> int:
    """Replay sessions and say whether they hold.

    A line each: ok ID GAME rounds=R totals=A,B,C,D, or bad FILE:LINE: why.
    """
    from cardtable.cli import reading

    code = 0
    for file in files:
        try:
            code |= reading.verify(_find(file))
        except CardtableError as error:
            code = program.complain(str(error))
    return code


@room.command()
@_game
@click.option("--sessions", type=click.IntRange(1), required=True, metavar="N", help="How many.")
@click.option("--seed", type=click.IntRange(0, MOST_SEED), required=True, metavar="S", help="What all chance is from.")
@click.option("--seats", metavar="R,R,...", help=f"The robots in seat order: {_LEVELS}.", shell_complete=_robots)
@_option
@click.option("--out", metavar="FILE", help="Write the journals into FILE; - is standard output.")
def simulate(game: str, sessions: int, seed: int, seats: str | None, options: tuple[str, ...], out: str | None) -> int:
    """Let robots play whole sessions.

    The same arguments give the same journals, byte for byte.
    """
    from cardtable.cli import simulate as simulation
    from cardtable.store import seating

    chosen = GAMES[game]
    levels = seats.split(",") if seats else []
    rules = _options(chosen, options, len(levels) or None)
    levels = levels or [seating.USUAL_LEVEL] * chosen.seats_for(rules)
    try:
        plan = simulation.Plan(chosen, sessions, seed, tuple(levels), rules)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    return simulation.run(plan, out)


@room.command(epilog="A deal is played in every seating: A in each place among robots of level B, or of the field.")
@_game
@click.option(
    "--a", "a", required=True, metavar="R", help=f"The level that is judged: {_LEVELS}.", shell_complete=_robots
)
@click.option("--b", "b", required=True, metavar="R", help="The level it is compared with.", shell_complete=_robots)
@click.option(
    "--field", metavar="R", help="The level in the other places; B where none is named.", shell_complete=_robots
)
@click.option("--deals", type=click.IntRange(1), metavar="N", help="How many deals.")
@click.option("--sessions", type=click.IntRange(1), metavar="N", help="How many whole sessions, instead of deals.")
@click.option("--seed", type=click.IntRange(0, MOST_SEED), required=True, metavar="S", help="What all chance is from.")
@click.option("--seats", type=int, metavar="N", help="How many seats.")
@click.option("--contract", metavar="X", help="What the first dealer has to name (King, Rifki); each: one by one.")
@click.option("--workers", type=click.IntRange(1, 64), default=1, metavar="K", help="How many processes play.")
@click.option("--json", "as_json", is_flag=True, help="A JSON object, or one for each contract.")
@_option
def arena(
    game: str,
    a: str,
    b: str,
    field: str | None,
    deals: int | None,
    sessions: int | None,
    seed: int,
    seats: int | None,
    contract: str | None,
    workers: int,
    as_json: bool,
    options: tuple[str, ...],
) -> int:
    """Let two levels of robots play the same deals.

    Prints how many points a round A is ahead of B, with the standard error, how often it came first, how many bids
    were exact, and what A took for a decision in time of the processor. The figures do not depend on --workers.
    """
    from cardtable.cli import arena as command
    from cardtable.robots.arena import USUAL, Match, contracts

    if (deals is None) == (sessions is None):
        raise click.UsageError("either --deals or --sessions says how many")
    chosen = GAMES[game]
    rules = _options(chosen, options, seats, {} if deals is None else USUAL.get(game, {}))
    number, places = deals or sessions or 0, chosen.seats_for(rules) if seats is None else seats
    named = contracts(game) if contract == "each" else []
    try:
        matches = [
            Match(game, a, b, field or b, places, rules, number, seed, deals is None, name)
            for name in named or [contract or ""]
        ]
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    return command.run(matches, workers, as_json=as_json)


@room.command(epilog="What is entered is kept like sessions are: list names it, and the same command goes on with it.")
@click.argument("name", metavar="[GAME|ID]", required=False, shell_complete=_ids)
@click.pass_context
def score(context: click.Context, name: str | None) -> None:
    """Keep the score of a game with real cards.

    Without ID a new score table is begun; ID goes on with one.
    """
    from cardtable.store import score_tables, sessions

    if _said(context, "plain"):
        raise CardtableError("score tables are kept on the screen, without --plain; show prints one in lines")
    about: Path | str | None = name and key_of(name)
    if name and about is None:
        about = sessions.find(name)
        score_tables.resume(about).close()  # what is wrong with it is said here
    program.open_page(_flags(context), "score_table", about)


@room.command()
@_game
@click.pass_context
def rules(context: click.Context, game: str) -> None:
    """Print the rules of a game."""
    from cardtable.store import paths
    from cardtable.wording.in_ascii import in_ascii

    page = paths.rules_page(game).read_text(encoding="utf-8")
    click.echo(in_ascii(page) if _flags(context).ascii else page, nl=False)


@room.command(epilog=_FILE)
@click.argument("file", metavar="FILE", shell_complete=_ids)
@click.option("--as", "form", type=click.Choice(_FORMS), default=_FORMS[0], show_default=True, help="The form.")
@click.option("--open", "as_open", is_flag=True, help="Also of a session with people that is not over: it tells cards.")
def export(file: str, form: "Form", as_open: bool) -> None:
    """Print a session in a form that goes elsewhere.

    Markdown text of all rounds, the score sheet as comma-separated values, or the journal as it is.
    """
    from cardtable.wording.exports import exported

    click.echo(exported(_find(file), form, as_open=as_open), nl=False)


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
        from cardtable.cli.browser import server as command
    except ImportError:
        raise CardtableError("the browser needs textual-serve: pip install 'cardtable[serve]'") from None
    command.run(host, port, tabs, [f"--{name}" for name in _FRONT if name != "plain" and _said(context, name)])


@room.command()
def doctor() -> int:
    """Print where things lie, what the terminal is, and what is wrong with files."""
    from cardtable.cli import doctor as command

    return command.run()


def _options(
    game: AnyGame, given: Sequence[str], seats: int | None = None, usual: Mapping[str, object] | None = None
) -> house.Options:
    """The house rules of ``--option`` arguments, for so many seats if their number is given, too.

    Where nothing is given, ``usual`` may say what is not the game's default.
    """
    named: dict[str, object] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals:
            raise click.UsageError(f"--option {text!r} is not NAME=VALUE")
        if name in named:
            raise click.UsageError(f"option {name!r} is given twice")
        named[name] = value
    try:
        return house.read(game.options, {**(usual or {}), **named}, seats)
    except ValueError as error:
        raise click.UsageError(str(error)) from None


def _find(file: str) -> Path:
    """The file of an argument: a session's, or any other of that name."""
    from cardtable.store import sessions

    try:
        return sessions.find(file)
    except CardtableError:
        if Path(file).is_file():
            return Path(file)
        raise
