"""View model of the table screen: holds the view state, and replaces it after each change."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from msgspec.structs import asdict, replace

from cardtable.engine.game import Action, Seat, View
from cardtable.session.playable_session import PlayableSession
from cardtable.session.session_events import NOTHING_MISSED, AwaitingRemote, SessionOver, SessionSnapshot
from cardtable.store.settings import HandOrder, Settings
from cardtable.ui.game_view.registry import get_game_view
from cardtable.ui.table.model.cursor import Cursor
from cardtable.ui.table.model.frame import PlaybackControls, TableFrame
from cardtable.ui.toolkit.preferences import Preferences
from cardtable.wording.players import describe_payouts, describe_ties, list_seat_names

_TRICK_DECISIONS: Final = 2
_ROUND_DECISIONS: Final = 5
"""Pauses after a complete trick (``_TRICK_DECISIONS``) and after a round, as multiples of the time per decision."""
_MIN_ROUND_SECONDS: Final = 1.0
"""Minimum pause after a round in seconds, at any playback speed."""


class Pacing(NamedTuple):
    """Durations of all pauses at one table, by the settings or, if only robots play, by the playback controls."""

    settings: Settings
    playback: PlaybackControls | None

    @property
    def is_animated(self) -> bool:
        """True if card movements are animated; never if decisions or tricks have no pause."""
        settings, playback = self
        return settings.animation and (
            playback.pace > 0 if playback else settings.robot_pace > 0 and settings.trick_pause != 0
        )

    def compute_robot_time(self) -> float | None:
        """Return the minimum seconds for a robot's turn, including the time of its decision; ``None`` while paused."""
        return self.playback.compute_seconds() if self.playback else self.settings.robot_pace

    def compute_trick_pause(self, factor: int) -> float | None:
        """Return the seconds for which a complete trick is shown, ``factor`` times the usual pause.

        Returns ``None`` if the pause lasts until a key is pressed.
        """
        if self.playback:
            return self.playback.compute_seconds(factor * _TRICK_DECISIONS)
        pause = self.settings.trick_pause
        return None if pause == "key" else factor * pause

    def compute_round_pause(self) -> float | None:
        """Return the seconds for which the end of a round is shown, or ``None`` if it lasts until a key is pressed."""
        if self.playback:
            return self.playback.compute_seconds(_ROUND_DECISIONS, _MIN_ROUND_SECONDS)
        pause = self.settings.round_pause
        return None if pause == "key" else pause

    def compute_forced_delay(self, legal: Sequence[Action]) -> float | None:
        """Return the seconds after which the first of the ``legal`` actions is played automatically.

        Returns ``None`` if the player has to choose, because there are at least ``min_choices`` actions, as the
        settings say.
        """
        return self.settings.robot_pace if len(legal) < self.settings.min_choices else None


class TableViewModel:
    """Holder of the view state of one table, which is replaced after each change, and of the cursor."""

    def __init__(
        self, session: PlayableSession, preferences: Preferences, on_change: Callable[[], None] = lambda: None
    ) -> None:
        """``on_change`` is called after each change of the picture."""
        self.session, self.preferences, self.on_change = session, preferences, on_change
        self.cursor = Cursor(session.game, self.show)
        local, playback = session.local, None
        if robots_only := local is not None and local.robots_only:
            playback = PlaybackControls.from_pace(preferences.settings.robot_pace, paused=session.progress[0] > 0)
        snapshot = session.snapshot(session.initial_seat)
        self._frame = TableFrame(
            **asdict(snapshot),
            game=session.game,
            game_view=get_game_view(session.game.about.key),
            names=(),
            human_count=len(session.people),
            playback=playback,
            shows_open_hands=not robots_only,
            has_same_deal=local is not None and local.session.can_deal_again,
        )
        self.reorder_hand()
        self._adopt(snapshot)

    @property
    def frame(self) -> TableFrame:
        """The view state, with the cursor and the file as they are now."""
        session, cursor = self.session, self.cursor
        return replace(
            self._frame,
            is_recorded=session.journal_path is not None,
            save_error=session.local.session.save_error if session.local else None,
            waiting=cursor.waiting,
            hand=cursor.hand,
            decision=cursor.decision,
            option=cursor.option,
            in_box=cursor.in_box,
            moved_by_player=cursor.moved_by_player,
            needs_confirmation=cursor.needs_confirmation,
            reason=cursor.reason,
            shorter_reasons=cursor.shorter_reasons,
        )

    @property
    def pacing(self) -> Pacing:
        return Pacing(self.preferences.settings, self._frame.playback)

    def update(self, **changes: object) -> None:
        """Replace fields of the view state, which is not painted yet."""
        self._frame = replace(self._frame, **changes)

    def show(self, **changes: object) -> None:
        """Replace fields of the view state, and paint it."""
        self.update(**changes)
        self.on_change()

    def refresh(self) -> None:
        """Take a new snapshot of the session, which no thread may be changing."""
        self._adopt(self.session.snapshot(self._frame.seat))

    def _adopt(self, snapshot: SessionSnapshot) -> None:
        """Show a snapshot.

        A player to whom the keyboard is handed over becomes the viewing seat. While only public information may be
        shown, the cursor has no cards.
        """
        session = self.session
        if snapshot.handover_seat is not None:
            snapshot = session.snapshot(snapshot.handover_seat)
        self.update(
            **asdict(snapshot),
            names=list_seat_names(session.header, people=session.people),
            is_local=session.local is not None or snapshot.prompt is not None,
        )
        if session.local and session.local.public_only:
            self.cursor.update_hand(snapshot.view, (), ())
        else:
            self.cursor.update_hand(snapshot.view, self._frame.own_cards, snapshot.view.legal)
        self.read_spectator_reason()
        self.update(remarks=self._make_closing_remarks() if self._frame.is_over else ())

    def read_spectator_reason(self) -> bool:
        """Read why the player cannot act now, with the disconnected players; return True if the reason has changed.

        The reason stays while a session is shown that has ended.
        """
        session, before = self.session, self._frame.spectator_reason
        if isinstance(session.pending, SessionOver) and session.local:
            return False
        reason = session.spectator_reason if isinstance(session.pending, AwaitingRemote) else ""
        self.update(spectator_reason=reason)
        if session.local or reason == before:
            return False
        snapshot = session.snapshot(self._frame.seat)
        self.update(disconnected=snapshot.disconnected, substitute_votes=snapshot.substitute_votes)
        return True

    def _make_closing_remarks(self) -> tuple[str, ...]:
        """Return sentences on the finished session: what decided ties, its effect on credits, and why it is not rated.

        Files have to be read for them.
        """
        from cardtable.wording.archive_rows import explain_unrated  # noqa: PLC0415 - lazy: startup

        frame, header, local = self._frame, self.session.header, self.session.local
        ranks = frame.ranks or ()
        ties = describe_ties(header, frame.view, ranks, frame.names)
        payouts = describe_payouts(header, ranks, frame.names)
        return tuple(filter(None, [*ties, *payouts, explain_unrated(local.session) if local else ""]))

    def move_viewing_seat(self, step: int) -> None:
        """Move the viewing seat by ``step`` places, clockwise if positive.

        The views are those of the last snapshot, because a thread may be changing the session.
        """
        frame = self._frame
        views = {**frame.others, frame.seat: frame.view}
        self.set_views(views, (frame.seat + step) % len(views))
        self.show()

    def set_views(self, views: Mapping[Seat, View], seat: Seat) -> None:
        """Adopt these views, by seat, in which ``seat`` is the viewing seat and has nothing to choose."""
        others = {other: view for other, view in views.items() if other != seat and self.session.hands_open}
        self.update(view=views[seat], others=others)
        self.cursor.update_hand(views[seat], self._frame.own_cards, ())
        self.refresh_messages()

    def refresh_messages(self) -> None:
        messages, local = self.session.get_messages(self._frame.seat), self.session.local
        missed = local.get_missed_messages(self._frame.handover_seat) if local else NOTHING_MISSED
        self.update(messages=messages, missed=missed)

    def forget_messages(self) -> None:
        self.session.forget_messages(self._frame.seat)
        self.refresh_messages()

    def read_clocks(self) -> None:
        round_left, seats_left = self.session.get_time_left()
        self.update(round_left=round_left, seats_left=seats_left)

    def reorder_hand(self) -> None:
        """Sort the hand by the setting ``hand_order``, if the game knows that order; the cursor stays on its card."""
        order: HandOrder = self.preferences.settings.hand_order
        self.update(hand_order=order if order in self._frame.game_view.hand_orders else "usual")
        self.cursor.reorder_hand(self._frame.own_cards)

    def change_playback(self, change: Callable[[PlaybackControls], PlaybackControls]) -> None:
        """Replace the playback controls with ``change`` of them, if only robots play."""
        if playback := self._frame.playback:
            self.update(playback=change(playback))
