"""What the screen shows of a session at the moment, from whose seat; of it and of the cursor frames are made."""

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec.structs import asdict, replace

from cardtable.engine.cards import Card
from cardtable.engine.game import Seat, View
from cardtable.session.session_events import SessionSnapshot, Stage
from cardtable.session.session_protocol import PlayableSession
from cardtable.ui.game_view.game_view import arranged
from cardtable.ui.game_view.registry import piece
from cardtable.ui.table.model.cursor import Cursor
from cardtable.ui.table.model.view_state import Pacing, PlaybackSpeed, TableViewState
from cardtable.ui.toolkit.preferences import Preferences
from cardtable.wording.formatting import YOU
from cardtable.wording.players import called, settled

if TYPE_CHECKING:  # the first picture is there sooner without it
    from cardtable.robots.hints import Advice


class TableViewModel:
    """The session as it was when it was looked at last, and what goes on beside it."""

    def __init__(self, run: PlayableSession, preferences: Preferences, cursor: Cursor) -> None:
        self._run, self._preferences, self._cursor = run, preferences, cursor
        self._piece = piece(run.game.about.key)
        watch = PlaybackSpeed.at(preferences.settings.pace, paused=run.progress[0] > 0) if run.robots_only else None
        self.pacing = Pacing(preferences, watch)
        self._me = run.initial_seat
        self.seen: SessionSnapshot
        self.open_hands = not run.robots_only
        self.thinking: Seat | None = None
        self.lingering = self.follows = self.way_back = self.failed = False
        self.looking = self.banner = ""
        self._advice: tuple[View, Advice] | None = None
        self.refresh()

    @property
    def _remarks(self) -> tuple[str, ...]:
        return self._closing if self.seen.stage is Stage.SESSION_END else ()

    def frame(self) -> TableViewState:
        """All that is shown now."""
        run, cursor, trouble = self._run, self._cursor, self._run.save_error
        advised, advice = self._advice or (None, None)
        return TableViewState(
            **asdict(self.seen),
            game=run.game,
            piece=self._piece,
            names=self._names,
            people=len(run.people),
            thinking=self.thinking,
            failed=self.failed,
            looking=self.looking,
            follows=self.follows,
            way_back=self.way_back,
            lingering=self.lingering,
            order=self._preferences.settings.hand_order,
            advice=advice if advised is self.seen.view else None,
            open_hands=self.open_hands,
            watch=self.pacing.watch,
            at_home=run.session is not None,
            has_same_deal=run.session is not None and run.session.can_deal_again,
            recorded=run.record is not None,
            remarks=self._remarks,
            unsaved=trouble is not None,
            banner=self.banner or (f"{{save_elsewhere}} another folder  {trouble}" if trouble else ""),
            waiting=cursor.waiting,
            hand=cursor.hand,
            decision=cursor.decision,
            option=cursor.option,
            in_box=cursor.in_box,
            aimed=cursor.aimed,
            asking=cursor.asking,
            reason=cursor.reason,
        )

    def refresh(self) -> None:
        """Look at the session, which nothing changes meanwhile; who is called is looked from."""
        run = self._run
        self._names = called(run.header, YOU, people=run.people)
        self.seen = run.seen(self._me)
        if self.seen.called is not None:
            self._me = self.seen.called
            self.seen = run.seen(self._me)
        if run.public_only:
            self._cursor.renew((), ())
        else:
            view = self.seen.view
            self._cursor.renew(self._cards(view), view.legal, run.game.mandatory_card(view))

    @cached_property
    def _closing(self) -> tuple[str, ...]:
        """What the session has come to in credits, and why it is not rated; files are read once."""
        from cardtable.wording.archive_rows import not_rated  # noqa: PLC0415 - at the end of a session only

        session = self._run.session
        credits_now = settled(self._run.header, self.seen.ranks or (), self._names)
        return tuple(filter(None, [*credits_now, not_rated(session) if session else ""]))

    def hold(self, views: Mapping[Seat, View]) -> None:
        """Show views that stay for a while."""
        self._look(views, self._me)
        self.refresh_messages()
        self.lingering = True

    def look_from(self, step: int) -> None:
        """Look from the seat ``step`` places on; without asking the table, which may be changing."""
        views = {**self.seen.others, self._me: self.seen.view}
        self._look(views, (self._me + step) % len(views))
        self.refresh_messages()

    def _look(self, views: Mapping[Seat, View], seat: Seat) -> None:
        self._me = seat
        others = {other: view for other, view in views.items() if other != seat and self._run.hands_open}
        self.seen = replace(self.seen, view=views[seat], others=others)
        self._cursor.renew(self._cards(views[seat]), ())

    def refresh_messages(self) -> None:
        """Show what was said and done meanwhile."""
        told, missed = self._run.messages(self._me), self._run.missed(self.seen.called)
        self.seen = replace(self.seen, messages=told, missed=missed)

    def forget_messages(self) -> None:
        """Show no messages that were told so far."""
        self._run.forget_messages(self._me)
        self.refresh_messages()

    def read_clocks(self) -> None:
        """Show what is left on the clocks."""
        round_left, seats_left = self._run.clocks()
        self.seen = replace(self.seen, round_left=round_left, seats_left=seats_left)

    def rearrange(self) -> None:
        """Have the hand in the order that the settings say; the cursor stays on its card."""
        self._cursor.rearrange(self._cards(self.seen.view))

    def advise(self, view: View, advice: "Advice") -> None:
        """Show what the expert would do with a view, while that is shown."""
        self._advice = view, advice

    def forget_advice(self) -> None:
        """Show no advice any more."""
        self._advice = None

    def _cards(self, view: View) -> list[Card]:
        return arranged(self._piece.order(view), self._preferences.settings.hand_order)
