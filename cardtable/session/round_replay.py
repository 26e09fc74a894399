"""Replay of rounds from the journal: the dealt hands, and each step with the views before and after it.

A replay shows all hands, since the round has ended or is open to the viewer; ``restrict_replay`` reduces it to the view
of one seat. The journal is not read beyond the round.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec.structs import replace

from cardtable.engine.bidding import Bid
from cardtable.engine.card_order import CardOrder
from cardtable.engine.cards import COPY_OFFSET, Card, Cards, mask_of
from cardtable.engine.chance import Deal
from cardtable.engine.checksummed_jsonl import JournalError
from cardtable.engine.errors import CardtableError
from cardtable.engine.game import OVER, Action, AnyGame, Event, Note, Score, Seat, View, Zone
from cardtable.engine.journal import (
    ActionLine,
    Entry,
    Journal,
    Line,
    MarkLine,
    Occupant,
    OccupantLine,
    TalkLine,
    UndoLine,
    VoidLine,
    replace_occupants,
)
from cardtable.engine.log_entries import TAKEN_BACK, MadePoints
from cardtable.engine.referee import Referee
from cardtable.engine.replay import iter_positions
from cardtable.engine.text_format import format_count
from cardtable.engine.tricks import Play
from cardtable.games import GAMES
from cardtable.session.session_events import (
    MessageLog,
    create_line_entries,
    create_other_view,
    create_seat_change_entry,
    turn_views,
)
from cardtable.store import session_files, visibility
from cardtable.store.errors import FileError

Views = tuple[View, ...]
"""Views of all seats at one moment, indexed by seat."""


class Step(msgspec.Struct, frozen=True):
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
    robot: str | None = None
    """Level of the robot that has decided in place of the person of the seat, who lets robots finish the round."""
    asides: tuple[Note, ...] = ()
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
    def used_cards(self) -> Cards:
        """Cards in the seat's hand that the action used; the second copy of a card if the hand holds both copies."""
        if not isinstance(self.event, Action):
            return 0
        hand: Cards = self.view.hand
        uses = self.event.cards_used()
        return uses << COPY_OFFSET if hand & uses << COPY_OFFSET else hand & uses


class RoundRow(msgspec.Struct, frozen=True):
    """Row in the display of a round: a trick, the bids, a single step, or the end."""

    steps: tuple[int, ...] = ()
    """Indices of the steps of the row; empty for the end, and for a last trick that was played automatically."""
    trick: int = 0
    """Number of the trick, starting at 1; 0 if the row is not a trick."""
    cards: tuple[tuple[Seat, Card], ...] = ()
    """Cards of the trick in order of play, each with the seat that played it."""
    taker: Seat | None = None
    """Seat that took the trick; ``None`` if the trick was not completed."""


class RoundReplay(msgspec.Struct, frozen=True):
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
    rows: tuple[RoundRow, ...]
    has_tricks: bool
    """True if the cards are played in tricks."""
    occupants: tuple[Occupant, ...]
    """Occupants at the end of the round, indexed by seat."""
    worlds: int | None = None
    """Number of worlds in which robots of the session searched at most; ``None`` if it was not limited."""
    restricted_seat: Seat | None = None
    """Seat whose view replaces the views of all seats; ``None`` if all hands are open."""

    @property
    def seats(self) -> range:
        return range(len(self.dealt))

    @property
    def card_order(self) -> CardOrder:
        """Order in which hands are shown at the end of the round."""
        return self.game.card_order(self.get_views_after(len(self.steps))[0])

    @property
    def last_line(self) -> int:
        """Line number of the last event of the round in the journal."""
        return self.steps[-1].line if self.steps else self.deal_line

    def count_steps_before(self, row: int) -> int:
        """Return the number of steps before the row with this index."""
        steps = self.rows[row].steps
        return steps[0] if steps else len(self.steps)

    def get_views_before(self, row: int) -> Views:
        return self.get_views_after(self.count_steps_before(row))

    def is_open(self, seat: Seat) -> bool:
        return self.restricted_seat in (None, seat)

    def get_views_after(self, step_count: int) -> Views:
        return self.steps[step_count - 1].after if step_count else self.dealt

    def get_hand(self, seat: Seat, step_count: int) -> Cards:
        """Return the visible cards in the hand of ``seat`` after the first ``step_count`` steps.

        A card that the rules have played automatically to the last trick still counts as held.
        """
        if not self.has_tricks:
            zone = self._find_hand_zone(self.get_views_after(step_count), seat)
            return mask_of([card for card in zone.cards if card is not None])
        if not self.is_open(seat):
            return 0
        remaining: Cards = self.dealt[seat].hand
        for step in self.steps[:step_count]:
            remaining |= step.after[seat].hand & ~step.before[seat].hand
            remaining &= ~step.used_cards if step.seat == seat else -1
        return remaining

    def count_hidden_cards(self, seat: Seat, step_count: int) -> int:
        """Return the number of face-down cards in the hand of ``seat`` after the first ``step_count`` steps."""
        if not self.has_tricks:
            return self._find_hand_zone(self.get_views_after(step_count), seat).cards.count(None)
        played = sum(isinstance(step.event, Play) and step.seat == seat for step in self.steps[:step_count])
        return 0 if self.is_open(seat) else len(self._find_hand_zone(self.dealt, seat).cards) - played

    def _find_hand_zone(self, views: Views, seat: Seat) -> Zone:
        """Return the zone with the hand of ``seat``, as the view of this seat shows it; an empty one by default."""
        zones = [zone for zone in self.game.scene(views[seat]) if zone.name == "hand" and zone.seat == seat]
        return zones[0] if zones else Zone("hand", seat, ())

    def get_cards_held(self, seat: Seat, step_count: int) -> Cards:
        """Return all visible cards that ``seat`` was dealt or has received in the first ``step_count`` steps.

        If the hand may not be shown, only the cards visible after these steps are returned.
        """
        if not self.is_open(seat):
            return self.get_hand(seat, step_count)
        cards: Cards = self.dealt[seat].hand
        for step in self.steps[:step_count]:
            cards |= step.after[seat].hand
        return cards

    def get_used_cards(self, seat: Seat, row: int) -> Cards:
        """Return the cards from the hand of ``seat`` that were used in the row with this index."""
        steps = self.rows[row].steps
        if self.rows[row].trick and not steps:
            return self.get_hand(seat, len(self.steps))
        cards = 0
        for number in steps:
            cards |= self.steps[number].used_cards if self.steps[number].seat == seat else 0
        return cards

    def get_taken_cards(self, seat: Seat, row: int) -> Cards:
        """Return the scoring cards that ``seat`` had taken before the row with this index.

        Returns 0 in games without scoring cards.
        """
        views = self.get_views_before(row)
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
    return next((replay for replay in replay_rounds(journal, GAMES, number) if replay.score or unfinished), None)


def replay_rounds(
    journal: Journal, games: Mapping[str, AnyGame] = GAMES, number: int | None = None
) -> Iterator[RoundReplay]:
    """Yield the replays of all rounds that were not made void, or only of round ``number``, in one pass.

    The last round may be unfinished: in progress, abandoned or ended by a clock, even before its first decision. Raises
    ``JournalError`` if the referee rejects a line.
    """
    positions = iter_positions(journal, games)
    _, referee = next(positions)
    events: list[Event] = []
    referee.on_event = events.append
    recorder: _RoundRecorder | None = None
    asides: list[Note] = []
    occupants = list(journal.header.seats)
    for entry, _ in zip(journal.entries, positions, strict=True):
        event = events.pop() if events else None
        asides += _collect_asides(entry.line, occupants)
        if isinstance(event, Deal):
            if recorder:
                yield recorder.create_replay(referee)
            recorder = _RoundRecorder(referee, entry.number, occupants) if number in (None, referee.round) else None
        elif isinstance(entry.line, VoidLine):
            recorder = None
        elif recorder:
            recorder.record(referee, event, entry, asides)
        if isinstance(event, Action):
            asides.clear()
    if recorder:
        yield recorder.create_replay(referee)


def _collect_asides(line: Line, occupants: list[Occupant]) -> list[Note]:
    """Return the log entries of a chat message, mark or change of occupant, and update ``occupants``.

    Returns no entries for any other line.
    """
    if isinstance(line, TalkLine | MarkLine):
        return [*create_line_entries(line)]
    if not isinstance(line, OccupantLine):
        return []
    previous, occupants[line.seat] = occupants[line.seat], line.occupant
    return [create_seat_change_entry(line.seat, line.occupant, previous)]


class _RoundRecorder:
    """Recorder of the steps of one round, starting with its deal."""

    def __init__(self, referee: Referee, line: int, occupants: Sequence[Occupant]) -> None:
        self._number, self._dealt, self._line = referee.round, _list_views(referee), line
        self._round_occupants, self._current_occupants = tuple(occupants), occupants
        self._steps: list[Step] = []
        self._views_after_undo: Views | None = None
        """Views after a secret choice was taken back, until the next event."""

    def record(self, referee: Referee, event: Event | None, entry: Entry, asides: list[Note]) -> None:
        """Add the event of a journal line, or remove the steps that the line undoes.

        ``asides`` are the log entries since the last decision; an undo adds the entries of the removed steps to them.
        """
        line, steps = entry.line, self._steps
        if event is not None:
            before = self._views_after_undo or (steps[-1].after if steps else self._dealt)
            self._views_after_undo = None
            if isinstance(event, Action) and any(before[0].choosing):
                before = tuple([view.with_turn(referee.actor) for view in before])
            step_asides = tuple(asides) if isinstance(event, Action) else ()
            steps.append(_create_step(referee, event, before, entry, step_asides))
            self._round_occupants = tuple(self._current_occupants)
        elif isinstance(line, UndoLine) and line.seat is not None:
            index = max(index for index, step in enumerate(steps) if step.seat == line.seat)
            asides[:] = [*steps[index].asides, *asides, TAKEN_BACK]
            del steps[index]
            self._views_after_undo = _list_views(referee)
        elif isinstance(line, UndoLine):
            undone = steps[-line.decisions :]
            asides[:] = [*[note for step in undone for note in step.asides], *asides, TAKEN_BACK]
            del steps[-line.decisions :]

    def create_replay(self, referee: Referee) -> RoundReplay:
        """Return the replay of the round as far as it has been recorded."""
        steps, over = self._steps, len(referee.scores) >= self._number
        score = referee.scores[self._number - 1] if over else None
        tricks = referee.game.trick(self._dealt[0]) is not None
        turns = [RoundRow((i,)) for i, step in enumerate(steps) if step.notes]
        rows = (
            _build_trick_rows(referee.game, steps, self._dealt) if tricks else (*turns, *([RoundRow()] if over else []))
        )
        return RoundReplay(
            game=referee.game,
            number=self._number,
            score=score,
            dealt=self._dealt,
            deal_line=self._line,
            steps=tuple(steps),
            rows=rows,
            has_tricks=tricks,
            occupants=self._round_occupants,
            worlds=referee.worlds,
        )


def restrict_replay(replayed: RoundReplay, seat: Seat) -> RoundReplay:
    """Return the replay as ``seat`` saw the round: its view replaces the views of all seats.

    The events and the journal lines remain.
    """
    steps = tuple([_restrict_step(replayed, step, seat) for step in replayed.steps])
    return replace(replayed, dealt=_repeat_view(replayed.dealt, seat), steps=steps, restricted_seat=seat)


def _restrict_step(replayed: RoundReplay, step: Step, seat: Seat) -> Step:
    before, after = _repeat_view(step.before, seat), _repeat_view(step.after, seat)
    return replace(step, before=before, after=after, notes=_narrate_event(replayed.game, step.event, before, after))


def _repeat_view(views: Views, seat: Seat) -> Views:
    return (views[seat],) * len(views)


def _list_views(referee: Referee) -> Views:
    return tuple([referee.view(seat) for seat in range(referee.seats)])


def _create_step(referee: Referee, event: Event, before: Views, entry: Entry, asides: tuple[Note, ...]) -> Step:
    after = _list_views(referee)
    return Step(
        event=event,
        before=before,
        after=after,
        decisions=referee.decisions - 1 if isinstance(event, Action) else referee.decisions,
        notes=_narrate_event(referee.game, event, before, after),
        line=entry.number,
        robot=entry.line.robot if isinstance(entry.line, ActionLine) else None,
        asides=asides,
    )


def _narrate_event(game: AnyGame, event: Event, before: Views, after: Views) -> tuple[Note, ...]:
    """Return the log entries of an event, each as the seat that it is about saw it.

    Entries for the points scored in the round are left out.
    """
    seen = [game.narrate(event, *views) for views in zip(before, after, strict=True)]
    notes_by_seat = [iter([note for note in heard if note.seat == seat]) for seat, heard in enumerate(seen)]
    notes = [note if note.seat is None else next(notes_by_seat[note.seat], note) for note in seen[0]]
    alone = [note for left in notes_by_seat for note in left]
    return tuple([note for note in (*notes, *alone) if not isinstance(note, MadePoints)])


def _build_trick_rows(game: AnyGame, steps: Sequence[Step], dealt: Views) -> tuple[RoundRow, ...]:
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
    return _number_tricks(game, steps, groups, steps[-1].after if steps else dealt)


def _number_tricks(
    game: AnyGame, steps: Sequence[Step], groups: Sequence[Sequence[int]], last_views: Views
) -> tuple[RoundRow, ...]:
    """Return a row for each group of steps, with the number, cards and taker of each trick.

    A trick is taken by the leader of the next trick. ``last_views``: views after all steps, which also contain a last
    trick that was played automatically.
    """
    final = game.trick(last_views[0])
    assert final is not None
    rows = [RoundRow(tuple(group), cards=_list_played_cards([steps[i] for i in group])) for group in groups]
    seats = sum(last_views[0].active)
    if final.number > 1 + sum(len(row.cards) == seats for row in rows):
        rows.append(RoundRow(cards=final.last))
    leaders = [row.cards[0][0] for row in rows if row.cards] + [final.leader]
    numbered: list[RoundRow] = []
    number = 0
    for row in rows:
        if row.cards:
            number += 1
            taker = leaders[number] if len(row.cards) == seats else None
            numbered.append(RoundRow(row.steps, number, row.cards, taker))
        else:
            numbered.append(row)
    return tuple(numbered)


def _list_played_cards(steps: Sequence[Step]) -> tuple[tuple[Seat, Card], ...]:
    return tuple([(step.before[0].turn, step.event.card) for step in steps if isinstance(step.event, Play)])


class SessionReplay:
    """Replay of a session, which loads its rounds on demand; may be used by any thread."""

    def __init__(self, path: Path, *, as_open: bool = False) -> None:
        """Read and check the whole journal.

        ``as_open``: show the hands of the round in progress as well. Raises ``CardtableError`` if the journal cannot be
        read or no round may be shown yet, and ``PlayedAtClub`` if ``as_open`` requests hands that the club hides.
        """
        self.path = path
        self._journal = session_files.load_journal(path)
        referee = session_files.replay_journal(path, self._journal)
        self.game = referee.game
        self.header = session_files.sanitize_header(replace_occupants(self._journal.header, referee.occupants.changed))
        self.over = referee.turn == OVER
        self.is_abandoned = session_files.is_abandoned(path, referee.turn)
        extent = visibility.check_request(path, self._journal, self.header, referee.turn, None, as_open=as_open)
        self.is_club_only = extent == "finished rounds"
        """True if the round in progress is hidden because it is played at the club."""
        self.hidden = self.is_club_only or (extent == "on request" and not as_open)
        """True if the round in progress is hidden because people still play it."""
        self.rounds = len(referee.scores)
        """Number of rounds that can be replayed."""
        self._rounds: dict[int, RoundReplay] = {}
        if not self.hidden and self._load_round(self.rounds + 1) is not None:  # in progress, or ended by a clock
            self.rounds += 1
        if not self.rounds:
            reason = "it is still being played, and no round is over" if self.hidden else "nothing has happened in it"
            raise FileError(path, f"there is nothing to replay yet: {reason}")
        self.round_count = self.rounds if self.is_abandoned else max(referee.options.rounds or 0, self.rounds)
        """Number of rounds in the session, as far as it is known; may be greater than ``rounds``."""

    def check_finished_or_open(self) -> None:
        """Raise ``StillPlayed`` if people still play the session, and hands would need a confirmation to be shown.

        A session that is played at the club is not refused, since only its finished rounds are shown.
        """
        if self.hidden and not self.is_club_only:
            raise session_files.make_refusal(self.header, "replay")

    def get_round(self, number: int) -> RoundReplay:
        """Return the replay of a round by its number, starting at 1. The first call for a round is slow."""
        replayed = self._load_round(number)
        assert replayed is not None
        return replayed

    def get_cached_round(self, number: int) -> RoundReplay | None:
        return self._rounds.get(number)

    def _load_round(self, number: int) -> RoundReplay | None:
        if number not in self._rounds:
            replayed = replay_round(self._journal, number, unfinished=not self.hidden)
            if replayed is None:
                return None
            self._rounds[number] = replayed
        return self._rounds[number]

    def check_round_number(self, number: int) -> int:
        """Return ``number`` if there is such a round to replay. Raises ``CardtableError`` if there is not."""
        if 1 <= number <= self.rounds:
            return number
        existing = f"there {'is' if self.rounds == 1 else 'are'} {format_count(self.rounds, 'round')}"
        raise CardtableError(f"there is no round {number} to replay; {existing}")


def replay_messages(path: Path, message_log: MessageLog, *, hidden: bool = False) -> None:
    """Replay the journal into ``message_log``: own messages of the last round, and all public ones.

    ``hidden``: True if hands are hidden, so that the own messages contain only public ones. If the journal cannot be
    read, the log is left empty.
    """
    try:
        journal = session_files.load_journal(path)
        positions = iter_positions(journal, GAMES)
        _, referee = next(positions)
        referee.hide_hands = hidden
        events: list[Event] = []
        referee.on_event = events.append
        occupants = list(journal.header.seats)

        def current_views() -> dict[Seat, View]:
            return {seat: referee.view(seat) for seat in message_log.messages_by_seat} | create_other_view(
                referee, message_log.messages_by_seat
            )

        before = current_views()
        for entry, _ in zip(journal.entries, positions, strict=True):
            after = current_views()
            for event in events:
                if isinstance(event, Deal):
                    message_log.clear_round_messages()
                message_log.log_event(referee.game, event, turn_views(before, event, referee.actor), after)
            if isinstance(entry.line, UndoLine):
                message_log.log_note(TAKEN_BACK)
            for note in _collect_asides(entry.line, occupants):
                message_log.log_note(note)
            events.clear()
            before = after
    except (JournalError, CardtableError):
        message_log.clear()
