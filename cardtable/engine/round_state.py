"""What most games do alike, for a game to say only what is its own.

``RoundState`` counts rounds and totals; each round begins with one whole pack in random order, and what chance may owe
in it is to shuffle some of the cards anew.  A game says how cards are dealt, what is legal, what an action does, what
the round is worth and when the session is over.  Whatever changes is put in the place of what was, so that a copy
shares it: fields of a game that are added are to be tuples, numbers and the like.
"""

import copy
from abc import abstractmethod
from collections.abc import Sequence
from operator import add, sub
from random import Random
from typing import ClassVar, Self, TypeVar

from cardtable.engine.cards import PACK_52, Card, Cards, mask_of
from cardtable.engine.chance import Deal, Shuffle, orders, shuffled
from cardtable.engine.game import (
    CHANCE,
    OVER,
    Action,
    Bonus,
    Chance,
    EndingTitle,
    Event,
    Note,
    Score,
    Seat,
    Sides,
    State,
    Title,
    V_co,
    View,
    competition_ranks,
    no_partnerships,
)
from cardtable.engine.log_entries import MadePoints
from cardtable.engine.options import Options

T = TypeVar("T")


class RoundState(State[V_co]):
    """A session of rounds that begin with a deal."""

    pack: ClassVar[Cards] = PACK_52
    lowest_wins: ClassVar[bool] = False

    def __init__(self, seats: int, options: Options) -> None:
        self.options, self.seats, self.turn = options, seats, CHANCE
        self.round = self.finished = 0
        self.playing, self.totals = False, (0,) * seats
        self.score: Score | None = None
        self.clear()

    @abstractmethod
    def clear(self) -> None:
        """No card lies anywhere, and nothing of the game's own has happened: so a session and each round begin."""

    @abstractmethod
    def deal(self, order: tuple[Card, ...]) -> None:
        """Lay the cards of the pack where they belong, and say in ``turn`` who is to act."""

    @abstractmethod
    def act(self, action: Action) -> None:
        """Do what the seat to act has chosen, and say in ``turn`` who is next, or ``end_round``."""

    @abstractmethod
    def points(self) -> tuple[int, ...]:
        """What the round was worth, by seat, with what ``bonuses`` tells."""

    @abstractmethod
    def is_over(self) -> bool:
        """Whether the session is over, once a round is finished and its points are in the totals."""

    @property
    def first(self) -> Seat:
        """Who acts first in the round: one seat after the other."""
        return max(self.round - 1, 0) % self.seats

    @property
    def to_shuffle(self) -> Cards:
        """The cards that are shuffled where a round goes on and ``turn`` is ``CHANCE``; none."""
        return 0

    def shuffled(self, order: tuple[Card, ...]) -> None:
        """Lay those cards where they belong, the first one on top, and say in ``turn`` who is to act."""
        raise TypeError(order)

    def figures(self) -> tuple[tuple[int, ...], ...]:
        """What each seat did in the round, under the headings of ``Game.columns``; nothing, where there are none."""
        return ((),) * self.seats

    def bonuses(self) -> tuple[tuple[Bonus, ...], ...]:
        """What of the points was for something beyond the ordinary, by seat; ``totals`` are still as before."""
        return ((),) * self.seats

    def title(self) -> Title:
        """What tells the round from others; nothing."""
        return EndingTitle("")

    def apply(self, event: Event) -> None:
        """Move on."""
        if isinstance(event, Deal):
            self.round, self.playing = self.finished + 1, True
            self.clear()
            self.deal(event.order)
        elif isinstance(event, Shuffle):
            self.shuffled(event.order)
        elif isinstance(event, Action):
            self.act(event)

    def end_round(self) -> None:
        """Count the round; the next one is to be dealt, or the session is over."""
        points, bonuses = self.points(), self.bonuses()
        self.totals = tuple(map(add, self.totals, points))
        self.score = Score(self.title(), self.figures(), points, bonuses, self.totals)
        self.finished, self.playing = self.finished + 1, False
        self.turn = OVER if self.is_over() else CHANCE

    def is_over_at(self, finished: int, totals: tuple[int, ...]) -> bool | None:
        """Whether a session is over that stands so."""
        twin = self.copy()
        twin.round = twin.finished = finished
        twin.totals = totals
        return finished > 0 and twin.is_over()

    def cancel_round(self) -> None:
        """The round counts for nothing."""
        self.playing, self.turn = False, CHANCE
        self.clear()

    def pending_chance_type(self) -> type[Chance]:
        """A deal; in a round a shuffle."""
        return Shuffle if self.playing else Deal

    def draw_chance(self, rng: Random) -> Chance:
        """The pack in random order, or the cards to be shuffled."""
        return Shuffle(shuffled(self.to_shuffle, rng)) if self.playing else Deal(shuffled(self.pack, rng))

    def is_possible_chance(self, chance: Chance) -> bool:
        """Whether it is those cards in some order."""
        if self.playing:
            return isinstance(chance, Shuffle) and orders(chance.order, self.to_shuffle)
        return isinstance(chance, Deal) and orders(chance.order, self.pack)

    def copy(self) -> Self:
        """A twin: whatever changes is put in the place of what was."""
        return copy.copy(self)

    def ranks(self) -> tuple[int, ...]:
        """The places of the totals."""
        return competition_ranks(self.totals, lowest_wins=self.lowest_wins)

    def stand_as(self, view: View) -> None:
        """Take over what every view tells of a session: for a new one that is imagined."""
        self.turn, self.round, self.finished = view.turn, view.round, view.finished
        self.playing, self.totals = view.playing, view.totals


def dealt(order: Sequence[Card], seats: int, each: int) -> tuple[Cards, ...]:
    """The hands of so many cards each that are dealt first."""
    return tuple([mask_of(order[at : at + each]) for at in range(0, each * seats, each)])


def changed(values: tuple[T, ...], seat: Seat, value: T) -> tuple[T, ...]:
    """The values by seat with another one for ``seat``."""
    return (*values[:seat], value, *values[seat + 1 :])


def points_made(before: View, after: View, sides: Sides = ()) -> tuple[Note, ...]:
    """What everybody made, where a round has just ended; those who play together made it together."""
    if after.finished == before.finished:
        return ()
    made = list(map(sub, after.totals, before.totals))
    return tuple(
        [
            MadePoints(first, made[first], after.finished, partners=tuple(partners))
            for first, *partners in sides or no_partnerships(len(made))
        ]
    )
