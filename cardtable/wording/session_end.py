"""Lines at the end of a session: beaten personal bests, the deal of the day, best and worst decision."""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from cardtable.engine.text_format import format_count
from cardtable.records.personal_bests import Achievements
from cardtable.records.review import DuplicateResult, Review, ReviewedSession, compare_same_deals
from cardtable.wording import review as review_text
from cardtable.wording.daily_result import DailyResult
from cardtable.wording.formatting import format_time_left
from cardtable.wording.players import Names
from cardtable.wording.review import ReviewText
from cardtable.wording.statistics import format_beaten


class EndLine(NamedTuple):
    """One line, with cards in notation."""

    label: str
    """Label before the text, or ``""`` for a personal best, which needs none."""
    text: str
    key: str = ""
    """Name of the key binding that shows more, or ``""`` if there is none."""


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
        one
        for one in decisions
        if not one.judgement.cost and str(one.decision.action) == one.judgement.choices[0].action
    ]
    best = max(right, key=lambda one: one.compute_lead(0), default=None)
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
        lines.append(EndLine("Share", _describe_daily(daily, same_deals, session, review, seconds_per_deal), "share"))
    best = None
    if session and session.decisions:
        decisions = review_text.list_evaluated_decisions(session, review)
        if len(decisions) < len(session.decisions):
            lines.append(EndLine("Review", review_text.format_progress(session, review)))
        else:
            best = find_best_decision(decisions)
            lines += _describe_worst(decisions[0])
            if best:
                lines.append(EndLine("Best", f"{_describe(best)}, best by {best.compute_lead(0):.1f}", "best_decision"))
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
    text = f"{_describe(worst)} cost {worst.judgement.cost:.1f}; better {worst.better}"
    return [EndLine("Worst", text, "session_review")]


def _describe(one: ReviewText) -> str:
    return f"round {one.decision.round}, {review_text.format_decision_kind(one.game, one.decision)}: {one.chosen}"
