"""How long things stay before play goes on, as settings or the person watching say at that moment."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final, Generic, TypeAlias, TypeVar

from cardtable.engine.contract import Action
from cardtable.store.settings import Settings
from cardtable.ui.settings.preferences import Preferences
from cardtable.ui.table.model.watching import Watch

T = TypeVar("T")
Seconds: TypeAlias = Callable[[], float | None]
"""How long to wait: ``None`` stands for until something happens."""

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
