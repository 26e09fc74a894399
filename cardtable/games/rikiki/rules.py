"""Rules of Rikiki: players bid exactly the number of tricks that they will take.

``rules.md`` explains the game to players.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from types import MappingProxyType
from typing import Final, Literal, NamedTuple

from cardtable.engine import determinization, tricks
from cardtable.engine import options as house
from cardtable.engine.bidding import BidGame, BidState, BidView, list_open_bids
from cardtable.engine.cards import BIT, OF_SUIT, PACK_52, SUIT, Card, Cards, all_of
from cardtable.engine.chance import Deal
from cardtable.engine.game import Action, Bonus, CardsTitle, Event, Note, Seat, Zone
from cardtable.engine.log_entries import CustomLogEntry, Dealt, MadePoints
from cardtable.engine.presentation import hands_seen
from cardtable.engine.tricks import Play, follow
from cardtable.games.rikiki import ABOUT

MAX_UNHOOKED_CARDS: Final = 4
"""Largest number of cards per hand with which the last bid is free under the house rule ``over-four``."""
ROW_LENGTH: Final = 10
FULL_SESSION: Final[tuple[int, ...]] = (*range(1, 13), *[13] * 4, *range(12, 0, -1))
"""Number of cards in each hand, by round."""
SHORT_SESSION: Final[tuple[int, ...]] = (*range(1, 7), *[13] * 4, *range(6, 0, -1))


@dataclass(frozen=True, slots=True)
class Options(house.CommonOptions):
    hook: Literal["over-four", "always", "never"] = house.choice(
        "When the bids may not add up to the number of cards",
        {"over-four": "5 cards and up", "always": "every round", "never": "never"},
        label="Barred bid",
    )
    length: Literal["full", "short"] = house.choice(
        "Length of a session; 16 rounds have at most 6 cards each with trump",
        {"full": "28 rounds", "short": "16 rounds"},
    )
    bonuses: house.OnOff = house.choice(
        "Bonuses for streaks, no trump and few misses", {"on": "counted", "off": "not counted"}
    )

    def has_hook(self, cards: int) -> bool:
        """Return True if the last bid may not make the sum of the bids equal to ``cards``.

        ``cards`` is the number of cards in each hand.
        """
        return self.hook == "always" or (self.hook == "over-four" and cards > MAX_UNHOOKED_CARDS)

    def list_hand_sizes(self) -> tuple[int, ...]:
        """Return the number of cards in each hand, by round."""
        return FULL_SESSION if self.length == "full" else SHORT_SESSION

    @property
    def rounds(self) -> int:
        return len(self.list_hand_sizes())

    def get_few_misses_threshold(self) -> int:
        """Return the number of made bids with which the bonus for few misses is certain.

        The bonus is for fewer than 9 misses in a session, fewer than 5 in a short one.
        """
        return 20 if self.length == "full" else 12


def score_bid(bid: int, won: int) -> int:
    """Return the points for taking ``won`` tricks on a bid, without bonuses.

    An exact bid scores 10 and 2 for each trick; any other loses 2 for each trick missing or in excess.
    """
    return 10 + 2 * won if bid == won else -2 * abs(bid - won)


class Record(NamedTuple):
    """Record of a seat in the finished rounds of a session, from which bonuses are determined."""

    row: int = 0
    """Number of consecutive made bids; consecutive misses are negative. Reset to 0 by a bonus for a row."""
    made: int = 0
    misses: int = 0
    no_trump: int = 0
    """Number of made bids in rounds without trumps."""

    @cache  # noqa: B019 - a record is four small numbers
    def add_round(self, success: bool, no_trump: bool, few_misses_threshold: int) -> tuple["Record", tuple[Bonus, ...]]:
        """Return the record after one more round, and the bonuses earned in that round.

        ``success`` is True if the bid was met exactly, and ``no_trump`` if the round had no trump suit.
        ``few_misses_threshold`` is the number of made bids that earns the bonus for few misses.
        """
        row, made, misses, fours = self
        earned: tuple[Bonus, ...] = ()
        if success:
            row, made = max(row, 0) + 1, made + 1
            if no_trump:
                fours += 1
            if row == ROW_LENGTH:
                row, earned = 0, (Bonus("ten in a row", 20),)
            if no_trump and fours == 4:
                earned += (Bonus("no-trump four", 10),)
            if made == few_misses_threshold:
                earned += (Bonus("few misses", 20),)
        else:
            row, misses = min(row, 0) - 1, misses + 1
            if row == -ROW_LENGTH:
                row, earned = 0, (Bonus("ten misses running", 20),)
        return Record(row, made, misses, fours), earned


SEATS: Final = 4
_NEXT_SEAT: Final = (1, 2, 3, 0)


class RikikiView(BidView, frozen=True):
    options: Options
    dealer: Seat
    trump_card: Card | None
    past: tuple[tuple[Card, ...], ...]
    """Finished tricks of this round, in order."""
    records: tuple[Record, ...]


class RikikiState(BidState[RikikiView]):
    __slots__ = ("order", "past", "records", "trump_card")
    options: Options

    def __init__(self, options: Options) -> None:
        super().__init__(SEATS, options)
        self.records: tuple[Record, ...] = (Record(),) * SEATS

    def clear(self) -> None:
        super().clear()
        self.trump_card: Card | None = None
        self.order = tricks.order()
        self.past: tuple[tuple[Card, ...], ...] = ()

    def legal(self) -> Sequence[Action]:
        if self.bidding:
            hooked = len(self.bids) == SEATS - 1 and self.options.has_hook(self.cards)
            return list_open_bids(self.cards, self.bids, hooked=hooked)
        return follow(self.hands[self.turn], self.led)

    def apply(self, event: Event) -> None:
        if isinstance(event, Play):  # inlined: by far the most frequent event
            card, seat, led = event.card, self.turn, self.led
            bit = BIT[card]
            self.hands[seat] ^= bit
            if not led:
                self.led = OF_SUIT[SUIT[card]]
            elif not bit & led:
                self.excluded_cards[seat] |= led
            self.trick = trick = self.trick + (card,)  # noqa: RUF005 - faster than to unpack it
            if len(trick) < SEATS:
                self.turn = _NEXT_SEAT[seat]
            else:
                self.take_trick()
        else:
            super().apply(event)

    def deal(self, order: tuple[Card, ...]) -> None:
        self.cards = self.options.list_hand_sizes()[self.finished]
        dealt = self.cards * SEATS
        self.set_trump(order[dealt] if dealt < len(order) else None)
        super().deal(order)

    def set_trump(self, trump_card: Card | None) -> None:
        """Set the card turned up after the deal; ``None`` if the complete pack is dealt and there is no trump."""
        self.trump_card = trump_card
        self.order = tricks.order(None if trump_card is None else SUIT[trump_card])

    def take_trick(self) -> None:  # without the calls of the base class: faster in searches
        trick, leader = self.trick, self.leader
        taker = (leader + self.order.winner(trick)) % SEATS
        self.won[taker] += 1
        self.last_leader, self.last_trick, self.past = leader, trick, (*self.past, trick)
        self.trick, self.led = (), 0
        self.turn = self.leader = taker
        hand = self.hands[taker]
        if not hand:
            self.end_round()
        elif not hand & (hand - 1):
            self.play_last_trick()

    def end_round(self) -> None:
        few_misses, no_trump = self.options.get_few_misses_threshold(), self.trump_card is None
        figures, points, records, bonuses = [], [], [], []
        first = SEATS - self.first_bidder
        for seat, bid in enumerate(self.bids[first:] + self.bids[:first]):
            won = self.won[seat]
            record, earned = self.records[seat].add_round(bid == won, no_trump, few_misses)
            earned = earned if self.options.bonuses else ()
            made = score_bid(bid, won)
            figures.append((bid, won))
            points.append(made + sum([bonus.points for bonus in earned]) if earned else made)
            records.append(record)
            bonuses.append(earned)
        self.records = tuple(records)
        title = CardsTitle(self.cards, self.order.trump, no_trump=no_trump)
        self.record_score(title, tuple(figures), tuple(points), tuple(bonuses))

    def view(self, seat: Seat) -> RikikiView:
        return RikikiView(
            **self.view_fields(seat),
            options=self.options,
            dealer=self.first_bidder,
            trump_card=self.trump_card,
            trump=self.order.trump,
            bids=tuple([self.find_bid(s) for s in range(SEATS)]),
            past=self.past,
            records=self.records,
        )

    def assert_invariants(self) -> None:
        super().assert_invariants()
        if self.playing:
            assert (self.trump_card is None) == (self.cards * SEATS == PACK_52.bit_count())
            assert self.trump_card is None or not BIT[self.trump_card] & all_of(self.dealt)


def build_state(view: RikikiView, hands: list[Cards]) -> RikikiState:
    """Build the full state of a view with the given hands.

    The list becomes part of the state, and must be consistent with the view.
    """
    state = RikikiState(view.options)
    state.copy_trick_fields(view)
    state.set_trump(view.trump_card)
    state.records, state.past = view.records, view.past
    state.copy_bids(view, view.dealer)
    state.set_hands(hands, view)
    return state


def sample_hands(view: RikikiView, rng: Random) -> list[Cards]:
    """Return random hands that are consistent with ``view``; empty hands between two rounds."""
    if not view.playing:
        return [0] * SEATS
    return determinization.sample_hands(
        view.hand, view.seat, find_unseen_cards(view), view.sizes, view.excluded_cards, rng
    )


def find_unseen_cards(view: RikikiView) -> Cards:
    """Return the cards of the pack that the view's seat has not seen in this round.

    They are in other hands, or have not been dealt.
    """
    turned = 0 if view.trump_card is None else BIT[view.trump_card]
    return PACK_52 & ~all_of([view.hand, turned, *view.played])


class RikikiGame(BidGame[RikikiState, RikikiView]):
    """The game of Rikiki."""

    about = ABOUT
    options = Options
    view = RikikiView
    single_deal_options = MappingProxyType({"bonuses": "off"})

    def start(self, _seats: int, options: house.Options) -> RikikiState:
        assert isinstance(options, Options)
        return RikikiState(options)

    def imagine(self, view: RikikiView, rng: Random) -> RikikiState:
        return build_state(view, sample_hands(view, rng))

    def scene(self, view: RikikiView) -> tuple[Zone, ...]:
        """Return the hands, the trick, and the zone of the trump card, which is empty if there is none."""
        turned = () if view.trump_card is None else (view.trump_card,)
        hands = hands_seen(view.seat, view.hand, view.sizes)
        return (*hands, Zone("trick", None, view.trick), Zone("trump", None, turned))

    def narrate(self, event: Event, before: RikikiView, after: RikikiView) -> tuple[Note, ...]:
        if isinstance(event, Deal):
            return (Dealt(None, after.round, after.cards, after.trump_card, no_trump=after.trump_card is None),)
        return super().narrate(event, before, after)

    def narrate_points(self, before: RikikiView, after: RikikiView) -> list[Note]:
        """Return the log entries for the points and bonuses of the round that has just ended."""
        notes: list[Note] = []
        few_misses = after.options.get_few_misses_threshold()
        for seat, (old, new) in enumerate(zip(before.totals, after.totals, strict=True)):
            notes.append(MadePoints(seat, new - old, after.finished))
            success = after.bids[seat] == after.won[seat]
            _, earned = before.records[seat].add_round(success, after.trump_card is None, few_misses)
            if after.options.bonuses:
                for bonus in earned:
                    bonus_text = f"{bonus.points}: {bonus.name}"
                    notes.append(CustomLogEntry(seat, f"earns {bonus_text}", f"earn {bonus_text}"))
        return notes

    def dealer_or_declarer(self, view: RikikiView) -> tuple[str, Seat]:
        return "dealer", view.dealer


GAME: Final = RikikiGame()
