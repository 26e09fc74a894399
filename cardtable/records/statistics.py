"""Statistics of each player in each game, from the player's sessions."""

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
from cardtable.games import GAMES, convert_plugin_errors
from cardtable.records.ratings import Player
from cardtable.store import score_tables, session_files
from cardtable.store.summaries import Summary

VERSION: Final = 1
"""Version of the cached facts; increased if their meaning changes."""


class SessionFacts(msgspec.Struct, frozen=True, array_like=True):
    """Facts of the finished rounds of a session, in flat tuples so that thousands can be read at once."""

    whole: bool
    """True if the file is intact from first to last line; if not, all other fields are empty."""
    titles: tuple[str, ...] = ()
    """Titles of the rounds, as on the score sheet."""
    gains: tuple[int, ...] = ()
    """Increase of each seat's total, round by round."""
    bids: tuple[int, ...] = ()
    """Bid and tricks won of each seat, round by round, in games with exact bids; else empty."""

    def fit(self, game: str, seats: int) -> bool:
        """Return True if the facts have the size of a session of this game with ``seats`` seats."""
        gains = len(self.titles) * seats
        bids = 2 * gains if GAMES[game].exact_bids and self.whole else 0
        return (len(self.gains), len(self.bids)) == (gains, bids)

    def bids_of(self, seat: int) -> Iterator[tuple[int, int]]:
        """Return bid and tricks won of a seat, round by round."""
        return zip(self.bids[2 * seat :: self._step], self.bids[2 * seat + 1 :: self._step], strict=True)

    def cards(self) -> list[int]:
        """Return the cards each, round by round, in games with exact bids: the sum of all tricks won."""
        step = self._step
        return [sum(self.bids[at + 1 : at + step : 2]) for at in range(0, len(self.bids), step)]

    @property
    def _step(self) -> int:
        """Number of entries of a round in ``bids``."""
        return 2 * len(self.gains) // max(len(self.titles), 1)


DAMAGED: Final = SessionFacts(whole=False)


def extract_facts(path: Path) -> SessionFacts | None:
    """Return the facts of a file, which is read and verified as a whole; ``None`` if it cannot be read now."""
    try:
        data = session_files.read_session(path)
    except CardtableError:
        return None  # a temporary error: tried again later
    try:
        with convert_plugin_errors():
            return _of(*_scores(path, data))
    except GameFailed:
        return None  # tried again later: the package may be repaired
    except CardtableError:
        return DAMAGED


def _scores(path: Path, data: bytes) -> tuple[str, Sequence[Score]]:
    """Return the game and the scores of the finished rounds of a journal or score table. Raises ``CardtableError``."""
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
    """Best or worst round of a player."""

    points: int
    """Points added to the total."""
    number: int
    session: str
    """Id of the session."""


@dataclass(slots=True)
class BidsByCards:
    """Counts of bids in rounds with a given number of cards."""

    number: int = 0
    exact: int = 0
    high: int = 0
    """Number of bids of more tricks than were won."""


@dataclass(slots=True)
class RunningMean:
    """Sum and number of the points of rounds."""

    rounds: int = 0
    points: int = 0

    @property
    def mean(self) -> float:
        """Points a round."""
        return self.points / self.rounds

    def add(self, points: int) -> None:
        self.rounds += 1
        self.points += points


@dataclass(slots=True)
class PlayerStatistics:
    """Statistics of one player in one game, over ended and abandoned sessions."""

    sessions: int = 0
    given_up: int = 0
    rated: int = 0
    """Number of sessions that rankings may count."""
    places: Counter[int] = field(default_factory=Counter)
    """Counts of places, by seat of the player; a player who abandons a session is last."""
    totals: "array[int]" = field(default_factory=lambda: array("q"))
    """Final totals of ended sessions, in the order in which they ended."""
    ended: "array[float]" = field(default_factory=lambda: array("d"))
    """End of each of these sessions, in seconds since 1970-01-01T00:00Z."""
    first: float = 0.0
    """End of the first session; 0 if there is none."""
    rounds: RunningMean = field(default_factory=RunningMean)
    """All finished rounds."""
    best: Round | None = None
    worst: Round | None = None
    bids: dict[int, BidsByCards] = field(default_factory=dict)
    """Bids by number of cards dealt; empty in games without exact bids."""
    contracts: dict[str, RunningMean] = field(default_factory=dict)
    """Results by title of the contract; empty in games without contracts."""
    sums: list[int] = field(default_factory=list)
    """Sums of all totals after the first round, after the second, and so on."""
    lasted: list[int] = field(default_factory=list)
    """Numbers of seats whose sessions had exactly one round, two rounds, and so on."""

    @property
    def mean_place(self) -> float | None:
        """Mean place."""
        seats = self.places.total()
        return sum([place * number for place, number in self.places.items()]) / seats if seats else None

    @property
    def won(self) -> float | None:
        """Share of seats that came first, from 0 to 1."""
        seats = self.places.total()
        return self.places[1] / seats if seats else None

    @property
    def mean_total(self) -> float | None:
        """Mean final total."""
        return sum(self.totals) / len(self.totals) if self.totals else None

    @property
    def exact(self) -> float | None:
        """Share of bids made exactly, from 0 to 1."""
        number = sum([bids.number for bids in self.bids.values()])
        return sum([bids.exact for bids in self.bids.values()]) / number if number else None

    @property
    def course(self) -> list[RunningMean]:
        """Totals after the first round, the second, and so on, over the seats that played that round."""
        seats = list(accumulate(reversed(self.lasted)))[::-1]
        return [RunningMean(number, together) for number, together in zip(seats, self.sums, strict=True)]

    def session(self, session: Summary) -> None:
        """Count a session of the player."""
        self.sessions += 1
        self.given_up += session.state == "given-up"
        self.rated += session.is_rated
        self.first = self.first or session.played

    def seat(self, session: Summary, seat: int) -> None:
        """Count a seat of the player, with its place and total."""
        if session.places is not None:
            self.places[session.places[seat]] += 1
        if session.state == "over":
            self.totals.append(session.totals[seat])
            self.ended.append(session.played)

    def play(self, session: Summary, facts: SessionFacts, seat: int, game: AnyGame) -> None:
        """Add the results of a seat in the finished rounds of a session."""
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
        """Update the best and the worst round."""
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
"""Statistics by player and key of the game."""


def counts(session: Summary) -> bool:
    """Return True if statistics count the session: it has ended, is no copy, and has no known cards."""
    header = session.header
    if header is None or header.game not in GAMES or session.state == "open":
        return False
    return header.origin is None and not session.has_known_cards


def add(statistics: Statistics, session: Summary, seats: Sequence[Player | None], facts: SessionFacts | None) -> None:
    """Count a session; sessions are added in the order in which they ended. ``facts``: ``None`` until it is read.

    ``seats``: its players as returned by ``KnownPlayers.seated``; a seat that changed hands is not counted.
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
