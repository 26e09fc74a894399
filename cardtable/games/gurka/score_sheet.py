"""Score sheet of Gurka with real cards: the points of the highest cards in the last trick of each round."""

from collections.abc import Mapping
from typing import Final

from cardtable.engine.cards import card
from cardtable.engine.game import LAST_CARD, AnyGame, HighTitle, Seat
from cardtable.games.gurka.rules import Options, get_card_points, score_last_trick
from cardtable.scoring.kit import CountQuestion, Round, RoundQuestions, ScoredRound, Sheet, get_counts

MIN_CARD_POINTS: Final = get_card_points(card("2C"))
MAX_CARD_POINTS: Final = get_card_points(card("AC"))


class GurkaSheet(Sheet[Options]):
    RULES = ("limit",)
    columns = (LAST_CARD,)
    entry_help = "what the highest card of the last trick counts, for each player who has it"

    def __init__(self, game: AnyGame, options: Options, seats: int, first_seat: Seat) -> None:
        super().__init__(game, options, seats, first_seat)
        self.end_condition = f"ends once a total is above {options.limit}; the lowest wins"

    @property
    def is_over(self) -> bool:
        return self.options.is_session_over(self.running_totals)

    def create_questions(self, _chosen: Mapping[str, str]) -> RoundQuestions:
        row = CountQuestion("last", "Last cards", "last cards", MAX_CARD_POINTS, self.all_seats, default=0)
        return RoundQuestions(self.next_seat, "deals and leads", (), (row,))

    def find_objection(self, entered: Round) -> str | None:
        last = get_counts(entered, "last")
        if 0 < min([value for value in last if value] or [0]) < MIN_CARD_POINTS:
            return f"a card counts {MIN_CARD_POINTS} to {MAX_CARD_POINTS}: J 11, Q 12, K 13, A 14"
        return None if any(last) else "somebody has the highest card: enter what it counts"

    def score_round(self, entered: Round) -> ScoredRound:
        last = get_counts(entered, "last")
        return ScoredRound(
            HighTitle(max(last) - MIN_CARD_POINTS), tuple([(value,) for value in last]), score_last_trick(last)
        )


SHEET: Final = GurkaSheet
