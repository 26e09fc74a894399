"""Checks of views from another program: all views of the games pass them, and impossible seats and cards do not."""

from itertools import islice

import pytest
from msgspec.structs import replace

from cardtable.engine.cards import CARDS
from cardtable.engine.log_entries import MadePoints, PlayedCard, Said, TookTrick
from cardtable.engine.tricks import Play
from cardtable.engine.value_checks import MAX_NUMBER, MAX_TEXT_LENGTH, decode_view, encode_view, find_invalid_field
from cardtable.games import GAMES, KEYS
from cardtable.testing.cases import iter_random_positions, list_cases
from tests.notation import ScriptedGame


@pytest.mark.parametrize("key", KEYS)
def test_views_of_sessions_are_valid_and_survive_json(key):
    for case in list_cases(GAMES[key]):
        for position in islice(iter_random_positions(case, 1), 0, 500, 10):
            for view in [position.state.view(seat) for seat in range(case.seats)]:
                assert decode_view(GAMES[key], encode_view(view)) == view
                assert not find_invalid_field(view, case.seats)
                assert not find_invalid_field(view.public_view(), case.seats)


def create_rikiki_view():
    game = ScriptedGame("rikiki", 4).deal("AS", "KS", "QS", "JS", number=1)
    return game.table.state.view(game.table.turn)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("seat", 4),
        ("turn", -3),
        ("round", MAX_NUMBER + 1),
        ("hand", 1 << len(CARDS)),
        ("hand", -1),
        ("drawn", len(CARDS)),
        ("legal", (Play(-1),)),
        ("totals", (0, 0, 0)),
        ("trick", (len(CARDS),)),
        ("played", (0, 0, 0, -1)),
        ("bids", (1, None, None, MAX_NUMBER + 1)),
        ("bids", (1,)),
        ("trump", 4),
        ("trump_card", -1),
        ("past", ((len(CARDS),),)),
    ],
)
def test_impossible_value_in_view_is_found(field, value):
    view = create_rikiki_view()
    assert not find_invalid_field(view, 4)
    assert find_invalid_field(replace(view, **{field: value}), 4) == field


@pytest.mark.parametrize(
    ("note", "field"),
    [
        (PlayedCard(4, 0), "seat"),
        (PlayedCard(0, len(CARDS)), "card"),
        (TookTrick(0, cards=(-1,)), "cards"),
        (MadePoints(0, 1, 1, partners=(2, 4)), "partners"),
        (Said(0, "A" * (MAX_TEXT_LENGTH + 1)), "text"),
    ],
)
def test_impossible_value_in_log_entry_is_found(note, field):
    assert find_invalid_field(note, 4) == field
