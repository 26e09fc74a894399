"""
Get rid of your cards before the others do. The first to be out is the president of the next round.
Three to five players, 52 cards, all dealt. Twos are highest, then aces and so on down to threes; suits do not count.

## Play

Lead one card, or two, three or four of the same rank. The next players clockwise play as many cards of a higher rank,
or pass. When all others have passed, the pile is put away, and the player who played last leads again, or the next one
after a player who is out. After a pass you may play again later, unless the house rules make you wait for a new pile.

From the second round on, the last player gives the two highest cards to the president before the play, and the
president gives back any two cards and leads.

## Points

The round ends when only one player has cards. This player scores nothing, the last but one 1 point, and so on up to
the president: with four players 3 points.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Annotated, Final

from msgspec import Meta

from cardtable.engine import options as house
from cardtable.engine.annotations import OMITTED, PRIVATE
from cardtable.engine.cards import OF_RANK, RANK, RANK_WORDS, Card, Cards, iter_cards, lowest, mask_of
from cardtable.engine.game import Action, CardsAction, Event, GameInfo, Note, Seat, View, Zone
from cardtable.engine.log_entries import CustomLogEntry
from cardtable.engine.passing import PASS, Pass, Passing, begin_passing
from cardtable.engine.round_state import RoundGame, RoundState

STRENGTH: Final = tuple((rank - 1) % len(RANK_WORDS) for rank in RANK)
"""Strength of each card: threes 0, twos 12."""


@dataclass(frozen=True, slots=True)
class Options(house.CommonOptions):
    """House rules of President."""

    passing: str = house.choice("After a pass", {"open": "you may play again", "closed": "you wait for a new pile"})

    @property
    def rounds(self) -> int:
        return 4


class Lay(CardsAction, frozen=True, tag="lay"):
    """Playing cards of one rank."""

    kind = "play"


class Give(CardsAction, frozen=True, tag="give"):
    """Giving two cards in the exchange."""

    kind = "give"


lay, give = cache(Lay), cache(Give)


class PresidentView(View, frozen=True):
    """All that one seat may know of President."""

    sizes: tuple[int, ...]
    pile: Annotated[tuple[Cards, ...], OMITTED]
    played: Cards
    passing: Annotated[Passing, OMITTED]
    places: Annotated[tuple[Seat, ...], OMITTED]
    """The seats that are out, in this order."""
    previous: Annotated[tuple[Seat, ...], OMITTED]
    """The seats in the order in which they were out in the previous round."""
    gifts: int
    """Number of gifts that are still to be made in this round."""
    swapped: Annotated[tuple[Cards, ...], Meta(max_length=2), PRIVATE]
    """Cards given by the last player and by the president, if the seat is one of the two."""


class PresidentState(RoundState[PresidentView]):
    """A session of President with every card face up."""

    options: Options
    previous: tuple[Seat, ...] = ()

    def clear(self) -> None:
        super().clear()
        self.played, self.gifts = 0, 0
        self.exchanged: tuple[Cards, ...] = ()
        self.pile: tuple[Cards, ...] = ()
        self.places: tuple[Seat, ...] = ()
        self.passing = begin_passing(self.seats)

    @property
    def active(self) -> tuple[bool, ...]:
        return tuple(map(bool, self.hands))

    def deal(self, order: tuple[Card, ...]) -> None:
        self.hands = [mask_of(order[seat :: self.seats]) for seat in range(self.seats)]
        self.gifts, self.turn = (2, self.previous[-1]) if self.previous else (0, self.first_seat)

    def legal(self) -> Sequence[Action]:
        hand = self.hands[self.turn]
        if self.gifts == 2:
            return [give(mask_of(sorted(iter_cards(hand), key=STRENGTH.__getitem__)[-2:]))]
        if self.gifts:
            return [give(mask_of(two)) for two in combinations(iter_cards(hand), 2)]
        numbers = [self.pile[-1].bit_count()] if self.pile else range(1, 5)
        above = STRENGTH[lowest(self.pile[-1])] if self.pile else -1
        ranks = [iter_cards(hand & cards) for cards in OF_RANK if STRENGTH[lowest(cards)] > above]
        plays = [lay(mask_of(some)) for rank in ranks for number in numbers for some in combinations(rank, number)]
        return [*plays, PASS] if self.pile else plays

    def act(self, action: Action) -> None:
        seat = self.turn
        self.hands[seat] &= ~action.cards_used()
        if isinstance(action, Give):
            self.exchanged = (*self.exchanged, action.cards)
            self.hands[self.previous[0 if self.gifts == 2 else -1]] |= action.cards
            self.gifts, self.turn = self.gifts - 1, self.previous[0]
            return
        if isinstance(action, Lay):
            self.pile, self.played = (*self.pile, action.cards), self.played | action.cards
            self.passing = self.passing.with_play(seat, reopens=self.options.passing == "open")
            self.places = self.places if self.hands[seat] else (*self.places, seat)
        else:
            self.passing = self.passing.with_pass(seat)
        following = self.passing.find_next_seat(self.active, seat)
        if sum(self.active) == 1:
            self.places = self.previous = (*self.places, self.active.index(True))
            self.exchanged = ()
            self.end_round()
        elif following is None:
            self.turn = self.passing.find_leader(self.active)
            self.pile, self.passing = (), begin_passing(self.seats)
        else:
            self.turn = following

    def score_round(self) -> tuple[int, ...]:
        return tuple([self.seats - 1 - self.places.index(seat) for seat in range(self.seats)])

    @property
    def swapped(self) -> tuple[tuple[Cards, ...], ...]:
        """By seat, the cards given by the last player and by the president, who alone know them."""
        knowing = (self.previous[0], self.previous[-1]) if self.previous else ()
        return tuple([self.exchanged if seat in knowing else () for seat in range(self.seats)])

    def find_known_cards(self, view: PresidentView) -> Sequence[Cards]:
        self.exchanged, known = view.swapped, [0] * self.seats
        if view.swapped and view.seat == view.previous[-1]:
            known[view.previous[0]] = view.swapped[0] & ~sum(view.swapped[1:]) & ~view.played
        elif view.swapped[1:]:
            known[view.previous[-1]] = view.swapped[1] & ~view.played
        return known


class President(RoundGame[PresidentView]):
    """The game of President."""

    about = GameInfo(
        key="president",
        title="President",
        summary="be the first without cards",
        length="4 rounds",
        seats=(3, 4, 5),
        usual_seats=4,
        emblem="2S AS AH",
        aim="Get rid of your cards before the others do.",
    )
    options = Options
    state = PresidentState
    actions = (Lay, Give, Pass)

    def scene(self, view: PresidentView) -> tuple[Zone, ...]:
        """Return the hands and the pile."""
        pile = tuple([card for cards in view.pile for card in iter_cards(cards)])
        return (*super().scene(view), Zone("pile", None, pile))

    def explain_illegal(self, view: PresidentView, _cards: Cards) -> str:
        """Return the reason why these cards may not be chosen now."""
        if requirement := self.describe_selection(view):
            return requirement
        if not view.pile:
            return "Lead one or more cards of one rank"
        rank = RANK_WORDS[RANK[lowest(view.pile[-1])]]
        return f"Play {view.pile[-1].bit_count()} of a rank higher than {rank}, or pass"

    def describe_selection(self, view: PresidentView) -> str | None:
        """Return which cards a player has to give; `None` outside the exchange."""
        return (None, "Give two cards back", "Give your two highest cards")[view.gifts]

    def narrate_event(self, event: Event, before: PresidentView, after: PresidentView) -> tuple[Note, ...]:
        """Return the notes of an event, and of the seats that are out with it."""
        out = after.places[len(before.places) : len(after.totals) - 1]
        return (
            *super().narrate_event(event, before, after),
            *[CustomLogEntry(seat, "is out", "are out") for seat in out],
        )


GAME: Final = President()
