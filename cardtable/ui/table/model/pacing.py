"""How long things stay before play goes on, as settings or the person watching say at that moment."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

from cardtable.engine.contract import Action
from cardtable.store.settings import Settings
from cardtable.ui.settings.preferences import Preferences
from cardtable.ui.table.model.watching import Watch

Seconds: TypeAlias = Callable[[], float | None]
"""How long to wait, asked again and again: ``None`` stands for until something happens."""

LOOK: Final = 0.1
"""Seconds after which a wait asks again, so that what is changed meanwhile holds at once."""
_TRICK: Final = 2
_ROUND: Final = 5
"""A trick, and a round's end, stay while one watches as long as so many decisions."""
_LEAST_ROUND: Final = 1.0
"""Seconds that a round's end can be seen at least, however fast it goes."""


def for_ever() -> None:
    """To wait until something happens."""


async def pause(seconds: Seconds, ended: asyncio.Future[Any], began: float | None = None) -> None:
    """Wait until ``ended`` is done, or so many seconds have gone since ``began`` (usually: since now)."""
    loop = asyncio.get_running_loop()
    began = loop.time() if began is None else began
    while not ended.done():
        most = seconds()
        left = LOOK if most is None else min(began + most - loop.time(), LOOK)
        if left <= 0:
            return
        await asyncio.wait({ended}, timeout=left)


class Pacing:
    """The waits at one table."""

    def __init__(self, preferences: Preferences, watch: Watch | None) -> None:
        self._preferences, self._watch = preferences, watch

    @property
    def _settings(self) -> Settings:
        return self._preferences.settings

    @property
    def cards_move(self) -> bool:
        """Whether there is time to see cards move."""
        settings, watch = self._settings, self._watch
        return settings.animation and (watch.pace > 0 if watch else settings.pace > 0 and settings.trick_pause != 0)

    def decision(self) -> float | None:
        """From when a robot is to act until it does; what it thinks is part of it."""
        return self._watch.seconds() if self._watch else self._settings.pace

    def stepped(self) -> None:
        """A decision or an outcome of chance has come."""
        if self._watch:
            self._watch.stepped()

    def arrived(self) -> None:
        """A round is over: who goes step by step sees its end, and deals with the next one."""
        if self._watch:
            self._watch.steps = 0

    def trick(self, times: int) -> float | None:
        """How long a finished trick stays, or ``times`` as long."""
        if self._watch:
            return self._watch.seconds(times * _TRICK)
        stays = self._settings.trick_pause
        return None if stays == "key" else times * stays

    def round_end(self) -> float | None:
        """How long a round's end stays."""
        if self._watch:
            return self._watch.seconds(_ROUND, _LEAST_ROUND)
        stays = self._settings.round_pause
        return None if stays == "key" else stays

    def forced(self, legal: Sequence[Action]) -> float | None:
        """After how long the only legal action is played by itself, if such are."""
        return self._settings.pace if len(legal) < self._settings.fewest_choices else None
