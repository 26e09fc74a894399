"""Robots without a search of their own: at random, by the rules of a policy, or with mistakes in what another finds."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Final

from cardtable.engine.contract import Action, View
from cardtable.robots.kit.search import Searcher

SELDOM: Final = 0.02
"""How often what ends a round early is considered, against 1 for all others."""


class Chancer:
    """Draws first the kind of action, so that many cards do not crowd out few words, then one of the kind."""

    def choose(self, view: View, rng: Random, stop: Callable[[], bool]) -> Action:  # noqa: ARG002 - never long
        """Any legal action."""
        kinds: dict[str, list[Action]] = {}
        for action in view.legal:
            kinds.setdefault(action.kind, []).append(action)
        (kind,) = rng.choices(list(kinds), [SELDOM if alike[0].seldom else 1.0 for alike in kinds.values()])
        return rng.choice(kinds[kind])


@dataclass(frozen=True, slots=True)
class Ruled:
    """Follows a policy: a function from a view to an action."""

    policy: Callable[[View, Random], Action]

    def choose(self, view: View, rng: Random, stop: Callable[[], bool]) -> Action:  # noqa: ARG002 - never long
        """What the policy says."""
        return self.policy(view, rng)


@dataclass(frozen=True, slots=True)
class Careless:
    """Searches, but now and then plays at random."""

    searcher: Searcher
    often: float = 0.2
    """How often, against 1 for all decisions."""

    def choose(self, view: View, rng: Random, stop: Callable[[], bool]) -> Action:
        """What is found best, or a mistake."""
        return (Chancer() if rng.random() < self.often else self.searcher).choose(view, rng, stop)
