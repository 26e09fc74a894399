"""Rules of every game: legality, copies, journals, totals, undo, void rounds."""

import pytest

from cardtable.games import KEYS
from cardtable.testing import session_checks
from cardtable.testing.invariants import add_points
from tests.budgets import get_trials
from tests.laws.sessions import CASES, CASES_BY_GAME, MAX_DECISIONS, get_share

ADD_POINTS = {
    "bridge": lambda _score, total, points: 0 if total + points == 125 else total + points,
    "king": lambda score, total, points: total + score.weight * points,
}
"""Functions that add the points of a score to the totals, in games where this is not a sum."""

every_case = pytest.mark.parametrize("case", CASES, ids=str)


@every_case
def test_options_survive_the_header(case):
    session_checks.check_options(case)


@every_case
def test_states_and_copies(case):
    for seed in range(get_share(get_trials("states"), case)):
        session_checks.check_states(case, seed)


@every_case
def test_robot_soak(case):
    """Whole sessions: checked after every event, reloaded after every tenth action, added up at the end."""
    for seed in range(get_share(get_trials("soak"), case)):
        check_session(case, seed)


def check_session(case, seed):
    session_checks.check_whole_session(case, seed, ADD_POINTS.get(case.game.about.key, add_points))


@every_case
def test_illegal_actions_change_nothing(case):
    for seed in range(get_share(get_trials("illegal"), case)):
        session_checks.check_illegal_actions(case, seed)


@every_case
def test_undo_restores_state_and_stops_at_chance(case):
    for seed in range(get_share(get_trials("undo"), case)):
        session_checks.check_undo(case, seed, MAX_DECISIONS)


@every_case
def test_unseen_drawn_card_limits_undo(case):
    for seed in range(get_share(get_trials("ways back"), case)):
        session_checks.check_undo_distance(case, seed, MAX_DECISIONS)


@every_case
def test_void_round_is_dealt_again_by_the_same_dealer(case):
    for seed in range(get_share(get_trials("void"), case)):
        # in Rifki, the first deal may make known who holds the two of diamonds
        reveals = case.options.to_dict().get("first_declarer") == "2d"
        session_checks.check_void_rounds(case, seed, first_deal_reveals=reveals)


@every_case
def test_unfinished_sessions_are_replayed(case):
    for seed in range(get_share(get_trials("beginnings"), case)):
        session_checks.check_unfinished_sessions(case, seed)


@every_case
def test_no_deal_depends_on_play(case):
    for seed in range(get_trials("deals")):
        session_checks.check_deals(case, seed)


@pytest.mark.parametrize("key", KEYS)
def test_external_randomness_ignores_the_seed(key):
    for seed in range(get_trials("sources")):
        cases = CASES_BY_GAME[key]
        session_checks.check_randomness(cases[seed % len(cases)], seed)


@every_case
def test_forfeit_on_time_needs_a_clock(case):
    for seed in range(get_share(get_trials("clocks"), case)):
        session_checks.check_forfeit(case, seed)
