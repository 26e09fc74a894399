"""The score with real cards of a game that has no sheet: the points of each seat, or each side, round after round."""

from collections.abc import Mapping
from typing import Final

from cardtable.engine.contract import AnyGame, Seat
from cardtable.engine.errors import GameFailed
from cardtable.engine.options import Options
from cardtable.engine.titles import EndingTitle
from cardtable.scoring.kit.asked import Asked, AskedCount, Round
from cardtable.scoring.kit.sheet import Counted, Sheet, counts

MOST: Final = 999
_NOT_ASKED: Final = ("round_clock", "open_hands")
"""House rules of every game, which no score depends on."""


class UsualSheet(Sheet[Options]):
    """The score sheet of a game that says when a session is over."""

    columns = ()

    def __init__(self, game: AnyGame, options: Options, seats: int, first: Seat) -> None:
        super().__init__(game, options, seats, first)
        self._begun = game.start(seats, options)
        who = "player" if len(self.sides) == seats else "side, under the first of its players"
        self.entered = f"the points of each {who}; those below 0 with - before them"
        best = "lowest" if game.lowest_wins else "highest"
        self.over_words = f"ends as the rules say; the {best} total wins"

    @classmethod
    def asks(cls, rule: str) -> bool:
        return rule not in _NOT_ASKED

    @property
    def ended(self) -> bool:
        return bool(self._begun.would_be_over(self.finished, self.running))

    def asked(self, _chosen: Mapping[str, str]) -> Asked:
        firsts = tuple([side[0] for side in self.sides])
        row = AskedCount("points", "Points", "points", MOST, firsts, blank=0, signed=True)
        return Asked(self.who, "deals", (), (row,))

    def counted(self, entered: Round) -> Counted:
        found = counts(entered, "points")
        of_side = {seat: found[side[0]] for side in self.sides for seat in side}
        return Counted(EndingTitle(""), ((),) * self.seats, tuple([of_side[seat] for seat in self.everybody]))


def fits(game: AnyGame) -> bool:
    """Whether a game says when a session is over, so that it can be scored so."""
    try:
        options, seats = game.options(), game.about.usual_seats
        return game.start(seats, options.for_seats(seats)).would_be_over(0, (0,) * seats) is not None
    except GameFailed:
        return False
