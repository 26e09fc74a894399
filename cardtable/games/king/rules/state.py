"""State and view of King: naming the contract, play, offers, points."""

from collections.abc import Hashable, Sequence
from operator import and_, or_
from random import Random
from typing import Final, Self

from cardtable.engine import determinization, game
from cardtable.engine.cards import BIT, OF_SUIT, PACK_36, SUIT, Card, Cards, highest, mask_of
from cardtable.engine.chance import Deal, is_permutation_of, shuffled
from cardtable.engine.game import CHANCE, OVER, Action, Chance, Event, Score, Seat, State, competition_ranks
from cardtable.engine.tricks import PLAY, PLAYS, Play, TrickView
from cardtable.games.king.rules.actions import (
    CLAIM,
    FREE_TRICKS,
    OFFERS_UP_TO,
    ROUNDS,
    SEATS,
    STAKE,
    TAKES_UP_TO,
    Bargain,
    Claim,
    Naming,
    Offer,
    Options,
    Take,
    left,
    other_contracts,
    shares,
)
from cardtable.games.king.rules.contracts import (
    ACE_OF_HEARTS,
    ALL_HEARTS,
    KING,
    KING_OF_HEARTS,
    TRICKS,
    Contract,
    Kind,
)


class KingView(TrickView, frozen=True):
    """All information of one seat in King."""

    options: Options
    dealer: Seat
    contract: Contract | None
    """Contract of the round, which the dealer can change until the first lead; ``None`` before it is named."""
    declared: tuple[tuple[Contract, ...], ...]
    """Contracts that each dealer has played in finished rounds."""
    first: Card | None
    """First card of the round; until it is led the contract may be changed."""
    absent_cards: tuple[Cards, ...]
    """Cards that each seat has shown not to hold."""
    taken: tuple[Cards, ...]
    """Cards in the tricks that each seat has taken."""
    points: tuple[int, ...]
    """Points of each seat in this round."""
    bargains: tuple[Bargain, ...]
    """Offers of this round, with the answers."""
    unclaimed: int
    """Points still unclaimed of the offer that is being answered; 0 without an open offer."""
    offered: bool
    """True if the seat to act has already made an offer before playing this card."""

    @property
    def left(self) -> int:
        """Points left to collect in a negative contract; 0 in other contracts."""
        if self.contract is None or self.contract.kind is not Kind.NEGATIVE:
            return 0
        return STAKE + sum(self.points)

    @property
    def complete(self) -> int:
        """Number of complete tricks."""
        return sum(self.won)

    @property
    def scored(self) -> tuple[Cards, ...]:
        """Scoring cards taken by each seat."""
        scoring = self.contract.scoring if self.contract else 0
        return tuple([cards & scoring for cards in self.taken])

    @property
    def king_falls(self) -> bool:
        """True if this seat must play KH to the trick by rule K, not merely to follow suit."""
        if not self.trick:
            return False
        follows = self.hand & OF_SUIT[SUIT[self.trick[0]]]
        return sum([action.cards_used() for action in self.legal]) == KING != (follows or self.hand)


_KING: Final[tuple[Action, ...]] = (PLAY[KING_OF_HEARTS],)
_CLAIM: Final[tuple[Action, ...]] = (CLAIM,)
_NO_HEARTS: Final = PACK_36 & ~ALL_HEARTS


class KingState(State[KingView]):
    """Complete state of a session of King."""

    __slots__ = (
        "absent_cards", "bargains", "complete", "contract", "dealer", "dealt", "declared", "finished", "first",
        "hands", "last_leader", "last_trick", "leader", "led", "offered", "options", "playing", "points",
        "round", "score", "taken", "totals", "trick", "turn", "unclaimed",
    )  # fmt: skip
    options: Options

    def __init__(self, options: Options) -> None:
        self.options = options
        self.turn: Seat = CHANCE
        self.round = self.finished = 0
        self.playing = False
        self.totals: tuple[int, ...] = (0,) * SEATS
        self.score: Score | None = None
        self.declared: tuple[tuple[Contract, ...], ...] = ((),) * SEATS
        self._clear([0] * SEATS)

    def _clear(self, hands: list[Cards]) -> None:
        self.hands, self.dealt = hands, tuple(hands)
        self.dealer: Seat = max(self.round - 1, 0) % SEATS
        self.contract: Contract | None = None
        self.first: Card | None = None
        self.leader = self.last_leader = self.dealer
        self.trick: tuple[Card, ...] = ()
        self.last_trick: tuple[Card, ...] = ()
        self.led: Cards = 0
        self.complete = 0
        self.absent_cards, self.taken, self.points = [0] * SEATS, [0] * SEATS, [0] * SEATS
        self.bargains: tuple[Bargain, ...] = ()
        self.unclaimed = 0
        self.offered = False

    @property
    def played(self) -> tuple[Cards, ...]:
        """Cards that each seat has played in this round."""
        return tuple([dealt & ~hand for dealt, hand in zip(self.dealt, self.hands, strict=True)])

    def copy(self) -> Self:
        twin = self.__class__.__new__(self.__class__)
        twin.options, twin.turn, twin.round, twin.finished = self.options, self.turn, self.round, self.finished
        twin.playing, twin.totals, twin.score, twin.declared = self.playing, self.totals, self.score, self.declared
        twin.dealer, twin.contract, twin.first, twin.leader = self.dealer, self.contract, self.first, self.leader
        twin.trick, twin.last_leader, twin.last_trick = self.trick, self.last_leader, self.last_trick
        twin.led, twin.complete, twin.dealt = self.led, self.complete, self.dealt
        twin.bargains, twin.unclaimed, twin.offered = self.bargains, self.unclaimed, self.offered
        twin.hands, twin.absent_cards = self.hands[:], self.absent_cards[:]
        twin.taken, twin.points = self.taken[:], self.points[:]
        return twin

    def legal(self) -> Sequence[Action]:
        contract = self.contract
        if self.first is None:
            return self._before_the_first_lead()
        assert contract is not None
        if self.unclaimed:
            return TAKES_UP_TO[self.unclaimed]
        plays = self._plays(contract)
        if self.offered or contract.kind is not Kind.NEGATIVE or self.options.offers == "off":
            return plays
        return plays + (OFFERS_UP_TO[STAKE + sum(self.points)] if self.complete < FREE_TRICKS else _CLAIM)

    def _before_the_first_lead(self) -> Sequence[Action]:
        contract, namings = self.contract, left(self.declared[self.dealer])
        if contract is None:
            return namings
        leads = PLAYS.of(contract.leads(self.hands[self.dealer], first=True))
        return other_contracts(namings, contract) + leads

    def _plays(self, contract: Contract) -> tuple[Action, ...]:
        hand, led = self.hands[self.turn], self.led
        if not led:
            return PLAYS.of(contract.leads(hand, first=False))
        same = hand & led
        if contract.king_must_fall and hand & KING and (not same or self._under_ace()):
            return _KING
        return PLAYS[same] if same else PLAYS.of(hand)

    def _under_ace(self) -> bool:
        """Return True if KH must be played because AH is in the trick (option ``king_drop``)."""
        return self.led == ALL_HEARTS and ACE_OF_HEARTS in self.trick and self.options.king_drop == "under-ace"

    def apply(self, event: Event) -> None:
        if isinstance(event, Play):
            self._play(event.card)
        elif isinstance(event, Take):
            self._answer(event.points)
        elif isinstance(event, Offer):
            self._offer(event.points)
        elif isinstance(event, Naming):
            self.contract = event.contract
        elif isinstance(event, Claim):
            self.points[self.turn] -= STAKE + sum(self.points)
            self._settle()
        elif isinstance(event, Deal):
            self._deal(event.order)
        else:
            raise TypeError(event)

    def _deal(self, order: Sequence[Card]) -> None:
        self.round = self.finished + 1
        self._clear([mask_of(order[at : at + TRICKS]) for at in range(0, len(order), TRICKS)])
        self.playing = True
        self.turn = self.dealer

    def _play(self, card: Card) -> None:
        seat, bit, led, contract = self.turn, BIT[card], self.led, self.contract
        assert contract is not None
        self.hands[seat] ^= bit
        if not led:
            self.led = OF_SUIT[SUIT[card]]
            if self.first is None:
                self.first = card
            if contract.no_heart_leads and bit & ALL_HEARTS:
                self.absent_cards[seat] |= _NO_HEARTS
        else:
            if not bit & led:
                self.absent_cards[seat] |= led
            if contract.king_must_fall and bit != KING and (not bit & led or self._under_ace()):
                self.absent_cards[seat] |= KING
        self.offered = False
        self.trick = trick = (*self.trick, card)
        if len(trick) < SEATS:
            self.turn = (seat + 1) % SEATS
        else:
            self._take_trick(contract)

    def _take_trick(self, contract: Contract) -> None:
        trick = self.trick
        taker = (self.leader + contract.order.winner(trick)) % SEATS
        cards = BIT[trick[0]] | BIT[trick[1]] | BIT[trick[2]] | BIT[trick[3]]
        self.taken[taker] |= cards
        if contract.kind is Kind.POSITIVE:
            self.points = [p + share for p, share in zip(self.points, shares(self.dealer, taker), strict=True)]
        else:
            self.points[taker] += contract.gain(cards, self.complete)
        self.complete += 1
        self.last_leader, self.last_trick = self.leader, trick
        self.trick, self.led = (), 0
        self.turn = self.leader = taker
        hand = self.hands[taker]
        if not hand or (contract.kind is Kind.NEGATIVE and sum(self.points) == -STAKE):
            self._settle()
        elif not hand & (hand - 1):
            self._play_last_trick(contract)

    def _play_last_trick(self, contract: Contract) -> None:
        hands = self.hands
        self.trick = tuple([highest(hand) for hand in hands[self.leader :] + hands[: self.leader]])
        self.hands = [0] * SEATS
        self._take_trick(contract)

    def position_key(self) -> Hashable:
        return self.turn, self.trick, tuple(self.hands), tuple(self.points)

    def _offer(self, points: int) -> None:
        self.bargains = (*self.bargains, Bargain(self.turn, (points,)))
        self.unclaimed = STAKE + sum(self.points) - points
        self._ask_next()

    def _answer(self, points: int) -> None:
        *before, (seat, claims) = self.bargains
        self.bargains = (*before, Bargain(seat, (*claims, points)))
        self.unclaimed -= points
        self._ask_next()

    def _ask_next(self) -> None:
        """Pass the turn to the next seat to answer; end the round if all is claimed, else lapse after three answers."""
        seat, claims = self.bargains[-1]
        if not self.unclaimed:
            for place, claim in enumerate(claims):
                self.points[(seat + place) % SEATS] -= claim
            self._settle()
        elif len(claims) < SEATS:
            self.turn = (self.turn + 1) % SEATS
        else:
            self.turn, self.unclaimed, self.offered = seat, 0, True

    def _settle(self) -> None:
        """Score the round. Cards that have not been played remain hidden."""
        contract = self.contract
        assert contract is not None
        self.dealt, self.hands = self.played, [0] * SEATS
        self.trick, self.led, self.unclaimed = (), 0, 0
        declared = list(self.declared)
        declared[self.dealer] += (contract,)
        self.declared = tuple(declared)
        weight = contract.weight
        self.totals = tuple([t + weight * p for t, p in zip(self.totals, self.points, strict=True)])
        figures = tuple([(tricks,) for tricks in self.tricks()])
        self.score = Score(contract.named, figures, tuple(self.points), ((),) * SEATS, self.totals, weight)
        self.finished += 1
        self.playing = False
        self.turn = OVER if self.finished == ROUNDS else CHANCE

    def cancel_round(self) -> None:
        self.playing = False
        self.turn = CHANCE
        self._clear([0] * SEATS)

    def pending_chance_type(self) -> type[Chance]:
        return Deal

    def draw_chance(self, rng: Random) -> Chance:
        return Deal(shuffled(PACK_36, rng))

    def is_possible_chance(self, chance: Chance) -> bool:
        return isinstance(chance, Deal) and is_permutation_of(chance.order, PACK_36)

    def tricks(self) -> tuple[int, ...]:
        return tuple([cards.bit_count() // SEATS for cards in self.taken])

    def ranks(self) -> tuple[int, ...]:
        return competition_ranks(self.totals)

    def view(self, seat: Seat) -> KingView:
        return KingView(
            **self.common_view_fields(seat),
            options=self.options,
            dealer=self.dealer,
            contract=self.contract,
            declared=self.declared,
            hand=self.hands[seat],
            cards=TRICKS,
            first=self.first,
            won=self.tricks(),
            leader=self.leader,
            trick=self.trick,
            last_leader=self.last_leader,
            last_trick=self.last_trick,
            played=self.played,
            absent_cards=tuple(self.absent_cards),
            taken=tuple(self.taken),
            points=tuple(self.points),
            bargains=self.bargains,
            unclaimed=self.unclaimed,
            offered=self.offered,
        )

    def assert_invariants(self) -> None:
        together = game.all_of([*self.hands, *self.played])
        taken = game.all_of([*self.taken, mask_of(self.trick)])
        assert taken.bit_count() == SEATS * self.complete + len(self.trick)
        if self.playing:
            assert together == PACK_36
            assert taken == game.all_of(self.played)
            assert not any(map(and_, self.hands, self.absent_cards)), "a seat holds what it has shown to lack"


def imagine(view: KingView, rng: Random) -> KingState:
    """Sample a state that is consistent with the view: all hands that fit have the same probability."""
    state = KingState(view.options)
    state.turn, state.round, state.finished, state.playing = view.turn, view.round, view.finished, view.playing
    state.totals, state.dealer, state.contract = view.totals, view.dealer, view.contract
    state.declared, state.first, state.leader, state.trick = view.declared, view.first, view.leader, view.trick
    state.last_leader, state.last_trick, state.bargains = view.last_leader, view.last_trick, view.bargains
    state.unclaimed, state.offered = view.unclaimed, view.offered
    state.led = OF_SUIT[SUIT[view.trick[0]]] if view.trick else 0
    state.absent_cards, state.taken, state.points = list(view.absent_cards), list(view.taken), list(view.points)
    state.complete = view.complete
    state.hands = _guess(view, rng) if view.playing else [0] * SEATS
    state.dealt = tuple(map(or_, state.hands, view.played))
    return state


def _guess(view: KingView, rng: Random) -> list[Cards]:
    """Sample hands that fit the view, uniformly, by rejection."""
    unseen = PACK_36 & ~(view.hand | sum(view.played))
    while True:
        hands = determinization.sample_hands(view.hand, view.seat, unseen, view.sizes, view.absent_cards, rng)
        if _could_lead(view, hands[view.dealer] | view.played[view.dealer]):
            return hands


def _could_lead(view: KingView, dealt: Cards) -> bool:
    """Return True if the dealer's first lead was legal with this hand of nine cards: rules H and S restrict it."""
    if view.first is None or view.contract is None or not view.contract.king_must_fall:
        return True
    return bool(BIT[view.first] & view.contract.leads(dealt, first=True))
