"""View state of the table screen: all data that is needed to paint it at one moment."""

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, Generic, Self, TypeAlias, TypeVar

import msgspec
from msgspec.structs import replace

from cardtable.engine.cards import Card
from cardtable.engine.game import Action, AnyGame, Seat, Sides
from cardtable.session.session_events import SessionSnapshot
from cardtable.store.settings import HandOrder, Settings
from cardtable.ui.game_view.decision import Decision
from cardtable.ui.game_view.game_view import AnyGameView, Names, sort_hand
from cardtable.ui.game_view.hand_cursor import NOWHERE, HandCursor, Pointed
from cardtable.ui.toolkit.preferences import Preferences
from cardtable.wording.formatting import minutes
from cardtable.wording.players import own_side_first, side_name

if TYPE_CHECKING:  # shortens the time to the first picture
    from cardtable.robots.hints import Advice


T = TypeVar("T")
Seconds: TypeAlias = Callable[[], float | None]
"""Function that returns a duration in seconds, or ``None`` for an unlimited one."""

SPEEDS: Final = (4.0, 2.0, 1.0, 0.4, 0.0)
"""Seconds per decision at each playback speed, slowest first; 0 plays as fast as the robots decide."""
_TRICK: Final = 2
_ROUND: Final = 5
"""Pauses after a complete trick (``_TRICK_DECISIONS``) and after a round, as multiples of the time per decision."""
_LEAST_ROUND: Final = 1.0
"""Minimum pause after a round in seconds, at any playback speed."""


def no_time_limit() -> None:
    """Return ``None``, as the duration of a ``CancellableTimer`` that never runs out."""


class CancellableTimer(Generic[T]):
    """Wait that ends by a call of ``end``, or when its time has run out.

    The time counts from ``started_at`` in the event loop's time, by default from now.
    """

    def __init__(self, seconds: Seconds, otherwise: T, began: float | None = None) -> None:
        """``get_seconds`` is called now and at each ``restart``; ``default`` is the outcome if the time runs out."""
        self._loop = asyncio.get_running_loop()
        self._seconds, self._otherwise = seconds, otherwise
        self._began = self._loop.time() if began is None else began
        self._ended: asyncio.Future[T] = self._loop.create_future()
        self._timer: asyncio.TimerHandle | None = None
        self.restart()

    @property
    def is_done(self) -> bool:
        """True once the wait has ended."""
        return self._ended.done()

    def end(self, outcome: T) -> None:
        """End the wait with ``outcome``; ignored if it has ended before."""
        if not self.is_done:
            self._ended.set_result(outcome)

    def restart(self) -> None:
        """Set the timer again, because the duration may have changed; the start of the wait stays the same."""
        if self._timer:
            self._timer.cancel()
        seconds = self._seconds()
        if seconds is not None:
            self._timer = self._loop.call_at(self._began + seconds, self.end, self._otherwise)

    async def outcome(self) -> T:
        """Wait for the end, and return the outcome."""
        try:
            return await self._ended
        finally:
            if self._timer:
                self._timer.cancel()


class PlaybackSpeed(msgspec.Struct, frozen=True):
    """Speed and pause of a table at which only robots play."""

    speed: int
    """Index into ``SPEED_SECONDS``."""
    paused: bool = False
    steps: int = 0
    """Number of single steps (decisions or outcomes of chance) still to be made while paused."""

    @classmethod
    def at(cls, pace: float, *, paused: bool) -> Self:
        """Return controls with the speed that is nearest to ``pace``, in seconds per decision."""
        return cls(min(range(len(SPEEDS)), key=lambda i: abs(SPEEDS[i] - pace)), paused)

    def pause(self) -> Self:
        return replace(self, paused=True)

    def toggled(self) -> Self:
        """Return a copy that is paused if this one is not, and vice versa; single steps are dropped."""
        return replace(self, paused=not self.paused, steps=0)

    def stepping(self) -> Self:
        """Return a paused copy with one more single step to make."""
        return replace(self, paused=True, steps=self.steps + 1)

    def stepped(self) -> Self:
        """Return a copy with one single step less to make, and not less than none."""
        return replace(self, steps=max(self.steps - 1, 0))

    def arrived(self) -> Self:
        """Return a copy without single steps to make."""
        return replace(self, steps=0)

    def faster(self, by: int) -> Self:
        """Return a copy that is faster by ``by`` speeds, or slower if negative; clamped to the available speeds."""
        return replace(self, speed=max(0, min(self.speed + by, len(SPEEDS) - 1)))

    def seconds(self, times: float = 1, least: float = 0) -> float | None:
        """Return the seconds for ``decisions`` decisions, at least ``minimum``.

        While paused, ``None``, or 0 if a single step is to be made.
        """
        if self.paused:
            return 0 if self.steps else None
        return max(times * self.pace, least)

    @property
    def pace(self) -> float:
        """Seconds per decision while not paused."""
        return SPEEDS[self.speed]

    def label(self) -> str:
        """Return the controls as text: "Paused" or "Speed 2 of 5"."""
        return "Paused" if self.paused else f"Speed {self.speed + 1} of {len(SPEEDS)}"


class Pacing:
    """Durations of all pauses at one table, by the settings or, if only robots play, by the playback controls."""

    def __init__(self, preferences: Preferences, watch: PlaybackSpeed | None) -> None:
        self._preferences, self.watch = preferences, watch

    @property
    def _settings(self) -> Settings:
        return self._preferences.settings

    @property
    def cards_move(self) -> bool:
        """True if card movements are animated; never if decisions or tricks have no pause."""
        settings, watch = self._settings, self.watch
        return settings.animation and (watch.pace > 0 if watch else settings.pace > 0 and settings.trick_pause != 0)

    def decision(self) -> float | None:
        """Return the minimum seconds for a robot's turn, including the time of its decision; ``None`` while paused."""
        return self.watch.seconds() if self.watch else self._settings.pace

    def on_step(self) -> None:
        """Register a decision or an outcome of chance, which completes a single step."""
        if self.watch:
            self.watch = self.watch.stepped()

    def on_round_end(self) -> None:
        """Register the end of a round: pending single steps are dropped there, and the next one deals."""
        if self.watch:
            self.watch = self.watch.arrived()

    def trick(self, times: int) -> float | None:
        """Return the seconds for which a complete trick is shown, ``factor`` times the usual pause.

        Returns ``None`` if the pause lasts until a key is pressed.
        """
        if self.watch:
            return self.watch.seconds(times * _TRICK)
        stays = self._settings.trick_pause
        return None if stays == "key" else times * stays

    def round_end(self) -> float | None:
        """Return the seconds for which the end of a round is shown, or ``None`` if it lasts until a key is pressed."""
        if self.watch:
            return self.watch.seconds(_ROUND, _LEAST_ROUND)
        stays = self._settings.round_pause
        return None if stays == "key" else stays

    def forced_delay(self, legal: Sequence[Action]) -> float | None:
        """Return the seconds after which the first of the ``legal`` actions is played automatically.

        Returns ``None`` if the player has to choose, because there are at least ``min_choices`` actions, as the
        settings say.
        """
        return self._settings.pace if len(legal) < self._settings.min_choices else None


class TableViewState(SessionSnapshot, frozen=True, kw_only=True):
    """Snapshot of a session, with the cursor and all other state that the table screen shows."""

    game: AnyGame
    piece: AnyGameView
    names: Names
    people: int = 1
    """Number of human players at this terminal."""
    thinking: Seat | None = None
    """Seat of the robot that is choosing an action, or ``None``."""
    failed: bool = False
    """True if a robot failed to choose; the key ``play`` asks the robot again."""
    spectator_reason: str = ""
    """Why no player can act at this terminal, in words; "" if one can."""
    is_predictable: bool = False
    """True if the player could foresee the prompt from their last key, so that the input guard need not delay it.

    The prompt is not predictable if another player has acted since, cards were dealt, the player has drawn a card
    unseen, or a decision box has opened.
    """
    can_take_back: bool = False
    """True if the only human player has a decision that can be taken back."""
    shows_trick: bool = False
    """True during the pause after a complete trick."""
    order: HandOrder = "usual"
    """Order in which the hands are sorted, from the settings."""
    advice: "Advice | None" = None
    """Expert's advice for the current view; ``None`` if it was not requested or has not arrived."""
    open_hands: bool = False
    """True if the hands of other seats are shown where the view has them."""
    watch: PlaybackSpeed | None = None
    """Playback controls if only robots play, else ``None``."""
    is_local: bool = True
    """True if the session is played in this program, False if a host plays it."""
    has_same_deal: bool = True
    """True if another session with the same deals can be begun."""
    recorded: bool = True
    """True if the journal is on this machine."""
    remarks: tuple[str, ...] = ()
    """Sentences on a finished session: its effect on credits, and why it is not rated."""
    unsaved: bool = False
    """True if lines of the session could not be saved."""
    banner: str = ""
    """Message that replaces the keys in the footer, on failures and offers; "" if there is none."""

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
    reason: str = ""
    """Message that replaces the prompt, such as the reason why a card cannot be played; "" if there is none."""

    @property
    def own_cards(self) -> list[Card]:
        """Cards of the viewing seat's hand, in display order."""
        return sort_hand(self.piece.order(self.view), self.order)

    @property
    def sides(self) -> Sides:
        """Sides in display order: the viewing seat's side first, then clockwise; likewise the seats within a side."""
        return own_side_first(self.game.sides_of(self.view), self.seat)

    def side_name(self, side: Sequence[Seat]) -> str:
        """Return the name of a side, made of its players' names."""
        return side_name(self.names, side)

    @property
    def facts(self) -> tuple[str, ...]:
        """Facts about the round for the header, in display order; empty before the first deal."""
        return self.piece.header(self.view).all if self.view.round else ()

    @property
    def gaps(self) -> bool:
        """True if gaps separate the suits of the hand."""
        return self.piece.gaps if self.order == "usual" else self.order == "suit"

    @property
    def clock(self) -> str:
        """Time left for the round, as formatted text."""
        return minutes(self.round_left)

    @property
    def pointed(self) -> Pointed:
        """Action and cards that the player points at; ``NOWHERE`` unless asked."""
        if not self.waiting:
            return NOWHERE
        action = self.decision.options[self.option].action if self.decision else None
        return Pointed(action, self.in_box, self.hand.at, self.hand.chosen)

    @property
    def box(self) -> Decision | None:
        """Decision box that is shown, or ``None``; a decision made on the mat itself has no box."""
        return self.decision if self.waiting and self.decision and not self.decision.on_mat else None

    @property
    def box_on_mat(self) -> Decision | None:
        """Decision box for screens without a panel, where it covers part of the mat.

        It is ``None`` while the cursor is in the hand, if the decision's ``cards_first`` is True.
        """
        return self.box if self.box and (self.in_box or not self.box.cards_first) else None

    @property
    def box_actions(self) -> list[Action | None]:
        """Action of each option of the decision box, ``None`` for a forbidden option; empty without a decision."""
        return self.decision.actions if self.decision else []

    @property
    def hand_action(self) -> Action | None:
        """Action that Enter performs in the hand, or ``None``.

        An action that is no option of the decision box takes precedence.
        """
        boxed, actions = self.box_actions, self.hand.actions()
        return next((action for action in actions if action not in boxed), actions[0] if actions else None)

    @property
    def enter_action(self) -> Action | None:
        """Action that Enter performs now, or ``None``."""
        if not self.waiting:
            return None
        return self.box_actions[self.option] if self.in_box else self.hand_action

    @property
    def hint_action(self) -> Action | None:
        """Action that the displayed hint recommends to the player, or ``None``."""
        lines = self.advice.lines if self.waiting and self.advice else ()
        return lines[0].action if lines else None

    @property
    def can_request_hint(self) -> bool:
        """True on the player's turn, and on a robot's turn while playback is paused."""
        return self.waiting or bool(self.watch and self.watch.paused and self.view.legal)

    @property
    def active_robot(self) -> Seat | None:
        """Seat of the robot that the table waits for; ``None`` while playback is paused."""
        return None if self.watch and self.watch.paused else self.thinking

    def clock_of(self, seat: Seat) -> str:
        """Return the seat's time left for the session as text; "" if the session has no such clock."""
        return minutes(self.seats_left[seat]) if self.seats_left else ""

    def open_hand(self, seat: Seat) -> list[Card] | None:
        """Return the cards of another seat in display order; ``None`` if they are hidden."""
        if not self.open_hands or seat not in self.others:
            return None
        return sort_hand(self.piece.order(self.others[seat]), self.order)
