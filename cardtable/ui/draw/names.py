"""Names where there is not room for all of them whole: cut alike, and told apart."""

from collections.abc import Iterator, Sequence
from typing import Final

from rich.cells import cell_len

from cardtable.ui.draw.fitting import ELLIPSIS, beginning, cut

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
    return cut(name, width) if width >= _LEAST_CUT else beginning(name, width)


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
