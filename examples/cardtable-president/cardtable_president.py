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
from random import Random
from typing import Annotated, Final, Self

from msgspec.structs import replace

from cardtable.engine import options as house
from cardtable.engine.annotations import OMITTED
from cardtable.engine.cards import OF_RANK, RANK, RANK_WORDS, Card, Cards, iter_cards, lowest, mask_of
from cardtable.engine.chance import Deal
from cardtable.engine.game import Action, CardsAction, Event, GameInfo, Note, Seat, View, Zone, hands_seen
from cardtable.engine.log_entries import CustomLogEntry, Dealt
from cardtable.engine.passing import PASS, Pass, Passing, begin_passing, pass_entry
from cardtable.engine.round_state import RoundGame, RoundState, points_entries, with_value

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
    swapped: tuple[Cards, Cards]
    """Cards given by the last player and by the president, if the seat is one of the two."""

    def public_view(self) -> Self:
        return replace(super().public_view(), swapped=(0, 0))


class PresidentState(RoundState[PresidentView]):
    """A session of President with every card face up."""

    options: Options
    public = ("sizes", "pile", "played", "passing", "places", "previous", "gifts")
    previous: tuple[Seat, ...] = ()

    def clear(self) -> None:
        self.hands, self.played, self.gifts, self.swapped = (0,) * self.seats, 0, 0, (0, 0)
        self.pile: tuple[Cards, ...] = ()
        self.places: tuple[Seat, ...] = ()
        self.passing = begin_passing(self.seats)

    @property
    def active(self) -> tuple[bool, ...]:
        return tuple(map(bool, self.hands))

    def deal(self, order: tuple[Card, ...]) -> None:
        self.hands = tuple([mask_of(order[seat :: self.seats]) for seat in range(self.seats)])
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
        self.hands = with_value(self.hands, seat, self.hands[seat] & ~action.cards_used())
        if isinstance(action, Give):
            receiver = self.previous[0 if self.gifts == 2 else -1]
            self.swapped = (action.cards, 0) if self.gifts == 2 else (self.swapped[0], action.cards)
            self.hands = with_value(self.hands, receiver, self.hands[receiver] | action.cards)
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
            self.swapped = (0, 0)
            self.end_round()
        elif following is None:
            self.turn = self.passing.find_leader(self.active)
            self.pile, self.passing = (), begin_passing(self.seats)
        else:
            self.turn = following

    def score_round(self) -> tuple[int, ...]:
        return tuple([self.seats - 1 - self.places.index(seat) for seat in range(self.seats)])

    def view(self, seat: Seat) -> PresidentView:
        knows = bool(self.previous) and seat in (self.previous[0], self.previous[-1])
        return self.create_view(PresidentView, seat, swapped=self.swapped if knows else (0, 0))

    def determinize(self, view: PresidentView, rng: Random) -> Self:
        self.copy_view_fields(view)
        self.swapped, known = view.swapped, [0] * self.seats
        if any(view.swapped):
            taken, passed = view.swapped
            known[view.previous[0]], known[view.previous[-1]] = taken & ~passed & ~view.played, passed & ~view.played
            known[view.seat] = 0
        self.guess_hands(view, view.sizes, view.played, rng, known=known)
        return self

    def assert_invariants(self) -> None:
        assert sum(self.hands) + self.played in (0, self.pack), "a card is missing"


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
    view = PresidentView
    actions = (Lay, Give, Pass)

    def scene(self, view: PresidentView) -> tuple[Zone, ...]:
        """Return the hands and the pile."""
        pile = tuple([card for cards in view.pile for card in iter_cards(cards)])
        return (*hands_seen(view.seat, view.hand, view.sizes), Zone("pile", None, pile))

    def explain_illegal(self, view: PresidentView, _cards: Cards) -> str:
        """Return the reason why these cards may not be chosen now."""
        if view.turn != view.seat:
            return "It is not your turn"
        if requirement := self.describe_selection(view):
            return requirement
        if not view.pile:
            return "Lead one or more cards of one rank"
        rank = RANK_WORDS[RANK[lowest(view.pile[-1])]]
        return f"Play {view.pile[-1].bit_count()} of a rank higher than {rank}, or pass"

    def describe_selection(self, view: PresidentView) -> str | None:
        """Return which cards a player has to give; `None` outside the exchange."""
        return (None, "Give two cards back", "Give your two highest cards")[view.gifts]

    def narrate(self, event: Event, before: PresidentView, after: PresidentView) -> tuple[Note, ...]:
        """Return the notes of an event for one seat; only giver and receiver see the cards of the exchange."""
        notes: list[Note] = [Dealt(None, after.round)] if isinstance(event, Deal) else []
        if isinstance(event, Lay):
            notes.append(CustomLogEntry(before.turn, "plays {}", "play {}", tuple(iter_cards(event.cards))))
        elif isinstance(event, Pass):
            notes.append(pass_entry(before.turn))
        elif isinstance(event, Give):
            own = tuple(iter_cards(after.swapped[2 - before.gifts]))
            phrase = "{}" if own else "two cards"
            notes.append(CustomLogEntry(before.turn, f"gives {phrase}", f"give {phrase}", own))
        out = after.places[len(before.places) : len(after.totals) - 1]
        notes += [CustomLogEntry(seat, "is out", "are out") for seat in out]
        return (*notes, *points_entries(before, after))


GAME: Final = President()
