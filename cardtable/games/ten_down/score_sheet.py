"""Score sheet of Ten Down with real cards: bids, tricks and the trump suit of each round."""

from operator import add
from typing import Final

from cardtable.engine.game import AnyGame, Seat
from cardtable.games.ten_down import rules
from cardtable.scoring.kit.questions import Round
from cardtable.scoring.kit.sheet import BiddingSheet, ScoredRound, counts


class TenDownSheet(BiddingSheet[rules.Options]):
    RULES = ("room", "hook")
    DOES = "bids and leads first"

    def __init__(self, game: AnyGame, options: rules.Options, seats: int, first: Seat) -> None:
        super().__init__(game, options, seats, first)
        self._taken: tuple[int, ...] = (0,) * seats
        self.over_words = f"ends after {options.rounds} rounds; then totals are multiplied, the last place's by 1"

    def cards(self) -> int:
        return self.options.rounds - self.finished

    def hooked(self) -> bool:
        return self.options.hook == "on"

    def score_round(self, entered: Round) -> ScoredRound:
        figures = self._figures(entered)
        return ScoredRound(self._title(entered), figures, tuple([rules.scored(*each) for each in figures]))

    def note(self, entered: Round) -> None:
        self._taken = tuple(map(add, self._taken, counts(entered, "tricks")))

    def places(self) -> tuple[int, ...]:
        return rules.placed(self.running, self._taken)

    @property
    def totals(self) -> tuple[int, ...]:
        return rules.multiplied(self.running, self.places()) if self.ended else self.running


SHEET: Final = TenDownSheet
