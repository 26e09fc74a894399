"""Points of a round by the state, by the robots' rollouts and by the score sheet are equal, under every house rule."""

from dataclasses import dataclass
from random import Random

import pytest

from cardtable.engine import options as house
from cardtable.games import GAMES
from cardtable.games.gurka.rules import GurkaState, Options
from cardtable.robots.kit.robot import load_search_spec
from cardtable.scoring.score_table import get_sheet_class
from cardtable.testing.cases import iter_random_positions, list_cases
from tests.laws.endgames import follow
from tests.laws.sessions import CASES, get_share
from tests.overriding import override
from tests.scoring.tables import play_case_with_entries

LUCK = 1.0
"""Luck of rollouts without random leads (``RULE_LUCK`` of Rikiki)."""
SESSIONS = 20
"""Number of sessions of each game."""
SUITS_NOT_ASKED = ("gurka", "rifki")
"""Games whose sheets do not ask for the suit of a round's title."""


def check_rollouts(case, seed):
    """Check that a rollout scores what the rollout after one of the legal actions does, and at the end the state."""
    search, followed = load_search_spec(case.game.about.key), []
    for state in iter_decisions(case, seed):
        run_rollout = search.rollouts(state.view(state.turn))
        points = tuple(run_rollout(state.copy(), LUCK))
        after = [follow(state, action) for action in state.legal()]
        if any(expected != int(expected) for expected in points) or any(one.turn < 0 and one.playing for one in after):
            continue  # Rummy's value network estimates points, and a shuffle in Bridge depends on luck
        ends = [one for one in after if not one.playing]
        assert all(tuple(run_rollout(end.copy(), LUCK)) == get_points(case, end) for end in ends)
        is_followed = points in [tuple(run_rollout(one, LUCK)) for one in after]
        assert is_followed or not ends, f"{points} are not the points of any last action"
        followed.append(is_followed)
    assert sum(followed) >= 0.9 * len(followed) > 0, "rounding may tell cards apart that are worth the same"


def iter_decisions(case, seed):
    """Yield states in which a seat decides: the last of each round, and a few of the earlier ones."""
    rng, before = Random(seed), None
    for position in iter_random_positions(case, seed):
        if before and (not position.state.playing or rng.random() < 0.03):
            yield before
        has_begun = position.state.turn >= 0 and len(position.events) > 1
        before = position.state.copy() if has_begun else None


def get_points(case, state):
    """Return the points of a finished round as robots value them: without bonuses, and less is worse."""
    sign, score = -1 if case.game.lowest_wins else 1, state.score
    bonuses = [sum(bonus.points for bonus in earned) for earned in score.bonuses or [()] * case.seats]
    return tuple(sign * (points - bonus) for points, bonus in zip(score.points, bonuses, strict=True))


def check_score_sheet(case, seed):
    """Check that a session entered into a score sheet has the points, totals and places of the state."""
    referee, first, rounds = play_case_with_entries(case, seed)
    sheet = get_sheet_class(case.game.about.key)(case.game, case.options, case.seats, first)
    for entered, score in zip(rounds, referee.scores, strict=True):
        sheet.add(entered)
        [*_, scored] = sheet.scores
        assert (scored.points, scored.totals, scored.bonuses) == (score.points, score.totals, score.bonuses)
        assert case.game.about.key in SUITS_NOT_ASKED or scored.title == score.title
    assert (sheet.is_over, sheet.totals, sheet.ranks) == (True, referee.totals, referee.ranks)
    assert sheet.rounds == case.options.rounds


@pytest.mark.parametrize("check", [check_rollouts, check_score_sheet])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_points_of_the_state(case, check):
    for seed in range(get_share(SESSIONS, case)):
        check(case, seed)


@pytest.mark.parametrize("check", [check_rollouts, check_score_sheet])
def test_house_rule_of_the_state_alone(check, monkeypatch):
    """Planted: a house rule of Gurka doubles the last trick, of which the rollouts and the score sheet know nothing."""

    @dataclass(frozen=True, slots=True)
    class DoublingOptions(Options):
        doubled: house.OnOff = house.choice("Whether the last trick counts twice", {"off": "no", "on": "yes"})

    def double_points(state, title, figures, points):
        record_score(state, title, figures, tuple([each * (1 + bool(state.options.doubled)) for each in points]))

    record_score = GurkaState.record_score
    monkeypatch.setattr(GurkaState, "record_score", double_points)
    for case in list_cases(override(GAMES["gurka"], options=DoublingOptions)):
        if case.options.doubled:
            with pytest.raises(AssertionError):
                check(case, 0)
        else:
            check(case, 0)
