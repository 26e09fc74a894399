"""Score tables in words: what one is told before it begins, and what is wrong with names."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from cardtable.engine.contract import Seat
from cardtable.scoring.kit.sheet import Sheet
from cardtable.store import seating


class WrongName(NamedTuple):
    """Why a name cannot be, and whose it is."""

    seat: Seat
    why: str


def wrong_name(names: Sequence[str]) -> WrongName | None:
    """The first name that cannot be, by seat; ``None`` if all can."""
    for seat, name in enumerate(names):
        if why := seating.why_not(name):
            return WrongName(seat, why)
        if seating.nick_key(name) in map(seating.nick_key, names[:seat]):
            return WrongName(seat, f"{name} plays already")
    return None


def about(sheet: Sheet[Any]) -> list[str]:
    """What is entered after a round, and when the session is over."""
    return [f"After each round you enter {sheet.entered}.", f"The session {sheet.over_words}."]
