"""Why somebody did what was done in a round that is over, by what the expert thinks of it.

The expert is shown what the seat saw then, its own cards only.
"""

from typing import Final

from cardtable.engine.contract import Action
from cardtable.engine.journal import Header
from cardtable.play.finished_round import FinishedRound, Step
from cardtable.robots import worker
from cardtable.robots.coach import Advice, AdviceLine
from cardtable.robots.kit.lesson import inside
from cardtable.wording.names import Names
from cardtable.wording.words import YOU

_LEVELS: Final = {
    "random": "a robot that plays at random, so that there is no reason",
    "novice": "a novice, which plays by simple rules and makes a mistake now and then, on purpose",
    "steady": "a steady robot, which plays by rule and tries nothing out",
    "expert": "an expert, which tries things out in deals that fit all it has seen",
}
"""What robots of each level are."""


def forced(step: Step) -> bool:
    """Whether there was no choice, so that nothing is to be asked."""
    return len(step.view.legal) == 1


def question(told: FinishedRound, step: Step, header: Header, names: Names) -> worker.Question:
    """What the expert is to be asked of a step that somebody decided."""
    assert isinstance(step.event, Action)
    assert step.seat is not None
    to_another = names[step.seat] != YOU
    return worker.Question(told.game.about.key, step.view, header.seed, step.decisions, step.event, to_another)


def no_choice(step: Step, names: Names) -> list[str]:
    """What is to be said of a forced step, in sentences."""
    assert step.seat is not None
    assert isinstance(step.event, Action)
    return [f"{names[step.seat]} had no choice: {inside(step.event)} was all that could be done."]


def reasons(step: Step, header: Header, names: Names, advice: Advice) -> list[str]:
    """What was chosen and what it does, what the expert would have done, and who it was that chose; in sentences."""
    assert step.seat is not None
    name, level = names[step.seat], header.seats[step.seat].robot
    chosen, best = _line(advice, step.event), advice.lines[0]
    said = [f"{name} chose {inside(chosen.action, advice.person)}: {advice.does(chosen)}."]
    if chosen is not best:
        again = "Asked again, the expert would have" if level == "expert" else "The expert would have"
        alike = chosen.as_good and advice.does(chosen) == advice.does(best)
        beside = ", which does the same" if alike else f": {advice.does(best)}; {advice.beside_best(chosen)}"
        said.append(f"{again} chosen {inside(best.action, advice.person)}{beside}.")
    elif level != "expert":
        said.append("The expert would have done the same.")
    if level is None:
        return [*said, f"The expert is shown {'your' if name == YOU else 'their'} cards only."]
    return [*said, f"{name} is {_LEVELS[level]}. Robots see their own cards only."]


def _line(advice: Advice, event: object) -> AdviceLine:
    """What the expert thinks of what was chosen; it was asked about it."""
    return next(line for line in advice.lines if line.action == event)
