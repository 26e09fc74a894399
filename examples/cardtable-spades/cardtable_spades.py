"""
Bid how many tricks you will take, and take them together with your partner. Spades are trump.

Four players, 52 cards, 13 each; the ace is high, and play goes clockwise. The player across the table is your partner;
you share your points.

## Bids

Each player bids once how many of the 13 tricks they will take. Partners' bids are added. A bid of no trick is called
nil and counts for its player alone.

## Play

The player who bid first leads. Follow the suit led if you can; if you cannot, play any card. The highest spade takes
the trick; without a spade, the highest card of the suit led. Its player leads to the next trick. A spade may be led
only after a spade was played, or by a player who holds nothing else.

## Points

If partners take as many tricks as they bid, or more, they score 10 points for each trick bid and 1 for each overtrick.
With fewer tricks they lose 10 points for each trick bid. Overtricks are called bags, and ten of them, over several
rounds, cost 100 points. The last digit of a total is the number of bags of the side.

A nil is worth 100 points to a player who takes no trick, and costs 100 points otherwise; the tricks are then bags.

    bid                 4 and 3    5 and nil
    tricks              5 and 4    4 and 0
    points                   72           50

The session ends when a side reaches 500 or falls to −200.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import add
from typing import Final

from cardtable.engine import options as house
from cardtable.engine.bidding import BIDS, Bid
from cardtable.engine.cards import OF_SUIT, SPADES, Card, Cards
from cardtable.engine.game import (
    Action,
    BiddingState,
    Bonus,
    Event,
    GameInfo,
    Note,
    Seat,
    Sides,
    TrickStatus,
)
from cardtable.engine.log_entries import CustomLogEntry, MadeBid
from cardtable.engine.round_state import with_value
from cardtable.engine.trick_game import TrickGame, TrickGameState, TrickGameView
from cardtable.engine.tricks import Play, order, trick_status

SEATS: Final = 4
SIDES: Final[Sides] = ((0, 2), (1, 3))
TRUMP: Final = OF_SUIT[SPADES]
NIL_POINTS: Final = 100
BAGS: Final = 10
"""Number of overtricks that cost ``BAG_POINTS``."""
BAG_POINTS: Final = 100
LOST: Final = -200
"""A session also ends when a total falls to this."""


@dataclass(frozen=True, slots=True)
class Options(house.CommonOptions):
    """House rules of Spades."""

    limit: int = house.choice("The session ends when a side reaches", {500: "500 points", 250: "250 points"})


class Nil(Bid, frozen=True):
    """A bid of no trick at all."""

    @property
    def notation(self) -> str:
        return "nil"


NIL: Final = Nil(0)
CALLS: Final = (NIL, *BIDS[1:])


class SpadesView(TrickGameView, frozen=True):
    """All that one seat may know of Spades."""

    bids: tuple[int | None, ...]
    """By seat; None if the seat has not bid yet."""


class SpadesState(TrickGameState[SpadesView]):
    """A session of Spades with every card face up."""

    options: Options
    columns = ("bid", "tricks")
    partners = SIDES
    bids: tuple[int | None, ...] = (None,) * SEATS

    def begin_play(self) -> None:
        super().begin_play()
        self.bids = (None,) * SEATS

    def cancel_round(self) -> None:
        super().cancel_round()
        self.bids = (None,) * SEATS

    def legal(self) -> Sequence[Action]:
        return CALLS if None in self.bids else super().legal()

    def act(self, action: Action) -> None:
        assert isinstance(action, Bid)
        self.bids = with_value(self.bids, self.turn, action.tricks)
        self.turn = (self.turn + 1) % SEATS

    def playable(self, hand: Cards) -> Cards:
        if self.trick or any(cards & TRUMP for cards in self.played):
            return super().playable(hand)
        return hand & ~TRUMP or hand

    def taker(self, trick: Sequence[Card]) -> int:
        return order(SPADES).winner(trick)

    def figures(self) -> tuple[tuple[int, ...], ...]:
        return tuple([(bid or 0, won) for bid, won in zip(self.bids, self.won, strict=True)])

    def contract_points(self, side: Sequence[Seat]) -> int:
        """Return the points of a side for the tricks that it bid, without bags and bonuses."""
        bid = sum([self.bids[seat] or 0 for seat in side])
        won = sum([self.won[seat] for seat in side if self.bids[seat]])
        return 10 * (bid if won >= bid else -bid)

    def bags(self, side: Sequence[Seat]) -> int:
        """Return the number of overtricks of a side; every trick of a broken nil is one."""
        bid = sum([self.bids[seat] or 0 for seat in side])
        won = sum([self.won[seat] for seat in side if self.bids[seat]])
        return sum([self.won[seat] for seat in side]) - min(bid, won)

    def side_bonuses(self, side: Sequence[Seat]) -> tuple[Bonus, ...]:
        """Return the points of a side for nil bids, and the penalty for ten bags."""
        nils = [not self.won[seat] for seat in side if self.bids[seat] == 0]
        bonuses = [Bonus("nil", NIL_POINTS) if made else Bonus("nil broken", -NIL_POINTS) for made in nils]
        if self.totals[side[0]] % BAGS + self.bags(side) >= BAGS:
            bonuses.append(Bonus("ten bags", -BAG_POINTS))
        return tuple(bonuses)

    def bonuses(self) -> tuple[tuple[Bonus, ...], ...]:
        return tuple([self.side_bonuses((seat, (seat + 2) % SEATS)) for seat in range(SEATS)])

    def score_round(self) -> tuple[int, ...]:
        sides = [(seat, (seat + 2) % SEATS) for seat in range(SEATS)]
        ordinary = [self.contract_points(side) + self.bags(side) for side in sides]
        special = [sum([bonus.points for bonus in bonuses]) for bonuses in self.bonuses()]
        return tuple(map(add, ordinary, special))

    def is_over(self) -> bool:
        return max(self.totals) >= self.options.limit or min(self.totals) <= LOST


class Spades(TrickGame[SpadesView]):
    """The game of Spades."""

    about = GameInfo(
        key="spades",
        title="Spades",
        summary="bid with a partner, and nil",
        length="to 500",
        seats=(SEATS,),
        usual_seats=SEATS,
        emblem="QS KS AS",
        aim="With your partner take as many tricks as you both bid.",
    )
    options = Options
    state = SpadesState
    actions = (Nil, Bid, Play)

    def trick(self, view: SpadesView) -> TrickStatus:
        """Return the status of the tricks."""
        return trick_status(view, order(SPADES).winner)

    def bids(self, view: SpadesView) -> BiddingState:
        """Return the bids, trumps and tricks won."""
        return BiddingState(view.cards, SPADES, view.bids, view.won)

    def explain_illegal(self, view: SpadesView, cards: Cards) -> str:
        """Return the reason why these cards may not be played now."""
        if None in view.bids:
            return "Bid first"
        if cards & view.hand & TRUMP and not view.trick:
            return "No spade has been played yet: lead another suit"
        return super().explain_illegal(view, cards)

    def narrate(self, event: Event, before: SpadesView, after: SpadesView) -> tuple[Note, ...]:
        """Return the notes of an event for one seat, from its views before and after."""
        if isinstance(event, Nil):
            return (CustomLogEntry(before.turn, "bids nil", "bid nil"),)
        if isinstance(event, Bid):
            return (MadeBid(before.turn, event.tricks),)
        return super().narrate(event, before, after)


GAME: Final = Spades()
