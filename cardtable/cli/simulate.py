"""The command ``simulate``: whole sessions of robots, the same for the same arguments."""

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import BinaryIO, Final

import click
import msgspec

from cardtable.cli import completion, program
from cardtable.cli.arguments import ABOUT_SEED, LEVEL_NAMES, SEED, a_game, house_rules, rules_of
from cardtable.cli.commands import room
from cardtable.engine import journal
from cardtable.engine.contract import AnyGame
from cardtable.engine.journal import Header, Line, SeatOf
from cardtable.engine.options import Options
from cardtable.engine.table import Table
from cardtable.engine.words import unknown
from cardtable.games import GAMES, package
from cardtable.robots.kit.levels import LEVELS
from cardtable.robots.simulation import play_session
from cardtable.store.seating import ROBOT_NAMES, USUAL_LEVEL

CREATED: Final = "2000-01-01T00:00:00Z"
"""Where the clock of simulated sessions stands still."""
_WHEN: Final = 946_684_800
"""The same in seconds since 1970-01-01T00:00Z."""
_STAMP: Final = "20000101-000000"


@dataclass(frozen=True, slots=True)
class Plan:
    """What to simulate.  Raises ``ValueError`` for seats that do not fit."""

    game: AnyGame
    sessions: int
    seed: int
    levels: tuple[str, ...]
    """The robots' levels in seat order."""
    options: Options

    def __post_init__(self) -> None:
        for level in self.levels:
            if level not in LEVELS:
                raise ValueError(unknown("level", level, LEVELS))
        if len(self.levels) not in self.game.about.seats:
            numbers = self.game.about.seats_in_words()
            raise ValueError(f"{self.game.about.title} has {numbers} seats, not {len(self.levels)}")

    def header(self, number: int) -> Header:
        """The header of the session of this number, from 1 on."""
        return Header(
            cardtable=journal.VERSION,
            id=f"{_STAMP}-{self.game.about.key}-{number:04x}",
            game=self.game.about.key,
            created=CREATED,
            seed=Random(f"{self.seed} {number}").randrange(journal.MOST_SEED + 1),
            options=self.options.items(),
            seats=tuple(map(SeatOf, ROBOT_NAMES, self.levels)),
            package=package(self.game.about.key),
        )


class Simulated:
    """What came out of the sessions played so far."""

    def __init__(self, plan: Plan) -> None:
        self.game = plan.game.about.key
        self.sessions = self.rounds = 0
        self.totals = [0] * len(plan.levels)
        self.wins = [0] * len(plan.levels)
        """Sessions in which each seat came first, shared places included."""

    def add(self, table: Table) -> None:
        """Count one session that is over."""
        assert table.ranks is not None
        self.sessions += 1
        self.rounds += len(table.scores)
        self.totals = [sum(both) for both in zip(self.totals, table.totals, strict=True)]
        self.wins = [won + (rank == 1) for won, rank in zip(self.wins, table.ranks, strict=True)]

    def __str__(self) -> str:
        means = ",".join(f"{total / max(self.sessions, 1):.1f}" for total in self.totals)
        wins = ",".join(map(str, self.wins))
        return f"{self.game} sessions={self.sessions} rounds={self.rounds} mean={means} wins={wins}"


def played(plan: Plan) -> Iterator[tuple[bytes, Table]]:
    """The journal of each session as it is over, and its table."""
    for number in range(1, plan.sessions + 1):
        header = plan.header(number)
        lines: list[Line] = []
        table = play_session(plan.game, plan.levels, plan.options, header.seed, lines.append)
        yield journal.write([header, *[_stamped(line, first=line is lines[0]) for line in lines]]), table


def _stamped(line: Line, *, first: bool) -> Line:
    """The line with the times of a clock that stands still."""
    return msgspec.structs.replace(line, at=0, when=_WHEN if first or line.end is not None else None)


@room.command()
@a_game
@click.option("--sessions", type=click.IntRange(1), required=True, metavar="N", help="Play this many sessions.")
@click.option("--seed", type=SEED, required=True, metavar="S", help=ABOUT_SEED)
@click.option(
    "--seats", metavar="R,R,...", help=f"Seat these robots, clockwise: {LEVEL_NAMES}.", shell_complete=completion.robots
)
@house_rules
@click.option("--out", metavar="FILE", help="Write the journals to FILE; - is standard output.")
def simulate(game: str, sessions: int, seed: int, seats: str | None, options: tuple[str, ...], out: str | None) -> int:
    """Let robots play whole sessions.

    The same arguments give the same journals, byte for byte.
    """
    chosen = GAMES[game]
    levels = seats.split(",") if seats else []
    rules = rules_of(chosen, options, len(levels) or None)
    levels = levels or [USUAL_LEVEL] * chosen.seats_for(rules)
    try:
        plan = Plan(chosen, sessions, seed, tuple(levels), rules)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    tally, code = Simulated(plan), 0
    try:
        _play(plan, tally, out)
    except KeyboardInterrupt:
        code = program.INTERRUPTED
    if out != "-":
        click.echo(str(tally))
    if code:
        program.complain(f"stopped after {tally.sessions} of {plan.sessions} sessions", code)
    return code


def _play(plan: Plan, tally: Simulated, out: str | None) -> None:
    """Play the sessions, count them and write their journals, with a bar of progress unless they run through it."""
    hidden = out == "-" and sys.stdout and sys.stdout.isatty()
    with _sink(out) as file, program.progress(0 if hidden else plan.sessions, plan.game.about.title) as move_on:
        for data, table in played(plan):
            tally.add(table)  # first, since Ctrl+C is most likely to come while the system writes
            if file is not None:
                file.write(data)
                file.flush()
            move_on(1)


def _sink(out: str | None) -> AbstractContextManager[BinaryIO | None]:
    """Where the journals go."""
    if out is not None and out != "-":
        return Path(out).open("wb")
    return nullcontext(sys.stdout.buffer if out == "-" and sys.stdout else None)
