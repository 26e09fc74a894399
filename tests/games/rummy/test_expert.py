"""The expert of Rummy: what a good player is in no doubt about, rollouts that keep to the rules, likely worlds."""

from itertools import islice
from random import Random

import pytest

from cardtable.engine.cards import cards
from cardtable.engine.game import CHANCE
from cardtable.games import GAMES
from cardtable.games.rummy.expert import evaluate_points, run_rollout
from cardtable.games.rummy.expert.meld_planner import list_layouts
from cardtable.games.rummy.expert.opponent_model import list_opponent_turns, sample_world, sample_worlds
from cardtable.games.rummy.expert.rollouts import RoundSimulation
from cardtable.games.rummy.policy import steady
from cardtable.games.rummy.rules.legal_turns import find_open_ends
from cardtable.games.rummy.rules.melds import MASK
from cardtable.games.rummy.rules.state import imagine
from cardtable.robots.kit.robot import decide, make_robot
from tests.games.rummy import test_rules as rummy
from tests.robots.positions import positions

GAME = GAMES["rummy"]


def chosen(game, seed=1):
    """What the expert does in the seat that is to act."""
    return str(decide(make_robot("expert", "rummy"), game.view(game.turn), seed, 0))


def rounds(number, **options):
    """The first positions of some rounds."""
    for seed in range(number):
        rng, state = Random(seed), GAME.start(2, GAME.options(**options))
        while state.turn == CHANCE:
            state.apply(state.draw_chance(rng))
        yield state


def usual(state):
    """What the rule policy does now."""
    view = state.view(state.turn)
    return view.legal[0] if len(view.legal) == 1 else steady(view, Random(1))


@pytest.mark.parametrize("taken_cards", ["free", "must-keep"])
def test_rollouts_keep_to_the_rules(taken_cards):
    """A turn of a rollout is mostly what the rule policy does, and leaves then what the rules leave."""
    same = turns = 0
    for state in rounds(6, taken_cards=taken_cards):
        while state.playing:
            seat, left = state.turn, RoundSimulation(state)
            left.play_turns(seat, None, 0, drew=False, turns=1)
            while state.playing and state.turn == seat:
                state.apply(usual(state))
            turns += 1
            so_far = tuple(left.hands), tuple(left.pile), left.end
            if so_far == (state.hands, state.pile, find_open_ends(state.table)):
                same += 1
                assert tuple(left.laid) == state.laid
                assert tuple(left.stock) == state.stock
                assert tuple(left.shown) == state.shown
                assert left.on_table == sum(MASK[one] for one in state.table)
    assert same > 0.85 * turns


def test_a_round_that_is_over_counts_as_it_was_scored():
    for state in rounds(2):
        while state.playing:
            state.apply(usual(state))
        assert run_rollout(state, 0.0) == state.score.points


def test_guesses_cannot_be_told_from_the_truth():
    for view, _, _ in positions("rummy"):
        if view.turn == view.seat:
            assert sample_world(view, Random(1)).view(view.seat) == view


def test_who_has_had_some_turns_is_thought_to_hold_what_fits():
    game = rummy.sitting("9H KS 5H 2D", then="5C")
    for one in ("9H", "KS", "5H", "2D"):
        rummy.passed(game.do(f"stock, drop {one}"))
    view = game.view()

    def worth_laying(imagined):
        rng = Random(5)
        hands = [imagined(view, rng).hands[1] for _ in range(100)]
        return sum(max(list_layouts(hand, find_open_ends(view.table))).points for hand in hands)

    assert worth_laying(sample_world) > 1.1 * worth_laying(imagine)


def test_guesses_that_remember_drops_cannot_be_told_from_the_truth_either():
    for view, _, _ in positions("rummy"):
        if view.turn == view.seat:
            for world in islice(sample_worlds(view, Random(1)), 3):
                assert world.view(view.seat) == view


def test_a_drop_is_likelier_of_who_holds_nothing_that_goes_with_it():
    (told,) = list_opponent_turns(rummy.dropped(rummy.sitting("8S", then="5C"), "8S").view())
    others = "2C 2D 4H 6D QH QD KC AH AS"
    apart, together = cards(f"8S JC TD 3H {others}"), cards(f"8S 8C 7S 9S {others}")
    assert told.compute_log_likelihood(apart) > told.compute_log_likelihood(together) + 1


def test_drops_of_who_hurries_tell_nothing():
    game = rummy.sitting("9C 9D 9S 2C", then="5C").do("stock, meld 9C 9D 9S, drop 2C")
    assert not list_opponent_turns(game.view())


def test_goes_out_when_it_can():
    game = rummy.sitting(rummy.QUICK).do("stock")
    while game.table.playing:
        game.do(chosen(game))
    assert game.score.figures[0] == (90, 0)


def test_lays_down_what_it_can_in_the_last_turn():
    game = rummy.sitting("AS AH AD")
    for _ in range(24):
        rummy.passed(game)
    assert chosen(game.do("stock")) == "meld AD AH AS"


def test_drops_no_third_card_to_two_that_the_other_player_took():
    game = rummy.sitting("9C 9D 9S", then="KD")
    for nine in ("9C", "9D"):
        game.do(f"stock, drop {nine}, take 1")
        game.do(f"drop {rummy.legal(game, 'drop')[0]}")
    assert chosen(game.do("stock")) != "drop 9S"


def test_who_knows_that_nobody_can_add_to_it_is_not_caught_with_it():
    game = rummy.sitting("2C 2D 2H 2S JC JD JS")
    for _ in range(20):
        rummy.passed(game)
    assert chosen(game.do("stock")) == "meld 2C 2D 2H 2S"


@pytest.mark.parametrize(("totals", "sure"), [((150, 0), True), ((0, 150), False)])
def test_who_leads_the_session_seeks_what_is_sure(totals, sure):
    view = rummy.sitting(totals=totals).view()
    gamble = (evaluate_points(view, (100, -60)) + evaluate_points(view, (-60, 100))) / 2
    assert (evaluate_points(view, (20, 20)) > gamble) == sure


def test_points_count_in_full_where_nobody_is_far_ahead():
    view = rummy.sitting().view()
    assert evaluate_points(view, (20, 15)) == pytest.approx(5, rel=0.01)
