"""What is asked after a round with real cards: choices, and counts by seat."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from cardtable.engine.game import Seat

Round: TypeAlias = Mapping[str, str | Sequence[int]]
"""A round as it is entered and kept: by name the choices, and the counts of all seats."""


class AskedOption(NamedTuple):
    """One of the things that can be chosen."""

    key: str
    """What the file calls it."""
    label: str
    """What it is called where room is scarce."""
    closed: str = ""
    """Why it cannot be chosen now."""
    suit: int | None = None
    """The suit that it is."""
    seat: Seat | None = None
    """The seat that it is."""
    words: str = ""
    """What it is called in words, if that is something else."""


class ChoiceQuestion(NamedTuple):
    """A question with few answers."""

    name: str
    """What the file calls it."""
    label: str
    options: tuple[AskedOption, ...]
    usual: str | None = None
    """What is chosen where nobody says anything."""

    def option(self, key: object) -> AskedOption | None:
        """The option that the file calls so."""
        return next((option for option in self.options if option.key == key), None)


class CountQuestion(NamedTuple):
    """A count that is asked of each seat."""

    name: str
    """What the file calls it."""
    label: str
    what: str
    """What is counted, as it stands after a number."""
    most: int
    """The most that one seat can have."""
    seats: tuple[Seat, ...]
    """Who is asked; the others have 0."""
    together: int | None = None
    """What all have together."""
    blank: int | None = None
    """What a count is that is left out."""
    signed: bool = False
    """Whether it can be below 0, too."""

    def allows(self, seat: Seat, count: int) -> bool:
        """Whether a seat can have so many."""
        return (-self.most * self.signed <= count <= self.most) if seat in self.seats else count == 0

    def filled(self, counts: Sequence[int | None]) -> list[int | None]:
        """The counts with those that follow: from the sum, or because nothing is what is left out."""
        known = [0 if seat not in self.seats else count for seat, count in enumerate(counts)]
        missing = [seat for seat, count in enumerate(known) if count is None]
        left = None if self.together is None else self.together - sum(count or 0 for count in known)
        if left is not None and missing and (left == 0 or (len(missing) == 1 and 0 < left <= self.most)):
            return [left if count is None else count for count in known]
        if self.blank is not None and any(count is not None for count in counts):
            return [self.blank if count is None else count for count in known]
        return known

    @property
    def limit(self) -> str:
        """What one seat can have at most, in words."""
        return f"{self.label.lower()}: at most {self.most} each"

    def room(self, counts: Sequence[int | None], seat: Seat) -> int:
        """The most that can be this seat's count beside those of the others."""
        if self.together is None:
            return self.most
        others = sum(count or 0 for place, count in enumerate(counts) if place != seat)
        return max(min(self.most, self.together - others), 0)

    def told(self, counts: Sequence[int | None]) -> str:
        """How the counts stand to what they must be together: ``12 of 13 hearts: 1 still missing``."""
        assert self.together is not None
        sum_ = sum(count or 0 for count in counts)
        said = f"{sum_} of {self.together} {self.what}"
        if sum_ == self.together:
            return said
        missing = self.together - sum_
        return f"{said}: {missing} still missing" if missing > 0 else f"{said}: {-missing} too many"

    def exceeds(self, counts: Sequence[int | None]) -> bool:
        """Whether there is more than there can be, whatever comes."""
        known = [count or 0 for count in counts]
        return max(map(abs, known)) > self.most or (self.together is not None and sum(known) > self.together)


class RoundQuestions(NamedTuple):
    """All that is asked after a round, with the choices made so far."""

    who: Seat
    """Whose round it is."""
    does: str
    """What this seat does in it: ``declares``."""
    choices: tuple[ChoiceQuestion, ...]
    rows: tuple[CountQuestion, ...]


class RemainingTable(NamedTuple):
    """What is left of something, for the panel: a heading, columns, and a row each with how many of how many."""

    heading: str
    heads: tuple[str | Seat, ...]
    rows: tuple["LeftRow", ...]


class LeftRow(NamedTuple):
    """A line of what is left."""

    label: str | Seat
    left: tuple[tuple[int, int], ...]
    """How many of how many, column by column."""
    note: str = ""

    @property
    def none(self) -> bool:
        """Whether nothing is left."""
        return not any(left for left, _ in self.left)
