"""A round told again from the journal: the hands as dealt, and step by step what was done with them.

Since the round is over, or nobody may mind, everybody's view of it may be seen; ``restricted_to`` leaves but one
seat's.  Of the rounds after it nothing is read.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from cardtable.engine.bidding import Bid
from cardtable.engine.cards import COPY, Card, Cards, mask_of
from cardtable.engine.chance import Deal
from cardtable.engine.errors import CardtableError
from cardtable.engine.game import OVER, Action, AnyGame, Event, Note, Score, Seat, View, Zone
from cardtable.engine.journal import Entry, Journal, JournalError, Line, Occupant, with_occupants
from cardtable.engine.log_entries import TAKEN_BACK, MadePoints
from cardtable.engine.referee import Referee
from cardtable.engine.replay import iter_positions
from cardtable.engine.text_format import counted
from cardtable.engine.tricks import Play
from cardtable.games import GAMES
from cardtable.session.message_log import MessageLog, other_view, seat_change_entry, talk_entry
from cardtable.store import club_sessions, session_files
from cardtable.store.errors import FileError

Views = tuple[View, ...]
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
    """What it looked like, with every card that may be seen face up; without the points of the round."""
    line: int
    """The number of its line in the journal."""
    aside: tuple[Note, ...] = ()
    """What was said before it since the decision before, who sat down, and that others were taken back."""

    @property
    def seat(self) -> Seat | None:
        """Who decided it; ``None`` for chance."""
        turn: Seat = self.before[0].turn
        return turn if isinstance(self.event, Action) else None

    @property
    def view(self) -> View:
        """What the seat that decided it saw then; of what chance did the view of seat 0."""
        return self.before[self.seat or 0]

    @property
    def used(self) -> Cards:
        """The cards of the own hand that it was done with; of two identical ones the second."""
        if not isinstance(self.event, Action):
            return 0
        hand: Cards = self.view.hand
        uses = self.event.cards_used()
        return uses << COPY if hand & uses << COPY else hand & uses


@dataclass(frozen=True, slots=True)
class RoundLine:
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
class RoundReplay:
    """A round that is over, or as much of it as was played."""

    game: AnyGame
    number: int
    """Which round of the session, from 1 on."""
    score: Score | None
    """``None`` of a round that is not over."""
    dealt: Views
    """What every seat saw once the cards were dealt."""
    deal_line: int
    """The number of the deal's line in the journal."""
    steps: tuple[Step, ...]
    rows: tuple[RoundLine, ...]
    tricks: bool
    """Whether it was played in tricks."""
    sitting: tuple[Occupant, ...]
    """Who sat where when it ended, by seat."""
    seen: Seat | None = None
    """The seat whose views stand in the place of everybody's; ``None`` where all hands are open."""

    @property
    def seats(self) -> range:
        """All seats."""
        return range(len(self.dealt))

    @property
    def last_line(self) -> int:
        """The number of the last line of the journal that belongs to the round."""
        return self.steps[-1].line if self.steps else self.deal_line

    def at(self, row: int) -> int:
        """How many steps had happened before a row."""
        steps = self.rows[row].steps
        return steps[0] if steps else len(self.steps)

    def moment(self, row: int) -> Views:
        """What every seat saw before a row."""
        return self.after(self.at(row))

    def open(self, seat: Seat) -> bool:
        """Whether the hand of a seat may be seen."""
        return self.seen in (None, seat)

    def after(self, at: int) -> Views:
        """What every seat saw after the first ``at`` steps."""
        return self.steps[at - 1].after if at else self.dealt

    def hand(self, seat: Seat, at: int) -> Cards:
        """What may be seen of what a seat held after the first ``at`` steps.

        Before a last trick that played itself it still held its card.
        """
        if not self.tricks:
            return mask_of([card for card in self._zone(self.after(at), seat).cards if card is not None])
        if not self.open(seat):
            return 0
        left: Cards = self.dealt[seat].hand
        for step in self.steps[:at]:
            left |= step.after[seat].hand & ~step.before[seat].hand
            left &= ~step.used if step.seat == seat else -1
        return left

    def unseen(self, seat: Seat, at: int) -> int:
        """How many cards a seat held after the first ``at`` steps that may not be seen."""
        if not self.tricks:
            return self._zone(self.after(at), seat).cards.count(None)
        played = sum(isinstance(step.event, Play) and step.seat == seat for step in self.steps[:at])
        return 0 if self.open(seat) else len(self._zone(self.dealt, seat).cards) - played

    def _zone(self, views: Views, seat: Seat) -> Zone:
        """The hand of a seat as it may be seen."""
        return next(zone for zone in self.game.scene(views[seat]) if zone.name == "hand" and zone.seat == seat)

    def held(self, seat: Seat, at: int) -> Cards:
        """All that may be seen of what a seat was dealt or got in the first ``at`` steps."""
        if not self.open(seat):
            return self.hand(seat, at)
        cards: Cards = self.dealt[seat].hand
        for step in self.steps[:at]:
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
        taken = mask_of(
            [c for zone in zones if zone.name == "taken" and zone.seat == seat for c in zone.cards if c is not None]
        )
        return taken & ~mask_of([card for _, card in self.rows[row].cards])


def replay_round(journal: Journal, number: int, *, unfinished: bool = False) -> RoundReplay | None:
    """Return round ``number`` of a session, or ``None`` if it is not over.  Raises ``JournalError``.

    With ``unfinished`` a round that was dealt is returned, too, even if nobody has played in it.
    """
    return next((told for told in _told(journal, GAMES, number) if told.score or unfinished), None)


def replay_rounds(journal: Journal, games: Mapping[str, AnyGame] = GAMES) -> Iterator[RoundReplay]:
    """Yield all rounds of a session, which is read once.  Raises ``JournalError``.

    The last one may have been given up or broken off by a clock, or be in progress; nobody need have played in it.
    """
    return _told(journal, games)


def _told(journal: Journal, games: Mapping[str, AnyGame], number: int | None = None) -> Iterator[RoundReplay]:
    """Each round that was not made void, or that of a number; the last one may not be over."""
    tables = iter_positions(journal, games)
    _, table = next(tables)
    happened: list[Event] = []
    table.on_event = happened.append
    telling: _Telling | None = None
    asides: list[Note] = []
    sitting = list(journal.header.seats)
    for entry, _ in zip(journal.entries, tables, strict=True):
        event = happened.pop() if happened else None
        asides += _aside(entry.line, sitting)
        if isinstance(event, Deal):
            if telling:
                yield telling.told(table)
            telling = _Telling(table, entry.number, sitting) if number in (None, table.round) else None
        elif entry.line.void:
            telling = None
        elif telling:
            telling.hear(table, event, entry, asides)
        if isinstance(event, Action):
            asides.clear()
    if telling:
        yield telling.told(table)


def _aside(line: Line, sitting: list[Occupant]) -> list[Note]:
    """What a line says that is no part of the game; who sits down takes the seat in ``sitting``."""
    if line.say is not None:
        return [talk_entry(line.say, line.seat)]
    if line.sit is None:
        return []
    left, sitting[line.sit] = sitting[line.sit], line.sitter
    return [seat_change_entry(line.sitter, left)]


class _Telling:
    """A round while it is told, from its deal on."""

    def __init__(self, table: Referee, line: int, sitting: Sequence[Occupant]) -> None:
        self._number, self._dealt, self._line = table.round, _views(table), line
        self._sitting, self._now = tuple(sitting), sitting
        self._steps: list[Step] = []

    def hear(self, table: Referee, event: Event | None, entry: Entry, asides: list[Note]) -> None:
        """What a line says; ``asides`` are the notes since the last decision."""
        undo, steps = entry.line.undo, self._steps
        if event is not None:
            before = steps[-1].after if steps else self._dealt
            aside = tuple(asides) if isinstance(event, Action) else ()
            steps.append(_step(table, event, before, entry.number, aside))
            self._sitting = tuple(self._now)
        elif undo:
            asides[:] = [*[note for step in steps[-undo:] for note in step.aside], *asides, TAKEN_BACK]
            del steps[-undo:]

    def told(self, table: Referee) -> RoundReplay:
        """The round as far as it has come."""
        steps, over = self._steps, len(table.scores) >= self._number
        score = table.scores[self._number - 1] if over else None
        tricks = table.game.trick(self._dealt[0]) is not None
        turns = [RoundLine((i,)) for i, step in enumerate(steps) if step.notes]
        rows = _trick_rows(table.game, steps, self._dealt) if tricks else (*turns, *[RoundLine()] * over)
        return RoundReplay(
            table.game, self._number, score, self._dealt, self._line, tuple(steps), rows, tricks, self._sitting
        )


def restricted_to(told: RoundReplay, seat: Seat) -> RoundReplay:
    """The round as one seat saw it: nothing that another one saw is left in it but what was done."""
    steps = tuple([_seen(told, step, seat) for step in told.steps])
    return replace(told, dealt=_alone(told.dealt, seat), steps=steps, seen=seat)


def _seen(told: RoundReplay, step: Step, seat: Seat) -> Step:
    before, after = _alone(step.before, seat), _alone(step.after, seat)
    return replace(step, before=before, after=after, notes=_notes(told.game, step.event, before, after))


def _alone(views: Views, seat: Seat) -> Views:
    return (views[seat],) * len(views)


def _views(table: Referee) -> Views:
    return tuple([table.view(seat) for seat in range(table.seats)])


def _step(table: Referee, event: Event, before: Views, line: int, aside: tuple[Note, ...]) -> Step:
    after = _views(table)
    decisions = table.decisions - isinstance(event, Action)
    return Step(event, before, after, decisions, _notes(table.game, event, before, after), line, aside)


def _notes(game: AnyGame, event: Event, before: Views, after: Views) -> tuple[Note, ...]:
    """What an event looked like, each thing as the seat saw it that it is about."""
    seen = [game.narrate(event, *views) for views in zip(before, after, strict=True)]
    own = [iter([note for note in told if note.seat == seat]) for seat, told in enumerate(seen)]
    notes = [note if note.seat is None else next(own[note.seat], note) for note in seen[0]]
    alone = [note for left in own for note in left]
    return tuple([note for note in (*notes, *alone) if not isinstance(note, MadePoints)])


def _trick_rows(game: AnyGame, steps: Sequence[Step], dealt: Views) -> tuple[RoundLine, ...]:
    groups: list[list[int]] = []
    trick: list[int] = []
    for i, step in enumerate(steps):
        if isinstance(step.event, Play):
            if not (lying := game.trick(step.before[0])) or not lying.lying:
                groups.append(trick := [])
            trick.append(i)
        elif isinstance(step.event, Bid) and groups:
            groups[-1].append(i)
        elif step.seat is not None:
            groups.append([i])
    return _with_tricks(game, steps, groups, steps[-1].after if steps else dealt)


def _with_tricks(
    game: AnyGame, steps: Sequence[Step], groups: Sequence[Sequence[int]], last: Views
) -> tuple[RoundLine, ...]:
    """Return the rows with the number, cards and taker of each trick: its taker leads the next one.

    ``last``: what every seat saw after all steps.
    """
    final = game.trick(last[0])
    assert final is not None
    rows = [RoundLine(tuple(group), cards=_played([steps[i] for i in group])) for group in groups]
    seats = len(last)
    if final.number > 1 + sum(len(row.cards) == seats for row in rows):
        rows.append(RoundLine(cards=final.last))
    leaders = [row.cards[0][0] for row in rows if row.cards] + [final.leader]
    told: list[RoundLine] = []
    number = 0
    for row in rows:
        number += bool(row.cards)
        taker = leaders[number] if len(row.cards) == seats else None
        told.append(RoundLine(row.steps, number, row.cards, taker) if row.cards else row)
    return tuple(told)


def _played(steps: Sequence[Step]) -> tuple[tuple[Seat, Card], ...]:
    """Who played which card to a trick."""
    return tuple([(step.before[0].turn, step.event.card) for step in steps if isinstance(step.event, Play)])


class SessionReplay:
    """A journal that is replayed; used by any thread."""

    def __init__(self, path: Path, *, as_open: bool = False) -> None:
        """Read all of it.

        Raises ``CardtableError`` where it cannot be read, or nothing of it may be told yet, and ``PlayedAtClub`` where
        ``as_open`` asks for hands that the club hides.
        """
        self.path = path
        self._journal = session_files.parse_session(path, session_files.read_session(path))
        table = session_files.replayed(path, self._journal)
        self.game = table.game
        self.header = session_files.sanitized_header(with_occupants(self._journal.header, table.sitters))
        self.over = table.turn == OVER
        self.given_up = session_files.given_up(path, table.turn)
        self.is_club_only = club_sessions.is_hidden(self._journal, table.turn)
        """True if the round in progress is not told, since the club plays it."""
        if self.is_club_only and as_open:
            raise club_sessions.refusal_to_open(self.header.id)
        self.hidden = self.is_club_only or (session_files.still_played(path, self.header, table.turn) and not as_open)
        """Whether the round in progress is not told, since people play it."""
        self.rounds = len(table.scores)
        """How many can be told."""
        self._told: dict[int, RoundReplay] = {}
        if not self.hidden and self._tell(self.rounds + 1) is not None:  # in progress, or broken off by a clock
            self.rounds += 1
        if not self.rounds:
            why = "people still play it, and no round of it is over" if self.hidden else "nothing has happened in it"
            raise FileError(path, f"there is nothing to replay yet: {why}")
        self.of = self.rounds if self.given_up else max(table.options.rounds or 0, self.rounds)
        """How many rounds the session has, as far as that is known."""

    def round(self, number: int) -> RoundReplay:
        """A round, from 1 on; kept once it was told.  It takes a while."""
        told = self._tell(number)
        assert told is not None
        return told

    def kept(self, number: int) -> RoundReplay | None:
        """A round, if it was told before."""
        return self._told.get(number)

    def _tell(self, number: int) -> RoundReplay | None:
        if number not in self._told:
            told = replay_round(self._journal, number, unfinished=not self.hidden)
            if told is None:
                return None
            self._told[number] = told
        return self._told[number]

    def in_range(self, number: int) -> int:
        """The number of a round that can be told.  Raises ``CardtableError``."""
        if 1 <= number <= self.rounds:
            return number
        raise CardtableError(f"there is no round {number} to replay; there {_are(self.rounds)}")


def _are(rounds: int) -> str:
    return f"{'is' if rounds == 1 else 'are'} {counted(rounds, 'round')}"


def story(path: Path, news: MessageLog, *, hidden: bool = False) -> None:
    """Let ``news`` hear a session again: own messages since the last deal, and all table talk.

    With ``hidden`` the own messages are what all were told.  Of a journal that cannot be read it
    hears nothing.
    """
    try:
        journal = session_files.parse_session(path, session_files.read_session(path))
        tables = iter_positions(journal, GAMES)
        _, table = next(tables)
        table.hide_hands = hidden
        seen: list[Event] = []
        table.on_event = seen.append
        sitting = list(journal.header.seats)

        def seen_now() -> dict[Seat, View]:
            return {seat: table.view(seat) for seat in news.own} | other_view(table, news.own)

        before = seen_now()
        for entry, _ in zip(journal.entries, tables, strict=True):
            after = seen_now()
            for event in seen:
                if isinstance(event, Deal):
                    news.forget_rounds()
                news.hear(table.game, event, before, after)
            if entry.line.undo:
                news.note(TAKEN_BACK)
            if entry.line.say is not None:
                news.note(talk_entry(entry.line.say, entry.line.seat))
            if (seat := entry.line.sit) is not None:
                news.note(seat_change_entry(entry.line.sitter, sitting[seat]))
                sitting[seat] = entry.line.sitter
            seen.clear()
            before = after
    except (JournalError, CardtableError):
        news.forget()
