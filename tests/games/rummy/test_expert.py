"""Rummy's expert: rollouts by the rules, model of the opponent, evident choices."""

from itertools import islice
from random import Random

import pytest

from cardtable.engine.cards import cards
from cardtable.engine.game import CHANCE
from cardtable.games import GAMES
from cardtable.games.rummy.expert import evaluate_points, list_opponent_turns, sample_world, sample_worlds
from cardtable.games.rummy.expert.rollouts import RoundSimulation, list_layouts
from cardtable.games.rummy.policy import steady
from cardtable.games.rummy.rules import imagine
from cardtable.games.rummy.rules.legal_turns import find_open_ends
from cardtable.games.rummy.rules.melds import MASK
from tests.games.rummy import test_rules as rummy
from tests.robots.positions import choose_expert_action, collect_positions

GAME = GAMES["rummy"]


def iter_rounds(number, **options):
    """Yield the first state of each of `number` rounds."""
    for seed in range(number):
        rng, state = Random(seed), GAME.start(2, GAME.options(**options))
        while state.turn == CHANCE:
            state.apply(state.draw_chance(rng))
        yield state


def choose_by_policy(state):
    """Return the steady policy's action."""
    view = state.view(state.turn)
    return view.legal[0] if len(view.legal) == 1 else steady(view, Random(1))


@pytest.mark.parametrize("taken_cards", ["free", "must-keep"])
def test_rollout_turns_match_steady_policy(taken_cards):
    """Most turns of a rollout are those of the policy; after those the position is the one by the rules."""
    same = turns = 0
    for state in iter_rounds(6, taken_cards=taken_cards):
        while state.playing:
            seat, left = state.turn, RoundSimulation(state)
            left.play_turns(seat, None, 0, drew=False, turns=1)
            while state.playing and state.turn == seat:
                state.apply(choose_by_policy(state))
            turns += 1
            snapshot = tuple(left.hands), tuple(left.pile), left.end
            if snapshot == (state.hands, state.pile, find_open_ends(state.table)):
                same += 1
                assert tuple(left.laid) == state.laid
                assert tuple(left.stock) == state.stock
                assert tuple(left.shown) == state.shown
                assert left.on_table == sum(MASK[one] for one in state.table)
    assert same > 0.85 * turns


def test_sampling_prefers_matching_cards_after_turns():
    game = rummy.start_round("9H KS 5H 2D", then="5C")
    for one in ("9H", "KS", "5H", "2D"):
        rummy.drop_drawn_card(game.do(f"stock, drop {one}"))
    view = game.view()

    def sum_meld_points(imagined):
        rng = Random(5)
        hands = [imagined(view, rng).hands[1] for _ in range(100)]
        return sum(max(list_layouts(hand, find_open_ends(view.table))).points for hand in hands)

    assert sum_meld_points(sample_world) > 1.1 * sum_meld_points(imagine)


def test_worlds_sampled_by_drops_give_same_view():
    for view, _, _ in collect_positions("rummy"):
        if view.turn == view.seat:
            for world in islice(sample_worlds(view, Random(1)), 3):
                assert world.view(view.seat) == view


def test_drop_is_likelier_from_unmatched_hand():
    (turn,) = list_opponent_turns(rummy.draw_and_drop(rummy.start_round("8S", then="5C"), "8S").view())
    others = "2C 2D 4H 6D QH QD KC AH AS"
    apart, together = cards(f"8S JC TD 3H {others}"), cards(f"8S 8C 7S 9S {others}")
    assert turn.compute_log_likelihood(apart) > turn.compute_log_likelihood(together) + 1


def test_keeps_card_that_completes_opponents_pair():
    game = rummy.start_round("9C 9D 9S", then="KD")
    for nine in ("9C", "9D"):
        game.do(f"stock, drop {nine}, take 1")
        game.do(f"drop {rummy.list_legal(game, 'drop')[0]}")
    assert choose_expert_action(game.do("stock")) != "drop 9S"


@pytest.mark.parametrize(("totals", "sure"), [((150, 0), True), ((0, 150), False)])
def test_leader_of_session_avoids_risk(totals, sure):
    view = rummy.start_round(totals=totals).view()
    gamble = (evaluate_points(view, (100, -60)) + evaluate_points(view, (-60, 100))) / 2
    assert (evaluate_points(view, (20, 20)) > gamble) == sure


def test_points_count_in_full_at_level_totals():
    view = rummy.start_round().view()
    assert evaluate_points(view, (20, 15)) == pytest.approx(5, rel=0.01)
