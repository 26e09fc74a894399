"""Worker process of the coach, which evaluates a player's decision while the game goes on.

The evaluation is the one of the review. The process has the lowest priority, so that neither the screen nor a robot nor
a hint waits for it, and it is ended as soon as its answer is not wanted any more.
"""

from collections.abc import Generator
from typing import Final

import msgspec

from cardtable.records.review import PastDecision, judge_decision
from cardtable.robots.hints import Advice, AdviceLine
from cardtable.robots.kit.hint_spec import format_action_in_sentence
from cardtable.robots.kit.robot import load_search_spec
from cardtable.workers.server import WorkerRequest, serve

NICENESS: Final = 19
"""Increment of the nice value of the process, the largest one: it uses only time that nobody else wants."""
NAMED_SHARE: Final = 0.7
"""Share of the points of a big mistake from which the coach names a decision, since its estimate has an error."""
CLEAR_SHARE: Final = 0.35
"""The same share from which it names a decision at the level of all mistakes."""


class CoachVerdict(msgspec.Struct, frozen=True):
    """Judgement of the coach on a decision."""

    cost: float
    """Points by which the expert's choice was better, or 0 if the decision was as good within the error."""
    is_big: bool
    """True if the decision is a big mistake by the standard of the game."""
    is_clear: bool
    """True if the decision is a mistake that is worth mentioning; every big mistake is."""
    own: str
    """Name of the decision at the beginning of a sentence, with cards in notation."""
    better: str
    """Name of the expert's choice within a sentence."""
    against: str
    """Main reason against the decision, after its name; ``""`` if there is none."""
    instead: str
    """Main reason for the expert's choice, after its name; ``""`` if there is none."""


class CoachRequest(WorkerRequest[CoachVerdict], frozen=True):
    """Request for the judgement on a decision."""

    game: str
    seed: int
    """Seed of the session."""
    decision: PastDecision


def judge_choice(request: CoachRequest) -> CoachVerdict:
    """Return the judgement on a decision, computed in this process."""
    evaluation, advice = judge_decision(request.game, request.seed, request.decision)
    own = next(line for line in advice.lines if line.action == request.decision.action)
    best, big = advice.lines[0], load_search_spec(request.game).big_mistake
    return CoachVerdict(
        evaluation.cost,
        is_big=evaluation.cost > 0 and evaluation.cost >= NAMED_SHARE * big,
        is_clear=evaluation.cost > 0 and evaluation.cost >= CLEAR_SHARE * big,
        own=own.name,
        better=format_action_in_sentence(best.action, advice.pronouns, best.name),
        against=_choose_reason(advice, own, own.cons),
        instead=_choose_reason(advice, best, best.pros),
    )


def _choose_reason(advice: Advice, line: AdviceLine, reasons: tuple[str, ...]) -> str:
    return reasons[0] if reasons else advice.format_outcome(line)


def _serve_request(request: CoachRequest) -> Generator[CoachVerdict, None, None]:
    yield judge_choice(request)


def main() -> None:
    serve(_serve_request, NICENESS)
