"""Fifteens, a game of pegging that awards points in the middle of a round."""

from dataclasses import dataclass

from cardtable.engine import determinization, game
from cardtable.engine.cards import BIT, PACK_52, RANK, Card, mask_of
from cardtable.engine.chance import Deal
from cardtable.engine.game import Game, GameInfo, Zone
from cardtable.engine.log_entries import Dealt, PlayedCard
from cardtable.engine.options import Options as House
from cardtable.engine.round_state import AwardingView, RoundState, deal_hands, points_entries, with_value
from cardtable.engine.tricks import PLAYS, Play

EACH, GOAL = 4, 11


def value_of(c):
    """Ace 1, court cards 10."""
    return 1 if RANK[c] == 12 else min(RANK[c] + 2, 10)


@dataclass(frozen=True, slots=True)
class Options(House):
    pass


class FifteensView(AwardingView, frozen=True):
    sizes: tuple[int, ...]
    pile: tuple[Card, ...]


class FifteensState(RoundState[FifteensView]):
    """Each player plays a card in turn; who brings the count to 15 or 30 is awarded 2; the last card is 1 point."""

    awards_points = True

    def clear(self):
        self.hands, self.pile = (0,) * self.seats, ()

    def deal(self, order):
        self.hands, self.turn = tuple(deal_hands(order, self.seats, EACH)), self.first_seat

    def legal(self):
        return PLAYS.of(self.hands[self.turn])

    def act(self, action):
        seat = self.turn
        self.hands = with_value(self.hands, seat, self.hands[seat] & ~BIT[action.card])
        self.pile = (*self.pile, action.card)
        self.turn = (seat + 1) % self.seats
        if sum(map(value_of, self.pile)) % 15 == 0 and self.award(seat, 2):
            return
        if not any(self.hands):
            self.end_round()

    def score_round(self):
        last = (self.first_seat + len(self.pile) - 1) % self.seats
        return tuple(int(seat == last and not any(self.hands)) for seat in range(self.seats))

    def is_over(self):
        return max(self.totals) >= GOAL

    def view(self, seat):
        return FifteensView(
            **self.common_view_fields(seat),
            options=self.options,
            hand=self.hands[seat],
            awarded=self.awarded,
            sizes=tuple(hand.bit_count() for hand in self.hands),
            pile=self.pile,
        )

    def assert_invariants(self):
        assert game.all_of([*self.hands, mask_of(self.pile)]).bit_count() in (0, EACH * self.seats)


class Fifteens(Game[FifteensState, FifteensView]):
    about = GameInfo("fifteens", "Fifteens", "peg fifteens", "to 11", (2, 3), 2)
    options = Options
    view = FifteensView
    actions = (Play,)
    columns = ()

    def imagine(self, view, rng):
        state = FifteensState(len(view.totals), view.options)
        state.copy_view_fields(view)
        state.pile = view.pile
        if any(view.sizes):
            unseen, voids = PACK_52 & ~(view.hand | mask_of(view.pile)), (0,) * state.seats
            state.hands = tuple(determinization.sample_hands(view.hand, view.seat, unseen, view.sizes, voids, rng))
        return state

    def narrate(self, event, before, after):
        notes = ()
        if isinstance(event, Deal):
            notes = (Dealt(None, after.round, EACH),)
        elif isinstance(event, Play):
            notes = (PlayedCard(before.turn, event.card),)
        return (*notes, *points_entries(before, after))

    def start(self, seats, options):
        return FifteensState(seats, options)

    def scene(self, view):
        return (*game.hands_seen(view.seat, view.hand, view.sizes), Zone("pile", None, view.pile))

    def explain_illegal(self, _view, _chosen):
        return "It is not your turn"


GAME = Fifteens()
