"""The coach: what the expert would do, what is to be expected of it and of the alternatives, and why in words.

All that it says was counted in worlds that may be the true one, or stands in the view.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from random import Random
from typing import Any, Final

from cardtable.engine.contract import Action, State, View
from cardtable.engine.tricks import Play
from cardtable.robots.coaching.lesson import MERITS, Aim, Lesson, Reasons, inside, name, of_another, of_ten
from cardtable.robots.search import Candidate, Guide, Searcher, ahead

WORLDS: Final = 40
"""Worlds in which what actions do is counted."""
FEWEST: Final = 10
"""The same where time is over."""
LONGEST: Final = 100
"""Characters of a sentence, where the reasons leave room for more than the action."""
CLOSE: Final = 0.05
"""Points of a round that are not worth telling apart."""


@dataclass(frozen=True, slots=True)
class Line:
    """One action that is worth a look."""

    action: Action
    name: str
    """What it is called; cards in notation."""
    points: float | None
    """The own points of the round to be expected, larger being better, or in a game for two (``Advice.ahead``) what one
    is ahead; ``None`` where nothing was to be compared."""
    share: float | None
    """How often ``Advice.aim`` is reached, from 0 to 1; ``None`` where there is no such aim."""
    later: float
    """What it does to the rounds after this one, as the expert counts; 0 where that makes no difference."""
    behind: float
    """How much less than the best it is worth to the expert, who counts what the others get and what is left for
    later, too; 0 where nothing was to be compared, and where a higher mean is not to be trusted."""
    reasons: Reasons
    """What it does, in words; the most important first."""


@dataclass(frozen=True, slots=True)
class Advice:
    """What the expert would do, and why."""

    sentence: str
    """One line; cards in notation."""
    lines: tuple[Line, ...]
    """What is worth a look, the best first."""
    aim: str
    """What the shares of the lines count, in words; empty where there is none."""
    lasting: bool = False
    """Whether it makes a difference for later rounds what is done."""
    ahead: bool = False
    """Whether the points are those that one is ahead."""
    lost: str = ""
    """What is said of the aim where it cannot be reached any more."""

    @property
    def order(self) -> str:
        """What the lines are sorted by, where their points do not tell; nothing (``""``) where they do."""
        told = [line.points for line in self.lines if line.points is not None]
        clear = self.lasting or not told or max(told) - told[0] < CLOSE
        return "" if clear else "Best first: what the others get counts, too"

    def about(self, line: Line) -> str:
        """What one action does, and what comes of it, in a line."""
        return f"{line.name}: {', and '.join(filter(None, (', '.join(line.reasons), _outcome(line, self))))}"

    def against_best(self, line: Line) -> str:
        """How an action that is not the best compares with it, in a few words."""
        return _beside(self.lines[0], line, lasting=self.lasting)[-1]

    def of_another(self) -> "Advice":
        """The same, told of the seat to somebody else."""
        lines = [
            replace(line, name=of_another(line.name), reasons=tuple(map(of_another, line.reasons)))
            for line in self.lines
        ]
        return replace(
            self,
            sentence=of_another(self.sentence),
            lines=tuple(lines),
            aim=of_another(self.aim),
            lost=of_another(self.lost),
        )


def advise(game: str, view: View, rng: Random, stop: Callable[[], bool], also: Action | None = None) -> Advice:
    """What the expert robot of the game of a key would do for the seat of ``view``, which is to act.

    ``also`` is among the lines, whether it is worth a look or not.  The same view and generator give
    the same advice, unless ``stop`` ends the search before.
    """
    if len(view.legal) == 1:
        return _forced(view.legal[0])
    found = Searcher(guide_of(game)).compare(view, rng, stop, also)
    if len(found) == 1 and only_card(view, found[0].action):
        return _forced(found[0].action)
    return counsel(game, view, found, rng, stop)


def guide_of(game: str) -> Guide:
    """What the expert of the game of a key searches by."""
    guide: Guide = import_module(f"cardtable.robots.experts.{game}").GUIDE
    return guide


def counsel(game: str, view: View, compared: list[Candidate], rng: Random, stop: Callable[[], bool]) -> Advice:
    """What the searcher has found for the seat of ``view``, in words; what it chooses stands first."""
    guide = guide_of(game)
    lesson: Lesson = import_module(f"cardtable.robots.coaching.{game}").LESSON
    found, aim = _sorted(compared), lesson.aim(view)
    told = lesson.reasons(view, [candidate.action for candidate in found], _worlds(guide, view, rng, stop))
    lines = tuple([_line(view, one, found[0], lesson, aim, reasons) for one, reasons in zip(found, told, strict=True)])
    lasting = any(line.later != lines[0].later for line in lines)
    told_aim, lost = (aim.told, aim.lost) if aim else ("", "")
    advice = Advice("", lines, told_aim, lasting, lesson.ahead, lost)
    return replace(advice, sentence=_sentence(advice))


def _forced(only: Action) -> Advice:
    reason = "the only card you may play" if only.uses() else "there is nothing else to do"
    line = Line(only, name(only), None, None, 0.0, 0.0, (reason,))
    return Advice(f"{line.name}: {reason}", (line,), "")


def only_card(view: View, action: Action) -> bool:
    """Whether a card is to be played, and no other may be; what else may be said makes no difference."""
    return isinstance(action, Play) and sum(isinstance(one, Play) for one in view.legal) == 1


def _worlds(guide: Guide, view: View, rng: Random, stop: Callable[[], bool]) -> list[State[Any]]:
    """Worlds in which what actions do is counted: some, however late it is."""
    worlds: list[State[Any]] = []
    while len(worlds) < (FEWEST if stop() else WORLDS):
        worlds.append(guide.imagine(view, rng))
    return worlds


def _sorted(found: list[Candidate]) -> list[Candidate]:
    """The candidates by what they are worth, the expert's choice first."""
    best, *others = found
    if not best.values:
        return found
    return [best, *sorted(others, key=lambda one: -one.later - _paired(one.values, best.values))]


def _line(view: View, candidate: Candidate, best: Candidate, lesson: Lesson, aim: Aim | None, reasons: Reasons) -> Line:
    """What is to be expected of a candidate."""
    action, points, share, behind = candidate.action, None, None, 0.0
    if candidate.points:
        told = [[ahead(view, p) if lesson.ahead else p[view.seat] for p in one.points] for one in (candidate, best)]
        points = _paired(*told)
        behind = max(0.0, best.mean - candidate.later - _paired(candidate.values, best.values))
        if aim:
            reached = [[aim.reached(p[view.seat]) for p in one.points] for one in (candidate, best)]
            share = max(0.0, min(1.0, _paired(*reached)))
    return Line(action, name(action), points, share, candidate.later, behind, reasons)


def _paired(found: Sequence[float], best: Sequence[float]) -> float:
    """The mean of ``found`` as it would be in all worlds that the best one has seen, of which it knows the first."""
    seen = len(found)
    return sum(found) / seen + (sum(best) / len(best) - sum(best[:seen]) / seen)


def _sentence(advice: Advice) -> str:
    """What to do and why, and what stands beside it: as much as one line holds."""
    (best, *others), lasting = advice.lines, advice.lasting
    outcome = _outcome(best, advice)
    beside = _beside(best, others[0], lasting=lasting) if others else []
    if lasting and all(line.later < best.later for line in others):
        outcome += ", and leaves the most for later"
    told = [
        f"{best.name}: {', and '.join(filter(None, (', '.join(best.reasons[:number]), outcome)))}"
        for number in ((1, 0) if lasting else (2, 1, 0))
    ]
    room = LONGEST - (len(beside[0]) + 2 if lasting else 0)
    short = next((one for one in told if len(one) <= room), told[-1])
    return next((f"{short}; {more}" for more in beside if len(short) + 2 + len(more) <= LONGEST), short)


def _outcome(line: Line, advice: Advice) -> str:
    """What comes of an action; nothing was counted where there was nothing to be compared."""
    points = line.points
    if points is None:
        alike = isinstance(line.action, Play)
        return "your other cards come to the same" if alike else "nothing else is worth a look"
    if advice.lost:
        return advice.lost
    if advice.aim and line.share:
        return f"{advice.aim} in {of_ten(line.share)} deals like this"
    amount = f"about {_amount(abs(points))} points"
    if advice.ahead:
        return f"you end {amount} {'ahead' if points > 0 else 'behind'}"
    return f"the round {'brings' if points > 0 else 'costs'} {amount}" if abs(points) > CLOSE else "it costs nothing"


def _amount(points: float) -> str:
    return f"{points:.1f}" if points < 10 else f"{points:.0f}"


def _beside(best: Line, other: Line, *, lasting: bool) -> list[str]:
    """What can be said of the next best, the fullest first."""
    assert best.points is not None
    assert other.points is not None
    called, gap = inside(other.action), best.points - other.points
    often, seldom = best.share or 0.0, other.share or 0.0
    merits = [reason for reason in other.reasons if reason.startswith(MERITS) and reason not in best.reasons]
    if lasting:
        how = f"{_amount(other.behind)} worse in the end" if other.behind > CLOSE else "about as good"
        return [f"{called} is {how}"]
    if often > seldom and of_ten(often) != of_ten(seldom):
        how = f"{'with ' if isinstance(other.action, Play) else ''}{called} in {of_ten(seldom)}"
        return [*[f"{how}, but it {merit}" for merit in merits], how]
    if abs(gap) <= CLOSE:
        return [f"{called} does as well"]
    if other.behind <= CLOSE:
        return [f"{called} is about as good"]
    if gap > 0:
        how = f"{called} is {_amount(gap)} points worse"
        return [*[f"{how}, but {merit}" for merit in merits], how]
    return [f"{called} brings {_amount(-gap)} more, but is worth less in the end"]
