"""Fitting of text into columns (truncation, wrapping, short names) and of lists into rows."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from rich.cells import cell_len

ELLIPSIS: Final = "…"


def truncate(text: str, width: int) -> str:
    """Return the text in at most ``width`` columns; an ellipsis replaces an omitted end."""
    if cell_len(text) <= width:
        return text
    fitting = cut_prefix(text, max(width - 1, 0)).rstrip()
    return fitting + ELLIPSIS if width > 0 else ""


def join_fitting(facts: Sequence[str], separator: str, width: int) -> str:
    """Join as many facts, from the first one, as fit into ``width`` columns; truncate the first if it does not fit."""
    fitting = list(facts)
    while len(fitting) > 1 and cell_len(separator.join(fitting)) > width:
        fitting.pop()
    return truncate(separator.join(fitting), width)


def cut_middle(text: str, width: int) -> str:
    """Return the text in at most ``width`` columns; an ellipsis replaces an omitted middle."""
    if cell_len(text) <= width:
        return text
    end = cut_prefix(text[::-1], width * 2 // 3)[::-1]
    return truncate(cut_prefix(text, max(width - cell_len(end) - 1, 0)) + ELLIPSIS + end, width)


def wrap(text: str, width: int, measure: Callable[[str], int] = cell_len) -> list[str]:
    """Wrap the text into lines of at most ``width`` columns, between words if possible.

    Line breaks in the text are preserved. Returns at least one line; ``width`` must be at least 2. ``measure`` returns
    the displayed width of text that is painted differently from its source.
    """
    return [line for part in text.split("\n") for line in _wrap_words(part.split(), width, measure)]


def _wrap_words(parts: Iterable[str], width: int, measure: Callable[[str], int]) -> list[str]:
    lines = [""]
    for part in parts:
        joined = f"{lines[-1]} {part}" if lines[-1] else part
        if measure(joined) <= width:
            lines[-1] = joined
            continue
        rest = part
        while cell_len(rest) > width:
            start = cut_prefix(rest, width)
            lines.append(start)
            rest = rest[len(start) :]
        lines.append(rest)
    return lines if lines[0] or len(lines) == 1 else lines[1:]


def cut_prefix(text: str, width: int) -> str:
    """Return the longest prefix of the text that fits into ``width`` columns, including combining marks."""
    used = 0
    for index, char in enumerate(text):
        used += cell_len(char)
        if used > width:
            return text[:index]
    return text


MIN_NAME_WIDTH: Final = 3
"""Minimum number of letters that remain of a shortened name."""
NICK_WIDTH: Final = 8
"""Width of the longest nick in columns; longer names are shortened."""
_MIN_ELLIPSIS_WIDTH: Final = 5
"""Width, in columns, below which one more letter is more useful than an ellipsis."""


def shorten_names(names: Sequence[str], width: int) -> list[str]:
    """Return the names in at most ``width`` columns each: unchanged, or all long ones shortened in the same way.

    Distinct names stay distinct. They are shortened to their beginnings, to beginning and end, to two letters, or to
    the initial and the number of the seat, whichever suffices first. The last two have two columns even if ``width`` is
    1.
    """
    if all(cell_len(name) <= width for name in names):
        return list(names)
    seats = [f"{name[:1]}{number}" for number, name in enumerate(names, 1)]
    return next((cut for cut in _iter_shortenings(names, width) if len(set(cut)) == len(set(names))), seats)


def _iter_shortenings(names: Sequence[str], width: int) -> Iterator[list[str]]:
    """Yield the names shortened in each way, in order of preference."""
    cut_end = truncate if width >= _MIN_ELLIPSIS_WIDTH else cut_prefix
    yield [cut_end(name, width) for name in names]
    for end in range(1, max(width - 1, 1)):
        yield [_cut_before_end(name, width, end) for name in names]
    for index in range(1, max(map(len, names))):
        yield [name[:1] + name[index : index + 1] for name in names]


def _cut_before_end(name: str, width: int, end: int) -> str:
    """Return the name, or its beginning and its last ``end`` columns if it is too long."""
    if cell_len(name) <= width:
        return name
    last = cut_prefix(name[::-1], end)[::-1]
    return cut_prefix(name, width - 1 - end) + ELLIPSIS + last


def shorten_names_to_fit(names: Sequence[str], total_width: int) -> list[str]:
    """Shorten names that share ``total_width`` columns, as ``shorten_names`` does.

    At least ``MIN_NAME_WIDTH`` columns of each remain, even if the names are then too long together.
    """
    longest = max(map(cell_len, names), default=0)
    for width in range(max(longest, MIN_NAME_WIDTH), MIN_NAME_WIDTH, -1):
        cut = shorten_names(names, width)
        if sum(map(cell_len, cut)) <= total_width:
            return cut
    return shorten_names(names, MIN_NAME_WIDTH)


def join_names(names: Sequence[str], width: int) -> str:
    """Join the shortened names with spaces in ``width`` columns; longer if three letters of each name do not fit."""
    return " ".join(shorten_names_to_fit(names, width - max(len(names) - 1, 0)))


def centre_window(cursor: int, rows: int, total: int) -> int:
    """Return the first of ``rows`` visible entries of ``total``, with the cursor in the middle if possible."""
    return max(0, min(cursor - rows // 2, total - rows))


def scroll_window(first: int, rows: int, total: int, cursor: int | None = None) -> int:
    """Return the first of ``rows`` visible entries of a list of ``total``, within the limits of the list.

    It is ``first`` if possible. With a ``cursor`` the list is scrolled as little as necessary to make it visible.
    """
    if cursor is not None:
        first = max(min(first, cursor), cursor - rows + 1)
    return max(0, min(first, total - rows))
