"""View state of the table screen: all data that its painters need, at one moment."""

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
"""Function that returns a duration in seconds, or ``None`` to wait without limit."""

SPEEDS: Final = (4.0, 2.0, 1.0, 0.4, 0.0)
"""Seconds between two decisions while robots are watched, slowest first; 0: as fast as they can decide."""
_TRICK: Final = 2
_ROUND: Final = 5
"""Durations of a complete trick and of a round's end while watching, in decisions."""
_LEAST_ROUND: Final = 1.0
"""Minimum seconds for which a round's end is shown, at any speed."""


def no_time_limit() -> None:
    """Return None: no time limit for a `CancellableTimer`."""


class CancellableTimer(Generic[T]):
    """Cancellable wait: ends by ``end``, or ``seconds`` after ``began`` in the event loop's time (default: now)."""

    def __init__(self, seconds: Seconds, otherwise: T, began: float | None = None) -> None:
        """``otherwise`` is the outcome if the time runs out."""
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
        """End the wait with this outcome, unless it has ended before."""
        if not self.is_done:
            self._ended.set_result(outcome)

    def restart(self) -> None:
        """Restart the timer after a change of the duration."""
        if self._timer:
            self._timer.cancel()
        seconds = self._seconds()
        if seconds is not None:
            self._timer = self._loop.call_at(self._began + seconds, self.end, self._otherwise)

    async def outcome(self) -> T:
        """Await the end, and return the outcome."""
        try:
            return await self._ended
        finally:
            if self._timer:
                self._timer.cancel()


class PlaybackSpeed(msgspec.Struct, frozen=True):
    """Playback controls for watching a table of robots."""

    speed: int
    """Index of ``SPEEDS``."""
    paused: bool = False
    steps: int = 0
    """Single steps (decisions or outcomes of chance) that are still to be made while paused."""

    @classmethod
    def at(cls, pace: float, *, paused: bool) -> Self:
        """Return the speed that is nearest to ``pace`` seconds per decision."""
        return cls(min(range(len(SPEEDS)), key=lambda i: abs(SPEEDS[i] - pace)), paused)

    def pause(self) -> Self:
        """Return a copy that is paused."""
        return replace(self, paused=True)

    def toggled(self) -> Self:
        """Return a copy that is paused or resumed."""
        return replace(self, paused=not self.paused, steps=0)

    def stepping(self) -> Self:
        """Return a copy that pauses after one more decision or outcome of chance."""
        return replace(self, paused=True, steps=self.steps + 1)

    def stepped(self) -> Self:
        """Return a copy with one single step less to make."""
        return replace(self, steps=max(self.steps - 1, 0))

    def arrived(self) -> Self:
        """Return a copy without single steps to make."""
        return replace(self, steps=0)

    def faster(self, by: int) -> Self:
        """Return a copy that is ``by`` speeds faster, or slower if negative."""
        return replace(self, speed=max(0, min(self.speed + by, len(SPEEDS) - 1)))

    def seconds(self, times: float = 1, least: float = 0) -> float | None:
        """Return the seconds for ``times`` decisions, at least ``least``; ``None`` if paused, 0 in a single step."""
        if self.paused:
            return 0 if self.steps else None
        return max(times * self.pace, least)

    @property
    def pace(self) -> float:
        """Seconds between two decisions while not paused."""
        return SPEEDS[self.speed]

    def label(self) -> str:
        """Return the speed in words."""
        return "Paused" if self.paused else f"Speed {self.speed + 1} of {len(SPEEDS)}"


class Pacing:
    """Durations of all pauses at one table, from the settings or the playback controls."""

    def __init__(self, preferences: Preferences, watch: PlaybackSpeed | None) -> None:
        self._preferences, self.watch = preferences, watch

    @property
    def _settings(self) -> Settings:
        return self._preferences.settings

    @property
    def cards_move(self) -> bool:
        """True if card movements are animated."""
        settings, watch = self._settings, self.watch
        return settings.animation and (watch.pace > 0 if watch else settings.pace > 0 and settings.trick_pause != 0)

    def decision(self) -> float | None:
        """Return the minimum seconds of a robot's turn, including the time that its decision takes."""
        return self.watch.seconds() if self.watch else self._settings.pace

    def on_step(self) -> None:
        """Register a decision or an outcome of chance."""
        if self.watch:
            self.watch = self.watch.stepped()

    def on_round_end(self) -> None:
        """Register the end of a round: single steps stop there, and the next one deals."""
        if self.watch:
            self.watch = self.watch.arrived()

    def trick(self, times: int) -> float | None:
        """Return the seconds for which a complete trick is shown, ``times`` as long as usual; ``None``: until a key."""
        if self.watch:
            return self.watch.seconds(times * _TRICK)
        stays = self._settings.trick_pause
        return None if stays == "key" else times * stays

    def round_end(self) -> float | None:
        """Return the seconds for which a round's end is shown; ``None``: until a key."""
        if self.watch:
            return self.watch.seconds(_ROUND, _LEAST_ROUND)
        stays = self._settings.round_pause
        return None if stays == "key" else stays

    def forced_delay(self, legal: Sequence[Action]) -> float | None:
        """Return the seconds after which a forced action is played automatically; ``None`` if it is not."""
        return self._settings.pace if len(legal) < self._settings.min_choices else None


class TableViewState(SessionSnapshot, frozen=True, kw_only=True):
    """Snapshot of a session with the cursor and all other state that the table screen shows."""

    game: AnyGame
    piece: AnyGameView
    names: Names
    people: int = 1
    """Number of human players at this terminal."""
    thinking: Seat | None = None
    """Robot that is choosing an action."""
    failed: bool = False
    """True if a robot failed to choose; the key ``play`` asks the robot again."""
    spectator_reason: str = ""
    """Reason in words why no player can act at this terminal; "" if one can."""
    is_predictable: bool = False
    """True if the prompt was predictable from the player's last key, so that the input guard need not delay.

    It is False if another player has acted since, cards were dealt, the player has drawn a card unseen, or a decision
    box has opened.
    """
    can_take_back: bool = False
    """True if the only human player has a decision that can be taken back."""
    shows_trick: bool = False
    """True while a complete trick is shown."""
    order: HandOrder = "usual"
    """Order of the viewing seat's hand."""
    advice: "Advice | None" = None
    """Advice of the expert for the current view, if it was requested."""
    open_hands: bool = False
    """True if open hands are shown."""
    watch: PlaybackSpeed | None = None
    """Playback controls, at a table with robots only."""
    is_local: bool = True
    """True if the session is played in this program, not at a host."""
    has_same_deal: bool = True
    """True if another session with the same deal can be begun."""
    recorded: bool = True
    """True if the journal is stored on this machine."""
    remarks: tuple[str, ...] = ()
    """Sentences on a finished session: its effect on credits, and the reason why it is not rated."""
    unsaved: bool = False
    """True if saving fails, in the program that plays the session."""
    banner: str = ""
    """Message about saving; replaces the keys in the footer."""

    waiting: bool = False
    """True if the player at ``view.seat`` is asked for an action."""
    hand: HandCursor = HandCursor()
    decision: Decision | None = None
    option: int = 0
    """Index of the option under the cursor."""
    in_box: bool = False
    """True if the cursor is in the decision box, False if in the hand."""
    moved_by_player: bool = False
    """True if the player has moved the cursor to its position, False if the program has."""
    needs_confirmation: bool = False
    """True if the player has to confirm the option under the cursor."""
    reason: str = ""
    """Reason why the card under the cursor cannot be played; replaces the prompt."""

    @property
    def own_cards(self) -> list[Card]:
        """Cards of the viewing seat's hand, in display order."""
        return sort_hand(self.piece.order(self.view), self.order)

    @property
    def sides(self) -> Sides:
        """Sides in display order: the viewing seat's own first, then clockwise; likewise the seats of each side."""
        return own_side_first(self.game.sides_of(self.view), self.seat)

    def side_name(self, side: Sequence[Seat]) -> str:
        """Return the name of a side."""
        return side_name(self.names, side)

    @property
    def facts(self) -> tuple[str, ...]:
        """Facts beside the title in the header; empty before the first deal."""
        return self.piece.header(self.view).all if self.view.round else ()

    @property
    def gaps(self) -> bool:
        """True if the suits in the hand are separated by gaps."""
        return self.piece.gaps if self.order == "usual" else self.order == "suit"

    @property
    def clock(self) -> str:
        """Time left for the round, formatted."""
        return minutes(self.round_left)

    @property
    def pointed(self) -> Pointed:
        """Action and cards that the player points at."""
        if not self.waiting:
            return NOWHERE
        action = self.decision.options[self.option].action if self.decision else None
        return Pointed(action, self.in_box, self.hand.at, self.hand.chosen)

    @property
    def box(self) -> Decision | None:
        """Decision box to be shown, if any."""
        return self.decision if self.waiting and self.decision and not self.decision.on_mat else None

    @property
    def box_on_mat(self) -> Decision | None:
        """Decision box to show on the mat if the screen has no panel: with the cursor in it, or before any card."""
        return self.box if self.box and (self.in_box or not self.box.cards_first) else None

    @property
    def box_actions(self) -> list[Action | None]:
        """Actions of the decision box, by option; ``None`` for a forbidden option."""
        return self.decision.actions if self.decision else []

    @property
    def hand_action(self) -> Action | None:
        """Action of the Enter key in the hand; of several possible actions the one that is not in the box."""
        boxed, actions = self.box_actions, self.hand.actions()
        return next((action for action in actions if action not in boxed), actions[0] if actions else None)

    @property
    def enter_action(self) -> Action | None:
        """Action of the Enter key now."""
        if not self.waiting:
            return None
        return self.box_actions[self.option] if self.in_box else self.hand_action

    @property
    def hint_action(self) -> Action | None:
        """Action that the displayed hint recommends to the player, if any."""
        lines = self.advice.lines if self.waiting and self.advice else ()
        return lines[0].action if lines else None

    @property
    def can_request_hint(self) -> bool:
        """True if a hint can be requested: on the player's turn, or on a robot's turn while playback is paused."""
        return self.waiting or bool(self.watch and self.watch.paused and self.view.legal)

    @property
    def active_robot(self) -> Seat | None:
        """Robot that the table waits for; ``None`` while playback is paused."""
        return None if self.watch and self.watch.paused else self.thinking

    def clock_of(self, seat: Seat) -> str:
        """Return the time that a seat has left for the session, formatted; "" without such a clock."""
        return minutes(self.seats_left[seat]) if self.seats_left else ""

    def open_hand(self, seat: Seat) -> list[Card] | None:
        """Return the cards of another seat in display order if they are open, else ``None``."""
        if not self.open_hands or seat not in self.others:
            return None
        return sort_hand(self.piece.order(self.others[seat]), self.order)
