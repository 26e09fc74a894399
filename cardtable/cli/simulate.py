"""Command ``simulate``: sessions of robots, which are reproducible from the arguments."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

import click

from cardtable.cli import completion, launch, params
from cardtable.cli.main import commands
from cardtable.cli.params import LEVEL_NAMES, SEED, SEED_HELP, game_argument, house_rules_option, read_house_rules
from cardtable.games import ABOUT, GAMES
from cardtable.robots import executors
from cardtable.session import simulation
from cardtable.session.simulation import Plan, SimulatedSession
from cardtable.store.errors import FileError
from cardtable.store.seating import DEFAULT_LEVEL

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
        self.wins = [won + (rank == 1) for won, rank in zip(self.wins, session.ranks, strict=True)]

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
    shell_complete=completion.complete_levels,
)
@house_rules_option
@params.workers_option
@params.cluster_option
@click.option(
    "--out", type=params.FILE_TO_WRITE, metavar="FILE", help="Write the journals to a new FILE (- for standard output)."
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
    with launch.collect_interruption(lambda: tally.sessions) as stopped:
        _play_sessions(plan, tally, out, processes, cluster)
    if out != _STANDARD_OUTPUT:
        click.echo(str(tally))
    return stopped[0].print_progress(f"stopped after {tally.sessions} of {plan.sessions} sessions") if stopped else 0


def _play_sessions(plan: Plan, tally: SimulationTally, out: Path | None, processes: int, cluster: str | None) -> None:
    """Play the sessions, count them in ``tally`` and write their journals.

    There is no progress bar if the journals are written to the terminal.
    """
    hidden = out == _STANDARD_OUTPUT and sys.stdout and sys.stdout.isatty()
    with (
        executors.open_pool(plan.game, processes, cluster) as pool,
        _open_output(out, tally) as file,
        launch.show_progress_bar(0 if hidden else plan.sessions, ABOUT[plan.game].title) as move_on,
    ):
        for session in simulation.simulate(plan, pool):
            tally.add(session)  # before writing, during which Ctrl+C is most likely
            if file is not None:
                try:
                    file.write(session.journal)
                    file.flush()
                except OSError:
                    tally.sessions -= 1  # it is not whole in the file
                    raise
            move_on(1)


@contextmanager
def _open_output(out: Path | None, tally: SimulationTally) -> Iterator[BinaryIO | None]:
    """Open the new file, pipe or device for the journals; of a new file nothing is left without a whole session.

    ``-`` is standard output, and for ``None`` the context yields ``None``. Raises ``FileError`` if the file exists, and
    ``OSError`` if it cannot be opened.
    """
    if out is None or out == _STANDARD_OUTPUT:
        yield sys.stdout.buffer if out and sys.stdout else None
        return
    is_new = out.is_file() or not out.exists()
    try:
        file = out.open("xb" if is_new else "wb")
    except FileExistsError:
        raise FileError(out, "it exists already; choose another name") from None
    try:
        with file:
            yield file
    finally:
        if is_new and not tally.sessions:
            out.unlink(missing_ok=True)
