"""What a game adds to what plain lines tell of every game: the value ``SPOKEN`` of its part ``spoken``."""

from collections.abc import Callable, Iterable
from typing import Generic

import msgspec

from cardtable.engine.contract import Action, V, View
from cardtable.wording.names import Names


def _nothing(*_: object) -> tuple[str, ...]:
    return ()


def _nothing_explained(_view: View, _action: Action) -> str:
    return ""


class Spoken(msgspec.Struct, Generic[V], frozen=True):
    """Texts that become sentences, each from what one seat sees."""

    about: Callable[[V, Names], Iterable[str]]
    """What is played in this round, and what everybody should know of it."""
    explained: Callable[[V, Action], str] = _nothing_explained
    """A word on an action whose text does not say what it is about."""
    left: Callable[[V], Iterable[str]] = _nothing
    """By seat: the contracts that it has still to name."""
