"""Lines of the coach on a player's decision."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:  # the evaluation is computed in another process
    from cardtable.records.coach_worker import CoachVerdict

NOT_RATED_FROM_NOW: Final = "From your next move on this session is not rated."
"""Message to a player who has switched the coach on."""
_TENTHS_BELOW: Final = 10
"""Number of points from which costs are shown without tenths."""


def list_sentences(verdict: "CoachVerdict") -> Sequence[str]:
    """Return sentences on what a decision costs, why, and what is better. Cards are in notation."""
    cost = f"{verdict.cost:.1f}" if verdict.cost < _TENTHS_BELOW else f"{verdict.cost:.0f}"
    own = [f"{verdict.own}: {verdict.against}."] if verdict.against else []
    better = f"Better {verdict.better}: {verdict.instead}." if verdict.instead else f"Better: {verdict.better}."
    return f"Coach: about {cost} points lost.", *own, better


def format_verdict(verdict: "CoachVerdict") -> Sequence[str]:
    """Return the sentences in one line, and in shorter ones that leave out reasons."""
    lost, *_, better = sentences = list_sentences(verdict)
    return " ".join(sentences), f"{lost} {better}", f"{lost} Better: {verdict.better}."
