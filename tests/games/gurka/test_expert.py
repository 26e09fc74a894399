"""The expert of Gurka: what a good player is in no doubt about, and rollouts that keep to the rules."""

from random import Random

import pytest

from cardtable.engine.cards import OF_RANK
from cardtable.games import GAMES
from cardtable.games.gurka import expert as gurka
from cardtable.robots.kit.robot import decide, make
from tests.games.gurka.test_rules import dealt, down_to
from tests.notation import Sitting

GAME = GAMES["gurka"]
MIDDLE = sum(OF_RANK[5:9])
"""From 7 to 10."""


def chosen(game, seed=1):
    """What the expert does in the seat that is to act."""
    return str(decide(make("expert", "gurka"), game.view(game.turn), seed, 0))


def middle(seed, seats, **options):
    """A round in the middle, after plays at random."""
    rng, state = Random(seed), GAME.start(seats, GAME.options(seats=seats, **options))
    state.apply(state.lot(rng))
    for _ in range(rng.randrange(5 * seats)):
        state.apply(rng.choice(state.legal()))
    return state


@pytest.mark.parametrize("seats", [4, 6])
@pytest.mark.parametrize("ace_rule", ["any", "led-only", "off"])
@pytest.mark.parametrize("must_head", ["on", "off"])
def test_rollouts_give_the_points_of_what_is_played_by_rule(seats, ace_rule, must_head):
    for seed in range(10):
        state = middle(seed, seats, ace_rule=ace_rule, must_head=must_head)
        points = gurka.rollout(state.copy(), 0.0)
        while state.playing:
            state.apply(gurka.by_rule(state.view(state.turn)))
        assert points == [-lost for lost in state.score.points]


@pytest.mark.parametrize("seats", [4, 6])
@pytest.mark.parametrize("must_head", ["on", "off"])
def test_guessed_worlds_cannot_be_told_from_the_truth(seats, must_head):
    for seed in range(30):
        view = middle(seed, seats, must_head=must_head).view(seed % seats)
        world = gurka.guess(view, Random(seed))
        world.check()
        assert world.view(view.seat) == view


def test_who_leads_its_lowest_cards_is_thought_to_hold_no_middle_ones():
    """Nobody who can get rid of a 9 leads a 2: what such a player has kept is low or high."""
    view = dealt("2C 3C 4C 8H 9H KC AC", "3D 3H 3S 4D 4H 4S 5C").do("play 2C").view(1)

    def middle_cards(imagine):
        rng = Random(3)
        return sum((imagine(view, rng).hands[0] & MIDDLE).bit_count() for _ in range(150))

    assert middle_cards(gurka.guess) < 0.9 * middle_cards(GAME.imagine)


def test_a_rank_is_one_choice():
    view = dealt("2C 2D 9C 9D 9H KC KD").view(0)
    assert sorted(str(action)[-2] for action in gurka.candidates(view)) == ["2", "9", "K"]


def test_the_last_card_that_is_kept_is_the_low_one():
    game = down_to(Sitting("gurka", 4), "4C AC", "2C 2D", "3C 3D", "3H 9D").do("play 9D")
    assert chosen(game) == "play AC"


def test_the_high_card_is_led_and_the_low_one_kept_for_the_end():
    assert chosen(down_to(Sitting("gurka", 4), "3C 3D", "3H 4C", "4D 5C", "2C QC")) == "play QC"
