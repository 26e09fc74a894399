"""The end of rounds and sessions can be painted in every game, and a fault there is found."""

import pytest

from cardtable.testing.cases import Case
from cardtable.testing.table_checks import check_round_ends
from tests.laws.sessions import CASES
from tests.overriding import override
from tests.toy import layaway


@pytest.mark.parametrize("case", [case for case in CASES if case.options == case.game.options()], ids=str)
def test_ends_are_painted(case):
    check_round_ends(case, 0)


def fail_after_a_round(view):
    return None if view.playing else 1 // 0


@pytest.mark.parametrize(
    ("changed", "error"),
    [({"columns": ("taken", "more")}, ValueError), ({"timed_out": fail_after_a_round}, ZeroDivisionError)],
)
def test_fault_at_the_end_of_a_round_is_found(changed, error):
    game = override(layaway.GAME, **changed)
    with pytest.raises(error):
        check_round_ends(Case(game, 3, game.options()), 0)
