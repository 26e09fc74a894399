"""Size of the terminals in which the programs of guests run."""

from typing import Annotated, Final, Self

import msgspec

MAX_COLUMNS: Final = 300
MAX_ROWS: Final = 100
"""Maximum height of a terminal, in rows, as ``MAX_COLUMNS`` is its maximum width: every cell costs time and memory."""


class TerminalSize(msgspec.Struct, frozen=True):
    """Size of a terminal in columns and rows, as a guest's program or page reports it; 0 if it is unknown."""

    width: Annotated[int, msgspec.Meta(ge=0)]
    height: Annotated[int, msgspec.Meta(ge=0)]

    def clamp(self) -> Self:
        """Return the size for a program: 80 by 24 where it is unknown, and at most the maximum."""
        return type(self)(min(self.width or 80, MAX_COLUMNS), min(self.height or 24, MAX_ROWS))
