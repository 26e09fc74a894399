"""Rules of Gurka. Rules page for players: ``rules.md``."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from operator import add, or_
from random import Random
from typing import Final, Self

from cardtable.engine import determinization, game
from cardtable.engine import options as house
from cardtable.engine.cards import (
    ACE,
    BIT,
    OF_RANK,
    PACK_52,
    RANK,
    RANK_TEXT,
    RANK_WORDS,
    SUIT,
    Card,
    Cards,
    highest,
    mask_of,
)
from cardtable.engine.chance import Deal, is_permutation_of, shuffled
from cardtable.engine.game import (
    CHANCE,
    LAST_CARD,
    OVER,
    Action,
    Chance,
    Event,
    Game,
    HighTitle,
    Note,
    Score,
    Seat,
    State,
    Zone,
    competition_ranks,
)
from cardtable.engine.log_entries import CustomLogEntry, Dealt, MadePoints, Manner, PlayedCard, TookTrick
from cardtable.engine.tricks import PLAYS, Play, TrickView, trick_status
from cardtable.games.gurka import ABOUT

NOTHING: Final = -1
"""Highest rank of an empty trick."""
_EACH_SUIT: Final = 1 | 1 << 13 | 1 << 26 | 1 << 39


@dataclass(frozen=True, slots=True)
class Options(house.Options):
    seats: int = house.choice("Seats at the table", {4: "four", 6: "six"})
    ace_rule: str = house.choice(
        "When an ace makes everybody after it play a lowest card",
        {
            "any": "whenever one lies in the trick",
            "led-only": "only when it was the card led",
            "off": "never, an ace is just the highest card",
        },
    )
    must_head: str = house.choice(
        "Whether you must head if you can", {"off": "no, you may play a lowest card instead", "on": "yes"}
    )
    limit: int = house.choice(
        "The session ends when a total is over this", {30: "30 points", 21: "21 points", 50: "50 points"}
    )
    round_clock: str | int = house.round_clock()
    open_hands: str = house.open_hands()

    def for_seats(self, seats: int) -> Self:
        return self if seats == self.seats else replace(self, seats=seats)

    def ended(self, totals: Sequence[int]) -> bool:
        """Return True if the session ends at these totals."""
        return max(totals) > self.limit

    def bound(self, trick: Sequence[Card]) -> bool:
        """Return True if an ace in this trick forces the next seat to play its lowest card."""
        return any(RANK[c] == ACE and self.ace_binds(lying) for lying, c in enumerate(trick))

    def ace_binds(self, lying: int) -> bool:
        """Return True if an ace binds the following seats when played after ``lying`` other cards of the trick."""
        return self.ace_rule == "any" or (self.ace_rule == "led-only" and not lying)


def lowest(hand: Cards) -> Cards:
    """Return the cards of the lowest rank in a non-empty hand."""
    ranks = (hand | hand >> 13 | hand >> 26 | hand >> 39) & 0x1FFF
    return hand & (ranks & -ranks) * _EACH_SUIT


def winner(trick: Sequence[Card]) -> int:
    """Return the index of the card that takes a trick, given in order of play: the last of the highest."""
    best = 0
    for i, c in enumerate(trick):
        if RANK[c] >= RANK[trick[best]]:
            best = i
    return best


def play_effect(card: Card, before: Sequence[Card], options: Options) -> Manner:
    """Return the effect of a card on the trick ``before`` it: ``leads``, ``heads`` or ``lowest``."""
    if not before:
        return "leads"
    if options.bound(before) or RANK[card] < RANK[before[winner(before)]]:
        return "lowest"
    return "heads"


def worth(card: Card) -> int:
    """Return the points for a card: 2 to 10 face value, jack 11, queen 12, king 13, ace 14."""
    return RANK[card] + 2


def scored(last: Sequence[int]) -> tuple[int, ...]:
    """Return the points by seat, given the values of the cards in the last trick: the highest value scores."""
    most = max(last)
    return tuple([value if value == most else 0 for value in last])


CARDS_EACH: Final = 7
BELOW: Final = tuple(sum(OF_RANK[:rank]) for rank in range(13))
"""Cards lower than each rank."""
FROM: Final = tuple(sum(OF_RANK[rank:]) for rank in range(13))
"""Cards of each rank and higher."""


class GurkaView(TrickView, frozen=True):
    """All information of one seat in Gurka."""

    options: Options
    dealer: Seat
    absent_cards: tuple[Cards, ...]
    """Cards that each seat has shown not to hold, by playing a lowest card."""
    past: tuple[tuple[Card, ...], ...]
    """Complete tricks of this round, in order."""

    @property
    def best(self) -> Card | None:
        """Card that is winning the trick."""
        return self.trick[winner(self.trick)] if self.trick else None

    @property
    def bound(self) -> bool:
        """True if an ace forces the next seat to play its lowest card."""
        return self.options.bound(self.trick)


class GurkaState(State[GurkaView]):
    """Complete state of a session of Gurka."""

    __slots__ = (
        "absent_cards", "bound", "dealer", "dealt", "finished", "hands", "last_leader", "leader", "must_head", "options",
        "past", "playing", "round", "score", "seats", "top", "totals", "trick", "turn", "won",
    )  # fmt: skip
    options: Options

    def __init__(self, options: Options) -> None:
        self.options, self.seats, self.must_head = options, options.seats, options.must_head == "on"
        self.turn: Seat = CHANCE
        self.round = self.finished = 0
        self.playing = False
        self.totals: tuple[int, ...] = (0,) * self.seats
        self.score: Score | None = None
        self._clear([0] * self.seats)

    def _clear(self, hands: list[Cards]) -> None:
        self.hands, self.dealt = hands, tuple(hands)
        self.won, self.absent_cards = [0] * self.seats, [0] * self.seats
        self.dealer: Seat = max(self.round - 1, 0) % self.seats
        self.leader = self.last_leader = self.dealer
        self.trick: tuple[Card, ...] = ()
        self.top, self.bound = NOTHING, False
        self.past: tuple[tuple[Card, ...], ...] = ()

    @property
    def played(self) -> tuple[Cards, ...]:
        """Cards that each seat has played in this round."""
        return tuple([dealt & ~hand for dealt, hand in zip(self.dealt, self.hands, strict=True)])

    def copy(self) -> Self:
        twin = self.__class__.__new__(self.__class__)
        twin.options, twin.seats, twin.must_head = self.options, self.seats, self.must_head
        twin.turn, twin.round, twin.finished = self.turn, self.round, self.finished
        twin.playing, twin.totals, twin.score = self.playing, self.totals, self.score
        twin.dealer, twin.leader, twin.last_leader = self.dealer, self.leader, self.last_leader
        twin.trick, twin.past, twin.top, twin.bound = self.trick, self.past, self.top, self.bound
        twin.dealt, twin.hands, twin.won, twin.absent_cards = (
            self.dealt,
            self.hands[:],
            self.won[:],
            self.absent_cards[:],
        )
        return twin

    def legal(self) -> Sequence[Action]:
        hand = self.hands[self.turn]
        if self.top == NOTHING:
            return PLAYS.of(hand)
        heads = 0 if self.bound else hand & FROM[self.top]
        if heads and self.must_head:
            return PLAYS.of(heads)
        return PLAYS.of(heads | lowest(hand))

    def apply(self, event: Event) -> None:
        if isinstance(event, Play):
            self._play(event.card)
        elif isinstance(event, Deal):
            self._deal(event.order)
        else:
            raise TypeError(event)

    def _deal(self, order: Sequence[Card]) -> None:
        self.round = self.finished + 1
        self._clear([mask_of(order[at : at + CARDS_EACH]) for at in range(0, CARDS_EACH * self.seats, CARDS_EACH)])
        self.playing = True
        self.turn = self.dealer

    def _play(self, card: Card) -> None:
        seat, rank = self.turn, RANK[card]
        self.hands[seat] ^= BIT[card]
        if self.bound:
            self.absent_cards[seat] |= BELOW[rank]
        elif rank < self.top:
            self.absent_cards[seat] |= BELOW[rank] | (FROM[self.top] if self.must_head else 0)
        else:
            self.top = rank
            if rank == ACE:
                self.bound = self.options.bound((*self.trick, card))
        self.trick = trick = (*self.trick, card)
        if len(trick) < self.seats:
            self.turn = (seat + 1) % self.seats
        else:
            self._take_trick()

    def _take_trick(self) -> None:
        taker = (self.leader + winner(self.trick)) % self.seats
        self.won[taker] += 1
        self.last_leader, self.past = self.leader, (*self.past, self.trick)
        self.trick, self.top, self.bound = (), NOTHING, False
        self.turn = self.leader = taker
        hand = self.hands[taker]
        if not hand:
            self._settle()
        elif not hand & (hand - 1):
            self._play_last_trick()

    def _play_last_trick(self) -> None:
        hands = self.hands
        self.trick = tuple([highest(hand) for hand in hands[self.leader :] + hands[: self.leader]])
        self.hands = [0] * self.seats
        self._take_trick()

    def position_key(self) -> Hashable:
        return self.turn, self.trick, tuple(self.hands)

    def _settle(self) -> None:
        first, trick = self.seats - self.last_leader, self.past[-1]
        last = [worth(c) for c in trick[first:] + trick[:first]]
        points = scored(last)
        self.totals = tuple(map(add, self.totals, points))
        highest = trick[winner(trick)]
        title = HighTitle(RANK[highest], SUIT[highest])
        figures = tuple([(value,) for value in last])
        self.score = Score(title, figures, points, ((),) * self.seats, self.totals)
        self.finished += 1
        self.playing = False
        self.turn = OVER if self.options.ended(self.totals) else CHANCE

    def cancel_round(self) -> None:
        self.playing = False
        self.turn = CHANCE
        self._clear([0] * self.seats)

    def pending_chance_type(self) -> type[Chance]:
        return Deal

    def draw_chance(self, rng: Random) -> Chance:
        return Deal(shuffled(PACK_52, rng))

    def is_possible_chance(self, chance: Chance) -> bool:
        return isinstance(chance, Deal) and is_permutation_of(chance.order, PACK_52)

    def tricks(self) -> tuple[int, ...]:
        return tuple(self.won)

    def ranks(self) -> tuple[int, ...]:
        return competition_ranks(self.totals, lowest_wins=True)

    def view(self, seat: Seat) -> GurkaView:
        return GurkaView(
            **self.common_view_fields(seat),
            options=self.options,
            dealer=self.dealer,
            hand=self.hands[seat],
            cards=CARDS_EACH,
            won=tuple(self.won),
            leader=self.leader,
            trick=self.trick,
            last_leader=self.last_leader,
            last_trick=self.past[-1] if self.past else (),
            played=self.played,
            absent_cards=tuple(self.absent_cards),
            past=self.past,
        )

    def assert_invariants(self) -> None:
        together = game.all_of([*self.hands, *self.played])
        if self.playing:
            assert together.bit_count() == CARDS_EACH * self.seats
            assert not any(h & a for h, a in zip(self.hands, self.absent_cards, strict=True)), (
                "a card that was shown absent"
            )
        assert sum(self.won) * self.seats + len(self.trick) == sum(p.bit_count() for p in self.played)
        assert self.bound == self.options.bound(self.trick)


def start(seats: int, options: house.Options) -> GurkaState:
    assert isinstance(options, Options)
    assert seats == options.seats
    return GurkaState(options)


def imagine(view: GurkaView, rng: Random) -> GurkaState:
    """Sample a state that is consistent with the view."""
    return state_of(view, guess(view, rng))


def state_of(view: GurkaView, hands: list[Cards]) -> GurkaState:
    """Return the state of the view with the given hands."""
    state = GurkaState(view.options)
    state.round, state.finished, state.playing = view.round, view.finished, view.playing
    state.totals, state.turn = view.totals, view.turn
    state._clear(hands)
    state.won, state.absent_cards = list(view.won), list(view.absent_cards)
    state.leader, state.last_leader = view.leader, view.last_leader
    state.trick, state.past = view.trick, view.past
    if view.best is not None:
        state.top, state.bound = RANK[view.best], view.bound
    state.dealt = tuple(map(or_, state.hands, view.played))
    return state


def guess(view: GurkaView, rng: Random) -> list[Cards]:
    """Sample hands that are consistent with the view."""
    if not view.playing:
        return [0] * len(view.totals)
    unseen = PACK_52 & ~(view.hand | game.all_of(view.played))
    return determinization.sample_hands(view.hand, view.seat, unseen, view.sizes, view.absent_cards, rng)


def scene(view: GurkaView) -> tuple[Zone, ...]:
    """Return the hands and the trick."""
    return (*game.hands_seen(view.seat, view.hand, view.sizes), Zone("trick", None, view.trick))


def explain_illegal(view: GurkaView, cards: Cards) -> str:
    """Explain why these cards cannot be chosen now."""
    if view.turn != view.seat:
        return "It is not your turn"
    if not cards & view.hand or view.best is None:
        return "You do not hold that card"
    if view.bound:
        return f"An ace {'was led' if view.options.ace_rule == 'led-only' else 'is down'}: play your lowest card"
    if not view.hand & FROM[RANK[view.best]]:
        return f"You cannot head the {RANK_WORDS[RANK[view.best]]}: play your lowest"
    if view.options.must_head == "on":
        return f"You must head: play {_heading_phrase(view.best)}"
    return f"Play {_heading_phrase(view.best)}, or your lowest"


def _heading_phrase(card: Card) -> str:
    """Describe the ranks that head this card, for a sentence."""
    rank = RANK_WORDS[RANK[card]]
    article, suffix = "an" if rank[0] in "ae" else "a", "" if RANK[card] == ACE else " or higher"
    return f"{article} {rank}{suffix}"


def or_higher(card: Card) -> str:
    """Describe the ranks that head this card, in short."""
    return "an ace" if RANK[card] == ACE else f"{RANK_TEXT[card]} or higher"


def narrate(event: Event, before: GurkaView, after: GurkaView) -> tuple[Note, ...]:
    """Return the log entries of an event."""
    if isinstance(event, Deal):
        return (Dealt(None, after.round, CARDS_EACH),)
    if not isinstance(event, Play):
        return ()
    notes: list[Note] = [PlayedCard(before.turn, event.card, play_effect(event.card, before.trick, before.options))]
    trick = (*before.trick, event.card)
    if len(trick) == len(before.totals):
        notes.append(TookTrick(_taker(before.leader, trick)))
    elif before.options.bound(trick) and not before.bound:
        notes.append(CustomLogEntry(None, "an ace: from here on lowest cards only"))
    if after.finished > before.finished:
        notes.append(TookTrick(_taker(after.last_leader, after.last_trick), last=True))
        pairs = enumerate(zip(before.totals, after.totals, strict=True))
        notes += [MadePoints(seat, new - old, after.finished) for seat, (old, new) in pairs if new > old]
    return tuple(notes)


def _taker(leader: Seat, trick: Sequence[Card]) -> Seat:
    return (leader + winner(trick)) % len(trick)


GAME: Final = Game(
    about=ABOUT,
    options=Options,
    view=GurkaView,
    actions=(Play,),
    columns=(LAST_CARD,),
    start=start,
    imagine=imagine,
    scene=scene,
    explain_illegal=explain_illegal,
    narrate=narrate,
    trick=lambda view: trick_status(view, winner),
    dealer_or_declarer=lambda view: ("dealer", view.dealer),
    lowest_wins=True,
)
