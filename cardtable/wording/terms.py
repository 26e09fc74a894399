"""Texts on the terms of a session at a club: whether it is rated, its aids, the players' clocks, and lost seats."""

from collections.abc import Mapping
from typing import Final

from cardtable.engine.journal import LossReason, PlayerClock, Terms
from cardtable.engine.text_format import format_count
from cardtable.session.session_events import ClockLeft
from cardtable.wording.formatting import format_clock

NO_AIDS: Final = "No hints and no last deal here before the end."
LATE_MESSAGE: Final = "Your time is up: a robot makes this decision. Late three times in a row, and you lose."
LOSS_MESSAGES: Final[Mapping[LossReason, str]] = {
    "clock": "You have lost on time. A robot plays on for you.",
    "left": "You were away too long and have lost. A robot plays on for you.",
}
"""Message for a player who has lost a session that goes on."""
_LOSSES: Final[Mapping[LossReason, tuple[str, str]]] = {
    "clock": ("lost on time", "lost"),
    "left": ("lost, left", "left"),
}
"""What stands at a seat that has lost, and a shorter form."""
HURRY_SECONDS: Final = 10
"""Time in seconds from which on a clock is marked, since it is about to run out."""


def format_loss(reason: LossReason, width: int = 80) -> str:
    """Return what stands at a seat that has lost, in at most ``width`` columns if possible."""
    text, short = _LOSSES[reason]
    return text if len(text) <= width else short


def format_player_clock(clock: PlayerClock) -> str:
    """Format a clock as chess servers do: ``30 s + 5 min``, or ``30 s`` without a reserve."""
    minutes, seconds = divmod(clock.reserve, 60)
    reserve = f"{clock.reserve} s" if seconds else f"{minutes} min"
    return f"{clock.decision} s + {reserve}" if clock.reserve else f"{clock.decision} s"


def list_terms(terms: Terms | None, *, with_clock: bool = True) -> list[str]:
    """Return terms in a few words each, such as ``rated``, ``30 s + 5 min`` and ``no hints``."""
    if terms is None:
        return []
    clock = [format_player_clock(terms.clock)] if terms.clock and with_clock else []
    return [*(["rated"] if terms.rated else []), *clock, *([] if terms.aids else ["no hints"])]


def format_terms(terms: Terms | None) -> str:
    return ", ".join(list_terms(terms))


def describe_terms(terms: Terms | None) -> list[str]:
    """Describe terms in sentences without a full stop; return none for a casual session with hints and no clocks."""
    if terms is None:
        return []
    texts = ["it is rated"] if terms.rated else []
    if terms.clock:
        texts.append(f"each player has {_describe_clock(terms.clock.decision, terms.clock.reserve)}")
    return [*texts, *([] if terms.aids else ["there are no hints and no last deal before its end"])]


def describe_clock_left(clock: ClockLeft) -> str:
    """Describe the time that a person has left, such as ``9 seconds for a decision, and 4 minutes in reserve``."""
    return _describe_clock(int(clock.decision), int(clock.reserve))


def _describe_clock(decision: int, reserve: int) -> str:
    return f"{format_count(decision, 'second')} for a decision, and {_format_duration(reserve)} in reserve"


def _format_duration(seconds: int) -> str:
    """Format a time such as ``4 minutes and 30 seconds``."""
    minutes, rest = divmod(seconds, 60)
    counts = [format_count(minutes, "minute")] if minutes else []
    counts += [format_count(rest, "second")] if rest or not minutes else []
    return " and ".join(counts)


def describe_leaving(grace: int) -> str:
    """Warn a player who leaves a rated session that waits ``grace`` seconds."""
    time = _format_duration(grace)
    return f"Your seat is kept for {time}. If you are not back by then, you lose, and a robot plays on."


def format_clock_left(clock: ClockLeft) -> str:
    """Format the time left for a decision, or in the reserve once it runs: ``0:24``, ``+4:37``; ``0:09!`` near its end.

    ``+`` stands for the reserve.
    """
    text = format_clock(clock.decision) if clock.decision > 0 else f"+{format_clock(clock.reserve)}"
    return f"{text}!" if clock.total <= HURRY_SECONDS else text
