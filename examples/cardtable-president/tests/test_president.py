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
    sessions = 1


def state(*hands, **options):
    """Return a state in the first round with these hands, in which seat 0 is to lead."""
    now = PresidentState(len(hands), read(GAME.options, options))
    now.round, now.playing, now.turn = 1, True, 0
    now.hands = tuple([cards(hand) for hand in hands])
    now.played = PACK_52 & ~sum(now.hands)
    return now


def play(now, *moves):
    """Play cards such as ``5C 5D``, or pass."""
    for move in moves:
        now.apply(PASS if move == "pass" else lay(cards(move)))


def choices(now):
    return {str(action).removeprefix("play ") for action in now.legal()}


def test_leads_are_cards_of_one_rank():
    assert choices(state("3C 3D AS", "4C", "5C")) == {"3C", "3D", "3C 3D", "AS"}


@pytest.mark.parametrize(
    ("led", "expected"),
    [("6C", {"7C", "7D", "7H", "2S", "pass"}), ("6C 6D", {"7C 7D", "7C 7H", "7D 7H", "pass"}), ("AC", {"2S", "pass"})],
)
def test_as_many_cards_of_a_higher_rank_are_played(led, expected):
    now = state(f"{led} 3D", "4C 7C 7D 7H 2S", "5C")
    play(now, led)
    assert choices(now) == expected


def test_pile_is_won_when_all_others_pass():
    now = state("3C 5C 6D", "4C 8C", "KC 9D")
    play(now, "3C", "4C", "KC", "pass", "pass")
    assert (now.turn, now.pile) == (2, ())


@pytest.mark.parametrize(("passing", "turn"), [("open", 1), ("closed", 2)])
def test_passing_is_for_a_turn_or_for_the_pile(passing, turn):
    now = state("3C AC 6D", "4C AD 8C", "KC 9D 5D", passing=passing)
    play(now, "3C", "pass", "KC", "AC")
    assert now.turn == turn


def test_players_who_are_out_are_passed_over():
    now = state("3C", "5C 8C", "6C 9C 9D", "7C TC")
    play(now, "3C", "5C", "6C", "7C")
    assert (now.places, now.turn) == ((0,), 1)
    play(now, "8C")
    assert (now.places, now.turn) == ((0, 1), 2)
    play(now, "pass", "pass")
    assert now.turn == 2  # the next player leads for seat 1, which is out


def test_points_follow_the_order_of_being_out():
    now = state("3C", "5C", "6C 9C 9D")
    play(now, "3C", "5C")
    assert now.score.points == (2, 1, 0)
    assert now.previous == (0, 1, 2)


def test_last_player_is_not_out():
    now = state("3C", "5C", "6C 9C 9D")
    play(now, "3C")
    before = now.view(0)
    play(now, "5C")
    told = [note.seat for note in GAME.narrate(lay(cards("5C")), before, now.view(0)) if "out" in str(note)]
    assert told == [1]


def second_round():
    """Return a state in the second round, in which seat 1 is president and seat 0 was last."""
    now = state("3C", "5C", "6C 9C 9D")
    now.previous, now.finished, now.playing = (1, 2, 0), 1, False
    now.apply(Deal(tuple([card(name) for name in names(iter_cards(PACK_52)).split()])))
    return now


def test_last_player_and_president_exchange_two_cards():
    now = second_round()
    rest = now.hands[0] & ~cards("2C 2S")
    assert (now.turn, [str(action) for action in now.legal()]) == (0, ["give 2C 2S"])
    now.apply(give(cards("2C 2S")))
    assert (now.turn, now.hands[1].bit_count(), len(now.legal())) == (1, 19, 19 * 18 // 2)
    now.apply(give(cards("3S 6S")))
    assert now.hands[0] == rest | cards("3S 6S")
    assert (now.turn, now.gifts) == (1, 0)


def test_exchange_is_forgotten_at_the_end_of_the_round():
    now, rng = second_round(), Random(1)
    while now.playing:
        now.apply(rng.choice(now.legal()))
    assert [now.view(seat).swapped for seat in range(3)] == [(0, 0)] * 3


def test_only_the_two_know_the_exchanged_cards():
    now = second_round()
    now.apply(give(cards("2C 2S")))
    now.apply(give(cards("3S 6S")))
    worlds = {seat: [GAME.imagine(now.view(seat), Random(seed)) for seed in range(20)] for seat in range(3)}
    returned, best = cards("3S 6S"), now.swapped[0]
    assert all(world.hands[0] & returned == returned for world in worlds[1])
    assert all(world.hands[1] & best == best for world in worlds[0])
    assert not all(world.hands[0] & returned == returned for world in worlds[2])
    assert now.view(1).public_view().swapped == now.view(2).swapped == (0, 0)
