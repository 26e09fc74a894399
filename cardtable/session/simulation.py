"""Simulation of sessions between robots, with their journals.

The same plan gives the same bytes on every machine.
"""

from collections.abc import Iterator
from random import Random
from typing import Final

import msgspec

from cardtable.engine import journal
from cardtable.engine.journal import Header, Line, Occupant, ResultLine
from cardtable.engine.options import Options
from cardtable.engine.text_format import format_unknown_name
from cardtable.games import ABOUT, GAMES, get_plugin_package
from cardtable.robots.arena import INLINE_POOL, ExecutorPool, WorkChunk, play_session, run_items
from cardtable.robots.kit.levels import LEVELS
from cardtable.store.seating import ROBOT_NAMES

CREATED: Final = "2000-01-01T00:00:00Z"
"""Creation time of every simulated session, a constant so that journals do not depend on the clock."""
_CREATED_SECONDS: Final = 946_684_800
"""``CREATED`` as Unix time in seconds."""
_ID_PREFIX: Final = "20000101-000000"


class Plan(msgspec.Struct, frozen=True):
    """Parameters of a simulation.

    Raises ``ValueError`` if a level is unknown or the game does not allow this number of seats.
    """

    game: str
    sessions: int
    seed: int
    levels: tuple[str, ...]
    """Level of the robot at each seat."""
    options: Options

    def __post_init__(self) -> None:
        for level in self.levels:
            if level not in LEVELS:
                raise ValueError(format_unknown_name("level", level, LEVELS))
        about = ABOUT[self.game]
        if len(self.levels) not in about.seats:
            raise ValueError(f"{about.title} has {about.seats_in_words()} seats, not {len(self.levels)}")

    def create_header(self, number: int) -> Header:
        """Return the journal header of session ``number``, counted from 1."""
        return Header(
            cardtable=journal.VERSION,
            id=f"{_ID_PREFIX}-{self.game}-{number:04x}",
            game=self.game,
            created=CREATED,
            seed=Random(f"{self.seed} {number}").randrange(journal.MAX_SEED + 1),
            options=self.options.to_header(),
            seats=tuple(map(Occupant, ROBOT_NAMES, self.levels)),
            package=get_plugin_package(self.game),
        )


class SimulatedSession(msgspec.Struct, frozen=True):
    """Simulated session: its result, and its journal as the bytes of the file."""

    number: int
    """Number of the session in the plan, starting at 1."""
    journal: bytes
    rounds: int
    totals: tuple[int, ...]
    ranks: tuple[int, ...]


class _SessionTask(msgspec.Struct, frozen=True):
    """Work item that plays one session of a plan."""

    plan: Plan
    number: int

    def play(self) -> WorkChunk[SimulatedSession]:
        plan, header, lines = self.plan, self.plan.create_header(self.number), list[Line]()
        referee = play_session(GAMES[plan.game], plan.levels, plan.options, header.seed, lines.append)
        assert referee.ranks is not None
        data = journal.encode(header, [_stamp_line(line, first=line is lines[0]) for line in lines])
        return WorkChunk(
            [SimulatedSession(self.number, data, len(referee.scores), referee.totals, referee.ranks)], None
        )


def simulate(plan: Plan, pool: ExecutorPool = INLINE_POOL) -> Iterator[SimulatedSession]:
    """Yield the sessions of a plan in the order of their numbers, while the executors of ``pool`` compute them."""
    finished: dict[int, SimulatedSession] = {}
    number = 1
    for session in run_items((_SessionTask(plan, number) for number in range(1, plan.sessions + 1)), pool):
        finished[session.number] = session
        while number in finished:
            yield finished.pop(number)
            number += 1


def _stamp_line(line: Line, *, first: bool) -> Line:
    """Return the line with constant times, so that the bytes of the journal do not depend on the clock.

    ``first``: True for the line after the header, which states the time of the opening, as the end does.
    """
    when = _CREATED_SECONDS if first or isinstance(line, ResultLine) else None
    return msgspec.structs.replace(line, at=0, when=when)
