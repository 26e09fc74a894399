"""What the expert thinks of the decisions of a seat in a session that is over, and what it makes of the same deals.

A decision is judged by what that seat saw then, never by cards that it could not see.  It costs what
the expert's choice brings more in the same worlds, which are not those in which the choice was found:
the best of several that chance moves looks better than it is.  What may be chance is no mistake.

The same deals are played by an expert in that seat, round by round from where the session stood: the
cards are those that were dealt, robots elsewhere keep their levels, and experts sit in for people.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt
from random import Random
from statistics import fmean, stdev
from typing import Final, TypeAlias

import msgspec

from cardtable.engine.contract import Action, Score, Seat, View
from cardtable.engine.journal import Header, Journal
from cardtable.engine.replay import follow
from cardtable.engine.table import Table
from cardtable.games import GAMES
from cardtable.robots.coach import Advice, Line, counsel, guide_of, only_card
from cardtable.robots.robot import Robot, decide, make, never
from cardtable.robots.search import Candidate, Guide, Searcher, weigh

EXPERT: Final = "expert"
WORLDS: Final = 300
"""Worlds in which a choice that seems to be worse than the expert's is compared with that."""
SEEMS: Final = 1.0
"""Standard errors by which it seems so, in the worlds of the search; ..."""
SURE: Final = 2.0
"""... and those by which it is, in the others, ..."""
CERTAIN: Final = 4.0
"""... and once more in still others, unless it was by so many."""
THINNER: Final = 3
"""On the same deals experts look at so many times fewer worlds: more rounds tell more than better ones."""
RUNS: Final = 4
"""How often the same deals are played with one expert at the table; with several of them less often."""


@dataclass(frozen=True, slots=True)
class Decision:
    """A choice that a seat had in a round that counted, and what it chose."""

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
    decisions: tuple[Decision, ...]
    deals: tuple[Table, ...]
    """The table once the cards of each round lay there."""
    points: tuple[int, ...]
    """What the seat made of each round, as ``made`` counts."""

    @property
    def steps(self) -> int:
        """How many pieces its review has: one for each decision, and one for each round."""
        return len(self.decisions) + len(self.deals)


class Choice(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Something that could be chosen."""

    action: str
    worth: float
    """Points of the totals by which the seat was then ahead of the mean of the others, on average."""
    share: float | None
    """How often ``Judgement.aim`` was reached, from 0 to 1."""


class Judgement(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the expert thinks of a decision."""

    cost: float
    """Points by which the expert's choice was better; 0 for the same, and for what may be chance."""
    error: float
    """The standard error of that."""
    worlds: int
    """Worlds in which it was counted; 0 where nothing was worth a comparison."""
    choices: tuple[Choice, ...]
    """What was compared, the expert's choice first."""
    aim: str
    """What the shares of the choices count, in words; empty where there is none."""
    why: tuple[str, ...]
    """What the expert's choice does, and what was chosen if that is another, in sentences; cards in notation."""

    def fits(self, decision: Decision) -> bool:
        """Whether it can be about this decision, as far as that shows."""
        legal = [str(action) for action in decision.view.legal]
        told = [choice.action for choice in self.choices]
        return self.cost >= 0 and str(decision.action) in told and all(text in legal for text in told)


Piece: TypeAlias = Judgement | tuple[int, ...]
"""What is found out at a time: about a decision, or what experts made of a round, run by run."""


class Review(msgspec.Struct, forbid_unknown_fields=True):
    """What is known so far: in order of the decisions, then of the rounds."""

    judged: list[Judgement]
    dealt: list[tuple[int, ...]]
    """What the experts made of each round, run by run."""

    @property
    def done(self) -> int:
        """How many pieces there are."""
        return len(self.judged) + len(self.dealt)


def played(journal: Journal, seat: Seat) -> Played:
    """The decisions of a seat and the deals, in the rounds that counted.  Raises ``BadJournal``."""
    tables = follow(journal, GAMES)
    _, table = next(tables)
    decisions: list[Decision] = []
    deals: dict[int, Table] = {}
    for entry in journal.entries:
        line = entry.line
        if line.action is not None and line.seat == seat == table.turn:
            view = table.view(seat)
            chosen = next((action for action in view.legal if str(action) == line.action), None)
            if chosen is not None:
                decisions.append(Decision(view.round, entry.number, table.decisions, view, chosen))
        next(tables)
        if line.undo is not None:
            decisions = [one for one in decisions if one.decisions < table.decisions]
        elif line.void is not None:
            decisions = [one for one in decisions if one.round != table.round]
            deals.pop(table.round, None)
        elif table.turn >= 0 and table.round not in deals:
            deals[table.round] = table.twin()
    rounds = len(table.scores)
    return Played(
        journal.header,
        seat,
        tuple([one for one in decisions if one.round <= rounds and not _forced(one.view, one.action)]),
        tuple([deals[number] for number in range(1, rounds + 1)]),
        tuple([made(score, seat) for score in table.scores]),
    )


def made(score: Score, seat: Seat) -> int:
    """What a seat made of a round, as the score sheet counts: its points; where two play, what it is ahead."""
    points = score.points
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


def judge(game: str, seed: int, decision: Decision) -> Judgement:
    """What the expert of the game of a key thinks of a decision in a session of this seed."""
    guide, view, own = guide_of(game), decision.view, decision.action
    rng = Random(f"review {seed} {view.seat} {decision.decisions}")
    found = Searcher(guide).compare(view, rng, never, own)
    advice = counsel(game, view, found, rng, never)
    best, chosen = found[0], next(one for one in found if one.action == own)
    worths, cost = _worths(guide, view, found), 0.0
    if _seems_worse(best, chosen):
        best, chosen = _weighed_again(guide, view, [best.action, own], rng)
        again = _worths(guide, view, [best, chosen])
        off = again[best.action] - worths[best.action]
        worths = {action: worth + off for action, worth in worths.items()} | again
        if _gap(best, chosen).clear(SURE):
            cost = max(0.0, again[best.action] - again[own])
    error = _gap(*[_counted(guide, view, one) for one in (best, chosen)]).error
    choices = tuple([_choice(line, worths[line.action]) for line in advice.lines])
    worlds = min(len(best.values), len(chosen.values))
    return Judgement(round(cost, 2), round(error, 2), worlds, choices, advice.aim, _why(advice, own))


def _weighed_again(guide: Guide, view: View, actions: Sequence[Action], rng: Random) -> list[Candidate]:
    """Two choices in other worlds; a second one that is surely worse there, in others again."""
    pair = weigh(guide, view, actions, WORLDS, rng)
    gap = _gap(*pair)
    if gap.clear(SURE) and not gap.clear(CERTAIN):
        pair = weigh(guide, view, actions, WORLDS, rng)
    return pair


def _seems_worse(best: Candidate, chosen: Candidate) -> bool:
    """Whether it is worth another look: few worlds were enough to drop it, or it is behind in all of them."""
    gap = _gap(best, chosen)
    return (len(chosen.values) < len(best.values) and gap.error > 0) or gap.clear(SEEMS)


def _choice(line: Line, worth: float) -> Choice:
    return Choice(str(line.action), round(worth, 2), None if line.share is None else round(line.share, 3))


@dataclass(frozen=True, slots=True)
class _Gap:
    """How far one choice is ahead of another in the same worlds."""

    mean: float
    error: float

    def clear(self, errors: float) -> bool:
        """Whether it is ahead by more than so many standard errors."""
        return self.mean > 0 and self.mean > errors * self.error


def _gap(best: Candidate, other: Candidate) -> _Gap:
    head = best.later - other.later
    gaps = [head + a - b for a, b in zip(best.values, other.values, strict=False)]
    if len(gaps) < 2:
        return _Gap(0.0, 0.0)
    return _Gap(fmean(gaps), stdev(gaps) / sqrt(len(gaps)))


def _counted(guide: Guide, view: View, one: Candidate) -> Candidate:
    """The same candidate with points of the totals instead of what they are worth to the expert."""
    return replace(one, values=[guide.counted(view, points) for points in one.points])


def _worths(guide: Guide, view: View, found: Sequence[Candidate]) -> dict[Action, float]:
    """What each candidate makes in the totals: that of the first, less the gap in the worlds that both have seen."""
    best, *others = [_counted(guide, view, one) for one in found]
    return {best.action: best.mean, **{one.action: best.mean - _gap(best, one).mean for one in others}}


def _why(advice: Advice, own: Action) -> tuple[str, ...]:
    best, chosen = advice.lines[0], next(line for line in advice.lines if line.action == own)
    return tuple(dict.fromkeys([advice.about(best), advice.about(chosen)]))


@dataclass(frozen=True, slots=True)
class SameDeals:
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
    """By how much the seat did better in a round; below 0 where experts did."""
    ahead: bool
    """Whether two play, so that all this is what one is ahead."""


def same_deals(session: Played, review: Review) -> SameDeals | None:
    """What is known so far; ``None`` where experts have played no round yet."""
    rounds = len(review.dealt)
    if not rounds:
        return None
    totals = [sum(run) for run in zip(*review.dealt, strict=True)]
    own, experts = sum(session.points[:rounds]), fmean(totals)
    error = stdev(totals) / sqrt(len(totals)) if len(totals) > 1 else None
    better = experts - own if GAMES[session.header.game].lowest_wins else own - experts
    return SameDeals(rounds, own, experts, error, len(totals), better / rounds, len(session.header.seats) == 2)


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
    table, key = session.deals[number].twin(), session.header.game
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
    return Searcher(replace(guide, worlds=guide.worlds // THINNER))
