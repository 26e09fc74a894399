"""Pegging: points awarded in the middle of a round, a track for them, passing, and cards in front of the seats."""

from dataclasses import dataclass

from cardtable.engine.cards import BIT, RANK, Card, all_of, iter_cards, mask_of
from cardtable.engine.game import GameInfo, Mark, View, Zone
from cardtable.engine.options import Options as House
from cardtable.engine.passing import PASS, Pass
from cardtable.engine.presentation import hands_seen
from cardtable.engine.round_state import RoundGame, RoundState, deal_hands, with_value
from cardtable.engine.text_format import format_count
from cardtable.engine.tricks import PLAYS, Play

EACH, MOST, GOAL = 4, 31, 11
"""Cards dealt to each seat, largest count, and points that end a session."""

SEATS = (2, 3, 4, 5, 6)


def value_of(c):
    """Ace 1, court cards 10."""
    return 1 if RANK[c] == 12 else min(RANK[c] + 2, 10)


@dataclass(frozen=True, slots=True)
class Options(House):
    pass


class PeggingView(View, frozen=True):
    awarded: tuple[int, ...]
    sizes: tuple[int, ...]
    played: tuple[tuple[Card, ...], ...]
    """Cards that each seat has played in this round."""
    count: int
    passed: tuple[bool, ...]


class PeggingState(RoundState[PeggingView]):
    """Who brings the count to 15 or 31 is awarded 2; after all have passed the count begins again."""

    def clear(self):
        super().clear()
        self.played = ((),) * self.seats
        self.count, self.passed = 0, (False,) * self.seats

    def deal(self, order):
        self.hands, self.turn = deal_hands(order, self.seats, EACH), self.first_seat

    def legal(self):
        fitting = [card for card in iter_cards(self.hands[self.turn]) if self.count + value_of(card) <= MOST]
        return PLAYS.of(mask_of(fitting)) or (PASS,)

    def act(self, action):
        seat = self.turn
        self.turn = (seat + 1) % self.seats
        if isinstance(action, Play):
            self.hands[seat] &= ~BIT[action.card]
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

    def assert_invariants(self):
        played = [mask_of(cards) for cards in self.played]
        assert all_of([*self.hands, *played]).bit_count() in (0, EACH * self.seats)


class Pegging(RoundGame[PeggingView]):
    about = GameInfo("pegging", "Pegging", "count to 31", "to 11", SEATS, 2)
    options = Options
    state = PeggingState
    actions = (Play, Pass)

    def scene(self, view):
        return (
            *hands_seen(view.seat, view.hand, view.sizes),
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


GAME = Pegging()
