"""Who sits at the keyboard, of several people or of one who has a password, so that her hand may be seen."""

from collections.abc import Mapping

from cardtable.engine.contract import Seat
from cardtable.store import profiles


class Keyboard:
    """One keyboard and those who take turns at it."""

    def __init__(self, nicks: Mapping[Seat, str]) -> None:
        """``nicks``: of the people at the table; none (``""``) of who is no player."""
        self.several = len(nicks) > 1
        """Whether people take turns."""
        self._nicks = nicks
        self._proved: Seat | None = None
        """Who was called and has given her password."""
        self.guarded = self.several or any(map(profiles.locked, nicks.values()))
        """Whether who comes to it is called first; of one person only until she has given her password."""
        self.seat: Seat | None = None if self.guarded else next(iter(nicks), None)
        """Who sits there; ``None`` where no hand may be seen, or nobody here plays."""

    @property
    def veiled(self) -> bool:
        """Whether nothing may be seen but what all may see."""
        return self.guarded and self.seat is None

    def must_come(self, seat: Seat) -> bool:
        """Whether the person at ``seat`` has to be called before she acts."""
        return self.guarded and seat != self.seat

    def asks(self, seat: Seat) -> str:
        """The nick at ``seat`` if its password has to be given first: where people take turns, each time."""
        nick = self._nicks[seat]
        return nick if seat != self._proved and profiles.locked(nick, each_time=self.several) else ""

    def give(self, seat: Seat, password: str) -> str:
        """Try the password of who is called: why it is not taken; nothing (``""``) if it is right."""
        why = profiles.give(self._nicks[seat], password)
        self._proved = None if why else seat
        return why

    def sit_down(self, seat: Seat) -> None:
        """From now on the hand of ``seat`` may be seen."""
        self.seat, self._proved, self.guarded = seat, None, self.several

    def leave(self) -> None:
        """Nobody sits there any more, where who comes is called."""
        if self.guarded:
            self.seat = self._proved = None
