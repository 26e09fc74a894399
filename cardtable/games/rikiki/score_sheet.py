"""Score sheet of Rikiki with real cards: bids, tricks and the trump suit of each round."""

from typing import Final

from cardtable.engine.game import AnyGame, Bonus, Seat
from cardtable.games.rikiki import rules
from cardtable.scoring.kit import BiddingSheet, Round, ScoredRound


class RikikiSheet(BiddingSheet[rules.Options]):
    RULES = ("hook", "length", "bonuses")
    SEAT_ACTION = "deals and bids first"

    def __init__(self, game: AnyGame, options: rules.Options, seats: int, first_seat: Seat) -> None:
        super().__init__(game, options, seats, first_seat)
        self._records = [rules.Record()] * seats
        self.end_condition = f"ends after {options.rounds} rounds"

    def count_cards(self) -> int:
        return self.options.list_hand_sizes()[self.finished]

    def is_hooked(self) -> bool:
        return self.options.has_hook(self.count_cards())

    def has_trumps(self) -> bool:
        return self.count_cards() < max(rules.FULL_SESSION)

    def score_round(self, entered: Round) -> ScoredRound:
        figures = self._build_figures(entered)
        bonuses = tuple([earned for _, earned in self._add_to_records(entered)])
        if not self.options.bonuses:
            bonuses = ((),) * self.seats
        gained = [sum([bonus.points for bonus in earned]) for earned in bonuses]
        points = tuple([rules.score_bid(bid, won) + more for (bid, won), more in zip(figures, gained, strict=True)])
        return ScoredRound(self._build_title(entered), figures, points, bonuses)

    def _add_to_records(self, entered: Round) -> list[tuple[rules.Record, tuple[Bonus, ...]]]:
        few, no_trump = self.options.get_few_misses_threshold(), not self.has_trumps()
        done = zip(self._records, self._build_figures(entered), strict=True)
        return [record.add_round(bid == won, no_trump, few) for record, (bid, won) in done]

    def record_round(self, entered: Round) -> None:
        self._records = [record for record, _ in self._add_to_records(entered)]


SHEET: Final = RikikiSheet
