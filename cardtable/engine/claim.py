"""The rest of a round: whether the cards that are left can change its points.

The rest is decided if every way to play on gives the same points.  That is asked of worlds which
who asks cannot tell from the truth before it is asked of the truth, so that no answer tells of
hidden cards.  Only plays of cards count as ways to play on: offers and
the like are made by choice.
"""

from enum import Enum
from random import Random
from typing import Final

from cardtable.engine.game import AnyGame, Seat, State, View
from cardtable.engine.tricks import Play

MOST_WORLDS: Final = 200
FEWEST_WORLDS: Final = 12
"""Worlds that are looked at besides the truth: the more, the fewer positions there are in each."""
MOST_POSITIONS: Final = 4000
"""Positions that are looked at in a world."""
MOST_IN_ALL: Final = 20_000
"""Positions after which the fewest worlds are enough."""


class ClaimVerdict(Enum):
    """What is known of the rest of a round."""

    DECIDED = "Every play gives the same points"
    OPEN = "The rest is not yet decided"
    FAR = "Too many cards are left to try every way"


def verdict(game: AnyGame, state: State[View], seat: Seat, rng: Random) -> ClaimVerdict:
    """Whether ``seat`` can know that the rest is decided; ``state`` is not changed."""
    view = state.view(seat)
    if state.position_key() is None or not any(isinstance(action, Play) for action in view.legal):
        return ClaimVerdict.OPEN
    counted = 0
    for number in range(MOST_WORLDS):
        if number >= FEWEST_WORLDS and counted > MOST_IN_ALL:
            break
        found, positions = settled(game.imagine(view, rng))
        if found is not ClaimVerdict.DECIDED:
            return found
        counted += positions
    return settled(state)[0]


def settled(state: State[View], most: int = MOST_POSITIONS) -> tuple[ClaimVerdict, int]:
    """Whether every way to play on from a state gives the same points, and how many positions were looked at."""
    points: tuple[int, ...] | None = None
    finished, known, ahead = state.finished, {state.position_key()}, [state]
    while ahead:
        here = ahead.pop()
        for action in here.legal():
            if not isinstance(action, Play):
                continue
            then = here.copy()
            then.apply(action)
            if then.finished > finished:
                assert then.score is not None
                if points not in (None, then.score.points):
                    return ClaimVerdict.OPEN, len(known)
                points = then.score.points
            elif (position := then.position_key()) not in known:
                if len(known) == most:
                    return ClaimVerdict.FAR, most
                known.add(position)
                ahead.append(then)
    return ClaimVerdict.DECIDED, len(known)
