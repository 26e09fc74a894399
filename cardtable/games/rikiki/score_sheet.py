"""Score sheet of Rikiki with real cards: bids, tricks and the trump suit of each round."""

from typing import Any, Final

from cardtable.engine.game import AnyGame, Seat
from cardtable.games.rikiki import rules
from cardtable.scoring.kit.questions import Round
from cardtable.scoring.kit.sheet import BiddingSheet, ScoredRound


class RikikiSheet(BiddingSheet[rules.Options]):
    RULES = ("hook", "length", "bonuses")
    DOES = "deals and bids first"

    def __init__(self, game: AnyGame, options: rules.Options, seats: int, first: Seat) -> None:
        super().__init__(game, options, seats, first)
        self._records = [rules.Record()] * seats
        self.over_words = f"ends after {options.rounds} rounds"

    def cards(self) -> int:
        return self.options.cards()[self.finished]

    def hooked(self) -> bool:
        return bool(self.options.binds(self.cards()))

    def trumps(self) -> bool:
        return bool(self.cards() < max(rules.FULL))

    def score_round(self, entered: Round) -> ScoredRound:
        figures = self._figures(entered)
        bonuses = tuple([earned for _, earned in self._after(entered)])
        if self.options.bonuses == "off":
            bonuses = ((),) * self.seats
        gained = [sum([bonus.points for bonus in earned]) for earned in bonuses]
        points = tuple([rules.scored(bid, won) + more for (bid, won), more in zip(figures, gained, strict=True)])
        return ScoredRound(self._title(entered), figures, points, bonuses)

    def _after(self, entered: Round) -> list[tuple[rules.Record, tuple[Any, ...]]]:
        few, no_trump = self.options.successes_for_few_falls(), not self.trumps()
        done = zip(self._records, self._figures(entered), strict=True)
        return [record.after(bid == won, no_trump, few) for record, (bid, won) in done]

    def note(self, entered: Round) -> None:
        self._records = [record for record, _ in self._after(entered)]


SHEET: Final = RikikiSheet
