"""Occupants of the seats of a session: who has changed, who has lost, and who makes the choices."""

from collections.abc import Collection
from typing import Literal, TypeAlias

from cardtable.engine.game import Seat
from cardtable.engine.journal import ActionLine, LostLine, Occupant, OccupantLine, SessionResult, Terms

Chooser: TypeAlias = Literal["person", "clock", "robot"]
"""Who has made a choice: the person in the seat, a robot because the person's time was up, or another robot."""


class Occupants:
    """Occupants of the seats, and their choices, which are decisions with at least two legal actions."""

    def __init__(self, seats: int, people: Collection[Seat], terms: Terms | None) -> None:
        """Begin with persons in the seats ``people``."""
        self.terms, self._people = terms, people
        self.changed: dict[Seat, Occupant] = {}
        """Current occupants of those seats whose occupant has changed since the session began."""
        self.by_round: list[dict[Seat, Occupant]] = []
        """Value of ``changed`` at the end of each finished round."""
        self.lost: dict[Seat, LostLine] = {}
        """Seats that have lost the session, which goes on; robots decide for them to its end."""
        self.own, self.due, self.late = [0] * seats, [0] * seats, [0] * seats
        """Numbers of choices by seat as in ``SessionResult``."""

    def copy(self) -> "Occupants":
        clone = Occupants(0, self._people, self.terms)
        clone.changed, clone.by_round, clone.lost = self.changed.copy(), self.by_round.copy(), self.lost.copy()
        clone.own, clone.due, clone.late = self.own.copy(), self.due.copy(), self.late.copy()
        return clone

    def is_person(self, seat: Seat) -> bool:
        """Return True if a person sits in ``seat``, who may have lost the session."""
        occupant = self.changed.get(seat)
        return seat in self._people if occupant is None else occupant.robot is None

    def has_other_player(self, seat: Seat) -> bool:
        """Return True if a person who has not lost sits in another seat."""
        others = [other for other in range(len(self.due)) if other != seat and other not in self.lost]
        return any(map(self.is_person, others))

    def find_refusal(self, line: ActionLine | OccupantLine | LostLine) -> str | None:
        """Return the reason why an occupant may not decide, sit down or lose now, or ``None`` if there is none."""
        seat, has_lost = line.seat, line.seat in self.lost
        match line:
            case ActionLine():
                if line.why and line.robot is None:
                    return "only a robot decides because the time is up"
                if line.why == "clock" and not (self.terms and self.terms.clock):
                    return "the players have no clocks"
                if has_lost and (line.robot is None or line.why):
                    return f"seat {seat} has lost; a robot decides for it"
            case OccupantLine() if has_lost:
                return f"seat {seat} has lost; nobody can take it over"
            case LostLine() if self.terms is None:
                return "nobody can lose a session without terms before its end"
            case LostLine() if has_lost or not self.is_person(seat):
                return f"seat {seat} cannot lose the session"
        return None

    def apply(self, line: OccupantLine | LostLine) -> None:
        if isinstance(line, LostLine):
            self.lost[line.seat] = line
        else:
            self.changed[line.seat] = line.occupant

    def find_chooser(self, line: ActionLine) -> Chooser:
        if line.robot is None and self.is_person(line.seat):
            return "person"
        return "clock" if line.why == "clock" and self.has_other_player(line.seat) else "robot"

    def count_choice(self, seat: Seat, chooser: Chooser | None, number: int = 1) -> None:
        """Count a choice, or with -1 one that is undone; ``None`` stands for a decision that was no choice."""
        if chooser:
            self.due[seat] += number
            self.own[seat] += number * (chooser == "person")
            self.late[seat] += number * (chooser == "clock")

    def list_choices(self) -> tuple[tuple[int, ...], ...]:
        """Return the numbers of choices as the result states them; nothing if no people began."""
        return (tuple(self.own), tuple(self.due), tuple(self.late)) if self._people else ()

    def agree_with(self, result: SessionResult) -> bool:
        """Return True if a result has these numbers of choices, or none."""
        told, counted = (result.own, result.due, result.late), (self.own, self.due, self.late)
        return all(numbers in (None, tuple(own)) for numbers, own in zip(told, counted, strict=True))
