"""Score sheet of Ten Down with real cards: bids, tricks and the trump suit of each round."""

from operator import add
from typing import Final

from cardtable.engine.game import AnyGame, Seat
from cardtable.games.ten_down import rules
from cardtable.scoring.kit import BiddingSheet, Round, ScoredRound, get_counts


class TenDownSheet(BiddingSheet[rules.Options]):
    RULES = ("room", "hook")
    SEAT_ACTION = "bids and leads first"

    def __init__(self, game: AnyGame, options: rules.Options, seats: int, first_seat: Seat) -> None:
        super().__init__(game, options, seats, first_seat)
        self._taken: tuple[int, ...] = (0,) * seats
        self.end_condition = f"ends after {options.rounds} rounds; then totals are multiplied, the last place's by 1"

    def count_cards(self) -> int:
        return self.options.rounds - self.finished

    def is_hooked(self) -> bool:
        return bool(self.options.hook)

    def score_round(self, entered: Round) -> ScoredRound:
        figures = self._build_figures(entered)
        return ScoredRound(self._build_title(entered), figures, tuple([rules.score_bid(*figure) for figure in figures]))

    def record_round(self, entered: Round) -> None:
        self._taken = tuple(map(add, self._taken, get_counts(entered, "tricks")))

    def compute_ranks(self) -> tuple[int, ...]:
        return rules.compute_places(self.running_totals, self._taken, range(self.seats))

    @property
    def totals(self) -> tuple[int, ...]:
        if not self.is_over:
            return self.running_totals
        return rules.compute_final_totals(self.running_totals, self.compute_ranks())


SHEET: Final = TenDownSheet
