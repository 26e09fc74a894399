"""What a game tells the coach, and how things are said in all of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Generic, NamedTuple, TypeAlias

from cardtable.engine.contract import Action, Declaration, S, State, V, View
from cardtable.engine.tricks import Play

Reasons: TypeAlias = tuple[str, ...]
"""What a choice does, in words that follow its name, told of a ``Person``; the most important first."""

_ONE_OF_TEN: Final = 0.075
"""The least share that is told in tenths, ..."""
_SELDOM: Final = ((0.035, 20), (0.015, 50), (0.0, 100))
"""... and from which shares on a smaller one is told as one of how many."""


class Merit(str):
    """A reason that speaks for a choice which is not the best."""

    __slots__ = ()


class Person(NamedTuple):
    """Who something is told to, or of whom: what stands in the text of the coach for ``{you}`` and the others."""

    you: str
    your: str
    them: str

    def told(self, text: str) -> str:
        """The text as it is told to or of that person."""
        return text.format(you=self.you, your=self.your, them=self.them)


YOURSELF: Final = Person("you", "your", "you")
"""Who is to act, and asks."""
ANOTHER: Final = Person("they", "their", "them")


class Aim(NamedTuple):
    """Something that a round brings or does not, told by the own points of the round, as the searcher counts them."""

    told: str
    """What happens then, in words, after the name of a card; of an action without cards what it does."""
    reached: Callable[[float], bool]
    """Whether it did, by the own points of the round."""
    lost: str = ""
    """What is said where it cannot happen any more."""


def no_aim(_view: View) -> None:
    """Points, and nothing else, are wanted."""


@dataclass(frozen=True, slots=True)
class Lesson(Generic[S, V]):
    """What a game tells the coach."""

    reasons: Callable[[V, Sequence[Action], Sequence[S]], list[Reasons]]
    """What each of some actions does, by the view and by worlds that fit it, which are not to be changed."""
    aim: Callable[[V], Aim | None] = no_aim
    """What the seat of a view wants; ``None`` where it wants points and nothing else."""


AnyLesson: TypeAlias = Lesson[State[View], View]
"""That of a game which was looked up by its key."""
NOTHING_SAID: Final[AnyLesson] = Lesson(lambda _view, actions, _worlds: [()] * len(actions))
"""For a game that has none: what is to be expected in points says enough."""


def how_often(share: float) -> str:
    """How often, out of ten or, near the ends, of more; all and none only where that is so."""
    seldom = min(share, 1 - share)
    if not seldom or seldom >= _ONE_OF_TEN:
        return f"{round(10 * share)} of 10"
    of = next(of for least, of in _SELDOM if seldom >= least)
    return f"{1 if share < 1 / 2 else of - 1} of {of}"


def name(action: Action, person: Person = YOURSELF) -> str:
    """What an action is called at the beginning of a sentence; cards in notation."""
    return person.told(action.called) or f"{action.kind.capitalize()} {action.thing}".rstrip()


def inside(action: Action, person: Person = YOURSELF) -> str:
    """What an action is called within a sentence."""
    if action.quoted:
        return f'"{action.kind}"'
    called = name(action, person)
    return called if isinstance(action, Play | Declaration) else called[0].lower() + called[1:]
