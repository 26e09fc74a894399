"""What is shown of a score table: the sheet, the round that is entered, and how far the rounds are scrolled."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from cardtable.engine.contract import Seat
from cardtable.scoring.entry import Entry
from cardtable.scoring.kit.sheet import Sheet


@dataclass(slots=True)
class Scoring:
    """What is shown of a score table."""

    sheet: Sheet[Any]
    names: Sequence[str]
    entry: Entry
    number: int
    """The round that is entered."""
    shut: str = ""
    """Why nothing can be entered."""
    offset: int = 0
    """Rounds that are scrolled away."""
    follow: bool = True
    """Whether the round that is entered is kept in sight."""
    rows: int = field(default=1, init=False)
    """Rounds there is room for."""

    @property
    def again(self) -> bool:
        """Whether a round is entered once more."""
        return self.number <= self.sheet.finished

    @property
    def over(self) -> bool:
        """Whether there is no further round."""
        return self.sheet.ended and not self.again

    @property
    def begun(self) -> bool:
        """Whether something is entered that is not kept."""
        return self.again or (self.entry.begun and not self.shut)

    @property
    def asks(self) -> Seat | None:
        """Whose round is entered; ``None`` where nothing can be."""
        return None if self.over or self.shut else self.entry.asked.who


def told_apart(names: Sequence[str], letters: int) -> list[str]:
    """The first letters of each name; where they are the same, the initial with another letter, or with the seat."""
    told = [name[:letters] for name in names]
    others = [[name[:1] + name[place : place + 1] for name in names] for place in range(1, max(map(len, names)))]
    seats = [f"{name[:1]}{number}" for number, name in enumerate(names, 1)]
    return next((each for each in (told, *others) if len(set(each)) == len(names)), seats)
