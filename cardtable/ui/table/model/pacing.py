"""How long things stay before play goes on, as settings or who watches a table of robots say at that moment."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final, Generic, Self, TypeAlias, TypeVar

import msgspec
from msgspec.structs import replace

from cardtable.engine.contract import Action
from cardtable.store.settings import Settings
from cardtable.ui.settings.preferences import Preferences

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


class Wait(Generic[T]):
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


class Watch(msgspec.Struct, frozen=True):
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

    def standing(self) -> Self:
        """All stands still."""
        return replace(self, paused=True)

    def turned(self) -> Self:
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

    def told(self) -> str:
        """How it goes on, in words."""
        return "Paused" if self.paused else f"Speed {self.speed + 1} of {len(SPEEDS)}"


class Pacing:
    """The waits at one table."""

    def __init__(self, preferences: Preferences, watch: Watch | None) -> None:
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

    def stepped(self) -> None:
        """A decision or an outcome of chance has come."""
        if self.watch:
            self.watch = self.watch.stepped()

    def arrived(self) -> None:
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

    def forced(self, legal: Sequence[Action]) -> float | None:
        """After how long the only legal action is played by itself, if such are."""
        return self._settings.pace if len(legal) < self._settings.fewest_choices else None
