"""Model of the replay page: session, round, position, view and speed."""

from typing import Final

from cardtable.engine.game import Seat
from cardtable.session.round_replay import RoundReplay, SessionReplay, Step, restrict_replay
from cardtable.store import profiles, session_files
from cardtable.store.profiles import find_seats
from cardtable.ui.round_view.playhead import Playhead, StopSnapshot
from cardtable.wording.formatting import YOU

SPEEDS: Final = (4.0, 2.0, 1.0, 0.5, 0.2)
"""Seconds between two cards at each speed, the slowest speed first."""
_USUAL_SPEED: Final = 2
_COMPLETE_FACTOR: Final = 2
"""Factor by which a complete trick or turn is shown longer during playback."""
_MAX_DIGITS: Final = 4
"""Maximum number of digits of a typed round number."""


class ReplayState:
    """Mutable state of the replay, which keys change and the painters read."""

    def __init__(
        self,
        session: SessionReplay,
        replay: RoundReplay,
        nick: str,
        visible_seat: Seat | None = None,
        bottom_seat: Seat | None = None,
    ) -> None:
        """Prepare the replay at the beginning of a round.

        ``nick`` is the current player. ``visible_seat`` is the seat whose view is shown, ``None`` for all hands.
        ``bottom_seat`` is the seat at the bottom, which the player takes in a new session; by default it is the seat of
        ``nick``.
        """
        self.session, header = session, session.header
        own = find_seats(profiles.load()[0], nick, header)
        self.own_seat = own[0] if own else None
        self._usual_bottom_seat = bottom_seat if bottom_seat is not None else self.own_seat
        self.visible_seat = visible_seat
        """Seat whose view is shown; ``None`` if all hands are shown."""
        self.speed, self.running = _USUAL_SPEED, False
        self.typed: str = ""
        """Digits of a round number that have been typed."""
        self.explanation: list[str] = []
        """Sentences that explain the next step; empty unless the player has asked for them."""
        self.set_round(replay)

    @property
    def round(self) -> RoundReplay:
        """Current round, without what the chosen view does not show."""
        return self.playhead.round

    @property
    def names(self) -> list[str]:
        """Names of the occupants of the seats in this round; the current player is "You"."""
        names = session_files.format_names(self.round.occupants)
        if self.own_seat is not None and names[self.own_seat] == self.session.header.seats[self.own_seat].name:
            names[self.own_seat] = YOU
        return names

    @property
    def step(self) -> Step | None:
        """Next step if a seat decides it; ``None`` before an automatic step and at the end."""
        following = self.playhead.next_step
        return following if following and following.seat is not None else None

    @property
    def bottom_seat(self) -> Seat:
        """Seat at the bottom, which the player takes in a new session."""
        if self.visible_seat is not None:
            return self.visible_seat
        return (
            self._usual_bottom_seat
            if self._usual_bottom_seat is not None
            else next(iter(self.session.header.people), 0)
        )

    @property
    def snapshot(self) -> StopSnapshot:
        return StopSnapshot(self.playhead, self.names, self.bottom_seat)

    @property
    def view_name(self) -> str:
        """Name of the view, such as "all hands" or "Ada's view"."""
        if self.visible_seat is None:
            return "all hands"
        return "your view" if self.names[self.visible_seat] == YOU else f"{self.names[self.visible_seat]}'s view"

    def set_round(self, replay: RoundReplay, end: int = 0) -> None:
        """Show another round, from its beginning (0) or its end (1)."""
        self._whole_round, self.explanation = replay, []
        self.playhead = self._create_playhead()
        self.playhead.move_to_end(end)

    def step_view(self, by: int) -> None:
        """Select the next (1) or previous (-1) view.

        All hands, then each seat, starting with the seat at the bottom.
        """
        seats = [None, *[(self._first_seat + i) % len(self.names) for i in range(len(self.names))]]
        self.visible_seat = seats[(seats.index(self.visible_seat) + by) % len(seats)]
        self.explanation, before = [], self.playhead
        self.playhead = self._create_playhead()
        self.playhead.position = before.position

    @property
    def _first_seat(self) -> Seat:
        return self._usual_bottom_seat if self._usual_bottom_seat is not None else 0

    def _create_playhead(self) -> Playhead:
        return Playhead(
            self._whole_round if self.visible_seat is None else restrict_replay(self._whole_round, self.visible_seat)
        )

    def change_speed(self, by: int) -> None:
        """Change the speed by ``by`` levels, positive for faster, limited to the available speeds."""
        self.speed = max(0, min(self.speed + by, len(SPEEDS) - 1))

    @property
    def stop_seconds(self) -> float:
        """Seconds for which the present position is shown during playback."""
        part = self.playhead.part
        full = part is not None and self.playhead.stop.done == part.length
        return SPEEDS[self.speed] * (_COMPLETE_FACTOR if full else 1)

    def type_digit(self, digit: str) -> None:
        self.typed = (self.typed + digit)[:_MAX_DIGITS]

    @property
    def can_continue(self) -> bool:
        """True if a new session can be started at this position: the session is not over there."""
        return self.playhead.next_step is not None or not (
            self.session.over and self.round.number == self.session.rounds
        )
