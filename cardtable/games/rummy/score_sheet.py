"""Score sheet of Rummy with real cards: points melded and points left in hand."""

from collections.abc import Mapping
from typing import Final

from cardtable.engine.cards import PACK_52
from cardtable.engine.game import AnyGame, EndingTitle, Seat
from cardtable.games.rummy.rules.actions import Options
from cardtable.games.rummy.rules.melds import sum_points
from cardtable.scoring.kit import CountQuestion, Round, RoundQuestions, ScoredRound, Sheet, get_counts

MAX_POINTS: Final = sum_points(PACK_52)


class RummySheet(Sheet[Options]):
    RULES = ("limit",)
    columns = ("melds", "hand")
    entry_help = "the points that each player melded and has left in hand"

    def __init__(self, game: AnyGame, options: Options, seats: int, first_seat: Seat) -> None:
        super().__init__(game, options, seats, first_seat)
        self.end_condition = f"ends once a total is {options.limit} or more and the totals differ; the higher wins"

    @property
    def is_over(self) -> bool:
        return self.finished > 0 and self.options.is_session_over(self.finished, self.running_totals)

    def create_questions(self, _chosen: Mapping[str, str]) -> RoundQuestions:
        rows = [
            CountQuestion(*words, MAX_POINTS, self.all_seats)
            for words in (("melds", "Melded", ""), ("hand", "In hand", ""))
        ]
        return RoundQuestions(self.next_seat, "plays first", (), tuple(rows))

    def find_objection(self, entered: Round) -> str | None:
        together = sum(get_counts(entered, "melds")) + sum(get_counts(entered, "hand"))
        return f"melds and hands cannot come to more than {MAX_POINTS} together" if together > MAX_POINTS else None

    def score_round(self, entered: Round) -> ScoredRound:
        figures = tuple(zip(get_counts(entered, "melds"), get_counts(entered, "hand"), strict=True))
        points = tuple([melds - hand for melds, hand in figures])
        title = EndingTitle("no stock" if all(hand for _, hand in figures) else "out")
        return ScoredRound(title, figures, points)


SHEET: Final = RummySheet
