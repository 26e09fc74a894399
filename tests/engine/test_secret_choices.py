"""Referee of a game in which seats choose at once: order, journal, undo."""

from random import Random

import pytest

from cardtable.engine import journal, replay
from cardtable.engine.cards import iter_cards
from cardtable.engine.journal import ActionLine, UndoLine, VoidLine
from cardtable.engine.referee import IllegalAction, Referee
from cardtable.engine.secret_choices import hide_choice
from tests.toy.blind import GAME, Options, lay_of

HEADER = journal.Header(
    cardtable=3, id="blind", game="blind", created="2026-11-27T00:00:00Z", seed=3, options=Options().to_header(),
    seats=(journal.Occupant("Ann"), journal.Occupant("Bo"), journal.Occupant("Cy")),
)  # fmt: skip


@pytest.fixture
def lines():
    return []


@pytest.fixture
def referee(lines):
    table = Referee(GAME, 3, Options(), 3, lines.append)
    table.advance()
    return table


def reload(lines):
    return replay.load(journal.read(journal.encode(HEADER, lines)), {"blind": GAME})


def lay(referee, seat, number=1):
    """Lay the lowest cards of a seat away."""
    cards = sum(1 << card for card in iter_cards(referee.view(seat).hand)[:number])
    referee.play(seat, lay_of(cards))


def test_each_seat_has_the_turn_in_its_own_view(referee):
    assert referee.list_seats_to_act() == (0, 1, 2)
    for seat in range(3):
        view = referee.view(seat)
        assert (view.turn, view.seat) == (seat, seat)
        assert all(action.cards & view.hand == action.cards for action in view.legal)


def test_seats_choose_in_any_order(referee, lines):
    for seat in (2, 0):
        lay(referee, seat)
        assert referee.view(seat).legal == ()
        assert not any(referee.view(seat).shown)
    assert referee.view(2).turn == referee.turn == 1
    assert [line.seat for line in lines[1:]] == [2, 0]
    lay(referee, 1)
    assert all(referee.view(0).shown)
    assert reload(lines).view(0) == referee.view(0)


def test_nobody_chooses_twice(referee):
    lay(referee, 2)
    with pytest.raises(IllegalAction, match="seat 2 is not to act"):
        lay(referee, 2)


def test_choice_of_another_hand_is_not_legal(referee):
    with pytest.raises(IllegalAction, match="is not legal here"):
        referee.play(1, referee.view(2).legal[0])
    with pytest.raises(IllegalAction, match="is not legal here"):
        referee.apply_line(ActionLine(1, str(referee.view(2).legal[0])))


def test_seat_takes_back_its_own_choice_only(referee, lines):
    lay(referee, 0, 2)
    lay(referee, 2)
    before = referee.view(2)
    referee.take_back_choice(0)
    assert referee.list_seats_to_act() == (0, 1)
    assert (referee.view(0).choice, referee.view(2).choice) == (None, before.choice)
    assert (referee.decisions, referee.undone) == (1, 1)
    assert lines[-1] == UndoLine(decisions=1, seat=0)
    assert reload(lines).view(2) == referee.view(2)
    lay(referee, 0)
    lay(referee, 1)
    assert [cards.bit_count() for cards in referee.view(1).shown] == [1, 1, 1]


def test_nobody_takes_back_choice_of_another_seat(referee):
    lay(referee, 0)
    lay(referee, 2)
    for refused in (lambda: referee.undo(1), lambda: referee.undo(2), lambda: referee.take_back_choice(1)):
        with pytest.raises(IllegalAction):
            refused()


def test_no_undo_once_all_have_chosen(referee):
    referee.apply_line(VoidLine("clock"))
    for _ in range(2):  # the second round has two phases, or one
        referee.advance()
        while any(referee.state.choosing):
            for seat in (2, 1, 0):
                if seat in referee.list_seats_to_act():
                    lay(referee, seat, 2)
            assert referee.compute_undo_distance(0) == 0
            assert referee.explain_undo_refusal(0) == "all players have chosen"
            with pytest.raises(IllegalAction):
                referee.undo(1)


def test_trace_names_the_seats_that_choose(referee):
    lay(referee, 1)
    assert replay.trace_position(3, referee)["choosing"] == (0, 2)


def test_only_some_seats_choose(referee):
    for seat in range(3):
        lay(referee, seat)
    referee.advance()
    assert referee.list_seats_to_act() == (0, 1)
    assert referee.view(2).legal == ()
    assert referee.view(2).choosing == (True, True, False)


def test_sampled_state_guesses_the_choices_of_others(referee):
    lay(referee, 1, 2)
    view = referee.view(0)
    guesses = {GAME.imagine(view, Random(seed)).choice[1] for seed in range(30)}
    assert len(guesses) > 5
    own = referee.view(1)
    assert {GAME.imagine(own, Random(seed)).choice[1] for seed in range(5)} == {own.choice}


def test_open_hand_is_closed_while_its_choice_is_secret(referee):
    lay(referee, 1, 2)
    assert referee.view(1).choice
    assert hide_choice(referee.view(1)) == referee.view(1).public_view()
    assert hide_choice(referee.view(0)) == referee.view(0)
