"""Base class of trick-taking games in which the complete pack is dealt.

``TrickState`` deals, plays tricks and records the suits in which each seat has shown a void. A game implements its
leader, the legal cards, the winner of a trick, the points of a round and the end of the session, if they differ from
the defaults.
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
from cardtable.engine.round_state import RoundState, deal_hands, points_entries, with_value
from cardtable.engine.tricks import PLAYS, Play, TrickView, must_follow_text, order, trick_status


class TrickGameView(TrickView, frozen=True):
    """All information of one seat in a game based on ``TrickState``; a game adds its options and other facts."""

    absent_cards: tuple[Cards, ...]
    """Cards that each seat has shown not to hold by failing to follow suit."""
    taken: tuple[Cards, ...]
    """Cards in the tricks that each seat has taken."""


class TrickViewFields(TypedDict):
    """Fields of ``TrickGameView`` that are computed alike in every game: all but the options."""

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
    absent_cards: tuple[Cards, ...]
    taken: tuple[Cards, ...]


class TrickState(RoundState[V_co]):
    """State of a session in which the complete pack is dealt and played in tricks."""

    def clear(self) -> None:
        nothing = (0,) * self.seats
        self.hands = self.dealt = nothing
        self.won, self.absent_cards, self.taken = nothing, nothing, nothing
        self.trick: tuple[Card, ...] = ()
        self.last_trick: tuple[Card, ...] = ()
        self.leader = self.last_leader = self.first_seat

    def deal(self, order: tuple[Card, ...]) -> None:
        """Deal each seat the same number of cards; a remainder of the pack is left out."""
        self.hands = self.dealt = deal_hands(order, self.seats, len(order) // self.seats)
        self.begin_play()

    def begin_play(self) -> None:
        """Set ``turn`` after the deal; a game extends this to reset its own attributes."""
        self.turn = self.leader

    def playable(self, hand: Cards) -> Cards:
        """Return the legal cards of the hand to act: those of the suit led if there are any, else all."""
        led = OF_SUIT[SUIT[self.trick[0]]] if self.trick else hand
        return hand & led or hand

    def taker(self, trick: Sequence[Card]) -> int:
        """Return the index of the card that takes a trick: the highest of the suit led."""
        return order().winner(trick)

    def apply(self, event: Event) -> None:
        if isinstance(event, Play):
            self._play(event.card)
        else:
            super().apply(event)

    def act(self, action: Action) -> None:
        """Apply an action that is not a play; there are none by default."""
        raise TypeError(action)

    def figures(self) -> tuple[tuple[int, ...], ...]:
        """Return the tricks that each seat has taken, under the one heading of ``Game.columns``."""
        return tuple([(won,) for won in self.won])

    def legal(self) -> Sequence[Action]:
        return PLAYS.of(self.playable(self.hands[self.turn]))

    def _play(self, card: Card) -> None:
        seat, card_bit = self.turn, BIT[card]
        if self.trick and SUIT[card] != SUIT[self.trick[0]]:
            self.absent_cards = with_value(
                self.absent_cards, seat, self.absent_cards[seat] | OF_SUIT[SUIT[self.trick[0]]]
            )
        self.hands = with_value(self.hands, seat, self.hands[seat] & ~card_bit)
        self.trick = (*self.trick, card)
        self.turn = (seat + 1) % self.seats
        if len(self.trick) == self.seats:
            self._take_trick()

    def _take_trick(self) -> None:
        taker = (self.leader + self.taker(self.trick)) % self.seats
        self.won = with_value(self.won, taker, self.won[taker] + 1)
        self.taken = with_value(self.taken, taker, self.taken[taker] | mask_of(self.trick))
        self.last_leader, self.last_trick, self.trick = self.leader, self.trick, ()
        self.turn = self.leader = taker
        if not any(self.hands):
            self.end_round()

    def tricks(self) -> tuple[int, ...]:
        return self.won

    @property
    def played(self) -> tuple[Cards, ...]:
        """Cards that each seat has played in this round."""
        return tuple([dealt & ~hand for dealt, hand in zip(self.dealt, self.hands, strict=True)])

    def trick_view_fields(self, seat: Seat) -> TrickViewFields:
        """Return the fields of the view of ``seat`` that are computed alike in every game based on this class."""
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
            "absent_cards": self.absent_cards,
            "taken": self.taken,
        }

    def determinize(self, view: TrickGameView, rng: Random, known: Sequence[Cards] = ()) -> Self:
        """Turn this new state into a determinization of ``view``: public facts as in the view, hidden hands at random.

        ``known``: by seat, cards that the seat of the view knows to be in the hand of that seat.
        """
        self.copy_view_fields(view)
        self.won, self.absent_cards, self.taken = view.won, view.absent_cards, view.taken
        self.leader, self.trick = view.leader, view.trick
        self.last_leader, self.last_trick = view.last_leader, view.last_trick
        self.hands = (0,) * self.seats
        if view.playing:
            known_hands = tuple(known) or (0,) * self.seats
            unseen = self.pack & ~(view.hand | game.all_of(view.played) | game.all_of(known_hands))
            sizes = [size - held.bit_count() for size, held in zip(view.sizes, known_hands, strict=True)]
            guessed = determinization.sample_hands(view.hand, view.seat, unseen, sizes, view.absent_cards, rng)
            self.hands = tuple(map(or_, guessed, known_hands))
        self.dealt = tuple(map(or_, self.hands, view.played))
        return self

    def assert_invariants(self) -> None:
        """Assert that each card is in one place and that no seat holds a card of ``absent_cards``."""
        together = game.all_of(self.dealt)
        assert not together & ~self.pack, "a card is not of the pack"
        expected = self.pack.bit_count() // self.seats * self.seats if any(self.dealt) else 0
        assert together.bit_count() == expected, "cards are nowhere"
        assert not any(map(and_, self.hands, self.absent_cards)), "a seat holds what it has shown to lack"
        assert sum(self.won) * self.seats + len(self.trick) == sum(cards.bit_count() for cards in self.played)


def high_card_trick(view: TrickGameView) -> TrickStatus:
    """Return the status of the tricks if the highest card of the suit led takes them: for ``Game.trick``."""
    return trick_status(view, order().winner)


def scene(view: TrickGameView) -> tuple[Zone, ...]:
    """Return the hands and the current trick as zones: for ``Game.scene``."""
    return (*game.hands_seen(view.seat, view.hand, view.sizes), Zone("trick", None, view.trick))


def explain_illegal(view: TrickGameView, cards: Cards) -> str:
    """Explain why these cards cannot be played, by the rules of all trick-taking games: for
    ``Game.explain_illegal``.
    """
    if view.turn != view.seat:
        return "It is not your turn"
    if not cards & view.hand:
        return "You do not hold that card"
    if view.trick and view.hand & OF_SUIT[SUIT[view.trick[0]]]:
        return must_follow_text(view.trick[0])
    return "That is not possible now"


def narrate(event: Event, before: TrickGameView, after: TrickGameView, sides: Sides = ()) -> tuple[Note, ...]:
    """Return the log entries of deals, plays and the end of a round: for ``Game.narrate``.

    ``sides``: the partnerships; empty in a game without partners.
    """
    if isinstance(event, Deal):
        return (Dealt(None, after.round, after.cards),)
    if not isinstance(event, Play):
        return ()
    notes: list[Note] = [PlayedCard(before.turn, event.card)]
    if sum(after.won) > sum(before.won):
        notes.append(TookTrick(after.leader, last=not after.playing))
    return (*notes, *points_entries(before, after, sides))
