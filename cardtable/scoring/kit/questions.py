"""Questions asked after a round with real cards: choices, and counts for each seat."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from cardtable.engine.game import Seat

Round: TypeAlias = Mapping[str, str | Sequence[int]]
"""Round as it is entered and stored: by name of the question, the key of a choice or the counts of all seats."""


class AskedOption(NamedTuple):
    """Option of a choice question."""

    key: str
    """Key of the option in the file."""
    label: str
    """Short label for the screen."""
    closed_reason: str | None = None
    """Reason why the option cannot be chosen now; ``None`` if it can."""
    suit: int | None = None
    """Suit that the option stands for, or ``None``."""
    seat: Seat | None = None
    """Seat that the option stands for, or ``None``."""
    long_label: str = ""
    """Long label; empty if it is the same as ``label``."""


class ChoiceQuestion(NamedTuple):
    """Question that is answered by choosing one of several options."""

    name: str
    """Name of the question in the file."""
    label: str
    options: tuple[AskedOption, ...]
    default: str | None = None
    """Key of the option that applies if none is chosen; ``None`` if the question must be answered."""

    def find_option(self, key: object) -> AskedOption | None:
        """Return the option with this key; ``None`` if there is none."""
        return next((option for option in self.options if option.key == key), None)


class CountQuestion(NamedTuple):
    """Question that is answered by a number for each seat, such as tricks taken."""

    name: str
    """Name of the question in the file."""
    label: str
    unit: str
    """Plural noun for what is counted, such as ``hearts``."""
    max_count: int
    """Maximum count of one seat."""
    seats: tuple[Seat, ...]
    """Seats to ask for; the counts of the other seats are 0."""
    required_sum: int | None = None
    """Number to which all counts must add up; ``None`` if every sum is valid."""
    default: int | None = None
    """Count of a seat whose field is left empty; ``None`` if every field must be filled in."""
    signed: bool = False
    """True if counts may be negative."""

    def is_allowed(self, seat: Seat, count: int) -> bool:
        """Return True if ``count`` is a valid count for ``seat``, without regard to the other counts."""
        return (
            ((-self.max_count if self.signed else 0) <= count <= self.max_count) if seat in self.seats else count == 0
        )

    def fill_counts(self, counts: Sequence[int | None]) -> list[int | None]:
        """Return the counts, with empty ones (``None``) filled in where they follow from the others.

        A count follows from ``required_sum`` if it is the only empty one or nothing remains to be distributed, or else
        from ``default`` once any count has been entered. Seats that are not asked have 0.
        """
        known = [0 if seat not in self.seats else count for seat, count in enumerate(counts)]
        missing = [seat for seat, count in enumerate(known) if count is None]
        missing_sum = None if self.required_sum is None else self.required_sum - sum(count or 0 for count in known)
        if (
            missing_sum is not None
            and missing
            and (missing_sum == 0 or (len(missing) == 1 and 0 < missing_sum <= self.max_count))
        ):
            return [missing_sum if count is None else count for count in known]
        if self.default is not None and any(count is not None for count in counts):
            return [self.default if count is None else count for count in known]
        return known

    @property
    def limit_text(self) -> str:
        """Limit of the count of each seat, as text for the player."""
        return f"{self.label.lower()}: at most {self.max_count} each"

    def compute_max(self, counts: Sequence[int | None], seat: Seat) -> int:
        """Return the maximum count of ``seat`` that the required sum allows with the counts of the other seats.

        Empty counts (``None``) are taken as 0.
        """
        if self.required_sum is None:
            return self.max_count
        others = sum(count or 0 for other, count in enumerate(counts) if other != seat)
        return max(min(self.max_count, self.required_sum - others), 0)

    def format_sum(self, counts: Sequence[int | None]) -> str:
        """Compare the sum of the counts with the required sum, as text such as ``12 of 13 hearts: 1 still missing``.

        Called only if there is a required sum. Empty counts (``None``) are taken as 0.
        """
        assert self.required_sum is not None
        sum_ = sum(count or 0 for count in counts)
        text = f"{sum_} of {self.required_sum} {self.unit}"
        if sum_ == self.required_sum:
            return text
        missing = self.required_sum - sum_
        return f"{text}: {missing} still missing" if missing > 0 else f"{text}: {-missing} too many"

    def is_exceeded(self, counts: Sequence[int | None]) -> bool:
        """Return True if the counts are too high, whatever is entered in the empty fields (``None``)."""
        known = [count or 0 for count in counts]
        return max(map(abs, known)) > self.max_count or (
            self.required_sum is not None and sum(known) > self.required_sum
        )


class RoundQuestions(NamedTuple):
    """All questions after a round; later questions may depend on the choices made so far."""

    seat: Seat
    """Seat with a special role in the round, such as the dealer or declarer."""
    seat_action: str
    """Predicate that tells what this seat does in the round, such as ``declares``."""
    choices: tuple[ChoiceQuestion, ...]
    rows: tuple[CountQuestion, ...]


class RemainingTable(NamedTuple):
    """Table of the contracts or deals that remain to be played.

    Labels and headings are texts, or seats whose names are to be shown.
    """

    heading: str
    column_headings: tuple[str | Seat, ...]
    rows: tuple["RemainingRow", ...]


class RemainingRow(NamedTuple):
    """Row of a ``RemainingTable``."""

    label: str | Seat
    remaining: tuple[tuple[int, int], ...]
    """Remaining and total number in each column."""
    note: str = ""

    @property
    def is_empty(self) -> bool:
        """True if nothing remains in any column."""
        return not any(left for left, _ in self.remaining)
