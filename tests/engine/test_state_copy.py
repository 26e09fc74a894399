"""Copies of states: every declared field is in the copy, and lists are the copy's own."""

import pytest

from cardtable.engine.game import Game
from cardtable.engine.state_copy import make_copier
from cardtable.games import GAMES
from cardtable.testing.cases import list_cases
from tests.toy.eights import EightsState, Options


class Hands:
    __slots__ = ("hands", "turn")
    hands: list[int]
    turn: int

    def __init__(self):
        self.hands, self.turn = [1, 2], 1


class HandsAndTrick(Hands):
    __slots__ = ("led", "trick")
    trick: "list[int]"

    def __init__(self):
        super().__init__()
        self.trick, self.led = [3], (4,)


class HandsAndNews(Hands):
    """Class without slots of its own, as in other packages."""

    news: list

    def __init__(self):
        super().__init__()
        self.news, self.bids = ["dealt"], (None, 2)


@pytest.mark.parametrize(
    ("kind", "fields", "lists"),
    [
        (Hands, ("hands", "turn"), {"hands"}),
        (HandsAndTrick, ("hands", "turn", "trick", "led"), {"hands", "trick"}),
        (HandsAndNews, ("hands", "turn", "news", "bids"), {"hands", "news"}),
    ],
)
def test_every_field_is_in_the_copy_and_lists_are_its_own(kind, fields, lists):
    original = kind()
    clone = make_copier(kind)(original)
    assert type(clone) is kind
    assert [getattr(clone, name) for name in fields] == [getattr(original, name) for name in fields]
    assert {name for name in fields if getattr(clone, name) is not getattr(original, name)} == lists


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_states_of_the_games_have_no_fields_beside_their_slots(game: Game):
    case = list_cases(game)[0]
    assert not hasattr(game.start(case.seats, case.options), "__dict__")


def test_copy_of_its_own_is_kept_by_subclasses():
    class OwnCopy(EightsState):
        def copy(self):
            return self

    class Derived(OwnCopy):
        pass

    state = Derived(4, Options())
    assert state.copy() is state
