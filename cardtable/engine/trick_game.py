"""What most trick games do alike, for a game to say only what is its own.

``TrickState`` deals, plays tricks, keeps who has shown to be void in what, and counts rounds; a game says who plays
first, which cards may be played, which card takes a trick, what the round is worth and when the session is over.
Whatever changes in it is put in the place of what was, so that a copy shares it: fields of a game that are added to it
are to be tuples, numbers and the like.
"""

import copy
from abc import abstractmethod
from collections.abc import Sequence
from operator import add, and_, or_, sub
from random import Random
from typing import ClassVar, Self, TypedDict, TypeVar

from cardtable.engine import piles, worlds
from cardtable.engine.cards import BIT, OF_SUIT, SUIT, Card, Cards, of
from cardtable.engine.chance import Deal
from cardtable.engine.contract import (
    CHANCE,
    OVER,
    Action,
    Bonus,
    Event,
    Note,
    Score,
    Seat,
    Sides,
    Trick,
    V_co,
    View,
    Zone,
    alone,
    ranked,
)
from cardtable.engine.notes import Dealt, MadePoints, PlayedCard, TookTrick
from cardtable.engine.options import Options
from cardtable.engine.titles import EndingTitle, Title
from cardtable.engine.tricks import PLAYS, Play, TrickView, must_follow, order, told
from cardtable.engine.whole_deal import WholeDeal

T = TypeVar("T")


class Tricks(TrickView, frozen=True):
    """What one seat may know of such a game; a game adds its options and what else is known."""

    lacks: tuple[Cards, ...]
    """Cards that each seat has shown not to hold, as it could not follow suit."""
    taken: tuple[Cards, ...]
    """Cards in the tricks that each seat has taken."""


class TricksSeen(TypedDict):
    """The fields of ``Tricks`` that are the same in every such game, all but the options."""

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


class TrickState(WholeDeal[V_co]):
    """A session of a game in which the whole pack is dealt, and played in tricks."""

    lowest_wins: ClassVar[bool] = False

    def __init__(self, seats: int, options: Options) -> None:
        self.options, self.seats, self.turn = options, seats, CHANCE
        self.round = self.finished = 0
        self.playing, self.totals = False, (0,) * seats
        self.score: Score | None = None
        self._clear((0,) * seats)

    def _clear(self, hands: tuple[Cards, ...]) -> None:
        nothing = (0,) * self.seats
        self.hands = self.dealt = hands
        self.won, self.lacks, self.taken = nothing, nothing, nothing
        self.trick: tuple[Card, ...] = ()
        self.last_trick: tuple[Card, ...] = ()
        self.leader = self.last_leader = self.first

    @property
    def first(self) -> Seat:
        """Who acts first in the round: one seat after the other."""
        return max(self.round - 1, 0) % self.seats

    def dealt_out(self) -> None:
        """The hands are dealt: ``turn`` is said, and what the game has of its own is made anew."""
        self.turn = self.leader

    @abstractmethod
    def points(self) -> tuple[int, ...]:
        """What the round was worth, by seat, with what ``bonuses`` tells."""

    @abstractmethod
    def is_over(self) -> bool:
        """Whether the session is over, once a round is finished and its points are in the totals."""

    def playable(self, hand: Cards) -> Cards:
        """The cards of a hand that is to play which may be played: those of the suit led, if there are any."""
        led = OF_SUIT[SUIT[self.trick[0]]] if self.trick else hand
        return hand & led or hand

    def taker(self, trick: Sequence[Card]) -> int:
        """The index of the card that takes a trick."""
        return order().winner(trick)

    def other(self, action: Action) -> None:
        """An action that is not to play a card."""
        raise TypeError(action)

    def figures(self) -> tuple[tuple[int, ...], ...]:
        """What each seat did in the round, under the headings of ``Game.columns``: tricks taken."""
        return tuple([(won,) for won in self.won])

    def bonuses(self) -> tuple[tuple[Bonus, ...], ...]:
        """What of the points was for something beyond the ordinary, by seat; ``totals`` are still as before."""
        return ((),) * self.seats

    def title(self) -> Title:
        """What tells the round from others; nothing."""
        return EndingTitle("")

    def legal(self) -> Sequence[Action]:
        """The plays."""
        return PLAYS.of(self.playable(self.hands[self.turn]))

    def apply(self, event: Event) -> None:
        """Move on."""
        if isinstance(event, Deal):
            each = len(event.order) // self.seats
            self.round, self.playing = self.finished + 1, True
            self._clear(tuple([of(event.order[at : at + each]) for at in range(0, each * self.seats, each)]))
            self.dealt_out()
        elif isinstance(event, Play):
            self._play(event.card)
        elif isinstance(event, Action):
            self.other(event)

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
        self.taken = changed(self.taken, taker, self.taken[taker] | of(self.trick))
        self.last_leader, self.last_trick, self.trick = self.leader, self.trick, ()
        self.turn = self.leader = taker
        if not any(self.hands):
            self._settle()

    def _settle(self) -> None:
        points, bonuses = self.points(), self.bonuses()
        self.totals = tuple(map(add, self.totals, points))
        self.score = Score(self.title(), self.figures(), points, bonuses, self.totals)
        self.finished, self.playing = self.finished + 1, False
        self.turn = OVER if self.is_over() else CHANCE

    def void(self) -> None:
        """The round counts for nothing."""
        self.playing, self.turn = False, CHANCE
        self._clear((0,) * self.seats)

    def copy(self) -> Self:
        """A twin: whatever changes is put in the place of what was."""
        return copy.copy(self)

    def tricks(self) -> tuple[int, ...]:
        """Tricks taken."""
        return self.won

    def ranks(self) -> tuple[int, ...]:
        """The places of the totals."""
        return ranked(self.totals, lowest_wins=self.lowest_wins)

    @property
    def played(self) -> tuple[Cards, ...]:
        """Cards each seat has played in this round."""
        return tuple([dealt & ~hand for dealt, hand in zip(self.dealt, self.hands, strict=True)])

    def seen(self, seat: Seat) -> TricksSeen:
        """What every such game tells ``seat``, for ``view`` to begin with."""
        return {
            **self.known(seat),
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

    def imagined(self, view: Tricks, rng: Random, known: Sequence[Cards] = ()) -> Self:
        """This new session as the seat of ``view`` may take it for true: what it has seen, and hands at random.

        ``known``: by seat, cards that it knows to be in the hand there.
        """
        self.turn, self.round, self.finished = view.turn, view.round, view.finished
        self.playing, self.totals = view.playing, view.totals
        self.won, self.lacks, self.taken = view.won, view.lacks, view.taken
        self.leader, self.trick = view.leader, view.trick
        self.last_leader, self.last_trick = view.last_leader, view.last_trick
        self.hands = (0,) * self.seats
        if view.playing:
            lies = tuple(known) or (0,) * self.seats
            unseen = self.pack & ~(view.hand | piles.all_of(view.played) | piles.all_of(lies))
            sizes = [size - there.bit_count() for size, there in zip(view.sizes, lies, strict=True)]
            guessed = worlds.hands(view.hand, view.seat, unseen, sizes, view.lacks, rng)
            self.hands = tuple(map(or_, guessed, lies))
        self.dealt = tuple(map(or_, self.hands, view.played))
        return self

    def check(self) -> None:
        """Each card is in one place, and nobody holds what she has shown to lack."""
        together = piles.all_of(self.dealt)
        assert not together & ~self.pack
        assert together.bit_count() == self.pack.bit_count() // self.seats * self.seats * any(self.dealt)
        assert not any(map(and_, self.hands, self.lacks)), "a seat holds what it has shown to lack"
        assert sum(self.won) * self.seats + len(self.trick) == sum(cards.bit_count() for cards in self.played)


def changed(values: tuple[T, ...], seat: Seat, value: T) -> tuple[T, ...]:
    """The values by seat with another one for ``seat``."""
    return (*values[:seat], value, *values[seat + 1 :])


def stand(view: Tricks) -> Trick:
    """How the tricks stand where the highest card of the suit led takes them: ``Game.trick``."""
    return told(view, order().winner)


def scene(view: Tricks) -> tuple[Zone, ...]:
    """The hands and the trick: ``Game.scene``."""
    return (*piles.hands_seen(view.seat, view.hand, view.sizes), Zone("trick", None, view.trick))


def why_not(view: Tricks, cards: Cards) -> str:
    """Why these cards may not be played, as far as all trick games agree: ``Game.why_not``."""
    if view.turn != view.seat:
        return "It is not your turn"
    if not cards & view.hand:
        return "You do not hold that card"
    if view.trick and view.hand & OF_SUIT[SUIT[view.trick[0]]]:
        return must_follow(view.trick[0])
    return "That is not possible now"


def narrate(event: Event, before: Tricks, after: Tricks, sides: Sides = ()) -> tuple[Note, ...]:
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


def points_made(before: View, after: View, sides: Sides = ()) -> tuple[Note, ...]:
    """What everybody made, where a round has just ended; those who play together made it together."""
    if after.finished == before.finished:
        return ()
    made = list(map(sub, after.totals, before.totals))
    return tuple(
        [
            MadePoints(first, made[first], after.finished, partners=tuple(partners))
            for first, *partners in sides or alone(len(made))
        ]
    )
