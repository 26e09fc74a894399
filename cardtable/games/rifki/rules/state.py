"""Full state and view of Rifki, and the determinization of a view."""

from collections.abc import Hashable, Sequence
from operator import add, or_
from random import Random
from typing import Final, Self

from cardtable.engine import determinization, game, tricks
from cardtable.engine.cards import BIT, OF_SUIT, PACK_52, SUIT, Card, Cards, card, highest, mask_of
from cardtable.engine.chance import Deal, FirstSeatDraw, is_permutation_of, shuffled
from cardtable.engine.game import CHANCE, OVER, Action, Chance, Event, Score, Seat, State, competition_ranks
from cardtable.engine.tricks import PLAYS, Play, TrickView
from cardtable.games.rifki.rules.contracts import (
    CARDS,
    HEARTS_CARDS,
    ROUNDS,
    SEATS,
    SON_IKI,
    Contract,
    Options,
    choices,
)


class RifkiView(TrickView, frozen=True):
    """View of Rifki for one seat."""

    options: Options
    starter: Seat | None
    """Seat that declares the first contract of the session; ``None`` before it is known."""
    declarer: Seat | None
    declared: tuple[Contract, ...]
    """Contracts of the finished rounds, in order."""
    contract: Contract | None
    """Declared contract of the round; ``None`` before the declaration."""
    opening: bool
    """True until the first lead of the round: the contract may still be changed."""
    taken: tuple[Cards, ...]
    """Penalty cards taken, by seat."""
    counts: tuple[int, ...]
    """Scoring units of the contract taken, by seat."""
    hearts_shut: bool
    """True if a heart may be led only by a player who has no other suit."""
    absent_cards: tuple[Cards, ...]
    """By seat, cards that it has shown not to hold, by not playing them when it would have had to."""

    def declared_by(self, seat: Seat) -> tuple[Contract, ...]:
        """Return the contracts that ``seat`` has declared in finished rounds."""
        place = self.place(seat)
        return () if place is None else self.declared[place::SEATS]

    def place(self, seat: Seat) -> int | None:
        """Return the number of seats that declare before ``seat``, 0 to 3; ``None`` if the first is not known."""
        return None if self.starter is None else (seat - self.starter) * self.options.step % SEATS


_TWO_OF_DIAMONDS: Final = BIT[card("2D")]


class RifkiState(State[RifkiView]):
    """Full state of a Rifki session, all cards known."""

    __slots__ = (
        "best", "contract", "dealt", "declared", "finished", "hands", "hearts_shut", "absent_cards", "last_leader",
        "last_trick", "leader", "led", "opening", "options", "order", "overruffs", "owed", "penalties", "playing",
        "round", "score", "starter", "step", "taken", "totals", "trick", "turn", "won",
    )  # fmt: skip
    options: Options

    def __init__(self, options: Options) -> None:
        self.options, self.step = options, options.step
        self.turn: Seat = CHANCE
        self.round = self.finished = 0
        self.playing = False
        self.totals: tuple[int, ...] = (0,) * SEATS
        self.score: Score | None = None
        self.starter: Seat | None = None
        self.declared: tuple[Contract, ...] = ()
        self._clear([0] * SEATS)

    def _clear(self, hands: list[Cards]) -> None:
        self.hands, self.dealt = hands, tuple(hands)
        self.won, self.taken, self.absent_cards = [0] * SEATS, [0] * SEATS, [0] * SEATS
        self.opening = self.playing
        self.leader = self.last_leader = self.declarer or 0
        self.trick: tuple[Card, ...] = ()
        self.last_trick: tuple[Card, ...] = ()
        self.led: Cards = 0
        """All cards of the suit led; 0 on a lead."""
        self.best: Cards = 0
        """Highest card of the suit led in the trick."""
        self._agree(None)

    def _agree(self, contract: Contract | None) -> None:
        """Set the contract of the round."""
        self.contract = contract
        self.penalties = contract.penalties if contract else 0
        self.hearts_shut = contract is not None and contract.hearts_wait
        trump = contract.trump if contract else None
        self.order = tricks.order(trump)
        self.owed = self.penalties if trump is None else OF_SUIT[trump]
        """Cards that a player who cannot follow must play if possible."""
        self.overruffs = trump is not None and self.options.must_overruff == "on"

    @property
    def declarer(self) -> Seat | None:
        """Declarer of this round, or after it of the last one."""
        return None if self.starter is None else (self.starter + self.step * max(self.round - 1, 0)) % SEATS

    @property
    def played(self) -> tuple[Cards, ...]:
        """Cards that each seat has played in this round."""
        return tuple([dealt & ~hand for dealt, hand in zip(self.dealt, self.hands, strict=True)])

    def copy(self) -> Self:
        twin = self.__class__.__new__(self.__class__)
        twin.options, twin.turn, twin.round, twin.finished = self.options, self.turn, self.round, self.finished
        twin.playing, twin.totals, twin.score, twin.step = self.playing, self.totals, self.score, self.step
        twin.starter, twin.declared, twin.contract = self.starter, self.declared, self.contract
        twin.penalties, twin.owed, twin.overruffs = self.penalties, self.owed, self.overruffs
        twin.order, twin.opening, twin.hearts_shut = self.order, self.opening, self.hearts_shut
        twin.leader, twin.last_leader = self.leader, self.last_leader
        twin.trick, twin.last_trick, twin.led, twin.best = self.trick, self.last_trick, self.led, self.best
        twin.dealt, twin.hands, twin.absent_cards = self.dealt, self.hands[:], self.absent_cards[:]
        twin.won, twin.taken = self.won[:], self.taken[:]
        return twin

    def legal(self) -> Sequence[Action]:
        if self.opening:
            return self._declarations()
        hand, led = self.hands[self.turn], self.led
        if not led:
            return self._leads(hand)
        same = hand & led
        if same:
            return PLAYS[same & self.penalties & (self.best - 1) or same]
        owed = hand & self.owed
        if self.overruffs and owed:
            owed = owed & self._higher_trumps() or owed
        return PLAYS.of(owed or hand)

    def _leads(self, hand: Cards) -> Sequence[Play]:
        return PLAYS.of(hand & ~HEARTS_CARDS or hand) if self.hearts_shut else PLAYS.of(hand)

    def _declarations(self) -> Sequence[Action]:
        """Return the other contracts left and, once a contract is declared, the leads."""
        left = choices(self.declared, self.finished % SEATS)
        if self.contract is None:
            return left
        return (*[c for c in left if c != self.contract], *self._leads(self.hands[self.turn]))

    def _higher_trumps(self) -> Cards:
        """Return the trumps that beat every trump in the trick."""
        higher = self.owed
        for c in self.trick:
            if BIT[c] & self.owed:
                higher &= -2 * BIT[c]
        return higher

    def apply(self, event: Event) -> None:
        if isinstance(event, Play):
            self._play(event.card)
        elif isinstance(event, Contract):
            self._agree(event)
        elif isinstance(event, Deal):
            self._deal(event.order)
        elif isinstance(event, FirstSeatDraw):
            self.starter = event.seat
        else:
            raise TypeError(event)

    def _deal(self, order: Sequence[Card]) -> None:
        self.round = self.finished + 1
        self.playing = True
        hands = [mask_of(order[at : at + CARDS]) for at in range(0, CARDS * SEATS, CARDS)]
        holder = next(seat for seat, hand in enumerate(hands) if hand & _TWO_OF_DIAMONDS)
        tells = self.starter is None
        if tells:
            self.starter = holder
        self._clear(hands)
        if tells:
            self.absent_cards = [0 if seat == holder else _TWO_OF_DIAMONDS for seat in range(SEATS)]
        self.turn = self.leader

    def _play(self, card: Card) -> None:
        seat, bit, led = self.turn, BIT[card], self.led
        self.hands[seat] ^= bit
        if not led:
            self._lead(seat, card)
        elif bit & led:
            owed = led & self.penalties & (self.best - 1)
            if owed and not bit & owed:
                self.absent_cards[seat] |= owed
            self.best = max(self.best, bit)
        else:
            self._discard(seat, bit)
        self.trick = trick = (*self.trick, card)
        if len(trick) < SEATS:
            self.turn = (seat + self.step) % SEATS
        else:
            self._take_trick()

    def _lead(self, seat: Seat, card: Card) -> None:
        self.opening = False
        self.led, self.best = OF_SUIT[SUIT[card]], BIT[card]
        if self.hearts_shut and self.best & HEARTS_CARDS:
            self.absent_cards[seat] |= PACK_52 ^ HEARTS_CARDS
            self.hearts_shut = self.options.hearts_unlock == "discard"

    def _discard(self, seat: Seat, bit: Cards) -> None:
        """Record a card of another suit than that led, which shows cards that the seat does not hold."""
        lacks = self.led
        if not bit & self.owed:
            lacks |= self.owed
        elif self.overruffs:
            higher = self._higher_trumps()
            if not bit & higher:
                lacks |= higher
        self.absent_cards[seat] |= lacks
        if bit & HEARTS_CARDS:
            self.hearts_shut = False

    def _take_trick(self) -> None:
        trick, leader = self.trick, self.leader
        taker = (leader + self.step * self.order.winner(trick)) % SEATS
        self.won[taker] += 1
        self.last_leader, self.last_trick = leader, trick
        self.trick, self.led, self.best = (), 0, 0
        self.turn = self.leader = taker
        fallen = self.penalties and self.penalties & mask_of(trick)
        if fallen:
            self.taken[taker] |= fallen
            if sum(self.taken) == self.penalties:
                self._settle()
                return
        hand = self.hands[taker]
        if not hand:
            self._settle()
        elif not hand & (hand - 1):
            self._play_last_trick()

    def _play_last_trick(self) -> None:
        hands = self.hands
        self.trick = tuple([highest(hands[(self.leader + self.step * i) % SEATS]) for i in range(SEATS)])
        self.hands = [0] * SEATS
        self._take_trick()

    def position_key(self) -> Hashable:
        return self.turn, self.trick, tuple(self.hands), self.counts(), self.hearts_shut

    def counts(self) -> tuple[int, ...]:
        """Return the scoring units of the contract taken, by seat."""
        if self.penalties:
            return tuple([taken.bit_count() for taken in self.taken])
        if self.contract != SON_IKI:
            return tuple(self.won)
        last = [0] * SEATS
        if sum(self.won) == CARDS:
            last[self.last_leader] += 1
            last[self.leader] += 1
        return tuple(last)

    def _settle(self) -> None:
        contract = self.contract
        assert contract is not None
        counts = self.counts()
        points = tuple([contract.worth * count for count in counts])
        self.totals = tuple(map(add, self.totals, points))
        figures = tuple([(count,) for count in counts])
        self.score = Score(contract.named, figures, points, ((),) * SEATS, self.totals)
        self.declared = (*self.declared, contract)
        self.finished += 1
        self.playing = False
        self.dealt, self.hands = self.played, [0] * SEATS
        self.turn = OVER if self.finished == ROUNDS else CHANCE

    def cancel_round(self) -> None:
        self.playing = False
        self.turn = CHANCE
        self._clear([0] * SEATS)

    def pending_chance_type(self) -> type[Chance]:
        return FirstSeatDraw if self.starter is None and self.options.first_declarer == "lot" else Deal

    def draw_chance(self, rng: Random) -> Chance:
        return (
            FirstSeatDraw(rng.randrange(SEATS))
            if self.pending_chance_type() is FirstSeatDraw
            else Deal(shuffled(PACK_52, rng))
        )

    def is_possible_chance(self, chance: Chance) -> bool:
        if self.pending_chance_type() is FirstSeatDraw:
            return isinstance(chance, FirstSeatDraw) and chance.seat in range(SEATS)
        return isinstance(chance, Deal) and is_permutation_of(chance.order, PACK_52)

    def tricks(self) -> tuple[int, ...]:
        return tuple(self.won)

    def ranks(self) -> tuple[int, ...]:
        return competition_ranks(self.totals)

    def view(self, seat: Seat) -> RifkiView:
        return RifkiView(
            **self.common_view_fields(seat),
            options=self.options,
            starter=self.starter,
            declarer=self.declarer,
            declared=self.declared,
            contract=self.contract,
            opening=self.opening,
            hand=self.hands[seat],
            cards=CARDS,
            won=tuple(self.won),
            taken=tuple(self.taken),
            counts=self.counts(),
            leader=self.leader,
            trick=self.trick,
            last_leader=self.last_leader,
            last_trick=self.last_trick,
            hearts_shut=self.hearts_shut,
            played=self.played,
            absent_cards=tuple(self.absent_cards),
        )

    def assert_invariants(self) -> None:
        together = game.all_of([*self.hands, *self.played])
        if self.playing:
            assert together == PACK_52, "a card is missing"
            assert not any(h & lacks for h, lacks in zip(self.hands, self.absent_cards, strict=True)), (
                "a card it cannot hold"
            )
        assert not game.all_of(self.taken) & ~together & self.penalties
        assert not sum(self.totals) or self.finished < ROUNDS, "the session does not sum to 0"


def imagine(view: RifkiView, rng: Random) -> RifkiState:
    """Return a state that fits the view of a seat."""
    state = RifkiState(view.options)
    state._agree(view.contract)
    state.turn, state.round, state.finished, state.playing = view.turn, view.round, view.finished, view.playing
    state.totals, state.starter, state.declared = view.totals, view.starter, view.declared
    state.opening, state.leader, state.trick = view.opening, view.leader, view.trick
    state.last_leader, state.last_trick, state.hearts_shut = view.last_leader, view.last_trick, view.hearts_shut
    state.won, state.taken, state.absent_cards = list(view.won), list(view.taken), list(view.absent_cards)
    if view.trick:
        state.led = OF_SUIT[SUIT[view.trick[0]]]
        state.best = BIT[highest(mask_of(view.trick) & state.led)]
    state.hands = _guess(view, rng)
    state.dealt = tuple(map(or_, state.hands, view.played))
    return state


def _guess(view: RifkiView, rng: Random) -> list[Cards]:
    """Return random hands that fit the view."""
    if not view.playing:
        return [0] * SEATS
    seen = view.hand | game.all_of(view.played)
    return determinization.sample_hands(view.hand, view.seat, PACK_52 & ~seen, view.sizes, view.absent_cards, rng)
