"""Rules of Rifki, the Turkish King: each round has a contract to avoid certain cards or to win tricks.

``rules.md`` explains the game to players.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Annotated, Final, Literal, NamedTuple

from cardtable.engine import determinization, tricks
from cardtable.engine import options as house
from cardtable.engine.annotations import CountOf, OneOf
from cardtable.engine.cards import (
    ACE,
    BIT,
    HEARTS,
    JACK,
    KING,
    OF_RANK,
    OF_SUIT,
    PACK_52,
    QUEEN,
    SUIT,
    SUIT_WORDS,
    Card,
    Cards,
    all_of,
    card,
    cards,
    highest,
    iter_cards,
    mask_of,
)
from cardtable.engine.chance import Deal, FirstSeatDraw
from cardtable.engine.game import (
    Action,
    Chance,
    Contract,
    Declaration,
    Event,
    Game,
    Note,
    Seat,
    TrickStatus,
    Zone,
)
from cardtable.engine.log_entries import CustomLogEntry, Dealt, PlayedCard, TookTrick
from cardtable.engine.presentation import hands_seen
from cardtable.engine.round_state import points_entries
from cardtable.engine.trick_game import TrickState
from cardtable.engine.tricks import PLAYS, Play, TrickView
from cardtable.games.rifki import ABOUT

SEATS: Final = 4
CARDS_EACH: Final = 13
"""Number of cards dealt to each player, which is also the largest number of tricks in a round."""
TIMES_EACH: Final = 2
"""Number of times that each negative contract can be played in a session; in a full one, all of them are."""
HEARTS_CARDS: Final = OF_SUIT[HEARTS]


class RifkiContract(Declaration, frozen=True, tag="contract"):
    """Declaration of a contract, with the scoring of its round."""

    name: str
    named: Contract
    """Contract as shown on the screen."""
    unit: str
    """Name of one scoring unit, with its article: ``a queen``."""
    number: int
    """Number of scoring units in a round."""
    worth: int
    """Points for each scoring unit; negative if the unit is a penalty."""
    penalties: Cards = 0
    """Penalty cards, each of which is a scoring unit; 0 if the units are tricks."""
    trump: int | None = None
    hearts_wait: bool = False
    """True if hearts may not be led until the house rule ``hearts_unlock`` allows it."""

    @classmethod
    def list_values(cls) -> "tuple[RifkiContract, ...]":
        return CONTRACTS

    @property
    def notation(self) -> str:
        return self.name


RIFKI: Final = RifkiContract("rifki", Contract("Rifki"), "the king of hearts", 1, -320, cards("KH"), hearts_wait=True)
KIZ: Final = RifkiContract("kiz", Contract("Kiz"), "a queen", 4, -100, OF_RANK[QUEEN])
ERKEK: Final = RifkiContract("erkek", Contract("Erkek"), "a king or jack", 8, -60, OF_RANK[KING] | OF_RANK[JACK])
KUPA: Final = RifkiContract("kupa", Contract("Kupa"), "a heart", 13, -30, HEARTS_CARDS, hearts_wait=True)
SON_IKI: Final = RifkiContract("son-iki", Contract("Son Iki"), "one of the last two tricks", 2, -180)
EL_ALMAZ: Final = RifkiContract("el-almaz", Contract("El Almaz"), "a trick", 13, -50)
NEGATIVE_CONTRACTS: Final = (RIFKI, KIZ, ERKEK, KUPA, SON_IKI, EL_ALMAZ)
TRUMP_CONTRACTS: Final = tuple(
    [
        RifkiContract(f"{word}s", Contract("Koz", suit), "a trick", 13, 50, trump=suit)
        for suit, word in enumerate(SUIT_WORDS)
    ]
)
"""Trump contracts, indexed by suit."""
CONTRACTS: Final = (*NEGATIVE_CONTRACTS, *TRUMP_CONTRACTS)


class Quota(NamedTuple):
    """Number of contracts of each kind that a player declares in a session, or has still to declare."""

    negative: int
    trump: int

    def count_left(self, declared: Sequence[RifkiContract]) -> "Quota":
        """Return the number of contracts of each kind left to a player who has declared ``declared``."""
        trumps = sum([contract.trump is not None for contract in declared])
        return Quota(self.negative - len(declared) + trumps, self.trump - trumps)


FULL_SESSION: Final = Quota(3, 2)
SHORT_SESSION: Final = Quota(2, 1)


def list_available_contracts(declared: Sequence[RifkiContract], index: int, quota: Quota) -> tuple[RifkiContract, ...]:
    """Return the contracts that the next declarer may still choose; there is always at least one.

    ``declared`` lists the contracts of all finished rounds in order. ``index`` is the position of the declarer in the
    order of declaring: the player at position p declares rounds p, p + 4, p + 8 and so on, counted from 0. ``quota`` is
    what each player declares in a session.

    A player who still has to declare a negative contract always finds one, since all players together declare at most
    as many of them as may be played.
    """
    left = quota.count_left(declared[index::SEATS])
    negatives = [c for c in NEGATIVE_CONTRACTS if declared.count(c) < TIMES_EACH] if left.negative else []
    return (*negatives, *(TRUMP_CONTRACTS if left.trump else ()))


@dataclass(frozen=True, slots=True)
class Options(house.CommonOptions):
    must_overruff: house.OnOff = house.choice(
        "Which trump you must play in Koz when others have trumped",
        {"off": "any trump", "on": "a higher one"},
        label="Over a trump",
    )
    hearts_unlock: Literal["discard", "any"] = house.choice(
        "When hearts may be led in Rifki and Kupa",
        {"discard": "once discarded", "any": "once played"},
        label="Lead hearts",
    )
    first_declarer: Literal["lot", "2d"] = house.choice(
        "Who declares the first contract", {"lot": "at random", "2d": "holder of 2♦"}
    )
    direction: Literal["counter-clockwise", "clockwise"] = house.choice(
        "Direction of play, declaring and dealing",
        {"counter-clockwise": "counter-clockwise", "clockwise": "clockwise"},
    )
    length: Literal["full", "short"] = house.choice(
        "Length of a session; in 12 rounds each player declares 2 negative contracts and 1 Koz",
        {"full": "20 rounds", "short": "12 rounds"},
        added_later=True,
    )

    @property
    def quota(self) -> Quota:
        return FULL_SESSION if self.length == "full" else SHORT_SESSION

    @property
    def rounds(self) -> int:
        return SEATS * sum(self.quota)

    @property
    def step(self) -> int:
        """Number to add to a seat, modulo 4, to get the next seat to act: 1 or -1."""
        return -1 if self.direction == "counter-clockwise" else 1


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
        return self.turn, self.trick, tuple(self.hands), self.counts, self.hearts_shut

    @property
    def counts(self) -> tuple[int, ...]:
        """By seat, the number of the contract's scoring units taken in the round.

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
        contract, counts = self.contract, self.counts
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

    def assert_invariants(self) -> None:
        super().assert_invariants()
        together = all_of([*self.hands, *self.played])
        if self.playing:
            assert together == PACK_52, "a card is missing"
        assert not all_of(self.taken) & ~together & self.penalties
        units = sum([contract.worth * contract.number for contract in self.declared])
        assert sum(self.totals) == units, "the totals are not the points of the contracts"
        if self.is_over() and self.options.length == "full":
            assert not units, "the session does not sum to 0"


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
    return PACK_52 & ~all_of([view.hand, *view.played])


_ACE_OF_HEARTS: Final = OF_RANK[ACE] & HEARTS_CARDS


class RifkiGame(Game[RifkiState, RifkiView]):
    """The game of Rifki."""

    about = ABOUT
    options = Options
    view = RifkiView
    actions = (RifkiContract, Play)
    columns = ("taken",)
    rounds_independent = True

    def start(self, _seats: int, options: house.Options) -> RifkiState:
        assert isinstance(options, Options)
        return RifkiState(options)

    def imagine(self, view: RifkiView, rng: Random) -> RifkiState:
        return build_state(view, _sample_hands(view, rng))

    def scene(self, view: RifkiView) -> tuple[Zone, ...]:
        """Return the hands, the trick, and the penalty cards in front of the seats that have taken them."""
        hands = hands_seen(view.seat, view.hand, view.sizes)
        taken = [Zone("taken", seat, tuple(iter_cards(cards))) for seat, cards in enumerate(view.taken)]
        return (*hands, Zone("trick", None, view.trick), *taken)

    def explain_illegal(self, view: RifkiView, cards: Cards) -> str:
        """Return the reason why ``cards`` cannot be played now.

        If ``cards`` is 0, return why no other contract can be declared.
        """
        contract = view.contract
        if contract is None:
            return "Declare a contract first"
        if not cards:
            return "You have no other contract left" if view.opening else "Play a card"
        if cards & ~view.hand or cards & (cards - 1):
            return "You do not hold that card"
        if not view.trick:
            verb = "discarded" if view.options.hearts_unlock == "discard" else "played"
            return f"No heart has been {verb} yet: lead another suit"
        led = SUIT[view.trick[0]]
        if view.hand & OF_SUIT[led]:
            if not cards & OF_SUIT[led]:
                return tricks.format_must_follow(view.led)
            return f"You must play {contract.unit} under the higher {SUIT_WORDS[led]}"
        if contract.trump is None:
            return f"You must discard {contract.unit}"
        trump = SUIT_WORDS[contract.trump]
        if cards & OF_SUIT[contract.trump]:
            return f"You must beat the {trump}s in the trick"
        return f"You must trump: play a {trump}"

    def explain_card(self, view: RifkiView, card: Card) -> str | None:
        """Return what a card of the player's hand costs or must do in the contract; ``None`` before the declaration."""
        contract, bit = view.contract, BIT[card]
        if contract is None:
            return None
        if contract.trump is not None:
            return "A trump: it beats every card of the other suits." if SUIT[card] == contract.trump else None
        if bit & contract.penalties:
            return f"Costs its taker {-contract.worth}; it must go under a higher card."
        if contract == RIFKI and bit == _ACE_OF_HEARTS and not contract.penalties & (view.hand | all_of(view.played)):
            return "In a heart trick it forces KH out."
        if view.hearts_shut and bit & HEARTS_CARDS and view.hand & ~HEARTS_CARDS:
            verb = "discarded" if view.options.hearts_unlock == "discard" else "played"
            return f"May not be led until a heart has been {verb}."
        return None

    def narrate(self, event: Event, before: RifkiView, after: RifkiView) -> tuple[Note, ...]:
        if isinstance(event, FirstSeatDraw):
            return (CustomLogEntry(event.seat, "declares first", "declare first"),)
        if isinstance(event, Deal):
            return (Dealt(None, after.round),)
        notes: list[Note] = []
        if isinstance(event, RifkiContract):
            they, you = ("declares", "declare") if before.contract is None else ("changes to", "change to")
            notes.append(CustomLogEntry(before.turn, f"{they} {event.named.words}", f"{you} {event.named.words}"))
        elif isinstance(event, Play):
            notes.append(PlayedCard(before.turn, event.card))
            if len(before.trick) == SEATS - 1:
                notes += _narrate_tricks(before, after, event)
        if after.finished > before.finished:
            notes += _narrate_points(before, after)
        return tuple(notes)

    def trick(self, view: RifkiView) -> TrickStatus:
        trump = view.contract.trump if view.contract else None
        return tricks.trick_status(view, tricks.order(trump).winner, view.options.step)

    def contract(self, view: RifkiView) -> Contract | None:
        return view.contract.named if view.contract else None

    def dealer_or_declarer(self, view: RifkiView) -> tuple[str, Seat] | None:
        return None if view.declarer is None else ("declarer", view.declarer)


def explain_closed_contract(view: RifkiView, contract: RifkiContract) -> str:
    """Return the reason why ``contract``, which is not legal, cannot be declared by the view's seat."""
    if contract == view.contract:
        return "Current contract. Lead a card, or pick another."
    is_full = view.options.length == "full"
    if contract.trump is not None:
        return "You have declared both your trump contracts" if is_full else "You have declared your trump contract"
    if not view.options.quota.count_left(view.list_declared(view.seat)).negative:
        return f"You have declared {'all 3 of' if is_full else 'both'} your negative contracts"
    return f"{contract.named} has been played twice already"


def _narrate_tricks(before: RifkiView, after: RifkiView, event: Play) -> list[Note]:
    """Return the log entries of the trick that ``event`` completes.

    If each hand is left with one card, the last trick is played automatically and has its own entry.
    """
    contract = before.contract
    assert contract is not None
    trick = (*before.trick, event.card)
    taken = [(before.leader, trick)]
    if after.last_trick != trick:
        taken.append((after.last_leader, after.last_trick))
    notes: list[Note] = []
    for leader, trick in taken:
        taker = (leader + before.options.step * tricks.order(contract.trump).winner(trick)) % SEATS
        penalties = iter_cards(mask_of(trick) & contract.penalties)
        notes.append(TookTrick(taker, last=bool(notes), cards=tuple(penalties)))
    return notes


def _narrate_points(before: RifkiView, after: RifkiView) -> tuple[Note, ...]:
    """Return the log entries of a finished round: an early end, if any, and the points of each seat."""
    early: list[Note] = (
        [CustomLogEntry(None, "the last penalty card has been taken: the round is over")]
        if sum(after.won) < CARDS_EACH
        else []
    )
    return (*early, *points_entries(before, after))


GAME: Final = RifkiGame()
