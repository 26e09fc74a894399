"""
Say how many tricks you will take, and take them together with your partner. Spades are trump.

Four players, 52 cards, 13 each; the ace is high, and play goes clockwise. Who sits across the table is your partner:
your points are the same.

## Bids

Everybody says once how many of the 13 tricks she will take. Partners' bids are added up. A bid of none is called nil,
and is for its player alone.

## Play

Who bid first leads. Follow the suit led if you can; if you cannot, play any card. The highest spade takes the trick, or
else the highest card of the suit led, and its player leads to the next. A spade may be led only once one was played, or
by a player who holds nothing else.

## Points

With as many tricks as they bid, or more, partners make 10 points for each trick bid and 1 for each trick above. With
fewer they lose 10 points for each trick bid. So bid what you will take: the tricks above are called bags, and ten of
them, over the rounds, cost 100 points. The last figure of a total tells how many bags a side has.

A nil is worth 100 points to a player who takes no trick, and costs as many if she takes one; her tricks are then bags.

    bid                 4 and 3    5 and nil
    tricks              5 and 4    4 and 0
    points                   72           50

The session ends when a side reaches 500, or falls to −200.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import add
from random import Random
from typing import Final

from cardtable.engine import options as house
from cardtable.engine.bidding import BIDS, Bid
from cardtable.engine.cards import OF_SUIT, SPADES, Card, Cards
from cardtable.engine.game import (
    Action,
    BiddingState,
    Bonus,
    Event,
    Game,
    GameInfo,
    Note,
    Seat,
    Sides,
    TrickStatus,
    competition_ranks,
)
from cardtable.engine.log_entries import CustomLogEntry, MadeBid
from cardtable.engine.round_state import changed
from cardtable.engine.trick_game import TrickGameView, TrickState, narrate, scene, why_not
from cardtable.engine.tricks import Play, order, told

SEATS: Final = 4
SIDES: Final[Sides] = ((0, 2), (1, 3))
TRUMP: Final = OF_SUIT[SPADES]
NIL_POINTS: Final = 100
BAGS: Final = 10
"""So many tricks above what was bid cost ``BAG_POINTS``."""
BAG_POINTS: Final = 100
LOST: Final = -200
"""A total at which the session ends, too."""


@dataclass(frozen=True, slots=True)
class Options(house.Options):
    """House rules of Spades."""

    limit: int = house.choice("The session ends when a side reaches", {500: "500 points", 250: "250 points"})
    round_clock: str | int = house.round_clock()
    open_hands: str = house.open_hands()


class Nil(Bid, frozen=True):
    """A bid of no trick at all."""

    @property
    def notation(self) -> str:
        return "nil"


NIL: Final = Nil(0)
CALLS: Final = (NIL, *BIDS[1:])


class SpadesView(TrickGameView, frozen=True):
    """What one seat may know of Spades."""

    options: Options
    bids: tuple[int | None, ...]
    """By seat; ``None`` where one is still owed."""


class SpadesState(TrickState[SpadesView]):
    """A session of Spades with every card face up."""

    options: Options
    bids: tuple[int | None, ...] = (None,) * SEATS

    def dealt_out(self) -> None:
        super().dealt_out()
        self.bids = (None,) * SEATS

    def cancel_round(self) -> None:
        super().cancel_round()
        self.bids = (None,) * SEATS

    def legal(self) -> Sequence[Action]:
        return CALLS if None in self.bids else super().legal()

    def act(self, action: Action) -> None:
        assert isinstance(action, Bid)
        self.bids = changed(self.bids, self.turn, action.tricks)
        self.turn = (self.turn + 1) % SEATS

    def playable(self, hand: Cards) -> Cards:
        if self.trick or any(cards & TRUMP for cards in self.played):
            return super().playable(hand)
        return hand & ~TRUMP or hand

    def taker(self, trick: Sequence[Card]) -> int:
        return order(SPADES).winner(trick)

    def figures(self) -> tuple[tuple[int, ...], ...]:
        return tuple([(bid or 0, won) for bid, won in zip(self.bids, self.won, strict=True)])

    def made(self, side: Sequence[Seat]) -> tuple[int, int]:
        """What the tricks that a side bid come to, and how many bags it took."""
        bid = sum([self.bids[seat] or 0 for seat in side])
        won = sum([self.won[seat] for seat in side if self.bids[seat]])
        kept = bid if won >= bid else -bid
        return 10 * kept, sum([self.won[seat] for seat in side]) - min(bid, won)

    def earned(self, side: Sequence[Seat]) -> tuple[Bonus, ...]:
        """What a side has for a nil, and for too many bags."""
        nils = [not self.won[seat] for seat in side if self.bids[seat] == 0]
        found = [Bonus("nil", NIL_POINTS) if kept else Bonus("nil broken", -NIL_POINTS) for kept in nils]
        if self.totals[side[0]] % BAGS + self.made(side)[1] >= BAGS:
            found.append(Bonus("ten bags", -BAG_POINTS))
        return tuple(found)

    def bonuses(self) -> tuple[tuple[Bonus, ...], ...]:
        return tuple([self.earned((seat, (seat + 2) % SEATS)) for seat in range(SEATS)])

    def points(self) -> tuple[int, ...]:
        ordinary = [sum(self.made((seat, (seat + 2) % SEATS))) for seat in range(SEATS)]
        beyond = [sum([bonus.points for bonus in bonuses]) for bonuses in self.bonuses()]
        return tuple(map(add, ordinary, beyond))

    def is_over(self) -> bool:
        return max(self.totals) >= self.options.limit or min(self.totals) <= LOST

    def ranks(self) -> tuple[int, ...]:
        return competition_ranks(self.totals, sides=SIDES)

    def view(self, seat: Seat) -> SpadesView:
        return SpadesView(**self.seen(seat), options=self.options, bids=self.bids)


def start(seats: int, options: house.Options) -> SpadesState:
    """A new session."""
    assert isinstance(options, Options)
    return SpadesState(seats, options)


def imagine(view: SpadesView, rng: Random) -> SpadesState:
    """A state that the seat of ``view`` cannot tell from the truth."""
    state = SpadesState(SEATS, view.options).imagined(view, rng)
    state.bids = view.bids
    return state


def trick(view: SpadesView) -> TrickStatus:
    """How the tricks stand."""
    return told(view, order(SPADES).winner)


def bids(view: SpadesView) -> BiddingState:
    """What is bid."""
    return BiddingState(view.cards, SPADES, view.bids, view.won)


def refusal(view: SpadesView, cards: Cards) -> str:
    """Why these cards may not be played."""
    if view.turn == view.seat and None in view.bids:
        return "Bid first"
    if cards & view.hand & TRUMP and not view.trick:
        return "No spade has been played yet: lead another suit"
    return why_not(view, cards)


def tell(event: Event, before: SpadesView, after: SpadesView) -> tuple[Note, ...]:
    """What an event looked like to a seat."""
    if isinstance(event, Nil):
        return (CustomLogEntry(before.turn, "bids nil", "bid nil"),)
    if isinstance(event, Bid):
        return (MadeBid(before.turn, event.tricks),)
    return narrate(event, before, after, SIDES)


GAME: Final = Game(
    about=GameInfo(
        "spades", "Spades", "bid with a partner, and nil", "to 500", (SEATS,), SEATS, "QS KS AS",
        aim="With your partner take as many tricks as you both bid.",
    ),
    options=Options,
    view=SpadesView,
    actions=(Nil, Bid, Play),
    columns=("bid", "tricks"),
    start=start,
    imagine=imagine,
    scene=scene,
    why_not=refusal,
    narrate=tell,
    sides=lambda _seats, _options: SIDES,
    trick=trick,
    bids=bids,
)  # fmt: skip
