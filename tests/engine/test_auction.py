"""Auctions: calls and their order, and a game that begins with one."""

from dataclasses import dataclass
from random import Random
from typing import Annotated

import pytest

from cardtable.engine import options as house
from cardtable.engine.annotations import OMITTED
from cardtable.engine.auction import DOUBLE, DOUBLED, PASSED, REDOUBLE, REDOUBLED, Auction, Double, Redouble, call_entry
from cardtable.engine.game import Action, GameInfo
from cardtable.engine.passing import PASS, Pass
from cardtable.engine.trick_game import TrickGame, TrickGameState, TrickGameView
from cardtable.engine.tricks import Play
from cardtable.testing import GameTests
from cardtable.wording.log_entries import format_note

SIDES = ((0, 2), (1, 3))


class Raise(Action, frozen=True):
    """Bid of a number of tricks."""

    kind = "bid"
    tricks: int

    @property
    def notation(self):
        return str(self.tricks)


LADDER = tuple(Raise(n) for n in range(6, 10))


def auction(text, *, passes_are_final=False):
    """Auction of four seats after calls such as ``6 pass double``."""
    state = Auction(4, 0, passes_are_final)
    words = {"pass": PASS, "double": DOUBLE, "redouble": REDOUBLE}
    for word in text.split():
        call = words.get(word) or Raise(int(word))
        assert call in state.list_calls(LADDER, SIDES)
        state = state.with_call(call, LADDER)
    return state


def test_calls_are_numbers_with_names():
    assert auction("6 pass 8 double redouble").calls == (0, PASSED, 2, DOUBLED, REDOUBLED)


def test_seats_call_counter_clockwise():
    state = Auction(4, 1, passes_are_final=True, step=-1)
    for call in (LADDER[0], PASS, PASS, PASS):
        state = state.with_call(call, LADDER)
    assert state.callers == (1, 0, 3, 2, 1)
    assert (state.is_over, state.bidder) == (True, 1)


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ("", "bid 6, bid 7, bid 8, bid 9, pass"),
        ("7", "bid 8, bid 9, pass, double"),
        ("7 pass", "bid 8, bid 9, pass"),
        ("7 double", "bid 8, bid 9, pass, redouble"),
        ("7 double redouble", "bid 8, bid 9, pass"),
        ("7 double 8", "bid 9, pass, double"),
        ("9", "pass, double"),
    ],
)
def test_legal_calls(text, calls):
    state = auction(text)
    if text == "7 double":
        state = state.with_call(PASS, LADDER).with_call(PASS, LADDER)  # to the bidder
    assert ", ".join(map(str, state.list_calls(LADDER, SIDES))) == calls


@pytest.mark.parametrize(
    ("text", "final", "over"),
    [
        ("pass pass pass", False, False),
        ("pass pass pass pass", False, True),
        ("6 pass pass", False, False),
        ("6 pass pass pass", False, True),
        ("6 pass pass double pass pass", False, False),
        ("6 pass pass double pass pass pass", False, True),
        ("pass pass pass", True, False),
        ("pass pass pass 6", True, True),
        ("pass pass pass pass", True, True),
        ("6 pass 7 pass pass", True, True),
        ("6 pass 7 pass 8", True, False),
    ],
)
def test_end_of_the_auction(text, final, over):
    assert auction(text, passes_are_final=final).is_over is over


def test_highest_bid_its_bidder_and_its_factor():
    state = auction("6 pass 7 double pass pass redouble")
    assert (state.highest, state.bidder, state.factor) == (1, 2, 4)
    assert (auction("pass").highest, auction("pass").bidder, auction("pass").factor) == (None, None, 1)


def test_final_pass_takes_a_seat_out_of_the_auction():
    assert auction("6 pass 7 8 9", passes_are_final=True).callers == (0, 1, 2, 3, 0, 2)


@pytest.mark.parametrize(
    ("call", "text"), [(LADDER[1], "bids 7"), (PASS, "passes"), (DOUBLE, "doubles"), (REDOUBLE, "redoubles")]
)
def test_log_entries_of_calls(call, text):
    assert format_note(call_entry(1, call), you=False) == text


@pytest.mark.parametrize("passes_are_final", [False, True])
def test_every_auction_ends(passes_are_final):
    for seed in range(50):
        rng, state = Random(seed), Auction(4, 0, passes_are_final)
        for _ in range(100):
            if state.is_over:
                break
            state = state.with_call(rng.choice(state.list_calls(LADDER, SIDES)), LADDER)
        assert state.is_over


@dataclass(frozen=True, slots=True)
class Options(house.Options):
    @property
    def rounds(self):
        return 2


class BiddersView(TrickGameView, frozen=True):
    auction: Annotated[Auction, OMITTED]


class BiddersState(TrickGameState[BiddersView]):
    """The highest bidder leads and needs as many tricks as bid; without a bid the cards are thrown in."""

    partners = SIDES

    def clear(self):
        super().clear()
        self.auction = Auction(self.seats, self.first_seat)

    def legal(self):
        return super().legal() if self.auction.is_over else self.auction.list_calls(LADDER, SIDES)

    def act(self, action):
        self.auction = self.auction.with_call(action, LADDER)
        self.turn = self.auction.turn
        if self.auction.is_over:
            bidder = self.auction.bidder
            if bidder is None:
                self.end_round()
            else:
                self.turn = self.leader = bidder

    def score_round(self):
        bidder, factor = self.auction.bidder, self.auction.factor
        if bidder is None:
            return (0,) * self.seats
        made = self.won[bidder] + self.won[(bidder + 2) % 4] >= LADDER[self.auction.highest].tricks
        return tuple([factor if (seat - bidder) % 2 != made else 0 for seat in range(4)])


class Bidders(TrickGame[BiddersView]):
    about = GameInfo("bidders", "Bidders", "bid", "2 rounds", (4,), 4)
    options = Options
    state = BiddersState
    actions = (Raise, Pass, Double, Redouble, Play)

    def narrate(self, event, before, after):
        return (
            (call_entry(before.turn, event),)
            if isinstance(event, Raise | Pass | Double | Redouble)
            else super().narrate(event, before, after)
        )


BIDDERS = Bidders()


class TestBidders(GameTests):
    game = BIDDERS
