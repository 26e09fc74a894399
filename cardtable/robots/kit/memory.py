"""What rollouts remember: estimates by a number that tells what they are of."""

from collections.abc import Callable
from typing import Final, TypeVar

LIMIT: Final = 1 << 12
"""Answers of a kind that are remembered at most."""

T = TypeVar("T")


class Memory(dict[int, T]):
    """Answers by key, found when they are first asked for."""

    def __init__(self, find: Callable[[int], T]) -> None:
        self._find = find

    def __missing__(self, key: int) -> T:
        if len(self) >= LIMIT:
            self.clear()
        self[key] = found = self._find(key)
        return found
