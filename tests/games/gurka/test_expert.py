"""The expert of Gurka: what a good player is in no doubt about, and rollouts that keep to the rules."""

from itertools import islice
from random import Random

import pytest

from cardtable.engine.cards import OF_RANK, RANK
from cardtable.games import GAMES
from cardtable.games.gurka import expert as gurka
from cardtable.games.gurka.expert.opponent_model import get_opponent_model
from cardtable.robots.kit.robot import decide, make_robot
from cardtable.robots.kit.search import make_sampler
from tests.games.gurka.test_rules import dealt, down_to
from tests.notation import ScriptedGame

GAME = GAMES["gurka"]
HIGH = sum(OF_RANK[9:])
"""From the jack on."""


def chosen(game, seed=1):
    """What the expert does in the seat that is to act."""
    return str(decide(make_robot("expert", "gurka"), game.view(game.turn), seed, 0))


def middle(seed, seats, **options):
    """A round in the middle, after plays at random."""
    rng, state = Random(seed), GAME.start(seats, GAME.options(seats=seats, **options))
    state.apply(state.draw_chance(rng))
    for _ in range(rng.randrange(5 * seats)):
        state.apply(rng.choice(state.legal()))
    return state


@pytest.mark.parametrize("seats", [4, 6])
@pytest.mark.parametrize("ace_rule", ["any", "led-only", "off"])
@pytest.mark.parametrize("must_head", ["on", "off"])
def test_rollouts_give_the_points_of_what_is_played_by_rule(seats, ace_rule, must_head):
    for seed in range(10):
        state = middle(seed, seats, ace_rule=ace_rule, must_head=must_head)
        points = gurka.play_out(state.copy(), bold=())
        while state.playing:
            state.apply(gurka.choose_by_rule(state.view(state.turn)))
        assert points == [-lost for lost in state.score.points]


def highest(state):
    """The play of the highest card that may be played."""
    return max(state.legal(), key=lambda play: RANK[play.card])


@pytest.mark.parametrize("must_head", ["on", "off"])
def test_rollouts_give_the_points_of_what_is_played_boldly(must_head):
    for seed in range(10):
        state = middle(seed, 4, must_head=must_head)
        points = gurka.play_out(state.copy(), bold=range(4))
        while state.playing:
            state.apply(highest(state))
        assert points == [-lost for lost in state.score.points]


def after_three_tricks(seed, plays):
    """A round in which all have played so."""
    state = GAME.start(4, GAME.options())
    state.apply(state.draw_chance(Random(seed)))
    for _ in range(12):
        state.apply(plays(state))
    return state


def bold(plays):
    """How often the others are held for bold after three tricks in which all play so, if their hands were known."""
    found, rng = 0, Random(1)
    for seed in range(20):
        state = after_three_tricks(seed, plays)
        found += sum(
            [len(get_opponent_model(state.view(state.turn)).sample_bold_seats(state.hands, rng)) for _ in range(10)]
        )
    return found / 600


def test_who_plays_its_highest_cards_is_held_for_bold():
    assert bold(highest) > 0.8
    assert bold(lambda state: gurka.choose_by_rule(state.view(state.turn))) < 0.2


@pytest.mark.parametrize("seats", [4, 6])
@pytest.mark.parametrize("must_head", ["on", "off"])
def test_guessed_worlds_cannot_be_told_from_the_truth(seats, must_head):
    for seed in range(30):
        view = middle(seed, seats, must_head=must_head).view(seed % seats)
        world = next(gurka.sample_worlds(view, Random(seed)))
        world.assert_invariants()
        assert world.view(view.seat) == view


def test_who_plays_its_highest_cards_is_thought_to_have_low_ones_left():
    def high_cards(worlds):
        views = [after_three_tricks(seed, highest).view(0) for seed in range(8)]
        found = [
            world.hands[seat] for view in views for world in islice(worlds(view, Random(3)), 50) for seat in (1, 2, 3)
        ]
        return sum((hand & HIGH).bit_count() for hand in found)

    assert high_cards(gurka.sample_worlds) < 0.85 * high_cards(make_sampler(GAME.imagine))


def test_a_rank_is_one_choice():
    view = dealt("2C 2D 9C 9D 9H KC KD").view(0)
    assert sorted(str(action)[-2] for action in gurka.list_candidates(view)) == ["2", "9", "K"]


def test_the_last_card_that_is_kept_is_the_low_one():
    game = down_to(ScriptedGame("gurka", 4), "4C AC", "2C 2D", "3C 3D", "3H 9D").do("play 9D")
    assert chosen(game) == "play AC"


def test_the_high_card_is_led_and_the_low_one_kept_for_the_end():
    assert chosen(down_to(ScriptedGame("gurka", 4), "3C 3D", "3H 4C", "4D 5C", "2C QC")) == "play QC"
