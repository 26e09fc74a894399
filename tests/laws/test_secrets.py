"""Laws of what a seat sees: a view holds nothing that the seat does not know, nor does what is made of it."""

from collections import Counter
from itertools import islice
from random import Random

import pytest

from cardtable.engine.contract import OVER, covered
from cardtable.games import GAMES
from cardtable.robots.kit.robot import make
from tests.budgets import LONG, tried
from tests.laws import laws
from tests.laws.sessions import CASES, CASES_OF, LOOKED_AT, phase, positions, share_of, step
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
        Seldom(make(level, key)) if level == "expert" else make(level, key) for level, game in ROBOTS if game == key
    ]


@pytest.mark.parametrize("key", GAMES)
def test_hidden_cards_make_no_difference(key):
    """In every phase: worlds that differ in hidden cards give the same view, choice and numbers drawn."""
    robots, pairs = robots_of(key), 0
    for seed in range(MOST_SEEDS):
        pairs += sum(compare_worlds(case, seed, robots) for case in CASES_OF[key])
        if pairs >= PAIRS:
            return
    pytest.fail(f"{pairs} pairs of worlds only")


def compare_worlds(case, seed, robots=()):
    """Each seat's views of the truth, of a guess and of another truth, in every phase of a session; tell how many."""
    rng, met, pairs = Random(f"secrets {case} {seed}"), Counter(), 0
    for position in positions(case, seed):
        now = phase(position.state)
        met[now] += 1
        if met[now] > A_PHASE and rng.random() > 0.02:
            continue
        for seat in range(case.seats):
            guess = laws.guesses_look_like_the_truth(case.game, position.state, seat, rng)
            other = laws.another_truth(case.game, position, seat, rng) if position.state.playing else None
            for world in filter(None, (guess, other)):
                pairs += 1
                look_alike(position.state, world, seat, robots, rng.random())
            laws.guesses_can_be_played_on(guess, rng)
    return pairs


def look_alike(truth, world, seat, robots, seed):
    """The seat, or a robot that sits there, cannot tell the two apart."""
    view, other = truth.view(seat), world.view(seat)
    assert laws.same(view, other), "hidden cards make a difference"
    if truth.turn == seat:
        laws.robots_choose_alike(robots, view, other, seed)


@every_case
def test_pictures_and_words(case):
    """In every position of a session each seat has a picture, refusals and news, without a hidden card."""
    for seed in range(share_of(tried("words"), case)):
        look_and_listen(case, seed)


def look_and_listen(case, seed):
    rng, seats = Random(f"words {case} {seed}"), range(case.seats)
    for state in (position.state for position in islice(positions(case, seed), LOOKED_AT)):
        before = [state.view(seat) for seat in seats]
        for view in before:
            laws.refusals_have_words(case.game, view, rng)
        if state.turn == OVER:
            return
        after = state.copy()
        event = step(after, rng)
        for seat in seats:
            laws.narration_has_words(case.game, event, before[seat], after.view(seat))
        laws.chance_tells_only_what_is_seen(case.game, state, event, rng)


@pytest.mark.parametrize("key", GAMES)
def test_who_only_looks_on_learns_nothing_of_a_hand(key):
    """A covered view is the same in worlds that another seat cannot tell apart, and no news name other cards."""
    rng, case = Random(f"covered {key}"), CASES_OF[key][0]
    for position in positions(case, 0):
        if rng.random() < 0.2:
            look_on(case.game, position.state, rng)


def look_on(game, state, rng):
    seats = range(len(state.totals))
    for other in seats:
        guess = laws.guesses_look_like_the_truth(game, state, other, rng)
        for seat in seats:
            assert laws.same(covered(state.view(seat)), covered(guess.view(seat))), "a covered view tells of a hand"
    if state.turn == OVER:
        return
    after = state.copy()
    event = step(after, rng)
    for seat in seats:
        laws.narration_has_words(game, event, covered(state.view(seat)), covered(after.view(seat)))
