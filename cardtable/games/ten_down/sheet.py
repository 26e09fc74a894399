"""Ten Down with real cards: bids, tricks, and which suit was trump."""

from operator import add
from typing import Final

from cardtable.engine.contract import AnyGame, Seat
from cardtable.games.ten_down.rules import scoring
from cardtable.scoring.kit.asked import Round
from cardtable.scoring.kit.bidding_sheet import BiddingSheet
from cardtable.scoring.kit.sheet import Counted, counts


class TenDownSheet(BiddingSheet[scoring.Options]):
    """The score sheet of Ten Down."""

    RULES = ("room", "hook")
    DOES = "bids and leads first"

    def __init__(self, game: AnyGame, options: scoring.Options, seats: int, first: Seat) -> None:
        super().__init__(game, options, seats, first)
        self._taken: tuple[int, ...] = (0,) * seats
        self.over_words = f"ends after {options.rounds} rounds; then totals are multiplied, the last place's by 1"

    def cards(self) -> int:
        return self.options.rounds - self.finished

    def hooked(self) -> bool:
        return self.options.hook == "on"

    def counted(self, entered: Round) -> Counted:
        figures = self._figures(entered)
        return Counted(self._title(entered), figures, tuple([scoring.scored(*each) for each in figures]))

    def note(self, entered: Round) -> None:
        self._taken = tuple(map(add, self._taken, counts(entered, "tricks")))

    def places(self) -> tuple[int, ...]:
        return scoring.placed(self.running, self._taken)

    @property
    def totals(self) -> tuple[int, ...]:
        return scoring.multiplied(self.running, self.places()) if self.ended else self.running


SHEET: Final = TenDownSheet
