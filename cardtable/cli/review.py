"""Command ``review``: the expert's evaluation of a player's decisions in a finished session."""

import json

import click

from cardtable.cli import launch
from cardtable.cli.main import commands
from cardtable.cli.params import ABOUT_FILE, a_file, find_file
from cardtable.engine.game import Seat
from cardtable.engine.journal import Header, with_occupants
from cardtable.games import GAMES
from cardtable.records import review_worker
from cardtable.records.review import compare_same_deals
from cardtable.records.review_worker import ReviewJob
from cardtable.store import session_files
from cardtable.wording import review as reviewed
from cardtable.wording.players import seat_of
from cardtable.wording.review import ReviewText


@commands.command(epilog=ABOUT_FILE)
@a_file
@click.option("--seat", metavar="N|NICK", help="Review this seat; the first is 0. Without it: the only person.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def review(file: str, seat: str | None, as_json: bool) -> int:
    """Print what the expert thinks of a player's decisions.

    Tells what each cost on average in points, the costliest first, and what experts made of the same deals. The
    session must be over. Stopped with Ctrl+C, it goes on from there the next time.
    """
    path = find_file(file)
    read = session_files.parse_session(path, session_files.read_session(path))
    header = with_occupants(read.header, session_files.replayed(path, read).new_occupants)
    reviewing = ReviewJob(path, _seat(header, seat))
    if trouble := review_worker.trouble(path):
        launch.print_error(trouble)
    stopped = _done(reviewing)
    click.echo(_facts(reviewing) if as_json else _table(reviewing))
    if not stopped:
        return 0
    how = f"stopped after {reviewing.review.done} of {reviewing.session.steps} steps"
    return launch.print_error(how, launch.INTERRUPTED)


def _seat(header: Header, wanted: str | None) -> Seat:
    """Return the seat that ``--seat`` names by number or nick; without it, the seat of the only person.

    Raises ``CardtableError`` if there is no such seat, and ``UsageError`` if there are several persons.
    """
    if wanted is not None:
        return seat_of(header, wanted)
    if len(header.people) == 1:
        return header.people[0]
    said = ", ".join(f"{seat} {name}" for seat, name in enumerate(session_files.names(header.seats)))
    raise click.UsageError(f"choose whose decisions with --seat, by number or nick: {said}")


def _done(reviewing: ReviewJob) -> bool:
    """Run the steps of the review that are still missing; return True if this was interrupted."""
    try:
        with launch.progress(reviewing.session.steps - reviewing.review.done, "Review") as move_on:
            for _ in reviewing.steps():
                move_on(1)
    except KeyboardInterrupt:
        return True
    return False


def _table(reviewing: ReviewJob) -> str:
    """Format a review as text: the decisions that cost points, then the totals."""
    session, review = reviewing.session, reviewing.review
    header = session_files.sanitized_header(session.header)
    who = header.seats[session.seat].name
    lines = [f"{GAMES[header.game].about.title}  {header.id}  {who}{', given up' if session.given_up else ''}"]
    decisions = reviewed.evaluated_decisions(session, review)
    costly = [one for one in decisions if one.judgement.cost]
    if costly:
        widest = max(len(one.chosen) for one in costly)
        lines.append(f"round  {'decision':10}  {'chosen':{max(widest, 6)}}  {'cost':>5}         better")
        lines += [_line(one, max(widest, 6)) for one in costly]
    if decisions:
        mean = sum(one.judgement.cost for one in decisions) / len(decisions)
        lines.append(f"{len(costly)} of {len(decisions)} decisions cost something, {mean:.2f} points each on average")
    same = compare_same_deals(session, review)
    if same:
        how = f"{same.a_round:+.1f}{reviewed.error_text(same)} a round"
        lines.append(f"{reviewed.on_the_same_deals(same, who)} (over {reviewed.runs_text(same)}): {how}")
    return "\n".join(lines)


def _line(one: ReviewText, width: int) -> str:
    decision, judgement = one.decision, one.judgement
    kind = reviewed.decision_kind(one.game, decision)
    figures = f"{one.measure.figure(-judgement.cost):+5.1f} ± {judgement.error:4.1f}"
    return f"{decision.round:5}  {kind:10}  {one.chosen:{width}}  {figures}  {one.better}"


def _facts(reviewing: ReviewJob) -> str:
    """Format a review as JSON, with the costliest decisions first."""
    session, review = reviewing.session, reviewing.review
    decisions, same = reviewed.evaluated_decisions(session, review), compare_same_deals(session, review)
    facts = {
        "id": session.header.id,
        "game": session.header.game,
        "seat": session.seat,
        "given_up": session.given_up,
        "whole": review.done == session.steps,
        "mean_cost": _rounded(sum(one.judgement.cost for one in decisions) / len(decisions)) if decisions else None,
        "decisions": [_decision(one) for one in decisions],
        "same_deals": None,
    }
    if same:
        facts["same_deals"] = {
            "rounds": same.rounds,
            "own": same.own,
            "experts": same.experts,
            "error": _rounded(same.error),
            "runs": same.runs,
            "a_round": _rounded(same.a_round),
        }
    return json.dumps(facts)


def _decision(one: ReviewText) -> dict[str, object]:
    decision, judgement = one.decision, one.judgement
    return {
        "round": decision.round,
        "line": decision.line,
        "action": str(decision.action),
        "best": judgement.choices[0].action,
        "cost": judgement.cost,
        "error": judgement.error,
        "worlds": judgement.worlds,
        "choices": [
            {
                "action": choice.action,
                "worth": one.measure.figure(choice.worth),
                "as_good": choice.as_good,
                "share": choice.share,
            }
            for choice in judgement.choices
        ],
        "why": judgement.why,
    }


def _rounded(figure: float | None) -> float | None:
    return None if figure is None else round(figure, 4)
