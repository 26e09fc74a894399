"""Texts of marks and zones for every front end, cleaned and cut to their lengths."""

from collections.abc import Sequence

from cardtable.engine.game import (
    MAX_MARK_NAME,
    MAX_MARK_VALUE,
    MAX_MARKS,
    MAX_ZONE_LABEL,
    MAX_ZONE_SUMMARY,
    AnyGame,
    Mark,
    Seat,
    View,
    Zone,
)
from cardtable.engine.text_format import sanitize
from cardtable.wording.formatting import format_number
from cardtable.wording.players import READY


def list_marks(game: AnyGame, view: View) -> tuple[Mark, ...]:
    """Return the marks of a position with texts that are safe to show; empty between rounds.

    A seat, and the middle, has at most ``MAX_MARKS`` of them.
    """
    if not view.playing:
        return ()
    seats = (None, *range(len(view.totals)))
    marks = [*[Mark(READY, seat) for seat, chosen in enumerate(view.chosen) if chosen], *game.marks(view)]
    return tuple([_sanitize_mark(mark) for seat in seats for mark in filter_marks(marks, seat)[:MAX_MARKS]])


def _sanitize_mark(mark: Mark) -> Mark:
    value = mark.value if isinstance(mark.value, int) else sanitize(mark.value, MAX_MARK_VALUE)
    return Mark(sanitize(mark.name, MAX_MARK_NAME), mark.seat, value, mark.of)


def filter_marks(marks: Sequence[Mark], seat: Seat | None) -> tuple[Mark, ...]:
    """Return the marks of a seat, or those of the middle if ``seat`` is ``None``."""
    return tuple([mark for mark in marks if mark.seat == seat])


def format_mark(mark: Mark) -> str:
    """Format a mark: ``count 27 of 31``, ``scope 2`` or ``passed``."""
    return " ".join(filter(None, (mark.name, format_value(mark))))


def format_short_mark(mark: Mark) -> str:
    """Format a mark for a plate: ``27/31`` for a track, without its name."""
    return format_mark(mark) if mark.of is None else f"{_format_own_value(mark)}/{mark.of}"


def format_plate_mark(mark: Mark) -> str:
    """Format a mark for a wide plate: ``pegs 27/31`` for a track."""
    return format_mark(mark) if mark.of is None else f"{mark.name} {format_short_mark(mark)}".strip()


def format_value(mark: Mark) -> str:
    """Format the value of a mark, with the end of its track: ``27 of 31``; empty if the name is all."""
    return _format_own_value(mark) if mark.of is None else f"{_format_own_value(mark)} of {mark.of}"


def _format_own_value(mark: Mark) -> str:
    return format_number(mark.value) if isinstance(mark.value, int) else mark.value


def describe_marks(marks: Sequence[Mark], names: Sequence[str]) -> list[str]:
    """Describe marks in parts of sentences: those of the middle, then those of the seats by name.

    ``count: 27 of 31``, ``pegs: You 12 of 61, Bo 30 of 61``, ``passed: Bo, Cy``. ``names``: the players by seat.
    """
    middle: list[str] = []
    owners: dict[str, list[str]] = {}
    for mark in marks:
        value = format_value(mark)
        if mark.seat is None:
            middle.append(f"{mark.name}: {value}" if value else mark.name)
        else:
            owners.setdefault(mark.name, []).append(f"{names[mark.seat]} {value}".strip())
    return [*middle, *[f"{name}: {', '.join(texts)}" for name, texts in owners.items()]]


def format_zone_label(zone: Zone) -> str:
    return sanitize(zone.label or zone.name, MAX_ZONE_LABEL)


def format_zone_summary(zone: Zone) -> str:
    return sanitize(zone.summary, MAX_ZONE_SUMMARY)
