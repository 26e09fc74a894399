"""Model of a replay: round and position, view, speed."""

from typing import Final

from cardtable.engine.game import Seat
from cardtable.session.round_replay import RoundReplay, SessionReplay, Step, restricted_to
from cardtable.store import profiles, session_files
from cardtable.store.profiles import seats_of
from cardtable.ui.round_view.playhead import Playhead, StopSnapshot
from cardtable.wording.formatting import YOU

SPEEDS: Final = (4.0, 2.0, 1.0, 0.5, 0.2)
"""Seconds between two cards, the slowest speed first."""
_USUAL: Final = 2
_FULL: Final = 2
"""Factor of the time for which a complete trick or turn stays."""
_MOST_TYPED: Final = 4
"""Digits of a typed round number at most."""


class ReplayState:
    """State of the replay, as it is changed by keys and painted."""

    def __init__(
        self, again: SessionReplay, replay: RoundReplay, nick: str, seen: Seat | None = None, place: Seat | None = None
    ) -> None:
        """Prepare the replay of a round. `nick`: current player; `seen`: seat whose view is shown, None for all hands.

        `place`: the bottom seat, in which a new session is started; by default the seat of the current player.
        """
        self.again, header = again, again.header
        own = seats_of(profiles.load()[0], nick, header)
        self.own = own[0] if own else None
        self._place = place if place is not None else self.own
        self.seen = seen
        """Seat whose view is shown; None for all hands."""
        self.speed, self.running = _USUAL, False
        self.typed = ""
        """Digits of a round number typed so far."""
        self.explanation: list[str] = []
        """Sentences explaining the next step; empty unless the player has asked."""
        self.set_round(replay)

    @property
    def round(self) -> RoundReplay:
        """Current round, restricted to the view."""
        return self.head.round

    @property
    def names(self) -> list[str]:
        """Names of the seats: those of the occupants in this round."""
        names = session_files.names(self.round.occupants)
        if self.own is not None and names[self.own] == self.again.header.seats[self.own].name:
            names[self.own] = YOU
        return names

    @property
    def step(self) -> Step | None:
        """Next step if it is a decision of a seat; None otherwise."""
        following = self.head.next
        return following if following and following.seat is not None else None

    @property
    def me(self) -> Seat:
        """Bottom seat, in which a new session is started."""
        if self.seen is not None:
            return self.seen
        return self._place if self._place is not None else next(iter(self.again.header.people), 0)

    @property
    def shown(self) -> StopSnapshot:
        """Snapshot of the position for the painters of the board."""
        return StopSnapshot(self.head, self.names, self.me)

    @property
    def whose(self) -> str:
        """The view in words."""
        if self.seen is None:
            return "all hands"
        return "your view" if self.names[self.seen] == YOU else f"{self.names[self.seen]}'s view"

    def set_round(self, replay: RoundReplay, end: int = 0) -> None:
        """Change to another round, at its beginning (0) or end (1)."""
        self._whole_round, self.explanation = replay, []
        self.head = self._head()
        self.head.end(end)

    def look(self, by: int) -> None:
        """Step through the views: all hands, then that of each seat, starting with the bottom seat."""
        seats = [None, *[(self._first + i) % len(self.names) for i in range(len(self.names))]]
        self.seen = seats[(seats.index(self.seen) + by) % len(seats)]
        self.explanation, before = [], self.head
        self.head = self._head()
        self.head.at = before.at

    @property
    def _first(self) -> Seat:
        return self._place if self._place is not None else 0

    def _head(self) -> Playhead:
        return Playhead(self._whole_round if self.seen is None else restricted_to(self._whole_round, self.seen))

    def faster(self, by: int) -> None:
        """Change the speed by a number of levels, positive for faster."""
        self.speed = max(0, min(self.speed + by, len(SPEEDS) - 1))

    @property
    def seconds(self) -> float:
        """Seconds for which the position stays during playback."""
        part = self.head.part
        full = part is not None and self.head.stop.done == part.things
        return SPEEDS[self.speed] * (_FULL if full else 1)

    def type(self, digit: str) -> None:
        """Append a digit to the round number."""
        self.typed = (self.typed + digit)[:_MOST_TYPED]

    @property
    def can_continue(self) -> bool:
        """True if a new session can be started from here: at least one decision is left."""
        return self.head.next is not None or not (self.again.over and self.round.number == self.again.rounds)
