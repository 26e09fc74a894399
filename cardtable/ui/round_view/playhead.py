"""Where a replay stands in a round: after which card, bid or other step, and how to go from there to others."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from cardtable.engine.cards import Card, Cards, mask_of
from cardtable.engine.game import Seat, View
from cardtable.session.round_replay import RoundLine, RoundReplay, Step, Views
from cardtable.ui.game_view.game_view import AnyPiece
from cardtable.ui.game_view.registry import piece
from cardtable.wording.players import Names
from cardtable.wording.rounds import made


@dataclass(frozen=True, slots=True)
class Part:
    """What belongs together in a round: a trick, the bids, what one seat does in its turn."""

    number: int
    """Of the trick or of the turn, from 1 on; 0 for what is neither."""
    steps: tuple[int, ...]
    """None of a last trick that played itself."""
    things: int
    """How many cards, bids or steps it has."""
    row: int
    """The first line of the round that it is told in."""


@dataclass(frozen=True, slots=True)
class Stop:
    """A moment between two steps."""

    steps: int
    """How many had happened."""
    views: Views
    """What every seat saw; a trick that was full just now still lies."""
    part: int = -1
    """The number of the part, from 0 on; -1 before the first one."""
    done: int = 0
    """How many things of the part had happened."""


class Playhead:
    """Goes from stop to stop of one round."""

    def __init__(self, told: RoundReplay) -> None:
        self.round, self.piece = told, piece(told.game.about.key)
        self.parts = _parts(told)
        self.stops = _stops(told, self.parts, self.piece)
        self.at = 0

    @property
    def stop(self) -> Stop:
        """Where it stands."""
        return self.stops[self.at]

    @property
    def part(self) -> Part | None:
        """What is going on; ``None`` before the first step."""
        return self.parts[self.stop.part] if self.stop.part >= 0 else None

    @property
    def next(self) -> Step | None:
        """What comes next; ``None`` at the end, and before what happens by itself."""
        steps = self.round.steps
        return steps[self.stop.steps] if self.stop.steps < len(steps) else None

    @property
    def last(self) -> Step | None:
        """What has just happened; ``None`` at the beginning, and after a trick that played itself."""
        return self.round.steps[self.stop.steps - 1] if self.part and self.part.steps else None

    @property
    def acts(self) -> Seat | None:
        """Who is to act."""
        return self.next.seat if self.next else None

    @property
    def by_itself(self) -> bool:
        """Whether a last trick lies that played itself."""
        return bool(self.part and not self.part.steps)

    @property
    def line(self) -> int:
        """The last line of the journal that had come; it can be gone on from there."""
        return self.next.line - 1 if self.next else self.round.last_line

    def along(self, by: int) -> bool:
        """Some stops on, or back; whether there was one."""
        before = self.at
        self.at = max(0, min(self.at + by, len(self.stops) - 1))
        return self.at != before

    def move(self, by: int) -> bool:
        """To the end of a part that is so many on, or back; whether it is elsewhere."""
        part, before = self.stop.part, self.at
        within = self.part is not None and self.stop.done < self.part.things
        self.go_to(part + by - (within and by > 0))
        return self.at != before

    def go_to(self, part: int) -> None:
        """To the end of a part; before the first one is the beginning."""
        if part >= len(self.parts):
            self.at = len(self.stops) - 1
        else:
            self.at = max([at for at, stop in enumerate(self.stops) if stop.part == part], default=0)

    def go_to_row(self, row: int, column: int) -> None:
        """To the moment after a card, bid or step of a line of the round."""
        steps = self.round.rows[row].steps
        last = len(self.stops) - 1
        step = steps[min(column, len(steps) - 1)] if steps else len(self.round.steps)
        self.at = next((at for at, stop in enumerate(self.stops) if stop.steps > step), last)

    def end(self, last: int) -> None:
        """To the beginning (0) or the end (1)."""
        self.at = last * (len(self.stops) - 1)

    def before(self, step: int) -> None:
        """To the moment before a step."""
        self.at = max([at for at, stop in enumerate(self.stops) if stop.steps <= step], default=0)


def _parts(told: RoundReplay) -> tuple[Part, ...]:
    """In the order in which they end: what is said during a trick is before it."""
    if told.tricks:
        tricks = [Part(row.trick, row.steps, len(row.cards) or len(row.steps), i) for i, row in enumerate(told.rows)]
        return tuple(sorted(tricks, key=lambda part: part.steps[-1] if part.steps else len(told.steps)))
    turns: list[tuple[int, list[int]]] = []
    acting: Seat | None = None
    for number, row in enumerate(told.rows):
        for step in row.steps:
            seat = told.steps[step].seat
            if not turns or seat not in (None, acting):
                turns.append((number, []))
            acting = acting if seat is None else seat
            turns[-1][1].append(step)
    return tuple([Part(number, tuple(steps), len(steps), row) for number, (row, steps) in enumerate(turns, 1)])


def _stops(told: RoundReplay, parts: tuple[Part, ...], shown: AnyPiece) -> tuple[Stop, ...]:
    where = {step: (i, done) for i, part in enumerate(parts) for done, step in enumerate(part.steps, 1)}
    stops = [Stop(0, told.dealt)]
    for number, step in enumerate(told.steps):
        if number in where:
            stops.append(Stop(number + 1, _lying(step, shown), *where[number]))
        else:
            last = stops[-1]
            stops[-1] = Stop(number + 1, step.after, last.part, last.done)
    if parts and not parts[-1].steps:
        views = tuple([frames[-1] for frames in _frames(told.steps[-1], shown)])
        stops.append(Stop(len(told.steps), views, len(parts) - 1, parts[-1].things))
    return tuple(stops)


def _lying(step: Step, shown: AnyPiece) -> Views:
    """What every seat saw after a step, with the trick that it made full still on the table."""
    frames = _frames(step, shown)
    return tuple([each[0] for each in frames]) if all(frames) else step.after


def _frames(step: Step, shown: AnyPiece) -> list[Views]:
    return [shown.frames(step.event, *views) for views in zip(step.before, step.after, strict=True)]


class RoundCursor:
    """Moves from line to line, staying with a seat, and from card to card."""

    def __init__(self, finished: RoundReplay) -> None:
        self.round = finished
        self.at = 0
        """The line."""
        self.column = 0
        """Which card, bid or step of the line."""

    @property
    def row(self) -> RoundLine:
        """The line under the cursor."""
        return self.round.rows[self.at]

    @property
    def step(self) -> Step | None:
        """What somebody decided, under the cursor; ``None`` for what happened by itself."""
        steps = self.row.steps
        step = self.round.steps[steps[self.column]] if self.column < len(steps) else None
        return step if step and step.seat is not None else None

    @property
    def seat(self) -> Seat | None:
        """Whose card, bid or step it is."""
        return self.seats(self.at)[self.column]

    def seats(self, at: int) -> list[Seat | None]:
        """Who did something in a line, in order; nobody alone at the end."""
        row = self.round.rows[at]
        if row.trick:
            return [seat for seat, _ in row.cards]
        return [self.round.steps[number].seat for number in row.steps] or [None]

    def move(self, rows: int) -> None:
        """Up or down; in the new line to the same seat, if it is there."""
        self.point(max(0, min(self.at + rows, len(self.round.rows) - 1)))

    def point(self, at: int, column: int | None = None) -> None:
        """To a line, and there to a card or else to the same seat."""
        seat, self.at = self.seat, at
        seats = self.seats(at)
        self.column = column if column is not None else seats.index(seat) if seat in seats else 0

    def along(self, step: int) -> None:
        """To the next or last card, bid or step, also over the ends of a line."""
        column = self.column + step
        if 0 <= column < len(self.seats(self.at)):
            self.column = column
        elif 0 <= self.at + step < len(self.round.rows):
            self.point(self.at + step, 0 if step > 0 else len(self.seats(self.at + step)) - 1)


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


class RoundSnapshot(ABC):
    """What painters of the board ask for."""

    def __init__(self, told: RoundReplay, names: Names, me: Seat) -> None:
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


class AtRow(RoundSnapshot):
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


class AtStop(RoundSnapshot):
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
            mask_of([card for cards in taken for card in cards if card is not None])
            & ~mask_of([card for _, card in self._lying.cards]),
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
