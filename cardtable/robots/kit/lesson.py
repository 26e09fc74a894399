"""What a game tells the coach, and how things are said in all of them."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Generic, NamedTuple, TypeAlias

from cardtable.engine.cards import NAME, SUIT_WORDS
from cardtable.engine.contract import Action, Declaration, S, State, V, View
from cardtable.engine.tricks import Play

Reasons: TypeAlias = tuple[str, ...]
"""What a choice does, in words that follow its name; the most important first."""

_ONE_OF_TEN: Final = 0.075
"""The least share that is told in tenths, ..."""
_SELDOM: Final = ((0.035, 20), (0.015, 50), (0.0, 100))
"""... and from which shares on a smaller one is told as one of how many."""
MERITS: Final = ("keeps ", "saves ")
"""How reasons begin that speak for a choice which is not the best."""

_CALLED: Final = {
    "stock": "The stock",
    "done": "Done",
    "eights share": "Share the 8s",
    "eights next": "All 8s to the next",
    "jacks plus": "More for the others",
    "jacks minus": "Less for you",
    **{f"suit {word[0].upper()}": f"{word.capitalize()}s" for word in SUIT_WORDS},
}
_OBJECT: Final = re.compile(r"\b(rids|lets|leaves|gives|puts|for) you\b")
_SUBJECT: Final = {"your": "their", "you": "they"}
_YOU: Final = re.compile(r"\b(your|you)\b")


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


def how_often(share: float) -> str:
    """How often, out of ten or, near the ends, of more; all and none only where that is so."""
    seldom = min(share, 1 - share)
    if not seldom or seldom >= _ONE_OF_TEN:
        return f"{round(10 * share)} of 10"
    of = next(of for least, of in _SELDOM if seldom >= least)
    return f"{1 if share < 1 / 2 else of - 1} of {of}"


def name(action: Action) -> str:
    """What an action is called at the beginning of a sentence; cards in notation."""
    if isinstance(action, Play):
        return NAME[action.card]
    text = str(action)
    if text.startswith("add "):
        return "Add {1} to {2}".format(*text.split(" "))
    if isinstance(action, Declaration):
        return action.named.words
    return _CALLED.get(text, text[0].upper() + text[1:])


def inside(action: Action) -> str:
    """What an action is called within a sentence."""
    called = name(action)
    if called == _CALLED["done"]:
        return '"done"'
    proper = isinstance(action, Play) or str(action).startswith("contract")
    return called if proper else called[0].lower() + called[1:]


def of_another(text: str) -> str:
    """What is said to somebody, told of that one."""
    return _YOU.sub(lambda found: _SUBJECT[found[0]], _OBJECT.sub(r"\1 them", text))
