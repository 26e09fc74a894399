"""Views survive the way through JSON."""

from itertools import islice

import pytest

from cardtable.engine.value_checks import decode_view, encode_view
from cardtable.testing.cases import iter_random_positions
from tests.laws.sessions import CASES, MAX_DECISIONS


@pytest.mark.parametrize("case", CASES, ids=str)
def test_view_round_trip(case):
    for position in islice(iter_random_positions(case, 1), MAX_DECISIONS):
        for seat in range(case.seats):
            view = position.state.view(seat)
            assert decode_view(case.game, encode_view(view)) == view
