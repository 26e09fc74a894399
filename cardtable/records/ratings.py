"""Ratings of the players of each game, computed from the results of their sessions.

The model is Plackett-Luce (Weng and Lin, "A Bayesian approximation method for online ranking", 2011). The ranks in a
session update the mean and the uncertainty of each player's strength. The library OpenSkill computes the same values;
the formula is written out here, since it is shorter than what a packager has to do for one more library.
"""

from array import array
from collections.abc import Sequence
from math import exp, sqrt
from statistics import fmean
from typing import Final, NamedTuple

import msgspec

from cardtable.engine.game import Sides, no_partnerships
from cardtable.engine.journal import Occupant
from cardtable.records.counted_seats import compute_counted_places, find_counted_seats
from cardtable.store.profiles import ProfileStore
from cardtable.store.seating import GUEST
from cardtable.store.summaries import Summary


class Player(NamedTuple):
    """Human player, or all robots of one level, to whom a rating or statistics belong."""

    name: str
    """Nick of a human player, or level of the robots."""
    robot: bool = False
    stranger: str = ""
    """Mark that distinguishes a person from the current player of the same name, or ``""`` for a current player.

    It is ``GUEST`` for a guest with a name, the profile id for a deleted profile, and a fixed text for an earlier owner
    of the nick.
    """

    @property
    def can_be_rated(self) -> bool:
        """True unless the player is a guest. Guests are not rated, since any person may use their names."""
        return GUEST not in (self.name, self.stranger)


class KnownPlayers:
    """Look-up of the players in sessions, whatever nicks they had at that time.

    A human player is identified by the profile id. The sessions of a deleted profile are grouped under the nick in the
    first of them.
    """

    def __init__(self, profile_store: ProfileStore) -> None:
        self._by_id = {profile.id: profile.nick for profile in profile_store.players}
        self._deleted: dict[str, str] = {}

    def find_players(self, session: Summary) -> list[Player | None]:
        """Return the player in each seat. A seat whose occupant was replaced counts for nobody and is ``None``."""
        header = session.header
        assert header is not None
        left = [seat for seat, _ in session.replaced_occupants]
        return [None if seat in left else self.find_player(occupant) for seat, occupant in enumerate(header.seats)]

    def find_player(self, occupant: Occupant) -> Player:
        """Return the player who is ``occupant`` in a journal."""
        if occupant.robot is not None:
            return Player(occupant.robot, robot=True)
        if occupant.player is None:
            return Player(occupant.name, stranger="" if occupant.name == GUEST else GUEST)
        if occupant.player in self._by_id:
            return Player(self._by_id[occupant.player])
        return Player(self._deleted.setdefault(occupant.player, occupant.name), stranger=occupant.player)


MU: Final = 1000.0
SIGMA: Final = 333.0
BETA: Final = 167.0
TAU: Final = MU / 300
"""Uncertainty added before each session, so that a rating follows a player who learns."""
MIN_VARIANCE_LEFT: Final = 0.0001
"""Share of the variance that a session leaves at least."""
RANKING_SIZE: Final = 10
"""Number of players in a ranking."""


class Rating(msgspec.Struct):
    """Rating of a player, with its history."""

    mu: float = MU
    sigma: float = SIGMA
    sessions: int = 0
    """Number of rated sessions."""
    seats: int = 0
    """Number of seats in these sessions. Several robots of one level may have played in the same session."""
    won: int = 0
    """Number of these seats that had the first rank, shared or not."""
    session_indices: "array[int]" = msgspec.field(default_factory=lambda: array("l"))
    """Indices of the player's sessions among all rated sessions of the game, numbered from 0."""
    mu_history: "array[float]" = msgspec.field(default_factory=lambda: array("d"))
    """Value of ``mu`` after each of these sessions."""


class Ratings(msgspec.Struct):
    """Ratings of the players of one game, after the sessions that were added."""

    players: dict[Player, Rating] = msgspec.field(default_factory=dict)
    end_times: "array[float]" = msgspec.field(default_factory=lambda: array("d"))
    """Time at which each rated session ended, in seconds since 1970-01-01T00:00Z."""

    def add(self, session: Summary, seats: Sequence[Player | None], sides: Sides = ()) -> None:
        """Rate a session. Sessions have to be added in the order in which they ended.

        ``seats`` are its players as returned by ``KnownPlayers.find_players``, ``sides`` the partnerships, if there are
        any. Guests, seats whose occupant was replaced, and in a session on terms those that do not count, take part as
        new players, and their ratings are not stored. A session is ignored if it is not rated or has only one player.
        """
        if session.header is None or not session.is_rated:
            return
        sides = sides or no_partnerships(len(seats))
        counted = find_counted_seats(session, sides, is_strict=session.header.terms is not None)
        ranks = compute_counted_places(session, sides, counted.losers)
        seats = [player if seat in counted.seats else None for seat, player in enumerate(seats)]
        if ranks is None or len(set(seats)) < 2:
            return  # robots of one level are one player: there is no opponent
        before = [(player and self.players.get(player)) or Rating() for player in seats]
        after = compute_ratings(before, ranks, sides)
        for player in {player: None for player in seats if player and player.can_be_rated}:
            own = [seat for seat, other in enumerate(seats) if other == player]
            rating = self.players.setdefault(player, Rating())
            rating.mu = fmean([after[seat][0] for seat in own])
            rating.sigma = fmean([after[seat][1] for seat in own])
            rating.sessions += 1
            rating.seats += len(own)
            rating.won += sum([ranks[seat] == 1 for seat in own])
            rating.session_indices.append(len(self.end_times))
            rating.mu_history.append(rating.mu)
        self.end_times.append(session.played)

    def rank_players(self) -> list[tuple[Player, Rating]]:
        return sorted(self.players.items(), key=lambda item: (-item[1].mu, item[1].sigma, item[0]))

    def list_top(self, nick: str) -> list[tuple[int, Player, Rating]]:
        """Return place, player and rating of the first ``RANKING_SIZE`` players, and of the player ``nick``."""
        placed = [(place, *row) for place, row in enumerate(self.rank_players(), 1)]
        return [row for row in placed if row[0] <= RANKING_SIZE or row[1] == Player(nick)]


def compute_ratings(before: Sequence[Rating], ranks: Sequence[int], sides: Sides) -> list[tuple[float, float]]:
    """Return the new mean and uncertainty of each seat after a session, by algorithm 4 of Weng and Lin.

    The rank of a side is the worst rank of its seats.
    """
    variances = [rating.sigma**2 + TAU**2 for rating in before]
    means = [sum([before[seat].mu for seat in side]) for side in sides]
    spreads = [sum([variances[seat] for seat in side]) for side in sides]
    places = [max([ranks[seat] for seat in side]) for side in sides]
    scale = sqrt(sum([spread + BETA**2 for spread in spreads]))
    strengths = [exp(mean / scale) for mean in means]
    rivals = [sum([strengths[i] for i, other in enumerate(places) if other >= place]) for place in places]
    after = [(rating.mu, rating.sigma) for rating in before]
    for own, side in enumerate(sides):
        shift = shrinkage = 0.0
        for other, place in enumerate(places):
            if place <= places[own]:
                chance = strengths[own] / rivals[other]
                shift += ((own == other) - chance) / places.count(place)
                shrinkage += chance * (1 - chance) / places.count(place)
        shrinkage *= sqrt(spreads[own]) / scale
        for seat in side:
            left = max(1 - variances[seat] / scale**2 * shrinkage, MIN_VARIANCE_LEFT)
            after[seat] = (before[seat].mu + variances[seat] / scale * shift, sqrt(variances[seat] * left))
    return after
