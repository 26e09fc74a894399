"""A replay as it stands: which round and moment, whose hands are seen, how fast it runs."""

from typing import Final

from cardtable.engine.game import Seat
from cardtable.session.round_replay import RoundReplay, SessionReplay, Step, restricted_to
from cardtable.store import profiles, session_files
from cardtable.store.profiles import seats_of
from cardtable.ui.round_view.playhead import AtStop, Playhead
from cardtable.wording.formatting import YOU

SPEEDS: Final = (4.0, 2.0, 1.0, 0.5, 0.2)
"""Seconds from one card to the next, the slowest first."""
_USUAL: Final = 2
_FULL: Final = 2
"""A trick or turn that is complete stays as long as so many cards."""
_MOST_TYPED: Final = 4
"""Digits of the number of a round."""


class ReplayState:
    """What keys change of a replay, and its painter shows."""

    def __init__(
        self, again: SessionReplay, told: RoundReplay, nick: str, seen: Seat | None = None, place: Seat | None = None
    ) -> None:
        """``nick``: who looks; ``seen``: whose view is shown, instead of all hands.

        ``place``: the seat that is looked from and gone on in, if not that of who looks.
        """
        self.again, header = again, again.header
        own = seats_of(profiles.load()[0], nick, header)
        self.own = own[0] if own else None
        self._place = place if place is not None else self.own
        self.seen = seen
        """Whose view is shown; ``None`` for all hands."""
        self.speed, self.running = _USUAL, False
        self.typed = ""
        """What was typed of the number of a round."""
        self.said: list[str] = []
        """Why the next thing is done, once that was asked."""
        self.turn_to(told)

    @property
    def round(self) -> RoundReplay:
        """What is shown, as far as it may be seen."""
        return self.head.round

    @property
    def names(self) -> list[str]:
        """What the seats are called: as those who sat there in the round."""
        names = session_files.names(self.round.sitting)
        if self.own is not None and names[self.own] == self.again.header.seats[self.own].name:
            names[self.own] = YOU
        return names

    @property
    def step(self) -> Step | None:
        """What comes next, if somebody decides it."""
        following = self.head.next
        return following if following and following.seat is not None else None

    @property
    def me(self) -> Seat:
        """The seat that is looked from; in which the person goes on."""
        if self.seen is not None:
            return self.seen
        return self._place if self._place is not None else next(iter(self.again.header.people), 0)

    @property
    def shown(self) -> AtStop:
        """The moment, for the painters of the board."""
        return AtStop(self.head, self.names, self.me)

    @property
    def whose(self) -> str:
        """Whose hands are seen, in words."""
        if self.seen is None:
            return "all hands"
        return "your view" if self.names[self.seen] == YOU else f"{self.names[self.seen]}'s view"

    def turn_to(self, told: RoundReplay, end: int = 0) -> None:
        """Another round, from its beginning (0) or end (1)."""
        self._told, self.said = told, []
        self.head = self._head()
        self.head.end(end)

    def look(self, by: int) -> None:
        """All hands, then the view of each seat, first the one that is looked from."""
        seats = [None, *[(self._first + i) % len(self.names) for i in range(len(self.names))]]
        self.seen = seats[(seats.index(self.seen) + by) % len(seats)]
        self.said, before = [], self.head
        self.head = self._head()
        self.head.at = before.at

    @property
    def _first(self) -> Seat:
        return self._place if self._place is not None else 0

    def _head(self) -> Playhead:
        return Playhead(self._told if self.seen is None else restricted_to(self._told, self.seen))

    def faster(self, by: int) -> None:
        """So many speeds faster, or slower."""
        self.speed = max(0, min(self.speed + by, len(SPEEDS) - 1))

    @property
    def seconds(self) -> float:
        """How long the moment stays while it runs."""
        part = self.head.part
        full = part is not None and self.head.stop.done == part.things
        return SPEEDS[self.speed] * (_FULL if full else 1)

    def type(self, digit: str) -> None:
        """A digit of the number of a round."""
        self.typed = (self.typed + digit)[:_MOST_TYPED]

    @property
    def goes_on(self) -> bool:
        """Whether the session can be gone on with from here: something is left to be decided."""
        return self.head.next is not None or not (self.again.over and self.round.number == self.again.rounds)
