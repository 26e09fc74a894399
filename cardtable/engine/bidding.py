"""Bidding on the number of tricks, in which each seat makes one open bid."""

from collections.abc import Collection, Hashable, Sequence
from functools import partial
from typing import Annotated, Final, TypeVar

import msgspec

from cardtable.engine.cards import Card, Cards, SuitNumber
from cardtable.engine.game import BID_AND_WON, Action, BiddingState, Event, Game, Note, S, Seat, TrickStatus
from cardtable.engine.log_entries import MadeBid, PlayedCard, TookTrick
from cardtable.engine.round_state import points_entries
from cardtable.engine.trick_game import TrickState
from cardtable.engine.tricks import Play, TrickView, format_must_follow, order, trick_status


class Bid(Action, frozen=True, tag="bid"):
    """Bid on the number of tricks that the seat will take."""

    kind = "bid"
    tricks: Annotated[int, msgspec.Meta(ge=0, le=13)]

    @property
    def notation(self) -> str:
        return str(self.tricks)

    @property
    def amount(self) -> int:
        return self.tricks


class BidView(TrickView, frozen=True):
    """Everything that one seat knows in a game in which seats bid the number of tricks."""

    trump: SuitNumber | None
    """Trump suit; ``None`` in a round without trumps, or before the suit is known."""
    bids: tuple[int | None, ...]
    """Bids by seat; ``None`` if the seat has not bid yet."""


BV = TypeVar("BV", bound=BidView)


BIDS: Final = tuple(Bid(n) for n in range(14))
"""All bids, by the number of tricks."""
_BIDS_UP_TO: Final = tuple(BIDS[: n + 1] for n in range(14))


def list_open_bids(cards: int, bids: Collection[int], *, hooked: bool) -> tuple[Bid, ...]:
    """Return the legal bids in a round with ``cards`` tricks, after the other ``bids``.

    A hooked bidder may not make the sum of all bids equal to ``cards``.
    """
    upper_limited = _BIDS_UP_TO[cards]
    forbidden = cards - sum(bids) if hooked else -1
    return upper_limited if forbidden < 0 else upper_limited[:forbidden] + upper_limited[forbidden + 1 :]


def format_forbidden_bid(cards: int, bids: Collection[int]) -> str:
    """Explain to a hooked bidder which bid is not legal: it would make the sum of all bids equal to ``cards``."""
    return f"Not {cards - sum(bids)}: the bids can't total {cards}"


class BidState(TrickState[BV]):
    """State of a session in which each seat bids the number of tricks before the first one is played.

    A game defines ``deal``, which sets the hands and ``cards``, ``legal``, which has the bids while ``bidding``,
    ``end_round`` and ``view``. One with trumps also overrides ``taker``, by the same rule as ``BidGame.find_winner``.
    """

    __slots__ = ("bidding", "bids", "first_bidder")
    plays_last_trick = True

    def clear(self) -> None:
        super().clear()
        self.cards = 0
        self.bids: tuple[int, ...] = ()
        """Bids in the order in which they were made."""
        self.bidding = True
        self.first_bidder: Seat = self.first_seat

    def act(self, action: Action) -> None:
        assert isinstance(action, Bid)
        self.bids = (*self.bids, action.tricks)
        self.turn = (self.turn + 1) % self.seats
        self.bidding = len(self.bids) < self.seats
        if self.cards == 1 and not self.bidding:
            self.play_last_trick()

    def position_key(self) -> Hashable:
        return self.turn, self.trick, tuple(self.hands), tuple(self.won)

    def find_bid(self, seat: Seat) -> int | None:
        """Return the bid of ``seat`` in this round; ``None`` if it has not bid yet."""
        index = (seat - self.first_bidder) % self.seats
        return self.bids[index] if index < len(self.bids) else None

    def copy_bids(self, view: BidView, first_bidder: Seat) -> None:
        """Copy the bids of ``view`` into this new state, for ``Game.imagine``."""
        self.first_bidder = first_bidder
        bids = view.bids[first_bidder:] + view.bids[:first_bidder]
        self.bids = tuple([bid for bid in bids if bid is not None])
        self.bidding = len(self.bids) < self.seats


class BidGame(Game[S, BV]):
    """Game in which each seat bids the number of tricks before the first one is played."""

    actions = (Bid, Play)
    columns = BID_AND_WON
    rounds_independent = True

    def find_winner(self, view: BV, trick: Sequence[Card]) -> int:
        """Return the index of the card that takes a trick of the round of ``view``."""
        return order(view.trump).winner(trick)

    def trick(self, view: BV) -> TrickStatus:
        return trick_status(view, partial(self.find_winner, view))

    def bids(self, view: BV) -> BiddingState:
        return BiddingState(view.cards, view.trump, view.bids, view.won)

    def explain_illegal(self, view: BV, cards: Cards) -> str:
        """Explain to the player why these cards cannot be played now.

        Without cards, explain to the last bidder which bid is not legal because of the sum.
        """
        if None in view.bids:
            if cards:
                return "You must bid first"
            return format_forbidden_bid(view.cards, [bid for bid in view.bids if bid is not None])
        if not cards & view.hand:
            return "You do not hold that card"
        return format_must_follow(view.led)

    def narrate(self, event: Event, before: BV, after: BV) -> tuple[Note, ...]:
        """Return the log entries of a bid, a play and the end of a round."""
        notes: list[Note] = []
        if isinstance(event, Bid):
            notes.append(MadeBid(before.turn, event.tricks))
        elif isinstance(event, Play):
            notes.append(PlayedCard(before.turn, event.card, "second" if event.card in before.trick else ""))
            trick = (*before.trick, event.card)
            if len(trick) == len(before.totals):
                notes.append(TookTrick(self._find_taker(before, before.leader, trick)))
        if after.finished > before.finished:
            taker = self._find_taker(after, after.last_leader, after.last_trick)
            notes += [TookTrick(taker, last=after.cards > 1), *self.narrate_points(before, after)]
        return tuple(notes)

    def _find_taker(self, view: BV, leader: Seat, trick: Sequence[Card]) -> Seat:
        return (leader + self.find_winner(view, trick)) % len(view.totals)

    def narrate_points(self, before: BV, after: BV) -> Sequence[Note]:
        """Return the log entries for the points of the round that has just ended."""
        return points_entries(before, after)
