"""Rules of Ten Down: players bid the number of tricks they will take; each round has one card fewer.

``rules.md`` explains the game to players. Sets of cards are normalised (``engine/cards.py``), and cards are always
first copies: two identical cards in a hand are one choice, and two in a trick differ only in their position.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import add, and_
from random import Random
from typing import Final, Literal

from cardtable.engine import determinization, tricks
from cardtable.engine import options as house
from cardtable.engine.bidding import BidGame, BidState, BidView, list_open_bids
from cardtable.engine.cards import (
    BIT,
    COPY_OFFSET,
    NAME,
    OF_SUIT,
    PACK_52,
    SUIT,
    SUIT_WORDS,
    SUITS,
    TWO_PACKS_32,
    Card,
    Cards,
    lowest,
    normalize_copies,
    unite_piles,
)
from cardtable.engine.chance import Deal, Trump
from cardtable.engine.game import Action, CardsTitle, Chance, Event, Note, Seat, Zone
from cardtable.engine.log_entries import CustomLogEntry, Dealt
from cardtable.engine.presentation import hands_seen
from cardtable.engine.round_state import deal_hands
from cardtable.engine.tricks import Play, follow
from cardtable.games.ten_down import ABOUT

TRAINING: Final = "training"
CARDS_BY_ROOM: Final[dict[str | int, int]] = {TRAINING: 10, 5: 5, 50: 7, 500: 8, 1000: 10}
"""Number of cards in each hand of the first round, by room."""
BONUS: Final = 10
"""Points for taking exactly as many tricks as were bid."""


@dataclass(frozen=True, slots=True)
class Options(house.CommonOptions):
    room: Literal["training"] | int = house.choice(
        "Cards in the first round, and each player's stake",
        {room: f"{cards} cards, {room} credits" for room, cards in CARDS_BY_ROOM.items()}
        | {TRAINING: f"{CARDS_BY_ROOM[TRAINING]} cards, no stake"},
    )
    identical: Literal["first", "last"] = house.choice(
        "Which of two identical cards is higher",
        {"first": "the first played", "last": "the last played"},
        label="Higher copy",
    )
    hook: house.OnOff = house.choice(
        "When the bids may not add up to the number of cards",
        {"off": "never", "on": "every round"},
        label="Barred bid",
    )

    @property
    def rounds(self) -> int:
        """Number of rounds in a session, which equals the number of cards in each hand of the first round."""
        return CARDS_BY_ROOM[self.room]

    @property
    def stake(self) -> int:
        """Stake of each seat, in credits; 0 in training."""
        return self.room if isinstance(self.room, int) else 0

    def find_winner(self, trick: Sequence[Card], trump: int | None) -> int:
        """Return the index of the card that wins ``trick``, whose cards are in order of play.

        Of two identical cards the house rule ``identical`` decides which is higher. ``trump`` is ``None`` if there is
        no trump suit.
        """
        index = tricks.order(trump).winner(trick)
        return index if self.identical == "first" else len(trick) - 1 - trick[::-1].index(trick[index])


def score_bid(bid: int, made: int) -> int:
    """Return the points for taking ``made`` tricks: 1 for each, and ``BONUS`` if they equal the bid."""
    return made + BONUS if bid == made else made


def compute_places(totals: Sequence[int], taken: Sequence[int], arrivals: Sequence[Seat]) -> tuple[int, ...]:
    """Return the final place of each seat, 1 for the best; no place is shared.

    ``taken`` holds the tricks taken in the session, by seat. Equal totals are ranked by these tricks, then by
    ``arrivals``, the seats in the order in which their players came to the table.
    """
    ranking = sorted(arrivals, key=lambda seat: (-totals[seat], -taken[seat]))
    return tuple([ranking.index(seat) + 1 for seat in range(len(totals))])


def compute_final_totals(totals: Sequence[int], places: Sequence[int]) -> tuple[int, ...]:
    """Return the final totals: the last place's total is multiplied by 1, the next higher place's by 2, and so on."""
    return tuple([total * (len(totals) + 1 - rank) for total, rank in zip(totals, places, strict=True)])


class TenDownView(BidView, frozen=True):
    options: Options
    first: Seat
    """Seat that bids first and leads to the first trick."""
    taken: tuple[int, ...]
    """Tricks taken in all finished rounds, by seat."""

    @property
    def ties(self) -> tuple[tuple[Seat, ...], ...]:
        groups: dict[tuple[int, int], list[Seat]] = {}
        for seat, result in enumerate(zip(self.totals, self.taken, strict=True)):
            groups.setdefault(result, []).append(seat)
        return tuple([tuple(group) for group in groups.values() if len(group) > 1])


class TenDownState(BidState[TenDownView]):
    __slots__ = ("arrivals", "taken", "trump")
    pack = TWO_PACKS_32
    options: Options

    def __init__(self, seats: int, options: Options) -> None:
        super().__init__(seats, options)
        self.taken: tuple[int, ...] = (0,) * seats
        self.arrivals = tuple(range(seats))
        """Seats in the order in which their players came to the table."""

    def set_arrivals(self, order: tuple[Seat, ...]) -> None:
        self.arrivals = order

    def clear(self) -> None:
        super().clear()
        self.trump: int | None = None

    @property
    def played(self) -> tuple[Cards, ...]:
        return tuple([normalize_copies(played) for played in super().played])

    def legal(self) -> Sequence[Action]:
        if self.bidding:
            hooked = bool(self.options.hook) and len(self.bids) == self.seats - 1
            return list_open_bids(self.cards, self.bids, hooked=hooked)
        return follow(self.hands[self.turn] & PACK_52, self.led)

    def apply(self, event: Event) -> None:
        if isinstance(event, Play):
            self.play(event.card)
        elif isinstance(event, Trump):
            self.trump, self.turn = event.suit, self.first_bidder
        else:
            super().apply(event)

    def deal(self, order: tuple[Card, ...]) -> None:
        self.cards = self.options.rounds - self.finished
        self.hands = [normalize_copies(hand) for hand in deal_hands(order, self.seats, self.cards)]
        self.dealt = tuple(self.hands)

    def play(self, card: Card) -> None:
        seat, bit, led = self.turn, BIT[card], self.led
        hand, second = self.hands[seat], bit << COPY_OFFSET
        self.hands[seat] = hand ^ (second if hand & second else bit)
        if not led:
            self.led = OF_SUIT[SUIT[card]]
        elif not bit & led:
            self.excluded_cards[seat] |= led
        self.add_to_trick(card)

    def taker(self, trick: Sequence[Card]) -> int:
        return self.options.find_winner(trick, self.trump)

    def end_round(self) -> None:
        turned = self.seats - self.first_bidder
        bids = self.bids[turned:] + self.bids[:turned]
        self.taken = tuple(map(add, self.taken, self.won))
        title, figures = CardsTitle(self.cards, self.trump), tuple(zip(bids, self.won, strict=True))
        self.record_score(title, figures, tuple(map(score_bid, bids, self.won)))

    def pending_chance_type(self) -> type[Chance]:
        return Trump if self.playing else Deal

    def draw_chance(self, rng: Random) -> Chance:
        return Trump(rng.randrange(len(SUITS))) if self.playing else super().draw_chance(rng)

    def is_possible_chance(self, chance: Chance) -> bool:
        return isinstance(chance, Trump) if self.playing else super().is_possible_chance(chance)

    def ranks(self) -> tuple[int, ...]:
        return compute_places(self.totals, self.taken, self.arrivals)

    def results(self) -> tuple[int, ...]:
        return compute_final_totals(self.totals, self.ranks())

    def view(self, seat: Seat) -> TenDownView:
        return TenDownView(
            **self.view_fields(seat),
            options=self.options,
            first=self.first_bidder,
            trump=self.trump,
            bids=tuple([self.find_bid(s) for s in range(self.seats)]),
            taken=self.taken,
        )

    def assert_invariants(self) -> None:
        all_cards = unite_piles([*self.hands, *self.played])
        assert not all_cards & ~TWO_PACKS_32
        assert all(normalize_copies(hand) == hand for hand in self.hands), "a hand reveals which copy it holds"
        if self.playing:
            assert all_cards.bit_count() == self.seats * self.cards
            assert not any(map(and_, self.hands, self.excluded_cards)), "a void seat has the suit"
        assert sum(self.won) * self.seats + len(self.trick) == sum(p.bit_count() for p in self.played)


def build_state(view: TenDownView, hands: list[Cards]) -> TenDownState:
    """Return the state that has the given hands, normalised or not, and agrees with the view in everything else."""
    state = TenDownState(len(view.totals), view.options)
    state.copy_trick_fields(view)
    state.taken, state.trump = view.taken, view.trump
    state.copy_bids(view, view.first)
    state.hands = [normalize_copies(hand) for hand in hands]
    state.dealt = tuple([unite_piles(piles) for piles in zip(state.hands, view.played, strict=True)])
    return state


def find_unseen_cards(view: TenDownView) -> Cards:
    return normalize_copies(TWO_PACKS_32 & ~unite_piles([view.hand, *view.played]))


def _sample_hands(view: TenDownView, rng: Random) -> list[Cards]:
    """Return random hands that are consistent with ``view``; empty hands between two rounds."""
    if not view.playing:
        return [0] * len(view.totals)
    unseen, banned = find_unseen_cards(view), find_banned_cards(view)
    return determinization.sample_hands(view.hand, view.seat, unseen, view.sizes, banned, rng)


def find_banned_cards(view: TenDownView) -> tuple[Cards, ...]:
    """Return, by seat, both copies of the cards that the seat has shown not to hold."""
    return tuple([void | void << COPY_OFFSET for void in view.excluded_cards])


class TenDownGame(BidGame[TenDownState, TenDownView]):
    """The game of Ten Down."""

    about = ABOUT
    options = Options
    view = TenDownView

    def start(self, seats: int, options: house.Options) -> TenDownState:
        assert isinstance(options, Options)
        return TenDownState(seats, options)

    def imagine(self, view: TenDownView, rng: Random) -> TenDownState:
        return build_state(view, _sample_hands(view, rng))

    def scene(self, view: TenDownView) -> tuple[Zone, ...]:
        """Return the hands and the trick.

        The second of two identical visible cards is shown as the second copy, so that both can be told apart.
        """
        seen, trick = view.hand, []
        for card in view.trick:
            visible_card = Card(card + COPY_OFFSET) if seen & BIT[card] else card
            seen |= BIT[visible_card]
            trick.append(visible_card)
        return (*hands_seen(view.seat, view.hand, view.sizes), Zone("trick", None, tuple(trick)))

    def find_winner(self, view: TenDownView, trick: Sequence[Card]) -> int:
        return view.options.find_winner(trick, view.trump)

    def explain_illegal(self, view: TenDownView, cards: Cards) -> str:
        first = normalize_copies(cards & view.hand)
        if first and any(action.cards_used() == first for action in view.legal):
            return f"Your two {NAME[lowest(first)]} are identical"
        return super().explain_illegal(view, cards)

    def narrate(self, event: Event, before: TenDownView, after: TenDownView) -> tuple[Note, ...]:
        if isinstance(event, Deal):
            return (Dealt(None, after.round, after.cards),)
        if isinstance(event, Trump):
            return (CustomLogEntry(None, f"{SUIT_WORDS[event.suit]}s are trump"),)
        return super().narrate(event, before, after)


GAME: Final = TenDownGame()
