"""Replay of rounds from the journal: the dealt hands, and each step with the views before and after it.

A replay shows all hands, since the round has ended or is open to the viewer; ``restrict_replay`` reduces it to the view
of one seat. The journal is not read beyond the round.
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
from cardtable.engine.text_format import with_count
from cardtable.engine.tricks import Play
from cardtable.games import GAMES
from cardtable.session.message_log import MessageLog, other_view, seat_change_entry, talk_entry
from cardtable.store import club_sessions, session_files
from cardtable.store.errors import FileError

Views = tuple[View, ...]
"""Views of all seats at one moment, indexed by seat."""


@dataclass(frozen=True, slots=True)
class Step:
    """Event of a round that was not undone, with the views before and after it."""

    event: Event
    before: Views
    after: Views
    decisions: int
    """Number of decisions in the session before the event, without undone ones."""
    notes: tuple[Note, ...]
    """Log entries of the event with all visible cards face up, without the entry for the points scored in the round."""
    line: int
    """Number of the event's line in the journal, starting at 1."""
    aside: tuple[Note, ...] = ()
    """Log entries since the previous decision that are not events of the game.

    They are chat messages, changes of occupants and undone decisions.
    """

    @property
    def seat(self) -> Seat | None:
        """Seat that made the decision; ``None`` for an outcome of chance."""
        turn: Seat = self.before[0].turn
        return turn if isinstance(self.event, Action) else None

    @property
    def view(self) -> View:
        """View of the seat that made the decision, before the event; for an outcome of chance the view of seat 0."""
        return self.before[self.seat or 0]

    @property
    def used(self) -> Cards:
        """Cards in the seat's hand that the action used; the second copy of a card if the hand holds both copies."""
        if not isinstance(self.event, Action):
            return 0
        hand: Cards = self.view.hand
        uses = self.event.cards_used()
        return uses << COPY if hand & uses << COPY else hand & uses


@dataclass(frozen=True, slots=True)
class RoundLine:
    """Row in the display of a round: a trick, the bids, a single step, or the end."""

    steps: tuple[int, ...] = ()
    """Indices of the steps of the row; empty for the end, and for a last trick that was played automatically."""
    trick: int = 0
    """Number of the trick, starting at 1; 0 if the row is not a trick."""
    cards: tuple[tuple[Seat, Card], ...] = ()
    """Cards of the trick in order of play, each with the seat that played it."""
    taker: Seat | None = None
    """Seat that took the trick; ``None`` if the trick was not completed."""


@dataclass(frozen=True, slots=True)
class RoundReplay:
    """Round of a session, as far as it was played, with its steps and display rows."""

    game: AnyGame
    number: int
    """Number of the round in the session, starting at 1."""
    score: Score | None
    """Score of the round; ``None`` if the round is not finished."""
    dealt: Views
    """Views after the deal."""
    deal_line: int
    """Line number of the deal in the journal."""
    steps: tuple[Step, ...]
    rows: tuple[RoundLine, ...]
    tricks: bool
    """True if the cards are played in tricks."""
    occupants: tuple[Occupant, ...]
    """Occupants at the end of the round, indexed by seat."""
    restricted_seat: Seat | None = None
    """Seat whose view replaces the views of all seats; ``None`` if all hands are open."""

    @property
    def seats(self) -> range:
        return range(len(self.dealt))

    @property
    def last_line(self) -> int:
        """Line number of the last event of the round in the journal."""
        return self.steps[-1].line if self.steps else self.deal_line

    def steps_before(self, row: int) -> int:
        """Return the number of steps before the row with this index."""
        steps = self.rows[row].steps
        return steps[0] if steps else len(self.steps)

    def views_before(self, row: int) -> Views:
        """Return the views before the row with this index."""
        return self.views_after(self.steps_before(row))

    def open(self, seat: Seat) -> bool:
        """Return True if the hand of ``seat`` may be shown."""
        return self.restricted_seat in (None, seat)

    def views_after(self, at: int) -> Views:
        """Return the views after the first ``step_count`` steps."""
        return self.steps[at - 1].after if at else self.dealt

    def hand(self, seat: Seat, at: int) -> Cards:
        """Return the visible cards in the hand of ``seat`` after the first ``step_count`` steps.

        A card that the rules have played automatically to the last trick still counts as held.
        """
        if not self.tricks:
            return mask_of([card for card in self._zone(self.views_after(at), seat).cards if card is not None])
        if not self.open(seat):
            return 0
        left: Cards = self.dealt[seat].hand
        for step in self.steps[:at]:
            left |= step.after[seat].hand & ~step.before[seat].hand
            left &= ~step.used if step.seat == seat else -1
        return left

    def hidden_count(self, seat: Seat, at: int) -> int:
        """Return the number of face-down cards in the hand of ``seat`` after the first ``step_count`` steps."""
        if not self.tricks:
            return self._zone(self.views_after(at), seat).cards.count(None)
        played = sum(isinstance(step.event, Play) and step.seat == seat for step in self.steps[:at])
        return 0 if self.open(seat) else len(self._zone(self.dealt, seat).cards) - played

    def _zone(self, views: Views, seat: Seat) -> Zone:
        """Return the zone with the hand of ``seat``, as the view of this seat shows it."""
        return next(zone for zone in self.game.scene(views[seat]) if zone.name == "hand" and zone.seat == seat)

    def cards_held(self, seat: Seat, at: int) -> Cards:
        """Return all visible cards that ``seat`` was dealt or has received in the first ``step_count`` steps.

        If the hand may not be shown, only the cards visible after these steps are returned.
        """
        if not self.open(seat):
            return self.hand(seat, at)
        cards: Cards = self.dealt[seat].hand
        for step in self.steps[:at]:
            cards |= step.after[seat].hand
        return cards

    def used(self, seat: Seat, row: int) -> Cards:
        """Return the cards from the hand of ``seat`` that were used in the row with this index."""
        steps = self.rows[row].steps
        if self.rows[row].trick and not steps:
            return self.hand(seat, len(self.steps))
        cards = 0
        for number in steps:
            cards |= self.steps[number].used if self.steps[number].seat == seat else 0
        return cards

    def taken(self, seat: Seat, row: int) -> Cards:
        """Return the scoring cards that ``seat`` had taken before the row with this index.

        Returns 0 in games without scoring cards.
        """
        views = self.views_before(row)
        zones = self.game.scene(views[seat])
        taken = mask_of(
            [c for zone in zones if zone.name == "taken" and zone.seat == seat for c in zone.cards if c is not None]
        )
        return taken & ~mask_of([card for _, card in self.rows[row].cards])


def replay_round(journal: Journal, number: int, *, unfinished: bool = False) -> RoundReplay | None:
    """Return the replay of a round by its number, starting at 1; ``None`` if it is not finished or does not exist.

    With ``unfinished``, a round in progress is returned as well, even before its first decision. Raises
    ``JournalError`` if the referee rejects a line.
    """
    return next((replay for replay in _iter_rounds(journal, GAMES, number) if replay.score or unfinished), None)


def replay_rounds(journal: Journal, games: Mapping[str, AnyGame] = GAMES) -> Iterator[RoundReplay]:
    """Yield the replays of all rounds that were not made void, in one pass over the journal.

    The last round may be unfinished: in progress, abandoned or ended by a clock, even before its first decision. Raises
    ``JournalError`` if the referee rejects a line.
    """
    return _iter_rounds(journal, games)


def _iter_rounds(journal: Journal, games: Mapping[str, AnyGame], number: int | None = None) -> Iterator[RoundReplay]:
    """Yield the rounds that were not made void, or only round ``number``; the last one may be unfinished."""
    tables = iter_positions(journal, games)
    _, table = next(tables)
    events: list[Event] = []
    table.on_event = events.append
    recorder: _RoundRecorder | None = None
    asides: list[Note] = []
    sitting = list(journal.header.seats)
    for entry, _ in zip(journal.entries, tables, strict=True):
        event = events.pop() if events else None
        asides += _aside(entry.line, sitting)
        if isinstance(event, Deal):
            if recorder:
                yield recorder.replay(table)
            recorder = _RoundRecorder(table, entry.number, sitting) if number in (None, table.round) else None
        elif entry.line.void:
            recorder = None
        elif recorder:
            recorder.record(table, event, entry, asides)
        if isinstance(event, Action):
            asides.clear()
    if recorder:
        yield recorder.replay(table)


def _aside(line: Line, sitting: list[Occupant]) -> list[Note]:
    """Return the log entries of a chat message or change of occupant, and update ``occupants``.

    Returns no entries for any other line.
    """
    if line.say is not None:
        return [talk_entry(line.say, line.seat)]
    if line.sit is None:
        return []
    left, sitting[line.sit] = sitting[line.sit], line.sitter
    return [seat_change_entry(line.sitter, left)]


class _RoundRecorder:
    """Recorder of the steps of one round, starting with its deal."""

    def __init__(self, table: Referee, line: int, sitting: Sequence[Occupant]) -> None:
        self._number, self._dealt, self._line = table.round, _views(table), line
        self._sitting, self._now = tuple(sitting), sitting
        self._steps: list[Step] = []

    def record(self, table: Referee, event: Event | None, entry: Entry, asides: list[Note]) -> None:
        """Add the event of a journal line, or remove the steps that the line undoes.

        ``asides`` are the log entries since the last decision; an undo adds the entries of the removed steps to them.
        """
        undo, steps = entry.line.undo, self._steps
        if event is not None:
            before = steps[-1].after if steps else self._dealt
            aside = tuple(asides) if isinstance(event, Action) else ()
            steps.append(_step(table, event, before, entry.number, aside))
            self._sitting = tuple(self._now)
        elif undo:
            asides[:] = [*[note for step in steps[-undo:] for note in step.aside], *asides, TAKEN_BACK]
            del steps[-undo:]

    def replay(self, table: Referee) -> RoundReplay:
        """Return the replay of the round as far as it has been recorded."""
        steps, over = self._steps, len(table.scores) >= self._number
        score = table.scores[self._number - 1] if over else None
        tricks = table.game.trick(self._dealt[0]) is not None
        turns = [RoundLine((i,)) for i, step in enumerate(steps) if step.notes]
        rows = _trick_rows(table.game, steps, self._dealt) if tricks else (*turns, *([RoundLine()] if over else []))
        return RoundReplay(
            table.game, self._number, score, self._dealt, self._line, tuple(steps), rows, tricks, self._sitting
        )


def restricted_to(replayed: RoundReplay, seat: Seat) -> RoundReplay:
    """Return the replay as ``seat`` saw the round: its view replaces the views of all seats.

    The events and the journal lines remain.
    """
    steps = tuple([_restricted_step(replayed, step, seat) for step in replayed.steps])
    return replace(replayed, dealt=_only_view_of(replayed.dealt, seat), steps=steps, restricted_seat=seat)


def _restricted_step(replayed: RoundReplay, step: Step, seat: Seat) -> Step:
    before, after = _only_view_of(step.before, seat), _only_view_of(step.after, seat)
    return replace(step, before=before, after=after, notes=_notes(replayed.game, step.event, before, after))


def _only_view_of(views: Views, seat: Seat) -> Views:
    return (views[seat],) * len(views)


def _views(table: Referee) -> Views:
    return tuple([table.view(seat) for seat in range(table.seats)])


def _step(table: Referee, event: Event, before: Views, line: int, aside: tuple[Note, ...]) -> Step:
    after = _views(table)
    decisions = table.decisions - isinstance(event, Action)
    return Step(event, before, after, decisions, _notes(table.game, event, before, after), line, aside)


def _notes(game: AnyGame, event: Event, before: Views, after: Views) -> tuple[Note, ...]:
    """Return the log entries of an event, each as the seat that it is about saw it.

    Entries for the points scored in the round are left out.
    """
    seen = [game.narrate(event, *views) for views in zip(before, after, strict=True)]
    own = [iter([note for note in heard if note.seat == seat]) for seat, heard in enumerate(seen)]
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
    """Return a row for each group of steps, with the number, cards and taker of each trick.

    A trick is taken by the leader of the next trick. ``last_views``: views after all steps, which also contain a last
    trick that was played automatically.
    """
    final = game.trick(last[0])
    assert final is not None
    rows = [RoundLine(tuple(group), cards=_played([steps[i] for i in group])) for group in groups]
    seats = len(last)
    if final.number > 1 + sum(len(row.cards) == seats for row in rows):
        rows.append(RoundLine(cards=final.last))
    leaders = [row.cards[0][0] for row in rows if row.cards] + [final.leader]
    numbered: list[RoundLine] = []
    number = 0
    for row in rows:
        number += bool(row.cards)
        taker = leaders[number] if len(row.cards) == seats else None
        numbered.append(RoundLine(row.steps, number, row.cards, taker) if row.cards else row)
    return tuple(numbered)


def _played(steps: Sequence[Step]) -> tuple[tuple[Seat, Card], ...]:
    """Return the cards played in these steps, each with the seat that played it."""
    return tuple([(step.before[0].turn, step.event.card) for step in steps if isinstance(step.event, Play)])


class SessionReplay:
    """Replay of a session, which loads its rounds on demand; may be used by any thread."""

    def __init__(self, path: Path, *, as_open: bool = False) -> None:
        """Read and check the whole journal.

        ``as_open``: show the hands of the round in progress as well. Raises ``CardtableError`` if the journal cannot be
        read or no round may be shown yet, and ``PlayedAtClub`` if ``as_open`` requests hands that the club hides.
        """
        self.path = path
        self._journal = session_files.parse_session(path, session_files.read_session(path))
        table = session_files.replayed(path, self._journal)
        self.game = table.game
        self.header = session_files.sanitized_header(with_occupants(self._journal.header, table.new_occupants))
        self.over = table.turn == OVER
        self.given_up = session_files.given_up(path, table.turn)
        self.is_club_only = club_sessions.is_hidden(self._journal, table.turn)
        """True if the round in progress is hidden because it is played at the club."""
        if self.is_club_only and as_open:
            raise club_sessions.refusal_to_open(self.header.id)
        self.hidden = self.is_club_only or (session_files.still_played(path, self.header, table.turn) and not as_open)
        """True if the round in progress is hidden because people still play it."""
        self.rounds = len(table.scores)
        """Number of rounds that can be replayed."""
        self._rounds: dict[int, RoundReplay] = {}
        if not self.hidden and self._load(self.rounds + 1) is not None:  # in progress, or ended by a clock
            self.rounds += 1
        if not self.rounds:
            why = "people still play it, and no round of it is over" if self.hidden else "nothing has happened in it"
            raise FileError(path, f"there is nothing to replay yet: {why}")
        self.round_count = self.rounds if self.given_up else max(table.options.rounds or 0, self.rounds)
        """Number of rounds in the session, as far as it is known; may be greater than ``rounds``."""

    def round(self, number: int) -> RoundReplay:
        """Return the replay of a round by its number, starting at 1. The first call for a round is slow."""
        replayed = self._load(number)
        assert replayed is not None
        return replayed

    def cached_round(self, number: int) -> RoundReplay | None:
        """Return the replay of a round if ``get_round`` has been called for it before, else ``None``."""
        return self._rounds.get(number)

    def _load(self, number: int) -> RoundReplay | None:
        if number not in self._rounds:
            replayed = replay_round(self._journal, number, unfinished=not self.hidden)
            if replayed is None:
                return None
            self._rounds[number] = replayed
        return self._rounds[number]

    def checked_round_number(self, number: int) -> int:
        """Return ``number`` if there is such a round to replay. Raises ``CardtableError`` if there is not."""
        if 1 <= number <= self.rounds:
            return number
        raise CardtableError(f"there is no round {number} to replay; there {_are(self.rounds)}")


def _are(rounds: int) -> str:
    return f"{'is' if rounds == 1 else 'are'} {with_count(rounds, 'round')}"


def replay_messages(path: Path, news: MessageLog, *, hidden: bool = False) -> None:
    """Replay the journal into ``message_log``: own messages of the last round, and all public ones.

    ``hidden``: True if hands are hidden, so that the own messages contain only public ones. If the journal cannot be
    read, the log is left empty.
    """
    try:
        journal = session_files.parse_session(path, session_files.read_session(path))
        tables = iter_positions(journal, GAMES)
        _, table = next(tables)
        table.hide_hands = hidden
        events: list[Event] = []
        table.on_event = events.append
        sitting = list(journal.header.seats)

        def current_views() -> dict[Seat, View]:
            return {seat: table.view(seat) for seat in news.messages_by_seat} | other_view(table, news.messages_by_seat)

        before = current_views()
        for entry, _ in zip(journal.entries, tables, strict=True):
            after = current_views()
            for event in events:
                if isinstance(event, Deal):
                    news.clear_round_messages()
                news.log_event(table.game, event, before, after)
            if entry.line.undo:
                news.log_note(TAKEN_BACK)
            if entry.line.say is not None:
                news.log_note(talk_entry(entry.line.say, entry.line.seat))
            if (seat := entry.line.sit) is not None:
                news.log_note(seat_change_entry(entry.line.sitter, sitting[seat]))
                sitting[seat] = entry.line.sitter
            events.clear()
            before = after
    except (JournalError, CardtableError):
        news.clear()
