"""View model of the table screen: holds the frame, all data that is painted at one moment, and replaces it."""

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Final, NamedTuple, Self

import msgspec
from msgspec.structs import asdict, replace

from cardtable.engine.cards import NAME, Card, mask_of
from cardtable.engine.game import OVER, Action, AnyGame, Mark, Note, Seat, Sides, View
from cardtable.engine.journal import Terms, allows_aids
from cardtable.engine.log_entries import Said, TookTrick
from cardtable.engine.secret_choices import has_chosen, list_seats_to_act
from cardtable.session.playable_session import PlayableSession
from cardtable.session.session_events import (
    NOTHING_MISSED,
    AwaitingRemote,
    ClockLeft,
    SessionOver,
    SessionSnapshot,
    Shown,
    Stage,
)
from cardtable.store.settings import HandOrder, Settings
from cardtable.ui.game_view.decision import Decision
from cardtable.ui.game_view.game_view import AnyGameView, SeatPlate
from cardtable.ui.game_view.hand_cursor import NO_CURSOR, CursorState, HandCursor
from cardtable.ui.game_view.registry import get_game_view
from cardtable.ui.table.model.cursor import Cursor
from cardtable.ui.toolkit.preferences import Preferences
from cardtable.wording.formatting import NO_CARD_TEXT, format_clock
from cardtable.wording.players import (
    Names,
    describe_payouts,
    describe_ties,
    format_side,
    list_marks,
    list_seat_names,
    sort_own_side_first,
)
from cardtable.wording.terms import format_clock_left

if TYPE_CHECKING:
    from cardtable.robots.hints import Advice, AdviceLine
    from cardtable.wording.session_end import EndLines

SPEED_SECONDS: Final = (4.0, 2.0, 1.0, 0.4, 0.0)
"""Seconds per decision at each playback speed, slowest first; 0 plays as fast as the robots decide."""


class PlaybackControls(msgspec.Struct, frozen=True):
    """Speed and pause of a table at which only robots play."""

    speed: int
    """Index into ``SPEED_SECONDS``."""
    paused: bool = False
    steps: int = 0
    """Number of single steps (decisions or outcomes of chance) still to be made while paused."""

    @classmethod
    def from_pace(cls, pace: float, *, paused: bool) -> Self:
        return cls(min(range(len(SPEED_SECONDS)), key=lambda i: abs(SPEED_SECONDS[i] - pace)), paused)

    def pause(self) -> Self:
        return replace(self, paused=True)

    def toggle_pause(self) -> Self:
        return replace(self, paused=not self.paused, steps=0)

    def request_step(self) -> Self:
        return replace(self, paused=True, steps=self.steps + 1)

    def finish_step(self) -> Self:
        return replace(self, steps=max(self.steps - 1, 0))

    def cancel_steps(self) -> Self:
        return replace(self, steps=0)

    def change_speed(self, by: int) -> Self:
        return replace(self, speed=max(0, min(self.speed + by, len(SPEED_SECONDS) - 1)))

    def compute_seconds(self, decisions: float = 1, minimum: float = 0) -> float | None:
        """Return the seconds for ``decisions`` decisions, at least ``minimum``.

        While paused, ``None``, or 0 if a single step is to be made.
        """
        if self.paused:
            return 0 if self.steps else None
        return max(decisions * self.pace, minimum)

    @property
    def pace(self) -> float:
        return SPEED_SECONDS[self.speed]

    def format_label(self) -> str:
        return "Paused" if self.paused else f"Speed {self.speed + 1} of {len(SPEED_SECONDS)}"


class CardTexts(Enum):
    """Cards for which a line below the prompt tells what they do, while the cursor is on them."""

    NONE = "none"
    SPECIAL = "special"
    """Cards that do something special; shown by itself in a player's first sessions of a game."""
    ALL = "all"
    """All cards, as the player has asked for it."""


class HintState(msgspec.Struct, frozen=True):
    """Advice of the expert for a view, and what is selected of it."""

    view: View
    advice: "Advice"
    row: int = 0
    """Index of the selected choice."""


class TableFrame(SessionSnapshot, frozen=True, kw_only=True):
    """Snapshot of a session, with the cursor and all other state that the table screen shows."""

    game: AnyGame
    game_view: AnyGameView
    names: Names
    human_count: int = 1
    """Number of human players at this terminal."""
    thinking_robot: Seat | None = None
    """Seat of the robot that is choosing an action, or ``None``."""
    robot_failed: bool = False
    """True if a robot failed to choose; the key ``play`` asks the robot again."""
    spectator_reason: str = ""
    """Why no player can act at this terminal, in words; "" if one can."""
    can_sit_down: bool = False
    """True if the player watches a session of this machine that Enter continues."""
    is_predictable: bool = False
    """True if the player could foresee the prompt from their last key, so that the input guard need not delay it.

    The prompt is not predictable if another player has acted since, cards were dealt, the player has drawn a card
    unseen, or a decision box has opened.
    """
    can_take_back: bool = False
    """True if the only human player has a decision that can be taken back."""
    tricks_to_show: int = 0
    """Number of complete tricks that have not been taken up: the one on the table, and those that are shown next."""
    trick_passes: bool = False
    """True if the pause after the trick on the table ends by itself."""
    passings: int = 0
    """Number of pauses after a trick or a round that have ended by themselves."""
    hand_order: HandOrder = "usual"
    """Order in which the hands are sorted, one of those that the game knows."""
    latest_hint: HintState | None = None
    """Last advice that has arrived, which may be for another view."""
    shows_open_hands: bool = False
    """True if the hands of other seats are shown where the view has them."""
    playback: PlaybackControls | None = None
    """Playback controls if only robots play, else ``None``."""
    is_local: bool = True
    """True if the session is played in this program, False if a host plays it."""
    terms: Terms | None = None
    """Terms of the club that plays the session; ``None`` if there are none."""
    has_same_deal: bool = True
    """True if another session with the same deals can be begun."""
    can_play_again: bool = True
    """True if another session can be begun, or offered to the others at a club's table."""
    is_recorded: bool = True
    """True if the journal is on this machine."""
    aim: str = ""
    """Aim of the game, shown when it is played for the first time until a key is pressed; "" otherwise."""
    offers_lessons: bool = False
    """True if the footer offers the lessons of the game, together with the aim."""
    remarks: tuple[str, ...] = ()
    """Sentences on a finished session: its effect on credits, and why it is not rated; empty before its end."""
    end_lines: "EndLines | None" = None
    """Lines about the finished session, as far as they are known."""
    save_error: str | None = None
    """Why lines of the session could not be saved; ``None`` if all are."""
    notice: str = ""
    """Failure or offer; "" if there is none."""

    waiting: bool = False
    """True if the player at ``view.seat`` is asked for an action."""
    hand: HandCursor = HandCursor()
    decision: Decision | None = None
    option: int = 0
    """Index of the option under the cursor, in the decision box."""
    in_box: bool = False
    """True if the cursor is in the decision box, False if it is in the hand."""
    moved_by_player: bool = False
    """True if the player has moved the cursor to its position, False if the program has."""
    needs_confirmation: bool = False
    """True if the prompt asks the player to confirm the option under the cursor."""
    card_texts: CardTexts = CardTexts.NONE
    reason: str = ""
    """Message that replaces the prompt, such as the reason why a card cannot be played; "" if there is none."""
    shorter_reasons: tuple[str, ...] = ()
    """Shorter forms of ``reason``, the longest first, for screens on which it has no room."""

    @property
    def shows_trick(self) -> bool:
        return self.tricks_to_show > 0

    @property
    def can_request_substitute(self) -> bool:
        can_vote = self.human_count > 0 and not self.is_rated
        return can_vote and self.absent_seat_to_act not in (None, *self.substitute_votes)

    @property
    def is_rated(self) -> bool:
        return self.terms is not None and self.terms.rated

    @property
    def absent_seat_to_act(self) -> Seat | None:
        return next((seat for seat in list_seats_to_act(self.view) if seat in self.disconnected), None)

    @property
    def allows_aids(self) -> bool:
        return allows_aids(self.terms, is_over=self.is_over)

    @property
    def is_in_play(self) -> bool:
        return self.stage is Stage.PLAY

    @property
    def is_round_over(self) -> bool:
        return self.stage is Stage.ROUND_END

    @property
    def is_over(self) -> bool:
        return self.stage is Stage.SESSION_END

    @property
    def ends_with_round(self) -> bool:
        """True if the session has ended with a complete round, and not by a clock; never for a spectator here."""
        view = self.view
        return self.is_over and not self.spectator_reason and view.finished == view.round

    @property
    def is_last_round(self) -> bool:
        return self.view.turn == OVER

    @property
    def has_curtain(self) -> bool:
        return self.stage is Stage.CURTAIN

    @property
    def is_reading(self) -> bool:
        """True while the table shows a text of a lesson, until the pupil continues."""
        return self.prompt is not None and bool(self.prompt.text)

    @property
    def question(self) -> str:
        """Question of a lesson that the pupil is to answer now; "" if there is none."""
        return self.prompt.question if self.prompt and self.waiting else ""

    @property
    def shows_round(self) -> bool:
        """False while a lesson shows only cards, and nothing of what the seats have bid and taken."""
        return self.prompt is None or self.prompt.shown is not Shown.CARDS

    @property
    def shows_totals(self) -> bool:
        """False while a lesson hides the panel, the number of the round, and the totals."""
        return self.prompt is None or self.prompt.shown is Shown.ALL

    def get_plate(self, seat: Seat) -> SeatPlate:
        return self.game_view.plate(self.view, seat) if self.shows_round else SeatPlate()

    @property
    def own_cards(self) -> list[Card]:
        return self._sort_cards(self.view)

    def _sort_cards(self, view: View) -> list[Card]:
        return self.game_view.sort_cards(view, self.hand_order, self.game.card_order(view))

    @property
    def sides(self) -> Sides:
        """Sides in display order: the viewing seat's side first, then clockwise; likewise the seats within a side."""
        return sort_own_side_first(self.game.sides_of(self.view), self.seat)

    def format_side(self, side: Sequence[Seat]) -> str:
        return format_side(self.names, side)

    @property
    def facts(self) -> tuple[str, ...]:
        return self.game_view.header(self.view).all if self.view.round else ()

    @property
    def marks(self) -> tuple[Mark, ...]:
        return list_marks(self.game, self.view)

    @property
    def can_explain_card(self) -> bool:
        return self.waiting and not self.in_box and self.hand.at in self.hand.cards and self.game.has_card_texts

    @property
    def card_text(self) -> str:
        """Sentence on what the card under the cursor does, with cards in notation; "" if none is shown."""
        if self.card_texts is CardTexts.NONE or not self.can_explain_card or self.hand.at is None:
            return ""
        text = self.game.explain_card(self.view, self.hand.at)
        return text or (NO_CARD_TEXT.format(NAME[self.hand.at]) if self.card_texts is CardTexts.ALL else "")

    @property
    def has_suit_gaps(self) -> bool:
        return self.game_view.gaps if self.hand_order == "usual" else self.hand_order == "suit"

    @property
    def round_clock(self) -> str:
        return format_clock(self.round_left)

    @property
    def own_clock(self) -> ClockLeft | None:
        return self.clocks[self.seat] if self.clocks and self.seat not in self.lost else None

    @property
    def pointed(self) -> CursorState:
        """Action and cards that the player points at; ``NO_CURSOR`` unless asked."""
        if not self.waiting:
            return NO_CURSOR
        hand, kind, offer = self.hand, "", 0
        action = self.decision.options[self.option].action if self.decision else None
        if hand.bar:
            same = hand.list_actions() if not self.decision else []
            action = same[0] if len(same) == 1 else action
            kind, offer = action.kind if action else hand.active_kind, hand.offer
        return CursorState(action, self.in_box, hand.at, hand.chosen, mask_of(hand.table), kind, offer)

    @property
    def box(self) -> Decision | None:
        """Decision box that is shown, or ``None``; a decision on the mat or beside the player's plate has no box."""
        has_box = self.decision and not self.decision.on_mat and not self.decision.is_row
        return self.decision if self.waiting and has_box else None

    @property
    def box_on_mat(self) -> Decision | None:
        """Decision box for screens without a panel, where it covers part of the mat.

        It is ``None`` while the cursor is in the hand, if the decision's ``cards_first`` is True.
        """
        return self.box if self.box and (self.in_box or not self.box.cards_first) else None

    @property
    def in_optional_box(self) -> bool:
        """True if the cursor is in a decision box from which it can go back to the cards."""
        return self.in_box and self.decision is not None and self.decision.cards_first and bool(self.hand.selectable)

    @property
    def forbidden_bid_note(self) -> str:
        """Why the bid under the cursor in a row beside the player's plate is forbidden; "" if it is not."""
        option = self.decision.options[self.option] if self.in_box and self.decision and self.decision.is_row else None
        return option.note if option and option.action is None else ""

    @property
    def box_actions(self) -> list[Action | None]:
        return self.decision.actions if self.decision else []

    @property
    def hand_action(self) -> Action | None:
        return self.hand.find_action(self.decision)

    @property
    def banner(self) -> str:
        """Message that replaces the keys in the footer; "" if there is none."""
        return self.notice or (f"{{save_elsewhere}} another folder  {self.save_error}" if self.save_error else "")

    @property
    def hint(self) -> HintState | None:
        return self.latest_hint if self.latest_hint and self.latest_hint.view is self.view else None

    @property
    def advice(self) -> "Advice | None":
        return self.hint.advice if self.hint else None

    @property
    def hint_row(self) -> int:
        return self.hint.row if self.hint else 0

    @property
    def hint_line(self) -> "AdviceLine | None":
        return self.advice.lines[self.hint_row] if self.advice and self.advice.lines else None

    @property
    def hint_action(self) -> Action | None:
        return self.hint_line.action if self.waiting and self.hint_line else None

    @property
    def can_request_hint(self) -> bool:
        return self.waiting or bool(self.playback and self.playback.paused and self.view.legal)

    @property
    def active_robot(self) -> Seat | None:
        return None if self.playback and self.playback.paused else self.thinking_robot

    def format_seat_clock(self, seat: Seat) -> str:
        return format_clock(self.seats_left[seat]) if self.seats_left else ""

    def format_turn_clock(self, seat: Seat) -> str:
        """Return the clock of a person for the decision that is due; "" if there is none."""
        clock = self.clocks[seat] if self.clocks and seat in list_seats_to_act(self.view) else None
        return format_clock_left(clock) if clock else ""

    def find_open_hand(self, seat: Seat) -> list[Card] | None:
        """Return the cards of another seat in display order; ``None`` if they are hidden."""
        if not self.shows_open_hands or seat not in self.others or has_chosen(self.view, seat):
            return None
        return self._sort_cards(self.others[seat])


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
        """True if there is motion; never if decisions or tricks have no pause."""
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

    def compute_only_trick_pause(self) -> float | None:
        """Return the seconds for which the only trick of a round is shown: as long as the end of a round."""
        return self.compute_round_pause() if self.compute_trick_pause(1) != 0 else 0

    def compute_forced_delay(self, legal: Sequence[Action]) -> float | None:
        """Return the seconds after which the first of the ``legal`` actions is played automatically.

        Returns ``None`` if the player has to choose, because there are at least ``min_choices`` actions, as the
        settings say.
        """
        return self.settings.robot_pace if len(legal) < self.settings.min_choices else None


def hide_later_tricks(messages: Sequence[Note], tricks_to_show: int) -> tuple[Note, ...]:
    """Return the messages up to the trick on the table, and the talk after it.

    ``tricks_to_show`` is the number of tricks from that one on.
    """
    ends = [index for index, note in enumerate(messages, 1) if isinstance(note, TookTrick)]
    end = ends[-tricks_to_show] if len(ends) >= tricks_to_show else len(messages)
    return (*messages[:end], *[note for note in messages[end:] if isinstance(note, Said)])


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
            terms=session.header.terms,
            can_sit_down=local is not None and local.session.view_only and bool(session.header.people),
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
        if tricks := self._frame.tricks_to_show:
            messages = hide_later_tricks(messages, tricks)
        missed = local.get_missed_messages(self._frame.handover_seat) if local else NOTHING_MISSED
        self.update(messages=messages, missed=missed)

    def forget_messages(self) -> None:
        self.session.forget_messages(self._frame.seat)
        self.refresh_messages()

    def read_clocks(self) -> None:
        self.update(**self.session.get_time_left()._asdict())

    def reorder_hand(self) -> None:
        """Sort the hand by the setting ``hand_order``, if the game knows that order; the cursor stays on its card."""
        order: HandOrder = self.preferences.settings.hand_order
        self.update(hand_order=order if order in self._frame.game_view.hand_orders else "usual")
        self.cursor.reorder_hand(self._frame.own_cards)

    def change_playback(self, change: Callable[[PlaybackControls], PlaybackControls]) -> None:
        """Replace the playback controls with ``change`` of them, if only robots play."""
        if playback := self._frame.playback:
            self.update(playback=change(playback))
