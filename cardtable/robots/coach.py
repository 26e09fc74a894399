"""The coach: what the expert would do, what is to be expected of it and of the alternatives, and why in words.

All that it says was counted in worlds that may be the true one, or stands in the view.  Figures are as they are told:
nothing that is told as better than the expert's choice, and what is said follows from them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import isinf
from random import Random
from typing import Final

from cardtable.engine.contract import Action, State, View
from cardtable.engine.tricks import Play
from cardtable.games import GAMES, part
from cardtable.robots.kit.lesson import (
    NOTHING_SAID,
    YOURSELF,
    Aim,
    AnyLesson,
    Merit,
    Person,
    Reasons,
    how_often,
    inside,
    name,
)
from cardtable.robots.kit.measure import USUAL, WITHIN, Measure, measure
from cardtable.robots.kit.robot import guide_of
from cardtable.robots.kit.search import CAUTION, AnyGuide, Candidate, Gap, Searcher, gap

WORLDS: Final = 40
"""Worlds in which what actions do is counted."""
FEWEST: Final = 10
"""The same where time is over."""
LONGEST: Final = 100
"""Characters of a sentence, where the reasons leave room for more than the action."""
_LEAVES: Final = "leaves the most for later"


@dataclass(frozen=True, slots=True)
class AdviceLine:
    """One action that is worth a look."""

    action: Action
    name: str
    """What it is called; cards in notation."""
    worth: float | None
    """What it is worth as ``Measure`` has it, in tenths; ``None`` where nothing was to be compared."""
    as_good: bool
    """Whether it may be as good as the first one, for all that can be told."""
    share: float | None
    """How often ``Advice.aim`` is reached, from 0 to 1; ``None`` where there is no such aim."""
    reasons: tuple[str, ...]
    """What it does, in words; the most important first."""
    merits: tuple[str, ...] = ()
    """Those of them that speak for it even if it is not the best."""


@dataclass(frozen=True, slots=True)
class Advice:
    """What the expert would do, and why."""

    sentence: str
    """One line; cards in notation."""
    lines: tuple[AdviceLine, ...]
    """What is worth a look, the best first; the expert's choice before what is told to be worth as much."""
    aim: str = ""
    """What the shares of the lines count, in words; empty where there is none."""
    measure: Measure = USUAL
    """How what lines are worth is told."""
    lost: str = ""
    """What is said of the aim where it cannot be reached any more."""
    person: Person = YOURSELF
    """Who is to act, as that is told."""

    @property
    def order(self) -> str:
        """What the lines are sorted by, where something else that is told is not so; nothing (``""``) where it is."""
        often = [round(line.share, 1) for line in self.lines if line.share is not None]
        misled = bool(often) and not self.measure.lasting and max(often) > often[0]
        return "Sorted by points, not by how often" if misled else ""

    def about(self, line: AdviceLine) -> str:
        """What one action does, and what comes of it, in a line."""
        return f"{line.name}: {self.does(line)}"

    def does(self, line: AdviceLine) -> str:
        """The same without the name of the action."""
        return ", and ".join(filter(None, (", ".join(line.reasons), _outcome(line, self))))

    def against_best(self, line: AdviceLine) -> str:
        """How an action that is not the best compares with it in points, in a few words."""
        best = self.lines[0]
        assert best.worth is not None
        assert line.worth is not None
        how = self.as_good(line) if line.as_good else f"is {self.measure.worse(best.worth - line.worth)}"
        return f"{inside(line.action, self.person)} {how}"

    def as_good(self, line: AdviceLine) -> str:
        """What is said of an action that is as good as the best one: ``does as well``."""
        return "does as well" if line.worth == self.lines[0].worth else WITHIN


def advise(
    game: str,
    view: View,
    rng: Random,
    stop: Callable[[], bool],
    also: Action | None = None,
    person: Person = YOURSELF,
) -> Advice:
    """What the expert robot of the game of a key would do for the seat of ``view``, which is to act.

    ``also`` is among the lines, whether it is worth a look or not.  The same view and generator give
    the same advice, unless ``stop`` ends the search before.
    """
    if len(view.legal) == 1:
        return _forced(view.legal[0], person)
    found = Searcher(guide_of(game)).compare(view, rng, stop, also)
    if len(found) == 1 and only_card(view, found[0].action):
        return _forced(found[0].action, person)
    return counsel(game, view, found, rng, stop, person)


def counsel(
    game: str,
    view: View,
    compared: list[Candidate],
    rng: Random,
    stop: Callable[[], bool],
    person: Person = YOURSELF,
) -> Advice:
    """What the searcher has found for the seat of ``view``, in words; what it chooses stands first."""
    guide, lesson, best = guide_of(game), _lesson_of(game), compared[0]
    aim = lesson.aim(view)
    lasting = any(one.later != best.later for one in compared)
    told = lesson.reasons(view, [one.action for one in compared], _worlds(guide, view, rng, stop))
    beside = _Beside(guide, view, best, aim, person)
    lines = [beside.line(one, reasons) for one, reasons in zip(compared, told, strict=True)]
    if lasting and all(one.later < best.later for one in compared[1:]):
        lines[0] = replace(lines[0], reasons=(*lines[0].reasons, _LEAVES))
    aimed, lost = map(person.told, (aim.told, aim.lost) if aim else ("", ""))
    told_in = measure(GAMES[game], view, lasting=lasting)
    advice = Advice("", _ordered(lines), aimed, told_in, lost, person)
    return replace(advice, sentence=_sentence(advice))


def counted_again(game: str, view: View, advice: Advice, best: Candidate, other: Candidate, errors: float) -> Advice:
    """The same with its best action and another one as they came out in other worlds; the rest is moved with the best.

    The error is so many standard errors.  The sentence of the advice stays as it was.
    """
    beside = _Beside(guide_of(game), view, best, _lesson_of(game).aim(view), advice.person, errors)
    off = beside.most - (advice.lines[0].worth or 0.0)
    anew = {one.action: one for one in (best, other)}
    lines = [
        replace(beside.line(anew[line.action], line.reasons), merits=line.merits)
        if line.action in anew
        else replace(line, worth=_tenths((line.worth or 0.0) + off))
        for line in advice.lines
    ]
    return replace(advice, lines=_ordered(lines))


def error_of(guide: AnyGuide, view: View, lag: Gap) -> float:
    """The standard error of a gap, in points; 0 where there is none."""
    return 0.0 if isinf(lag.error) else guide.in_points(view, lag.error) - guide.in_points(view, 0.0)


def _lesson_of(game: str) -> AnyLesson:
    coach = part(game, "coach")
    lesson: AnyLesson = coach.LESSON if coach else NOTHING_SAID
    return lesson


@dataclass(frozen=True, slots=True)
class _Beside:
    """Tells of candidates beside the best one."""

    guide: AnyGuide
    view: View
    best: Candidate
    aim: Aim | None
    person: Person
    errors: float = CAUTION
    """How many standard errors are the error."""

    @property
    def most(self) -> float:
        """What the best one is worth as it is told."""
        return self._worth(0.0)

    def line(self, one: Candidate, reasons: Reasons) -> AdviceLine:
        """What is to be expected of a candidate; what only seems to be better than the best is told to be as good."""
        told = tuple(map(self.person.told, reasons))
        merits = tuple([self.person.told(reason) for reason in reasons if isinstance(reason, Merit)])
        called = name(one.action, self.person)
        if not one.values:
            return AdviceLine(one.action, called, None, True, None, told, merits)
        lag = gap(self.best, one)
        worth = self._worth(max(lag.mean, 0.0))
        as_good = worth == self.most or not lag.clear(self.errors)
        return AdviceLine(one.action, called, worth, as_good, self._share(one), told, merits)

    def _worth(self, behind: float) -> float:
        return _tenths(self.guide.in_points(self.view, self.best.mean - behind))

    def _share(self, one: Candidate) -> float | None:
        """How often the aim is reached, as it would be in all worlds that the best one has seen."""
        if self.aim is None:
            return None
        aim, seat = self.aim, self.view.seat

        def reached(points: Sequence[float]) -> bool:
            return aim.reached(points[seat])

        more = self.best.share(reached) - self.best.share(reached, len(one.points)) if not one.chances else 0.0
        return round(max(0.0, min(1.0, one.share(reached) + more)), 3)


def _tenths(points: float) -> float:
    return round(points, 1) + 0.0


def _ordered(lines: Sequence[AdviceLine]) -> tuple[AdviceLine, ...]:
    """The first line, then the others by what they are worth."""
    best, *others = lines
    return (best, *sorted(others, key=lambda line: -(line.worth or 0.0)))


def _forced(only: Action, person: Person) -> Advice:
    reason = f"the only card {person.you} may play" if only.uses() else "there is nothing else to do"
    line = AdviceLine(only, name(only, person), None, True, None, (reason,))
    return Advice(f"{line.name}: {reason}", (line,), person=person)


def only_card(view: View, action: Action) -> bool:
    """Whether a card is to be played, and no other may be; what else may be said makes no difference."""
    return isinstance(action, Play) and sum(isinstance(one, Play) for one in view.legal) == 1


def _worlds(guide: AnyGuide, view: View, rng: Random, stop: Callable[[], bool]) -> list[State[View]]:
    """Worlds in which what actions do is counted: some, however late it is."""
    worlds: list[State[View]] = []
    imagined = guide.imagine(view, rng)
    while len(worlds) < (FEWEST if stop() else WORLDS):
        worlds.append(next(imagined))
    return worlds


def _sentence(advice: Advice) -> str:
    """What to do and why, and what stands beside it: as much as one line holds."""
    best, *others = advice.lines
    outcome = _outcome(best, advice)
    beside = _beside(advice, others[0]) if others else []
    told = [
        f"{best.name}: {', and '.join(filter(None, (', '.join(best.reasons[:number]), outcome)))}"
        for number in (2, 1, 0)
    ]
    short = next((one for one in told if len(one) <= LONGEST), told[-1])
    return next((f"{short}; {more}" for more in beside if len(short) + 2 + len(more) <= LONGEST), short)


def _outcome(line: AdviceLine, advice: Advice) -> str:
    """What comes of an action; nothing was counted where there was nothing to be compared."""
    if line.worth is None:
        alike = isinstance(line.action, Play)
        return f"{advice.person.your} other cards come to the same" if alike else "nothing else is worth a look"
    if advice.lost:
        return advice.lost
    if advice.aim and line.share and not advice.measure.lasting:
        return f"{advice.aim} in {how_often(line.share)} deals like this"
    return advice.person.told(advice.measure.words(line.worth))


def _beside(advice: Advice, other: AdviceLine) -> list[str]:
    """What can be said of an action beside the best one, the fullest first."""
    best = advice.lines[0]
    called, how = inside(other.action, advice.person), advice.against_best(other)
    if other.as_good:
        return [how]
    often, seldom = [how_often(line.share or 0.0) for line in (best, other)]
    if not advice.measure.lasting and (best.share or 0.0) > (other.share or 0.0) and often != seldom:
        how = f"{'with ' if isinstance(other.action, Play) else ''}{called} in {seldom}"
    merits = [reason for reason in other.merits if reason not in best.reasons]
    return [*[f"{how}, but it {merit}" for merit in merits], how]
