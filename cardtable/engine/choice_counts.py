"""Numbers of choices in a session: how many were due in each seat, and who has made them."""

from typing import NamedTuple

from cardtable.engine.game import Seat
from cardtable.engine.journal import SessionResult


class CountedChoice(NamedTuple):
    """Decision with at least two legal actions."""

    seat: Seat
    is_own: bool
    """True if the person in the seat has made it."""
    is_late: bool
    """True if a robot has made it because of the person's clock, while another person had not lost."""


class ChoiceCounts:
    """Numbers of choices by seat, without those that were undone, as ``SessionResult`` has them."""

    def __init__(self, seats: int) -> None:
        self.own, self.due, self.late = [0] * seats, [0] * seats, [0] * seats

    def copy(self) -> "ChoiceCounts":
        clone = ChoiceCounts(0)
        clone.own, clone.due, clone.late = self.own.copy(), self.due.copy(), self.late.copy()
        return clone

    def add(self, choice: CountedChoice | None, number: int = 1) -> None:
        """Count a choice, or with -1 one that is undone; ``None`` stands for a decision that was no choice."""
        if choice:
            self.due[choice.seat] += number
            self.own[choice.seat] += number * choice.is_own
            self.late[choice.seat] += number * choice.is_late

    def to_tuples(self) -> tuple[tuple[int, ...], ...]:
        return tuple(self.own), tuple(self.due), tuple(self.late)

    def agree_with(self, result: SessionResult) -> bool:
        """Return True if a result has these numbers, or none."""
        told = (result.own, result.due, result.late)
        return all(numbers in (None, counted) for numbers, counted in zip(told, self.to_tuples(), strict=True))
