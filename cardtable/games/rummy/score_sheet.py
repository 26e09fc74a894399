"""Score sheet of Rummy with real cards: points melded and points left in hand."""

from collections.abc import Mapping
from operator import sub
from typing import Final

from cardtable.engine.cards import PACK_52
from cardtable.engine.game import AnyGame, EndingTitle, Seat
from cardtable.games.rummy.rules.actions import Options
from cardtable.games.rummy.rules.melds import worth
from cardtable.scoring.kit.questions import CountQuestion, Round, RoundQuestions
from cardtable.scoring.kit.sheet import ScoredRound, Sheet, counts

MOST: Final = worth(PACK_52)


class RummySheet(Sheet[Options]):
    RULES = ("limit",)
    columns = ("melds", "hand")
    entered = "the points that each player laid down and has left in hand"

    def __init__(self, game: AnyGame, options: Options, seats: int, first: Seat) -> None:
        super().__init__(game, options, seats, first)
        self.over_words = f"ends once a total is {options.limit} or more and the totals differ; the higher wins"

    @property
    def ended(self) -> bool:
        return self.finished > 0 and self.options.ended(self.finished, self.running)

    def next_questions(self, _chosen: Mapping[str, str]) -> RoundQuestions:
        rows = [
            CountQuestion(*words, MOST, self.everybody) for words in (("melds", "Melded", ""), ("hand", "In hand", ""))
        ]
        return RoundQuestions(self.next_seat, "plays first", (), tuple(rows))

    def objection(self, entered: Round) -> str:
        together = sum(counts(entered, "melds")) + sum(counts(entered, "hand"))
        return f"melds and hands cannot come to more than {MOST} together" if together > MOST else ""

    def score_round(self, entered: Round) -> ScoredRound:
        figures = tuple(zip(counts(entered, "melds"), counts(entered, "hand"), strict=True))
        points = tuple([sub(*each) for each in figures])
        title = EndingTitle("no stock" if all(hand for _, hand in figures) else "out")
        return ScoredRound(title, figures, points)


SHEET: Final = RummySheet
