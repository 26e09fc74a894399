"""Review of one seat's decisions in a finished session, and comparison with experts on the same deals.

A decision is judged by the seat's view at that time, never by hidden cards. Its cost is the lead of the expert's choice
over it in newly sampled worlds (determinizations). The worlds in which that choice was found are not used, since the
best of several noisy estimates is overestimated (selection bias). A choice that may be as good within the error costs
nothing.

The same deals are also played by an expert in the reviewed seat, every round from the state of the session at its deal.
The cards are the same, robots in other seats keep their levels, and experts replace people.

The coach evaluates a player's decision in the same way while the game goes on, in a process that is started from this
module. It has the lowest priority, so that neither the screen nor a robot nor a hint waits for it, and is ended as soon
as its answer is not wanted any more.
"""

from collections.abc import Generator, Sequence
from math import sqrt
from random import Random
from statistics import fmean, stdev
from typing import Final, TypeAlias

import msgspec
from msgspec.structs import replace

from cardtable.engine.game import Action, Score, Seat, View, find_action
from cardtable.engine.journal import ActionLine, Header, Journal, UndoLine, VoidLine, replace_occupants
from cardtable.engine.presentation import SEAT_NAMES
from cardtable.engine.referee import Referee
from cardtable.engine.replay import iter_positions
from cardtable.games import GAMES
from cardtable.robots.hints import (
    Advice,
    AdviceLine,
    compute_error_in_points,
    is_only_card,
    judge_choices,
    make_advice,
    reevaluate_advice,
)
from cardtable.robots.kit.hint_spec import YOURSELF, format_as_choice, format_as_subject
from cardtable.robots.kit.robot import Robot, decide, load_search_spec, make_robot, no_time_limit
from cardtable.robots.kit.search import MonteCarloSearch, evaluate_all
from cardtable.robots.kit.search_spec import AnySearchSpec, Candidate, compute_paired_difference
from cardtable.store import session_files
from cardtable.workers.server import WorkerRequest, serve

EXPERT: Final = "expert"
NOT_OVER: Final = "the session is not over yet, and only one that is over can be reviewed"
COMPARISON_WORLDS: Final = 300
"""Number of worlds in which a choice that seems worse is compared with the expert's choice."""
SUSPECT_ERRORS: Final = 1.0
"""Number of standard errors, in the worlds in which all choices are judged, from which a choice seems worse."""
WORSE_ERRORS: Final = 2.0
"""Number of standard errors, in new worlds, from which a choice is worse."""
RECHECK_ERRORS: Final = 4.0
"""Number of standard errors, in new worlds, below which a worse choice is compared once more in other worlds."""
WORLDS_DIVISOR: Final = 3
"""Divisor of the number of worlds that experts search on the same deals.

Rounds played with fewer worlds are cheaper, and more of them give more information than better play.
"""
MAX_RUNS: Final = 4
"""Number of times that the deals are played again if one expert is at the table. With several experts there are fewer.
"""


class PastDecision(msgspec.Struct, frozen=True):
    """Decision of a seat in a finished round, or in the last round of an abandoned session."""

    round: int
    line: int
    """Line number in the journal."""
    decisions: int
    """Number of earlier decisions in the session, by all seats."""
    view: View
    """View of the seat just before the decision."""
    action: Action


class ReviewedSession(msgspec.Struct, frozen=True):
    """Session as one seat played it."""

    header: Header
    seat: Seat
    decisions: tuple[PastDecision, ...]
    deals: tuple[Referee, ...]
    """Referee just after the deal of each finished round."""
    points: tuple[int, ...]
    """Result of the seat in each finished round, as returned by ``compute_round_result``."""
    is_abandoned: bool = False
    worlds: int | None = None
    """Number of worlds in which robots of the session have searched at most; ``None`` if it was not limited."""
    scores: tuple[Score, ...] = ()
    """Scores of the finished rounds."""
    names: tuple[str, ...] = SEAT_NAMES
    """Names by seat, with those of others who made rounds; see ``session_files.list_sheet_names``."""

    @property
    def step_count(self) -> int:
        """Number of pieces in the complete review: one for each decision and one for each round."""
        return len(self.decisions) + len(self.deals)


class Alternative(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Choice that was available to the player, with its value."""

    action: str
    worth: float
    """Value in points, as in ``ScoreScale``, rounded to tenths."""
    as_good: bool
    """True if the choice was as good as the expert's choice within the error."""
    share: float | None
    """Share of worlds, from 0 to 1, in which ``DecisionEvaluation.aim`` was reached, or ``None`` if there is no aim."""


class DecisionEvaluation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Evaluation of a decision by the expert."""

    cost: float
    """Points by which the expert's choice was better, or 0 if the player's choice was as good within the error."""
    error: float
    """Error of ``cost`` in points: ``WORSE_ERRORS`` standard errors."""
    worlds: int
    """Number of worlds in which the choices were compared.

    It is 0 if all outcomes were enumerated, or if only one choice was worth considering.
    """
    choices: tuple[Alternative, ...]
    """Choices that were compared, the expert's choice first."""
    aim: str
    """Goal to which ``Alternative.share`` refers, in words, or ``""`` if there is none."""
    lasting: bool
    """True if the values of the choices include the later rounds of the session."""
    why: tuple[str, ...]
    """Sentences about the expert's choice and, if it differs, the player's choice. Cards are in notation."""

    def can_belong_to(self, decision: PastDecision) -> bool:
        """Return True if the evaluation can belong to this decision, judging by the actions."""
        legal = [str(action) for action in decision.view.legal]
        listed = [choice.action for choice in self.choices]
        return self.cost >= 0 and str(decision.action) in listed and all(text in legal for text in listed)


ReviewPiece: TypeAlias = DecisionEvaluation | tuple[int, ...]
"""One piece of a review: the evaluation of a decision, or the results of experts in a round, by run."""


class Review(msgspec.Struct, forbid_unknown_fields=True):
    """Review of a session, as far as it is complete. Decisions and rounds are in the order of play."""

    judged: list[DecisionEvaluation]
    dealt: list[tuple[int, ...]]
    """Results of the experts in each round, by run."""

    @property
    def done_count(self) -> int:
        return len(self.judged) + len(self.dealt)

    def add(self, piece: "Review | ReviewPiece") -> None:
        """Add the next piece. A whole review, which was stored earlier, replaces the content."""
        if isinstance(piece, Review):
            self.judged, self.dealt = piece.judged, piece.dealt
        elif isinstance(piece, tuple):
            self.dealt.append(piece)
        else:
            self.judged.append(piece)


def load_reviewed_session(journal: Journal, seat: Seat, *, is_abandoned: bool = False) -> ReviewedSession:
    """Return the decisions of ``seat`` in a journal, and the deals of the finished rounds.

    Decisions without an alternative are left out, and so are decisions that were undone. If ``is_abandoned`` is True,
    decisions in the round in progress are included. Raises ``JournalError`` if the journal cannot be replayed.
    """
    positions = iter_positions(journal, GAMES)
    _, referee = next(positions)
    decisions: list[PastDecision] = []
    deals: dict[int, Referee] = {}
    for entry in journal.entries:
        line = entry.line
        if isinstance(line, ActionLine) and line.seat == seat == referee.turn and line.robot is None:
            view = referee.view(seat)
            chosen = find_action(view.legal, line.action)
            if chosen is not None and len(view.legal) > 1 and not is_only_card(view, chosen):
                decisions.append(PastDecision(view.round, entry.number, referee.decisions, view, chosen))
        next(positions)
        if isinstance(line, UndoLine):
            decisions = [one for one in decisions if one.decisions < referee.decisions]
        elif isinstance(line, VoidLine):
            decisions = [one for one in decisions if one.round != referee.round]
            deals.pop(referee.round, None)
        elif referee.turn >= 0 and referee.round not in deals:
            deals[referee.round] = referee.copy()
    rounds = len(referee.scores)
    judged = rounds + 1 if is_abandoned and referee.playing else rounds
    return ReviewedSession(
        header=replace_occupants(journal.header, referee.occupants.changed),
        seat=seat,
        decisions=tuple([one for one in decisions if one.round <= judged]),
        deals=tuple([deals[number] for number in range(1, rounds + 1)]),
        points=tuple([compute_round_result(score, seat) for score in referee.scores]),
        is_abandoned=is_abandoned,
        worlds=referee.worlds,
        scores=tuple(referee.scores),
        names=tuple(session_files.list_sheet_names(journal, referee)),
    )


def compute_round_result(score: Score, seat: Seat) -> int:
    """Return the weighted points of a seat in a round. With two seats the opponent's points are subtracted."""
    points = [score.weight * points for points in score.points]
    return points[seat] - points[1 - seat] if len(points) == 2 else points[seat]


def compute_next_piece(session: ReviewedSession, review: Review, *, deals_first: bool = False) -> ReviewPiece:
    """Compute the next piece of an incomplete review, add it to the review in place, and return it.

    The decisions are evaluated before experts play the rounds, or afterwards with ``deals_first``.
    """
    number = len(review.judged)
    if number == len(session.decisions) or (deals_first and len(review.dealt) < len(session.deals)):
        review.dealt.append(play_round_by_experts(session, len(review.dealt)))
        return review.dealt[-1]
    header = session.header
    decision = session.decisions[number]
    evaluation, _ = judge_decision(header.game, header.seed, decision, session.worlds, session.names)
    review.judged.append(evaluation)
    return evaluation


def judge_decision(
    game: str, seed: int, decision: PastDecision, worlds: int | None = None, names: Sequence[str] = SEAT_NAMES
) -> tuple[DecisionEvaluation, Advice]:
    """Let the expert evaluate a decision. Return the evaluation, and the hint on which its reasons are based.

    ``game`` is the key of the game. ``seed`` is the seed of the session; the worlds are derived from it, so that the
    result is reproducible. ``worlds`` is the number of worlds in which the expert may search at most. ``names`` are
    those of the players by seat.
    """
    spec, view, own = load_search_spec(game, worlds), decision.view, decision.action
    rng = Random(f"review {seed} {view.seat} {decision.decisions}")
    actions = [one.action for one in MonteCarloSearch(spec).compare(view, rng, no_time_limit, own)]
    candidates, worlds_of_facts = judge_choices(spec, view, actions, rng, no_time_limit)
    advice = make_advice(game, view, candidates, worlds_of_facts, YOURSELF._replace(names=names), own)
    best, chosen = candidates[0], next(one for one in candidates if one.action == own)
    lag = compute_paired_difference(best, chosen)
    if lag.is_clear(SUSPECT_ERRORS) or (best is not chosen and not lag.error):  # equal in few worlds
        best, chosen = _evaluate_again(spec, view, [best.action, own], rng)
        advice = reevaluate_advice(game, view, advice, best, chosen, WORSE_ERRORS)
    line = next(line for line in advice.lines if line.action == own)
    cost = 0.0 if line.is_as_good else (advice.lines[0].value or 0.0) - (line.value or 0.0)
    lag = compute_paired_difference(best, chosen)
    error = 0.0 if best is chosen else WORSE_ERRORS * compute_error_in_points(spec, view, lag)
    choices = [Alternative(str(line.action), line.value or 0.0, line.is_as_good, line.share) for line in advice.lines]
    evaluation = DecisionEvaluation(
        cost=round(cost, 1),
        error=round(error, 1),
        worlds=0 if best.in_all_worlds else min(len(best.values), len(chosen.values)),
        choices=tuple(choices),
        aim=advice.goal_clause,
        lasting=advice.scale.includes_later_rounds,
        why=_explain(advice, line),
    )
    return evaluation, advice


def _evaluate_again(spec: AnySearchSpec, view: View, actions: Sequence[Action], rng: Random) -> list[Candidate]:
    """Evaluate two choices in new worlds. If the second is worse by little, evaluate both once more in other worlds."""
    pair = evaluate_all(spec, view, actions, COMPARISON_WORLDS, rng)
    lag = compute_paired_difference(*pair)
    if lag.is_clear(WORSE_ERRORS) and not lag.is_clear(RECHECK_ERRORS):
        pair = evaluate_all(spec, view, actions, COMPARISON_WORLDS, rng)
    return pair


def _explain(advice: Advice, chosen: AdviceLine) -> tuple[str, ...]:
    best = advice.lines[0]
    lines = (best, chosen) if chosen is not best and chosen.reasons else (best,)
    return tuple(map(advice.format_line, lines))


class DuplicateResult(msgspec.Struct, frozen=True):
    """Comparison of a seat's results with the results of experts on the same deals."""

    rounds: int
    own: int
    """Result of the seat in these rounds, the sum of ``ReviewedSession.points``."""
    experts: float
    """Mean result of the experts, over all runs."""
    error: float | None
    """Standard error of ``experts``, or ``None`` if there is only one run."""
    runs: int
    lead_per_round: float
    """Lead of the seat over the experts in points per round, with the sign of the score sheet."""
    is_difference: bool
    """True if there are two seats, so that all results are differences between them."""


def compare_same_deals(session: ReviewedSession, review: Review) -> DuplicateResult | None:
    """Return the comparison over the rounds that experts have played so far, or ``None`` if they have played none."""
    rounds = len(review.dealt)
    if not rounds:
        return None
    totals = [sum(run) for run in zip(*review.dealt, strict=True)]
    own, experts = sum(session.points[:rounds]), fmean(totals)
    error = stdev(totals) / sqrt(len(totals)) if len(totals) > 1 else None
    return DuplicateResult(
        rounds=rounds,
        own=own,
        experts=experts,
        error=error,
        runs=len(totals),
        lead_per_round=(own - experts) / rounds,
        is_difference=len(session.header.seats) == 2,
    )


def play_round_by_experts(session: ReviewedSession, number: int) -> tuple[int, ...]:
    """Let experts play round ``number`` (numbered from 0), and return their results by run."""
    return tuple([_play_run(session, number, run) for run in range(count_runs(session))])


def count_runs(session: ReviewedSession) -> int:
    """Return how many times the deals of a session are played again by experts.

    More experts at the table play fewer runs.
    """
    return max(1, MAX_RUNS // _list_levels(session).count(EXPERT))


def _list_levels(session: ReviewedSession) -> list[str]:
    """Return the robot levels by seat that play the same deals. Experts replace people and the reviewed seat."""
    seats = enumerate(session.header.seats)
    return [EXPERT if seat == session.seat or occupant.robot is None else occupant.robot for seat, occupant in seats]


def _play_run(session: ReviewedSession, number: int, run: int) -> int:
    referee, key = session.deals[number].copy(), session.header.game
    robots = [_create_robot(level, key, session.worlds) for level in _list_levels(session)]
    seed = Random(f"same deals {referee.seed} {session.seat} {run}").getrandbits(48)
    while referee.playing:
        seat = referee.turn
        referee.play(seat, decide(robots[seat], referee.view(seat), seed, referee.decisions))
    return compute_round_result(referee.scores[-1], session.seat)


def _create_robot(level: str, game_key: str, worlds: int | None) -> Robot:
    if level != EXPERT:
        return make_robot(level, game_key, worlds)
    spec = load_search_spec(game_key, worlds)
    return MonteCarloSearch(replace(spec, worlds=max(1, spec.worlds // WORLDS_DIVISOR)))


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
    error: float
    """Error of ``cost``, as in ``DecisionEvaluation``."""
    is_big: bool
    """True if the decision is a big mistake by the standard of the game."""
    is_clear: bool
    """True if the decision is a mistake that is worth mentioning; every big mistake is."""
    own: str
    """The decision as a subject, with cards in notation."""
    better: str
    """The expert's choice, as after *better*."""
    against: str
    """Main reason against the decision, a predicate; ``""`` if there is none."""
    instead: str
    """Main reason for the expert's choice, a predicate; ``""`` if there is none."""


class CoachRequest(WorkerRequest[CoachVerdict], frozen=True):
    """Request for the judgement on a decision."""

    game: str
    seed: int
    """Seed of the session."""
    decision: PastDecision
    worlds: int | None = None
    """Number of worlds in which the expert may search at most; ``None`` if it is not limited."""
    names: Sequence[str] = SEAT_NAMES


def judge_choice(request: CoachRequest) -> CoachVerdict:
    """Return the judgement on a decision, computed in this process."""
    evaluation, advice = judge_decision(request.game, request.seed, request.decision, request.worlds, request.names)
    own = next(line for line in advice.lines if line.action == request.decision.action)
    best, big = advice.lines[0], load_search_spec(request.game).big_mistake
    return CoachVerdict(
        evaluation.cost,
        evaluation.error,
        is_big=evaluation.cost > 0 and evaluation.cost >= NAMED_SHARE * big,
        is_clear=evaluation.cost > 0 and evaluation.cost >= CLEAR_SHARE * big,
        own=format_as_subject(own.action, advice.pronouns, own.name),
        better=format_as_choice(best.action, advice.pronouns, best.name),
        against="".join(own.cons[:1]),
        instead="".join(best.pros[:1]),
    )


def _serve_request(request: CoachRequest) -> Generator[CoachVerdict, None, None]:
    yield judge_choice(request)


def main() -> None:
    """Answer the requests of the coach; ``review_worker`` computes reviews."""
    serve(_serve_request, NICENESS)
