"""Positions in a finished round, the moves between them, and snapshots of the round for the painters."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from cardtable.engine.cards import Card, Cards, mask_of
from cardtable.engine.game import Seat, View
from cardtable.session.round_replay import RoundLine, RoundReplay, Step, Views
from cardtable.ui.game_view.game_view import AnyGameView
from cardtable.ui.game_view.registry import game_view
from cardtable.wording.players import Names
from cardtable.wording.rounds import seat_result


@dataclass(frozen=True, slots=True)
class Part:
    """Part of a round: a trick, the bidding, or the turn of a seat."""

    number: int
    """Number of the trick or turn, counted from 1; 0 for any other part."""
    steps: tuple[int, ...]
    """Indices into ``RoundReplay.steps``; empty for a last trick that was played automatically."""
    things: int
    """Number of cards, bids or other steps in the part."""
    row: int
    """Index of the first line of the round that describes the part."""


@dataclass(frozen=True, slots=True)
class Stop:
    """Position in a round, between two steps."""

    steps: int
    """Number of steps of the round before this position."""
    views: Views
    """Views of all seats; a trick that has just been completed is still on the table."""
    part: int = -1
    """Index of the part that contains the position; -1 before the first part."""
    done: int = 0
    """Number of cards, bids or other steps of this part before the position."""


class Playhead:
    """Mutable position of a replay in one round."""

    def __init__(self, replay: RoundReplay) -> None:
        self.round, self.piece = replay, game_view(replay.game.about.key)
        self.parts = _parts(replay)
        self.stops = _stops(replay, self.parts, self.piece)
        self.at = 0

    @property
    def stop(self) -> Stop:
        """Current stop."""
        return self.stops[self.at]

    @property
    def part(self) -> Part | None:
        """Current part; ``None`` before the first step."""
        return self.parts[self.stop.part] if self.stop.part >= 0 else None

    @property
    def next(self) -> Step | None:
        """Next step; ``None`` at the end, and before a last trick that is played automatically."""
        steps = self.round.steps
        return steps[self.stop.steps] if self.stop.steps < len(steps) else None

    @property
    def last(self) -> Step | None:
        """Previous step; ``None`` at the beginning, and after a last trick that was played automatically."""
        return self.round.steps[self.stop.steps - 1] if self.part and self.part.steps else None

    @property
    def acting_seat(self) -> Seat | None:
        """Seat that decides the next step; ``None`` if there is none."""
        return self.next.seat if self.next else None

    @property
    def is_automatic(self) -> bool:
        """True after a last trick that was played automatically."""
        return bool(self.part and not self.part.steps)

    @property
    def line(self) -> int:
        """Number of the last journal line before the next step.

        A new session that starts at this position copies the lines up to this one.
        """
        return self.next.line - 1 if self.next else self.round.last_line

    def step(self, by: int) -> bool:
        """Move by a number of stops, negative for back, limited to the round; return True if the position has changed."""
        before = self.at
        self.at = max(0, min(self.at + by, len(self.stops) - 1))
        return self.at != before

    def move(self, by: int) -> bool:
        """Move by ``by`` parts, negative for back, to the end of a part; return True if the position has changed.

        Within an incomplete part, the first move forward leads to the end of this part.
        """
        part, before = self.stop.part, self.at
        within = self.part is not None and self.stop.done < self.part.things
        self.go_to(part + by - (within and by > 0))
        return self.at != before

    def go_to(self, part: int) -> None:
        """Move to the end of the part with this index.

        -1 leads to the beginning of the round; an index beyond the last part leads to the end.
        """
        if part >= len(self.parts):
            self.at = len(self.stops) - 1
        else:
            self.at = max([at for at, stop in enumerate(self.stops) if stop.part == part], default=0)

    def go_to_row(self, row: int, column: int) -> None:
        """Move to the position after an entry (card, bid or other step) of a line of the round."""
        steps = self.round.rows[row].steps
        last = len(self.stops) - 1
        step = steps[min(column, len(steps) - 1)] if steps else len(self.round.steps)
        self.at = next((at for at, stop in enumerate(self.stops) if stop.steps > step), last)

    def end(self, last: int) -> None:
        """Move to the beginning (0) or the end (1) of the round."""
        self.at = last * (len(self.stops) - 1)

    def before(self, step: int) -> None:
        """Move to the position before the step with this index."""
        self.at = max([at for at, stop in enumerate(self.stops) if stop.steps <= step], default=0)


def _parts(replay: RoundReplay) -> tuple[Part, ...]:
    """Return the parts in the order in which they end; so a declaration during a trick precedes the trick."""
    if replay.tricks:
        tricks = [Part(row.trick, row.steps, len(row.cards) or len(row.steps), i) for i, row in enumerate(replay.rows)]
        return tuple(sorted(tricks, key=lambda part: part.steps[-1] if part.steps else len(replay.steps)))
    turns: list[tuple[int, list[int]]] = []
    acting: Seat | None = None
    for number, row in enumerate(replay.rows):
        for step in row.steps:
            seat = replay.steps[step].seat
            if not turns or seat not in (None, acting):
                turns.append((number, []))
            acting = acting if seat is None else seat
            turns[-1][1].append(step)
    return tuple([Part(number, tuple(steps), len(steps), row) for number, (row, steps) in enumerate(turns, 1)])


def _stops(replay: RoundReplay, parts: tuple[Part, ...], shown: AnyGameView) -> tuple[Stop, ...]:
    where = {step: (i, done) for i, part in enumerate(parts) for done, step in enumerate(part.steps, 1)}
    stops = [Stop(0, replay.dealt)]
    for number, step in enumerate(replay.steps):
        if number in where:
            stops.append(Stop(number + 1, _lying(step, shown), *where[number]))
        else:
            last = stops[-1]
            stops[-1] = Stop(number + 1, step.after, last.part, last.done)
    if parts and not parts[-1].steps:
        views = tuple([frames[-1] for frames in _frames(replay.steps[-1], shown)])
        stops.append(Stop(len(replay.steps), views, len(parts) - 1, parts[-1].things))
    return tuple(stops)


def _lying(step: Step, shown: AnyGameView) -> Views:
    """Return the views of all seats after a step; a trick that the step completed is still on the table."""
    frames = _frames(step, shown)
    return tuple([each[0] for each in frames]) if all(frames) else step.after


def _frames(step: Step, shown: AnyGameView) -> list[Views]:
    return [shown.intermediate_views(step.event, *views) for views in zip(step.before, step.after, strict=True)]


class RoundCursor:
    """Cursor in the lines of a finished round and in the entries (cards, bids or other steps) of a line."""

    def __init__(self, finished: RoundReplay) -> None:
        self.round = finished
        self.at = 0
        """Index of the line under the cursor."""
        self.column = 0
        """Index of the entry under the cursor."""

    @property
    def row(self) -> RoundLine:
        """Line under the cursor."""
        return self.round.rows[self.at]

    @property
    def step(self) -> Step | None:
        """Decision under the cursor; ``None`` if the step is automatic."""
        steps = self.row.steps
        step = self.round.steps[steps[self.column]] if self.column < len(steps) else None
        return step if step and step.seat is not None else None

    @property
    def seat(self) -> Seat | None:
        """Seat of the entry under the cursor; ``None`` if it has none."""
        return self.seats(self.at)[self.column]

    def seats(self, at: int) -> list[Seat | None]:
        """Return the seats of the entries of a line, in order; ``None`` for an automatic step.

        A line without steps, the end of the round, has the single entry ``None``.
        """
        row = self.round.rows[at]
        if row.trick:
            return [seat for seat, _ in row.cards]
        return [self.round.steps[number].seat for number in row.steps] or [None]

    def move(self, rows: int) -> None:
        """Move by ``rows`` lines, negative for up, to the entry of the same seat if the new line has one."""
        self.point(max(0, min(self.at + rows, len(self.round.rows) - 1)))

    def point(self, at: int, column: int | None = None) -> None:
        """Move to a line, and in it to the entry ``column``.

        By default it is the entry of the same seat, or the first entry if that seat has none.
        """
        seat, self.at = self.seat, at
        seats = self.seats(at)
        self.column = column if column is not None else seats.index(seat) if seat in seats else 0

    def along(self, step: int) -> None:
        """Move to the next (1) or previous (-1) entry, across the ends of lines."""
        column = self.column + step
        if 0 <= column < len(self.seats(self.at)):
            self.column = column
        elif 0 <= self.at + step < len(self.round.rows):
            self.point(self.at + step, 0 if step > 0 else len(self.seats(self.at + step)) - 1)


@dataclass(frozen=True, slots=True)
class HandShown:
    """Contents of a seat's plate on the board."""

    facts: tuple[str, ...]
    """Facts about the seat in words, the most important first."""
    held: Cards
    """All cards that are known to have been in the hand in this round, including those already played."""
    hand: Cards
    """Cards of ``held`` that are in the hand at this position."""
    marked: Cards
    unseen: int
    """Number of further cards in the hand, which are face down."""
    taken: Cards
    """Scoring cards that the seat has taken."""
    points: str = ""
    """Points scored in the round, as text; empty if they are not shown."""
    lost: bool = False
    """True if ``points`` are painted as a loss."""


@dataclass(frozen=True, slots=True)
class TableCards:
    """Contents of the middle of the table."""

    view: View
    """View of the bottom seat; any other view shows the same in the middle."""
    cards: Sequence[tuple[Seat, Card]] = ()
    """Cards of the trick in order of play, each with its seat."""
    marked: int | None = None
    """Index in ``cards`` of the card that is marked; ``None`` if there is none."""
    leads: Seat | None = None
    """Seat that is winning the trick; ``None`` if there is none."""


class RoundSnapshot(ABC):
    """Abstract base of what the painters of the board show of a round."""

    def __init__(self, replay: RoundReplay, names: Names, me: Seat) -> None:
        self.round, self.names, self.bottom_seat = replay, names, me

    @property
    def seats(self) -> list[Seat]:
        """All seats, clockwise from the bottom seat."""
        count = len(self.names)
        return [(self.bottom_seat + i) % count for i in range(count)]

    @property
    @abstractmethod
    def acting_seat(self) -> Seat | None:
        """Seat whose plate is golden; ``None`` if there is none."""

    @abstractmethod
    def plate(self, seat: Seat) -> HandShown:
        """Return the contents of the plate of ``seat`` at this position."""

    @abstractmethod
    def lying(self) -> TableCards:
        """Return the cards in the middle of the table at this position."""


class RowSnapshot(RoundSnapshot):
    """Snapshot at a line of a finished round: the cards of the line are still in the hands, where they are marked."""

    def __init__(self, cursor: RoundCursor, names: Names, me: Seat) -> None:
        super().__init__(cursor.round, names, me)
        self.cursor = cursor

    @property
    def acting_seat(self) -> Seat | None:
        """Seat of the card under the cursor."""
        return self.cursor.seat

    def plate(self, seat: Seat) -> HandShown:
        """Return the hand before the line, with the seat's result in the whole round."""
        replay, row = self.round, self.cursor.at
        assert replay.score is not None
        did, points = seat_result(replay, seat)
        at = replay.steps_before(row)
        return HandShown(
            did,
            replay.cards_held(seat, at),
            replay.hand(seat, at),
            replay.used(seat, row),
            replay.hidden_count(seat, at),
            replay.taken(seat, row),
            points,
            lost=replay.score.points[seat] < 0 and not replay.game.lowest_wins,
        )

    def lying(self) -> TableCards:
        """Return the complete trick of the line; for a declaration during a trick, the cards on the table before it."""
        cursor, row = self.cursor, self.cursor.row
        view = self.round.views_before(cursor.at)[self.bottom_seat]
        if row.trick:
            return TableCards(view, row.cards, cursor.column, row.taker)
        trick = self.round.game.trick(view)
        return TableCards(view, trick.lying if trick and row.steps else ())


class StopSnapshot(RoundSnapshot):
    """Snapshot at a position of a replay."""

    def __init__(self, head: Playhead, names: Names, me: Seat) -> None:
        super().__init__(head.round, names, me)
        self.head = head

    @property
    def acting_seat(self) -> Seat | None:
        return self.head.acting_seat

    def plate(self, seat: Seat) -> HandShown:
        """Return the hand at the position, with the fact that the plate shows at the table."""
        replay, head = self.round, self.head
        at, view = head.stop.steps, head.stop.views[seat]
        over = head.is_automatic
        last = head.last
        taken = [zone.cards for zone in replay.game.scene(view) if zone.name == "taken" and zone.seat == seat]
        return HandShown(
            (head.piece.plate(view, seat).fact,),
            replay.cards_held(seat, at),
            0 if over else replay.hand(seat, at),
            last.used if last and last.seat == seat and replay.open(seat) else 0,
            0 if over else replay.hidden_count(seat, at),
            mask_of([card for cards in taken for card in cards if card is not None])
            & ~mask_of([card for _, card in self._lying.cards]),
        )

    def lying(self) -> TableCards:
        return self._lying

    @cached_property
    def _lying(self) -> TableCards:
        """Cards on the table at the position; the last card is marked."""
        head, view = self.head, self.head.stop.views[self.bottom_seat]
        if (trick := self.round.game.trick(view)) is None:
            return TableCards(view)
        cards = trick.lying
        winning = head.piece.winning(view)
        leads = None if winning is None else cards[winning][0]
        played = head.part is not None and head.part.number > 0
        return TableCards(view, cards, len(cards) - 1 if cards and played else None, leads)
