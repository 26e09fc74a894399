"""What one seat may know of Rifki."""

from cardtable.engine.cards import Cards
from cardtable.engine.contract import Seat
from cardtable.engine.tricks import TrickView
from cardtable.games.rifki.rules.contracts import SEATS, Contract, Options


class RifkiView(TrickView, frozen=True):
    """What one seat may know of Rifki."""

    options: Options
    starter: Seat | None
    """Who declares the first contract of the session; ``None`` while that is open."""
    declarer: Seat | None
    declared: tuple[Contract, ...]
    """The contracts of the finished rounds, in their order."""
    contract: Contract | None
    """What the declarer has said."""
    opening: bool
    """Whether the first card of the round is still to be led: the contract may change."""
    taken: tuple[Cards, ...]
    """Penalty cards taken, by seat."""
    counts: tuple[int, ...]
    """What each seat has taken of what the contract counts."""
    hearts_shut: bool
    """Whether only who holds nothing else may lead a heart."""
    lacks: tuple[Cards, ...]
    """Cards each seat has shown not to hold: what it would have had to play and did not."""

    def declared_by(self, seat: Seat) -> tuple[Contract, ...]:
        """The contracts that ``seat`` has declared in finished rounds."""
        place = self.place(seat)
        return () if place is None else self.declared[place::SEATS]

    def place(self, seat: Seat) -> int | None:
        """How many declare before ``seat``, 0 to 3; ``None`` while it is open who begins."""
        return None if self.starter is None else (seat - self.starter) * self.options.step % SEATS
