"""Text made to fit: cut, or broken into lines."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from rich.cells import cell_len

ELLIPSIS: Final = "…"


def truncate(text: str, width: int) -> str:
    """The text in at most ``width`` columns; what is left out shows as an ellipsis."""
    if cell_len(text) <= width:
        return text
    kept = beginning(text, max(width - 1, 0)).rstrip()
    return kept + ELLIPSIS if width > 0 else ""


def join_fitting(facts: Sequence[str], between: str, width: int) -> str:
    """As many of the facts, from the first on, as are in ``width`` columns together; of the first as much as is."""
    kept = list(facts)
    while len(kept) > 1 and cell_len(between.join(kept)) > width:
        kept.pop()
    return truncate(between.join(kept), width)


def cut_middle(text: str, width: int) -> str:
    """The text in at most ``width`` columns; what is left out in the middle shows as an ellipsis."""
    if cell_len(text) <= width:
        return text
    end = beginning(text[::-1], width * 2 // 3)[::-1]
    return truncate(beginning(text, max(width - cell_len(end) - 1, 0)) + ELLIPSIS + end, width)


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


LEAST_NAME: Final = 3
"""Letters of a name that are left of it at least."""
WHOLE_NAME: Final = 8
"""Columns of the longest nick; names that are longer have no room of their own."""
_LEAST_CUT: Final = 5
"""Columns below which a letter more says more than an ellipsis."""


def cut_alike(names: Sequence[str], width: int) -> list[str]:
    """The names of one place in ``width`` columns each: whole, or all that have no room cut in one way.

    Names that differ do so afterwards, too: by their beginnings, by beginning and end, or where that is not enough
    by two letters, or by the initial and the number of the seat; these are two, even if ``width`` is 1.
    """
    if all(cell_len(name) <= width for name in names):
        return list(names)
    seats = [f"{name[:1]}{number}" for number, name in enumerate(names, 1)]
    return next((told for told in _ways(names, width) if len(set(told)) == len(set(names))), seats)


def _ways(names: Sequence[str], width: int) -> Iterator[list[str]]:
    """All names cut in one way, in the order in which the ways are liked."""
    yield [_begun(name, width) for name in names]
    for end in range(1, max(width - 1, 1)):
        yield [_ended(name, width, end) for name in names]
    for at in range(1, max(map(len, names))):
        yield [name[:1] + name[at : at + 1] for name in names]


def _begun(name: str, width: int) -> str:
    return truncate(name, width) if width >= _LEAST_CUT else beginning(name, width)


def _ended(name: str, width: int, end: int) -> str:
    """The name, or its beginning and its last ``end`` columns."""
    if cell_len(name) <= width:
        return name
    last = beginning(name[::-1], end)[::-1]
    return beginning(name, width - 1 - end) + ELLIPSIS + last


def cut_together(names: Sequence[str], room: int) -> list[str]:
    """The same for names beside each other that have ``room`` columns together; three letters of each stay."""
    longest = max(map(cell_len, names), default=0)
    for width in range(max(longest, LEAST_NAME), LEAST_NAME, -1):
        told = cut_alike(names, width)
        if sum(map(cell_len, told)) <= room:
            return told
    return cut_alike(names, LEAST_NAME)


def in_a_line(names: Sequence[str], width: int) -> str:
    """The same in a text of so many columns; it is longer where three letters of each are."""
    return " ".join(cut_together(names, width - max(len(names) - 1, 0)))
