"""Tree search of a toy game: the seats name a side of a hidden coin in turn, and the right ones are paid."""

from random import Random

import pytest

from cardtable.engine.game import CHANCE, Action
from cardtable.robots.kit.search import MonteCarloSearch, Tree
from cardtable.robots.kit.search_spec import SearchSpec, TreeSearchConfig, make_rollout_chooser, make_sampler, no_tree


class CoinCall(Action, frozen=True):
    """Statement that the coin shows this side."""

    side: str


HEADS, TAILS = CoinCall("heads"), CoinCall("tails")


class CoinGame:
    """A hidden coin and the calls of two seats in turn."""

    def __init__(self, shows="heads", calls=()):
        self.shows, self.calls = shows, calls

    @property
    def playing(self):
        return len(self.calls) < 2

    @property
    def turn(self):
        return len(self.calls)

    def legal(self):
        return HEADS, TAILS

    def copy(self):
        return CoinGame(self.shows, self.calls)

    def apply(self, says):
        self.calls = (*self.calls, says)


def run_rollout(coin, _luck):
    """Let the remaining seats call tails; return 1 point for each right call."""
    sides = [each.side for each in coin.calls] + ["tails"] * (2 - len(coin.calls))
    return [float(side == coin.shows) for side in sides]


def play_tree(coins, explore=0.5):
    tree = Tree(run_rollout, explore)
    return [tree.play_out(coin, 0.0) for coin in coins]


def average_points(points, seat):
    return sum([each[seat] for each in points]) / len(points)


def test_tree_learns_better_choice_than_rule():
    points = play_tree([CoinGame() for _ in range(400)])
    assert run_rollout(CoinGame(), 0.0) == [0.0, 0.0]
    assert average_points(points[200:], 0) > 0.9
    assert average_points(points[200:], 1) > 0.9


def test_tree_does_not_learn_hidden_side():
    """Half of the coins show the other side, but the choice is the same in all worlds."""
    rng = Random(1)
    points = play_tree([CoinGame(rng.choice(["heads", "tails"])) for _ in range(2000)])
    assert average_points(points, 0) == pytest.approx(0.5, abs=0.05)
    assert average_points(points, 1) == pytest.approx(0.5, abs=0.05)


def test_seats_maximise_lead():
    """The second seat's call pays the first seat more; the second then prefers no points at all."""

    def rollout(coin, _luck):
        second_call = coin.calls[1].side if len(coin.calls) > 1 else "tails"
        return (3.0, 1.0) if second_call == "heads" else (0.0, 0.0)

    tree = Tree(rollout, 0.5)
    points = [tree.play_out(CoinGame(), 0.0) for _ in range(400)]
    assert average_points(points[200:], 0) < 0.3


def test_rollout_starts_at_chance():
    class Drawn(CoinGame):
        turn = CHANCE

    assert Tree(run_rollout, 0.5).play_out(Drawn("tails"), 0.0) == [1.0, 1.0]


def test_tree_is_used_only_if_configured():
    """Calling heads pays unless the other seat answers heads, which the rule never does."""

    class View:
        seat, legal = 0, (HEADS, TAILS)

    def rollout(coin, _luck):
        sides = [each.side for each in coin.calls] + ["tails"] * (2 - len(coin.calls))
        return {("heads", "tails"): (2.0, 0.0), ("heads", "heads"): (0.0, 2.0)}.get(tuple(sides), (1.0, 0.5))

    def choose_with_tree(deep):
        spec = SearchSpec(
            make_sampler(lambda _view, _rng: CoinGame()), make_rollout_chooser(rollout), 50, tree_config=deep
        )
        return MonteCarloSearch(spec).choose(View(), Random(1), lambda: False)

    assert choose_with_tree(no_tree) == HEADS
    assert choose_with_tree(lambda _view: TreeSearchConfig(4, 0.5)) == TAILS
