"""The highest card takes the trick, whatever its suit; of equal ranks the first card wins.

Each seat gets five cards. The leader first decides if the tricks of the round count single or double; the lead rotates.
"""

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from operator import add
from random import Random
from typing import Final, Self

from cardtable.games.pips import ABOUT

from cardtable.engine import determinization, game
from cardtable.engine import options as house
from cardtable.engine.cards import BIT, PACK_52, RANK, Card, Cards, mask_of
from cardtable.engine.chance import Deal, is_permutation_of, shuffled
from cardtable.engine.game import (
    CHANCE,
    OVER,
    Action,
    Chance,
    EndingTitle,
    Event,
    Game,
    Note,
    Score,
    Seat,
    State,
    TrickStatus,
    Zone,
    competition_ranks,
)
from cardtable.engine.log_entries import CustomLogEntry, Dealt, MadePoints, PlayedCard, TookTrick
from cardtable.engine.tricks import PLAYS, Play, TrickView, trick_status

CARDS: Final = 5


@dataclass(frozen=True, slots=True)
class Options(house.CommonOptions):
    """House rules of Pips."""

    length: str = house.choice("How long a session is", {"full": "three rounds", "short": "one round"})

    @property
    def rounds(self) -> int:
        return 3 if self.length == "full" else 1


class Stake(Action, frozen=True):
    """Decision on the points of a trick."""

    kind = "count"
    points: int

    @property
    def notation(self) -> str:
        return ("single", "double")[self.points - 1]


STAKES: Final = (Stake(1), Stake(2))


class PipsView(TrickView, frozen=True):
    """View of one seat."""

    options: Options
    first: Seat
    """Seat that leads to the first trick."""
    stake: int
    """Points of a trick; 0 until the leader has decided."""


class PipsState(State[PipsView]):
    """Session of Pips with all cards face up."""

    def __init__(self, seats: int, options: Options) -> None:
        self.options, self.seats, self.turn = options, seats, CHANCE
        self.round = self.finished = 0
        self.playing, self.score, self.totals = False, None, (0,) * seats
        self._clear(())

    def _clear(self, hands: Sequence[Cards]) -> None:
        self.dealt = self.hands = tuple(hands) or (0,) * self.seats
        self.won, self.trick, self.last_trick, self.stake = (0,) * self.seats, (), (), 0
        self.first = self.leader = self.last_leader = max(self.round - 1, 0) % self.seats

    def copy(self) -> Self:
        return copy.copy(self)  # whatever changes is put in the place of what was

    def legal(self) -> Sequence[Action]:
        return PLAYS.of(self.hands[self.turn]) if self.stake else STAKES

    def apply(self, event: Event) -> None:
        if isinstance(event, Deal):
            self.round, self.playing = self.finished + 1, True
            self._clear([mask_of(event.order[at : at + CARDS]) for at in range(0, CARDS * self.seats, CARDS)])
            self.turn = self.first
        elif isinstance(event, Stake):
            self.stake = event.points
        elif isinstance(event, Play):
            self._play(event.card)

    def _play(self, card: Card) -> None:
        self.hands = tuple([hand & ~BIT[card] for hand in self.hands])
        self.trick = (*self.trick, card)
        self.turn = (self.turn + 1) % self.seats
        if len(self.trick) == self.seats:
            self.last_leader, self.last_trick = self.leader, self.trick
            self.turn = self.leader = find_trick_winner(self.leader, self.trick)
            self.trick, self.won = (), tuple([won + (seat == self.turn) for seat, won in enumerate(self.won)])
            if not any(self.hands):
                self._settle()

    def _settle(self) -> None:
        points = tuple([self.stake * won for won in self.won])
        self.totals = tuple(map(add, self.totals, points))
        figures = tuple([(won,) for won in self.won])
        self.score = Score(EndingTitle("", self.stake), figures, points, ((),) * self.seats, self.totals)
        self.finished, self.playing = self.finished + 1, False
        self.turn = OVER if self.finished == self.options.rounds else CHANCE

    def cancel_round(self) -> None:
        self.playing, self.turn = False, CHANCE
        self._clear(())

    def pending_chance_type(self) -> type[Chance]:
        return Deal

    def draw_chance(self, rng: Random) -> Chance:
        return Deal(shuffled(PACK_52, rng))

    def is_possible_chance(self, chance: Chance) -> bool:
        return isinstance(chance, Deal) and is_permutation_of(chance.order, PACK_52)

    def tricks(self) -> tuple[int, ...]:
        return self.won

    def ranks(self) -> tuple[int, ...]:
        return competition_ranks(self.totals)

    @property
    def played(self) -> tuple[Cards, ...]:
        return tuple([dealt & ~hand for dealt, hand in zip(self.dealt, self.hands, strict=True)])

    def view(self, seat: Seat) -> PipsView:
        return PipsView(
            **self.common_view_fields(seat),
            options=self.options,
            hand=self.hands[seat],
            cards=CARDS,
            won=self.won,
            leader=self.leader,
            trick=self.trick,
            last_leader=self.last_leader,
            last_trick=self.last_trick,
            played=self.played,
            excluded_cards=(0,) * len(self.totals),
            first=self.first,
            stake=self.stake,
        )

    def assert_invariants(self) -> None:
        together = game.all_of([*self.hands, *self.played])
        assert together.bit_count() == CARDS * self.seats * any(self.dealt)


def find_trick_winner(leader: Seat, trick: Sequence[Card]) -> Seat:
    """Return the seat that wins a complete trick."""
    ranks = [RANK[card] for card in trick]
    return (leader + ranks.index(max(ranks))) % len(trick)


class Pips(Game[PipsState, PipsView]):
    """The game of Pips."""

    about = ABOUT
    options = Options
    view = PipsView
    actions = (Stake, Play)
    columns = ("won",)

    def imagine(self, view: PipsView, rng: Random) -> PipsState:
        """Return a state that is consistent with a view."""
        state = PipsState(len(view.totals), view.options)
        state.turn, state.round, state.finished, state.playing = view.turn, view.round, view.finished, view.playing
        state.totals = view.totals
        unseen = PACK_52 & ~(view.hand | game.all_of(view.played))
        hands = determinization.sample_hands(view.hand, view.seat, unseen, view.sizes, (0,) * state.seats, rng)
        state.hands = tuple(hands)
        state.dealt = tuple([hand | played for hand, played in zip(hands, view.played, strict=True)])
        state.won, state.trick, state.leader = view.won, view.trick, view.leader
        state.last_trick, state.last_leader = view.last_trick, view.last_leader
        state.first, state.stake = view.first, view.stake
        return state

    def scene(self, view: PipsView) -> tuple[Zone, ...]:
        """Return the hands and the trick."""
        return (*game.hands_seen(view.seat, view.hand, view.sizes), Zone("trick", None, view.trick))

    def explain_illegal(self, view: PipsView, cards: Cards) -> str:
        """Return the reason why cards cannot be chosen now."""
        if view.turn != view.seat:
            return "It is not your turn"
        return "You do not hold that card" if view.stake else "Say what tricks count first"

    def narrate(self, event: Event, before: PipsView, after: PipsView) -> tuple[Note, ...]:
        """Return the log entries of an event for a seat."""
        if isinstance(event, Deal):
            return (Dealt(None, after.round, CARDS),)
        if isinstance(event, Stake):
            return (CustomLogEntry(before.turn, f"counts {event.notation}", f"count {event.notation}"),)
        if not isinstance(event, Play):
            return ()
        notes: list[Note] = [PlayedCard(before.turn, event.card)]
        if len(before.trick) == len(before.totals) - 1:
            winner = find_trick_winner(before.leader, (*before.trick, event.card))
            notes.append(TookTrick(winner, last=not after.playing))
        if after.finished > before.finished:
            pairs = enumerate(zip(before.totals, after.totals, strict=True))
            notes += [MadePoints(seat, new - old, after.finished) for seat, (old, new) in pairs]
        return tuple(notes)

    def start(self, seats: int, options: house.Options) -> PipsState:
        """Start a session."""
        assert isinstance(options, Options)
        return PipsState(seats, options)

    def trick(self, view: PipsView) -> TrickStatus:
        return trick_status(view, lambda trick: find_trick_winner(0, trick))


GAME: Final = Pips()
