"""Whole sessions of robots as they are kept, the same for the same plan whoever plays them."""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Final

import msgspec

from cardtable.engine import journal
from cardtable.engine.journal import Header, Line, Occupant
from cardtable.engine.options import Options
from cardtable.engine.text_format import unknown
from cardtable.games import ABOUT, GAMES, package
from cardtable.robots.arena import play_session
from cardtable.robots.executors import ALONE, ExecutorPool
from cardtable.robots.kit.levels import LEVELS
from cardtable.robots.match_runner import WorkChunk, shared
from cardtable.store.seating import ROBOT_NAMES

CREATED: Final = "2000-01-01T00:00:00Z"
"""Where the clock of simulated sessions stands still."""
_WHEN: Final = 946_684_800
"""The same in seconds since 1970-01-01T00:00Z."""
_STAMP: Final = "20000101-000000"


@dataclass(frozen=True, slots=True)
class Plan:
    """What to simulate.  Raises ``ValueError`` for seats that do not fit."""

    game: str
    sessions: int
    seed: int
    levels: tuple[str, ...]
    """The robots' levels in seat order."""
    options: Options

    def __post_init__(self) -> None:
        for level in self.levels:
            if level not in LEVELS:
                raise ValueError(unknown("level", level, LEVELS))
        about = ABOUT[self.game]
        if len(self.levels) not in about.seats:
            raise ValueError(f"{about.title} has {about.seats_in_words()} seats, not {len(self.levels)}")

    def header(self, number: int) -> Header:
        """The header of the session of this number, from 1 on."""
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
    """A session that is over."""

    number: int
    """From 1 on."""
    journal: bytes
    rounds: int
    totals: tuple[int, ...]
    ranks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Session:
    """One of a plan's sessions."""

    plan: Plan
    number: int

    def play(self) -> WorkChunk[SimulatedSession]:
        """All of it."""
        plan, header, lines = self.plan, self.plan.header(self.number), list[Line]()
        table = play_session(GAMES[plan.game], plan.levels, plan.options, header.seed, lines.append)
        assert table.ranks is not None
        kept = journal.write([header, *[_stamped(line, first=line is lines[0]) for line in lines]])
        return WorkChunk([SimulatedSession(self.number, kept, len(table.scores), table.totals, table.ranks)], None)


def played(plan: Plan, pool: ExecutorPool = ALONE) -> Iterator[SimulatedSession]:
    """The sessions in their order."""
    early: dict[int, SimulatedSession] = {}
    number = 1
    for session in shared((_Session(plan, each) for each in range(1, plan.sessions + 1)), pool):
        early[session.number] = session
        while number in early:
            yield early.pop(number)
            number += 1


def _stamped(line: Line, *, first: bool) -> Line:
    """The line with the times of a clock that stands still."""
    return msgspec.structs.replace(line, at=0, when=_WHEN if first or line.end is not None else None)
