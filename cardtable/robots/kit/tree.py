"""Playouts that learn: seats do what has brought them most so far, and where nothing is known the rollout plays on.

What they did is a tree that all worlds share, for they know no more than what was played (information set tree search,
Cowling, Powley and Whitehouse 2012).  It grows by one choice with each playout.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from math import inf, log, sqrt
from typing import Generic

from cardtable.engine.contract import CHANCE, Action, S, Seat


class _Branch:
    """A choice, and what came of it."""

    __slots__ = ("after", "made", "possible", "total")

    def __init__(self) -> None:
        self.after: defaultdict[Action, _Branch] = defaultdict(_Branch)
        self.made = 0
        """How often it was made, ..."""
        self.possible = 0
        """... how often it might have been, ..."""
        self.total = 0.0
        """... and what it has brought in all to who made it, above the mean of the others."""


class Tree(Generic[S]):
    """What follows on one action."""

    def __init__(self, rollout: Callable[[S, float], Sequence[float]], explore: float) -> None:
        self._rollout, self._explore, self._root = rollout, explore, _Branch()

    def play_out(self, state: S, luck: float) -> Sequence[float]:
        """The points of the round by seat; the state is played on, up to where chance comes in or the tree ends."""
        branch, path, known = self._root, list[tuple[Seat, _Branch]](), True
        while known and state.playing and state.turn != CHANCE:
            legal = state.legal()
            action = legal[0] if len(legal) == 1 else self._choice(branch, legal)
            branch = branch.after[action]
            known = branch.made > 0 or len(legal) == 1
            path.append((state.turn, branch))
            state.apply(action)
        points = self._rollout(state, luck)
        whole, others = sum(points), len(points) - 1
        for seat, branch in path:
            branch.made += 1
            branch.total += points[seat] - (whole - points[seat]) / others
        return points

    def _choice(self, branch: _Branch, legal: Sequence[Action]) -> Action:
        """What was never tried, else what is best as far as that is known (upper confidence bounds)."""
        best, most = legal[0], -inf
        for action in legal:
            choice = branch.after[action]
            choice.possible += 1
            worth = inf
            if choice.made:
                worth = choice.total / choice.made + self._explore * sqrt(log(choice.possible) / choice.made)
            if worth > most:
                best, most = action, worth
        return best
