"""The cursor in a finished round: on a line of it, and in the line on what one seat did."""

from cardtable.engine.contract import Seat
from cardtable.play.finished_round import FinishedRound, RoundLine, Step


class RoundCursor:
    """Moves from line to line, staying with a seat, and from card to card."""

    def __init__(self, finished: FinishedRound) -> None:
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
