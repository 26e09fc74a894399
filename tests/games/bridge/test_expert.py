"""Expert of Bridge: rollouts by the rules, values of points, evident choices."""

from random import Random

import pytest

from cardtable.engine.chance import Shuffle
from cardtable.engine.game import CHANCE
from cardtable.games import GAMES
from cardtable.games.bridge import expert as bridge
from cardtable.games.bridge.policy import choose_by_plan
from cardtable.robots.kit.robot import make_robot
from tests.games.bridge.test_rules import go_out_with_two_jacks, start_second_turn
from tests.robots.positions import choose_expert_action

GAME = GAMES["bridge"]
LUCK = 0.25


def create_midgame_state(seed, seats, **options):
    """Return a state in the middle of a round, after random actions; the round may be over."""
    rng, state = Random(seed), GAME.start(seats, GAME.options(**options))
    state.apply(state.draw_chance(rng))
    for _ in range(rng.randrange(60)):
        if state.playing:
            state.apply(state.draw_chance(rng) if state.turn == CHANCE else rng.choice(state.legal()))
    return state


def create_rollout_shuffle(state):
    """Return the shuffle that a rollout draws when the blind is empty."""
    blind = state.stack[:-1]
    Random(LUCK + state.multiplier).shuffle(blind)
    return Shuffle(tuple(reversed(blind)))


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("eights", ["choose", "next", "share"])
@pytest.mark.parametrize("jacks", ["choose", "minus", "plus", "off"])
def test_rollout_points_match_rule_policy(seats, eights, jacks):
    rng = Random(1)
    for seed in range(20):
        state = create_midgame_state(seed, seats, eights=eights, jacks=jacks, drawn_card=("may", "must")[seed % 2])
        if state.turn == CHANCE and state.playing:
            state.apply(state.draw_chance(rng))
        points = bridge.run_rollout(state.copy(), LUCK)
        while state.playing:
            if state.turn == CHANCE:
                state.apply(create_rollout_shuffle(state))
            else:
                state.apply(choose_by_plan(state.view(state.turn)))
        assert points == [-lost for lost in state.points]


def test_declines_bridge_with_most_points_in_hand():
    game = start_second_turn("9H", "9D 9C 9S AD AC", seats=2, then="TC TD").do("play 9D, play 9C, play 9S")
    assert choose_expert_action(game) == "done"


def test_ends_session_when_winning():
    """The totals are 30, 50 and 80: with 40 points more for both opponents the session is over and won."""
    game = go_out_with_two_jacks()
    assert str(make_robot("steady", "bridge").choose(game.view(0), Random(1), lambda: False)) == "jacks minus"
    assert choose_expert_action(game) == "jacks plus"


def test_value_of_points_depends_on_totals():
    view = go_out_with_two_jacks().view(0)
    ahead, level, behind = [bridge.evaluate_points(view, points) for points in ((20, 0, 0), (0, 0, 0), (-40, 0, 0))]
    assert 1 > ahead > level > behind > 0
    assert bridge.evaluate_points(view, (0, 0, -46)) == 1  # 126 for the last: the first has won
    assert bridge.evaluate_points(view, (-70, 0, -46)) == 0.5  # and here it is in between
    assert bridge.evaluate_points(view, (0, 0, -45)) < level  # exactly 125 are none
