"""Score sheet of Bridge with real cards, which asks how the round ended and for the points in each hand."""

from collections.abc import Mapping, Sequence
from typing import Final

from cardtable.engine.cards import PACK_36
from cardtable.engine.game import AnyGame, EndingTitle, Seat
from cardtable.games.bridge.rules import actions
from cardtable.games.bridge.rules.actions import LIMIT, Options
from cardtable.scoring.kit.questions import AskedOption, ChoiceQuestion, CountQuestion, Round, RoundQuestions
from cardtable.scoring.kit.sheet import ScoredRound, Sheet, chosen, counts

NO_JACKS: Final = "none"
_JACKS: Final = 4
_MOST_MULTIPLIER: Final = 9
_STEP: Final = 5
"""Greatest common divisor of the points of all cards; no card counts exactly this."""
_HOW: Final = (
    AskedOption(actions.OUT, "out"),
    AskedOption(actions.CALLED, "bridge"),
    AskedOption(actions.NO_CARDS, "no card was left to draw"),
)


class BridgeSheet(Sheet[Options]):
    RULES = ("jacks",)
    columns = ("hand", "jacks")
    entered = "how it ended and by whom, its last jacks, how often points count, and the points in each hand"
    over_words = f"ends once a total is above {LIMIT}; exactly {LIMIT} becomes 0; the lowest wins"

    def __init__(self, game: AnyGame, options: Options, seats: int, first: Seat) -> None:
        super().__init__(game, options, seats, first)
        self._starter = first

    def turn(self, number: int) -> Seat | None:
        if number <= self.finished:
            return self.round_seats[number - 1]
        return self._starter if number == self.finished + 1 else None

    @property
    def ended(self) -> bool:
        return max(self.running) > LIMIT

    def _jacks(self) -> tuple[AskedOption, ...]:
        allowed = {"choose": ("minus", "plus"), "off": ()}.get(self.options.jacks, (self.options.jacks,))
        every = [(number, sign) for sign in allowed for number in range(1, _JACKS + 1)]
        signs = {"minus": "−", "plus": "+"}
        some = [
            AskedOption(f"{number} {sign}", f"{signs[sign]}{actions.JACK_POINTS * number}") for number, sign in every
        ]
        return (AskedOption(NO_JACKS, "none"), *some)

    def next_questions(self, chosen: Mapping[str, str]) -> RoundQuestions:
        times = [AskedOption(str(number), f"×{number}") for number in range(1, _MOST_MULTIPLIER + 1)]
        who = [AskedOption(str(seat), str(seat), seat=seat) for seat in self.everybody]
        choices = [ChoiceQuestion("ended", "Ended", _HOW, actions.OUT), ChoiceQuestion("by", "By", tuple(who))]
        if len(self._jacks()) > 1 and chosen.get("ended", actions.OUT) != actions.NO_CARDS:
            choices.append(ChoiceQuestion("jacks", "Jacks", self._jacks(), NO_JACKS))
        choices.append(ChoiceQuestion("times", "Times", tuple(times), "1"))
        out = chosen.get("by", "") if chosen.get("ended", actions.OUT) == actions.OUT else ""
        with_cards = tuple([seat for seat in self.everybody if str(seat) != out])
        row = CountQuestion("hands", "In hand", "points in hand", actions.worth(PACK_36), with_cards)
        return RoundQuestions(self.next_seat, "starts", tuple(choices), (row,))

    def objection(self, entered: Round) -> str:
        hands = counts(entered, "hands")
        if any(hand % _STEP or hand == _STEP for hand in hands):
            return "cards in hand count 10, 15 or 20 each, and 6 to 9 nothing"
        most = actions.worth(PACK_36)
        return f"all hands cannot come to more than {most} together" if sum(hands) > most else ""

    def _jack_points(self, entered: Round) -> tuple[int, ...]:
        jacks = entered.get("jacks", NO_JACKS)
        number, _, sign = ("0", "", "") if jacks == NO_JACKS else str(jacks).partition(" ")
        return actions.jack_points(self.seats, int(chosen(entered, "by")), int(number), plus=sign == "plus")

    def score_round(self, entered: Round) -> ScoredRound:
        times = int(chosen(entered, "times"))
        figures = tuple(zip(counts(entered, "hands"), self._jack_points(entered), strict=True))
        points = tuple([times * (hand + jacks) for hand, jacks in figures])
        return ScoredRound(EndingTitle(chosen(entered, "ended"), times), figures, points)

    def summed(self, points: Sequence[int]) -> tuple[int, ...]:
        return actions.add_points(self.running, points)

    def note(self, entered: Round) -> None:
        totals = self.summed(self.score_round(entered).points)
        self._following = actions.next_starter(totals, int(chosen(entered, "by")))

    def add(self, entered: Round) -> None:
        super().add(entered)
        self._starter = self._following


SHEET: Final = BridgeSheet
