"""View model of the table screen: makes view states from the session, the cursor and the playback controls."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final

from msgspec.structs import asdict, replace

from cardtable.engine.cards import Card
from cardtable.engine.game import Action, Seat, View
from cardtable.session.message_log import NOTHING_MISSED
from cardtable.session.session_events import AwaitingRemote, SessionOver, SessionSnapshot, Stage
from cardtable.session.session_protocol import PlayableSession
from cardtable.store.settings import HandOrder, Settings
from cardtable.ui.game_view.registry import get_game_view
from cardtable.ui.table.model.cursor import Cursor
from cardtable.ui.table.model.view_state import CardTexts, PlaybackControls, TableViewState
from cardtable.ui.toolkit.preferences import Preferences
from cardtable.wording.players import describe_payouts, describe_ties, list_seat_names

if TYPE_CHECKING:  # shortens the time to the first picture
    from cardtable.robots.hints import Advice, DealSample
    from cardtable.wording.session_end import EndLines


_TRICK_DECISIONS: Final = 2
_ROUND_DECISIONS: Final = 5
"""Pauses after a complete trick (``_TRICK_DECISIONS``) and after a round, as multiples of the time per decision."""
_MIN_ROUND_SECONDS: Final = 1.0
"""Minimum pause after a round in seconds, at any playback speed."""


class Pacing:
    """Durations of all pauses at one table, by the settings or, if only robots play, by the playback controls."""

    def __init__(self, preferences: Preferences, playback: PlaybackControls | None) -> None:
        self._preferences, self.playback = preferences, playback

    @property
    def _settings(self) -> Settings:
        return self._preferences.settings

    @property
    def is_animated(self) -> bool:
        """True if card movements are animated; never if decisions or tricks have no pause."""
        settings, playback = self._settings, self.playback
        return settings.animation and (
            playback.pace > 0 if playback else settings.pace > 0 and settings.trick_pause != 0
        )

    def compute_robot_time(self) -> float | None:
        """Return the minimum seconds for a robot's turn, including the time of its decision; ``None`` while paused."""
        return self.playback.compute_seconds() if self.playback else self._settings.pace

    def on_step(self) -> None:
        """Register a decision or an outcome of chance, which completes a single step."""
        if self.playback:
            self.playback = self.playback.finish_step()

    def on_round_end(self) -> None:
        """Register the end of a round: pending single steps are dropped there, and the next one deals."""
        if self.playback:
            self.playback = self.playback.cancel_steps()

    def compute_trick_pause(self, factor: int) -> float | None:
        """Return the seconds for which a complete trick is shown, ``factor`` times the usual pause.

        Returns ``None`` if the pause lasts until a key is pressed.
        """
        if self.playback:
            return self.playback.compute_seconds(factor * _TRICK_DECISIONS)
        pause = self._settings.trick_pause
        return None if pause == "key" else factor * pause

    def compute_round_pause(self) -> float | None:
        """Return the seconds for which the end of a round is shown, or ``None`` if it lasts until a key is pressed."""
        if self.playback:
            return self.playback.compute_seconds(_ROUND_DECISIONS, _MIN_ROUND_SECONDS)
        pause = self._settings.round_pause
        return None if pause == "key" else pause

    def compute_forced_delay(self, legal: Sequence[Action]) -> float | None:
        """Return the seconds after which the first of the ``legal`` actions is played automatically.

        Returns ``None`` if the player has to choose, because there are at least ``min_choices`` actions, as the
        settings say.
        """
        return self._settings.pace if len(legal) < self._settings.min_choices else None


class TableViewModel:
    """Last snapshot of the session for the viewing seat, and the state that exists on the screen only."""

    def __init__(self, session: PlayableSession, preferences: Preferences, cursor: Cursor) -> None:
        self._playable, self._preferences, self._cursor = session, preferences, cursor
        self._game_view = get_game_view(session.game.about.key)
        robots_only = session.local is not None and session.local.robots_only
        playback = (
            PlaybackControls.from_pace(preferences.settings.pace, paused=session.progress[0] > 0)
            if robots_only
            else None
        )
        self.pacing = Pacing(preferences, playback)
        self._seat = session.initial_seat
        self.snapshot: SessionSnapshot
        self.shows_open_hands, self.card_texts = not robots_only, CardTexts.NONE
        self.thinking_robot: Seat | None = None
        self.shows_trick = self.is_predictable = self.can_take_back = self.robot_failed = False
        self.spectator_reason = self.banner = ""
        self.end_lines: EndLines | None = None
        """Lines about the finished session, as far as they are known."""
        self._advice: tuple[View, Advice] | None = None
        self._deal_sample: tuple[Advice, DealSample] | None = None
        self.hint_row = 0
        """Index of the selected choice of the advice."""
        self.refresh()

    @property
    def _remarks(self) -> tuple[str, ...]:
        return self._closing_remarks if self.snapshot.stage is Stage.SESSION_END else ()

    @property
    def _hand_order(self) -> HandOrder:
        """Setting ``hand_order``, or "usual" if the game does not know that order."""
        order = self._preferences.settings.hand_order
        return order if order in self._game_view.hand_orders else "usual"

    def build_frame(self) -> TableViewState:
        playable, cursor, local = self._playable, self._cursor, self._playable.local
        save_error = local.session.save_error if local else None
        advised_view, advice = self._advice or (None, None)
        sampled_advice, deal_sample = self._deal_sample or (None, None)
        return TableViewState(
            **asdict(self.snapshot),
            game=playable.game,
            game_view=self._game_view,
            names=self.names,
            human_count=len(playable.people),
            thinking_robot=self.thinking_robot,
            robot_failed=self.robot_failed,
            spectator_reason=self.spectator_reason,
            is_predictable=self.is_predictable,
            can_take_back=self.can_take_back,
            shows_trick=self.shows_trick,
            hand_order=self._hand_order,
            advice=advice if advised_view is self.snapshot.view else None,
            hint_row=self.hint_row,
            deal_sample=deal_sample if advice is sampled_advice else None,
            shows_open_hands=self.shows_open_hands,
            playback=self.pacing.playback,
            is_local=local is not None or self.snapshot.prompt is not None,
            has_same_deal=local is not None and local.session.can_deal_again,
            is_recorded=playable.journal_path is not None,
            remarks=self._remarks,
            end_lines=self.end_lines if self.snapshot.stage is Stage.SESSION_END else None,
            is_unsaved=save_error is not None,
            banner=self.banner or (f"{{save_elsewhere}} another folder  {save_error}" if save_error else ""),
            waiting=cursor.waiting,
            hand=cursor.hand,
            decision=cursor.decision,
            option=cursor.option,
            in_box=cursor.in_box,
            moved_by_player=cursor.moved_by_player,
            needs_confirmation=cursor.needs_confirmation,
            card_texts=self.card_texts,
            reason=cursor.reason,
            shorter_reasons=cursor.shorter_reasons,
        )

    def refresh(self) -> None:
        """Take a new snapshot of the session, which no thread may be changing.

        A player to whom the keyboard is handed over becomes the viewing seat. While only public information may be
        shown, the cursor has no cards.
        """
        playable = self._playable
        self.names = list_seat_names(playable.header, people=playable.people)
        self.snapshot = playable.snapshot(self._seat)
        if self.snapshot.handover_seat is not None:
            self._seat = self.snapshot.handover_seat
            self.snapshot = playable.snapshot(self._seat)
        if playable.local and playable.local.public_only:
            self._cursor.update_hand(self.snapshot.view, (), ())
        else:
            view = self.snapshot.view
            self._cursor.update_hand(view, self._sort_cards(view), view.legal)
        self.read_spectator_reason()

    def read_spectator_reason(self) -> bool:
        """Read why the player cannot act now, with the disconnected players; return True if the reason has changed.

        The reason stays while a session is shown that has ended.
        """
        playable, before = self._playable, self.spectator_reason
        if isinstance(playable.pending, SessionOver) and playable.local:
            return False
        self.spectator_reason = playable.spectator_reason if isinstance(playable.pending, AwaitingRemote) else ""
        if playable.local or self.spectator_reason == before:
            return False
        snapshot = playable.snapshot(self._seat)
        self.snapshot = replace(
            self.snapshot, disconnected=snapshot.disconnected, substitute_votes=snapshot.substitute_votes
        )
        return True

    @cached_property
    def _closing_remarks(self) -> tuple[str, ...]:
        """Sentences on a finished session: what decided ties, its effect on credits, and why it is not rated.

        They are cached, because files have to be read for them.
        """
        from cardtable.wording.archive_rows import explain_unrated  # noqa: PLC0415 - lazy: startup

        local = self._playable.local
        header, ranks = self._playable.header, self.snapshot.ranks or ()
        ties = describe_ties(header, self.snapshot.view, ranks, self.names)
        payouts = describe_payouts(header, ranks, self.names)
        return tuple(filter(None, [*ties, *payouts, explain_unrated(local.session) if local else ""]))

    def show_views(self, views: Mapping[Seat, View]) -> None:
        """Show these views, by seat, during a pause after a trick."""
        self._set_views(views, self._seat)
        self.refresh_messages()
        self.shows_trick = True

    def move_viewing_seat(self, step: int) -> None:
        """Move the viewing seat by ``step`` places, clockwise if positive.

        The views are those of the last snapshot, because a thread may be changing the session.
        """
        views = {**self.snapshot.others, self._seat: self.snapshot.view}
        self._set_views(views, (self._seat + step) % len(views))
        self.refresh_messages()

    def _set_views(self, views: Mapping[Seat, View], seat: Seat) -> None:
        self._seat = seat
        others = {other: view for other, view in views.items() if other != seat and self._playable.hands_open}
        self.snapshot = replace(self.snapshot, view=views[seat], others=others)
        self._cursor.update_hand(views[seat], self._sort_cards(views[seat]), ())

    def refresh_messages(self) -> None:
        notes, local = self._playable.get_messages(self._seat), self._playable.local
        missed = local.get_missed_messages(self.snapshot.handover_seat) if local else NOTHING_MISSED
        self.snapshot = replace(self.snapshot, messages=notes, missed=missed)

    def forget_messages(self) -> None:
        """Remove all messages so far from the screen of the viewing seat."""
        self._playable.forget_messages(self._seat)
        self.refresh_messages()

    def read_clocks(self) -> None:
        """Read the times left for the round and for each seat."""
        round_left, seats_left = self._playable.get_time_left()
        self.snapshot = replace(self.snapshot, round_left=round_left, seats_left=seats_left)

    def reorder_hand(self) -> None:
        """Sort the hand by the setting ``hand_order``; the cursor stays on its card."""
        self._cursor.reorder_hand(self._sort_cards(self.snapshot.view))

    def store_advice(self, view: View, advice: "Advice") -> None:
        """Store the expert's advice for ``view``; it is part of the view state while that view is shown."""
        self._advice, self.hint_row = (view, advice), 0

    def store_deal_sample(self, advice: "Advice", sample: "DealSample") -> None:
        """Store the sample of deals for ``advice``; it is part of the view state as long as this advice is."""
        self._deal_sample = advice, sample

    def forget_advice(self) -> None:
        self._advice = None

    def _sort_cards(self, view: View) -> list[Card]:
        return self._game_view.sort_cards(view, self._hand_order, self._playable.game.card_order(view))
