"""Passing in the sense of not playing, until all others have passed, as in President.

Example ``cardtable-hearts`` has passing of cards to other seats.
"""

from collections.abc import Sequence
from typing import Final, Self

import msgspec

from cardtable.engine.game import Action, Note, Seat
from cardtable.engine.log_entries import CustomLogEntry
from cardtable.engine.round_state import find_next_seat, with_value


class Pass(Action, frozen=True, tag="pass"):
    """Passing: the seat plays, draws or bids nothing."""

    kind = "pass"


PASS: Final = Pass()
"""The only value of ``Pass``."""


class Passing(msgspec.Struct, frozen=True):
    """Seats that have passed since a new pile was begun, and the seat that has played last."""

    passed: tuple[bool, ...]
    """By seat, True if the seat has passed and may not play again yet."""
    last: Seat | None = None
    """Seat that has played last; ``None`` if the pile is empty."""

    def with_pass(self, seat: Seat) -> Self:
        """Return the record after ``seat`` has passed."""
        return msgspec.structs.replace(self, passed=with_value(self.passed, seat, True))

    def with_play(self, seat: Seat, *, reopens: bool = False) -> Self:
        """Return the record after ``seat`` has played.

        ``reopens``: True if those who have passed may play again after a play, False if they have to wait for a new
        pile.
        """
        return type(self)((False,) * len(self.passed) if reopens else self.passed, seat)

    def find_next_seat(self, active: Sequence[bool], seat: Seat) -> Seat | None:
        """Return the next active seat after ``seat`` that may still play; ``None`` if all others have passed.

        The pile then belongs to the seat ``last``, and ``find_leader`` returns the seat that begins a new one.
        ``active``: by seat, True if the seat takes part.
        """
        waiting = [
            is_active and not passed and other != self.last
            for other, (is_active, passed) in enumerate(zip(active, self.passed, strict=True))
        ]
        return find_next_seat(waiting, seat) if any(waiting) else None

    def find_leader(self, active: Sequence[bool]) -> Seat:
        """Return the seat that begins a new pile: the one that has played last, or if it is out the next active seat.

        Requires that a seat has played.
        """
        assert self.last is not None, "nobody has played yet: the seat that begins the round is `first_seat`"
        return self.last if active[self.last] else find_next_seat(active, self.last)


def begin_passing(seats: int) -> Passing:
    """Return the record at the beginning of a pile: nobody has passed."""
    return Passing((False,) * seats)


def pass_entry(seat: Seat) -> Note:
    """Return the log entry of a pass."""
    return CustomLogEntry(seat, "passes", "pass")
