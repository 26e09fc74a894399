"""Rules of every game: legality, copies, journals, totals, undo, void rounds."""

import pytest

from cardtable.games import KEYS
from cardtable.testing import session_checks
from cardtable.testing.invariants import add_points
from tests.budgets import tried
from tests.laws.sessions import CASES, CASES_OF, LOOKED_AT, share_of

ADDS = {
    "bridge": lambda _score, total, points: 0 if total + points == 125 else total + points,
    "king": lambda score, total, points: total + score.weight * points,
}
"""Functions that add the points of a score to the totals, in games where this is not a sum."""

every_case = pytest.mark.parametrize("case", CASES, ids=str)


@every_case
def test_options_come_back_from_a_header(case):
    session_checks.check_options(case)


@pytest.mark.promise(
    "For maintainers", "A copy is independent of its state, and every card is in exactly one place after every event."
)
@every_case
def test_states_and_copies(case):
    for seed in range(share_of(tried("states"), case)):
        session_checks.check_states(case, seed)


@pytest.mark.promise(
    "For maintainers", "Sessions end, totals add up, and the journal gives the same state at every line."
)
@every_case
def test_robot_soak(case):
    """Whole sessions: checked after every event, reloaded after every tenth action, added up at the end."""
    for seed in range(share_of(tried("soak"), case)):
        soak(case, seed)


def soak(case, seed):
    session_checks.check_whole_session(case, seed, ADDS.get(case.game.about.key, add_points))


@pytest.mark.promise(
    "For maintainers", "`legal()` alone defines what is legal: any other action raises an error and changes nothing."
)
@every_case
def test_only_what_is_legal_can_be_done(case):
    for seed in range(share_of(tried("illegal"), case)):
        session_checks.check_illegal_actions(case, seed)


@pytest.mark.promise(
    "For maintainers", "Undo gives the previous state; it never goes past chance or a card that was drawn unseen."
)
@every_case
def test_undo_gives_the_state_before_and_never_passes_chance(case):
    for seed in range(share_of(tried("undo"), case)):
        session_checks.check_undo(case, seed, LOOKED_AT)


@pytest.mark.promise(
    "For maintainers", "Undo gives the previous state; it never goes past chance or a card that was drawn unseen."
)
@every_case
def test_nobody_comes_back_to_before_a_card_that_she_drew_unseen(case):
    for seed in range(share_of(tried("ways back"), case)):
        session_checks.check_undo_distance(case, seed, LOOKED_AT)


@pytest.mark.promise("For maintainers", "A void round counts for nothing and is dealt again by the same dealer.")
@every_case
def test_a_void_round_changes_nothing_and_has_the_same_dealer(case):
    for seed in range(share_of(tried("void"), case)):
        # in Rifki, the first deal may make known who holds the two of diamonds
        reveals = case.options.to_dict().get("first_declarer") == "2d"
        session_checks.check_void_rounds(case, seed, first_deal_reveals=reveals)


@every_case
def test_unfinished_sessions_can_be_shown_again(case):
    for seed in range(share_of(tried("beginnings"), case)):
        session_checks.check_unfinished_sessions(case, seed)


@pytest.mark.promise("For maintainers", "No deal depends on play, undo or resuming.")
@every_case
def test_no_deal_depends_on_play(case):
    for seed in range(tried("deals")):
        session_checks.check_deals(case, seed)


@pytest.mark.parametrize("key", KEYS)
def test_chance_from_a_source_is_not_told_by_the_seed(key):
    for seed in range(tried("sources")):
        cases = CASES_OF[key]
        session_checks.check_randomness(cases[seed % len(cases)], seed)


@pytest.mark.promise(
    "For maintainers",
    "A session is lost on time only if the rules have a clock; the round in play then does not count.",
)
@every_case
def test_a_session_is_lost_by_a_clock_where_the_rules_have_one_and_else_not(case):
    for seed in range(share_of(tried("clocks"), case)):
        session_checks.check_forfeit(case, seed)
