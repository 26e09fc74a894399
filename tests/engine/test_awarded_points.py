"""Points awarded in the middle of a round: Fifteens, a game of pegging, obeys the laws of every game."""

from dataclasses import dataclass
from random import Random

import pytest

from cardtable.engine import determinization, game
from cardtable.engine.cards import BIT, PACK_52, RANK, Card, card, mask_of
from cardtable.engine.chance import Deal
from cardtable.engine.game import CHANCE, OVER, Game, GameInfo, Zone
from cardtable.engine.log_entries import Dealt, MadePoints, PlayedCard
from cardtable.engine.options import Options as House
from cardtable.engine.round_state import AwardingView, RoundState, deal_hands, points_entries, with_value
from cardtable.engine.tricks import PLAY, PLAYS, Play
from cardtable.testing import GameTests

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


def imagine(view, rng):
    state = FifteensState(len(view.totals), view.options)
    state.copy_view_fields(view)
    state.pile = view.pile
    if any(view.sizes):
        unseen, voids = PACK_52 & ~(view.hand | mask_of(view.pile)), (0,) * state.seats
        state.hands = tuple(determinization.sample_hands(view.hand, view.seat, unseen, view.sizes, voids, rng))
    return state


def narrate(event, before, after):
    notes = ()
    if isinstance(event, Deal):
        notes = (Dealt(None, after.round, EACH),)
    elif isinstance(event, Play):
        notes = (PlayedCard(before.turn, event.card),)
    return (*notes, *points_entries(before, after))


FIFTEENS = Game(
    about=GameInfo("fifteens", "Fifteens", "peg fifteens", "to 11", (2, 3), 2),
    options=Options,
    view=FifteensView,
    actions=(Play,),
    columns=(),
    start=FifteensState,
    imagine=imagine,
    scene=lambda view: (*game.hands_seen(view.seat, view.hand, view.sizes), Zone("pile", None, view.pile)),
    explain_illegal=lambda _view, _chosen: "It is not your turn",
    narrate=narrate,
)


class TestFifteens(GameTests):
    game = FIFTEENS


def deal(*hands):
    """State of the first round with these hands on top of the pack."""
    state = FifteensState(len(hands), Options())
    dealt = [card(name) for text in hands for name in text.split()]
    state.apply(Deal((*dealt, *[c for c in range(52) if c not in dealt])))
    return state


def play(state, *names):
    for name in names:
        state.apply(PLAY[card(name)])


def test_award_counts_at_once_and_belongs_to_the_round():
    state = deal("7S 2H 2D 2C", "8S 3H 3D 3C")
    play(state, "7S", "8S")
    assert (state.totals, state.awarded, state.score) == ((0, 2), (0, 2), None)
    play(state, "2H", "3H", "2D", "3D", "2C")
    play(state, "3C")
    assert state.score.points == (0, 2 + 2 + 1)
    assert (state.totals, state.awarded) == ((0, 5), (0, 0))
    assert state.turn == CHANCE


def test_session_ends_inside_a_round():
    state = deal("7S 2H 2D 2C", "8S 3H 3D 3C")
    state.totals = (0, 10)
    state.score = game.Score(game.EndingTitle(""), ((), ()), (0, 10), ((), ()), (0, 10))
    play(state, "7S", "8S")
    assert (state.turn, state.totals, state.score.points) == (OVER, (0, 12), (0, 2))


def test_void_round_takes_awarded_points_back():
    state = deal("7S 2H 2D 2C", "8S 3H 3D 3C")
    play(state, "7S", "8S")
    state.cancel_round()
    assert (state.totals, state.awarded) == ((0, 0), (0, 0))


def test_points_of_the_round_are_told_with_the_awarded_ones():
    state = deal("7S 2H 2D 2C", "8S 3H 3D 3C")
    play(state, "7S", "8S", "2H", "3H", "2D", "3D", "2C")
    before = state.view(0)
    play(state, "3C")
    assert MadePoints(1, 5, 1) in narrate(PLAY[card("3C")], before, state.view(0))


@pytest.mark.parametrize("seed", range(3))
def test_imagined_state_knows_the_awarded_points(seed):
    state = deal("7S 2H 2D 2C", "8S 3H 3D 3C")
    play(state, "7S", "8S")
    imagined = imagine(state.view(0), Random(seed))
    assert (imagined.totals, imagined.awarded) == ((0, 2), (0, 2))
