"""Commands about players: ``rankings`` and ``statistics`` of their archived sessions, and ``reset-password``."""

import sys
from collections.abc import Callable, Sequence
from math import inf
from typing import TypeAlias

import click

from cardtable.cli import launch
from cardtable.cli.json_output import RatingRow, format_json
from cardtable.cli.main import commands
from cardtable.cli.params import GAME
from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import align_columns, fold, sanitize
from cardtable.games import ABOUT, list_keys
from cardtable.records import aggregation
from cardtable.records.aggregation import AggregatedRecords, PlayerRecord
from cardtable.records.ratings import RANKING_SIZE, Player, Rating
from cardtable.store import paths, profiles, seating
from cardtable.wording.players import PASSWORD_REMOVAL_WARNING
from cardtable.wording.statistics import FIGURES, format_player, format_share

_Table: TypeAlias = tuple[Sequence[str], Sequence[Sequence[str]]]
"""Headings and rows of a table."""


@commands.command()
@click.argument("game", type=GAME, required=False)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array of everyone who is rated.")
def rankings(game: str | None, as_json: bool) -> int:
    """Print the ten best players of each game by rating.

    A player rated 100 points higher finishes ahead in 64% of sessions. The column ± shows the uncertainty of a rating.
    """
    records = _aggregate_records(None if as_json else lambda some: _build_ranking(some, game))
    if as_json:
        click.echo(format_json([_convert_rating(*row) for row in _list_rated(records, game)], indent=1))
        return 0
    if not _list_rated(records, game):
        in_game = f" in {ABOUT[game].title}" if game else ""
        raise CardtableError(
            f"nobody is rated{in_game} yet: a rating needs a finished session between rated players, with a deal not "
            "known before"
        )
    _print_table(*_build_ranking(records, game))
    return 0


def _list_rated(records: AggregatedRecords, game: str | None) -> list[tuple[str, int, Player, Rating]]:
    return [
        (key, rank, player, rating)
        for key in list_keys()
        if game in (None, key) and key in records.ratings
        for rank, (player, rating) in enumerate(records.ratings[key].rank_players(), 1)
    ]


def _build_ranking(records: AggregatedRecords, game: str | None) -> _Table:
    """Return the headings and rows of a table of the ten best players of each game."""
    rows = [
        (key, str(rank), format_player(player), f"{rating.mu:.0f}", f"{rating.sigma:.0f}", str(rating.sessions),
         format_share(rating.won / rating.seats))
        for key, rank, player, rating in _list_rated(records, game)
        if rank <= RANKING_SIZE
    ]  # fmt: skip
    return ("game", "place", "player", "rating", "±", "sessions", "won"), rows


@commands.command()
@click.argument("player", metavar="[NICK|LEVEL]", default="")
@click.option("--game", type=GAME, help="Count only sessions of this game.")
@click.option(
    "--json", "as_json", is_flag=True, help="Print a JSON array, including bids, contracts, and best and worst rounds."
)
def statistics(player: str, game: str | None, as_json: bool) -> int:
    """Print the results of each player in each game.

    Counts sessions that are over or abandoned. Place, total and points a round are averages.
    """
    records = _aggregate_records(None if as_json else lambda some: _build_results(_select_records(some, player, game)))
    results = _select_records(records, player, game)
    if as_json:
        rows = [{figure.key: figure.value(record) for figure in FIGURES if figure.key} for record in results]
        click.echo(format_json(rows, indent=1))
        return 0
    if not results:
        of_player, in_game = f" of {player}" if player else "", f" in {ABOUT[game].title}" if game else ""
        raise CardtableError(
            f"no session{of_player}{in_game} counts yet: it must be over, with a deal not known before; cardtable "
            "list shows all sessions"
        )
    _print_table(*_build_results(results))
    return 0


def _select_records(records: AggregatedRecords, player: str, game: str | None) -> list[PlayerRecord]:
    return [
        records.get_record(owner, key)
        for owner, _ in records.list_players()
        if not player or fold(player) in (fold(owner.name), fold(format_player(owner)))
        for key in list_keys()
        if game in (None, key) and (owner, key) in records.statistics
    ]


def _build_results(results: Sequence[PlayerRecord]) -> _Table:
    """Return the headings and rows of a table of the players' results."""
    columns = [figure for figure in FIGURES if figure.heading]
    rows = [[column.format(record) for column in columns] for record in results]
    return [column.heading for column in columns], rows


def _aggregate_records(build_early: Callable[[AggregatedRecords], _Table] | None) -> AggregatedRecords:
    """Aggregate the records of all sessions; show progress on standard error if this takes a while.

    ``build_early``: builds a table of the records available at first, which is printed there as well if standard error
    is a terminal and more files have to be read.
    """
    records = AggregatedRecords()
    with launch.show_progress() as tell:
        for progress in aggregation.aggregate(results_interval=inf):
            records = progress.records or records
            if progress.read == progress.sessions:
                continue
            if build_early and progress.records and launch.is_terminal(sys.stderr):
                _print_table(*build_early(progress.records), err=True)
                build_early = None
            tell(f"{progress.read} of {progress.sessions} sessions {progress.stage}")
    return records


def _print_table(heads: Sequence[str], rows: Sequence[Sequence[str]], *, err: bool = False) -> None:
    """Print a table with text columns aligned left and columns of numbers aligned right."""
    for line in align_columns([heads, *rows], left=[heads.index(name) for name in ("game", "player")]):
        click.echo(line, err=err)


def _convert_rating(game: str, place: int, player: Player, rating: Rating) -> RatingRow:
    return RatingRow(
        game=game,
        place=place,
        player=player.name,
        robot=player.robot,
        former=bool(player.stranger),
        rating=round(rating.mu, 1),
        sigma=round(rating.sigma, 1),
        sessions=rating.sessions,
        win_rate=round(rating.won / rating.seats, 3),
    )


_MAX_NICK_LENGTH = 40


@commands.command(name="reset-password")
@click.argument("nick")
@click.option("--remove", is_flag=True, help="Remove the password, after a question.")
def reset_password(nick: str, *, remove: bool) -> None:
    """Set a player's password without the old one.

    Anyone who can change your files can do this.
    """
    from cardtable.plain import players
    from cardtable.plain.console import QuitRequested, is_on_terminal

    profile = profiles.read().find(seating.normalize_nick(nick))
    if profile is None:
        raise CardtableError(f"there is no player {sanitize(nick, _MAX_NICK_LENGTH)}")
    if not is_on_terminal():
        raise CardtableError("a password cannot be typed unseen through a pipe; use a terminal")
    click.echo(f"The old password of {profile.nick} is not needed: you can change the files in {paths.home()}.")
    if remove:
        if not click.confirm(f"{PASSWORD_REMOVAL_WARNING.format(profile.nick)} Remove the password?"):
            raise CardtableError("nothing was changed")
        profiles.clear_password(profile.nick)
        click.echo(f"{profile.nick} now has no password.")
        return
    try:
        password, again = players.ask_new_password()
    except QuitRequested:
        raise click.Abort from None
    profiles.reset_password(profile.nick, password, again)
    click.echo(f"{profile.nick} now has a new password.")
