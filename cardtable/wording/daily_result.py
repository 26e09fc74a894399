"""Result of a deal of the day in three lines to share, without cards and contracts."""

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Final

import msgspec

from cardtable.engine.errors import CardtableError
from cardtable.engine.game import OVER, AnyGame, Score, Seat, Sides, competition_ranks
from cardtable.engine.text_format import format_count
from cardtable.records.review import DuplicateResult
from cardtable.store import session_files
from cardtable.store.session_setup import find_deal_day
from cardtable.wording.formatting import format_day, format_ordinal

NOT_DAILY: Final = "the session has no deal of the day; only these have a result to share"
NOT_FINISHED: Final = "the session is not over; its result can be shared once it is"


class DailyResult(msgspec.Struct, frozen=True):
    """Result of the only person in a deal of the day."""

    game: AnyGame
    day: date
    place: int
    """Final rank, from 1."""
    players: int
    total: int
    """Final result."""
    successes: int
    """Number of bids made exactly, or in other games of rounds with the best points."""
    rounds: int
    streak: int = 0
    """Number of deals of the day in a row, or 0 if the session counts for no day."""

    def format_lines(self, same_deals: DuplicateResult | None) -> list[str]:
        """Return three lines of ASCII text. ``same_deals`` is the result of experts, if they have played all rounds."""
        outcome = f"{format_ordinal(self.place)} of {self.players} with {format_count(self.total, 'point')}"
        comparison = self.compare(same_deals)
        expert = f", {comparison} on the same deal" if comparison else ""
        unit = "bids made" if self.game.exact_bids else "rounds won"
        course = f"{self.successes} of {self.rounds} {unit}" if self.rounds > 1 else "1 round"
        streak = f", {format_count(self.streak, 'day')} in a row" if self.streak else ""
        return [
            f"cardtable, deal of the day, {format_day(self.day)} {self.day.year}: {self.game.about.title}",
            f"{outcome}{expert}",
            f"{course}{streak}",
        ]

    def compare(self, same_deals: DuplicateResult | None) -> str | None:
        """Return a comparison with the mean result of experts, or ``None`` until they have played all rounds."""
        if same_deals is None or same_deals.rounds < self.rounds:
            return None
        lead = round(same_deals.own - same_deals.experts) * (-1 if self.game.lowest_wins else 1)
        if not lead:
            return "level with an expert"
        return f"{abs(lead)} {'better' if lead > 0 else 'worse'} than an expert"


def count_successes(game: AnyGame, scores: Sequence[Score], seat: Seat, sides: Sides) -> int:
    """Return the number of rounds in which a seat made its bid, or in other games had the best points."""
    if game.exact_bids:
        return sum([bid == won for bid, won in (score.figures[seat] for score in scores)])
    return sum(
        [competition_ranks(score.points, lowest_wins=game.lowest_wins, sides=sides)[seat] == 1 for score in scores]
    )


def load_daily_result(path: Path, streak: int = 0) -> DailyResult:
    """Read the result of a deal of the day. Raises ``CardtableError`` if there is none."""
    journal = session_files.load_journal(path)
    day = find_deal_day(journal.header)
    if day is None:
        raise CardtableError(f"{journal.header.id}: {NOT_DAILY}")
    referee = session_files.replay_journal(path, journal, without_undo=True)
    if referee.turn != OVER or not referee.ranks:
        raise CardtableError(f"{journal.header.id}: {NOT_FINISHED}")
    seat = journal.header.people[0]
    return create_daily_result(
        referee.game, day, referee.scores, seat, referee.sides, referee.ranks[seat], referee.totals[seat], streak
    )


def create_daily_result(
    game: AnyGame, day: date, scores: Sequence[Score], seat: Seat, sides: Sides, place: int, total: int, streak: int
) -> DailyResult:
    """Return the result of ``seat`` in a finished session; ``total`` is the final result."""
    players, successes = len(scores[0].points) if scores else 0, count_successes(game, scores, seat, sides)
    return DailyResult(
        game=game,
        day=day,
        place=place,
        players=players,
        total=total,
        successes=successes,
        rounds=len(scores),
        streak=streak,
    )
