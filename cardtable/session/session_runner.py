"""Implementation of ``PlayableSession`` for local and hosted sessions, and the hot seat.

The runner has no screen, starts no thread and never waits for a player. A front end (screens, plain text, tests) acts
on ``pending``: it waits for players, lets robots think, and shows the events that the runner returns. Each method that
changes the session writes the lines to the disk, updates ``pending`` and returns the events. If the disk fails, a local
session continues in memory; a session of a club is unchanged, and the method raises ``NotSaved``, unless a part of the
change is saved.
"""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from cardtable.engine.game import CHANCE, OVER, Action, AnyGame, Event, Note, Seat, View
from cardtable.engine.journal import (
    Header,
    Journal,
    Line,
    LossReason,
    LostLine,
    Occupant,
    RobotReason,
)
from cardtable.engine.log_entries import DEALT_AGAIN, TAKEN_BACK, UNRATED, SystemLogEntry
from cardtable.engine.options import has_open_hands
from cardtable.engine.referee import IllegalAction
from cardtable.engine.secret_choices import hide_choice
from cardtable.engine.text_format import to_one_line
from cardtable.session.session_events import (
    NOTHING_MISSED,
    WATCHING,
    AutoAdvance,
    AwaitingHandover,
    AwaitingNextRound,
    AwaitingPlayer,
    AwaitingRemote,
    AwaitingRobot,
    ClockLeft,
    CoachedDecision,
    MessageLog,
    MissedMessages,
    ObservedEvent,
    PendingInput,
    SessionEvent,
    SessionOver,
    SessionSnapshot,
    Stage,
    TimeLeft,
    create_line_entries,
    create_other_view,
    create_seat_change_entry,
    create_talk_entry,
    get_max_stored_length,
    turn_views,
)
from cardtable.store import profiles
from cardtable.store.errors import NotSaved
from cardtable.store.profiles import map_profile_nicks
from cardtable.store.seating import DEFAULT_LEVEL
from cardtable.store.sessions import Session
from cardtable.store.summaries import find_unrated_reason

if TYPE_CHECKING:  # not imported before the first frame
    from cardtable.robots import worker


MAX_LATE_IN_ROW: Final = 3
"""Number of decisions in a row that robots make because of a player's clock, before the player loses the session."""


class HotSeat:
    """Keyboard that several people share, and the player who sits at it.

    Also used for a single person, whose hand may be locked by a password.
    """

    def __init__(self, nicks: Mapping[Seat, str]) -> None:
        """Create the hot seat with nobody at the keyboard, unless a single person needs no password.

        ``nicks``: nick of the person at each seat of a person; empty for a person without a profile.
        """
        self.is_shared = len(nicks) > 1
        """True if several people take turns at the keyboard."""
        self._nicks = nicks
        self._authenticated_seat: Seat | None = None
        """Seat whose password has been accepted, until its player sits down or leaves."""
        self.is_guarded = self.is_shared or any(map(profiles.is_password_required, nicks.values()))
        """True if a player is called before their hand is shown.

        With a single person, it is True only until their password has been accepted.
        """
        self.seat: Seat | None = None if self.is_guarded else next(iter(nicks), None)
        """Seat of the player at the keyboard; ``None`` if no hand may be shown, or no person plays here."""

    @property
    def is_unattended(self) -> bool:
        """True if nobody sits at a guarded keyboard, so that only public information may be shown."""
        return self.is_guarded and self.seat is None

    def needs_handover(self, seat: Seat) -> bool:
        """Return True if the player at ``seat`` has to be called to the keyboard before they act."""
        return self.is_guarded and seat != self.seat

    def find_password_nick(self, seat: Seat) -> str | None:
        """Return the nick of the player at ``seat`` if they have to enter a password first, else ``None``.

        If people take turns, the password is required each time, unless the player has set ``ask_once``.
        """
        nick = self._nicks[seat]
        if seat == self._authenticated_seat or not profiles.is_password_required(nick, each_time=self.is_shared):
            return None
        return nick

    def submit_password(self, seat: Seat, password: str) -> str | None:
        """Check the password of the player who is called to ``seat``; return the reason for a refusal."""
        reason = profiles.verify_password(self._nicks[seat], password)
        self._authenticated_seat = None if reason else seat
        return reason

    def sit_down(self, seat: Seat) -> None:
        """Set the player at the keyboard, so that the hand of ``seat`` may be shown."""
        self.seat, self._authenticated_seat, self.is_guarded = seat, None, self.is_shared

    def leave(self) -> None:
        """Mark the keyboard as unattended. Has no effect if players are not called to it."""
        if self.is_guarded:
            self.seat = self._authenticated_seat = None


def now() -> datetime:
    return datetime.now(UTC)


class SessionRunner:
    """Implementation of ``PlayableSession`` for a session whose journal this process reads or writes."""

    def __init__(
        self,
        session: Session,
        clock: Callable[[], datetime] = now,
        remote_seats: Sequence[Seat] = (),
        *,
        loses_alone: bool = False,
    ) -> None:
        """Attach to an open session.

        ``clock`` returns the current time. ``remote_seats``: at a host, the seats of people who play at other machines.
        ``loses_alone`` is True if also a player without other people at the table loses by being late too often.
        """
        self.local = self
        self.session, self.referee, self._clock = session, session.referee, clock
        referee, header = session.referee, session.header
        self.people: Final = () if referee.hide_hands else tuple(remote_seats or header.people)
        all_seats = range(referee.seats)
        show_all = not self.people or has_open_hands(referee.options.to_dict())
        self.hands_open: Final = show_all and not referee.hide_hands
        self.message_log: Final = MessageLog(self.people or all_seats)
        """Messages of each person (of each seat if only robots play), and the public ones."""
        self._visible_seats: Final = all_seats if show_all else self.people
        players = {} if remote_seats else map_profile_nicks(header)
        self.hot_seat: Final = HotSeat({} if remote_seats else {seat: players.get(seat, "") for seat in self.people})
        self._other_views: Mapping[Seat, View] = {}
        """View of a second seat without its hand, from which public messages are derived if one person plays alone."""
        self.views: Mapping[Seat, View] = {}
        """Current view of each seat that this front end may show; replaced as a whole when the state changes."""
        self.is_coached = False
        """True while the coach is switched on; it has an effect only if one person plays here."""
        self.coached_decision: CoachedDecision | None = None
        """Last decision of the only person, if it was made while the coach was on; ``None`` after an undo.

        Actions without an alternative do not count as decisions.
        """
        self.is_finishing_round = False
        """True while robots decide for everybody until the round ends; see ``finish_round``."""
        self._is_hosted: Final = bool(remote_seats)
        self._loses_alone: Final = loses_alone
        self._events: list[SessionEvent] = []
        self._unapplied_lines: deque[Line] = deque()
        referee.on_event = self._observe
        self._refresh()

    def load_recent_messages(self) -> None:
        """Fill the message log with the messages of the round that is resumed. Slow: reads the whole journal."""
        if self.referee.round:
            from cardtable.session.round_replay import replay_messages  # noqa: PLC0415 - lazy: startup, a new session needs no replay

            replay_messages(self.session.path, self.message_log, hidden=self.referee.hide_hands)

    # Properties of the session

    @property
    def journal_path(self) -> Path:
        return self.session.path

    @property
    def header(self) -> Header:
        return self.session.header

    @property
    def game(self) -> AnyGame:
        return self.referee.game

    @property
    def initial_seat(self) -> Seat:
        return self.referee.turn if self.referee.turn in self.people else next(iter(self.message_log.messages_by_seat))

    @property
    def robots_only(self) -> bool:
        """True if all seats are robots, so that the viewer sets the pace."""
        return not self.people and not self.session.read_only_reason

    @property
    def spectator_reason(self) -> str:
        return WATCHING if self.session.view_only else "Open elsewhere: you are only watching."

    @property
    def data_available(self) -> None:
        """``None``, because a local program that writes the journal sends no notification: call ``poll`` regularly."""

    @property
    def progress(self) -> tuple[int, int]:
        return self.referee.round, self.referee.decisions

    def journal(self) -> Journal:
        return self.session.journal()

    def add_message(self, note: Note) -> None:
        """Show a message at this front end only; the journal does not record it."""
        self.message_log.log_note(note)

    def close(self) -> None:
        self.session.close()

    # Snapshot and pending input

    def snapshot(self, seat: Seat) -> SessionSnapshot:
        referee, pending, over = self.referee, self.pending, isinstance(self.pending, SessionOver)
        time_left = self.get_time_left()
        handover_seat, password_nick = (
            (pending.seat, pending.password) if isinstance(pending, AwaitingHandover) else (None, None)
        )
        return SessionSnapshot(
            view=self.views[seat],
            others={
                other: hide_choice(view) for other, view in self.views.items() if other != seat and self.hands_open
            },
            stage=self._compute_stage(),
            handover_seat=handover_seat,
            password_nick=password_nick,
            scores=tuple(referee.scores),
            ranks=referee.ranks if over else None,
            results=referee.totals if over else None,
            messages=self.get_messages(seat),
            missed=self.get_missed_messages(handover_seat),
            round_left=time_left.round_left,
            seats_left=time_left.seats_left,
            clocks=time_left.clocks,
            lost={lost: line.reason for lost, line in referee.occupants.lost.items()},
        )

    def get_time_left(self) -> TimeLeft:
        clocks, seats = self.session.clocks, range(self.referee.seats)
        decision_times = [clocks.get_decision_time_left(seat) for seat in seats] if self._is_hosted else []
        return TimeLeft(
            clocks.round_time_left if self.people else None,
            tuple(map(clocks.get_seat_time_left, seats)),
            tuple([ClockLeft(*left) if left else None for left in decision_times]) if any(decision_times) else (),
        )

    def get_messages(self, seat: Seat) -> tuple[Note, ...]:
        return tuple(self.message_log.notes if self.public_only else self.message_log.messages_by_seat[seat])

    def forget_messages(self, seat: Seat) -> None:
        self.message_log.messages_by_seat[seat].clear()

    def _compute_stage(self) -> Stage:
        referee = self.referee
        match self.pending:
            case SessionOver():
                return Stage.SESSION_END
            case AwaitingNextRound():
                return Stage.ROUND_END
            case AwaitingRemote() if referee.turn == CHANCE and referee.scores and not referee.playing:
                return Stage.ROUND_END
        return Stage.CURTAIN if self.public_only else Stage.PLAY

    def _refresh(self) -> None:
        self.is_finishing_round = self.is_finishing_round and self.referee.playing
        self._update_views()
        self._update_pending()

    def _update_views(self) -> None:
        self.views = {seat: self.referee.view(seat) for seat in self._visible_seats}
        self._other_views = create_other_view(self.referee, self.message_log.messages_by_seat)

    def _update_pending(self) -> None:
        self.pending: PendingInput = self._compute_next_input()

    def _compute_next_input(self) -> PendingInput:
        referee = self.referee
        if self.session.read_only_reason:
            if self.people and self.hot_seat.is_unattended:
                return self._create_handover(self.people[0])
            return SessionOver() if referee.turn == OVER else AwaitingRemote(len(self._unapplied_lines))
        if referee.turn == OVER:
            return SessionOver() if referee.ended else AutoAdvance()
        if self._find_late_loser() is not None:
            return AutoAdvance()
        if referee.turn == CHANCE:
            return AwaitingNextRound() if referee.round == len(referee.scores) > 0 else AutoAdvance()
        if self._find_silent_action():
            return AutoAdvance()
        seats = referee.list_seats_to_act()
        for seat in seats:  # robots choose first of several that choose at once
            if robot := self.find_robot(seat):
                return robot
        seat = self.hot_seat.seat if self.hot_seat.seat in seats else seats[0]
        return self._create_handover(seat) if self.hot_seat.needs_handover(seat) else AwaitingPlayer(seat)

    def find_robot(self, seat: Seat) -> AwaitingRobot | None:
        """Return the robot that decides for a seat, whoever sits there; ``None`` if a person does."""
        if level := self.session.header.seats[seat].robot:
            return AwaitingRobot(seat, level)
        if loss := self.referee.occupants.lost.get(seat):
            return AwaitingRobot(seat, loss.robot)
        why = self.session.clocks.late.get(seat)
        return AwaitingRobot(seat, why=why) if why or self.is_finishing_round else None

    def _find_late_loser(self) -> Seat | None:
        """Return a seat that loses now, since its person was late too often and others go on; else ``None``."""
        if self.referee.turn == OVER:
            return None
        occupants = self.referee.occupants
        for seat, times in self.session.clocks.late_in_row.items():
            can_lose = seat not in occupants.lost and (self._loses_alone or occupants.has_other_player(seat))
            if times >= MAX_LATE_IN_ROW and can_lose:
                return seat
        return None

    def _create_handover(self, seat: Seat) -> AwaitingHandover:
        return AwaitingHandover(seat, self.hot_seat.find_password_nick(seat))

    def _find_silent_action(self) -> tuple[Seat, Action] | None:
        """Return a seat to act with its only legal action if playing it reveals nothing; ``None`` if there is none."""
        for seat in self.referee.list_seats_to_act():
            if action := self.referee.game.forced_silent_action(self.referee.view(seat)):
                return seat, action
        return None

    def create_robot_request(self) -> "worker.ChooseRequest":
        """Return the request that asks the worker process for the decision of the robot to act."""
        from cardtable.robots import worker  # noqa: PLC0415 - lazy: startup

        referee = self.referee
        robot = self.pending if isinstance(self.pending, AwaitingRobot) else AwaitingRobot(referee.turn)
        view = referee.view(robot.seat)
        key, worlds = referee.game.about.key, referee.worlds
        return worker.ChooseRequest(key, robot.level, view, referee.seed, referee.decisions, worlds)

    def create_hint_request(self, view: View, *, to_another: bool = False) -> "worker.HintRequest":
        from cardtable.robots import worker  # noqa: PLC0415 - lazy: startup

        key, referee = self.referee.game.about.key, self.referee
        decisions, worlds = referee.decisions, referee.worlds
        return worker.HintRequest(key, view, referee.seed, decisions, for_other_player=to_another, worlds=worlds)

    def get_missed_messages(self, seat: Seat | None) -> MissedMessages:
        """Return the public messages since ``seat`` last acted; empty unless ``public_only`` is True.

        All public messages are returned if ``seat`` is ``None`` or has not acted.
        """
        return self.message_log.get_missed_messages(seat, self._clock()) if self.public_only else NOTHING_MISSED

    # Decisions

    def advance(self) -> Sequence[SessionEvent]:
        if isinstance(self.pending, AwaitingNextRound):  # every player may have read the points
            self.hot_seat.leave()
        if (loser := self._find_late_loser()) is not None:
            return self.lose(loser, "clock")
        if self.referee.turn >= 0 and (silent := self._find_silent_action()):
            return self._play(*silent)
        return self._change(self.referee.advance)

    def play(self, action: Action, seat: Seat | None = None, worlds: int | None = None) -> Sequence[SessionEvent]:
        """Play ``action`` for the seat of ``pending``, or for ``seat`` if several seats choose at once.

        ``worlds``: as in ``RobotChoice``.
        """
        pending = self.pending
        if not isinstance(pending, AwaitingPlayer | AwaitingRobot):
            raise IllegalAction("nobody is to choose now")
        if isinstance(pending, AwaitingPlayer) and seat in (None, pending.seat):
            return self._play_own(pending.seat, action)
        return self._play(pending.seat if seat is None else seat, action, worlds)

    def _play_own(self, seat: Seat, action: Action) -> Sequence[SessionEvent]:
        """Play an action of a person; record in the journal that the coach is on."""
        referee, coached = self.referee, self.is_coached and self.can_be_coached
        view, decisions = self.views[seat], referee.decisions
        marks = coached and not referee.coached
        notes = [UNRATED] if marks and self.is_rated_so_far else []
        events = self._change(lambda: referee.play(seat, action, coach=marks), *notes)
        before = self.coached_decision
        if len(view.legal) > 1 and not (before and action.completes(before.action)):
            self.coached_decision = CoachedDecision(view, action, decisions) if coached else None
        return events

    @property
    def can_be_coached(self) -> bool:
        """True if the coach may speak: one person plays, in this program and not at a club."""
        return len(self.people) == 1 and not self.session.read_only_reason and self.header.host is None

    @property
    def is_rated_so_far(self) -> bool:
        """True if the session shows no reason up to now why it is not rated."""
        return find_unrated_reason(self.header, self.referee.undone, coached=self.referee.coached) is None

    def _play(self, seat: Seat, action: Action, worlds: int | None = None) -> Sequence[SessionEvent]:
        robot = self.find_robot(seat) if self.session.header.seats[seat].robot is None else None
        level, why = (robot.level, robot.why) if robot else (None, None)
        return self._change(lambda: self.referee.play(seat, action, robot=level, why=why, worlds=worlds))

    def lose(self, seat: Seat, reason: LossReason) -> Sequence[SessionEvent]:
        """Record that a seat has lost the session, which a robot plays to its end.

        Raises ``IllegalAction`` if the session has no terms, or no person who has not lost yet sits there.
        """
        line = LostLine(seat, reason, DEFAULT_LEVEL)
        return self._change(lambda: self.referee.record_line(line), *create_line_entries(line))

    def give_card(self) -> Sequence[SessionEvent]:
        """Give the person to act an extra card, in practice with open hands; return ``()`` if that is impossible."""
        pending = self.pending
        if not isinstance(pending, AwaitingPlayer) or not (given := self.views[pending.seat].practice_actions):
            return ()
        self.coached_decision = None
        return self._play(pending.seat, given[0])

    def finish_round(self) -> Sequence[SessionEvent]:
        """Let robots decide for everybody until the round ends, in practice with open hands; else return ``()``.

        The robots are then awaited one by one.
        """
        if not isinstance(self.pending, AwaitingPlayer) or not self.hands_open:
            return ()
        self.is_finishing_round, self.coached_decision = True, None
        return self._change(lambda: None, SystemLogEntry(None, "finished"))

    def take_back(self, choices: int) -> Sequence[SessionEvent]:
        """Undo the last choice of the only person, and all later decisions; return ``()`` if that is impossible.

        A choice is a decision with at least ``choices`` legal actions. The plays of a claim count as one decision.
        """
        number = self.compute_undo_distance(choices)
        if not number:
            return ()
        self.coached_decision, self.is_finishing_round = None, False
        seat = self.people[0]
        is_secret = self.referee.has_secret_choice(seat)
        undo = partial(self.referee.take_back_choice, seat) if is_secret else partial(self.referee.undo, number)
        return self._change(undo, TAKEN_BACK, *([UNRATED] if self.is_rated_so_far else []))

    def compute_undo_distance(self, choices: int) -> int:
        """Return the number of decisions that ``take_back(choices)`` would undo; 0 if it is impossible."""
        return self.referee.compute_undo_distance(self.people[0], choices) if len(self.people) == 1 else 0

    def explain_undo_refusal(self, choices: int) -> str | None:
        """Return the reason why ``take_back(choices)`` is impossible, as text for the player; ``None`` if it is not."""
        if len(self.people) > 1:
            return "several people are playing"
        return self.referee.explain_undo_refusal(self.people[0], choices)

    def claim_rest(self) -> Sequence[SessionEvent]:
        """Play the rest of the round automatically, after a claim that was found to be decided."""
        plays_out = SystemLogEntry(self.referee.turn, "plays out")
        self.message_log.log_note(plays_out)
        return (plays_out, *self._change(self.referee.claim_rest))

    @property
    def seconds_left(self) -> float | None:
        if not isinstance(self.pending, AwaitingPlayer):
            return None
        clocks, due = self.session.clocks, self.referee.list_seats_to_act()
        times = [clocks.round_time_left, *map(clocks.get_seat_time_left, due)]
        times += [sum(left) for seat in due if self._is_hosted and (left := clocks.get_decision_time_left(seat))]
        return min([left for left in times if left is not None], default=None)

    def apply_timeout(self) -> Sequence[SessionEvent]:
        """Apply the rule for a clock that has run out: the session is lost, a robot decides, or the round is void.

        At a club robots decide for those who are to act to the end of the round, and nothing is void. Returns ``()`` if
        no clock has run out.
        """
        if self.seconds_left is None:
            return ()
        clocks, due = self.session.clocks, self.referee.list_seats_to_act()
        for seat in due:
            if _has_expired(clocks.get_seat_time_left(seat)):
                return self._change(partial(self.referee.forfeit, seat, "clock"), SystemLogEntry(seat, "lost"))
        for seat in due:
            if self._is_hosted and (left := clocks.get_decision_time_left(seat)) and not sum(left):
                return self._replace_late([seat], "clock", "late")
        if _has_expired(clocks.round_time_left):
            if self._is_hosted:
                return self._replace_late(due, "round", "late in round")
            return self._change(lambda: self.referee.void("clock"), DEALT_AGAIN)
        return ()

    def _replace_late(
        self, seats: Sequence[Seat], why: RobotReason, what: Literal["late", "late in round"]
    ) -> Sequence[SessionEvent]:
        """Let robots decide in place of people who are late."""
        late = dict.fromkeys(seats, why)
        return self._change(lambda: self.session.clocks.late.update(late), *[SystemLogEntry(s, what) for s in seats])

    def say(self, text: str, seat: Seat) -> Sequence[SessionEvent]:
        speaker = seat if seat in self.people else None
        stored = to_one_line(text.strip(), get_max_stored_length(text, speaker))
        note = create_talk_entry(stored, speaker)
        self.referee.say(stored, note.seat)
        self.message_log.log_note(note)
        return (note,)

    def change_occupant(self, seat: Seat, occupant: Occupant) -> Sequence[SessionEvent]:
        """Replace the occupant of ``seat`` for the rest of the session.

        Raises ``IllegalAction`` if the session has ended.
        """
        left = self.session.header.seats[seat]
        return self._change(
            lambda: self.referee.change_occupant(seat, occupant), create_seat_change_entry(seat, occupant, left)
        )

    # Hot seat

    @property
    def public_only(self) -> bool:
        """True if only public information may be shown now: the keyboard is unattended, or a handover is pending."""
        return self.hot_seat.is_unattended or isinstance(self.pending, AwaitingHandover)

    def submit_password(self, password: str) -> str | None:
        """Check the password of the player who takes over the keyboard; return the reason for a refusal."""
        if not isinstance(self.pending, AwaitingHandover):
            return None
        reason = self.hot_seat.submit_password(self.pending.seat, password)
        self._update_pending()
        return reason

    def confirm_handover(self) -> Sequence[SessionEvent]:
        """Confirm that the player called by ``AwaitingHandover`` sits at the keyboard.

        The call has no effect while a password is required.
        """
        if isinstance(self.pending, AwaitingHandover) and not self.pending.password:
            self.hot_seat.sit_down(self.pending.seat)
            self._update_pending()
        return ()

    def leave_keyboard(self) -> None:
        """Mark the keyboard as unattended, because a different player may come to it."""
        self.hot_seat.leave()
        self._update_pending()

    # Watching a session that another program plays

    def poll(self) -> None:
        self._unapplied_lines.extend(self.session.read_appended_lines())
        self._update_pending()

    def apply_next(self) -> Sequence[SessionEvent]:
        line = self._unapplied_lines.popleft()
        return self._change(lambda: self.referee.apply_line(line), *create_line_entries(line))

    # Events

    def _change(self, change: Callable[[], None], *notes: Note) -> Sequence[SessionEvent]:
        self._events.clear()
        size = self.session.size
        try:
            change()
        except NotSaved:
            if self.session.size == size:
                raise
            # a part of the change is on the disk and counts, so ``pending`` has to be updated
        for note in notes:
            self.message_log.log_note(note)
        self._refresh()
        return (*notes, *self._events)

    def _observe(self, event: Event) -> None:
        actor = self.referee.actor
        before, others = turn_views(self.views, event, actor), turn_views(self._other_views, event, actor)
        self._update_views()
        self._events.append(ObservedEvent(event, before, self.views))
        views = {**before, **others}, {**self.views, **self._other_views}
        self.message_log.log_event(self.referee.game, event, *views, self._clock())


def _has_expired(seconds: float | None) -> bool:
    return seconds is not None and seconds <= 0
