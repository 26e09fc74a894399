"""Gurka's expert: rollouts, model of opponents, evident choices."""

from itertools import islice
from random import Random

import pytest

from cardtable.engine.cards import OF_RANK, RANK
from cardtable.games import GAMES
from cardtable.games.gurka import expert as gurka
from cardtable.games.gurka.expert import get_opponent_model
from cardtable.robots.kit.search_spec import make_sampler
from tests.games.gurka.test_rules import deal_round, play_down_to
from tests.notation import ScriptedGame
from tests.robots.positions import choose_expert_action

GAME = GAMES["gurka"]
HIGH = sum(OF_RANK[9:])
"""Cards from the jack up."""


def create_midgame_state(seed, seats, **options):
    """Return a state in the middle of a round, after random plays."""
    rng, state = Random(seed), GAME.start(seats, GAME.options(seats=seats, **options))
    state.apply(state.draw_chance(rng))
    for _ in range(rng.randrange(5 * seats)):
        state.apply(rng.choice(state.legal()))
    return state


def choose_highest(state):
    """Return the legal play of the highest card."""
    return max(state.legal(), key=lambda play: RANK[play.card])


def play_three_tricks(seed, choose_play):
    """Return a round after three tricks in which all seats play by `choose_play`."""
    state = GAME.start(4, GAME.options())
    state.apply(state.draw_chance(Random(seed)))
    for _ in range(12):
        state.apply(choose_play(state))
    return state


def measure_boldness(choose_play):
    """Return the share of opponents sampled as bold, given their hands, after three tricks by `choose_play`."""
    bold_count, rng = 0, Random(1)
    for seed in range(20):
        state = play_three_tricks(seed, choose_play)
        bold_count += sum(
            [len(get_opponent_model(state.view(state.turn)).sample_bold_seats(state.hands, rng)) for _ in range(10)]
        )
    return bold_count / 600


def test_model_recognises_bold_play():
    assert measure_boldness(choose_highest) > 0.8
    assert measure_boldness(lambda state: gurka.choose_by_rule(state.view(state.turn))) < 0.2


@pytest.mark.parametrize("seats", [4, 6])
@pytest.mark.parametrize("must_head", ["on", "off"])
def test_sampled_worlds_give_same_view(seats, must_head):
    for seed in range(10):
        view = create_midgame_state(seed, seats, must_head=must_head).view(seed % seats)
        world = next(gurka.sample_worlds(view, Random(seed)))
        world.assert_invariants()
        assert world.view(view.seat) == view


def test_sampling_leaves_bold_seats_low_cards():
    def count_high_cards(worlds):
        views = [play_three_tricks(seed, choose_highest).view(0) for seed in range(8)]
        hands = [
            world.hands[seat] for view in views for world in islice(worlds(view, Random(3)), 50) for seat in (1, 2, 3)
        ]
        return sum((hand & HIGH).bit_count() for hand in hands)

    assert count_high_cards(gurka.sample_worlds) < 0.85 * count_high_cards(make_sampler(GAME.imagine))


def test_candidates_merge_cards_of_same_rank():
    view = deal_round("2C 2D 9C 9D 9H KC KD").view(0)
    assert sorted(str(action)[-2] for action in gurka.list_candidates(view)) == ["2", "9", "K"]


def test_keeps_low_card_for_last_trick():
    game = play_down_to(ScriptedGame("gurka", 4), "4C AC", "2C 2D", "3C 3D", "3H 9D").do("play 9D")
    assert choose_expert_action(game) == "play AC"


def test_leads_high_card_and_keeps_low_one():
    assert choose_expert_action(play_down_to(ScriptedGame("gurka", 4), "3C 3D", "3H 4C", "4D 5C", "2C QC")) == "play QC"
