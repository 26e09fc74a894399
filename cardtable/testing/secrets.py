"""What a seat sees holds nothing that it does not know: worlds that differ in hidden cards are compared."""

from collections import Counter
from collections.abc import Iterable
from random import Random

from cardtable.engine.contract import OVER, AnyGame, Seat
from cardtable.robots.kit.robot import Robot
from cardtable.testing import laws
from cardtable.testing.laws import AnyState
from cardtable.testing.sessions import Case, phase, positions, step


def compare_worlds(case: Case, seed: int, robots: Iterable[Robot] = (), of_a_phase: int = 3) -> int:
    """Each seat's views of the truth, of a guess and of another truth, in every phase of a session; tell how many.

    ``of_a_phase``: positions of each phase that are looked at in any case, and few of those after them.
    """
    rng, pairs = Random(f"secrets {case} {seed}"), 0
    met: Counter[str] = Counter()
    for position in positions(case, seed):
        now = phase(position.state)
        met[now] += 1
        if met[now] > of_a_phase and rng.random() > 0.02:
            continue
        for seat in range(case.seats):
            guess = laws.guesses_look_like_the_truth(case.game, position.state, seat, rng)
            other = laws.another_truth(case.game, position, seat, rng) if position.state.playing else None
            for world in filter(None, (guess, other)):
                pairs += 1
                look_alike(position.state, world, seat, robots, rng.random())
            laws.guesses_can_be_played_on(guess, rng)
    return pairs


def look_alike(truth: AnyState, world: AnyState, seat: Seat, robots: Iterable[Robot], seed: float) -> None:
    """The seat, or a robot that sits there, cannot tell the two apart."""
    view, other = truth.view(seat), world.view(seat)
    assert laws.same(view, other), "hidden cards make a difference"
    if truth.turn == seat:
        laws.robots_choose_alike(robots, view, other, seed)


def look_on(game: AnyGame, state: AnyState, rng: Random) -> None:
    """A covered view is the same in worlds that another seat cannot tell apart, and no news name other cards."""
    seats = range(len(state.totals))
    for other in seats:
        guess = laws.guesses_look_like_the_truth(game, state, other, rng)
        for seat in seats:
            assert laws.same(state.view(seat).covered(), guess.view(seat).covered()), "a covered view tells of a hand"
    if state.turn == OVER:
        return
    after = state.copy()
    event = step(after, rng)
    for seat in seats:
        laws.narration_has_words(game, event, state.view(seat).covered(), after.view(seat).covered())
