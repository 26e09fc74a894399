"""The scale of hints and reviews: by how many points a choice is better or worse than the best of the others."""

from dataclasses import dataclass
from typing import Final

from cardtable.engine.contract import AnyGame

_EXACT: Final = 10
"""Points from which on tenths are not said."""
CLOSE: Final = "too close to call"
"""Said of a choice that is behind the best one by no more than the error that is shown."""
EQUAL: Final = "just as good"
"""Said of a choice that is exactly as good as the best one."""


@dataclass(frozen=True, slots=True)
class Measure:
    """How the difference between choices is told in one session, always in points of the totals."""

    lowest_wins: bool = False
    lasting: bool = False
    """Whether what a choice leaves for later rounds is counted, too."""

    def figure(self, lead: float) -> float:
        """Return a lead with the sign of the score sheet, on which few points may be what wins."""
        return (-lead if self.lowest_wins else lead) + 0.0

    @property
    def head(self) -> str:
        """Heading of a column of such figures."""
        return "points, fewer win" if self.lowest_wins else "points better"

    @property
    def sentence(self) -> str:
        """Heading of a list in plain lines."""
        fewer = "; fewer points win" if self.lowest_wins else ""
        later = ", later rounds included" if self.lasting else ""
        return f"Points by which each choice is better or worse on average{later}{fewer}"

    @property
    def note(self) -> str:
        """What the figures count besides the round; nothing (``""``) where that is all."""
        return "later rounds included" if self.lasting else ""


USUAL: Final = Measure()
"""In a game in which most points win."""


def measure(game: AnyGame, *, lasting: bool = False) -> Measure:
    """Return how differences are told in a game."""
    return Measure(game.lowest_wins, lasting)


def better(lead: float, *, exact: bool = False, first: bool = False) -> str:
    """Return a difference in words: ``2.1 points better``, ``14 points worse``.

    ``exact``: always in tenths; ``first``: of the best choice, so that even 0 is no worse.
    """
    amount = f"{abs(lead):.1f}" if exact or abs(lead) < _EXACT else f"{abs(lead):.0f}"
    return f"{amount} points {'better' if first or lead > 0 else 'worse'}"
