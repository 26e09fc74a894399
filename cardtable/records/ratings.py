"""Ratings: the players of one game, rated by what became of their sessions.

The model is OpenSkill's Plackett-Luce: a session says who came in before whom, and every player's mean and
uncertainty move with that.
"""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from statistics import fmean
from typing import TYPE_CHECKING, Final

from cardtable.engine.contract import Sides, alone
from cardtable.records.players import Player
from cardtable.store.summaries import Summary

if TYPE_CHECKING:
    from openskill.models import PlackettLuce

MU: Final = 1000.0
SIGMA: Final = 333.0
BETA: Final = 167.0
TAU: Final = MU / 300
"""By how much nobody can be known better than before a session: as much as the library has it, in units of ``MU``."""
TOP: Final = 10
"""How many players a ranking shows."""


@dataclass(slots=True)
class Rating:
    """How strong a player is taken to be, and how that came about."""

    mu: float = MU
    sigma: float = SIGMA
    sessions: int = 0
    """Rated sessions."""
    seats: int = 0
    """Seats in them: several robots of one level may have sat at a table."""
    won: int = 0
    """Seats that came in first, also together with others."""
    at: "array[int]" = field(default_factory=lambda: array("l"))
    """The numbers, from 0 on, of the game's rated sessions in which the player sat."""
    course: "array[float]" = field(default_factory=lambda: array("d"))
    """``mu`` after each of them."""


@dataclass(slots=True)
class Ratings:
    """The players of one game and their ratings, after the sessions that were added."""

    players: dict[Player, Rating] = field(default_factory=dict)
    ended: "array[float]" = field(default_factory=lambda: array("d"))
    """When each rated session ended, in seconds since 1970-01-01T00:00Z."""

    def add(self, session: Summary, seats: Sequence[Player | None], sides: Sides = ()) -> None:
        """Rate a session, which ended after those before it; one that does not count changes nothing.

        ``seats`` are its players, as ``Known.seated`` finds them.  A guest, and whoever a seat had that changed
        hands, takes part as somebody new, and is forgotten.  ``sides``: who plays together, where anybody does.
        """
        ranks = session.places if session.counted else None
        if session.header is None or ranks is None:
            return
        if len(set(seats)) < 2:
            return  # robots of one level are one player, who has met nobody
        before = [(player and self.players.get(player)) or Rating() for player in seats]
        after = _rated(before, ranks, sides or alone(len(seats)))
        for player in {player: None for player in seats if player and player.rated}:
            own = [seat for seat, other in enumerate(seats) if other == player]
            rating = self.players.setdefault(player, Rating())
            rating.mu = fmean([after[seat][0] for seat in own])
            rating.sigma = fmean([after[seat][1] for seat in own])
            rating.sessions += 1
            rating.seats += len(own)
            rating.won += sum([ranks[seat] == 1 for seat in own])
            rating.at.append(len(self.ended))
            rating.course.append(rating.mu)
        self.ended.append(session.played)

    def ranking(self) -> list[tuple[Player, Rating]]:
        """All players, the strongest first."""
        return sorted(self.players.items(), key=lambda item: (-item[1].mu, item[1].sigma, item[0]))

    def listed(self, me: str) -> list[tuple[int, Player, Rating]]:
        """Places, players and ratings that are listed: the top ten, and ``me`` further below."""
        placed = [(place, *row) for place, row in enumerate(self.ranking(), 1)]
        return [row for row in placed if row[0] <= TOP or row[1] == Player(me)]


def _rated(before: Sequence[Rating], ranks: Sequence[int], sides: Sides) -> list[tuple[float, float]]:
    """Mean and uncertainty of each seat after a session with these places; a side has the worst one of its seats."""
    model = _model()
    teams = [[model.rating(before[seat].mu, before[seat].sigma) for seat in side] for side in sides]
    rated = model.rate(teams, ranks=[float(max([ranks[seat] for seat in side])) for side in sides])
    after = {seat: each for side, team in zip(sides, rated, strict=True) for seat, each in zip(side, team, strict=True)}
    return [(after[seat].mu, after[seat].sigma) for seat in range(len(before))]


@cache
def _model() -> "PlackettLuce":
    from openskill.models import PlackettLuce  # noqa: PLC0415 - takes a moment, and only ratings need it

    return PlackettLuce(mu=MU, sigma=SIGMA, beta=BETA, tau=TAU)
