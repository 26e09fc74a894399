"""Commands about results of players (``rankings``, ``statistics``) and of a session (``review``, ``share``).

``reset-password`` sets the password of a player.
"""

import sys
from collections.abc import Callable, Sequence
from math import inf
from typing import TypeAlias

import click

from cardtable.cli import launch, params
from cardtable.cli.json_output import ChoiceRow, DecisionRow, RatingRow, ReviewOutput, SameDealsRow, format_json
from cardtable.cli.main import commands
from cardtable.cli.params import FILE_HELP, GAME, file_argument, find_file, round_figure
from cardtable.engine.errors import CardtableError
from cardtable.engine.game import Seat
from cardtable.engine.journal import Header, replace_occupants
from cardtable.engine.text_format import align_columns, fold, sanitize
from cardtable.games import ABOUT, GAMES, list_keys
from cardtable.records import aggregation, review_worker
from cardtable.records.aggregation import AggregatedRecords, PlayerRecord
from cardtable.records.archive import find_last_daily_session
from cardtable.records.personal_bests import find_achievements
from cardtable.records.ratings import RANKING_SIZE, Player, Rating
from cardtable.records.review import compare_same_deals
from cardtable.records.review_worker import ReviewJob
from cardtable.store import paths, profiles, seating, session_files
from cardtable.wording import review as review_texts
from cardtable.wording import session_end
from cardtable.wording.players import find_seat
from cardtable.wording.review import ReviewText
from cardtable.wording.statistics import FIGURES, format_player, format_share

_Table: TypeAlias = tuple[Sequence[str], Sequence[Sequence[str]]]
"""Headings and rows of a table."""


@commands.command()
@click.argument("game", type=GAME, required=False)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array of everyone who is rated.")
def rankings(game: str | None, as_json: bool) -> int:
    """Print the ten best players of each game by rating.

    The column ± shows the uncertainty of a rating.
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
    from cardtable.wording.players import PASSWORD_REMOVAL_WARNING

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


@commands.command(epilog=FILE_HELP)
@file_argument
@click.option("--seat", metavar="N|NICK", help="Seat to review; the first is 0. Default: the only person.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def review(file: str, seat: str | None, as_json: bool) -> int:
    """Review a player's decisions with the expert.

    Prints how many points each decision cost on average, the costliest first, and what experts scored with the same
    deals. The session must be over. If you stop it with Ctrl+C, it continues from there the next time.
    """
    path = find_file(file)
    read = session_files.load_journal(path)
    header = replace_occupants(read.header, session_files.replay_journal(path, read).new_occupants)
    job = ReviewJob(path, _find_seat(header, seat))
    if error := review_worker.find_file_error(path):
        launch.print_error(error)
    step_count = job.session.step_count
    with (
        launch.collect_interruption(lambda: job.review.done_count) as interruption,
        launch.show_progress_bar(step_count - job.review.done_count, "Review") as move_on,
    ):
        for _ in job.iter_pieces():
            move_on(1)
    click.echo(format_json(_convert_review(job)) if as_json else _format_table(job))
    if interruption.code:
        interruption.print_progress(f"stopped after {job.review.done_count} of {step_count} steps")
    return interruption.code


@commands.command(epilog=FILE_HELP)
@click.argument("file", metavar="[FILE]", required=False, shell_complete=params.complete_session_ids)
def share(file: str | None) -> int:
    """Print your result in a deal of the day, to share it.

    Prints three lines without cards or contracts, by default about the last one that you finished. Experts play the
    same deal first, unless they have; if you stop them with Ctrl+C, they are left out.
    """
    path = find_file(file) if file else find_last_daily_session(profiles.get_current_nick())
    result = session_end.load_daily_result(path, find_achievements(path, [0]).streak)
    job = ReviewJob(path, 0)
    with (
        launch.collect_interruption(lambda: True) as interruption,
        launch.show_progress_bar(len(job.session.deals) - len(job.review.dealt), "Experts play") as move_on,
    ):
        for _ in job.iter_pieces(deals_only=True):
            move_on(1)
    click.echo("\n".join(result.format_lines(compare_same_deals(job.session, job.review))))
    if interruption.reason:
        launch.print_error(interruption.reason)
    return interruption.code


def _find_seat(header: Header, text: str | None) -> Seat:
    """Return the seat that ``--seat`` names by number or nick; without it, the seat of the only person.

    Raises ``CardtableError`` if there is no such seat, and ``UsageError`` if there are several persons.
    """
    if text is not None:
        return find_seat(header, text)
    if len(header.people) == 1:
        return header.people[0]
    seats = ", ".join(f"{seat} {name}" for seat, name in enumerate(session_files.format_names(header.seats)))
    raise click.UsageError(f"choose the player with --seat, by number or nick: {seats}")


def _format_table(job: ReviewJob) -> str:
    """Format a review as text: the decisions that cost points, then the totals."""
    session, review = job.session, job.review
    header = session_files.sanitize_header(session.header)
    name = header.seats[session.seat].name
    lines = [f"{GAMES[header.game].about.title}  {header.id}  {name}{', abandoned' if session.is_abandoned else ''}"]
    decisions = review_texts.list_evaluated_decisions(session, review)
    costly = [one for one in decisions if one.judgement.cost]
    if costly:
        widest = max(len(one.chosen) for one in costly)
        lines.append(f"round  {'decision':10}  {'chosen':{max(widest, 6)}}  {'cost':>5}         better")
        lines += [_format_decision(one, max(widest, 6)) for one in costly]
    if decisions:
        mean = sum(one.judgement.cost for one in decisions) / len(decisions)
        lines.append(f"{len(costly)} of {len(decisions)} decisions cost something, {mean:.2f} points each on average")
    same = compare_same_deals(session, review)
    if same:
        how = f"{same.lead_per_round:+.1f}{review_texts.format_error(same)} a round"
        lines.append(f"{review_texts.format_same_deals(same, name)} (over {review_texts.format_runs(same)}): {how}")
    return "\n".join(lines)


def _format_decision(one: ReviewText, width: int) -> str:
    decision, judgement = one.decision, one.judgement
    kind = review_texts.format_decision_kind(one.game, decision)
    figures = f"{one.measure.apply_sheet_sign(-judgement.cost):+5.1f} ± {judgement.error:4.1f}"
    return f"{decision.round:5}  {kind:10}  {one.chosen:{width}}  {figures}  {one.better}"


def _convert_review(job: ReviewJob) -> ReviewOutput:
    session, review = job.session, job.review
    decisions, same = review_texts.list_evaluated_decisions(session, review), compare_same_deals(session, review)
    return ReviewOutput(
        id=session.header.id,
        game=session.header.game,
        seat=session.seat,
        abandoned=session.is_abandoned,
        complete=review.done_count == session.step_count,
        mean_cost=round_figure(sum(one.judgement.cost for one in decisions) / len(decisions)) if decisions else None,
        decisions=tuple(map(_convert_decision, decisions)),
        same_deals=SameDealsRow(
            rounds=same.rounds,
            own_points=same.own,
            expert_points=same.experts,
            standard_error=round_figure(same.error),
            runs=same.runs,
            lead_per_round=round_figure(same.lead_per_round),
        )
        if same
        else None,
    )


def _convert_decision(one: ReviewText) -> DecisionRow:
    decision, judgement = one.decision, one.judgement
    return DecisionRow(
        round=decision.round,
        line=decision.line,
        action=str(decision.action),
        best=judgement.choices[0].action,
        cost=judgement.cost,
        standard_error=judgement.error,
        worlds=judgement.worlds,
        choices=tuple(
            [
                ChoiceRow(
                    action=choice.action,
                    value=one.measure.apply_sheet_sign(choice.worth),
                    as_good=choice.as_good,
                    success_rate=choice.share,
                )
                for choice in judgement.choices
            ]
        ),
        reasons=judgement.why,
    )
