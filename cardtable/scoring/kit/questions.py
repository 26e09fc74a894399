"""Questions asked after a round with real cards: choices, and counts by seat."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from cardtable.engine.game import Seat

Round: TypeAlias = Mapping[str, str | Sequence[int]]
"""A round as it is entered and stored: by name of the question, the key of a choice or the counts of all seats."""


class AskedOption(NamedTuple):
    """An option of a choice."""

    key: str
    """Key in the file."""
    label: str
    """Short label for the screen."""
    closed: str = ""
    """Reason why the option cannot be chosen now; ``""`` if it can."""
    suit: int | None = None
    """The suit, if the option is one."""
    seat: Seat | None = None
    """The seat, if the option is one."""
    words: str = ""
    """Long label; ``""`` if it is the same as ``label``."""


class ChoiceQuestion(NamedTuple):
    """A question with a list of options."""

    name: str
    """Key in the file."""
    label: str
    options: tuple[AskedOption, ...]
    usual: str | None = None
    """Key of the default option."""

    def option(self, key: object) -> AskedOption | None:
        """Return the option with this key; ``None`` if there is none."""
        return next((option for option in self.options if option.key == key), None)


class CountQuestion(NamedTuple):
    """A question for a count of each seat."""

    name: str
    """Key in the file."""
    label: str
    unit: str
    """The counted things, as they are named after a number."""
    most: int
    """Maximum count of one seat."""
    seats: tuple[Seat, ...]
    """The seats that are asked; the others have 0."""
    required_sum: int | None = None
    """Required sum of all counts; ``None`` if any sum is valid."""
    default: int | None = None
    """Default of an empty count; ``None`` if counts may not be empty."""
    signed: bool = False
    """True if counts may be negative."""

    def allows(self, seat: Seat, count: int) -> bool:
        """Return True if ``count`` is possible for ``seat``."""
        return ((-self.most if self.signed else 0) <= count <= self.most) if seat in self.seats else count == 0

    def filled(self, counts: Sequence[int | None]) -> list[int | None]:
        """Return the counts with those filled in that follow from the required sum or the default."""
        known = [0 if seat not in self.seats else count for seat, count in enumerate(counts)]
        missing = [seat for seat, count in enumerate(known) if count is None]
        left = None if self.required_sum is None else self.required_sum - sum(count or 0 for count in known)
        if left is not None and missing and (left == 0 or (len(missing) == 1 and 0 < left <= self.most)):
            return [left if count is None else count for count in known]
        if self.default is not None and any(count is not None for count in counts):
            return [self.default if count is None else count for count in known]
        return known

    @property
    def limit(self) -> str:
        """The limit of a count, in words."""
        return f"{self.label.lower()}: at most {self.most} each"

    def max_for(self, counts: Sequence[int | None], seat: Seat) -> int:
        """Return the maximum count of ``seat``, given the counts of the others."""
        if self.required_sum is None:
            return self.most
        others = sum(count or 0 for place, count in enumerate(counts) if place != seat)
        return max(min(self.most, self.required_sum - others), 0)

    def sum_message(self, counts: Sequence[int | None]) -> str:
        """Return the comparison of the counts with the required sum, such as ``12 of 13 hearts: 1 still missing``."""
        assert self.required_sum is not None
        sum_ = sum(count or 0 for count in counts)
        said = f"{sum_} of {self.required_sum} {self.unit}"
        if sum_ == self.required_sum:
            return said
        missing = self.required_sum - sum_
        return f"{said}: {missing} still missing" if missing > 0 else f"{said}: {-missing} too many"

    def exceeds(self, counts: Sequence[int | None]) -> bool:
        """Return True if the counts exceed a limit or the required sum, whatever is entered in the empty ones."""
        known = [count or 0 for count in counts]
        return max(map(abs, known)) > self.most or (self.required_sum is not None and sum(known) > self.required_sum)


class RoundQuestions(NamedTuple):
    """All questions after a round, given the choices made so far."""

    who: Seat
    """The seat whose round it is, such as the dealer or declarer."""
    does: str
    """The action of this seat in the round, such as ``declares``."""
    choices: tuple[ChoiceQuestion, ...]
    rows: tuple[CountQuestion, ...]


class RemainingTable(NamedTuple):
    """A table of what remains to be played: a heading, column headings, and rows."""

    heading: str
    heads: tuple[str | Seat, ...]
    rows: tuple["RemainingRow", ...]


class RemainingRow(NamedTuple):
    """A row of a ``RemainingTable``."""

    label: str | Seat
    left: tuple[tuple[int, int], ...]
    """Remaining and total number by column."""
    note: str = ""

    @property
    def none(self) -> bool:
        """True if all columns have 0 left."""
        return not any(left for left, _ in self.left)
