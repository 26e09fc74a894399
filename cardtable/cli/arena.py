"""Command ``arena``: duplicate matches, which measure how far one robot is ahead of another."""

from functools import partial

import click
from msgspec import UNSET

from cardtable.cli import completion, launch, params
from cardtable.cli.json_output import MatchOutput, format_json
from cardtable.cli.main import commands
from cardtable.cli.params import (
    LEVEL_NAMES,
    SEED,
    SEED_HELP,
    WholeNumber,
    game_argument,
    house_rules_option,
    normalize_occupant,
    read_house_rules,
    round_figure,
)
from cardtable.games import GAMES
from cardtable.robots import executors
from cardtable.robots.arena import (
    DealResult,
    Match,
    Result,
    find_contract,
    list_contracts,
    play_match,
    summarize_results,
)
from cardtable.store import paths


def _normalize_robot(text: str) -> str:
    return paths.expand_home(normalize_occupant(text))


@commands.command(
    epilog=f"R is a level ({LEVEL_NAMES}) or your own robot: path.py:name. Each deal is played in every seating: A "
    "takes each seat in turn, with robot B or that of --field in the others."
)
@game_argument
@click.option(
    "--a",
    "a",
    type=_normalize_robot,
    required=True,
    metavar="R",
    help="Robot to judge.",
    shell_complete=completion.complete_robots,
)
@click.option(
    "--b",
    "b",
    type=_normalize_robot,
    required=True,
    metavar="R",
    help="Robot to compare it with.",
    shell_complete=completion.complete_robots,
)
@click.option(
    "--field",
    type=_normalize_robot,
    metavar="R",
    help="Robot in the other seats; default: B.",
    shell_complete=completion.complete_robots,
)
@click.option("--deals", type=WholeNumber(1), metavar="N", help="Number of deals.")
@click.option("--sessions", type=WholeNumber(1), metavar="N", help="Number of whole sessions, instead of deals.")
@click.option("--seed", type=SEED, required=True, metavar="S", help=SEED_HELP)
@click.option("--seats", type=int, metavar="N", help="Number of seats.")
@click.option("--contract", metavar="X", help="Contract that the first dealer names, or `each` (King, Rifki).")
@params.workers_option
@params.cluster_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, or one per contract.")
@house_rules_option
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
    workers: int | None,
    cluster: str | None,
    as_json: bool,
    options: tuple[str, ...],
) -> int:
    """Compare two robots on the same deals.

    Prints how many points a round A is ahead of B, with the standard error; A's own points; how often A came first;
    the share of exact bids of A and of B; and the processor time A took per decision. The results do not depend on
    --workers or --cluster.
    """
    if (deals is None) == (sessions is None):
        raise click.UsageError("say how many with --deals N or with --sessions N")
    processes, chosen = params.resolve_process_count(workers, cluster), GAMES[game]
    rules = read_house_rules(chosen, options, seats, {} if deals is None else chosen.single_deal_options)
    number, places = deals or sessions or 0, chosen.seats_for(rules) if seats is None else seats
    try:
        matches = [
            Match(
                game=game,
                a=a,
                b=b,
                field=field or b,
                seats=places,
                options=rules,
                deals=number,
                seed=seed,
                whole=deals is None,
                contract=name,
            )
            for name in _list_contracts(game, contract)
        ]
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    for match in matches:
        outcomes: list[DealResult] = []
        with launch.collect_interruption(partial(bool, outcomes)) as stopped:
            _play_match(match, processes, cluster, outcomes)
        total = summarize_results(outcomes)
        click.echo(format_json(_convert_result(match, total)) if as_json else _format_result(match, total))
        if stopped:
            unit = "sessions" if match.whole else "deals"
            return stopped[0].print_progress(f"stopped after {total.deals} of {match.deals} {unit}")
    return 0


def _list_contracts(game: str, value: str | None) -> list[str]:
    """Return the contract of each match to play: the named one, or each in turn if ``value`` is ``each``.

    Without the option, the only match has an empty contract. Raises ``ValueError`` for an unknown contract.
    """
    if value is None:
        return [""]
    every = list_contracts(game) if value == "each" else []
    return every or [find_contract(game, value)]


def _play_match(match: Match, processes: int, cluster: str | None, outcomes: list[DealResult]) -> None:
    """Play a match with a progress bar, and append the results to ``outcomes``."""
    with (
        launch.show_progress_bar(match.deals, f"{match.game} {match.contract}".rstrip()) as move_on,
        executors.open_pool(match.game, processes, cluster, {match.a, match.b, match.field}) as pool,
    ):
        for outcome in play_match(match, pool):
            outcomes.append(outcome)
            move_on(1)


def _format_heading(match: Match) -> str:
    seating = match.list_seatings()[0]
    own, theirs = len(seating.a), len(seating.b)
    others = match.seats - own - theirs
    against = f"{match.b} among {others} {match.field}" if others else f"{theirs} {match.b}"
    a = f"{own} {match.a}" if own > 1 else match.a
    return " ".join(filter(None, (match.game, match.contract, a, "against", against)))


def _format_result(match: Match, result: Result) -> str:
    """Format the result of a match as a line of text."""
    unit = "session" if match.whole else "deal"
    parts = [f"{_format_heading(match)}: {result.deals} {unit}{'s' if result.deals != 1 else ''}"]
    if result.mean is not None:
        error = "" if result.error is None else f" ± {result.error:.2f}"
        parts.append(f"{result.mean:+.2f}{error} points a round")
        parts.append(f"own points {result.own_points:+.2f}")
    if result.win_share is not None:
        parts.append(f"first in {result.win_share:.1%}")
    if result.exact_shares is not None:
        parts.append("exact bids {:.1%} against {:.1%}".format(*result.exact_shares))
    if result.ms_mean is not None:
        parts.append(f"{result.ms_mean:.2f} ms a decision, {result.ms_max:.1f} at most")
    return ", ".join(parts)


def _convert_result(match: Match, result: Result) -> MatchOutput:
    return MatchOutput(
        game=match.game,
        contract=match.contract or UNSET,
        a=match.a,
        b=match.b,
        field=match.field if match.field != match.b else UNSET,
        seats=match.seats,
        seed=match.seed,
        asked=match.deals,
        sessions=result.deals if match.whole else UNSET,
        deals=UNSET if match.whole else result.deals,
        mean=round_figure(result.mean),
        se=round_figure(result.error),
        own=round_figure(result.own_points),
        wins=round_figure(result.win_share),
        exact=None if result.exact_shares is None else tuple([round_figure(share) for share in result.exact_shares]),
        ms_mean=round_figure(result.ms_mean),
        ms_max=round_figure(result.ms_max),
    )
