"""Ratings of the players of each game, computed from the order of places in their sessions.

The model is Plackett-Luce: each place goes to one of those who have no better one, in proportion to their strengths.
A session updates the estimates by one Newton step (a Laplace approximation). Margins are not used: where players are
about equal they tell little more than places, where players are unequal less, and their scale depends on the rules.
"""

from array import array
from collections.abc import Sequence
from math import exp, log, sqrt
from typing import Final, NamedTuple

import msgspec

from cardtable.engine.game import Seat, Sides, no_partnerships
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
"""Rating of a new player, and of an average one."""
SIGMA: Final = 200.0
"""Uncertainty of the rating of a new player, as a standard deviation."""
TAU: Final = 3.3
"""Uncertainty added before each session, so that a rating follows a player who learns."""
UNIT: Final = 400 / log(10)
"""Points by which a rating is higher if the strength is e times as large, as in the Elo system."""
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
        own: dict[Player, list[Seat]] = {}
        for seat, player in enumerate(seats):
            if player and player.can_be_rated:
                own.setdefault(player, []).append(seat)
        ratings = [self.players.setdefault(player, Rating()) for player in own]
        after = compute_ratings(ratings, [*own.values()], ranks, sides)
        for rating, held, (mu, sigma) in zip(ratings, own.values(), after, strict=True):
            rating.mu, rating.sigma = mu, sigma
            rating.sessions += 1
            rating.seats += len(held)
            rating.won += sum([ranks[seat] == 1 for seat in held])
            rating.session_indices.append(len(self.end_times))
            rating.mu_history.append(mu)
        self.end_times.append(session.played)

    def rank_players(self) -> list[tuple[Player, Rating]]:
        return sorted(self.players.items(), key=lambda item: (-item[1].mu, item[1].sigma, item[0]))

    def list_top(self, nick: str) -> list[tuple[int, Player, Rating]]:
        """Return place, player and rating of the first ``RANKING_SIZE`` players, and of the player ``nick``."""
        placed = [(place, *row) for place, row in enumerate(self.rank_players(), 1)]
        return [row for row in placed if row[0] <= RANKING_SIZE or row[1] == Player(nick)]


def compute_ratings(
    before: Sequence[Rating], held: Sequence[Sequence[Seat]], ranks: Sequence[int], sides: Sides
) -> list[tuple[float, float]]:
    """Return the new mean and uncertainty of each player after a session; ``held`` are the seats of each.

    Any other seat counts as average. The strength of a side is the product of those of its seats, and its place is the
    worst rank of its seats.
    """
    side_of = {seat: index for index, side in enumerate(sides) for seat in side}
    own_sides = [[side_of[seat] for seat in seats] for seats in held]
    strengths = [1.0] * len(sides)
    for rating, own in zip(before, own_sides, strict=True):
        for side in own:
            strengths[side] *= exp((rating.mu - MU) / UNIT)
    places = [max([ranks[seat] for seat in side]) for side in sides]
    chances = []
    """For each place, the probability of each side to take it."""
    for place in set(places):
        left = [strength if other >= place else 0.0 for strength, other in zip(strengths, places, strict=True)]
        total = sum(left)
        chances.append([strength / total for strength in left])
    after = []
    for rating, own in zip(before, own_sides, strict=True):
        surprise, information = sum([1 / places.count(places[side]) for side in own]), 0.0
        for row in chances:
            expected = sum([row[side] for side in own])
            surprise -= expected
            information += sum([row[side] * own.count(side) for side in own]) - expected**2
        variance = 1 / (1 / (rating.sigma**2 + TAU**2) + information / UNIT**2)
        after.append((rating.mu + variance / UNIT * surprise, sqrt(variance)))
    return after
