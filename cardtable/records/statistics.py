"""Statistics of each player in each game, computed from the player's sessions."""

from array import array
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import lru_cache
from itertools import accumulate, count
from operator import add as add_up
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from cardtable.engine.errors import CardtableError, GameFailed
from cardtable.engine.game import AnyGame, Score
from cardtable.engine.journal import Header, is_score_table
from cardtable.engine.options import Value
from cardtable.games import GAMES, convert_plugin_errors
from cardtable.records.ratings import Player
from cardtable.records.result_rows import BidRow, PointsRow, RoundPoints, TotalsRow
from cardtable.store import paths, score_tables, session_files
from cardtable.store.session_setup import find_deal_day
from cardtable.store.summaries import Summary, find_unrated_reason

VERSION: Final = 1
"""Version of the cached facts, incremented whenever their meaning changes."""


class SessionFacts(msgspec.Struct, frozen=True, array_like=True):
    """Facts about the finished rounds of a session, in flat tuples so that thousands of sessions can be read at
    once.
    """

    whole: bool
    """True if the file is intact from the first line to the last. If it is False, all other fields are empty."""
    titles: tuple[str, ...] = ()
    """Title of each round, as on the score sheet."""
    gains: tuple[int, ...] = ()
    """Points by which each seat's total has increased, round by round."""
    bids: tuple[int, ...] = ()
    """Bid and tricks won of each seat, round by round. Empty in games without exact bids."""

    def has_size_for(self, game: str, seats: int) -> bool:
        """Return True if the facts have the size that a session of ``game`` with this number of seats requires."""
        gains = len(self.titles) * seats
        bids = 2 * gains if GAMES[game].exact_bids and self.whole else 0
        return (len(self.gains), len(self.bids)) == (gains, bids)

    def iter_bids(self, seat: int) -> Iterator[tuple[int, int]]:
        return zip(self.bids[2 * seat :: self._round_size], self.bids[2 * seat + 1 :: self._round_size], strict=True)

    def compute_hand_sizes(self) -> list[int]:
        """Return the number of cards per hand in each round, which is the sum of all tricks won.

        For games with exact bids only.
        """
        step = self._round_size
        return [sum(self.bids[start + 1 : start + step : 2]) for start in range(0, len(self.bids), step)]

    @property
    def _round_size(self) -> int:
        """Number of entries in ``bids`` for each round."""
        return 2 * len(self.gains) // max(len(self.titles), 1)


DAMAGED: Final = SessionFacts(whole=False)


def extract_facts(path: Path) -> SessionFacts | None:
    """Read and verify a journal or score table. Return its facts, or ``None`` if it cannot be read at present.

    A damaged file has the facts ``DAMAGED``.
    """
    try:
        data = session_files.read_session(path)
    except CardtableError:
        return None  # a temporary error: tried again later
    try:
        with convert_plugin_errors():
            return _create_facts(*_load_scores(path, data))
    except GameFailed:
        return None  # tried again later: the package may be repaired
    except CardtableError:
        return DAMAGED


def _load_scores(path: Path, data: bytes) -> tuple[str, Sequence[Score]]:
    """Return the key of the game and the scores of the finished rounds in a journal or score table.

    Raises ``CardtableError`` if the file is damaged.
    """
    if is_score_table(data):
        scores = score_tables.replay(path, score_tables.parse(path, data))
        return scores.header.game, scores.sheet.scores
    journal = session_files.parse_session(path, data)
    return journal.header.game, session_files.replay_journal(path, journal, without_undo=True).scores


def _create_facts(game: str, scores: Sequence[Score]) -> SessionFacts:
    gains: list[int] = []
    before: Sequence[int] = ()
    for score in scores:
        gains += [after - total for after, total in zip(score.totals, before or [0] * len(score.totals), strict=True)]
        before = score.totals
    bids = [figure for score in scores for own in score.figures for figure in own] if GAMES[game].exact_bids else []
    return SessionFacts(True, tuple([str(score.title) for score in scores]), tuple(gains), tuple(bids))


class Rules(NamedTuple):
    """Conditions of a session. Totals are compared only between sessions with the same ones."""

    seats: int
    options: tuple[tuple[str, Value], ...]
    """House rules that differ from the defaults."""


class First(NamedTuple):
    """Session in which a player did something for the first time."""

    time: float
    """Time at which the session ended, in seconds since 1970-01-01T00:00Z."""
    game: str


_GRAND_BID: Final = 5
"""Smallest bid of all tricks that is grand."""
_LONG_RUN: Final = 10
"""Number of bids made in a row that is a first."""


def _is_won(session: Summary, seat: int, _facts: SessionFacts | None) -> bool:
    return session.places is not None and session.places[seat] == 1


def _is_won_against_experts(session: Summary, seat: int, facts: SessionFacts | None) -> bool:
    assert session.header is not None
    return _is_won(session, seat, facts) and any(occupant.robot == "expert" for occupant in session.header.seats)


def _has_grand_bid(_session: Summary, seat: int, facts: SessionFacts | None) -> bool:
    rounds = zip(facts.compute_hand_sizes(), facts.iter_bids(seat), strict=True) if facts and facts.bids else ()
    return any(_GRAND_BID <= cards == bid == won for cards, (bid, won) in rounds)


def _has_long_run(_session: Summary, seat: int, facts: SessionFacts | None) -> bool:
    made = "".join("+" if bid == won else "-" for bid, won in (facts.iter_bids(seat) if facts and facts.bids else ()))
    return "+" * _LONG_RUN in made


def _has_flawless_review(session: Summary, seat: int, _facts: SessionFacts | None) -> bool:
    if not paths.review_file(session.id).exists():
        return False
    from cardtable.records import review_worker  # noqa: PLC0415 - lazy: startup

    return review_worker.has_flawless_review(session.path, seat)


DEEDS: Final[Mapping[str, Callable[[Summary, int, SessionFacts | None], bool]]] = {
    "session": lambda session, _seat, _facts: session.state == "over",
    "win": _is_won,
    "win against experts": _is_won_against_experts,
    f"bid of all tricks, {_GRAND_BID}+": _has_grand_bid,
    f"{_LONG_RUN} bids made in a row": _has_long_run,
    "flawless review": _has_flawless_review,
}
"""What a player does for the first time in a session, and whether a seat of a session has done it."""


class PlayerStatistics(msgspec.Struct):
    """Statistics of one player in one game, over finished and abandoned sessions."""

    sessions: int = 0
    abandoned: int = 0
    rated: int = 0
    """Number of sessions that count for ratings."""
    places: Counter[int] = msgspec.field(default_factory=Counter)
    """Number of times that the player's seats had each rank. A player who abandons a session has the last rank."""
    totals: "array[int]" = msgspec.field(default_factory=lambda: array("q"))
    """Final totals in finished sessions, in the order in which the sessions ended."""
    end_times: "array[float]" = msgspec.field(default_factory=lambda: array("d"))
    """Time at which each of these sessions ended, in seconds since 1970-01-01T00:00Z."""
    first_end: float = 0.0
    """Time at which the first session ended, in seconds since 1970-01-01T00:00Z, or 0 if there is none."""
    rounds: PointsRow = msgspec.field(default_factory=lambda: PointsRow(0, 0))
    """Mean over all finished rounds."""
    best: RoundPoints | None = None
    worst: RoundPoints | None = None
    bids: dict[int, BidRow] = msgspec.field(default_factory=dict)
    """Counts of bids by number of cards per hand. Empty in games without exact bids."""
    contracts: dict[str, PointsRow] = msgspec.field(default_factory=dict)
    """Mean points by title of the contract. Empty in games without contracts."""
    sums: list[int] = msgspec.field(default_factory=list)
    """Sum of the player's totals after the first round of all sessions, after the second round, and so on."""
    length_counts: list[int] = msgspec.field(default_factory=list)
    """Number of the player's seats in sessions of exactly one round, two rounds, and so on."""
    total_ranges: dict[Rules, TotalsRow] = msgspec.field(default_factory=dict)
    wins_in_a_row: int = 0
    """Number of the latest sessions in a row that the player has won. Sessions that count for no bests are skipped."""
    most_wins_in_a_row: int = 0
    days: set[int] = msgspec.field(default_factory=set)
    """Days of the local calendar on which the player finished a session, as ordinals of ``date``. Empty for robots."""
    daily_deals: set[int] = msgspec.field(default_factory=set)
    """Days whose deal of the day the player has finished, as ordinals of ``date``. Empty for robots."""
    firsts: dict[str, First] = msgspec.field(default_factory=dict)
    """First times of what ``DEEDS`` names. Empty for robots."""

    @property
    def mean_place(self) -> float | None:
        """Mean rank, or ``None`` without a ranked seat."""
        seats = self.places.total()
        return sum([place * number for place, number in self.places.items()]) / seats if seats else None

    @property
    def won_share(self) -> float | None:
        """Share of seats that had the first rank, from 0 to 1, or ``None`` without a ranked seat."""
        seats = self.places.total()
        return self.places[1] / seats if seats else None

    @property
    def mean_total(self) -> float | None:
        return sum(self.totals) / len(self.totals) if self.totals else None

    @property
    def mean_round(self) -> float | None:
        return self.rounds.mean if self.rounds.rounds else None

    @property
    def all_bids(self) -> BidRow | None:
        """Counts of bids with any number of cards, or ``None`` without bids."""
        if not self.bids:
            return None
        number, exact, high = map(sum, zip(*map(msgspec.structs.astuple, self.bids.values()), strict=True))
        return BidRow(number, exact, high)

    @property
    def exact_share(self) -> float | None:
        """Share of bids that were made exactly, from 0 to 1, or ``None`` without bids."""
        return bids.exact / bids.number if (bids := self.all_bids) else None

    @property
    def main_range(self) -> TotalsRow | None:
        """Best and worst total under the rules that the player has used most, or ``None`` if there are none."""
        return max(self.total_ranges.values(), key=lambda totals: totals.sessions, default=None)

    @property
    def mean_course(self) -> list[PointsRow]:
        """Mean total after the first round, the second round, and so on, each over the seats that have played that
        round.
        """
        seats = list(accumulate(reversed(self.length_counts)))[::-1]
        return [PointsRow(number, together) for number, together in zip(seats, self.sums, strict=True)]

    def add_session(self, session: Summary) -> None:
        """Count a session of the player. Call this once for each session, in the order in which they ended."""
        self.sessions += 1
        self.abandoned += session.state == "abandoned"
        self.rated += session.is_rated
        self.first_end = self.first_end or session.played

    def add_seat(self, session: Summary, seat: int) -> None:
        """Count a seat of the player in a session, with its rank and total."""
        if session.places is not None:
            self.places[session.places[seat]] += 1
        if session.state == "over":
            self.totals.append(session.totals[seat])
            self.end_times.append(session.played)

    def add_firsts(self, session: Summary, seat: int, facts: SessionFacts | None) -> None:
        assert session.header is not None
        for deed, is_done in DEEDS.items():
            if deed not in self.firsts and is_done(session, seat, facts):
                self.firsts[deed] = First(session.played, session.header.game)

    def add_total(self, session: Summary, total: int, game: AnyGame) -> None:
        """Compare the total of a session that counts for personal bests. Of equal totals the earliest is retained."""
        assert session.header is not None
        rules, sign = find_rules(session.header), -1 if game.lowest_wins else 1
        known = self.total_ranges.get(rules)
        if known is None:
            self.total_ranges[rules] = TotalsRow(rules.seats, dict(rules.options), 1, total, total, session.id)
            return
        known.sessions += 1
        known.worst = min(known.worst, total, key=lambda value: value * sign)
        if total * sign > known.best * sign:
            known.best, known.session = total, session.id

    def add_streaks(self, session: Summary) -> None:
        """Count the days of a session that the player has finished."""
        if session.state == "over" and session.header is not None:
            self.days.add(find_local_day(session.played))
            if day := find_deal_day(session.header):
                self.daily_deals.add(day.toordinal())

    def add_win(self, *, won: bool) -> None:
        """Continue or end the run of wins, after a session that counts for personal bests or was abandoned."""
        self.wins_in_a_row = self.wins_in_a_row + 1 if won else 0
        self.most_wins_in_a_row = max(self.most_wins_in_a_row, self.wins_in_a_row)

    def add_rounds(self, session: Summary, facts: SessionFacts, seat: int, game: AnyGame) -> None:
        """Add the results of a seat in the finished rounds of a session."""
        assert session.header is not None
        gains = facts.gains[seat :: len(session.header.seats)]
        if not gains:
            return
        self.rounds.rounds += len(gains)
        self.rounds.points += sum(gains)
        self._update_extremes(session.id, gains, lowest_wins=game.lowest_wins)
        self._add_course(gains)
        if game.exact_bids:
            self._add_bids(facts, seat)
        elif game.has_contracts:
            for title, points in zip(facts.titles, gains, strict=True):
                contract = self.contracts.get(title) or self.contracts.setdefault(title, PointsRow(0, 0))
                contract.add(points)

    def _add_course(self, gains: Sequence[int]) -> None:
        """Add the totals of a seat after each round."""
        more = [0] * (len(gains) - len(self.sums))
        self.sums += more
        self.length_counts += more
        self.sums[: len(gains)] = map(add_up, self.sums, accumulate(gains))
        self.length_counts[len(gains) - 1] += 1

    def _update_extremes(self, session: str, gains: Sequence[int], *, lowest_wins: bool) -> None:
        """Update the best and the worst round. Of equal rounds the earliest is retained."""
        low, high = [RoundPoints(points, gains.index(points) + 1, session) for points in (min(gains), max(gains))]
        best, worst = (low, high) if lowest_wins else (high, low)
        sign = -1 if lowest_wins else 1
        if self.best is None or best.points * sign > self.best.points * sign:
            self.best = best
        if self.worst is None or worst.points * sign < self.worst.points * sign:
            self.worst = worst

    def _add_bids(self, facts: SessionFacts, seat: int) -> None:
        for cards, (bid, won) in zip(facts.compute_hand_sizes(), facts.iter_bids(seat), strict=True):
            bids = self.bids.get(cards) or self.bids.setdefault(cards, BidRow(0, 0, 0))
            bids.number += 1
            bids.exact += bid == won
            bids.high += bid > won


def combine(statistics: Iterable[PlayerStatistics]) -> PlayerStatistics:
    """Combine the statistics of a player in several games.

    Only numbers of sessions, ranks, the time of the first session and days are included; points of different games
    cannot be added.
    """
    some = list(statistics)
    firsts = [item for figures in some for item in figures.firsts.items()]
    return PlayerStatistics(
        sessions=sum([figures.sessions for figures in some]),
        abandoned=sum([figures.abandoned for figures in some]),
        rated=sum([figures.rated for figures in some]),
        places=sum([figures.places for figures in some], Counter()),
        first_end=min([figures.first_end for figures in some if figures.sessions], default=0.0),
        days={day for figures in some for day in figures.days},
        daily_deals={day for figures in some for day in figures.daily_deals},
        firsts=dict(sorted(firsts, key=lambda item: item[1].time, reverse=True)),  # the earliest of each is the last
    )


def find_local_day(seconds: float) -> int:
    return date.fromtimestamp(seconds).toordinal()  # noqa: DTZ012 - a day of the player's calendar


def count_days_until(days: Collection[int], last: int) -> int:
    """Return the number of days in a row that end with the day ``last``, 0 if it is not one of ``days``."""
    return next(number for number in count() if last - number not in days)


def count_most_days(days: Collection[int]) -> int:
    """Return the largest number of days in a row."""
    return max([count_days_until(days, day) for day in days if day + 1 not in days], default=0)


def find_rules(header: Header) -> Rules:
    return _find_rules(header.game, len(header.seats), tuple(header.options.items()))


@lru_cache(maxsize=256)
def _find_rules(game: str, seats: int, options: tuple[tuple[str, Value], ...]) -> Rules:
    usual = GAMES[game].options().for_seats(seats).to_dict()
    return Rules(seats, tuple([(name, value) for name, value in options if usual.get(name) != value]))


Statistics = dict[tuple[Player, str], PlayerStatistics]
"""Statistics by player and key of the game."""


def is_counted(session: Summary) -> bool:
    """Return True if statistics include a session.

    It must have ended or been abandoned, and be neither a copy of another session nor have a known deal.
    """
    header = session.header
    if header is None or header.game not in GAMES or session.state == "open":
        return False
    return header.origin is None and not session.has_known_cards


def counts_for_bests(session: Summary) -> bool:
    """Return True if a session can set a personal best: it has ended, and nobody has had help."""
    header = session.header
    if header is None or session.state != "over" or not is_counted(session):
        return False
    at_home = msgspec.structs.replace(header, club=None) if header.club else header
    return find_unrated_reason(at_home, session.undone, coached=session.coached) is None


def add_session(
    statistics: Statistics, session: Summary, seats: Sequence[Player | None], facts: SessionFacts | None
) -> None:
    """Add a session to the statistics in place. Sessions have to be added in the order in which they ended.

    ``seats`` are its players as returned by ``KnownPlayers.find_players``. ``facts`` is ``None`` while the journal has
    not been read; the results of the rounds are then left out, as they are for a seat that has lost the session, in
    which a robot has decided. Sessions that do not count are ignored.
    """
    if session.header is None or not is_counted(session):
        return
    game, counted, is_fair = GAMES[session.header.game], set[Player](), counts_for_bests(session)
    lost = dict(session.lost)
    for seat, player in enumerate(seats):
        if player is None:
            continue
        figures = statistics.setdefault((player, game.about.key), PlayerStatistics())
        if player not in counted:
            figures.add_session(session)
            if not player.robot:
                figures.add_streaks(session)
            counted.add(player)
        figures.add_seat(session, seat)
        if is_fair and seat not in lost:
            if not player.robot:
                figures.add_firsts(session, seat, facts)
            figures.add_total(session, session.totals[seat], game)
        if (is_fair or session.state == "abandoned") and session.places is not None:
            figures.add_win(won=is_fair and session.places[seat] == 1)
        if facts is not None and seat not in lost:
            figures.add_rounds(session, facts, seat, game)
