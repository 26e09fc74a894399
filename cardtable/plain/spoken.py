"""What a game adds to what plain lines tell of every game: the value ``SPOKEN`` of its part ``spoken``."""

from collections.abc import Callable, Iterable
from typing import Generic

import msgspec

from cardtable.engine.contract import Action, V, View
from cardtable.wording.names import Names


def _nothing(*_: object) -> tuple[str, ...]:
    return ()


def _not_said(_view: View, _action: Action) -> str:
    return ""


def _not_explained(_view: View, _names: Names, _action: Action) -> str:
    return ""


class Spoken(msgspec.Struct, Generic[V], frozen=True):
    """Texts that become sentences, each from what one seat sees."""

    about: Callable[[V, Names], Iterable[str]]
    """What is played in this round, and what everybody should know of it."""
    turn: Callable[[V, Names], Iterable[str]] | None = None
    """To the seat to act: how it stands, and why there are just these choices; else what ``turns.usual`` says."""
    called: Callable[[V, Action], str] = _not_said
    """What an action is called in the list of choices, after its kind; nothing where its own text says it."""
    explained: Callable[[V, Names, Action], str] = _not_explained
    """What an action means or counts, where that is to be told."""
    left: Callable[[V], Iterable[str]] = _nothing
    """By seat: the contracts that it has still to name."""
