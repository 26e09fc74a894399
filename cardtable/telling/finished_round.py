"""A round that is over, told again from the journal: the hands as dealt, and step by step what was done with them.

Since the round is over, everybody's view of it may be seen.  Of the rounds after it nothing is read.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cardtable.engine.bidding import Bid
from cardtable.engine.cards import COPY, Card, Cards, of
from cardtable.engine.chance import Deal
from cardtable.engine.contract import Action, Event, Game, Note, Score, Seat
from cardtable.engine.journal import Journal
from cardtable.engine.replay import follow
from cardtable.engine.table import Table
from cardtable.engine.tricks import Play
from cardtable.games import GAMES
from cardtable.telling.news import by_whom

Views = tuple[Any, ...]
"""What every seat saw at one moment, in order of seats."""


@dataclass(frozen=True, slots=True)
class Step:
    """Something that happened in the round, and stood."""

    event: Event
    before: Views
    after: Views
    decisions: int
    """How many decisions stood in the session before it."""
    notes: tuple[Note, ...]
    """What it looked like, with every card face up; without the points of the round."""

    @property
    def seat(self) -> Seat | None:
        """Who decided it; ``None`` for chance."""
        turn: Seat = self.before[0].turn
        return turn if isinstance(self.event, Action) else None

    @property
    def view(self) -> Any:
        """What the seat that decided it saw then; of what chance did the view of seat 0."""
        return self.before[self.seat or 0]

    @property
    def used(self) -> Cards:
        """The cards of the own hand that it was done with; of two identical ones the second."""
        if not isinstance(self.event, Action):
            return 0
        hand: Cards = self.view.hand
        uses = self.event.uses()
        return uses << COPY if hand & uses << COPY else hand & uses


@dataclass(frozen=True, slots=True)
class Row:
    """What stands in one line of the round: a trick, the bids, one step, or the end."""

    steps: tuple[int, ...] = ()
    """Their numbers, from 0 on; none at the end, and of a last trick that played itself."""
    trick: int = 0
    """The number of the trick, from 1 on; 0 if it is none."""
    cards: tuple[tuple[Seat, Card], ...] = ()
    """Who played what to the trick, in order."""
    taker: Seat | None = None
    """Who took the trick; ``None`` where it never was complete."""


@dataclass(frozen=True, slots=True)
class FinishedRound:
    """A round that is over."""

    game: Game[Any, Any]
    number: int
    """Which round of the session, from 1 on."""
    score: Score
    dealt: Views
    """What every seat saw once the cards were dealt."""
    steps: tuple[Step, ...]
    rows: tuple[Row, ...]

    @property
    def seats(self) -> range:
        """All seats."""
        return range(len(self.dealt))

    @property
    def tricks(self) -> bool:
        """Whether it was played in tricks."""
        return _in_tricks(self.dealt)

    def at(self, row: int) -> int:
        """How many steps had happened before a row."""
        steps = self.rows[row].steps
        return steps[0] if steps else len(self.steps)

    def moment(self, row: int) -> Views:
        """What every seat saw before a row."""
        at = self.at(row)
        return self.steps[at].before if at < len(self.steps) else self.steps[-1].after

    def hand(self, seat: Seat, at: int) -> Cards:
        """What a seat held after the first ``at`` steps; before a last trick that played itself still its card."""
        if not self.tricks:
            held: Cards = (self.steps[at - 1].after if at else self.dealt)[seat].hand
            return held
        left: Cards = self.dealt[seat].hand
        for step in self.steps[:at]:
            left &= ~step.used if step.seat == seat else -1
        return left

    def held(self, seat: Seat, at: int) -> Cards:
        """All that a seat was dealt or got in the first ``at`` steps."""
        cards: Cards = self.dealt[seat].hand
        for step in self.steps[:at] if not self.tricks else ():
            cards |= step.after[seat].hand
        return cards

    def used(self, seat: Seat, row: int) -> Cards:
        """The cards of its hand that a seat used in a row."""
        steps = self.rows[row].steps
        if self.rows[row].trick and not steps:
            return self.hand(seat, len(self.steps))
        cards = 0
        for number in steps:
            cards |= self.steps[number].used if self.steps[number].seat == seat else 0
        return cards

    def taken(self, seat: Seat, row: int) -> Cards:
        """The cards that count and that a seat had taken before a row; none in games where no cards do."""
        views = self.moment(row)
        zones = self.game.scene(views[seat])
        taken = of(
            [c for zone in zones if zone.name == "taken" and zone.seat == seat for c in zone.cards if c is not None]
        )
        return taken & ~of([card for _, card in self.rows[row].cards])


def told_again(journal: Journal, number: int) -> FinishedRound | None:
    """Round ``number`` of a session; ``None`` if it is not over.  Raises ``BadJournal``."""
    tables = follow(journal, GAMES)
    _, table = next(tables)
    happened: list[Event] = []
    table.watch = happened.append
    steps: list[Step] = []
    dealt: Views = ()
    for entry, _ in zip(journal.entries, tables, strict=True):
        event = happened.pop() if happened else None
        if isinstance(event, Deal):
            if table.round > number:
                break
            dealt, steps = _views(table) if table.round == number else (), []
        elif not dealt:
            continue
        elif event is not None:
            steps.append(_step(table, event, steps[-1].after if steps else dealt))
        elif entry.line.undo:
            del steps[-entry.line.undo :]
        elif entry.line.void:
            dealt = ()
    if not dealt or len(table.scores) < number:
        return None
    return FinishedRound(table.game, number, table.scores[number - 1], dealt, tuple(steps), _rows(dealt, steps))


def _views(table: Table) -> Views:
    return tuple([table.view(seat) for seat in range(table.seats)])


def _step(table: Table, event: Event, before: Views) -> Step:
    after = _views(table)
    decisions = table.decisions - isinstance(event, Action)
    return Step(event, before, after, decisions, _notes(table.game, event, before, after))


def _notes(game: Game[Any, Any], event: Event, before: Views, after: Views) -> tuple[Note, ...]:
    """What an event looked like, each thing as the seat saw it that it is about."""
    seen = [game.narrate(event, *views) for views in zip(before, after, strict=True)]
    points = f" in round {after[0].finished}"
    notes = [seen[note.seat or 0][i] for i, note in enumerate(seen[0])]
    return tuple([note for note in notes if not note.text.endswith(points)])


def _in_tricks(dealt: Views) -> bool:
    return hasattr(dealt[0], "trick")


def _rows(dealt: Views, steps: Sequence[Step]) -> tuple[Row, ...]:
    if not _in_tricks(dealt):
        return (*[Row((i,)) for i, step in enumerate(steps) if step.notes], Row())
    groups: list[list[int]] = []
    trick: list[int] = []
    for i, step in enumerate(steps):
        if isinstance(step.event, Play):
            if not step.before[0].trick:
                groups.append(trick := [])
            trick.append(i)
        elif isinstance(step.event, Bid) and groups:
            groups[-1].append(i)
        elif step.seat is not None:
            groups.append([i])
    return _with_tricks(steps, groups)


def _with_tricks(steps: Sequence[Step], groups: Sequence[Sequence[int]]) -> tuple[Row, ...]:
    """The rows with what is known of each trick: who takes it leads the next one."""
    final = steps[-1].after[0]
    rows = [Row(tuple(group), cards=_played([steps[i] for i in group])) for group in groups]
    seats = len(final.totals)
    if sum(final.won) > sum(len(row.cards) == seats for row in rows):
        rows.append(Row(cards=tuple(by_whom(final, final.last_leader, final.last_trick))))
    leaders = [row.cards[0][0] for row in rows if row.cards] + [final.leader]
    told: list[Row] = []
    number = 0
    for row in rows:
        number += bool(row.cards)
        taker = leaders[number] if len(row.cards) == seats else None
        told.append(Row(row.steps, number, row.cards, taker) if row.cards else row)
    return tuple(told)


def _played(steps: Sequence[Step]) -> tuple[tuple[Seat, Card], ...]:
    """Who played which card to a trick."""
    return tuple([(step.before[0].turn, step.event.card) for step in steps if isinstance(step.event, Play)])
