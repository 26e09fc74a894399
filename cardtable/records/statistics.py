"""Statistics: what the sessions of one player in one game come to."""

from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from operator import add as add_up
from typing import NamedTuple

from cardtable.engine.contract import AnyGame
from cardtable.games import GAMES
from cardtable.records.facts import Facts
from cardtable.records.players import Player
from cardtable.store.summaries import Summary


class Round(NamedTuple):
    """A round that was better or worse than all others."""

    points: int
    """What it added to the total."""
    number: int
    session: str
    """The id."""


@dataclass(slots=True)
class BidsByCards:
    """Bids with some number of cards dealt."""

    number: int = 0
    exact: int = 0
    high: int = 0
    """Bids of more tricks than were made."""


@dataclass(slots=True)
class Points:
    """Points of some rounds."""

    rounds: int = 0
    points: int = 0

    @property
    def mean(self) -> float:
        """Points a round."""
        return self.points / self.rounds

    def add(self, points: int) -> None:
        """One round more."""
        self.rounds += 1
        self.points += points


@dataclass(slots=True)
class Figures:
    """What one player has done in one game, in sessions that are over or given up."""

    sessions: int = 0
    given_up: int = 0
    rated: int = 0
    """Sessions that rankings may count."""
    places: Counter[int] = field(default_factory=Counter)
    """How often a seat of the player came in where; who gives a session up is last."""
    totals: "array[int]" = field(default_factory=lambda: array("q"))
    """The final totals of sessions that are over, in the order in which they ended."""
    ended: "array[float]" = field(default_factory=lambda: array("d"))
    """When each of these ended, in seconds since 1970-01-01T00:00Z."""
    first: float = 0.0
    """When the first session ended; 0 before there is one."""
    rounds: Points = field(default_factory=Points)
    """All finished rounds."""
    best: Round | None = None
    worst: Round | None = None
    bids: dict[int, BidsByCards] = field(default_factory=dict)
    """By the number of cards dealt; empty in games without such bids."""
    contracts: dict[str, Points] = field(default_factory=dict)
    """By the contracts' titles; empty in games without contracts."""
    sums: list[int] = field(default_factory=list)
    """All totals after the first round together, after the second, and so on."""
    lasted: list[int] = field(default_factory=list)
    """How many seats saw one round, two, and so on."""

    @property
    def mean_place(self) -> float | None:
        """The place in the mean."""
        seats = self.places.total()
        return sum([place * number for place, number in self.places.items()]) / seats if seats else None

    @property
    def won(self) -> float | None:
        """Which share of seats came in first."""
        seats = self.places.total()
        return self.places[1] / seats if seats else None

    @property
    def mean_total(self) -> float | None:
        """The final total in the mean."""
        return sum(self.totals) / len(self.totals) if self.totals else None

    @property
    def exact(self) -> float | None:
        """Which share of bids was made exactly."""
        number = sum([bids.number for bids in self.bids.values()])
        return sum([bids.exact for bids in self.bids.values()]) / number if number else None

    @property
    def course(self) -> list[Points]:
        """The totals after the first round, the second, and so on, as those who saw so many had them."""
        seats = list(accumulate(reversed(self.lasted)))[::-1]
        return [Points(number, together) for number, together in zip(seats, self.sums, strict=True)]

    def session(self, session: Summary) -> None:
        """One session more at which the player sits."""
        self.sessions += 1
        self.given_up += session.state == "given-up"
        self.rated += session.counted
        self.first = self.first or session.played

    def seat(self, session: Summary, seat: int) -> None:
        """One seat more, with its place and its total."""
        if session.places is not None:
            self.places[session.places[seat]] += 1
        if session.state == "over":
            self.totals.append(session.totals[seat])
            self.ended.append(session.played)

    def play(self, session: Summary, facts: Facts, seat: int, game: AnyGame) -> None:
        """What the seat did in the finished rounds of a session."""
        assert session.header is not None
        gains = facts.gains[seat :: len(session.header.seats)]
        if not gains:
            return
        self.rounds.rounds += len(gains)
        self.rounds.points += sum(gains)
        self._mark(session.id, gains, lowest_wins=game.lowest_wins)
        self._run(gains)
        if game.exact_bids:
            self._bid(facts, seat)
        elif game.has_contracts:
            for title, points in zip(facts.titles, gains, strict=True):
                contract = self.contracts.get(title) or self.contracts.setdefault(title, Points())
                contract.add(points)

    def _run(self, gains: Sequence[int]) -> None:
        """Add the totals after each round."""
        more = [0] * (len(gains) - len(self.sums))
        self.sums += more
        self.lasted += more
        self.sums[: len(gains)] = map(add_up, self.sums, accumulate(gains))
        self.lasted[len(gains) - 1] += 1

    def _mark(self, session: str, gains: Sequence[int], *, lowest_wins: bool) -> None:
        """Keep the best and the worst round."""
        least, most = min(gains), max(gains)
        low, high = Round(least, gains.index(least) + 1, session), Round(most, gains.index(most) + 1, session)
        best, worst = (low, high) if lowest_wins else (high, low)
        sign = -1 if lowest_wins else 1
        if self.best is None or best.points * sign > self.best.points * sign:
            self.best = best
        if self.worst is None or worst.points * sign < self.worst.points * sign:
            self.worst = worst

    def _bid(self, facts: Facts, seat: int) -> None:
        for cards, (bid, won) in zip(facts.cards(), facts.bids_of(seat), strict=True):
            bids = self.bids.get(cards) or self.bids.setdefault(cards, BidsByCards())
            bids.number += 1
            bids.exact += bid == won
            bids.high += bid > won


Statistics = dict[tuple[Player, str], Figures]
"""By player and the game's key."""


def counts(session: Summary) -> bool:
    """Return True if statistics count a session: no copy, which would count twice, and none with known cards."""
    header = session.header
    if header is None or header.game not in GAMES or session.state == "open":
        return False
    return header.origin is None and not session.has_known_cards


def add(statistics: Statistics, session: Summary, seats: Sequence[Player | None], facts: Facts | None) -> None:
    """Count a session that ended after those before it; ``facts`` are ``None`` until it was read.

    ``seats`` are its players, as ``Known.seated`` finds them; a seat that changed hands counts for nobody.
    """
    if session.header is None or not counts(session):
        return
    game, met = GAMES[session.header.game], set[Player]()
    for seat, player in enumerate(seats):
        if player is None:
            continue
        figures = statistics.setdefault((player, game.about.key), Figures())
        if player not in met:
            figures.session(session)
            met.add(player)
        figures.seat(session, seat)
        if facts is not None:
            figures.play(session, facts, seat, game)
