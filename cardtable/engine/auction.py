"""Auctions, in which each bid has to be higher than the one before, with passes, doubles and redoubles.

A game lists its bids from the lowest to the highest, its *ladder*; they are actions of a class of its own, such as
``bid 1S``. The record ``Auction`` states the calls so far as numbers, so that views can contain it.
"""

from collections.abc import Sequence
from typing import Final, Self

import msgspec

from cardtable.engine.game import Action, Note, Seat, Sides
from cardtable.engine.log_entries import CustomLogEntry
from cardtable.engine.passing import PASS, Pass, pass_entry
from cardtable.engine.round_state import find_next_seat


class Double(Action, frozen=True, tag="double"):
    """Doubling the last bid of an opponent."""

    kind = "double"


class Redouble(Action, frozen=True, tag="redouble"):
    """Doubling again a bid of the own side that an opponent has doubled."""

    kind = "redouble"


DOUBLE: Final = Double()
"""Shared ``Double`` action."""
REDOUBLE: Final = Redouble()
"""Shared ``Redouble`` action."""
PASSED: Final = -1
"""Number of a pass in ``Auction.calls``; bids have their index in the ladder."""
DOUBLED: Final = -2
"""Number of a double in ``Auction.calls``."""
REDOUBLED: Final = -3
"""Number of a redouble in ``Auction.calls``."""


class Auction(msgspec.Struct, frozen=True):
    """Calls of an auction so far."""

    seats: int
    first: Seat
    """Seat that calls first."""
    passes_are_final: bool = False
    """True if a seat that has passed makes no more calls."""
    calls: tuple[int, ...] = ()
    """Calls in their order: the index of a bid in the ladder, or ``PASSED``, ``DOUBLED`` or ``REDOUBLED``."""
    step: int = 1
    """Direction in which the seats call: 1 clockwise, -1 counter-clockwise, as ``step`` of the state."""

    @property
    def callers(self) -> tuple[Seat, ...]:
        """Seats that have made the calls, and last the seat that is to call next."""
        callers, waiting = [self.first], [True] * self.seats
        for call in self.calls:
            seat = callers[-1]
            waiting[seat] = call != PASSED or not self.passes_are_final
            callers.append(find_next_seat(waiting, seat, self.step))
        return tuple(callers)

    @property
    def turn(self) -> Seat:
        """Seat that is to call next."""
        return self.callers[-1]

    @property
    def highest(self) -> int | None:
        """Index of the highest bid in the ladder; ``None`` before the first bid."""
        return max((call for call in self.calls if call >= 0), default=None)

    @property
    def bidder(self) -> Seat | None:
        """Seat that has made the highest bid; ``None`` before the first bid."""
        return None if self.highest is None else self.callers[self.calls.index(self.highest)]

    @property
    def factor(self) -> int:
        """Factor of the highest bid: 1, or 2 after a double and 4 after a redouble of it."""
        after = () if self.highest is None else self.calls[self.calls.index(self.highest) :]
        return 4 if REDOUBLED in after else 2 if DOUBLED in after else 1

    @property
    def is_over(self) -> bool:
        """True if all seats have passed, or all but one since the highest bid, double or redouble."""
        others = self.seats - (self.highest is not None)
        if self.passes_are_final:
            return self.calls.count(PASSED) >= others
        return len(self.calls) >= others and set(self.calls[-others:]) == {PASSED}

    def list_calls(self, ladder: Sequence[Action], sides: Sides = ()) -> tuple[Action, ...]:
        """Return the legal calls of the seat to call: the higher bids, a pass, and a double or redouble.

        ``sides``: the partnerships, of which the opponents of a bidder may double; by default nobody may.
        """
        lowest = 0 if self.highest is None else self.highest + 1
        extra: tuple[Action, ...] = ()
        if self.bidder is not None:
            own = any({self.turn, self.bidder} <= {*side} for side in sides)
            if self.factor == 1 and sides and not own:
                extra = (DOUBLE,)
            elif self.factor == 2 and own:
                extra = (REDOUBLE,)
        return (*ladder[lowest:], PASS, *extra)

    def with_call(self, call: Action, ladder: Sequence[Action]) -> Self:
        """Return the auction after a call of the seat to call. Raises ``ValueError`` if it is not in the ladder."""
        code = {Pass: PASSED, Double: DOUBLED, Redouble: REDOUBLED}.get(type(call))
        added = ladder.index(call) if code is None else code
        return msgspec.structs.replace(self, calls=(*self.calls, added))


def call_entry(seat: Seat, call: Action) -> Note:
    """Return the log entry of a call: ``Bo bids 1S``, ``You pass``."""
    if isinstance(call, Pass):
        return pass_entry(seat)
    argument = f" {call.argument_text}" if call.argument_text else ""
    return CustomLogEntry(seat, f"{call.verb}s{argument}", f"{call.verb}{argument}")
