"""Watching a table of robots: how fast it goes on, and whether it stands still."""

from typing import Final, Self

import msgspec
from msgspec.structs import replace

SPEEDS: Final = (4.0, 2.0, 1.0, 0.4, 0.0)
"""Seconds from one decision to the next, the slowest first; at the last robots go on as fast as they think."""


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
