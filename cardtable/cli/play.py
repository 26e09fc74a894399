"""Commands that open a table: ``play``, ``resume`` and ``score`` at home, ``join`` at a club on another machine."""

import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import click

from cardtable.cli import launch, params
from cardtable.cli.main import CliCommand, commands, get_terminal_flags, has_flag, open_front_end
from cardtable.cli.params import (
    LEVEL_NAMES,
    NEEDS_LIBRARIES,
    SEED,
    SEED_HELP,
    find_file,
    game_argument,
    house_rules_option,
    normalize_occupants,
)
from cardtable.engine.errors import CardtableError, GameFailed
from cardtable.engine.journal import Occupant
from cardtable.engine.options import parse_pairs
from cardtable.games import ABOUT, GAMES, find_key, format_unknown_game
from cardtable.installation import format_missing_club_libraries
from cardtable.store import club_tokens, credit_ledger, paths, profiles, seating, sessions, summaries
from cardtable.store.atomic_io import resolve_links
from cardtable.store.errors import DamagedJournal
from cardtable.store.session_setup import SessionSetup, create_setup
from cardtable.store.sessions import Session
from cardtable.store.summaries import read_session_id
from cardtable.store.visibility import PlayedAtClub


class _LevelHelpCommand(CliCommand):
    """Command whose help ends with the playing strength of the robot levels."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - the library's
        from cardtable.wording.players import describe_level_strength

        strengths = []
        for key, about in ABOUT.items():
            with suppress(GameFailed):
                strengths.append((about.title, describe_level_strength(key)))
        with formatter.section("Levels"):
            formatter.write_dl([(title, text) for title, text in strengths if text])


@commands.command(cls=_LevelHelpCommand)
@game_argument
@click.option(
    "--seats",
    type=normalize_occupants,
    metavar="S,S,...",
    help=f"Players clockwise: me, person:NICK, or a robot level ({LEVEL_NAMES}).",
    shell_complete=params.complete_occupants,
)
@click.option("--seed", type=SEED, metavar="N", help=SEED_HELP)
@house_rules_option
@click.pass_context
def play(context: click.Context, game: str, seats: str | None, seed: int | None, options: tuple[str, ...]) -> None:
    """Start a session and sit down at its table.

    Without --seats your opponents are steady robots, or novices until you have finished three sessions of the game, and
    seats are random. With --seed they are steady.
    """
    chosen, me = GAMES[game], profiles.get_current_nick()
    try:
        setup = create_setup(chosen, parse_pairs(options), seats, seed, me)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    _require_front_end(context, [occupant for occupant in setup.seats if not occupant.robot])
    open_front_end(context, _begin_session(setup))


def _begin_session(setup: SessionSetup) -> Session:
    """Begin a session, after the players with a password have confirmed their stakes.

    Raises ``CardtableError`` if a player does not enter the password.
    """
    if not credit_ledger.list_nicks_requiring_password(setup.seats, setup.options.stake):
        return setup.begin()
    from cardtable.plain.console import QuitRequested
    from cardtable.plain.players import begin_session

    try:
        return begin_session(setup)
    except QuitRequested:
        raise CardtableError("the session was not started: it needs the password") from None


@commands.command(epilog="ID can also be a path. A session from elsewhere is copied, and you continue the copy.")
@click.argument("name", metavar="[ID]", required=False, shell_complete=params.complete_session_ids)
@click.option(
    "--copy", "as_copy", is_flag=True, help="Continue in a copy; of a damaged session, the copy ends at the damage."
)
@click.pass_context
def resume(context: click.Context, name: str | None, as_copy: bool) -> None:
    """Continue your last session, or the one with ID.

    A session that could not be saved in its usual place, and was saved elsewhere, is offered first.
    """
    from cardtable.store import unfinished_tables

    elsewhere = {stray.session.id for stray in unfinished_tables.list_recoverable()}
    if name is None:
        open_front_end(context, None if elsewhere else _resume_last_played(context, as_copy))
        return
    path = find_file(name)
    _require_front_end(context)
    open_front_end(
        context, None if read_session_id(path) in elsewhere and not as_copy else _resume_or_copy(path, as_copy)
    )


def _require_front_end(context: click.Context, people: Sequence[Occupant] = ()) -> None:
    """Raise ``CardtableError`` if a table cannot be shown to these players in this terminal."""
    if not has_flag(context, "plain"):
        launch.require_terminal()
        return
    from cardtable.plain.console import require_privacy
    from cardtable.plain.players import require_terminal

    require_privacy(len(people))
    require_terminal([person.name for person in people])


def _resume_last_played(context: click.Context, as_copy: bool) -> Session:
    """Resume the session played last, or with ``as_copy`` a copy of it. Unreadable sessions are passed over.

    Raises ``CardtableError`` if there is none, or if a table cannot be shown in this terminal.
    """
    at_club = False
    for path in summaries.iter_resumable():
        _require_front_end(context)
        try:
            return _resume_or_copy(path, as_copy)
        except PlayedAtClub:
            at_club = True
        except CardtableError:
            continue
    if at_club:
        raise CardtableError("all unfinished sessions are played at the club; cardtable host opens it to continue")
    raise CardtableError("there is no unfinished session; cardtable play GAME starts one")


def _is_unfinished_session(path: Path) -> bool:
    """Return True if ``path`` is the valid file of an unfinished session in the folder of sessions, not a copy."""
    if resolve_links(path).parent != resolve_links(paths.sessions_folder()):
        return False
    try:
        counts = summaries.find_session_file(read_session_id(path))
    except OSError:
        return True
    return counts is None or resolve_links(counts) == resolve_links(path)


def _resume_or_copy(path: Path, as_copy: bool) -> Session:
    """Resume a session in place if its file is in the folder of sessions; else begin a copy and resume that.

    With ``as_copy``, always copy; a damaged session is copied up to the damage. Raises ``CardtableError`` if the
    session was given up or is damaged and ``as_copy`` is False.
    """
    try:
        if not as_copy and _is_unfinished_session(path):
            return sessions.resume(path)
        is_abandoned = not as_copy and paths.is_in_archive(path) and summaries.summarize(path).state == "abandoned"
        if is_abandoned and not summaries.summarize(path).is_club_only:
            raise CardtableError(f"{read_session_id(path)}: the session was abandoned; resume --copy continues a copy")
        return sessions.fork(path)
    except DamagedJournal as error:
        if as_copy and error.good:
            return sessions.fork(path, error.good)
        offer = "; resume --copy continues from what comes before it" if error.good else ""
        raise CardtableError(f"{error}{offer}") from None


@commands.command(epilog="Score tables are saved like sessions; `cardtable list` shows their ids.")
@click.argument("name", metavar="[GAME|ID]", required=False, shell_complete=params.complete_session_ids)
@click.pass_context
def score(context: click.Context, name: str | None) -> None:
    """Keep score for a game with real cards.

    GAME starts a new score table, ID continues one. Without either, choose the game.
    """
    from cardtable.scoring.score_table import explain_missing_score_table
    from cardtable.store import score_tables

    about: Path | str | None = None if name is None else find_key(name)
    if isinstance(about, str) and (reason := explain_missing_score_table(about)):
        raise click.UsageError(reason)
    if name is not None and about is None:
        if name.isalpha():
            raise click.UsageError(format_unknown_game(name))
        about = summaries.find_path(name)
        score_tables.resume(about).close()  # reports errors before a screen opens
    open_front_end(context, page=("score_table", about))


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
    from cardtable.club.addresses import format_club_address, parse_club_address
    from cardtable.club.credentials import find_credentials

    try:
        url = parse_club_address(address)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    paths.home()  # raises if there is none, before a token is received that cannot be kept
    if not address.isascii():
        click.echo(f"cardtable: joining {format_club_address(url)}", err=True)
    problem, nick = club_tokens.load()[1], seating.normalize_nick(nick) if nick else ""
    nick, code, token = find_credentials(url, nick, code)
    # a guest by ssh cannot choose a flag
    needs_plain = club_tokens.is_hosted_client() and not launch.can_show_screens()
    if needs_plain:
        _take_terminal()
    if needs_plain or has_flag(context, "plain"):
        from cardtable.club.client.connection import Login
        from cardtable.plain.club.lobby import visit_club

        if problem:
            launch.print_error(problem)
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
