"""Pegging: Fifteens with a count to 31, a track for the points, passing, and cards played in front of the seats."""

from dataclasses import dataclass
from random import Random

from msgspec.structs import replace

from cardtable.engine import game
from cardtable.engine.cards import BIT, Card, iter_cards, mask_of
from cardtable.engine.game import Mark, Zone
from cardtable.engine.options import Options as House
from cardtable.engine.passing import PASS, Pass, pass_entry
from cardtable.engine.round_state import AwardingView, RoundGame, with_value
from cardtable.engine.text_format import format_count
from cardtable.engine.tricks import PLAYS, Play
from tests.toy import fifteens
from tests.toy.fifteens import EACH, value_of

MOST, GOAL = 31, 11
"""Largest count, and points that end a session."""
SEATS = (2, 3, 4, 5, 6)


@dataclass(frozen=True, slots=True)
class Options(House):
    pass


class PeggingView(AwardingView, frozen=True):
    sizes: tuple[int, ...]
    played: tuple[tuple[Card, ...], ...]
    """Cards that each seat has played in this round."""
    count: int
    passed: tuple[bool, ...]


class PeggingState(fifteens.FifteensState):
    """31 is worth 2, as is 15; after all have passed the count begins again."""

    public = ("sizes", "played", "count", "passed")

    def clear(self):
        self.hands, self.played = (0,) * self.seats, ((),) * self.seats
        self.count, self.passed = 0, (False,) * self.seats

    def legal(self):
        fitting = [card for card in iter_cards(self.hands[self.turn]) if self.count + value_of(card) <= MOST]
        return PLAYS.of(mask_of(fitting)) or (PASS,)

    def act(self, action):
        seat = self.turn
        self.turn = (seat + 1) % self.seats
        if isinstance(action, Play):
            self.hands = with_value(self.hands, seat, self.hands[seat] & ~BIT[action.card])
            self.played = with_value(self.played, seat, (*self.played[seat], action.card))
            self.count += value_of(action.card)
            if self.count in (15, MOST) and self.award(seat, 2):
                return
        else:
            self.passed = with_value(self.passed, seat, True)
        if not any(self.hands):
            self.end_round()
        elif self.count == MOST or all(self.passed):
            self.count, self.passed = 0, (False,) * self.seats

    def score_round(self):
        return (0,) * self.seats

    def is_over(self):
        return max(self.totals) >= GOAL or self.finished >= 12

    def view(self, seat):
        return self.create_view(PeggingView, seat)

    def determinize(self, view, rng: Random):
        self.copy_view_fields(view)
        self.guess_hands(view, view.sizes, mask_of([card for cards in view.played for card in cards]), rng)
        return self

    def assert_invariants(self):
        played = [mask_of(cards) for cards in self.played]
        assert game.all_of([*self.hands, *played]).bit_count() in (0, EACH * self.seats)


class Pegging(RoundGame[PeggingView]):
    about = replace(fifteens.GAME.about, key="pegging", title="Pegging", summary="count to 31", seats=SEATS)
    options = Options
    state = PeggingState
    view = PeggingView
    actions = (Play, Pass)

    def explain_illegal(self, view, cards):
        return fifteens.GAME.explain_illegal(view, cards)

    def scene(self, view):
        return (
            *game.hands_seen(view.seat, view.hand, view.sizes),
            *[
                Zone(
                    "played",
                    seat,
                    cards,
                    label="Played",
                    summary=f"{format_count(len(cards), 'card')}, {sum(map(value_of, cards))}",
                )
                for seat, cards in enumerate(view.played)
            ],
        )

    def marks(self, view):
        return (
            Mark("count", None, view.count, MOST),
            *[Mark("pegs", seat, total, GOAL) for seat, total in enumerate(view.totals)],
            *[Mark("passed", seat) for seat, passed in enumerate(view.passed) if passed],
        )

    def narrate(self, event, before, after):
        notes = fifteens.GAME.narrate(event, before, after)
        return (pass_entry(before.turn), *notes) if isinstance(event, Pass) else notes


GAME = Pegging()
