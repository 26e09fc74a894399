"""Simulation of sessions between robots, with their journals; the same plan gives the same bytes on any machine."""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Final

import msgspec

from cardtable.engine import journal
from cardtable.engine.journal import Header, Line, Occupant
from cardtable.engine.options import Options
from cardtable.engine.text_format import unknown_name_message
from cardtable.games import ABOUT, GAMES, package
from cardtable.robots.arena import play_session
from cardtable.robots.executors import INLINE_POOL, ExecutorPool
from cardtable.robots.kit.levels import LEVELS
from cardtable.robots.match_runner import WorkChunk, run_items
from cardtable.store.seating import ROBOT_NAMES

CREATED: Final = "2000-01-01T00:00:00Z"
"""Constant creation time of simulated sessions."""
_WHEN: Final = 946_684_800
"""``CREATED`` in seconds since 1970-01-01T00:00Z."""
_STAMP: Final = "20000101-000000"


@dataclass(frozen=True, slots=True)
class Plan:
    """Parameters of a simulation.

    Raises ``ValueError`` for an unknown level, or a number of seats that the game does not allow.
    """

    game: str
    sessions: int
    seed: int
    levels: tuple[str, ...]
    """Levels of the robots in seat order."""
    options: Options

    def __post_init__(self) -> None:
        for level in self.levels:
            if level not in LEVELS:
                raise ValueError(unknown_name_message("level", level, LEVELS))
        about = ABOUT[self.game]
        if len(self.levels) not in about.seats:
            raise ValueError(f"{about.title} has {about.seats_in_words()} seats, not {len(self.levels)}")

    def header(self, number: int) -> Header:
        """Return the header of session ``number``, from 1 on."""
        return Header(
            cardtable=journal.VERSION,
            id=f"{_STAMP}-{self.game}-{number:04x}",
            game=self.game,
            created=CREATED,
            seed=Random(f"{self.seed} {number}").randrange(journal.MOST_SEED + 1),
            options=self.options.items(),
            seats=tuple(map(Occupant, ROBOT_NAMES, self.levels)),
            package=package(self.game),
        )


@dataclass(frozen=True, slots=True)
class SimulatedSession:
    """A simulated session: its journal (bytes of the file) and result."""

    number: int
    """From 1 on."""
    journal: bytes
    rounds: int
    totals: tuple[int, ...]
    ranks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Session:
    """Unit of work: one session of a plan."""

    plan: Plan
    number: int

    def play(self) -> WorkChunk[SimulatedSession]:
        """Play the session to its end."""
        plan, header, lines = self.plan, self.plan.header(self.number), list[Line]()
        table = play_session(GAMES[plan.game], plan.levels, plan.options, header.seed, lines.append)
        assert table.ranks is not None
        data = journal.write([header, *[_stamped(line, first=line is lines[0]) for line in lines]])
        return WorkChunk([SimulatedSession(self.number, data, len(table.scores), table.totals, table.ranks)], None)


def simulate(plan: Plan, pool: ExecutorPool = INLINE_POOL) -> Iterator[SimulatedSession]:
    """Yield the sessions of a plan in the order of their numbers, computed by the executors of ``pool``."""
    early: dict[int, SimulatedSession] = {}
    number = 1
    for session in run_items((_Session(plan, each) for each in range(1, plan.sessions + 1)), pool):
        early[session.number] = session
        while number in early:
            yield early.pop(number)
            number += 1


def _stamped(line: Line, *, first: bool) -> Line:
    """Return the line with ``at`` 0 and the constant time, so that the bytes do not depend on the clock."""
    return msgspec.structs.replace(line, at=0, when=_WHEN if first or line.end is not None else None)
