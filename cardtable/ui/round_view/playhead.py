"""Positions in a finished round, the moves between them, and snapshots of the round for the painters."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property

import msgspec

from cardtable.engine.card_order import USUAL_ORDER, CardOrder
from cardtable.engine.cards import Card, Cards, mask_of
from cardtable.engine.errors import CardtableError
from cardtable.engine.game import Seat, View
from cardtable.engine.text_format import format_count
from cardtable.session.round_replay import RoundReplay, RoundRow, Step, Views
from cardtable.ui.game_view.game_view import AnyGameView
from cardtable.ui.game_view.registry import get_game_view
from cardtable.wording.log_entries import format_seat_result
from cardtable.wording.players import Names, filter_marks, format_short_mark, list_marks


class Part(msgspec.Struct, frozen=True):
    """Part of a round: a trick, the bidding, or the turn of a seat."""

    number: int
    """Number of the trick or turn, counted from 1; 0 for any other part."""
    steps: tuple[int, ...]
    """Indices into ``RoundReplay.steps``; empty for a last trick that was played automatically."""
    length: int
    """Number of cards, bids or other steps in the part."""
    first_row: int
    """Index of the first line of the round that describes the part."""


class Stop(msgspec.Struct, frozen=True):
    """Position in a round, between two steps."""

    step_count: int
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
        self.round, self.game_view = replay, get_game_view(replay.game.about.key)
        self.parts = _split_into_parts(replay)
        self.stops = _compute_stops(replay, self.parts, self.game_view)
        self.position = 0

    @property
    def stop(self) -> Stop:
        return self.stops[self.position]

    @property
    def part(self) -> Part | None:
        return self.parts[self.stop.part] if self.stop.part >= 0 else None

    @property
    def next_step(self) -> Step | None:
        """Next step; ``None`` at the end, and before a last trick that is played automatically."""
        steps = self.round.steps
        return steps[self.stop.step_count] if self.stop.step_count < len(steps) else None

    @property
    def previous_step(self) -> Step | None:
        """Previous step; ``None`` at the beginning, and after a last trick that was played automatically."""
        return self.round.steps[self.stop.step_count - 1] if self.part and self.part.steps else None

    @property
    def acting_seat(self) -> Seat | None:
        return self.next_step.seat if self.next_step else None

    @property
    def is_automatic(self) -> bool:
        return bool(self.part and not self.part.steps)

    @property
    def journal_line(self) -> int:
        """Number of the last journal line before the next step.

        A new session that starts at this position copies the lines up to this one.
        """
        return self.next_step.line - 1 if self.next_step else self.round.last_line

    def move_by_stops(self, by: int) -> bool:
        """Move by a number of stops, negative for back, limited to the round.

        Return True if the position has changed.
        """
        before = self.position
        self.position = max(0, min(self.position + by, len(self.stops) - 1))
        return self.position != before

    def move_by_parts(self, by: int) -> bool:
        """Move by ``by`` parts, negative for back, to the end of a part; return True if the position has changed.

        Within an incomplete part, the first move forward leads to the end of this part.
        """
        part, before = self.stop.part, self.position
        is_within = self.part is not None and self.stop.done < self.part.length
        self.go_to(part + (by - 1 if is_within and by > 0 else by))
        return self.position != before

    def go_to(self, part: int) -> None:
        """Move to the end of the part with this index.

        -1 leads to the beginning of the round; an index beyond the last part leads to the end.
        """
        if part >= len(self.parts):
            self.position = len(self.stops) - 1
        else:
            self.position = max([index for index, stop in enumerate(self.stops) if stop.part == part], default=0)

    def go_to_row(self, row: int, column: int) -> None:
        """Move to the position after an entry (card, bid or other step) of a line of the round."""
        steps = self.round.rows[row].steps
        last = len(self.stops) - 1
        step = steps[min(column, len(steps) - 1)] if steps else len(self.round.steps)
        self.position = next((index for index, stop in enumerate(self.stops) if stop.step_count > step), last)

    def move_to_end(self, last: int) -> None:
        self.position = last * (len(self.stops) - 1)

    def move_to_moment(self, number: int | None, step: int | None) -> None:
        """Move to the position after a step, which is counted from 1 in trick or turn ``number``.

        Without ``number`` it is counted from the deal. Without ``step`` the position is the end of the trick or turn,
        and without both it is the deal. Raises ``CardtableError`` if there is no such trick, turn or step.
        """
        if number is None:
            if step is not None and step >= len(self.stops):
                raise CardtableError(
                    f"there is no step {step} in round {self.round.number}; it has "
                    f"{format_count(len(self.stops) - 1, 'step')}"
                )
            self.position = step or 0
            return
        unit = "trick" if self.round.has_tricks else "turn"
        numbers = {part.number: i for i, part in enumerate(self.parts) if part.number}
        if number not in numbers:
            count = format_count(len(numbers), unit)
            raise CardtableError(f"there is no {unit} {number} in round {self.round.number}; it has {count}")
        self.go_to(numbers[number])
        if step is not None and step > self.stop.done:
            count = format_count(self.stop.done, "step")
            raise CardtableError(f"there is no step {step} in {unit} {number}; it has {count}")
        self.position -= 0 if step is None else self.stop.done - step

    def move_before(self, step: int) -> None:
        self.position = max([index for index, stop in enumerate(self.stops) if stop.step_count <= step], default=0)


def _split_into_parts(replay: RoundReplay) -> tuple[Part, ...]:
    """Return the parts in the order in which they end; so a declaration during a trick precedes the trick."""
    if replay.has_tricks:
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


def _compute_stops(replay: RoundReplay, parts: tuple[Part, ...], game_view: AnyGameView) -> tuple[Stop, ...]:
    part_positions = {step: (i, done) for i, part in enumerate(parts) for done, step in enumerate(part.steps, 1)}
    stops = [Stop(0, replay.dealt)]
    for number, step in enumerate(replay.steps):
        if number in part_positions:
            frames = _list_intermediate_views(step, game_view)  # a trick that is complete still lies on the table
            views = tuple([seat_views[0] for seat_views in frames]) if all(frames) else step.after
            stops.append(Stop(number + 1, views, *part_positions[number]))
        else:
            last = stops[-1]
            stops[-1] = Stop(number + 1, step.after, last.part, last.done)
    if parts and not parts[-1].steps:
        views = tuple([seat_views[-1] for seat_views in _list_intermediate_views(replay.steps[-1], game_view)])
        stops.append(Stop(len(replay.steps), views, len(parts) - 1, parts[-1].length))
    return tuple(stops)


def _list_intermediate_views(step: Step, game_view: AnyGameView) -> list[Views]:
    return [game_view.intermediate_views(step.event, *views) for views in zip(step.before, step.after, strict=True)]


class RoundCursor:
    """Cursor in the lines of a finished round and in the entries (cards, bids or other steps) of a line."""

    def __init__(self, finished: RoundReplay) -> None:
        self.round = finished
        self.row_index = 0
        """Index of the line under the cursor."""
        self.column = 0
        """Index of the entry under the cursor."""

    @property
    def row(self) -> RoundRow:
        return self.round.rows[self.row_index]

    @property
    def step(self) -> Step | None:
        """Decision under the cursor; ``None`` if the step is automatic."""
        steps = self.row.steps
        step = self.round.steps[steps[self.column]] if self.column < len(steps) else None
        return step if step and step.seat is not None else None

    @property
    def seat(self) -> Seat | None:
        return self.list_seats(self.row_index)[self.column]

    def list_seats(self, row_index: int) -> list[Seat | None]:
        """Return the seats of the entries of a line, in order; ``None`` for an automatic step.

        A line without steps, the end of the round, has the single entry ``None``.
        """
        row = self.round.rows[row_index]
        if row.trick:
            return [seat for seat, _ in row.cards]
        return [self.round.steps[number].seat for number in row.steps] or [None]

    def move_rows(self, rows: int) -> None:
        self.move_to(max(0, min(self.row_index + rows, len(self.round.rows) - 1)))

    def move_to(self, row_index: int, column: int | None = None) -> None:
        """Move to a line, and in it to the entry ``column``.

        By default it is the entry of the same seat, or the first entry if that seat has none.
        """
        seat, self.row_index = self.seat, row_index
        seats = self.list_seats(row_index)
        self.column = column if column is not None else seats.index(seat) if seat in seats else 0

    def move_entries(self, step: int) -> None:
        """Move to the next (1) or previous (-1) entry, across the ends of lines."""
        column = self.column + step
        if 0 <= column < len(self.list_seats(self.row_index)):
            self.column = column
        elif 0 <= self.row_index + step < len(self.round.rows):
            self.move_to(self.row_index + step, 0 if step > 0 else len(self.list_seats(self.row_index + step)) - 1)


class PlateContents(msgspec.Struct, frozen=True):
    """Contents of a seat's plate on the board."""

    facts: tuple[str, ...]
    """Facts about the seat in words, the most important first."""
    known_cards: Cards
    """All cards that are known to have been in the hand in this round, including those already played."""
    hand: Cards
    """Cards of ``known_cards`` that are in the hand at this position."""
    marked: Cards
    unseen: int
    """Number of further cards in the hand, which are face down."""
    taken: Cards
    """Scoring cards that the seat has taken."""
    points: str = ""
    """Points scored in the round, as text; empty if they are not shown."""
    lost: bool = False
    """True if ``points`` are painted as a loss."""
    card_order: CardOrder = USUAL_ORDER


class TableCards(msgspec.Struct, frozen=True):
    """Contents of the middle of the table."""

    view: View
    """View of the bottom seat; any other view shows the same in the middle."""
    cards: Sequence[tuple[Seat, Card]] = ()
    """Cards of the trick in order of play, each with its seat."""
    marked_index: int | None = None
    """Index in ``cards`` of the card that is marked; ``None`` if there is none."""
    winning_seat: Seat | None = None
    """Seat that is winning the trick; ``None`` if there is none."""


class RoundSnapshot(ABC):
    """Abstract base of what the painters of the board show of a round."""

    def __init__(self, replay: RoundReplay, names: Names, bottom_seat: Seat) -> None:
        self.round, self.names, self.bottom_seat = replay, names, bottom_seat

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
    def create_plate(self, seat: Seat) -> PlateContents:
        """Return the contents of the plate of ``seat`` at this position."""

    @abstractmethod
    def get_table_cards(self) -> TableCards:
        """Return the cards in the middle of the table at this position."""


class RowSnapshot(RoundSnapshot):
    """Snapshot at a line of a finished round: the cards of the line are still in the hands, where they are marked."""

    def __init__(self, cursor: RoundCursor, names: Names, bottom_seat: Seat) -> None:
        super().__init__(cursor.round, names, bottom_seat)
        self.cursor = cursor

    @property
    def acting_seat(self) -> Seat | None:
        return self.cursor.seat

    def create_plate(self, seat: Seat) -> PlateContents:
        """Return the hand before the line, with the seat's result in the whole round."""
        replay, row = self.round, self.cursor.row_index
        assert replay.score is not None
        facts, points = format_seat_result(replay, seat)
        step_count = replay.count_steps_before(row)
        return PlateContents(
            facts=facts,
            known_cards=replay.get_cards_held(seat, step_count),
            hand=replay.get_hand(seat, step_count),
            marked=replay.get_used_cards(seat, row),
            unseen=replay.count_hidden_cards(seat, step_count),
            taken=replay.get_taken_cards(seat, row),
            points=points,
            lost=replay.score.points[seat] < 0 and not replay.game.lowest_wins,
            card_order=replay.card_order,
        )

    def get_table_cards(self) -> TableCards:
        """Return the complete trick of the line; for a declaration during a trick, the cards on the table before it."""
        cursor, row = self.cursor, self.cursor.row
        view = self.round.get_views_before(cursor.row_index)[self.bottom_seat]
        if row.trick:
            return TableCards(view, row.cards, cursor.column, row.taker)
        trick = self.round.game.trick(view)
        return TableCards(view, trick.lying if trick and row.steps else ())


class StopSnapshot(RoundSnapshot):
    """Snapshot at a position of a replay."""

    def __init__(self, playhead: Playhead, names: Names, bottom_seat: Seat) -> None:
        super().__init__(playhead.round, names, bottom_seat)
        self.playhead = playhead

    @property
    def acting_seat(self) -> Seat | None:
        return self.playhead.acting_seat

    def create_plate(self, seat: Seat) -> PlateContents:
        """Return the hand at the position, with the fact that the plate shows at the table."""
        replay, head = self.round, self.playhead
        step_count, view = head.stop.step_count, head.stop.views[seat]
        is_over, last = head.is_automatic, head.previous_step
        zones = [zone.cards for zone in replay.game.scene(view) if zone.name == "taken" and zone.seat == seat]
        taken = mask_of([card for cards in zones for card in cards if card is not None])
        marks = filter_marks(list_marks(replay.game, head.stop.views[self.bottom_seat]), seat)
        return PlateContents(
            facts=(head.game_view.plate(view, seat).fact, *map(format_short_mark, marks)),
            known_cards=replay.get_cards_held(seat, step_count),
            hand=0 if is_over else replay.get_hand(seat, step_count),
            marked=last.used_cards if last and last.seat == seat and replay.is_open(seat) else 0,
            unseen=0 if is_over else replay.count_hidden_cards(seat, step_count),
            taken=taken & ~mask_of([card for _, card in self._table_cards.cards]),
            card_order=replay.card_order,
        )

    def get_table_cards(self) -> TableCards:
        return self._table_cards

    @cached_property
    def _table_cards(self) -> TableCards:
        """Cards on the table at the position; the last card is marked."""
        head, view = self.playhead, self.playhead.stop.views[self.bottom_seat]
        if (trick := self.round.game.trick(view)) is None:
            return TableCards(view)
        cards = trick.lying
        played = head.part is not None and head.part.number > 0
        return TableCards(view, cards, len(cards) - 1 if cards and played else None, trick.winning)
