"""What ratings and statistics have in common where they are painted: days, words where there are no figures."""

from datetime import UTC, datetime

from cardtable.ui.draw.canvas import Canvas
from cardtable.ui.draw.fitting import wrap
from cardtable.wording.words import day


def when(seconds: float) -> str:
    """A day with its year, from seconds since 1970-01-01T00:00Z."""
    then = _local(seconds)
    return f"{day(then)} {then.year}"


def span(first: float, last: float) -> tuple[str, str]:
    """Two days, with their years if these differ."""
    one, other = _local(first), _local(last)
    return (day(one), day(other)) if one.year == other.year else (when(first), when(last))


def _local(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC).astimezone()


def paint_words(canvas: Canvas, x: int, y: int, width: int, text: str, *more: str) -> None:
    """What there is to say where there are no figures, and below it what can be done."""
    inks = canvas.theme.inks
    for line in wrap(text, width):
        canvas.text(x, y, line, inks.text)
        y += 1
    for line in [line for each in more for line in ["", *wrap(each, width)]]:
        canvas.text(x, y, line, inks.muted)
        y += 1
