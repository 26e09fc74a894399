"""Where a replay stands in a round: after which card, bid or other step, and how to go from there to others."""

from dataclasses import dataclass

from cardtable.engine.contract import Seat
from cardtable.play.finished_round import FinishedRound, Step, Views
from cardtable.ui.kit.piece import AnyPiece
from cardtable.ui.kit.pieces import piece


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

    def __init__(self, told: FinishedRound) -> None:
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


def _parts(told: FinishedRound) -> tuple[Part, ...]:
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


def _stops(told: FinishedRound, parts: tuple[Part, ...], shown: AnyPiece) -> tuple[Stop, ...]:
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
