"""Review of a seat's decisions in a finished session, and of the results of experts on the same deals.

A decision is judged by the view of the seat at that time, never by hidden cards. Its cost is the advantage of the
expert's choice in worlds other than those in which the choice was found, since the best of several noisy candidates is
overestimated (selection bias). A choice that may be as good within the error costs nothing.

The same deals are also played by an expert in that seat, each round from the state of the session at that time: the
cards are those dealt, robots in other seats keep their levels, and experts replace people.
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
"""Number of worlds for the comparison of a choice that seems worse than the expert's choice."""
SEEMS: Final = 1.0
"""Standard errors, in the worlds of the search, from which a choice seems worse."""
SURE: Final = 2.0
"""Standard errors, in new worlds, from which a choice is worse."""
CERTAIN: Final = 4.0
"""Standard errors, in new worlds, below which a worse choice is checked once more in other worlds."""
THINNER: Final = 3
"""Divisor of the experts' worlds on the same deals: more rounds give more information than better play."""
RUNS: Final = 4
"""Number of runs of the same deals with one expert at the table; fewer with several experts."""


@dataclass(frozen=True, slots=True)
class PastDecision:
    """Decision of a seat, in a round that counted or in the last round of an abandoned session."""

    round: int
    line: int
    """Line number in the journal."""
    decisions: int
    """Number of decisions in the session before this one."""
    view: View
    """View of the seat before the decision."""
    action: Action


@dataclass(frozen=True, slots=True)
class ReviewedSession:
    """Session from the point of view of one seat."""

    header: Header
    seat: Seat
    decisions: tuple[PastDecision, ...]
    deals: tuple[Referee, ...]
    """Referee after the deal of each round."""
    points: tuple[int, ...]
    """Result of the seat in each round, as computed by ``round_result``."""
    given_up: bool = False

    @property
    def steps(self) -> int:
        """Number of pieces of a complete review: one for each decision and one for each round."""
        return len(self.decisions) + len(self.deals)


class Alternative(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Choice that was available."""

    action: str
    worth: float
    """Value as in ``ScoreScale``, in points rounded to tenths."""
    as_good: bool
    """True if the choice was as good as the expert's within the error."""
    share: float | None
    """Share of worlds, from 0 to 1, in which ``DecisionEvaluation.aim`` was reached."""


class DecisionEvaluation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Evaluation of a decision by the expert."""

    cost: float
    """Points by which the expert's choice was better; 0 if the choice was as good within the error."""
    error: float
    """Error of ``cost``: ``SURE`` standard errors, in points."""
    worlds: int
    """Number of worlds compared; 0 if all outcomes were enumerated or only one choice was worth considering."""
    choices: tuple[Alternative, ...]
    """Compared choices, the expert's choice first."""
    aim: str
    """Goal to which the shares of the choices refer, in words; ``""`` if there is none."""
    lasting: bool
    """True if the values of the choices include later rounds."""
    why: tuple[str, ...]
    """Sentences about the expert's choice and, if different, the actual choice; cards in notation."""

    def fits(self, decision: PastDecision) -> bool:
        """Return True if the evaluation can belong to this decision, judged by its actions."""
        legal = [str(action) for action in decision.view.legal]
        listed = [choice.action for choice in self.choices]
        return self.cost >= 0 and str(decision.action) in listed and all(text in legal for text in listed)


Piece: TypeAlias = DecisionEvaluation | tuple[int, ...]
"""Result of one step of a review: an evaluation, or the results of experts in a round, by run."""


class Review(msgspec.Struct, forbid_unknown_fields=True):
    """Review as far as complete: first the decisions, then the rounds, in order."""

    judged: list[DecisionEvaluation]
    dealt: list[tuple[int, ...]]
    """Results of the experts in each round, by run."""

    @property
    def done(self) -> int:
        """Number of finished pieces."""
        return len(self.judged) + len(self.dealt)


def load_played(journal: Journal, seat: Seat, *, given_up: bool = False) -> ReviewedSession:
    """Return the decisions of a seat and the deals of the rounds that counted. Raises ``JournalError``.

    For an abandoned session (``given_up``) the decisions of the round in progress are included.
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
    """Return the result of a seat in a round, as added to the totals: its points; with two seats, the difference."""
    points = [score.weight * points for points in score.points]
    return points[seat] - points[1 - seat] if len(points) == 2 else points[seat]


def _forced(view: View, action: Action) -> bool:
    return len(view.legal) == 1 or only_card(view, action)


def step(session: ReviewedSession, review: Review) -> Piece:
    """Compute the next piece of an incomplete review and add it to the review."""
    number = len(review.judged)
    if number == len(session.decisions):
        review.dealt.append(by_experts(session, len(review.dealt)))
        return review.dealt[-1]
    header = session.header
    review.judged.append(judge(header.game, header.seed, session.decisions[number]))
    return review.judged[-1]


def judge(game: str, seed: int, decision: PastDecision) -> DecisionEvaluation:
    """Return the expert's evaluation of a decision; ``seed``: seed of the session."""
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
    """Evaluate two choices in new worlds; if the second is only slightly worse, once more in others."""
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
    """Comparison of a seat's results with those of experts on the same deals."""

    rounds: int
    own: int
    """Result of the seat in these rounds, as computed by ``round_result``."""
    experts: float
    """Mean result of the experts over their runs."""
    error: float | None
    """Standard error of ``experts``; ``None`` for a single run."""
    runs: int
    a_round: float
    """Points a round by which the seat was ahead of the experts, with the sign of the score sheet."""
    against: bool
    """True if there are two seats, so that all results are differences between them."""


def compare_same_deals(session: ReviewedSession, review: Review) -> DuplicateResult | None:
    """Return the comparison so far; ``None`` if experts have played no round yet."""
    rounds = len(review.dealt)
    if not rounds:
        return None
    totals = [sum(run) for run in zip(*review.dealt, strict=True)]
    own, experts = sum(session.points[:rounds]), fmean(totals)
    error = stdev(totals) / sqrt(len(totals)) if len(totals) > 1 else None
    a_round = (own - experts) / rounds
    return DuplicateResult(rounds, own, experts, error, len(totals), a_round, len(session.header.seats) == 2)


def by_experts(session: ReviewedSession, number: int) -> tuple[int, ...]:
    """Return the results of experts in round ``number`` (from 0), by run."""
    return tuple([_play_run(session, number, run) for run in range(runs(session))])


def runs(session: ReviewedSession) -> int:
    """Return the number of times that the deals of a session are played again."""
    return max(1, RUNS // _levels(session).count(EXPERT))


def _levels(session: ReviewedSession) -> list[str]:
    """Return the levels that play the same deals: experts for people and for the reviewed seat."""
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
