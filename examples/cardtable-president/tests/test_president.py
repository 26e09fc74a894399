"""President: the invariants of every game, and its own rules."""

from random import Random

import pytest
from cardtable_president import GAME, PresidentState, give, lay

from cardtable.engine.cards import PACK_52, card, cards, iter_cards, names
from cardtable.engine.chance import Deal
from cardtable.engine.options import read
from cardtable.engine.passing import PASS
from cardtable.testing import GameTests


class TestPresident(GameTests):
    game = GAME


def build_state(*hands, **options):
    """Return a state in the first round with these hands, in which seat 0 is to lead."""
    state = PresidentState(len(hands), read(GAME.options, options))
    state.round, state.playing, state.turn = 1, True, 0
    state.hands = [cards(hand) for hand in hands]
    state.played = PACK_52 & ~sum(state.hands)
    return state


def play(state, *moves):
    """Play cards such as ``5C 5D``, or pass."""
    for move in moves:
        state.apply(PASS if move == "pass" else lay(cards(move)))


def choices(state):
    return {str(action).removeprefix("play ") for action in state.legal()}


def test_leads_are_cards_of_one_rank():
    assert choices(build_state("3C 3D AS", "4C", "5C")) == {"3C", "3D", "3C 3D", "AS"}


@pytest.mark.parametrize(
    ("led", "expected"),
    [("6C", {"7C", "7D", "7H", "2S", "pass"}), ("6C 6D", {"7C 7D", "7C 7H", "7D 7H", "pass"}), ("AC", {"2S", "pass"})],
)
def test_as_many_cards_of_a_higher_rank_are_played(led, expected):
    state = build_state(f"{led} 3D", "4C 7C 7D 7H 2S", "5C")
    play(state, led)
    assert choices(state) == expected


def test_pile_is_won_when_all_others_pass():
    state = build_state("3C 5C 6D", "4C 8C", "KC 9D")
    play(state, "3C", "4C", "KC", "pass", "pass")
    assert (state.turn, state.pile) == (2, ())


@pytest.mark.parametrize(("passing", "turn"), [("open", 1), ("closed", 2)])
def test_passing_is_for_a_turn_or_for_the_pile(passing, turn):
    state = build_state("3C AC 6D", "4C AD 8C", "KC 9D 5D", passing=passing)
    play(state, "3C", "pass", "KC", "AC")
    assert state.turn == turn


def test_players_who_are_out_are_passed_over():
    state = build_state("3C", "5C 8C", "6C 9C 9D", "7C TC")
    play(state, "3C", "5C", "6C", "7C")
    assert (state.places, state.turn) == ((0,), 1)
    play(state, "8C")
    assert (state.places, state.turn) == ((0, 1), 2)
    play(state, "pass", "pass")
    assert state.turn == 2  # the next player leads for seat 1, which is out


def test_points_follow_the_order_of_being_out():
    state = build_state("3C", "5C", "6C 9C 9D")
    play(state, "3C", "5C")
    assert state.score.points == (2, 1, 0)
    assert state.previous == (0, 1, 2)


def test_last_player_is_not_out():
    state = build_state("3C", "5C", "6C 9C 9D")
    play(state, "3C")
    before = state.view(0)
    play(state, "5C")
    seats = [note.seat for note in GAME.narrate(lay(cards("5C")), before, state.view(0)) if "out" in str(note)]
    assert seats == [1]


def second_round():
    """Return a state in the second round, in which seat 1 is president and seat 0 was last."""
    state = build_state("3C", "5C", "6C 9C 9D")
    state.previous, state.finished, state.playing = (1, 2, 0), 1, False
    state.apply(Deal(tuple([card(name) for name in names(iter_cards(PACK_52)).split()])))
    return state


def test_last_player_and_president_exchange_two_cards():
    state = second_round()
    rest = state.hands[0] & ~cards("2C 2S")
    assert (state.turn, [str(action) for action in state.legal()]) == (0, ["give 2C 2S"])
    state.apply(give(cards("2C 2S")))
    assert (state.turn, state.hands[1].bit_count(), len(state.legal())) == (1, 19, 19 * 18 // 2)
    state.apply(give(cards("3S 6S")))
    assert state.hands[0] == rest | cards("3S 6S")
    assert (state.turn, state.gifts) == (1, 0)


def test_exchange_is_forgotten_at_the_end_of_the_round():
    state, rng = second_round(), Random(1)
    while state.playing:
        state.apply(rng.choice(state.legal()))
    assert [state.view(seat).swapped for seat in range(3)] == [()] * 3


def test_only_the_two_know_the_exchanged_cards():
    state = second_round()
    state.apply(give(cards("2C 2S")))
    state.apply(give(cards("3S 6S")))
    worlds = {seat: [GAME.imagine(state.view(seat), Random(seed)) for seed in range(20)] for seat in range(3)}
    returned, best = cards("3S 6S"), state.exchanged[0]
    assert all(world.hands[0] & returned == returned for world in worlds[1])
    assert all(world.hands[1] & best == best for world in worlds[0])
    assert not all(world.hands[0] & returned == returned for world in worlds[2])
    assert state.view(1).public_view().swapped == state.view(2).swapped == ()
