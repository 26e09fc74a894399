"""What a session in progress tells its front ends: pending inputs, events, the messages of its log, and its snapshot.

All values are frozen. The pending inputs contain no hidden cards, so every front end may receive them; each names the
methods of ``PlayableSession``, or of its ``local`` member, that answer it. ``MessageLog`` has the log entries of each
person, the public ones, and those that a person has missed.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from enum import Enum
from typing import Final, Literal, NamedTuple, TypeAlias

import msgspec

from cardtable.engine import journal
from cardtable.engine.cards import Card
from cardtable.engine.game import Action, AnyGame, Event, Note, Score, Seat, View
from cardtable.engine.journal import SENTENCES, Line, LossReason, MarkKind, Occupant, RobotReason
from cardtable.engine.log_entries import (
    DEALT_AGAIN,
    TAKEN_BACK,
    CustomLogEntry,
    PlayedCard,
    Said,
    SeatChanged,
    SystemLogEntry,
    join_spectator_talk,
    split_spectator_talk,
)
from cardtable.engine.referee import Referee
from cardtable.engine.text_format import sanitize
from cardtable.engine.tricks import Play
from cardtable.store.seating import DEFAULT_LEVEL
from cardtable.store.session_files import MAX_NAME_LENGTH

WATCHING: Final = "You are watching."
"""Reason why a spectator cannot act."""


class AutoAdvance(msgspec.Struct, frozen=True):
    """No player is needed: chance, a forced silent action or the end is due; answer with ``advance()``."""


class AwaitingNextRound(msgspec.Struct, frozen=True):
    """Waiting for the players to read the points of the round; ``advance()`` deals the next one."""


class RobotChoice(NamedTuple):
    """Choice of a robot."""

    action: Action
    worlds: int | None = None
    """Number of worlds in which robots of the session search at most, if it has been measured at this decision."""
    notice: str = ""
    """Sentence that the robot has failed and another one has chosen in its place; ``""`` if it has not failed."""


class AwaitingRobot(msgspec.Struct, frozen=True):
    """Waiting for a robot; pass the worker's answer to ``create_robot_request()`` to ``play()``."""

    seat: Seat
    level: str = DEFAULT_LEVEL
    why: RobotReason | None = None
    """Why it decides in place of the person in the seat; ``None`` if there is none, or nothing is late."""


class AwaitingHandover(msgspec.Struct, frozen=True):
    """Waiting for the next hot-seat player; answer with ``confirm_handover()``."""

    seat: Seat
    password: str | None = None
    """Nick whose password ``submit_password()`` has to accept first; ``None`` if no password is required."""


class AwaitingPlayer(msgspec.Struct, frozen=True):
    """Waiting for a person; answer with ``play()``, ``take_back()`` or ``claim_rest()``.

    If a clock has run out, the answer is ``apply_timeout()``.
    """

    seat: Seat


class AwaitingRemote(msgspec.Struct, frozen=True):
    """Waiting for the program that plays the session.

    Answer with ``poll()``, then with ``apply_next()`` for each line.
    """

    lines: int
    """Number of lines that have been read but not applied."""


class AwaitingReader(msgspec.Struct, frozen=True):
    """Waiting for the player to read a text of a lesson or a puzzle; answer with ``advance()``."""


class AwaitingScript(msgspec.Struct, frozen=True):
    """Waiting for the next event of a lesson, such as a play of another seat; ``advance()`` applies it."""

    seat: Seat | None = None
    """Seat that acts; ``None`` for chance, and for a forced action that tells nothing."""


class SessionOver(msgspec.Struct, frozen=True):
    """The session has ended; no input is awaited."""


PendingInput: TypeAlias = (
    AutoAdvance
    | AwaitingNextRound
    | AwaitingRobot
    | AwaitingHandover
    | AwaitingPlayer
    | AwaitingRemote
    | AwaitingReader
    | AwaitingScript
    | SessionOver
)


class CoachedDecision(msgspec.Struct, frozen=True):
    """Decision of the only person at a table, made while the coach was on."""

    view: View
    """View of the seat just before the decision."""
    action: Action
    decisions: int
    """Number of earlier decisions in the session, by all seats."""


class ObservedEvent(msgspec.Struct, frozen=True):
    """Event of the game, with the views before and after it of all seats that this front end may show."""

    event: Event
    before: Mapping[Seat, View]
    after: Mapping[Seat, View]


SessionEvent: TypeAlias = ObservedEvent | Note
"""Result of a change: an event of the game, or a log entry for everyone at the table."""


class Stage(Enum):
    """Stage of a session, which decides what a front end shows."""

    PLAY = "play"
    ROUND_END = "round end"
    CURTAIN = "curtain"
    SESSION_END = "session end"


class Shown(Enum):
    """How much of the table a lesson shows."""

    CARDS = "cards"
    """Hand, names, and the cards on the table."""
    ROUND = "round"
    """Also what the seats have bid and taken in the round."""
    ALL = "all"
    """Also the panel, the number of the round, and the totals."""


class SessionPrompt(msgspec.Struct, frozen=True):
    """Text and question of a lesson, or of a puzzle, at a moment."""

    title: str
    text: str
    """Text to read, in paragraphs separated by blank lines; empty while there is none. Cards are in notation."""
    question: str
    """Question in one line; empty unless the pupil is to choose."""
    step: int = 0
    """Number of the current step of a lesson, starting at 1."""
    steps: int = 0
    """Number of steps; 0 for a puzzle, which has none."""
    answer: Action | None = None
    """Right action, which is told after two wrong ones; ``None`` before."""
    right_actions: tuple[Action, ...] = ()
    """Right actions, on which the cursor must not begin; empty if any action counts."""
    announcement: str = ""
    """Sentence on cards that the lesson plays for the pupil now; empty while there are none."""
    is_free_play: bool = False
    """True while the pupil plays a round freely."""
    shown: Shown = Shown.ALL
    origin: str = "the lessons"
    """Name of the list from which the player has come, and to which they return."""


MAX_TALK_LENGTH: Final = 200
"""Maximum length of a chat message, in characters, without the nick of a spectator."""


class LoggedMessage(NamedTuple):
    """Public log entry with the number of the trick in which it was logged."""

    note: Note
    trick: int
    """Number of the trick in the round, starting at 1; 0 if the entry does not belong to a trick."""


class MissedMessages(msgspec.Struct, frozen=True):
    """Public messages that a player has missed while away from the keyboard."""

    messages: tuple[LoggedMessage, ...] = ()
    has_acted: bool = False
    """True if ``messages`` begins after an action of the player; False if it contains all messages."""
    since: datetime | None = None
    """Time of the player's last action; ``None`` if it was before the session was opened."""
    now: datetime | None = None
    """Time at which the messages were requested."""


NOTHING_MISSED: Final = MissedMessages()


class ClockLeft(msgspec.Struct, frozen=True):
    """Time in seconds that a person has left."""

    decision: float
    """Time for the decision that is due now; 0 once the reserve runs."""
    reserve: float

    @property
    def total(self) -> float:
        return self.decision + self.reserve

    def run(self, seconds: float) -> "ClockLeft":
        """Return the clock after it has run for some seconds, first for the decision and then in the reserve."""
        overtime = max(seconds - self.decision, 0.0)
        return ClockLeft(max(self.decision - seconds, 0.0), max(self.reserve - overtime, 0.0))


class TimeLeft(NamedTuple):
    """Time left on the clocks of a session, in seconds; it is ``None`` where there is no such clock."""

    round_left: float | None = None
    seats_left: tuple[float | None, ...] = ()
    """Time of each seat for the session."""
    clocks: tuple[ClockLeft | None, ...] = ()
    """Time of the person in each seat of a hosted session for decisions; empty without such clocks."""


class SessionSnapshot(msgspec.Struct, frozen=True):
    """Everything that one seat sees of a session at a moment.

    While only public information may be shown, ``messages`` has only public entries. ``view`` still contains the hand
    of the seat, which a front end must not show in the stage ``CURTAIN``.
    """

    view: View
    others: Mapping[Seat, View] = {}
    """Views of the other seats; empty unless all hands are open (house rule, practice or a table of robots)."""
    stage: Stage = Stage.PLAY
    handover_seat: Seat | None = None
    """Seat of the player whom the curtain calls to the keyboard; ``None`` if there is no curtain."""
    password_nick: str | None = None
    """Nick of the called player if their password is required, else ``None``."""
    scores: tuple[Score, ...] = ()
    """Scores of the finished rounds."""
    former_players: tuple[tuple[str, ...], ...] = ()
    """Names of others who made the finished rounds, for each seat; empty strings for rounds of the present player."""
    ranks: tuple[int, ...] | None = None
    results: tuple[int, ...] | None = None
    """Final totals; ``None`` until the session has ended."""
    messages: tuple[Note, ...] = ()
    missed: MissedMessages = NOTHING_MISSED
    """Public messages since the called player last acted; empty unless only public information is shown."""
    round_left: float | None = None
    """Time left for the round in seconds, negative once it has run out; ``None`` if the round has no clock."""
    seats_left: tuple[float | None, ...] = ()
    """Time left for each seat in seconds; ``None`` for a seat without a clock."""
    clocks: tuple[ClockLeft | None, ...] = ()
    """As in ``TimeLeft``."""

    spectators: tuple[str, ...] = ()
    """Nicks of the spectators of a hosted session."""
    disconnected: Mapping[Seat, int] = {}
    """Seats of disconnected players of a hosted session, with the seconds for which the host still waits for each."""
    substitute_votes: frozenset[Seat] = frozenset()
    """Seats of disconnected players for whom the viewing player has asked for a robot."""
    lost: Mapping[Seat, LossReason] = {}
    """Seats that have lost the session, which goes on; robots decide for them to its end."""

    prompt: SessionPrompt | None = None
    """Text and question, if the session is a lesson or a puzzle."""

    @property
    def seat(self) -> Seat:
        return self.view.seat


def get_max_stored_length(text: str, seat: Seat | None) -> int:
    """Return the maximum length of a chat message as stored; ``seat`` is ``None`` for a sender without a seat."""
    nick = split_spectator_talk(text)[0] if seat is None else ""
    return MAX_TALK_LENGTH + (len(join_spectator_talk(nick, "")) if 0 < len(nick) <= MAX_NAME_LENGTH else 0)


def create_talk_entry(text: str, seat: Seat | None) -> Said:
    """Create the log entry for a chat message, sanitised to one line of at most ``get_max_stored_length`` characters.

    The journal stores the text as it was typed. ``seat`` is ``None`` for a sender without a seat.
    """
    one_line = " ".join(text.split())
    return Said(seat, sanitize(one_line, get_max_stored_length(one_line, seat)))


def create_mark_entry(mark: MarkKind) -> CustomLogEntry:
    return CustomLogEntry(None, SENTENCES[mark])


def create_seat_change_entry(seat: Seat, occupant: Occupant, previous: Occupant) -> SeatChanged:
    return SeatChanged(None, occupant.name, occupant.robot, previous.name, seat)


class MessageLog:
    """Log of the entries that each person sees, and of the public entries.

    About the action of another player, a person sees as much as all other seats do.
    """

    def __init__(self, people: Iterable[Seat]) -> None:
        self.messages_by_seat: dict[Seat, list[Note]] = {seat: [] for seat in people}
        self.public_messages: list[LoggedMessage] = []
        self.notes: list[Note] = []
        """Entries of ``public_messages``, without the tricks."""
        self._last_action_index: dict[Seat, int] = {}
        """Length of ``public_messages`` after the last action of each seat."""
        self._last_action_times: dict[Seat, datetime] = {}

    def log_event(
        self,
        game: AnyGame,
        event: Event,
        before: Mapping[Seat, View],
        after: Mapping[Seat, View],
        now: datetime | None = None,
    ) -> None:
        """Log the entries of an event of the game, given the views of the seats before and after it.

        ``now``: time of the event; ``None`` if it is replayed from the journal.
        """
        for seat, own in self.messages_by_seat.items():
            own.extend(game.narrate(event, before[seat], after[seat]))
        public_notes = derive_public_entries(game, event, before, after, self.messages_by_seat)
        view = before[next(iter(self.messages_by_seat))]
        if view.turn >= 0:
            is_own = bool(public_notes) and public_notes[0].seat == view.turn
            self._last_action_index[view.turn] = len(self.public_messages) + (1 if is_own else 0)
            if now:
                self._last_action_times[view.turn] = now
        tricks = game.trick(view)
        trick = tricks.number if tricks else 0
        for index, note in enumerate(public_notes):
            is_next_trick = (
                isinstance(note, PlayedCard) and index and not isinstance(public_notes[index - 1], PlayedCard)
            )
            if isinstance(event, Play) and trick and is_next_trick:
                trick += 1  # the rules play the last trick automatically
            self._log_public(note, trick)

    def log_note(self, note: Note) -> None:
        """Log an entry that everyone may see."""
        for own in self.messages_by_seat.values():
            own.append(note)
        self._log_public(note, 0)

    def _log_public(self, note: Note, trick: int) -> None:
        self.public_messages.append(LoggedMessage(note, trick))
        self.notes.append(note)

    def clear_round_messages(self) -> None:
        """Remove the entries of each person, except chat messages, when a new round begins.

        The public ones are kept.
        """
        for own in self.messages_by_seat.values():
            own[:] = [note for note in own if isinstance(note, Said)]

    def clear(self) -> None:
        self.__init__(self.messages_by_seat)  # type: ignore[misc]

    def get_missed_messages(self, seat: Seat | None, now: datetime) -> MissedMessages:
        """Return the public messages since the last action of ``seat``; all of them if it is ``None`` or has not acted.

        ``now``: time of the request.
        """
        if seat is None or seat not in self._last_action_index:
            return MissedMessages(tuple(self.public_messages))
        return MissedMessages(
            tuple(self.public_messages[self._last_action_index[seat] :]), True, self._last_action_times.get(seat), now
        )


def turn_views(views: Mapping[Seat, View], event: Event, actor: Seat) -> Mapping[Seat, View]:
    """Return the views before an event with ``actor`` on turn if the event is its action, as ``narrate`` expects them.

    They differ only if several seats choose at once, since each then has the turn in its own view.
    """
    if not isinstance(event, Action) or not any(any(view.choosing) for view in views.values()):
        return views
    return {seat: view.with_turn(actor) for seat, view in views.items()}


def derive_public_entries(
    game: AnyGame, event: Event, before: Mapping[Seat, View], after: Mapping[Seat, View], people: Iterable[Seat]
) -> list[Note]:
    """Return the log entries of an event that every person and every spectator may read.

    ``before`` and ``after`` are the views by seat. If ``people`` has only one seat, they must contain a second one, as
    returned by ``create_other_view``; otherwise the entries of that person are returned, private ones included.
    """
    seats = [*people]
    if len(seats) == 1:
        seats += [seat for seat in before if seat not in seats][:1]
    if len(seats) == 1:
        return narrate_event(game, event, before[seats[0]], after[seats[0]])
    return merge_public_entries(
        {seat: narrate_event(game, event, before[seat].public_view(), after[seat].public_view()) for seat in seats}
    )


def create_other_view(referee: Referee, people: Iterable[Seat]) -> dict[Seat, View]:
    """Return the view of a second seat, with its hand hidden, if there is only one person; else an empty mapping."""
    seat, *others = people
    if others:
        return {}
    other = (seat + 1) % referee.seats
    return {other: referee.view(other).public_view()}


def merge_public_entries(notes_by_seat: Mapping[Seat, Sequence[Note]]) -> list[Note]:
    """Merge the log entries of two or more seats about one event into the public ones.

    An entry about the first seat's own action is replaced by the entry of the second seat, and dropped if that seat has
    none. Entries of further seats are ignored.
    """
    (seat, heard), (_, another), *_ = notes_by_seat.items()
    others_version = (note for note in another if note.seat == seat)
    common = [next(others_version, None) if note.seat == seat else note for note in heard]
    return [note for note in common if note]


def narrate_event(game: AnyGame, event: Event, before: View, after: View) -> list[Note]:
    """Return the log entries of an event, including the cards of a last trick that was played automatically."""
    notes = [*game.narrate(event, before, after)]
    if cards := list_auto_played_cards(game, event, before, after):
        is_complete = len(_extend_trick(game, event, before)) == sum(before.active)
        position = 2 if is_complete else 1  # after the played card and the note of its taker
        notes[position:position] = cards
    return notes


def list_auto_played_cards(game: AnyGame, event: Event, before: View, after: View) -> list[PlayedCard]:
    """Return the plays of the last trick if the rules played it automatically with this event, else an empty list."""
    old, new = game.trick(before), game.trick(after)
    if after.finished == before.finished or old is None or new is None:
        return []
    if new.last in (_extend_trick(game, event, before), old.last):
        return []
    return [PlayedCard(*card) for card in new.last]


def _extend_trick(game: AnyGame, event: Event, before: View) -> tuple[tuple[Seat, Card], ...]:
    """Return the trick in progress with the card of ``event`` added; empty if the event does not play a card."""
    trick = game.trick(before)
    return (*trick.lying, (before.turn, event.card)) if trick and isinstance(event, Play) else ()


_LOSSES: Final[Mapping[LossReason, Literal["timed out", "left"]]] = {"clock": "timed out", "left": "left"}


def create_line_entries(line: Line) -> Sequence[Note]:
    """Return the public log entries of a journal line for a chat message, an undo, a void round or a forfeit.

    Returns no entries for any other line.
    """
    match line:
        case journal.MarkLine():
            return (create_mark_entry(line.mark),) if line.mark in SENTENCES else ()
        case journal.TalkLine():
            return (create_talk_entry(line.text, line.seat),)
        case journal.UndoLine():
            return (TAKEN_BACK,)
        case journal.VoidLine():
            return (DEALT_AGAIN,)
        case journal.ForfeitLine():
            return (SystemLogEntry(line.seat, "lost"),)
        case journal.LostLine():
            return (SystemLogEntry(line.seat, _LOSSES[line.reason]),)
        case _:
            return ()
