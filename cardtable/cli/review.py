"""Commands ``review`` and ``share``: the expert's evaluation of a session, and the result of a deal of the day."""

import click

from cardtable.cli import launch, params
from cardtable.cli.json_output import ChoiceRow, DecisionRow, ReviewOutput, SameDealsRow, format_json
from cardtable.cli.main import commands
from cardtable.cli.params import FILE_HELP, file_argument, find_file, round_figure
from cardtable.engine.game import Seat
from cardtable.engine.journal import Header, replace_occupants
from cardtable.games import GAMES
from cardtable.records import review_worker
from cardtable.records.archive import find_last_daily_session
from cardtable.records.personal_bests import find_achievements
from cardtable.records.review import compare_same_deals
from cardtable.records.review_worker import ReviewJob
from cardtable.store import profiles, session_files
from cardtable.wording import review as review_texts
from cardtable.wording import session_end
from cardtable.wording.players import find_seat
from cardtable.wording.review import ReviewText


@commands.command(name="review", epilog=FILE_HELP)
@file_argument
@click.option("--seat", metavar="N|NICK", help="Seat to review; the first is 0. Default: the only person.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def review_session(file: str, seat: str | None, as_json: bool) -> int:
    """Review a player's decisions with the expert.

    Prints how many points each decision cost on average, the costliest first, and what experts scored with the same
    deals. The session must be over. If you stop it with Ctrl+C, it continues from there the next time.
    """
    path = find_file(file)
    read = session_files.load_journal(path)
    header = replace_occupants(read.header, session_files.replay_journal(path, read).occupants.changed)
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
        lines.append(f"round  {'decision':10}  {'chosen':{max(widest, 6)}}  {'cost':>5}{'':25}better")
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
    cost = f"{one.measure.apply_sheet_sign(-judgement.cost):+5.1f}"
    return f"{decision.round:5}  {kind:10}  {one.chosen:{width}}  {cost}  {one.basis:21}  {one.better}"


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
