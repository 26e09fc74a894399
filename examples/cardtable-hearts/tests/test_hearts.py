"""Hearts: the invariants of every game, and its own rules."""

from random import Random

import pytest
from cardtable_hearts import GAME, HEARTS, MOON, PASSES, QUEEN, Options, Pass, pass_of

from cardtable.engine.cards import OF_SUIT, SUIT, card, cards
from cardtable.engine.game import CHANCE, OVER
from cardtable.engine.journal import ActionLine
from cardtable.engine.referee import Referee
from cardtable.testing import GameTests


class TestHearts(GameTests):
    game = GAME


def build_state(*hands):
    """Return a state in the fourth round, in which nothing is passed, with these hands."""
    state = GAME.start(4, Options())
    state.round, state.playing = 4, True
    state.dealt = state.hands = tuple([cards(hand) for hand in hands])
    state.turn = state.leader = 0
    return state


def playable(hand, trick="", *, first=False, hearts_played=False):
    """Return the cards that may be played from a hand to a trick."""
    state = build_state(hand, "", "", "")
    state.trick = tuple([card(word) for word in trick.split()])
    state.led = OF_SUIT[SUIT[state.trick[0]]] if state.trick else 0
    state.won = (0, 0, 0, 0) if first else (1, 0, 0, 0)
    played = "2H" if hearts_played else "3C"
    state.dealt = (state.hands[0], cards(played), 0, 0)
    return " ".join(str(action).removeprefix("play ") for action in state.legal())


@pytest.mark.parametrize(
    ("hand", "trick", "situation", "expected"),
    [
        ("5C AD KH", "2C", {}, "5C"),
        ("AD KH QS", "2C", {}, "AD KH QS"),
        ("AD KH QS", "2C", {"first": True}, "AD"),
        ("KH QS", "2C", {"first": True}, "KH QS"),
        ("5C KH", "", {}, "5C"),
        ("5C KH", "", {"hearts_played": True}, "5C KH"),
        ("3H KH", "", {}, "3H KH"),
    ],
)
def test_playable_cards(hand, trick, situation, expected):
    assert playable(hand, trick, **situation) == expected


@pytest.mark.parametrize(
    ("taken", "points"),
    [
        (("2H 3H", "QS", "", ""), (2, 13, 0, 0)),
        (("", "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH QS", "", ""), (26, 0, 26, 26)),
    ],
)
def test_points(taken, points):
    state = build_state("", "", "", "")
    state.taken = [cards(names) for names in taken]
    assert state.score_round() == points


def test_direction_of_passing():
    rng, state, seen = Random(5), GAME.start(4, Options()), []
    while len(seen) < 4 and state.turn != OVER:
        if state.turn == CHANCE:
            state.apply(state.draw_chance(rng))
            before = state.hands
            while any(state.choosing):
                assert len(state.legal()) == 286
                state.apply(rng.choice(state.legal()))
            seen.append([_receiver(before, state.hands, seat) for seat in range(4)])
        else:
            state.apply(rng.choice(state.legal()))
    assert seen == [[(seat + distance) % 4 if distance else None for seat in range(4)] for distance, _ in PASSES]


def _receiver(before, after, seat):
    """Return the seat that received cards of ``seat``; None if ``seat`` still has all its cards."""
    gone = before[seat] & ~after[seat]
    return next((other for other in range(4) if gone and gone & after[other] == gone), None)


def play_to_passing(round_):
    """Return a referee of a session in this round, before anybody has passed."""
    table = Referee(GAME, 4, Options(), 5)
    table.advance()
    while table.round < round_:
        while table.playing:
            table.play(table.turn, table.view(table.turn).legal[0])
        table.advance()
    return table


@pytest.mark.parametrize("order", [(1, 2, 3, 0), (3, 0, 2, 1)])
def test_cards_are_passed_in_any_order(order):
    table = play_to_passing(2)
    choices = [table.view(seat).legal[-1] for seat in range(4)]
    for seat in order:
        table.apply_line(ActionLine(seat, str(choices[seat])))  # the first version began with the first seat
    assert not any(table.view(0).choosing)
    for seat in range(4):
        assert table.view((seat + 3) % 4).hand & choices[seat].cards == choices[seat].cards


def test_passed_cards_leave_the_hand_on_the_screen():
    table = play_to_passing(1)
    table.play(2, table.view(2).legal[0])
    zones = {(zone.name, zone.seat): zone.cards for zone in GAME.scene(table.view(2))}
    assert (len(zones["hand", 2]), len(zones["passing", 2])) == (10, 3)
    assert ("passing", 2) not in {(zone.name, zone.seat) for zone in GAME.scene(table.view(1))}


def test_only_giver_knows_passed_cards():
    rng, state = Random(3), GAME.start(4, Options())
    state.apply(state.draw_chance(rng))
    first = state.turn
    passed = state.legal()[0].cards
    for _ in range(4):
        state.apply(state.legal()[0])
    left = (first + 1) % 4
    worlds = [GAME.imagine(state.view(first), Random(seed)) for seed in range(20)]
    assert all(world.hands[left] & passed == passed for world in worlds)
    others = [GAME.imagine(state.view((first + 2) % 4), Random(seed)) for seed in range(20)]
    assert not all(world.hands[left] & passed == passed for world in others)


def test_pass_is_cached_and_formatted():
    three = cards("QS AH KH")
    assert pass_of(three) is pass_of(three)
    assert str(Pass(three)) == "pass KH AH QS"
    assert (HEARTS | QUEEN).bit_count() + 12 == MOON
