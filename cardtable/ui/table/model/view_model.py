"""View model of the table screen: makes view states from the session, the cursor and the screen's own state."""

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec.structs import asdict, replace

from cardtable.engine.cards import Card
from cardtable.engine.game import Seat, View
from cardtable.session.session_events import SessionSnapshot, Stage
from cardtable.session.session_protocol import PlayableSession
from cardtable.ui.game_view.game_view import sort_hand
from cardtable.ui.game_view.registry import game_view
from cardtable.ui.table.model.cursor import Cursor
from cardtable.ui.table.model.view_state import Pacing, PlaybackSpeed, TableViewState
from cardtable.ui.toolkit.preferences import Preferences
from cardtable.wording.formatting import YOU
from cardtable.wording.players import payout_sentences, seat_names

if TYPE_CHECKING:  # shortens the time to the first picture
    from cardtable.robots.hints import Advice


class TableViewModel:
    """Last snapshot of the session for the viewing seat, and the state that exists on the screen only."""

    def __init__(self, session: PlayableSession, preferences: Preferences, cursor: Cursor) -> None:
        self._run, self._preferences, self._cursor = session, preferences, cursor
        self._piece = game_view(session.game.about.key)
        watch = (
            PlaybackSpeed.at(preferences.settings.pace, paused=session.progress[0] > 0) if session.robots_only else None
        )
        self.pacing = Pacing(preferences, watch)
        self._me = session.initial_seat
        self.snapshot: SessionSnapshot
        self.open_hands = not session.robots_only
        self.thinking: Seat | None = None
        self.lingering = self.follows = self.way_back = self.failed = False
        self.looking = self.banner = ""
        self._advice: tuple[View, Advice] | None = None
        self.refresh()

    @property
    def _remarks(self) -> tuple[str, ...]:
        return self._closing_remarks if self.snapshot.stage is Stage.SESSION_END else ()

    def frame(self) -> TableViewState:
        run, cursor, trouble = self._run, self._cursor, self._run.save_error
        advised, advice = self._advice or (None, None)
        return TableViewState(
            **asdict(self.snapshot),
            game=run.game,
            piece=self._piece,
            names=self._names,
            people=len(run.people),
            thinking=self.thinking,
            failed=self.failed,
            spectator_reason=self.looking,
            is_predictable=self.follows,
            can_take_back=self.way_back,
            shows_trick=self.lingering,
            order=self._preferences.settings.hand_order,
            advice=advice if advised is self.snapshot.view else None,
            open_hands=self.open_hands,
            watch=self.pacing.watch,
            is_local=run.session is not None,
            has_same_deal=run.session is not None and run.session.can_deal_again,
            recorded=run.journal_path is not None,
            remarks=self._remarks,
            unsaved=trouble is not None,
            banner=self.banner or (f"{{save_elsewhere}} another folder  {trouble}" if trouble else ""),
            waiting=cursor.waiting,
            hand=cursor.hand,
            decision=cursor.decision,
            option=cursor.option,
            in_box=cursor.in_box,
            moved_by_player=cursor.aimed,
            needs_confirmation=cursor.asking,
            reason=cursor.reason,
        )

    def refresh(self) -> None:
        """Take a new snapshot of the session, which no thread may be changing.

        A player to whom the keyboard is handed over becomes the viewing seat. While only public information may be
        shown, the cursor has no cards.
        """
        run = self._run
        self._names = seat_names(run.header, YOU, people=run.people)
        self.snapshot = run.snapshot(self._me)
        if self.snapshot.handover_seat is not None:
            self._me = self.snapshot.handover_seat
            self.snapshot = run.snapshot(self._me)
        if run.public_only:
            self._cursor.renew((), ())
        else:
            view = self.snapshot.view
            self._cursor.renew(self._cards(view), view.legal, run.game.mandatory_card(view))

    @cached_property
    def _closing_remarks(self) -> tuple[str, ...]:
        """Sentences on a finished session: its effect on credits, and why it is not rated.

        They are cached, because files have to be read for them.
        """
        from cardtable.wording.archive_rows import not_rated  # noqa: PLC0415 - lazy: startup

        session = self._run.session
        credits_now = payout_sentences(self._run.header, self.snapshot.ranks or (), self._names)
        return tuple(filter(None, [*credits_now, not_rated(session) if session else ""]))

    def hold(self, views: Mapping[Seat, View]) -> None:
        """Show these views, by seat, during a pause after a trick."""
        self._set_views(views, self._me)
        self.refresh_messages()
        self.lingering = True

    def look_from(self, step: int) -> None:
        """Move the viewing seat by ``step`` places, clockwise if positive.

        The views are those of the last snapshot, because a thread may be changing the session.
        """
        views = {**self.snapshot.others, self._me: self.snapshot.view}
        self._set_views(views, (self._me + step) % len(views))
        self.refresh_messages()

    def _set_views(self, views: Mapping[Seat, View], seat: Seat) -> None:
        self._me = seat
        others = {other: view for other, view in views.items() if other != seat and self._run.hands_open}
        self.snapshot = replace(self.snapshot, view=views[seat], others=others)
        self._cursor.renew(self._cards(views[seat]), ())

    def refresh_messages(self) -> None:
        notes, missed = self._run.messages(self._me), self._run.missed(self.snapshot.handover_seat)
        self.snapshot = replace(self.snapshot, messages=notes, missed=missed)

    def forget_messages(self) -> None:
        """Remove all messages so far from the screen of the viewing seat."""
        self._run.forget_messages(self._me)
        self.refresh_messages()

    def read_clocks(self) -> None:
        """Read the times left for the round and for each seat."""
        round_left, seats_left = self._run.clocks()
        self.snapshot = replace(self.snapshot, round_left=round_left, seats_left=seats_left)

    def rearrange(self) -> None:
        """Sort the hand by the setting ``hand_order``; the cursor stays on its card."""
        self._cursor.rearrange(self._cards(self.snapshot.view))

    def advise(self, view: View, advice: "Advice") -> None:
        """Store the expert's advice for ``view``; it is part of the view state while that view is shown."""
        self._advice = view, advice

    def forget_advice(self) -> None:
        self._advice = None

    def _cards(self, view: View) -> list[Card]:
        return sort_hand(self._piece.order(view), self._preferences.settings.hand_order)
