"""Plain text of random positions of every game with every house rule."""

from random import Random

import pytest

from cardtable.plain.action_menu import parse_action
from cardtable.plain.position_text import (
    describe_legal_actions,
    describe_own_hand,
    describe_position,
    describe_previous_trick,
    describe_turn,
    make_action_menu,
)
from cardtable.testing.cases import iter_random_positions
from tests.laws.sessions import CASES

NAMES = ("You", "Ada", "Bo", "Cy", "Dee", "Eve")
SAMPLING_INTERVAL = 24
"""One of this many positions is tested."""


def sample_positions(case):
    """Yield some positions of a session; which ones depends on the case."""
    rng = Random(f"plain {case}")
    return (position for position in iter_random_positions(case, 1) if rng.random() * SAMPLING_INTERVAL < 1)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_position_and_action_in_words(case):
    names = NAMES[: case.seats]
    for position in sample_positions(case):
        for seat in range(case.seats):
            view = position.state.view(seat)
            sentences = [*describe_position(case.game, view, names), *describe_previous_trick(case.game, view, names)]
            assert all(line.isascii() and line.isprintable() and line.endswith(".") for line in sentences)
        if position.state.turn >= 0:
            view = position.state.view(position.state.turn)
            sentences = [
                *describe_turn(case.game, view, names),
                describe_own_hand(case.game, view),
                *describe_legal_actions(case.game, view, names),
            ]
            assert all(line.isascii() and line.isprintable() and line.endswith(".") for line in sentences)
            menu = make_action_menu(case.game, view, names)
            for number, action in menu.numbers.items():
                assert parse_action(str(number), menu) == action
            for action in view.legal:
                assert parse_action(str(action).lower(), menu) == action
                assert parse_action(menu.format_action(action), menu) == action, "the text in the list is understood"
