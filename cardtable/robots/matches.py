"""A match in portions; what comes of it does not depend on who plays them."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from time import monotonic
from typing import Final

from cardtable.engine.journal import Line
from cardtable.robots.arena import Duplicate, Match, play
from cardtable.robots.pools import ALONE, Pool
from cardtable.robots.sharing import Stretch, shared

SECONDS: Final = 0.5
"""After so many, what has come is told with the next deal."""


@dataclass(frozen=True, slots=True)
class _Deals:
    """The deals of some sessions of a match."""

    match: Match
    sessions: range
    told: tuple[list[Line], ...] = ()
    """The lines of the first of them in each seating, if it has begun."""

    def play(self) -> Stretch[Duplicate]:
        """The deals that are done when the time is up."""
        came: list[Duplicate] = []
        until, told = monotonic() + SECONDS, self.told
        for session in self.sessions:
            told = told or tuple([[] for _ in self.match.seatings()])
            for outcome in play(self.match, session, told):
                came.append(outcome)
                if monotonic() >= until:
                    return Stretch(came, self._after(outcome, told))
            told = ()
        return Stretch(came, None)

    def _after(self, outcome: Duplicate, told: tuple[list[Line], ...]) -> "_Deals | None":
        """What is left after a deal."""
        session, begun = divmod(outcome.number + 1, self.match.rounds)
        left = range(session, self.sessions.stop)
        if not left or outcome.number + 1 == self.match.deals:
            return None
        return replace(self, sessions=left, told=told if begun else ())


def played(match: Match, pool: Pool = ALONE) -> Iterator[Duplicate]:
    """The outcomes as they come, in whatever order where several play."""
    return shared(_portions(match, pool), pool)


def _portions(match: Match, pool: Pool) -> Iterator[_Deals]:
    """Large ones first, so that little is sent; small ones last, so that all end together."""
    first = 0
    while first < match.sessions:
        many = max(1, (match.sessions - first) // (2 * pool.most()))
        yield _Deals(match, range(first, first + many))
        first += many
