"""Texts at the end of a session: beaten bests, best and worst decision, and the result of a deal of the day."""

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from cardtable.engine.errors import CardtableError
from cardtable.engine.game import OVER, AnyGame, Score, Seat, Sides, competition_ranks
from cardtable.engine.text_format import format_count
from cardtable.engine.tricks import Play
from cardtable.records.personal_bests import Achievements
from cardtable.records.review import DuplicateResult, Review, ReviewedSession, compare_same_deals
from cardtable.robots.kit.hint_spec import format_action_in_sentence
from cardtable.store import session_files
from cardtable.store.session_setup import find_deal_day
from cardtable.wording import review as review_text
from cardtable.wording.formatting import format_day, format_ordinal, format_time_left
from cardtable.wording.players import Names
from cardtable.wording.review import ReviewText
from cardtable.wording.statistics import format_beaten

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


class EndLine(NamedTuple):
    """One line, with cards in notation."""

    label: str
    """Label before the text, or ``""`` for a personal best, which needs none."""
    text: str
    key: str = ""
    """Name of the key binding that shows more, or ``""`` if there is none."""
    more: str = "review"
    """Word for what that key does."""


class EndLines(msgspec.Struct, frozen=True):
    """Lines at the end of a session, as far as they are known, the most important first."""

    lines: tuple[EndLine, ...] = ()
    share: tuple[str, ...] = ()
    """Three lines to share about a deal of the day, or an empty tuple."""
    best_decision: int | None = None
    """Number of the best decision of the player in the session, as in ``PastDecision.decisions``."""


def find_best_decision(decisions: Sequence[ReviewText]) -> ReviewText | None:
    """Return the decision of the expert's opinion with the largest lead over the other choices, or ``None``."""
    right = [
        text
        for text in decisions
        if not text.judgement.cost and str(text.decision.action) == text.judgement.choices[0].action
    ]
    best = max(right, key=lambda text: text.compute_lead(0), default=None)
    return best if best and best.compute_lead(0) > 0 else None


def build_end_lines(
    game: str,
    names: Names,
    achievements: Achievements | None,
    daily: DailyResult | None,
    reviewed: tuple[ReviewedSession, Review] | None,
    seconds_per_deal: float | None = None,
) -> EndLines:
    """Return the lines about a session.

    ``achievements`` and ``reviewed`` are ``None`` until they are known. ``seconds_per_deal`` is the mean time in which
    experts have played a round, if they have played one since the end.
    """
    bests = [
        EndLine("", format_beaten(best, game, names[seat]))
        for seat, beaten in (achievements.beaten if achievements else {}).items()
        for best in beaten
    ]
    session, review = reviewed or (None, Review([], []))
    same_deals = compare_same_deals(session, review) if session else None
    share = tuple(daily.format_lines(same_deals)) if daily else ()
    lines = bests[:1]
    if daily:
        text = _describe_daily(daily, same_deals, session, review, seconds_per_deal)
        lines.append(EndLine("Share", text, "share", "copy"))
    best = None
    if session and session.decisions:
        decisions = review_text.list_evaluated_decisions(session, review)
        if len(decisions) < len(session.decisions):
            lines.append(EndLine("Review", review_text.format_progress(session, review)))
        else:
            best = find_best_decision(decisions)
            lines += _describe_worst(decisions[0])
            if best:
                text = f"{_describe(best)}, best by {best.compute_lead(0):.1f} points"
                lines.append(EndLine("Best", text, "best_decision"))
    return EndLines((*lines, *bests[1:]), share, best.decision.decisions if best else None)


def _describe_daily(
    daily: DailyResult,
    same_deals: DuplicateResult | None,
    session: ReviewedSession | None,
    review: Review,
    seconds_per_deal: float | None,
) -> str:
    streak = f"{format_count(daily.streak, 'day')} in a row; " if daily.streak else ""
    if comparison := daily.compare(same_deals):
        return f"{streak}{comparison}"
    if session is None or seconds_per_deal is None:
        return f"{streak}experts play the same deal"
    seconds = (len(session.deals) - len(review.dealt)) * seconds_per_deal
    return f"experts play the same deal, {format_time_left(seconds)}"


def _describe_worst(worst: ReviewText) -> list[EndLine]:
    if not worst.judgement.cost:
        return [EndLine("Worst", "no decision cost a point", "session_review")]
    better = format_action_in_sentence(worst.find_action(0), worst.pronouns)
    text = f"{_describe(worst)} cost {worst.judgement.cost:.1f}; better: {better}"
    return [EndLine("Worst", text, "session_review")]


def _describe(one: ReviewText) -> str:
    """Return a decision in words: ``round 2, trick 4: QS``, ``round 2: bid 3``, ``round 2: the stock``."""
    action = one.decision.action
    trick = f", {review_text.format_decision_kind(one.game, one.decision)}" if isinstance(action, Play) else ""
    return f"round {one.decision.round}{trick}: {format_action_in_sentence(action, one.pronouns)}"
