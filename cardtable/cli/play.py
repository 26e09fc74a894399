"""Commands that open a table: ``play``, ``resume`` and ``score``."""

from collections.abc import Sequence
from pathlib import Path

import click

from cardtable.cli import completion, launch
from cardtable.cli.main import commands, flags, has_flag, open_room
from cardtable.cli.params import ABOUT_SEED, LEVEL_NAMES, SEED, a_game, house_rules, rules_of, sitters
from cardtable.engine.errors import CardtableError
from cardtable.engine.journal import Occupant
from cardtable.games import ABOUT, GAMES, key_of, unknown_game_message
from cardtable.store import credit_ledger, paths, profiles, seating, sessions, summaries
from cardtable.store.errors import DamagedJournal
from cardtable.store.session_setup import SessionSetup
from cardtable.store.sessions import Session
from cardtable.store.summaries import session_id


class _LevelHelpCommand(click.Command):
    """Command whose help ends with the playing strength of the robot levels."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - the library's
        from cardtable.wording.players import level_strength_text

        with formatter.section("Levels"):
            formatter.write_dl(
                [(about.title, text) for key, about in ABOUT.items() if (text := level_strength_text(key))]
            )


@commands.command(cls=_LevelHelpCommand)
@a_game
@click.option(
    "--seats",
    type=sitters,
    metavar="S,S,...",
    help=f"Seat these, clockwise: me, person:NICK, or a level of robot ({LEVEL_NAMES}).",
    shell_complete=completion.sitters,
)
@click.option("--seed", type=SEED, metavar="N", help=ABOUT_SEED)
@house_rules
@click.pass_context
def play(context: click.Context, game: str, seats: str | None, seed: int | None, options: tuple[str, ...]) -> None:
    """Begin a session and sit down at its table.

    Without --seats your opponents are steady robots, and places are drawn by lot.
    """
    chosen = GAMES[game]
    if seats is None:
        rules = rules_of(chosen, options)
        sitting = seating.usual(chosen, rules, profiles.current_nick())
    else:
        try:
            sitting = seating.parse(seats, chosen, profiles.current_nick())
        except (CardtableError, ValueError) as error:
            raise click.UsageError(str(error)) from None
        rules = rules_of(chosen, options, len(sitting))
    _need_front(context, [who for who in sitting if not who.robot])
    open_room(context, _begun(SessionSetup(chosen, sitting, rules, seed, random_seating=seats is None)))


def _begun(how: SessionSetup) -> Session:
    """Begin a session, after the players with a password have confirmed their stakes.

    Raises ``CardtableError`` if a player does not enter the password.
    """
    if not credit_ledger.nicks_requiring_password(how.seats, how.options.stake):
        return how.begin()
    from cardtable.plain.console import QuitRequested
    from cardtable.plain.players import begin_session

    try:
        return begin_session(how)
    except QuitRequested:
        raise CardtableError("the session was not begun: it needs the password") from None


@commands.command(epilog="ID may be a path, too: a session from another place is copied, and you play on in the copy.")
@click.argument("name", metavar="[ID]", required=False, shell_complete=completion.ids)
@click.option("--copy", "as_copy", is_flag=True, help="Play on in a copy; a damaged session goes up to the damage.")
@click.pass_context
def resume(context: click.Context, name: str | None, as_copy: bool) -> None:
    """Go on with the session played last, or with ID.

    A session that could not be saved in its place, and was kept in another, is offered first.
    """
    from cardtable.store import recovered_sessions

    elsewhere = {stray.session.id for stray in recovered_sessions.list_recoverable()}
    if name is None and elsewhere:
        open_room(context, None)
        return
    path = _played_last() if name is None else sessions.find(name)
    _need_front(context)
    open_room(context, None if session_id(path) in elsewhere and not as_copy else _resume_or_copy(path, as_copy))


def _need_front(context: click.Context, people: Sequence[Occupant] = ()) -> None:
    """Raise ``CardtableError`` if a table cannot be shown to these players in this terminal."""
    if not has_flag(context, "plain"):
        launch.need_terminal()
        return
    from cardtable.plain.console import require_privacy
    from cardtable.plain.players import need_terminal

    require_privacy(len(people))
    need_terminal([who.name for who in people])


def _played_last() -> Path:
    at_club = False
    for summary in sessions.unfinished():
        if summary.state == "open" and summary.trouble is None and not summary.real_cards:
            if not summary.is_club_only:
                return summary.path
            at_club = True
    if at_club:
        raise CardtableError("all unfinished sessions are played at the club; cardtable host opens it to go on")
    raise CardtableError("there is no unfinished session; cardtable play GAME begins one")


def _is_unfinished_session(path: Path) -> bool:
    """Return True if ``path`` is the valid file of an unfinished session in the folder of sessions, not a copy."""
    if path.resolve().parent != paths.sessions().resolve():
        return False
    try:
        counts = summaries.session_file(session_id(path))
    except OSError:
        return True
    return counts is None or counts.resolve() == path.resolve()


def _resume_or_copy(path: Path, as_copy: bool) -> Session:
    """Resume a session in place if its file is in the folder of sessions; else begin a copy and resume that.

    With ``as_copy``, always copy; a damaged session is copied up to the damage. Raises ``CardtableError`` if the
    session was given up or is damaged and ``as_copy`` is False.
    """
    try:
        if not as_copy and _is_unfinished_session(path):
            return sessions.resume(path)
        given_up = not as_copy and paths.in_archive(path) and summaries.summarize(path).state == "given-up"
        if given_up and not summaries.summarize(path).is_club_only:
            raise CardtableError(f"{session_id(path)}: the session was given up; resume --copy plays on in a copy")
        return sessions.fork(path)
    except DamagedJournal as error:
        if as_copy and error.good:
            return sessions.fork(path, error.good)
        offer = "; resume --copy goes on from what is before" if error.good else ""
        raise CardtableError(f"{error}{offer}") from None


@commands.command(epilog="Score tables are kept as sessions are: `cardtable list` has their ids.")
@click.argument("name", metavar="[GAME|ID]", required=False, shell_complete=completion.ids)
@click.pass_context
def score(context: click.Context, name: str | None) -> None:
    """Keep the score of a game with real cards.

    GAME begins a new score table and ID goes on with one. Without either you choose the game.
    """
    from cardtable.scoring.score_table import can_be_scored
    from cardtable.store import score_tables

    about: Path | str | None = name and key_of(name)
    if isinstance(about, str) and not can_be_scored(about):
        raise click.UsageError(f"{ABOUT[about].title} cannot be scored with real cards")
    if name and about is None:
        if name.isalpha():
            raise click.UsageError(unknown_game_message(name))
        about = sessions.find(name)
        score_tables.resume(about).close()  # reports errors before a screen opens
    if has_flag(context, "plain"):
        launch.open_plain(None, flags(context), about or "")
    else:
        launch.open_screen(None, flags(context), ("score_table", about))
