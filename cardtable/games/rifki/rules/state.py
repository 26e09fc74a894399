"""State and view of Rifki, and the determinization of a view."""

from collections.abc import Hashable, Sequence
from random import Random
from typing import Annotated, Final

from cardtable.engine import determinization, game, tricks
from cardtable.engine.annotations import CountOf, OneOf
from cardtable.engine.cards import BIT, OF_SUIT, PACK_52, SUIT, Card, Cards, card, highest, mask_of
from cardtable.engine.chance import FirstSeatDraw
from cardtable.engine.game import Action, Chance, Event, Seat
from cardtable.engine.trick_game import TrickState
from cardtable.engine.tricks import PLAYS, Play, TrickView
from cardtable.games.rifki.rules.contracts import (
    CARDS_EACH,
    CONTRACTS,
    HEARTS_CARDS,
    SEATS,
    SON_IKI,
    Options,
    RifkiContract,
    list_available_contracts,
)


class RifkiView(TrickView, frozen=True):
    options: Options
    starter: Seat | None
    """Seat that declares the first contract of the session; ``None`` until it has been determined."""
    declarer: Seat | None
    declared: Annotated[tuple[RifkiContract, ...], CountOf(CONTRACTS)]
    """Contracts of the finished rounds, in order."""
    contract: Annotated[RifkiContract, OneOf(CONTRACTS)] | None
    """Contract of the round; ``None`` before the declaration."""
    opening: bool
    """True until the first card of the round is led; the declarer may change the contract until then."""
    taken: tuple[Cards, ...]
    """Penalty cards taken in the round, by seat."""
    counts: tuple[int, ...]
    """Number of the contract's scoring units taken in the round, by seat."""
    hearts_shut: bool
    """True while a heart may be led only by a player who has no other suit."""

    def list_declared(self, seat: Seat) -> tuple[RifkiContract, ...]:
        """Return the contracts that ``seat`` declared in finished rounds, in order."""
        index = self.get_declaring_index(seat)
        return () if index is None else self.declared[index::SEATS]

    def get_declaring_index(self, seat: Seat) -> int | None:
        """Return the position of ``seat`` in the order of declaring, 0 to 3.

        ``None`` if the first declarer is not known yet.
        """
        return None if self.starter is None else (seat - self.starter) * self.options.step % SEATS


_TWO_OF_DIAMONDS: Final = BIT[card("2D")]


class RifkiState(TrickState[RifkiView]):
    __slots__ = (
        "best", "contract", "declared", "hearts_shut", "opening", "order", "overruffs", "owed", "penalties", "starter",
        "step", "taken",
    )  # fmt: skip
    plays_last_trick = True
    options: Options
    taken: list[Cards]

    def __init__(self, options: Options) -> None:
        self.step = options.step
        self.starter: Seat | None = None
        self.declared: tuple[RifkiContract, ...] = ()
        super().__init__(SEATS, options)

    def clear(self) -> None:
        super().clear()
        self.taken = [0] * SEATS
        self.opening = self.playing
        self.best: Cards = 0
        """Highest card of the suit led in the trick."""
        self._set_contract(None)

    def _set_contract(self, contract: RifkiContract | None) -> None:
        """Set the contract of the round and everything derived from it; ``None`` clears the contract."""
        self.contract = contract
        self.penalties = contract.penalties if contract else 0
        self.hearts_shut = contract is not None and contract.hearts_wait
        trump = contract.trump if contract else None
        self.order = tricks.order(trump)
        self.owed = self.penalties if trump is None else OF_SUIT[trump]
        """Cards one of which a player who cannot follow suit must play if possible: penalty cards or trumps."""
        self.overruffs = trump is not None and bool(self.options.must_overruff)

    @property
    def declarer(self) -> Seat | None:
        """Declarer of the round in progress, or of the last round between two rounds; ``None`` until it is known."""
        return None if self.starter is None else (self.starter + self.step * max(self.round - 1, 0)) % SEATS

    @property
    def first_seat(self) -> Seat:
        """Declarer of the round; 0 before the first one is known."""
        return self.declarer or 0

    def legal(self) -> Sequence[Action]:
        if self.opening:
            return self._list_declarations()
        hand, led = self.hands[self.turn], self.led
        if not led:
            return self._list_leads(hand)
        same = hand & led
        if same:
            return PLAYS[same & self.penalties & (self.best - 1) or same]
        owed = hand & self.owed
        if self.overruffs and owed:
            owed = owed & self._find_higher_trumps() or owed
        return PLAYS.of(owed or hand)

    def _list_leads(self, hand: Cards) -> Sequence[Play]:
        return PLAYS.of(hand & ~HEARTS_CARDS or hand) if self.hearts_shut else PLAYS.of(hand)

    def _list_declarations(self) -> Sequence[Action]:
        """Return the contracts that the declarer may choose.

        After a declaration these are the other available contracts, to change it, and the leads that would confirm it.
        """
        left = list_available_contracts(self.declared, self.finished % SEATS, self.options.quota)
        if self.contract is None:
            return left
        return (*[c for c in left if c != self.contract], *self._list_leads(self.hands[self.turn]))

    def _find_higher_trumps(self) -> Cards:
        """Return all trumps that are higher than every trump in the trick, whoever holds them."""
        higher = self.owed
        for c in self.trick:
            if BIT[c] & self.owed:
                higher &= -2 * BIT[c]
        return higher

    def apply(self, event: Event) -> None:
        if isinstance(event, Play):
            self.play(event.card)
        elif isinstance(event, FirstSeatDraw):
            self.starter = event.seat
        else:
            super().apply(event)

    def act(self, action: Action) -> None:
        assert isinstance(action, RifkiContract)
        self._set_contract(action)

    def deal(self, order: tuple[Card, ...]) -> None:
        super().deal(order)
        if self.starter is None:  # the holder of the two of diamonds begins
            self.starter = next(seat for seat, hand in enumerate(self.hands) if hand & _TWO_OF_DIAMONDS)
            self.excluded_cards = [0 if seat == self.starter else _TWO_OF_DIAMONDS for seat in range(SEATS)]
            self.turn = self.leader = self.last_leader = self.starter

    def play(self, card: Card) -> None:
        seat, bit, led = self.turn, BIT[card], self.led
        self.hands[seat] ^= bit
        if not led:
            self._lead(seat, card)
        elif bit & led:
            owed = led & self.penalties & (self.best - 1)
            if owed and not bit & owed:
                self.excluded_cards[seat] |= owed
            self.best = max(self.best, bit)
        else:
            self._discard(seat, bit)
        self.add_to_trick(card)

    def _lead(self, seat: Seat, card: Card) -> None:
        self.opening = False
        self.led, self.best = OF_SUIT[SUIT[card]], BIT[card]
        if self.hearts_shut and self.best & HEARTS_CARDS:
            self.excluded_cards[seat] |= PACK_52 ^ HEARTS_CARDS
            self.hearts_shut = self.options.hearts_unlock == "discard"

    def _discard(self, seat: Seat, bit: Cards) -> None:
        """Record what a player who does not follow suit reveals about the cards missing from the hand."""
        lacks = self.led
        if not bit & self.owed:
            lacks |= self.owed
        elif self.overruffs:
            higher = self._find_higher_trumps()
            if not bit & higher:
                lacks |= higher
        self.excluded_cards[seat] |= lacks
        if bit & HEARTS_CARDS:
            self.hearts_shut = False

    def taker(self, trick: Sequence[Card]) -> int:
        return self.order.winner(trick)

    def record_trick(self, taker: Seat) -> bool:
        self.best = 0
        fallen = self.penalties and self.penalties & mask_of(self.last_trick)
        self.taken[taker] |= fallen
        return fallen != 0 and sum(self.taken) == self.penalties

    def position_key(self) -> Hashable:
        return self.turn, self.trick, tuple(self.hands), self.count_units(), self.hearts_shut

    def count_units(self) -> tuple[int, ...]:
        """Return the number of the contract's scoring units that each seat has taken in the round.

        The last two tricks of Son Iki are counted only after the round has ended.
        """
        if self.penalties:
            return tuple([taken.bit_count() for taken in self.taken])
        if self.contract != SON_IKI:
            return tuple(self.won)
        last = [0] * SEATS
        if sum(self.won) == CARDS_EACH:
            last[self.last_leader] += 1
            last[self.leader] += 1
        return tuple(last)

    def end_round(self) -> None:
        """Score the round. Cards that have not been played remain hidden."""
        contract, counts = self.contract, self.count_units()
        assert contract is not None
        self.declared = (*self.declared, contract)
        points = tuple([contract.worth * count for count in counts])
        self.record_score(contract.named, tuple([(count,) for count in counts]), points)
        self.dealt, self.hands = self.played, [0] * SEATS

    def pending_chance_type(self) -> type[Chance]:
        drawn = self.starter is None and self.options.first_declarer == "lot"
        return FirstSeatDraw if drawn else super().pending_chance_type()

    def draw_chance(self, rng: Random) -> Chance:
        drawn = self.pending_chance_type() is FirstSeatDraw
        return FirstSeatDraw(rng.randrange(SEATS)) if drawn else super().draw_chance(rng)

    def is_possible_chance(self, chance: Chance) -> bool:
        if self.pending_chance_type() is FirstSeatDraw:
            return isinstance(chance, FirstSeatDraw) and chance.seat in range(SEATS)
        return super().is_possible_chance(chance)

    def view(self, seat: Seat) -> RifkiView:
        return RifkiView(
            **self.trick_view_fields(seat),
            options=self.options,
            starter=self.starter,
            declarer=self.declarer,
            declared=self.declared,
            contract=self.contract,
            opening=self.opening,
            taken=tuple(self.taken),
            counts=self.count_units(),
            hearts_shut=self.hearts_shut,
        )

    def assert_invariants(self) -> None:
        super().assert_invariants()
        together = game.all_of([*self.hands, *self.played])
        if self.playing:
            assert together == PACK_52, "a card is missing"
        assert not game.all_of(self.taken) & ~together & self.penalties
        units = sum([contract.worth * contract.number for contract in self.declared])
        assert sum(self.totals) == units, "the totals are not the points of the contracts"
        if self.is_over() and self.options.length == "full":
            assert not units, "the session does not sum to 0"


def imagine(view: RifkiView, rng: Random) -> RifkiState:
    return build_state(view, _sample_hands(view, rng))


def build_state(view: RifkiView, hands: list[Cards]) -> RifkiState:
    """Return the state that has the given hands and agrees with the view in everything else."""
    state = RifkiState(view.options)
    state.copy_trick_fields(view)
    state._set_contract(view.contract)
    state.starter, state.declared, state.opening = view.starter, view.declared, view.opening
    state.hearts_shut, state.taken = view.hearts_shut, list(view.taken)
    if view.trick:
        state.best = BIT[highest(mask_of(view.trick) & state.led)]
    state.set_hands(hands, view)
    return state


def _sample_hands(view: RifkiView, rng: Random) -> list[Cards]:
    """Return random hands that are consistent with ``view``; empty hands between two rounds."""
    if not view.playing:
        return [0] * SEATS
    unseen = find_unseen_cards(view)
    return determinization.sample_hands(view.hand, view.seat, unseen, view.sizes, view.excluded_cards, rng)


def find_unseen_cards(view: RifkiView) -> Cards:
    return PACK_52 & ~game.all_of([view.hand, *view.played])
