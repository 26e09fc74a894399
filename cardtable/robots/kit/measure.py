"""How much a choice is worth, in figures and words: by the score sheet, on which few points may be what wins."""

from dataclasses import dataclass
from typing import Final

from cardtable.engine.contract import AnyGame, View

_EXACT: Final = 10
"""Points from which on tenths are not said."""
WITHIN: Final = "may do as well"
"""Said of a choice that may be as good as the best one, for all that can be told."""


@dataclass(frozen=True, slots=True)
class Measure:
    """How what choices are worth is told in one place.

    What they are worth is how far the seat to act is then ahead of the mean of those who are not on its side, in points
    of the totals, more being better.
    """

    lowest_wins: bool = False
    others: str = "the others"
    """Those whom one is compared with."""
    lasting: bool = False
    """Whether it makes a difference for later rounds, too, and that is counted with it."""

    def figure(self, worth: float) -> float:
        """With the sign of the score sheet: what the seat has more than the others, of points that may be unwanted."""
        return -worth if self.lowest_wins else worth

    @property
    def head(self) -> str:
        """What such figures are, over a column of them."""
        return "in the end" if self.lasting else "vs others" if self.lowest_wins else "ahead"

    @property
    def unit(self) -> str:
        """What such a figure counts, to be said after it."""
        return "points in the end" if self.lasting else f"points against {self.others}"

    def words(self, worth: float) -> str:
        """What it comes to, told of a ``Person``: ``the round puts {them} about 2.1 points ahead of the others``."""
        amount = f"about {_amount(abs(worth))} points"
        if self.lasting:
            return (
                f"it {'gains' if worth > 0 else 'costs'} {amount} in the end"
                if worth
                else "it changes nothing in the end"
            )
        if not worth:
            return f"the round leaves {{them}} level with {self.others}"
        if self.lowest_wins:
            return f"the round gives {{them}} {amount} {'fewer' if worth > 0 else 'more'} than {self.others}"
        return f"the round puts {{them}} {amount} {'ahead of' if worth > 0 else 'behind'} {self.others}"

    def worse(self, gap: float) -> str:
        """By how much something is worse than the best."""
        return f"{_amount(gap)} points worse"


USUAL: Final = Measure()
"""In a game of four in which most points win."""


def measure(game: AnyGame, view: View, *, lasting: bool = False) -> Measure:
    """How it is told in the session of a view."""
    sides, seats = game.sides_of(view), len(view.totals)
    others = "the others" if len(sides) > 2 else "the other" if seats == 2 else "the other side"
    return Measure(game.lowest_wins, others, lasting)


def _amount(points: float) -> str:
    return f"{points:.1f}" if points < _EXACT else f"{points:.0f}"
