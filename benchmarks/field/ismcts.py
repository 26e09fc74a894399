"""Plain information set Monte Carlo tree search: one tree of actions over sampled worlds, with random rollouts.

Each simulation samples a world and descends the tree through the actions legal there: first an untried action, else the
action with the highest UCB1 value for the seat that acts, counting how often the action was possible.  The value of a
simulation is the seat's points above the mean of the others in this round.  The most visited action is chosen.
"""

from collections.abc import Callable, Sequence
from functools import partial
from math import log, sqrt
from random import Random

from cardtable.engine.game import CHANCE, Action, AnyGame, Declaration, State, View

MAX_EVENTS = 600
"""Maximum number of events of a rollout; a longer one counts as 0 points."""
EXPLORATION = 0.7
"""Exploration constant, as a fraction of the range of values seen."""


class Node:
    """Statistics of an action over the simulations that took it."""

    __slots__ = ("children", "possible", "total", "visits")

    def __init__(self) -> None:
        self.children: dict[Action, Node] = {}
        self.visits = self.possible = 0
        self.total = 0.0


class Ismcts:
    """A robot that chooses by a number of simulations."""

    def __init__(self, game: AnyGame, simulations: int = 300) -> None:
        self.game, self.simulations = game, simulations

    def choose(self, view: View, rng: Random, stop: Callable[[], bool]) -> Action:
        """Return the most visited action."""
        root = Node()
        low, high = 0.0, 1.0
        for _ in range(self.simulations):
            state = self.game.imagine(view, rng)
            path = descend(state, root, EXPLORATION * (high - low), rng)
            values = play_out(state, self.game.lowest_wins, rng)
            low, high = min(low, *values), max(high, *values)
            for seat, node in path:
                node.visits += 1
                node.total += values[seat]
            if stop():
                break
        return max(root.children, key=lambda action: root.children[action].visits)


def is_avoided(action: Action) -> bool:
    """Return True for an action to be chosen only if no other is legal: it ends a round early or names a contract."""
    return action.rare_in_random_play or isinstance(action, Declaration)


def filter_actions(legal: Sequence[Action]) -> Sequence[Action]:
    """Return the actions that the search considers."""
    return [action for action in legal if not is_avoided(action)] or legal


def descend(state: State[View], node: Node, explore: float, rng: Random) -> list[tuple[int, Node]]:
    """Descend to an untried action; return the nodes on the way, each with the seat that acted."""
    path: list[tuple[int, Node]] = []
    is_new = False
    while state.playing and not is_new:
        if state.turn == CHANCE:
            state.apply(state.draw_chance(rng))
            continue
        seat, legal = state.turn, filter_actions(state.legal())
        untried = [action for action in legal if action not in node.children]
        is_new = bool(untried)
        if is_new:
            action = rng.choice(untried)
            node.children[action] = Node()
        else:
            action = select_action([(candidate, node.children[candidate]) for candidate in legal], explore)
        for candidate in legal:
            if candidate in node.children:
                node.children[candidate].possible += 1
        node = node.children[action]
        path.append((seat, node))
        state.apply(action)
    return path


def select_action(candidates: list[tuple[Action, Node]], explore: float) -> Action:
    """Return the action with the highest upper confidence bound."""
    return max(
        candidates,
        key=lambda pair: pair[1].total / pair[1].visits + explore * sqrt(log(pair[1].possible) / pair[1].visits),
    )[0]


def play_out(state: State[View], lowest_wins: bool, rng: Random) -> list[float]:
    """Play the round to its end at random; return the points of each seat above the mean of the others."""
    seats = len(state.totals)
    for _ in range(MAX_EVENTS):
        if not state.playing:
            break
        if state.turn == CHANCE:
            state.apply(state.draw_chance(rng))
            continue
        legal = state.legal()
        action = legal[int(rng.random() * len(legal))]
        state.apply(rng.choice(filter_actions(legal)) if is_avoided(action) else action)
    if state.playing or state.score is None:
        return [0.0] * seats
    points = [-amount if lowest_wins else amount for amount in state.score.points]
    return [own - (sum(points) - own) / (seats - 1) for own in points]


ismcts_100 = partial(Ismcts, simulations=100)
ismcts_1000 = partial(Ismcts, simulations=1000)
