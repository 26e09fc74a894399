"""Information set Monte Carlo tree search, plain: one tree of actions over imagined worlds, playouts at random.

Each simulation imagines a world and goes down the tree through what is legal there: first what was never tried, else
what looks best to the seat that acts (UCB1 over how often it could be chosen).  Its worth is how far that seat is then
ahead of the mean of the others in this round.  What was tried most is chosen.
"""

from collections.abc import Callable, Sequence
from functools import partial
from math import log, sqrt
from random import Random

from cardtable.engine.game import CHANCE, Action, AnyGame, Declaration, State, View

LONGEST = 600
"""Events of a playout, at most; with more of them nobody has won anything."""
EXPLORE = 0.7
"""How much is tried that does not look best, in parts of all that has been seen."""


class Node:
    """What came of an action, in all simulations that took it."""

    __slots__ = ("after", "possible", "total", "visits")

    def __init__(self) -> None:
        self.after: dict[Action, Node] = {}
        self.visits = self.possible = 0
        self.total = 0.0


class Ismcts:
    """Chooses by so many simulations."""

    def __init__(self, game: AnyGame, simulations: int = 300) -> None:
        self.game, self.simulations = game, simulations

    def choose(self, view: View, rng: Random, stop: Callable[[], bool]) -> Action:
        """What most simulations chose."""
        root = Node()
        low, high = 0.0, 1.0
        for _ in range(self.simulations):
            state = self.game.imagine(view, rng)
            path = descended(state, root, EXPLORE * (high - low), rng)
            ahead = played_out(state, self.game.lowest_wins, rng)
            low, high = min(low, *ahead), max(high, *ahead)
            for seat, node in path:
                node.visits += 1
                node.total += ahead[seat]
            if stop():
                break
        return max(root.after, key=lambda action: root.after[action].visits)


def left_out(action: Action) -> bool:
    """Whether it is done only where nothing else can be: it ends a round early, or names another contract instead."""
    return action.rare_in_random_play or isinstance(action, Declaration)


def considered(legal: Sequence[Action]) -> Sequence[Action]:
    """What is worth a thought."""
    return [action for action in legal if not left_out(action)] or legal


def descended(state: State[View], node: Node, explore: float, rng: Random) -> list[tuple[int, Node]]:
    """Go down to an action that was never tried; the actions on the way there, each with who did it."""
    path: list[tuple[int, Node]] = []
    fresh = False
    while state.playing and not fresh:
        if state.turn == CHANCE:
            state.apply(state.draw_chance(rng))
            continue
        seat, legal = state.turn, considered(state.legal())
        untried = [action for action in legal if action not in node.after]
        fresh = bool(untried)
        if fresh:
            action = rng.choice(untried)
            node.after[action] = Node()
        else:
            action = best([(each, node.after[each]) for each in legal], explore)
        for each in legal:
            if each in node.after:
                node.after[each].possible += 1
        node = node.after[action]
        path.append((seat, node))
        state.apply(action)
    return path


def best(known: list[tuple[Action, Node]], explore: float) -> Action:
    """What has the highest upper bound."""
    return max(
        known, key=lambda each: each[1].total / each[1].visits + explore * sqrt(log(each[1].possible) / each[1].visits)
    )[0]


def played_out(state: State[View], lowest_wins: bool, rng: Random) -> list[float]:
    """Play the round to its end at random: by seat, how far it is ahead of the mean of the others."""
    seats = len(state.totals)
    for _ in range(LONGEST):
        if not state.playing:
            break
        if state.turn == CHANCE:
            state.apply(state.draw_chance(rng))
            continue
        legal = state.legal()
        action = legal[int(rng.random() * len(legal))]
        state.apply(rng.choice(considered(legal)) if left_out(action) else action)
    if state.playing or state.score is None:
        return [0.0] * seats
    points = [-made if lowest_wins else made for made in state.score.points]
    return [own - (sum(points) - own) / (seats - 1) for own in points]


ismcts_100 = partial(Ismcts, simulations=100)
ismcts_1000 = partial(Ismcts, simulations=1000)
