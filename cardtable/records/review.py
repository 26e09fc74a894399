"""What the expert thinks of the decisions of a seat in a session that is over, and what it makes of the same deals.

A decision is judged by what that seat saw then, never by cards that it could not see.  It costs what
the expert's choice brings more in the same worlds, which are not those in which the choice was found:
the best of several that chance moves looks better than it is.  What may have done as well is no
mistake.

The same deals are played by an expert in that seat, round by round from where the session stood: the
cards are those that were dealt, robots elsewhere keep their levels, and experts sit in for people.
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
from cardtable.robots.hints import Advice, AdviceLine, counsel, counted_again, error_of, only_card
from cardtable.robots.kit.hint_spec import inside
from cardtable.robots.kit.robot import Robot, decide, guide_of, make, never
from cardtable.robots.kit.search import (
    AnyGuide,
    Candidate,
    MonteCarloSearch,
    draw_worlds,
    evaluate_all,
    paired_difference,
)

EXPERT: Final = "expert"
NOT_OVER: Final = "the session is not over yet, and only one that is over can be reviewed"
WORLDS: Final = 300
"""Worlds in which a choice that seems to be worse than the expert's is compared with that."""
SEEMS: Final = 1.0
"""Standard errors by which it seems so, in the worlds of the search; ..."""
SURE: Final = 2.0
"""... and those by which it surely is, in the others, ..."""
CERTAIN: Final = 4.0
"""... and once more in still others, unless it was by so many."""
THINNER: Final = 3
"""On the same deals experts look at so many times fewer worlds: more rounds tell more than better ones."""
RUNS: Final = 4
"""How often the same deals are played with one expert at the table; with several of them less often."""


@dataclass(frozen=True, slots=True)
class PastDecision:
    """A choice that a seat had in a round that counted or was given up, and what it chose."""

    round: int
    line: int
    """The number of the journal's line."""
    decisions: int
    """How many decisions stood in the session before it."""
    view: View
    """What the seat saw."""
    action: Action


@dataclass(frozen=True, slots=True)
class Played:
    """A session as one seat played it."""

    header: Header
    seat: Seat
    decisions: tuple[PastDecision, ...]
    deals: tuple[Referee, ...]
    """The table once the cards of each round lay there."""
    points: tuple[int, ...]
    """What the seat made of each round, as ``made`` counts."""
    given_up: bool = False

    @property
    def steps(self) -> int:
        """How many pieces its review has: one for each decision, and one for each round."""
        return len(self.decisions) + len(self.deals)


class Alternative(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Something that could be chosen."""

    action: str
    worth: float
    """What it was worth, as ``ScoreScale`` has it, in tenths."""
    as_good: bool
    """Whether it was as good as the expert's choice within the error."""
    share: float | None
    """How often ``DecisionEvaluation.aim`` was reached, from 0 to 1."""


class DecisionEvaluation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the expert thinks of a decision."""

    cost: float
    """Points by which the expert's choice was better; 0 for what is as good within the error."""
    error: float
    """How far that may be off: so many standard errors as make ``SURE``."""
    worlds: int
    """Worlds in which it was counted; 0 where all that may be was, or nothing was worth a comparison."""
    choices: tuple[Alternative, ...]
    """What was compared, the expert's choice first."""
    aim: str
    """What the shares of the choices count, in words; empty where there is none."""
    lasting: bool
    """Whether what is left for later rounds counts with what the choices are worth."""
    why: tuple[str, ...]
    """What the expert's choice does, and what was chosen if that is another, in sentences; cards in notation."""

    def fits(self, decision: PastDecision) -> bool:
        """Whether it can be about this decision, as far as that shows."""
        legal = [str(action) for action in decision.view.legal]
        told = [choice.action for choice in self.choices]
        return self.cost >= 0 and str(decision.action) in told and all(text in legal for text in told)


Piece: TypeAlias = DecisionEvaluation | tuple[int, ...]
"""What is found out at a time: about a decision, or what experts made of a round, run by run."""


class Review(msgspec.Struct, forbid_unknown_fields=True):
    """What is known so far: in order of the decisions, then of the rounds."""

    judged: list[DecisionEvaluation]
    dealt: list[tuple[int, ...]]
    """What the experts made of each round, run by run."""

    @property
    def done(self) -> int:
        """How many pieces there are."""
        return len(self.judged) + len(self.dealt)


def played(journal: Journal, seat: Seat, *, given_up: bool = False) -> Played:
    """The decisions of a seat and the deals, in the rounds that counted.  Raises ``JournalError``.

    In a session that was ``given_up`` the decisions of the round in progress are there, too.
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
    return Played(
        with_occupants(journal.header, table.sitters),
        seat,
        tuple([one for one in decisions if one.round <= judged and not _forced(one.view, one.action)]),
        tuple([deals[number] for number in range(1, rounds + 1)]),
        tuple([made(score, seat) for score in table.scores]),
        given_up,
    )


def made(score: Score, seat: Seat) -> int:
    """What a seat made of a round, as the totals count: its points; where two play, those less the other's."""
    points = [score.weight * points for points in score.points]
    return points[seat] - points[1 - seat] if len(points) == 2 else points[seat]


def _forced(view: View, action: Action) -> bool:
    return len(view.legal) == 1 or only_card(view, action)


def step(session: Played, review: Review) -> Piece:
    """The next piece of a review that is not whole, which is added to it."""
    number = len(review.judged)
    if number == len(session.decisions):
        review.dealt.append(by_experts(session, len(review.dealt)))
        return review.dealt[-1]
    header = session.header
    review.judged.append(judge(header.game, header.seed, session.decisions[number]))
    return review.judged[-1]


def judge(game: str, seed: int, decision: PastDecision) -> DecisionEvaluation:
    """What the expert of the game of a key thinks of a decision in a session of this seed."""
    guide, view, own = guide_of(game), decision.view, decision.action
    rng = Random(f"review {seed} {view.seat} {decision.decisions}")
    found = MonteCarloSearch(guide).compare(view, rng, never, own)
    some = [world for world, _ in islice(draw_worlds(guide, view, rng), COUNTED)]
    advice = counsel(game, view, found, some, own=own)
    best, chosen = found[0], next(one for one in found if one.action == own)
    if paired_difference(best, chosen).clear(SEEMS):
        best, chosen = _weighed_again(guide, view, [best.action, own], rng)
        advice = counted_again(game, view, advice, best, chosen, SURE)
    line = next(line for line in advice.lines if line.action == own)
    cost = 0.0 if line.as_good else (advice.lines[0].worth or 0.0) - (line.worth or 0.0)
    error = 0.0 if best is chosen else SURE * error_of(guide, view, paired_difference(best, chosen))
    worlds = 0 if best.chances else min(len(best.values), len(chosen.values))
    choices, lasting = tuple(map(_choice, advice.lines)), advice.measure.lasting
    return DecisionEvaluation(round(cost, 1), round(error, 1), worlds, choices, advice.aim, lasting, _why(advice, line))


def _weighed_again(guide: AnyGuide, view: View, actions: Sequence[Action], rng: Random) -> list[Candidate]:
    """Two choices in other worlds; a second one that is surely worse there, in others again."""
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
        return (f"{best.name} or {inside(own.action)}: {advice.does(best)}",)
    return advice.about(best), f"{advice.about(own)}; {advice.standing(own)}"


@dataclass(frozen=True, slots=True)
class DuplicateResult:
    """What came of the rounds that experts have played, too."""

    rounds: int
    own: int
    """What the seat made of them, as ``made`` counts, ..."""
    experts: float
    """... and what experts did, on average of their runs."""
    error: float | None
    """The standard error of that; ``None`` for a single run."""
    runs: int
    a_round: float
    """How many points more than the experts the seat made in a round, as the score sheet counts them."""
    against: bool
    """Whether two play, so that all this is what one made less what the other did."""


def same_deals(session: Played, review: Review) -> DuplicateResult | None:
    """What is known so far; ``None`` where experts have played no round yet."""
    rounds = len(review.dealt)
    if not rounds:
        return None
    totals = [sum(run) for run in zip(*review.dealt, strict=True)]
    own, experts = sum(session.points[:rounds]), fmean(totals)
    error = stdev(totals) / sqrt(len(totals)) if len(totals) > 1 else None
    a_round = (own - experts) / rounds
    return DuplicateResult(rounds, own, experts, error, len(totals), a_round, len(session.header.seats) == 2)


def by_experts(session: Played, number: int) -> tuple[int, ...]:
    """What experts make of the round of this number, from 0 on, run by run."""
    return tuple([_one_run(session, number, run) for run in range(runs(session))])


def runs(session: Played) -> int:
    """How often the deals of a session are played again."""
    return max(1, RUNS // _levels(session).count(EXPERT))


def _levels(session: Played) -> list[str]:
    """Who plays the same deals: an expert for each person and in the seat that is reviewed."""
    seats = enumerate(session.header.seats)
    return [EXPERT if seat == session.seat or who.robot is None else who.robot for seat, who in seats]


def _one_run(session: Played, number: int, run: int) -> int:
    table, key = session.deals[number].copy(), session.header.game
    robots = [_robot(level, key) for level in _levels(session)]
    seed = Random(f"same deals {table.seed} {session.seat} {run}").getrandbits(48)
    while table.playing:
        seat = table.turn
        table.play(seat, decide(robots[seat], table.view(seat), seed, table.decisions))
    return made(table.scores[-1], session.seat)


def _robot(level: str, game: str) -> Robot:
    if level != EXPERT:
        return make(level, game)
    guide = guide_of(game)
    return MonteCarloSearch(replace(guide, worlds=guide.worlds // THINNER))
