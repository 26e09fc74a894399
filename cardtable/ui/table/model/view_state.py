"""What the table screen shows at one moment: everything its painters need, and nothing else."""

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
from cardtable.ui.game_view.game_view import AnyPiece, Names, arranged
from cardtable.ui.game_view.hand_cursor import NOWHERE, HandCursor, Pointed
from cardtable.ui.toolkit.preferences import Preferences
from cardtable.wording.formatting import minutes
from cardtable.wording.players import own_side_first, side_name

if TYPE_CHECKING:  # the first picture is there sooner without it
    from cardtable.robots.hints import Advice


T = TypeVar("T")
Seconds: TypeAlias = Callable[[], float | None]
"""How long to wait: ``None`` stands for until something happens."""

SPEEDS: Final = (4.0, 2.0, 1.0, 0.4, 0.0)
"""Seconds from one decision to the next, the slowest first; at the last robots go on as fast as they think."""
_TRICK: Final = 2
_ROUND: Final = 5
"""A trick, and a round's end, stay while one watches as long as so many decisions."""
_LEAST_ROUND: Final = 1.0
"""Seconds that a round's end can be seen at least, however fast it goes."""


def for_ever() -> None:
    """To wait until something happens."""


class CancellableTimer(Generic[T]):
    """One wait: until it is ended, or until so many seconds have gone since it began (usually: since now)."""

    def __init__(self, seconds: Seconds, otherwise: T, began: float | None = None) -> None:
        """``otherwise``: what comes of it where nobody ends it."""
        self._loop = asyncio.get_running_loop()
        self._seconds, self._otherwise = seconds, otherwise
        self._began = self._loop.time() if began is None else began
        self._ended: asyncio.Future[T] = self._loop.create_future()
        self._timer: asyncio.TimerHandle | None = None
        self.look_again()

    @property
    def over(self) -> bool:
        """Whether it is ended."""
        return self._ended.done()

    def end(self, outcome: T) -> None:
        """End it, if nothing has before."""
        if not self.over:
            self._ended.set_result(outcome)

    def look_again(self) -> None:
        """How long it lasts may be another time from now on."""
        if self._timer:
            self._timer.cancel()
        seconds = self._seconds()
        if seconds is not None:
            self._timer = self._loop.call_at(self._began + seconds, self.end, self._otherwise)

    async def outcome(self) -> T:
        """What came of it, once it is over."""
        try:
            return await self._ended
        finally:
            if self._timer:
                self._timer.cancel()


class PlaybackSpeed(msgspec.Struct, frozen=True):
    """What the person watching has said of the pace."""

    speed: int
    """An index of ``SPEEDS``."""
    paused: bool = False
    steps: int = 0
    """Decisions and outcomes of chance that are still to come though all stands still."""

    @classmethod
    def at(cls, pace: float, *, paused: bool) -> Self:
        """The speed that is nearest to robots who answer after ``pace`` seconds."""
        return cls(min(range(len(SPEEDS)), key=lambda i: abs(SPEEDS[i] - pace)), paused)

    def pause(self) -> Self:
        """All stands still."""
        return replace(self, paused=True)

    def toggled(self) -> Self:
        """It stands still, or goes on again."""
        return replace(self, paused=not self.paused, steps=0)

    def stepping(self) -> Self:
        """It stands still after one more decision or outcome of chance."""
        return replace(self, paused=True, steps=self.steps + 1)

    def stepped(self) -> Self:
        """That has come."""
        return replace(self, steps=max(self.steps - 1, 0))

    def arrived(self) -> Self:
        """It stands still where it is."""
        return replace(self, steps=0)

    def faster(self, by: int) -> Self:
        """It goes ``by`` speeds faster, or slower."""
        return replace(self, speed=max(0, min(self.speed + by, len(SPEEDS) - 1)))

    def seconds(self, times: float = 1, least: float = 0) -> float | None:
        """How long something stays that is worth ``times`` decisions; ``None``: until somebody goes on."""
        if self.paused:
            return 0 if self.steps else None
        return max(times * self.pace, least)

    @property
    def pace(self) -> float:
        """Seconds from one decision to the next while it goes on."""
        return SPEEDS[self.speed]

    def label(self) -> str:
        """How it goes on, in words."""
        return "Paused" if self.paused else f"Speed {self.speed + 1} of {len(SPEEDS)}"


class Pacing:
    """The waits at one table."""

    def __init__(self, preferences: Preferences, watch: PlaybackSpeed | None) -> None:
        self._preferences, self.watch = preferences, watch

    @property
    def _settings(self) -> Settings:
        return self._preferences.settings

    @property
    def cards_move(self) -> bool:
        """Whether there is time to see cards move."""
        settings, watch = self._settings, self.watch
        return settings.animation and (watch.pace > 0 if watch else settings.pace > 0 and settings.trick_pause != 0)

    def decision(self) -> float | None:
        """From when a robot is to act until it does; what it thinks is part of it."""
        return self.watch.seconds() if self.watch else self._settings.pace

    def on_step(self) -> None:
        """A decision or an outcome of chance has come."""
        if self.watch:
            self.watch = self.watch.stepped()

    def on_round_end(self) -> None:
        """A round is over: who goes step by step sees its end, and deals with the next one."""
        if self.watch:
            self.watch = self.watch.arrived()

    def trick(self, times: int) -> float | None:
        """How long a finished trick stays, or ``times`` as long."""
        if self.watch:
            return self.watch.seconds(times * _TRICK)
        stays = self._settings.trick_pause
        return None if stays == "key" else times * stays

    def round_end(self) -> float | None:
        """How long a round's end stays."""
        if self.watch:
            return self.watch.seconds(_ROUND, _LEAST_ROUND)
        stays = self._settings.round_pause
        return None if stays == "key" else stays

    def forced_delay(self, legal: Sequence[Action]) -> float | None:
        """After how long the only legal action is played by itself, if such are."""
        return self._settings.pace if len(legal) < self._settings.fewest_choices else None


class TableViewState(SessionSnapshot, frozen=True, kw_only=True):
    """What is to be seen of a session, what the person has under her cursor, and what else is shown of both."""

    game: AnyGame
    piece: AnyPiece
    names: Names
    people: int = 1
    """How many people sit at the table."""
    thinking: Seat | None = None
    """The robot that thinks at the moment."""
    failed: bool = False
    """Whether a robot could not choose; ``play`` asks it again."""
    looking: str = ""
    """Why nobody can act here, in words; nothing where somebody can."""
    follows: bool = False
    """Whether what the person is asked follows straight from her last key, and she could know what it would be: nobody
    else has done anything since, nothing was dealt, she drew no card unseen, and no box has opened."""
    way_back: bool = False
    """Whether the only person at the table has a decision to take back."""
    lingering: bool = False
    """Whether the picture is of a trick that is complete."""
    order: HandOrder = "usual"
    """The order of the own hand."""
    advice: "Advice | None" = None
    """What the expert would do in this place, once that was asked."""
    open_hands: bool = False
    """Whether hands that are open are shown."""
    watch: PlaybackSpeed | None = None
    """How a table of robots is watched, on which nobody here acts."""
    at_home: bool = True
    """Whether the session is played here, and not at a host."""
    has_same_deal: bool = True
    """True if another session with the same deal can be begun."""
    recorded: bool = True
    """Whether its journal lies at this machine."""
    remarks: tuple[str, ...] = ()
    """What the session that is over comes to in credits, and why it is not rated, in sentences."""
    unsaved: bool = False
    """Whether saving fails where the session is."""
    banner: str = ""
    """What the person must know about saving; stands in the footer."""

    waiting: bool = False
    """Whether the person at ``view.seat`` is asked for an action now."""
    hand: HandCursor = HandCursor()
    decision: Decision | None = None
    option: int = 0
    """The option under the cursor."""
    in_box: bool = False
    """Whether keys move in the decision box, not in the hand."""
    aimed: bool = False
    """Whether the person has put the cursor where it is, and not the program."""
    asking: bool = False
    """Whether the person is asked once more before the option under the cursor is done."""
    reason: str = ""
    """Why the card last pointed at may not be played; instead of the prompt."""

    @property
    def own_cards(self) -> list[Card]:
        """The own hand in its order."""
        return arranged(self.piece.order(self.view), self.order)

    @property
    def sides(self) -> Sides:
        """Who plays together, one's own side first, then clockwise as they sit on the screen; so in each side, too."""
        return own_side_first(self.game.sides_of(self.view), self.me)

    def side_name(self, side: Sequence[Seat]) -> str:
        """What a side is called in a table."""
        return side_name(self.names, side)

    @property
    def facts(self) -> tuple[str, ...]:
        """What is told beside the title; nothing before the first deal."""
        return self.piece.header(self.view).told if self.view.round else ()

    @property
    def gaps(self) -> bool:
        """Whether the hand is set apart by suits."""
        return self.piece.gaps if self.order == "usual" else self.order == "suit"

    @property
    def clock(self) -> str:
        """What is left of the time for the round."""
        return minutes(self.round_left)

    @property
    def pointed(self) -> Pointed:
        """What the person to act points at."""
        if not self.waiting:
            return NOWHERE
        action = self.decision.options[self.option].action if self.decision else None
        return Pointed(action, self.in_box, self.hand.at, self.hand.chosen)

    @property
    def box(self) -> Decision | None:
        """The decision box, while there is one to be shown."""
        return self.decision if self.waiting and self.decision and not self.decision.on_mat else None

    @property
    def box_on_mat(self) -> Decision | None:
        """The same where there is no panel: while keys move in it, or there is nothing else to be done."""
        return self.box if self.box and (self.in_box or not self.box.cards_first) else None

    @property
    def boxed(self) -> list[Action | None]:
        """The actions of the decision box, by option."""
        return self.decision.actions if self.decision else []

    @property
    def commits(self) -> Action | None:
        """What Enter does in the hand: of several actions of the cards the one that is not in the decision box."""
        boxed, found = self.boxed, self.hand.actions()
        return next((action for action in found if action not in boxed), found[0] if found else None)

    @property
    def entered(self) -> Action | None:
        """What Enter does now."""
        if not self.waiting:
            return None
        return self.boxed[self.option] if self.in_box else self.commits

    @property
    def hinted(self) -> Action | None:
        """The action that a hint in this place recommends to the person; ``None`` before there is one."""
        lines = self.advice.lines if self.waiting and self.advice else ()
        return lines[0].action if lines else None

    @property
    def advisable(self) -> bool:
        """Whether there is a choice to be advised in: of the person, or while all stands still of a robot."""
        return self.waiting or bool(self.watch and self.watch.paused and self.view.legal)

    @property
    def thinks(self) -> Seat | None:
        """Whom the table waits for, while it does not stand still."""
        return None if self.watch and self.watch.paused else self.thinking

    def clock_of(self, seat: Seat) -> str:
        """What is left to a seat of the time for the session, where it has such a clock."""
        return minutes(self.seats_left[seat]) if self.seats_left else ""

    def open_hand(self, seat: Seat) -> list[Card] | None:
        """The cards of another seat in their order, if they are to be shown."""
        if not self.open_hands or seat not in self.others:
            return None
        return arranged(self.piece.order(self.others[seat]), self.order)
