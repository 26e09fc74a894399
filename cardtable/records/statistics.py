"""Statistics: what the sessions of one player in one game come to."""

from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from operator import add as add_up
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from cardtable.engine.errors import CardtableError, GameFailed
from cardtable.engine.game import AnyGame, Score
from cardtable.engine.journal import is_score_table
from cardtable.games import GAMES, blaming
from cardtable.records.ratings import Player
from cardtable.store import score_tables, session_files
from cardtable.store.summaries import Summary

VERSION: Final = 1
"""Goes up whenever facts that are kept mean something else."""


class SessionFacts(msgspec.Struct, frozen=True, array_like=True):
    """The finished rounds of a session, flat so that thousands are read at once."""

    whole: bool
    """Whether the file holds from its first line to its last; if not, nothing else is known."""
    titles: tuple[str, ...] = ()
    """What was played, round by round, as score sheets have it."""
    gains: tuple[int, ...] = ()
    """What each seat's total gained, round by round."""
    bids: tuple[int, ...] = ()
    """In games with bids what each seat has bid and made, round by round."""

    def fit(self, game: str, seats: int) -> bool:
        """Whether they can be those of a session of this game with so many seats."""
        gains = len(self.titles) * seats
        bids = 2 * gains if GAMES[game].exact_bids and self.whole else 0
        return (len(self.gains), len(self.bids)) == (gains, bids)

    def bids_of(self, seat: int) -> Iterator[tuple[int, int]]:
        """What the seat has bid and made, round by round."""
        return zip(self.bids[2 * seat :: self._step], self.bids[2 * seat + 1 :: self._step], strict=True)

    def cards(self) -> list[int]:
        """In games with bids how many cards were dealt, round by round: as many as all have made tricks."""
        step = self._step
        return [sum(self.bids[at + 1 : at + step : 2]) for at in range(0, len(self.bids), step)]

    @property
    def _step(self) -> int:
        """Numbers of a round in ``bids``."""
        return 2 * len(self.gains) // max(len(self.titles), 1)


DAMAGED: Final = SessionFacts(whole=False)


def extracted(path: Path) -> SessionFacts | None:
    """The facts of a file, which is read and judged from its first line to its last; ``None`` if it cannot be."""
    try:
        data = session_files.read_session(path)
    except CardtableError:
        return None  # that may pass
    try:
        with blaming():
            return _of(*_scores(path, data))
    except GameFailed:
        return None  # its package may be mended
    except CardtableError:
        return DAMAGED


def _scores(path: Path, data: bytes) -> tuple[str, Sequence[Score]]:
    """The game and the finished rounds of a journal, or of a score table.  Raises ``CardtableError``."""
    if is_score_table(data):
        scores = score_tables.loaded(path, score_tables.read(path, data))
        return scores.header.game, scores.sheet.scores
    journal = session_files.parse_session(path, data)
    return journal.header.game, session_files.replayed(path, journal, only_read=True).scores


def _of(game: str, scores: Sequence[Score]) -> SessionFacts:
    gains: list[int] = []
    before: Sequence[int] = ()
    for score in scores:
        gains += [after - total for after, total in zip(score.totals, before or [0] * len(score.totals), strict=True)]
        before = score.totals
    bids = [figure for score in scores for own in score.figures for figure in own] if GAMES[game].exact_bids else []
    return SessionFacts(True, tuple([str(score.title) for score in scores]), tuple(gains), tuple(bids))


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
class RunningMean:
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
class PlayerStatistics:
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
    rounds: RunningMean = field(default_factory=RunningMean)
    """All finished rounds."""
    best: Round | None = None
    worst: Round | None = None
    bids: dict[int, BidsByCards] = field(default_factory=dict)
    """By the number of cards dealt; empty in games without such bids."""
    contracts: dict[str, RunningMean] = field(default_factory=dict)
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
    def course(self) -> list[RunningMean]:
        """The totals after the first round, the second, and so on, as those who saw so many had them."""
        seats = list(accumulate(reversed(self.lasted)))[::-1]
        return [RunningMean(number, together) for number, together in zip(seats, self.sums, strict=True)]

    def session(self, session: Summary) -> None:
        """One session more at which the player sits."""
        self.sessions += 1
        self.given_up += session.state == "given-up"
        self.rated += session.is_rated
        self.first = self.first or session.played

    def seat(self, session: Summary, seat: int) -> None:
        """One seat more, with its place and its total."""
        if session.places is not None:
            self.places[session.places[seat]] += 1
        if session.state == "over":
            self.totals.append(session.totals[seat])
            self.ended.append(session.played)

    def play(self, session: Summary, facts: SessionFacts, seat: int, game: AnyGame) -> None:
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
                contract = self.contracts.get(title) or self.contracts.setdefault(title, RunningMean())
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

    def _bid(self, facts: SessionFacts, seat: int) -> None:
        for cards, (bid, won) in zip(facts.cards(), facts.bids_of(seat), strict=True):
            bids = self.bids.get(cards) or self.bids.setdefault(cards, BidsByCards())
            bids.number += 1
            bids.exact += bid == won
            bids.high += bid > won


Statistics = dict[tuple[Player, str], PlayerStatistics]
"""By player and the game's key."""


def counts(session: Summary) -> bool:
    """Return True if statistics count a session: no copy, which would count twice, and none with known cards."""
    header = session.header
    if header is None or header.game not in GAMES or session.state == "open":
        return False
    return header.origin is None and not session.has_known_cards


def add(statistics: Statistics, session: Summary, seats: Sequence[Player | None], facts: SessionFacts | None) -> None:
    """Count a session that ended after those before it; ``facts`` are ``None`` until it was read.

    ``seats`` are its players, as ``CommonViewFields.seated`` finds them; a seat that changed hands counts for nobody.
    """
    if session.header is None or not counts(session):
        return
    game, met = GAMES[session.header.game], set[Player]()
    for seat, player in enumerate(seats):
        if player is None:
            continue
        figures = statistics.setdefault((player, game.about.key), PlayerStatistics())
        if player not in met:
            figures.session(session)
            met.add(player)
        figures.seat(session, seat)
        if facts is not None:
            figures.play(session, facts, seat, game)
