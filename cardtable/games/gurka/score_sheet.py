"""Score sheet of Gurka with real cards, which asks for the points of the highest cards in the last trick."""

from collections.abc import Mapping
from typing import Final

from cardtable.engine.cards import card
from cardtable.engine.game import LAST_CARD, AnyGame, HighTitle, Seat
from cardtable.games.gurka.rules import Options, scored, worth
from cardtable.scoring.kit.questions import CountQuestion, Round, RoundQuestions
from cardtable.scoring.kit.sheet import ScoredRound, Sheet, counts

LEAST: Final = worth(card("2C"))
MOST: Final = worth(card("AC"))


class GurkaSheet(Sheet[Options]):
    RULES = ("limit",)
    columns = (LAST_CARD,)
    entered = "what the highest card of the last trick counts, for each player who has it"

    def __init__(self, game: AnyGame, options: Options, seats: int, first: Seat) -> None:
        super().__init__(game, options, seats, first)
        self.over_words = f"ends once a total is above {options.limit}; the lowest wins"

    @property
    def ended(self) -> bool:
        return self.options.ended(self.running)

    def next_questions(self, _chosen: Mapping[str, str]) -> RoundQuestions:
        row = CountQuestion("last", "Last cards", "last cards", MOST, self.everybody, default=0)
        return RoundQuestions(self.next_seat, "deals and leads", (), (row,))

    def objection(self, entered: Round) -> str:
        last = counts(entered, "last")
        if 0 < min([value for value in last if value] or [0]) < LEAST:
            return f"a card counts {LEAST} to {MOST}: J 11, Q 12, K 13, A 14"
        return "" if any(last) else "somebody has the highest card: enter what it counts"

    def score_round(self, entered: Round) -> ScoredRound:
        last = counts(entered, "last")
        return ScoredRound(HighTitle(max(last) - LEAST), tuple([(value,) for value in last]), scored(last))


SHEET: Final = GurkaSheet
