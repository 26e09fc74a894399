"""The expert of Bridge: what a good player is in no doubt about, and rollouts that keep to the rules."""

from random import Random

import pytest

from cardtable.engine.chance import Shuffle
from cardtable.engine.game import CHANCE
from cardtable.games import GAMES
from cardtable.games.bridge import expert as bridge
from cardtable.robots.kit.robot import decide, make_robot
from tests.games.bridge.test_rules import turn_on, two_jacks_out
from tests.robots.positions import positions

GAME = GAMES["bridge"]
LUCK = 0.25


def chosen(game, seed=1):
    """What the expert does in the seat that is to act."""
    return str(decide(make_robot("expert", "bridge"), game.view(game.turn), seed, 0))


def middle(seed, seats, **options):
    """A round in the middle, after actions at random; perhaps it is over."""
    rng, state = Random(seed), GAME.start(seats, GAME.options(**options))
    state.apply(state.draw_chance(rng))
    for _ in range(rng.randrange(60)):
        if state.playing:
            state.apply(state.draw_chance(rng) if state.turn == CHANCE else rng.choice(state.legal()))
    return state


def shuffled(state):
    """The outcome that a rollout draws when the blind is empty."""
    blind = state.stack[:-1]
    Random(LUCK + state.multiplier).shuffle(blind)
    return Shuffle(tuple(reversed(blind)))


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("eights", ["choose", "next", "share"])
@pytest.mark.parametrize("jacks", ["choose", "minus", "plus", "off"])
def test_rollouts_give_the_points_of_the_rule_policy_by_the_rules(seats, eights, jacks):
    policy, rng = make_robot("steady", "bridge"), Random(1)
    for seed in range(20):
        state = middle(seed, seats, eights=eights, jacks=jacks, drawn_card=("may", "must")[seed % 2])
        if state.turn == CHANCE and state.playing:
            state.apply(state.draw_chance(rng))
        points = bridge.run_rollout(state.copy(), LUCK)
        while state.playing:
            if state.turn == CHANCE:
                state.apply(shuffled(state))
            else:
                state.apply(policy.choose(state.view(state.turn), rng, lambda: False))
        assert points == [-lost for lost in state.points]


def test_a_rollout_begins_anywhere():
    for view, seed, decisions in positions("bridge", 1):
        assert decide(make_robot("expert", "bridge"), view, seed, decisions) in view.legal


def test_bridge_is_called_by_who_holds_nothing():
    assert chosen(turn_on("QH", "9H 9D 9C 9S 8D").do("play 9H, play 9D, play 9C, play 9S")) == "bridge"


def test_bridge_is_not_called_by_who_holds_more_than_the_others():
    game = turn_on("9H", "9D 9C 9S AD AC", seats=2, then="TC TD").do("play 9D, play 9C, play 9S")
    assert chosen(game) == "done"


def test_who_can_go_out_does():
    assert chosen(turn_on("QH", "9H 9D 9C 9S TH").do("play 9H, play 9D, play 9C")) == "play 9S"


def test_a_6_that_cannot_be_covered_is_not_played():
    assert chosen(turn_on("QH", "6H QD KC 9C 7S")) == "play QD"


def test_who_wins_the_session_by_it_ends_it():
    """The totals are 30, 50 and 80: with 40 points more for both others the session is over and won."""
    game = two_jacks_out()
    assert str(make_robot("steady", "bridge").choose(game.view(0), Random(1), lambda: False)) == "jacks minus"
    assert chosen(game) == "jacks plus"


def test_what_points_mean_as_the_session_stands():
    view = two_jacks_out().view(0)
    ahead, level, behind = [bridge.evaluate_points(view, points) for points in ((20, 0, 0), (0, 0, 0), (-40, 0, 0))]
    assert 1 > ahead > level > behind > 0
    assert bridge.evaluate_points(view, (0, 0, -46)) == 1  # 126 for the last: the first has won
    assert bridge.evaluate_points(view, (-70, 0, -46)) == 0.5  # and here it is in between
    assert bridge.evaluate_points(view, (0, 0, -45)) < level  # exactly 125 are none
