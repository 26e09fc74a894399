"""Digits that follow each other so soon that they are one number."""

from collections.abc import Callable
from time import monotonic
from typing import Final

JOIN_SECONDS: Final = 1.0
"""A second digit within this time joins the first."""


class QuickDigits:
    """Tells by its clock whether a digit joins the one before."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        """``clock`` counts seconds."""
        self._clock, self._last = clock, float("-inf")

    @property
    def open(self) -> bool:
        """Whether a digit would join the last one now."""
        return self._clock() - self._last < JOIN_SECONDS

    def joins(self) -> bool:
        """Whether the digit that is typed now comes soon after the last one."""
        joins, self._last = self.open, self._clock()
        return joins
