"""Verdicts on claims of the rest of a round.

The rest of a round can be claimed if every sequence of plays gives the same points. This is tested first in
determinizations of the claiming seat's view, and in the true state only if it holds in all of them, so that a verdict
reveals nothing about hidden cards. Only plays of cards are searched, because offers and similar actions are voluntary.
"""

from enum import Enum
from random import Random
from typing import Final

from cardtable.engine.game import AnyGame, Seat, State, View
from cardtable.engine.tricks import Play

MAX_WORLDS: Final = 200
MIN_WORLDS: Final = 12
"""Minimum number of determinizations to search; up to ``MAX_WORLDS`` are searched if each has few positions."""
MAX_POSITIONS: Final = 4000
"""Maximum number of positions to search in one state."""
POSITION_BUDGET: Final = 20_000
"""Number of positions, in all determinizations together, after which ``MIN_WORLDS`` determinizations are enough."""


class ClaimVerdict(Enum):
    """Verdict on a claim; the value is the message for the player."""

    DECIDED = "Every play gives the same points"
    OPEN = "Can't claim yet: points can still change"
    TOO_LARGE = "Can't claim yet: too many cards are left"


def judge_claim(game: AnyGame, state: State[View], seat: Seat, rng: Random) -> ClaimVerdict:
    """Return the verdict on a claim of ``seat``, which is to act, as far as this seat can know the cards.

    ``state`` is not changed. The verdict is ``OPEN`` if the seat cannot play a card now, or if the game defines no
    ``position_key``.
    """
    view = state.view(seat)
    if state.position_key() is None or not any(isinstance(action, Play) for action in view.legal):
        return ClaimVerdict.OPEN
    counted = 0
    for number in range(MAX_WORLDS):
        if number >= MIN_WORLDS and counted > POSITION_BUDGET:
            break
        result, positions = search_rest(game.imagine(view, rng))
        if result is not ClaimVerdict.DECIDED:
            return result
        counted += positions
    return search_rest(state)[0]


def search_rest(state: State[View], max_positions: int = MAX_POSITIONS) -> tuple[ClaimVerdict, int]:
    """Search all sequences of plays to the end of the round; return the verdict and the number of positions searched.

    The search stops at the first difference in points, or with the verdict ``TOO_LARGE`` after ``max_positions``
    positions. ``state`` is not changed.
    """
    points: tuple[int, ...] | None = None
    finished, visited, pending = state.finished, {state.position_key()}, [state]
    while pending:
        current = pending.pop()
        for action in current.legal():
            if not isinstance(action, Play):
                continue
            following = current.copy()
            following.apply(action)
            if following.finished > finished:
                assert following.score is not None
                if points not in (None, following.score.points):
                    return ClaimVerdict.OPEN, len(visited)
                points = following.score.points
            elif (position := following.position_key()) not in visited:
                if len(visited) == max_positions:
                    return ClaimVerdict.TOO_LARGE, max_positions
                visited.add(position)
                pending.append(following)
    return ClaimVerdict.DECIDED, len(visited)
