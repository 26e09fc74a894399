"""Review of one seat's decisions in a finished session, and comparison with experts on the same deals.

A decision is judged by the seat's view at that time, never by hidden cards. Its cost is the lead of the expert's choice
over it in newly sampled worlds (determinizations). The worlds in which that choice was found are not used, since the
best of several noisy estimates is overestimated (selection bias). A choice that may be as good within the error costs
nothing.

The same deals are also played by an expert in the reviewed seat, every round from the state of the session at its deal.
The cards are the same, robots in other seats keep their levels, and experts replace people.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from math import sqrt
from random import Random
from statistics import fmean, stdev
from typing import Final, TypeAlias

import msgspec

from cardtable.engine.game import Action, Score, Seat, View
from cardtable.engine.journal import Header, Journal, with_occupants
from cardtable.engine.referee import Referee
from cardtable.engine.replay import action_of, iter_positions
from cardtable.games import GAMES
from cardtable.robots.hints import WORLDS as COUNTED
from cardtable.robots.hints import Advice, AdviceLine, error_in_points, make_advice, only_card, reevaluated
from cardtable.robots.kit.hint_spec import name_in_sentence
from cardtable.robots.kit.robot import Robot, decide, make, no_time_limit, search_spec_of
from cardtable.robots.kit.search import (
    AnySearchSpec,
    Candidate,
    MonteCarloSearch,
    draw_worlds,
    evaluate_all,
    paired_difference,
)

EXPERT: Final = "expert"
NOT_OVER: Final = "the session is not over yet, and only one that is over can be reviewed"
WORLDS: Final = 300
"""Number of worlds in which a choice that seems worse is compared with the expert's choice."""
SEEMS: Final = 1.0
"""Number of standard errors, in the worlds of the search, from which a choice seems worse."""
SURE: Final = 2.0
"""Number of standard errors, in new worlds, from which a choice is worse."""
CERTAIN: Final = 4.0
"""Number of standard errors, in new worlds, below which a worse choice is compared once more in other worlds."""
THINNER: Final = 3
"""Divisor of the number of worlds that experts search on the same deals.

Rounds played with fewer worlds are cheaper, and more of them give more information than better play.
"""
RUNS: Final = 4
"""Number of times that the deals are played again if one expert is at the table. With several experts there are fewer.
"""


@dataclass(frozen=True, slots=True)
class PastDecision:
    """Decision of a seat in a finished round, or in the last round of an abandoned session."""

    round: int
    line: int
    """Line number in the journal."""
    decisions: int
    """Number of earlier decisions in the session, by all seats."""
    view: View
    """View of the seat just before the decision."""
    action: Action


@dataclass(frozen=True, slots=True)
class ReviewedSession:
    """Session as one seat played it."""

    header: Header
    seat: Seat
    decisions: tuple[PastDecision, ...]
    deals: tuple[Referee, ...]
    """Referee just after the deal of each finished round."""
    points: tuple[int, ...]
    """Result of the seat in each finished round, as returned by ``compute_round_result``."""
    given_up: bool = False

    @property
    def steps(self) -> int:
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

    def fits(self, decision: PastDecision) -> bool:
        """Return True if the evaluation can belong to this decision, judging by the actions."""
        legal = [str(action) for action in decision.view.legal]
        listed = [choice.action for choice in self.choices]
        return self.cost >= 0 and str(decision.action) in listed and all(text in legal for text in listed)


Piece: TypeAlias = DecisionEvaluation | tuple[int, ...]
"""One piece of a review: the evaluation of a decision, or the results of experts in a round, by run."""


class Review(msgspec.Struct, forbid_unknown_fields=True):
    """Review of a session, as far as it is complete. Decisions come first, then rounds, both in order."""

    judged: list[DecisionEvaluation]
    dealt: list[tuple[int, ...]]
    """Results of the experts in each round, by run."""

    @property
    def done(self) -> int:
        """Number of pieces that are complete."""
        return len(self.judged) + len(self.dealt)


def load_played(journal: Journal, seat: Seat, *, given_up: bool = False) -> ReviewedSession:
    """Return the decisions of ``seat`` in a journal, and the deals of the finished rounds.

    Decisions without an alternative are left out, and so are decisions that were undone. If ``given_up`` is True,
    decisions in the round in progress are included. Raises ``JournalError`` if the journal cannot be replayed.
    """
    tables = iter_positions(journal, GAMES)
    _, table = next(tables)
    decisions: list[PastDecision] = []
    deals: dict[int, Referee] = {}
    for entry in journal.entries:
        line = entry.line
        if line.action is not None and line.seat == seat == table.turn:
            view = table.view(seat)
            chosen = action_of(view.legal, line.action)
            if chosen is not None:
                decisions.append(PastDecision(view.round, entry.number, table.decisions, view, chosen))
        next(tables)
        if line.undo is not None:
            decisions = [one for one in decisions if one.decisions < table.decisions]
        elif line.void is not None:
            decisions = [one for one in decisions if one.round != table.round]
            deals.pop(table.round, None)
        elif table.turn >= 0 and table.round not in deals:
            deals[table.round] = table.copy()
    rounds = len(table.scores)
    judged = rounds + (given_up and table.playing)
    return ReviewedSession(
        with_occupants(journal.header, table.new_occupants),
        seat,
        tuple([one for one in decisions if one.round <= judged and not _forced(one.view, one.action)]),
        tuple([deals[number] for number in range(1, rounds + 1)]),
        tuple([round_result(score, seat) for score in table.scores]),
        given_up,
    )


def round_result(score: Score, seat: Seat) -> int:
    """Return the weighted points of a seat in a round. With two seats the opponent's points are subtracted."""
    points = [score.weight * points for points in score.points]
    return points[seat] - points[1 - seat] if len(points) == 2 else points[seat]


def _forced(view: View, action: Action) -> bool:
    return len(view.legal) == 1 or only_card(view, action)


def step(session: ReviewedSession, review: Review) -> Piece:
    """Compute the next piece of an incomplete review, add it to the review in place, and return it."""
    number = len(review.judged)
    if number == len(session.decisions):
        review.dealt.append(by_experts(session, len(review.dealt)))
        return review.dealt[-1]
    header = session.header
    review.judged.append(judge(header.game, header.seed, session.decisions[number]))
    return review.judged[-1]


def judge(game: str, seed: int, decision: PastDecision) -> DecisionEvaluation:
    """Let the expert evaluate a decision.

    ``game`` is the key of the game. ``seed`` is the seed of the session; the worlds are derived from it, so that the
    result is reproducible.
    """
    guide, view, own = search_spec_of(game), decision.view, decision.action
    rng = Random(f"review {seed} {view.seat} {decision.decisions}")
    found = MonteCarloSearch(guide).compare(view, rng, no_time_limit, own)
    some = [world for world, _ in islice(draw_worlds(guide, view, rng), COUNTED)]
    advice = make_advice(game, view, found, some, own=own)
    best, chosen = found[0], next(one for one in found if one.action == own)
    if paired_difference(best, chosen).clear(SEEMS):
        best, chosen = _evaluate_again(guide, view, [best.action, own], rng)
        advice = reevaluated(game, view, advice, best, chosen, SURE)
    line = next(line for line in advice.lines if line.action == own)
    cost = 0.0 if line.as_good else (advice.lines[0].worth or 0.0) - (line.worth or 0.0)
    error = 0.0 if best is chosen else SURE * error_in_points(guide, view, paired_difference(best, chosen))
    worlds = 0 if best.chances else min(len(best.values), len(chosen.values))
    choices, lasting = tuple(map(_choice, advice.lines)), advice.measure.lasting
    return DecisionEvaluation(round(cost, 1), round(error, 1), worlds, choices, advice.aim, lasting, _why(advice, line))


def _evaluate_again(guide: AnySearchSpec, view: View, actions: Sequence[Action], rng: Random) -> list[Candidate]:
    """Evaluate two choices in new worlds. If the second is worse by little, evaluate both once more in other worlds."""
    pair = evaluate_all(guide, view, actions, WORLDS, rng)
    lag = paired_difference(*pair)
    if lag.clear(SURE) and not lag.clear(CERTAIN):
        pair = evaluate_all(guide, view, actions, WORLDS, rng)
    return pair


def _choice(line: AdviceLine) -> Alternative:
    return Alternative(str(line.action), line.worth or 0.0, line.as_good, line.share)


def _why(advice: Advice, own: AdviceLine) -> tuple[str, ...]:
    best = advice.lines[0]
    if own is best:
        return (advice.about(best),)
    if own.as_good and advice.does(own) == advice.does(best):
        return (f"{best.name} or {name_in_sentence(own.action)}: {advice.does(best)}",)
    return advice.about(best), f"{advice.about(own)}; {advice.standing(own)}"


@dataclass(frozen=True, slots=True)
class DuplicateResult:
    """Comparison of a seat's results with the results of experts on the same deals."""

    rounds: int
    own: int
    """Result of the seat in these rounds, the sum of ``ReviewedSession.points``."""
    experts: float
    """Mean result of the experts, over all runs."""
    error: float | None
    """Standard error of ``experts``, or ``None`` if there is only one run."""
    runs: int
    a_round: float
    """Lead of the seat over the experts in points per round, with the sign of the score sheet."""
    against: bool
    """True if there are two seats, so that all results are differences between them."""


def compare_same_deals(session: ReviewedSession, review: Review) -> DuplicateResult | None:
    """Return the comparison over the rounds that experts have played so far, or ``None`` if they have played none."""
    rounds = len(review.dealt)
    if not rounds:
        return None
    totals = [sum(run) for run in zip(*review.dealt, strict=True)]
    own, experts = sum(session.points[:rounds]), fmean(totals)
    error = stdev(totals) / sqrt(len(totals)) if len(totals) > 1 else None
    a_round = (own - experts) / rounds
    return DuplicateResult(rounds, own, experts, error, len(totals), a_round, len(session.header.seats) == 2)


def by_experts(session: ReviewedSession, number: int) -> tuple[int, ...]:
    """Let experts play round ``number`` (numbered from 0), and return their results by run."""
    return tuple([_play_run(session, number, run) for run in range(runs(session))])


def runs(session: ReviewedSession) -> int:
    """Return how many times the deals of a session are played again by experts. More experts at the table play fewer
    runs.
    """
    return max(1, RUNS // _levels(session).count(EXPERT))


def _levels(session: ReviewedSession) -> list[str]:
    """Return the robot levels by seat that play the same deals. Experts replace people and the reviewed seat."""
    seats = enumerate(session.header.seats)
    return [EXPERT if seat == session.seat or who.robot is None else who.robot for seat, who in seats]


def _play_run(session: ReviewedSession, number: int, run: int) -> int:
    table, key = session.deals[number].copy(), session.header.game
    robots = [_robot(level, key) for level in _levels(session)]
    seed = Random(f"same deals {table.seed} {session.seat} {run}").getrandbits(48)
    while table.playing:
        seat = table.turn
        table.play(seat, decide(robots[seat], table.view(seat), seed, table.decisions))
    return round_result(table.scores[-1], session.seat)


def _robot(level: str, game: str) -> Robot:
    if level != EXPERT:
        return make(level, game)
    guide = search_spec_of(game)
    return MonteCarloSearch(replace(guide, worlds=guide.worlds // THINNER))
