"""Model of the replay page: session, round, position, view and speed."""

from typing import Final

from cardtable.engine.game import Seat
from cardtable.session.round_replay import RoundReplay, SessionReplay, Step, restricted_to
from cardtable.store import profiles, session_files
from cardtable.store.profiles import seats_of
from cardtable.ui.round_view.playhead import Playhead, StopSnapshot
from cardtable.wording.formatting import YOU

SPEEDS: Final = (4.0, 2.0, 1.0, 0.5, 0.2)
"""Seconds between two cards at each speed, the slowest speed first."""
_USUAL: Final = 2
_FULL: Final = 2
"""Factor by which a complete trick or turn is shown longer during playback."""
_MOST_TYPED: Final = 4
"""Maximum number of digits of a typed round number."""


class ReplayState:
    """Mutable state of the replay, which keys change and the painters read."""

    def __init__(
        self, again: SessionReplay, replay: RoundReplay, nick: str, seen: Seat | None = None, place: Seat | None = None
    ) -> None:
        """Prepare the replay at the beginning of a round.

        ``nick`` is the current player. ``visible_seat`` is the seat whose view is shown, ``None`` for all hands.
        ``bottom_seat`` is the seat at the bottom, which the player takes in a new session; by default it is the seat of
        ``nick``.
        """
        self.again, header = again, again.header
        own = seats_of(profiles.load()[0], nick, header)
        self.own = own[0] if own else None
        self._place = place if place is not None else self.own
        self.seen = seen
        """Seat whose view is shown; ``None`` if all hands are shown."""
        self.speed, self.running = _USUAL, False
        self.typed = ""
        """Digits of a round number that have been typed."""
        self.explanation: list[str] = []
        """Sentences that explain the next step; empty unless the player has asked for them."""
        self.set_round(replay)

    @property
    def round(self) -> RoundReplay:
        """Current round, without what the chosen view does not show."""
        return self.head.round

    @property
    def names(self) -> list[str]:
        """Names of the occupants of the seats in this round; the current player is "You"."""
        names = session_files.names(self.round.occupants)
        if self.own is not None and names[self.own] == self.again.header.seats[self.own].name:
            names[self.own] = YOU
        return names

    @property
    def step(self) -> Step | None:
        """Next step if a seat decides it; ``None`` before an automatic step and at the end."""
        following = self.head.next
        return following if following and following.seat is not None else None

    @property
    def me(self) -> Seat:
        """Seat at the bottom, which the player takes in a new session."""
        if self.seen is not None:
            return self.seen
        return self._place if self._place is not None else next(iter(self.again.header.people), 0)

    @property
    def shown(self) -> StopSnapshot:
        """Snapshot of the position for the painters of the board."""
        return StopSnapshot(self.head, self.names, self.me)

    @property
    def whose(self) -> str:
        """Name of the view, such as "all hands" or "Ada's view"."""
        if self.seen is None:
            return "all hands"
        return "your view" if self.names[self.seen] == YOU else f"{self.names[self.seen]}'s view"

    def set_round(self, replay: RoundReplay, end: int = 0) -> None:
        """Show another round, from its beginning (0) or its end (1)."""
        self._whole_round, self.explanation = replay, []
        self.head = self._head()
        self.head.end(end)

    def look(self, by: int) -> None:
        """Select the next (1) or previous (-1) view: all hands, then each seat, starting with the seat at the bottom."""
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
        """Change the speed by ``by`` levels, positive for faster, limited to the available speeds."""
        self.speed = max(0, min(self.speed + by, len(SPEEDS) - 1))

    @property
    def seconds(self) -> float:
        """Seconds for which the present position is shown during playback."""
        part = self.head.part
        full = part is not None and self.head.stop.done == part.things
        return SPEEDS[self.speed] * (_FULL if full else 1)

    def type(self, digit: str) -> None:
        """Append a digit to the typed round number; digits beyond the maximum are ignored."""
        self.typed = (self.typed + digit)[:_MOST_TYPED]

    @property
    def can_continue(self) -> bool:
        """True if a new session can be started at this position: the session is not over there."""
        return self.head.next is not None or not (self.again.over and self.round.number == self.again.rounds)
