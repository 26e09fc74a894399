"""Worlds in which what the others have said is not odd."""

from collections.abc import Callable
from random import Random
from typing import TypeVar

W = TypeVar("W")


def likely(guess: Callable[[], tuple[float, W]], rng: Random, tries: int) -> W:
    """A world of at most so many, taken as often as what was said in it is likely, or else the likeliest."""
    best, most = None, -1.0
    for _ in range(tries):
        likeness, world = guess()
        if rng.random() < likeness:
            return world
        if likeness > most:
            best, most = world, likeness
    assert best is not None
    return best
