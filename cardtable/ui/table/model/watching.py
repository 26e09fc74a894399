"""Watching a table of robots: how fast it goes on, and whether it stands still."""

from typing import Final, Self

import msgspec

SPEEDS: Final = (4.0, 2.0, 1.0, 0.4, 0.0)
"""Seconds from one decision to the next, the slowest first; at the last robots go on as fast as they think."""


class Watch(msgspec.Struct):
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

    def pause(self) -> None:
        """Stand still, or go on."""
        self.paused, self.steps = not self.paused, 0

    def step(self) -> None:
        """Stand still after one more decision or outcome of chance."""
        self.paused = True
        self.steps += 1

    def stepped(self) -> None:
        """It has come."""
        self.steps = max(self.steps - 1, 0)

    def faster(self, by: int) -> None:
        """Go ``by`` speeds faster, or slower."""
        self.speed = max(0, min(self.speed + by, len(SPEEDS) - 1))

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
