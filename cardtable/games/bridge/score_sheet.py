"""Score sheet of Bridge with real cards: the end of each round, and the points in each hand."""

from collections.abc import Mapping, Sequence
from typing import Final

from cardtable.engine.cards import PACK_36
from cardtable.engine.game import AnyGame, EndingTitle, Seat
from cardtable.games.bridge.rules import actions
from cardtable.games.bridge.rules.actions import TOTAL_LIMIT, Options
from cardtable.scoring.kit import (
    AskedOption,
    ChoiceQuestion,
    CountQuestion,
    Round,
    RoundQuestions,
    ScoredRound,
    Sheet,
    get_choice,
    get_counts,
)

NO_JACKS: Final = "none"
_JACK_COUNT: Final = 4
_MAX_MULTIPLIER: Final = 9
_POINT_UNIT: Final = 5
"""Greatest common divisor of the points of all cards; no card counts exactly this."""
_ENDINGS: Final = (
    AskedOption(actions.ENDED_OUT, "out"),
    AskedOption(actions.ENDED_BY_BRIDGE, "bridge"),
    AskedOption(actions.ENDED_WITHOUT_CARDS, "no card was left to draw"),
)


class BridgeSheet(Sheet[Options]):
    RULES = ("jacks",)
    columns = ("hand", "jacks")
    entry_help = "how it ended and by whom, its last jacks, how often points count, and the points in each hand"
    end_condition = f"ends once a total is above {TOTAL_LIMIT}; exactly {TOTAL_LIMIT} becomes 0; the lowest wins"

    def __init__(self, game: AnyGame, options: Options, seats: int, first_seat: Seat) -> None:
        super().__init__(game, options, seats, first_seat)
        self._starter = first_seat

    def find_round_seat(self, number: int) -> Seat | None:
        if number <= self.finished:
            return self.round_seats[number - 1]
        return self._starter if number == self.finished + 1 else None

    @property
    def is_over(self) -> bool:
        return max(self.running_totals) > TOTAL_LIMIT

    def _list_jack_options(self) -> tuple[AskedOption, ...]:
        allowed = {"choose": ("minus", "plus"), "off": ()}.get(self.options.jacks, (self.options.jacks,))
        every = [(number, sign) for sign in allowed for number in range(1, _JACK_COUNT + 1)]
        signs = {"minus": "−", "plus": "+"}
        some = [
            AskedOption(f"{number} {sign}", f"{signs[sign]}{actions.JACK_POINTS * number}") for number, sign in every
        ]
        return (AskedOption(NO_JACKS, "none"), *some)

    def create_questions(self, chosen: Mapping[str, str]) -> RoundQuestions:
        times = [AskedOption(str(number), f"×{number}") for number in range(1, _MAX_MULTIPLIER + 1)]
        seat_options = [AskedOption(str(seat), str(seat), seat=seat) for seat in self.all_seats]
        choices = [
            ChoiceQuestion("ended", "Ended", _ENDINGS, actions.ENDED_OUT),
            ChoiceQuestion("by", "By", tuple(seat_options)),
        ]
        if len(self._list_jack_options()) > 1 and chosen.get("ended", actions.ENDED_OUT) != actions.ENDED_WITHOUT_CARDS:
            choices.append(ChoiceQuestion("jacks", "Jacks", self._list_jack_options(), NO_JACKS))
        choices.append(ChoiceQuestion("times", "Times", tuple(times), "1"))
        out = chosen.get("by", "") if chosen.get("ended", actions.ENDED_OUT) == actions.ENDED_OUT else ""
        with_cards = tuple([seat for seat in self.all_seats if str(seat) != out])
        row = CountQuestion("hands", "In hand", "points in hand", actions.sum_points(PACK_36), with_cards)
        return RoundQuestions(self.next_seat, "starts", tuple(choices), (row,))

    def find_objection(self, entered: Round) -> str | None:
        hands = get_counts(entered, "hands")
        if any(hand % _POINT_UNIT or hand == _POINT_UNIT for hand in hands):
            return "cards in hand count 10, 15 or 20 each, and 6 to 9 nothing"
        most = actions.sum_points(PACK_36)
        return f"all hands cannot come to more than {most} together" if sum(hands) > most else None

    def _compute_jack_points(self, entered: Round) -> tuple[int, ...]:
        jacks = entered.get("jacks", NO_JACKS)
        number, _, sign = ("0", "", "") if jacks == NO_JACKS else str(jacks).partition(" ")
        return actions.compute_jack_points(self.seats, int(get_choice(entered, "by")), int(number), plus=sign == "plus")

    def score_round(self, entered: Round) -> ScoredRound:
        times = int(get_choice(entered, "times"))
        figures = tuple(zip(get_counts(entered, "hands"), self._compute_jack_points(entered), strict=True))
        points = tuple([times * (hand + jacks) for hand, jacks in figures])
        return ScoredRound(EndingTitle(get_choice(entered, "ended"), times), figures, points)

    def add_to_totals(self, points: Sequence[int]) -> tuple[int, ...]:
        return actions.add_points(self.running_totals, points)

    def record_round(self, entered: Round) -> None:
        totals = self.add_to_totals(self.score_round(entered).points)
        self._starter = actions.find_next_starter(totals, int(get_choice(entered, "by")))


SHEET: Final = BridgeSheet
