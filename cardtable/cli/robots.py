"""Commands with which robots play: ``arena`` compares two of them, ``simulate`` writes sessions, reproducibly."""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Final

import click
from msgspec import UNSET

from cardtable.cli import launch, params
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
from cardtable.games import ABOUT, GAMES
from cardtable.robots.arena import (
    DealResult,
    Match,
    Result,
    find_contract,
    list_contracts,
    open_pool,
    play_match,
    summarize_results,
)
from cardtable.session import simulation
from cardtable.session.simulation import Plan, SimulatedSession
from cardtable.store import atomic_io, paths
from cardtable.store.errors import FileError
from cardtable.store.seating import DEFAULT_LEVEL


def _normalize_robot(text: str) -> str:
    return paths.expand_home(normalize_occupant(text))


_robot_option = partial(click.option, type=_normalize_robot, metavar="R", shell_complete=params.complete_robots)


@commands.command(
    epilog=f"R is a level ({LEVEL_NAMES}) or your own robot: path.py:name. Each deal is played in every seating: A "
    "takes each seat in turn, with robot B or that of --others in the others."
)
@game_argument
@_robot_option("--a", required=True, help="Robot to judge.")
@_robot_option("--b", required=True, help="Robot to compare it with.")
@_robot_option("--others", help="Robot in the other seats; default: B.")
@click.option("--deals", type=WholeNumber(1), metavar="N", help="Number of deals.")
@click.option("--sessions", type=WholeNumber(1), metavar="N", help="Number of whole sessions, instead of deals.")
@click.option("--seed", type=SEED, required=True, metavar="S", help=SEED_HELP)
@click.option("--seat-count", "seats", type=int, metavar="N", help="Number of seats.")
@click.option("--contract", metavar="X", help="Contract that the first dealer names, or `each` (King, Rifki).")
@params.workers_option
@params.cluster_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, or one per contract.")
@house_rules_option
def arena(
    game: str,
    a: str,
    b: str,
    others: str | None,
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
    number = deals or sessions or 0
    try:
        matches = [
            Match(
                game=game,
                a=a,
                b=b,
                field=others or b,
                seats=chosen.seats_for(rules) if seats is None else seats,
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
        if code := _play_match(match, processes, cluster, as_json=as_json):
            return code
    return 0


def _list_contracts(game: str, value: str | None) -> list[str]:
    """Return the contract of each match to play: the named one, or each in turn if ``value`` is ``each``.

    Without the option, the only match has an empty contract. Raises ``ValueError`` for an unknown contract.
    """
    if value is None:
        return [""]
    contracts = list_contracts(game) if value == "each" else []
    return contracts or [find_contract(game, value)]


def _play_match(match: Match, processes: int, cluster: str | None, *, as_json: bool) -> int:
    """Play a match with a progress bar, and print its result; return the exit code."""
    outcomes: list[DealResult] = []
    with (
        launch.collect_interruption(lambda: outcomes) as interruption,
        launch.show_progress_bar(match.deals, f"{match.game} {match.contract}".rstrip()) as move_on,
        open_pool(match.game, processes, cluster, {match.a, match.b, match.field}) as pool,
    ):
        for outcome in play_match(match, pool):
            outcomes.append(outcome)
            move_on(1)
    total = summarize_results(outcomes)
    click.echo(format_json(_convert_result(match, total)) if as_json else _format_result(match, total))
    if interruption.code:
        unit = "sessions" if match.whole else "deals"
        interruption.print_progress(f"stopped after {total.deals} of {match.deals} {unit}")
    return interruption.code


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
        others=match.field if match.field != match.b else UNSET,
        seat_count=match.seats,
        seed=match.seed,
        requested=match.deals,
        sessions=result.deals if match.whole else UNSET,
        deals=UNSET if match.whole else result.deals,
        lead_per_round=round_figure(result.mean),
        standard_error=round_figure(result.error),
        points_per_round=round_figure(result.own_points),
        win_rate=round_figure(result.win_share),
        exact_bid_rates=None
        if result.exact_shares is None
        else tuple([round_figure(share) for share in result.exact_shares]),
        mean_ms=round_figure(result.ms_mean),
        max_ms=round_figure(result.ms_max),
    )


_STANDARD_OUTPUT: Final = Path("-")


class SimulationTally:
    """Figures about the sessions played so far; ``str()`` gives the line to print."""

    def __init__(self, plan: Plan) -> None:
        self.game = plan.game
        self.sessions = self.rounds = 0
        self.totals = [0] * len(plan.levels)
        self.wins = [0] * len(plan.levels)
        """Number of sessions in which each seat came first, alone or tied."""

    def add(self, session: SimulatedSession) -> None:
        self.sessions += 1
        self.rounds += session.rounds
        self.totals = [sum(both) for both in zip(self.totals, session.totals, strict=True)]
        for seat, rank in enumerate(session.ranks):
            if rank == 1:
                self.wins[seat] += 1

    def __str__(self) -> str:
        means = ",".join(f"{total / max(self.sessions, 1):.1f}" for total in self.totals)
        wins = ",".join(map(str, self.wins))
        return f"{self.game} sessions={self.sessions} rounds={self.rounds} mean={means} wins={wins}"


@commands.command()
@game_argument
@click.option("--sessions", type=params.WholeNumber(1), required=True, metavar="N", help="Number of sessions.")
@click.option("--seed", type=SEED, required=True, metavar="S", help=SEED_HELP)
@click.option(
    "--seats",
    type=params.normalize_occupants,
    metavar="R,R,...",
    help=f"Robot levels clockwise: {LEVEL_NAMES}.",
    shell_complete=params.complete_levels,
)
@house_rules_option
@params.workers_option
@params.cluster_option
@click.option(
    "--output",
    "out",
    type=params.FILE_TO_WRITE,
    metavar="FILE",
    help="Write the journals to a new FILE (- for standard output).",
)
def simulate(
    game: str,
    sessions: int,
    seed: int,
    seats: str | None,
    options: tuple[str, ...],
    workers: int | None,
    cluster: str | None,
    out: Path | None,
) -> int:
    """Have robots play whole sessions.

    The same arguments always produce the same journals, byte for byte, whatever --workers or --cluster.
    """
    processes, chosen = params.resolve_process_count(workers, cluster), GAMES[game]
    levels = seats.split(",") if seats else []
    rules = read_house_rules(chosen, options, len(levels) or None)
    levels = levels or [DEFAULT_LEVEL] * chosen.seats_for(rules)
    try:
        plan = Plan(game, sessions, seed, tuple(levels), rules)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    tally = SimulationTally(plan)
    with launch.collect_interruption(lambda: tally.sessions) as interruption:
        _play_sessions(plan, tally, out, processes, cluster)
    if out != _STANDARD_OUTPUT:
        click.echo(str(tally))
    if interruption.code:
        interruption.print_progress(f"stopped after {tally.sessions} of {plan.sessions} sessions")
    return interruption.code


def _play_sessions(plan: Plan, tally: SimulationTally, out: Path | None, processes: int, cluster: str | None) -> None:
    """Play the sessions, count them in ``tally`` and write their journals.

    There is no progress bar if the journals are written to the terminal.
    """
    hidden = out == _STANDARD_OUTPUT and sys.stdout and sys.stdout.isatty()
    with (
        open_pool(plan.game, processes, cluster) as pool,
        _open_output(out) as write,
        launch.show_progress_bar(0 if hidden else plan.sessions, ABOUT[plan.game].title) as move_on,
    ):
        for session in simulation.simulate(plan, pool):
            tally.add(session)  # before writing, during which Ctrl+C is most likely
            try:
                write(session.journal)
            except OSError:
                tally.sessions -= 1  # it is not in the file
                raise
            move_on(1)


@contextmanager
def _open_output(out: Path | None) -> Iterator[Callable[[bytes], object]]:
    """Yield a function that writes a journal to a new file, which it creates with the first one, a pipe or a device.

    ``-`` is standard output, and for ``None`` nothing is written. Raises ``FileError`` if the file exists, and
    ``OSError`` if it cannot be opened.
    """
    with ExitStack() as stack:
        if out is None or (out == _STANDARD_OUTPUT and not sys.stdout):
            yield lambda _journal: None
        elif out == _STANDARD_OUTPUT or (out.exists() and not out.is_file()):
            stream = sys.stdout.buffer if out == _STANDARD_OUTPUT else stack.enter_context(out.open("wb"))

            def write_on(journal: bytes) -> None:
                stream.write(journal)
                stream.flush()

            yield write_on
        else:
            try:
                first = stack.enter_context(atomic_io.create(out))
            except FileExistsError:
                raise FileError(out, "it already exists; choose another name") from None

            def write(journal: bytes) -> None:
                if first.closed:
                    atomic_io.append_whole(out, journal)
                else:
                    first.write(journal)
                    stack.close()

            yield write
