"""Text made to fit: cut, or broken into lines."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from rich.cells import cell_len

ELLIPSIS: Final = "…"


def cut(text: str, width: int) -> str:
    """The text in at most ``width`` columns; what is left out shows as an ellipsis."""
    if cell_len(text) <= width:
        return text
    kept = beginning(text, max(width - 1, 0)).rstrip()
    return kept + ELLIPSIS if width > 0 else ""


def whole(facts: Sequence[str], between: str, width: int) -> str:
    """As many of the facts, from the first on, as are in ``width`` columns together; of the first as much as is."""
    kept = list(facts)
    while len(kept) > 1 and cell_len(between.join(kept)) > width:
        kept.pop()
    return cut(between.join(kept), width)


def cut_middle(text: str, width: int) -> str:
    """The text in at most ``width`` columns; what is left out in the middle shows as an ellipsis."""
    if cell_len(text) <= width:
        return text
    end = beginning(text[::-1], width * 2 // 3)[::-1]
    return cut(beginning(text, max(width - cell_len(end) - 1, 0)) + ELLIPSIS + end, width)


def wrap(text: str, width: int, measure: Callable[[str], int] = cell_len) -> list[str]:
    """The text in lines of at most ``width`` columns, broken between words where possible.

    Line ends in the text are kept.  There is at least one line, and ``width`` is at least 2.
    ``measure`` tells the columns of words that are not shown as they are written.
    """
    return [line for part in text.split("\n") for line in _fill(part.split(), width, measure)]


def _fill(parts: Iterable[str], width: int, measure: Callable[[str], int]) -> list[str]:
    lines = [""]
    for part in parts:
        joined = f"{lines[-1]} {part}" if lines[-1] else part
        if measure(joined) <= width:
            lines[-1] = joined
            continue
        rest = part
        while cell_len(rest) > width:
            start = beginning(rest, width)
            lines.append(start)
            rest = rest[len(start) :]
        lines.append(rest)
    return lines if lines[0] or len(lines) == 1 else lines[1:]


def beginning(text: str, width: int) -> str:
    """As much of the text as fits into so many columns, with the marks that belong to its last character."""
    used = 0
    for place, char in enumerate(text):
        used += cell_len(char)
        if used > width:
            return text[:place]
    return text
