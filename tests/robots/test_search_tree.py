"""Playouts that learn, on a toy: a coin lies hidden, one seat after the other names a side, who is right is paid."""

from random import Random

import pytest

from cardtable.engine.game import CHANCE, Action
from cardtable.robots.kit.search import (
    MonteCarloSearch,
    SearchSpec,
    Tree,
    TreeSearchConfig,
    make_rollout_chooser,
    make_sampler,
    no_tree,
)


class Says(Action, frozen=True):
    """That the coin shows this side."""

    side: str


HEADS, TAILS = Says("heads"), Says("tails")


class Coin:
    """A hidden coin, and what the seats said of it in turn; ``offered`` is what they may say."""

    def __init__(self, shows="heads", said=(), offered=(HEADS, TAILS), seats=2):
        self.shows, self.said, self.offered, self.seats = shows, said, offered, seats

    @property
    def playing(self):
        return len(self.said) < self.seats

    @property
    def turn(self):
        return len(self.said)

    def legal(self):
        return self.offered

    def copy(self):
        return Coin(self.shows, self.said, self.offered, self.seats)

    def apply(self, says):
        self.said = (*self.said, says)


def by_rule(coin, _luck):
    """Who has not spoken yet says tails; 1 point for each who is right."""
    said = [each.side for each in coin.said] + ["tails"] * (coin.seats - len(coin.said))
    return [float(side == coin.shows) for side in said]


def grown(coins, explore=0.5):
    tree = Tree(by_rule, explore)
    return [tree.play_out(coin, 0.0) for coin in coins]


def mean(points, seat):
    return sum([each[seat] for each in points]) / len(points)


def test_what_pays_is_learnt_where_the_rule_would_do_otherwise():
    points = grown([Coin() for _ in range(400)])
    assert by_rule(Coin(), 0.0) == [0.0, 0.0]
    assert mean(points[200:], 0) > 0.9
    assert mean(points[200:], 1) > 0.9


def test_nobody_learns_what_he_cannot_see():
    """The same choice in all worlds: half of the coins show the other side."""
    rng = Random(1)
    points = grown([Coin(rng.choice(["heads", "tails"])) for _ in range(2000)])
    assert mean(points, 0) == pytest.approx(0.5, abs=0.05)
    assert mean(points, 1) == pytest.approx(0.5, abs=0.05)


def test_each_seat_wants_more_than_the_others():
    """One is paid for what the second says, too, who would rather have nothing than that."""

    def rollout(coin, _luck):
        told = coin.said[1].side if len(coin.said) > 1 else "tails"
        return (3.0, 1.0) if told == "heads" else (0.0, 0.0)

    tree = Tree(rollout, 0.5)
    points = [tree.play_out(Coin(), 0.0) for _ in range(400)]
    assert mean(points[200:], 0) < 0.3


def test_a_playout_makes_one_choice_that_nobody_made_before():
    asked = []

    def rollout(coin, _luck):
        asked.append(len(coin.said))
        return [0.0] * coin.seats

    tree = Tree(rollout, 0.5)
    for _ in range(4):
        tree.play_out(Coin(seats=3), 0.0)
    assert asked == [1, 1, 2, 2]


def test_what_must_be_done_is_no_choice():
    asked = []

    def rollout(coin, _luck):
        asked.append(len(coin.said))
        return [0.0] * coin.seats

    Tree(rollout, 0.5).play_out(Coin(offered=(HEADS,), seats=3), 0.0)
    assert asked == [3]


def test_where_chance_comes_in_the_rollout_goes_on():
    class Drawn(Coin):
        turn = CHANCE

    assert Tree(by_rule, 0.5).play_out(Drawn("tails"), 0.0) == [1.0, 1.0]


def test_a_search_goes_deeper_only_where_its_guide_says_so():
    """To say heads pays if the other one does not answer heads, which the rule never does."""

    class View:
        seat, legal = 0, (HEADS, TAILS)

    def rollout(coin, _luck):
        said = [each.side for each in coin.said] + ["tails"] * (2 - len(coin.said))
        return {("heads", "tails"): (2.0, 0.0), ("heads", "heads"): (0.0, 2.0)}.get(tuple(said), (1.0, 0.5))

    def best(deep):
        guide = SearchSpec(
            make_sampler(lambda _view, _rng: Coin()), make_rollout_chooser(rollout), 50, tree_config=deep
        )
        return MonteCarloSearch(guide).choose(View(), Random(1), lambda: False)

    assert best(no_tree) == HEADS
    assert best(lambda _view: TreeSearchConfig(4, 0.5)) == TAILS
