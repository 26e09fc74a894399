"""How far the levels of robots are apart, in a sentence."""

from cardtable.games import ABOUT, part
from cardtable.robots.kit.levels import Ladder


def apart(key: str) -> str:
    """What each level is worth beside steady in the game of a key; nothing where that was not measured."""
    measured = part(key, "ladder")
    if measured is None:
        return ""
    ladder: Ladder = measured.LADDER
    about = ABOUT[key]
    seats = f" ({about.usual_seats} seats)" if len(about.seats) > 1 else ""
    worse, better = _points(ladder.steady.points), _points(ladder.expert.points)
    return f"Novice {worse} points a round worse than steady, expert {better} better{seats}."


def _points(points: float) -> str:
    return f"{points:.1f}" if points < 9.95 else f"{points:.0f}"
