"""Lines of the coach on a player's decision."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from cardtable.engine.text_format import format_amount

if TYPE_CHECKING:  # the evaluation is computed in another process
    from cardtable.records.coach_worker import CoachVerdict

NOT_RATED_FROM_NOW: Final = "From your next move on this session is not rated."
"""Message to a player who has switched the coach on."""


def list_verdict_sentences(verdict: "CoachVerdict") -> Sequence[str]:
    """Return sentences on what a decision costs, why, and what is better. Cards are in notation."""
    own = [f"{verdict.own}: {verdict.against}."] if verdict.against else []
    better = f"Better {verdict.better}: {verdict.instead}." if verdict.instead else f"Better: {verdict.better}."
    return f"Coach: about {format_amount(verdict.cost)} points lost.", *own, better


def format_verdict(verdict: "CoachVerdict") -> Sequence[str]:
    """Return the sentences in one line, and in shorter ones that leave out reasons."""
    lost, *_, better = sentences = list_verdict_sentences(verdict)
    return " ".join(sentences), f"{lost} {better}", f"{lost} Better: {verdict.better}."
