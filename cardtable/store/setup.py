"""All that a session is begun with."""

from datetime import UTC, datetime
from random import SystemRandom
from typing import Any, NamedTuple

from cardtable.engine.contract import Game
from cardtable.engine.journal import MOST_SEED, SeatOf
from cardtable.engine.options import Options
from cardtable.store import seating, sessions
from cardtable.store.sessions import Session


class Setup(NamedTuple):
    """All that a session is begun with."""

    game: Game[Any, Any]
    seats: tuple[SeatOf, ...]
    options: Options
    seed: int | None
    """The number of the deal; ``None``: drawn by lot."""
    by_lot: bool
    """Whether places are drawn."""

    def begin(self) -> Session:
        """Begin the session."""
        seed = SystemRandom().randrange(MOST_SEED + 1) if self.seed is None else self.seed
        seats = seating.drawn(self.seats, seed) if self.by_lot else self.seats
        return sessions.create(self.game, seats, self.options, seed, now=datetime.now(UTC))


def usual(game: Game[Any, Any]) -> Setup:
    """A guest and steady robots with the usual house rules; the deal and the places by lot."""
    options = game.options()
    return Setup(game, seating.usual(game, options), options, None, by_lot=True)
