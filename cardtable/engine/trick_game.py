"""What most trick games do alike, for a game to say only what is its own.

``TrickState`` deals, plays tricks, and keeps who has shown to be void in what; a game says who plays first, which cards
may be played, which card takes a trick, what the round is worth and when the session is over.
"""

from collections.abc import Sequence
from operator import and_, or_
from random import Random
from typing import Self, TypedDict

from cardtable.engine import determinization, game
from cardtable.engine.cards import BIT, OF_SUIT, SUIT, Card, Cards, mask_of
from cardtable.engine.chance import Deal
from cardtable.engine.game import Action, Event, Note, Seat, Sides, TrickStatus, V_co, Zone
from cardtable.engine.log_entries import Dealt, PlayedCard, TookTrick
from cardtable.engine.round_state import RoundState, changed, dealt, points_made
from cardtable.engine.tricks import PLAYS, Play, TrickView, must_follow, order, told


class TrickGameView(TrickView, frozen=True):
    """What one seat may know of such a game; a game adds its options and what else is known."""

    lacks: tuple[Cards, ...]
    """Cards that each seat has shown not to hold, as it could not follow suit."""
    taken: tuple[Cards, ...]
    """Cards in the tricks that each seat has taken."""


class TrickViewFields(TypedDict):
    """The fields of ``TrickGameView`` that are the same in every such game, all but the options."""

    seat: Seat
    turn: Seat
    legal: tuple[Action, ...]
    round: int
    finished: int
    playing: bool
    totals: tuple[int, ...]
    drawn: Card | None
    hand: Cards
    cards: int
    won: tuple[int, ...]
    leader: Seat
    trick: tuple[Card, ...]
    last_leader: Seat
    last_trick: tuple[Card, ...]
    played: tuple[Cards, ...]
    lacks: tuple[Cards, ...]
    taken: tuple[Cards, ...]


class TrickState(RoundState[V_co]):
    """A session of a game in which the whole pack is dealt, and played in tricks."""

    def clear(self) -> None:
        """No card lies anywhere."""
        nothing = (0,) * self.seats
        self.hands = self.dealt = nothing
        self.won, self.lacks, self.taken = nothing, nothing, nothing
        self.trick: tuple[Card, ...] = ()
        self.last_trick: tuple[Card, ...] = ()
        self.leader = self.last_leader = self.first

    def deal(self, order: tuple[Card, ...]) -> None:
        """Everybody has as many cards as go round."""
        self.hands = self.dealt = dealt(order, self.seats, len(order) // self.seats)
        self.dealt_out()

    def dealt_out(self) -> None:
        """The hands are dealt: ``turn`` is said, and what the game has of its own is made anew."""
        self.turn = self.leader

    def playable(self, hand: Cards) -> Cards:
        """The cards of a hand that is to play which may be played: those of the suit led, if there are any."""
        led = OF_SUIT[SUIT[self.trick[0]]] if self.trick else hand
        return hand & led or hand

    def taker(self, trick: Sequence[Card]) -> int:
        """The index of the card that takes a trick."""
        return order().winner(trick)

    def apply(self, event: Event) -> None:
        """Move on."""
        if isinstance(event, Play):
            self._play(event.card)
        else:
            super().apply(event)

    def act(self, action: Action) -> None:
        """An action that is not to play a card."""
        raise TypeError(action)

    def figures(self) -> tuple[tuple[int, ...], ...]:
        """What each seat did in the round, under the headings of ``Game.columns``: tricks taken."""
        return tuple([(won,) for won in self.won])

    def legal(self) -> Sequence[Action]:
        """The plays."""
        return PLAYS.of(self.playable(self.hands[self.turn]))

    def _play(self, card: Card) -> None:
        seat, card_bit = self.turn, BIT[card]
        if self.trick and SUIT[card] != SUIT[self.trick[0]]:
            self.lacks = changed(self.lacks, seat, self.lacks[seat] | OF_SUIT[SUIT[self.trick[0]]])
        self.hands = changed(self.hands, seat, self.hands[seat] & ~card_bit)
        self.trick = (*self.trick, card)
        self.turn = (seat + 1) % self.seats
        if len(self.trick) == self.seats:
            self._take_trick()

    def _take_trick(self) -> None:
        taker = (self.leader + self.taker(self.trick)) % self.seats
        self.won = changed(self.won, taker, self.won[taker] + 1)
        self.taken = changed(self.taken, taker, self.taken[taker] | mask_of(self.trick))
        self.last_leader, self.last_trick, self.trick = self.leader, self.trick, ()
        self.turn = self.leader = taker
        if not any(self.hands):
            self.end_round()

    def tricks(self) -> tuple[int, ...]:
        """Tricks taken."""
        return self.won

    @property
    def played(self) -> tuple[Cards, ...]:
        """Cards each seat has played in this round."""
        return tuple([dealt & ~hand for dealt, hand in zip(self.dealt, self.hands, strict=True)])

    def seen(self, seat: Seat) -> TrickViewFields:
        """What every such game tells ``seat``, for ``view`` to begin with."""
        return {
            **self.common_view_fields(seat),
            "hand": self.hands[seat],
            "cards": self.pack.bit_count() // self.seats,
            "won": self.won,
            "leader": self.leader,
            "trick": self.trick,
            "last_leader": self.last_leader,
            "last_trick": self.last_trick,
            "played": self.played,
            "lacks": self.lacks,
            "taken": self.taken,
        }

    def imagined(self, view: TrickGameView, rng: Random, known: Sequence[Cards] = ()) -> Self:
        """This new session as the seat of ``view`` may take it for true: what it has seen, and hands at random.

        ``common_view_fields``: by seat, cards that it knows to be in the hand there.
        """
        self.stand_as(view)
        self.won, self.lacks, self.taken = view.won, view.lacks, view.taken
        self.leader, self.trick = view.leader, view.trick
        self.last_leader, self.last_trick = view.last_leader, view.last_trick
        self.hands = (0,) * self.seats
        if view.playing:
            lies = tuple(known) or (0,) * self.seats
            unseen = self.pack & ~(view.hand | game.all_of(view.played) | game.all_of(lies))
            sizes = [size - there.bit_count() for size, there in zip(view.sizes, lies, strict=True)]
            guessed = determinization.sample_hands(view.hand, view.seat, unseen, sizes, view.lacks, rng)
            self.hands = tuple(map(or_, guessed, lies))
        self.dealt = tuple(map(or_, self.hands, view.played))
        return self

    def assert_invariants(self) -> None:
        """Each card is in one place, and nobody holds what she has shown to lack."""
        together = game.all_of(self.dealt)
        assert not together & ~self.pack, "a card is not of the pack"
        assert together.bit_count() == self.pack.bit_count() // self.seats * self.seats * any(self.dealt), (
            "cards are nowhere"
        )
        assert not any(map(and_, self.hands, self.lacks)), "a seat holds what it has shown to lack"
        assert sum(self.won) * self.seats + len(self.trick) == sum(cards.bit_count() for cards in self.played)


def stand(view: TrickGameView) -> TrickStatus:
    """How the tricks stand where the highest card of the suit led takes them: ``Game.trick``."""
    return told(view, order().winner)


def scene(view: TrickGameView) -> tuple[Zone, ...]:
    """The hands and the trick: ``Game.scene``."""
    return (*game.hands_seen(view.seat, view.hand, view.sizes), Zone("trick", None, view.trick))


def why_not(view: TrickGameView, cards: Cards) -> str:
    """Why these cards may not be played, as far as all trick games agree: ``Game.why_not``."""
    if view.turn != view.seat:
        return "It is not your turn"
    if not cards & view.hand:
        return "You do not hold that card"
    if view.trick and view.hand & OF_SUIT[SUIT[view.trick[0]]]:
        return must_follow(view.trick[0])
    return "That is not possible now"


def narrate(event: Event, before: TrickGameView, after: TrickGameView, sides: Sides = ()) -> tuple[Note, ...]:
    """What deals and plays looked like, and points at the end of a round: ``Game.narrate``.

    ``sides``: who plays together; where nobody does nothing is to be said.
    """
    if isinstance(event, Deal):
        return (Dealt(None, after.round, after.cards),)
    if not isinstance(event, Play):
        return ()
    notes: list[Note] = [PlayedCard(before.turn, event.card)]
    if sum(after.won) > sum(before.won):
        notes.append(TookTrick(after.leader, last=not after.playing))
    return (*notes, *points_made(before, after, sides))
