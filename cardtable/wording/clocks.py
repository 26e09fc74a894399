"""Clocks, as people read them, and what is told when one has run out."""

from typing import Final

from cardtable.engine.contract import Note, Seat

DEALT_AGAIN: Final = Note(None, "time is over: the round is dealt again")


def minutes(seconds: float | None) -> str:
    """Time on a clock: ``9:05``; nothing where there is none."""
    return "" if seconds is None else "{}:{:02}".format(*divmod(max(int(seconds), 0), 60))


def lost(seat: Seat) -> Note:
    """What everybody is told of a seat whose time for the session is over."""
    return Note(seat, "has no time left: the session is lost")


def run_out(seconds: float | None) -> bool:
    """Whether there is a clock, and no time on it any more."""
    return seconds is not None and seconds <= 0
