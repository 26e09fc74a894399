"""What is to be seen of a round on the board: at a line of it, as the last deal has it, or at a moment of a replay."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from cardtable.engine.cards import Card, Cards, of
from cardtable.engine.contract import Seat, View
from cardtable.play.finished_round import FinishedRound
from cardtable.ui.rounds.cursor import RoundCursor
from cardtable.ui.rounds.playhead import Playhead
from cardtable.wording.names import Names
from cardtable.wording.round_words import made


@dataclass(frozen=True, slots=True)
class HandShown:
    """What is to be seen of a seat."""

    facts: tuple[str, ...]
    """What it did so far, the most important first."""
    held: Cards
    """All cards that it had in the round as far as it is told, those that are gone, too."""
    hand: Cards
    """Those of them that it still has."""
    marked: Cards
    unseen: int
    """How many cards more it has that are face down."""
    taken: Cards
    """The cards that count and that it took."""
    points: str = ""
    """What it made in the round."""
    lost: bool = False
    """Whether these are a loss."""


@dataclass(frozen=True, slots=True)
class Lying:
    """What lies in the middle."""

    view: View
    """Of the seat below; what lies there is the same for all."""
    cards: Sequence[tuple[Seat, Card]] = ()
    """Those of a trick, with who played them."""
    marked: int | None = None
    """Which of them is marked."""
    leads: Seat | None = None
    """Whose card takes the trick."""


class Shown(ABC):
    """What painters of the board ask for."""

    def __init__(self, told: FinishedRound, names: Names, me: Seat) -> None:
        self.round, self.names, self.me = told, names, me

    @property
    def seats(self) -> list[Seat]:
        """All seats, clockwise from the one below."""
        count = len(self.names)
        return [(self.me + i) % count for i in range(count)]

    @property
    @abstractmethod
    def acts(self) -> Seat | None:
        """Whose plate is gold."""

    @abstractmethod
    def plate(self, seat: Seat) -> HandShown:
        """What is to be seen of a seat."""

    @abstractmethod
    def lying(self) -> Lying:
        """What lies in the middle."""


class AtRow(Shown):
    """At a line of a round that is over: its cards are still in the hands, and marked."""

    def __init__(self, cursor: RoundCursor, names: Names, me: Seat) -> None:
        super().__init__(cursor.round, names, me)
        self.cursor = cursor

    @property
    def acts(self) -> Seat | None:
        """Whose card is under the cursor."""
        return self.cursor.seat

    def plate(self, seat: Seat) -> HandShown:
        """The hand before the line; what the seat made in the whole round."""
        told, row = self.round, self.cursor.at
        assert told.score is not None
        did, points = made(told, seat)
        at = told.at(row)
        return HandShown(
            did,
            told.held(seat, at),
            told.hand(seat, at),
            told.used(seat, row),
            told.unseen(seat, at),
            told.taken(seat, row),
            points,
            lost=told.score.points[seat] < 0 and not told.game.lowest_wins,
        )

    def lying(self) -> Lying:
        """The whole trick; of what is said during one what lies then."""
        cursor, row = self.cursor, self.cursor.row
        view = self.round.moment(cursor.at)[self.me]
        if row.trick:
            return Lying(view, row.cards, cursor.column, row.taker)
        trick = self.round.game.trick(view)
        return Lying(view, trick.lying if trick and row.steps else ())


class AtStop(Shown):
    """At a moment of a replay."""

    def __init__(self, head: Playhead, names: Names, me: Seat) -> None:
        super().__init__(head.round, names, me)
        self.head = head

    @property
    def acts(self) -> Seat | None:
        """Who is to act."""
        return self.head.acts

    def plate(self, seat: Seat) -> HandShown:
        """The hand at the moment, and what stands by the seat at the table then."""
        told, head = self.round, self.head
        at, view = head.stop.steps, head.stop.views[seat]
        over = head.by_itself
        last = head.last
        taken = [zone.cards for zone in told.game.scene(view) if zone.name == "taken" and zone.seat == seat]
        return HandShown(
            (head.piece.plate(view, seat).fact,),
            told.held(seat, at),
            0 if over else told.hand(seat, at),
            last.used if last and last.seat == seat and told.open(seat) else 0,
            0 if over else told.unseen(seat, at),
            of([card for cards in taken for card in cards if card is not None])
            & ~of([card for _, card in self._lying.cards]),
        )

    def lying(self) -> Lying:
        """What lies at the moment."""
        return self._lying

    @cached_property
    def _lying(self) -> Lying:
        """What lies at the moment, with a star on the card that takes the trick as it stands."""
        head, view = self.head, self.head.stop.views[self.me]
        if (trick := self.round.game.trick(view)) is None:
            return Lying(view)
        cards = trick.lying
        winning = head.piece.winning(view)
        leads = None if winning is None else cards[winning][0]
        played = head.part is not None and head.part.number > 0
        return Lying(view, cards, len(cards) - 1 if cards and played else None, leads)
