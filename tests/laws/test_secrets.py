"""Laws of what a seat sees: a view holds nothing that the seat does not know, nor does what is made of it."""

from collections import Counter
from random import Random

import pytest

from cardtable.games import GAMES
from cardtable.robots.kit.robot import make_robot
from cardtable.testing import invariants, session_checks
from cardtable.testing.cases import iter_random_positions
from tests.budgets import LONG, tried
from tests.laws.sessions import CASES, CASES_OF, LOOKED_AT, share_of
from tests.robots.positions import ROBOTS

PAIRS = tried("pairs")
"""Pairs of worlds a game, at least."""
MOST_SEEDS = PAIRS // 10
"""Sessions of each case that are enough for them."""
A_PHASE = 8 if LONG else 3
"""Pairs of worlds of each phase in each way to play, at least, if there are so many."""
A_THOUGHT = 20
"""One pair of so many is shown to an expert, which thinks long, and in any case the first ones of each phase."""
FIRST_THOUGHTS = max(PAIRS // 250, 2)

every_case = pytest.mark.parametrize("case", CASES, ids=str)


class Seldom:
    """An expert that is asked about few pairs of worlds, and for the others takes what comes first."""

    def __init__(self, robot):
        self.robot, self.asked = robot, Counter()

    def choose(self, view, rng, stop):
        kinds = frozenset(str(action).partition(" ")[0] for action in view.legal)
        pair = self.asked[kinds] // 2
        self.asked[kinds] += 1
        if pair < FIRST_THOUGHTS or pair % A_THOUGHT == 0:
            return self.robot.choose(view, rng, stop)
        return view.legal[0]


def robots_of(key):
    return [
        Seldom(make_robot(level, key)) if level == "expert" else make_robot(level, key)
        for level, game in ROBOTS
        if game == key
    ]


@pytest.mark.promise(
    "For maintainers",
    "A view holds only what its seat knows; hidden cards change no view, determinization, robot or random draw.",
)
@pytest.mark.parametrize("key", GAMES)
def test_hidden_cards_make_no_difference(key):
    """In every phase: worlds that differ in hidden cards give the same view, choice and numbers drawn."""
    robots, pairs = robots_of(key), 0
    for seed in range(MOST_SEEDS):
        pairs += sum(invariants.compare_worlds(case, seed, robots, A_PHASE) for case in CASES_OF[key])
        if pairs >= PAIRS:
            return
    pytest.fail(f"{pairs} pairs of worlds only")


@pytest.mark.promise("For maintainers", "Pictures and sentences show each card at most once, and no hidden card.")
@every_case
def test_pictures_and_words(case):
    """In every position of a session each seat has a picture, refusals and news, without a hidden card."""
    for seed in range(share_of(tried("words"), case)):
        session_checks.check_zones_and_texts(case, seed, LOOKED_AT)


@pytest.mark.promise("Hot seat and hidden cards", "A spectator learns nothing about any hand.")
@pytest.mark.parametrize("key", GAMES)
def test_who_only_looks_on_learns_nothing_of_a_hand(key):
    """A covered view is the same in worlds that another seat cannot tell apart, and no news name other cards."""
    rng, case = Random(f"covered {key}"), CASES_OF[key][0]
    for position in iter_random_positions(case, 0):
        if rng.random() < 0.2:
            invariants.assert_public_view_safe(case.game, position.state, rng)
