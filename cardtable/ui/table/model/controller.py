"""Controller of the table screen: runs a session with its pauses, robots, hints and clocks.

The controller uses no widgets. It changes the session in a worker thread, because a change ends with a flush of its
journal lines to the disk; nothing else uses the session while the thread runs.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final, Generic, TypeVar, assert_never

from cardtable.engine.cards import Cards
from cardtable.engine.claims import ClaimVerdict
from cardtable.engine.errors import CardtableError, GameFailed
from cardtable.engine.game import Action, Seat
from cardtable.engine.journal import Journal
from cardtable.engine.log_entries import TAKEN_BACK, UNRATED, CustomLogEntry
from cardtable.engine.referee import IllegalAction
from cardtable.engine.undo_history import NOTHING_YET
from cardtable.session.playable_session import PromptedSession, TransientSession, play_choice
from cardtable.session.robot_client import CoachClient, RobotClient
from cardtable.session.session_events import (
    AutoAdvance,
    AwaitingHandover,
    AwaitingNextRound,
    AwaitingPlayer,
    AwaitingReader,
    AwaitingRemote,
    AwaitingRobot,
    AwaitingScript,
    ObservedEvent,
    SessionEvent,
    SessionOver,
    Stage,
)
from cardtable.session.session_runner import SessionRunner
from cardtable.store import paths
from cardtable.store.journal_file import JournalFile
from cardtable.store.seating import GUEST
from cardtable.store.settings import Settings
from cardtable.ui.table.model.cursor import Change, CursorPosition
from cardtable.ui.table.model.evaluation_tasks import HintTask
from cardtable.ui.table.model.trick_display import GetSeconds, TrickDisplay
from cardtable.ui.table.model.view_model import Pacing, PlaybackControls, TableFrame, TableViewModel
from cardtable.wording.log_entries import NOT_RATED, format_coach_note, format_verdict
from cardtable.wording.terms import NO_AIDS
from cardtable.workers.tasks import start_task

T = TypeVar("T")
CLOCK_INTERVAL: Final = 1.0
"""Seconds between two updates of a running clock."""
TEXT_INTERVAL: Final = 1.0
"""Seconds between two updates of the text on absent players."""
MESSAGE_SECONDS: Final = 4.0
"""Seconds after which a message in the prompt no longer hides for whom the table waits."""
POLL_INTERVAL: Final = 0.5
"""Seconds between two reads of a journal that another program on this machine writes."""
MAX_SHOWN_EVENTS: Final = 12
"""Maximum number of pending events from a host that are shown one by one; a longer backlog is shown at once."""


class Wait(Generic[T]):
    """Wait for an outcome, with a time limit that can change in the meantime.

    The time counts from ``started_at`` in the event loop's time, by default from now.
    """

    def __init__(self, get_seconds: Callable[[], float | None], default: T, started_at: float | None = None) -> None:
        """``get_seconds`` returns the limit or ``None``; ``default`` is the result if the time runs out."""
        loop = asyncio.get_running_loop()
        self.outcome: asyncio.Future[T] = loop.create_future()
        """Future whose result ends the wait."""
        self._get_seconds, self._default = get_seconds, default
        self._started_at = loop.time() if started_at is None else started_at
        self._timeout = asyncio.timeout(None)

    def restart(self) -> None:
        """Compute the time limit again; the start of the wait stays the same."""
        if not self.outcome.done():
            seconds = self._get_seconds()
            self._timeout.reschedule(None if seconds is None else self._started_at + seconds)

    @property
    def has_run_out(self) -> bool:
        return self.outcome.cancelled()

    async def run(self) -> T:
        """Wait for the outcome or until the time has run out, and return the result."""
        try:
            async with self._timeout:
                self.restart()
                return await self.outcome
        except TimeoutError:
            return self._default if self.has_run_out else self.outcome.result()


class SessionFollower:
    """Reader of the lines that another program or the host adds to the session."""

    def __init__(
        self, view_model: TableViewModel, run_exclusive: Callable[[Callable[[], None]], Awaitable[object]]
    ) -> None:
        """``run_exclusive`` runs a function in a worker thread with exclusive use of the session."""
        self._playable, self._cursor, self._view_model = view_model.session, view_model.cursor, view_model
        self._run_exclusive = run_exclusive
        self._read_at = datetime.now(UTC)
        self._message, self._message_since = "", 0.0
        """Message in the prompt, and the event loop's time at which it was first noticed."""

    async def wait_for_line(self) -> None:
        """Wait without a time limit until the session has a new line; failed reads are shown in the banner."""
        playable = self._playable
        self._view_model.read_spectator_reason()
        self._view_model.show()
        while playable.pending == AwaitingRemote(0):
            self._expire_message()
            if playable.data_available is None:
                await asyncio.sleep(POLL_INTERVAL)
            elif not await self._wait_for_data(playable.data_available):
                continue
            before, notice = self._view_model.frame.notice, ""
            try:
                await self._run_exclusive(playable.poll)
            except CardtableError as error:
                notice = before if before.endswith(str(error)) else self._format_last_read(str(error))
            else:
                self._read_at = datetime.now(UTC)
                is_abandoned = playable.local and playable.local.journal_path.parent == paths.archive_folder()
                if is_abandoned and playable.pending == AwaitingRemote(0):
                    notice = "The session was abandoned in another program."
            if notice != before:
                self._view_model.show(notice=notice)

    def _expire_message(self) -> None:
        """Remove a message from the prompt that has been there for ``MESSAGE_SECONDS``."""
        now = asyncio.get_running_loop().time()
        if self._cursor.reason != self._message:
            self._message, self._message_since = self._cursor.reason, now
        elif self._message and now - self._message_since >= MESSAGE_SECONDS:
            self._cursor.show_message("")

    async def _wait_for_data(self, available: asyncio.Event) -> bool:
        """Wait at most ``TEXT_INTERVAL`` seconds for data from the host; return True if there is some.

        Clocks and the text on absent players are updated, too, because they change without new data.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(TEXT_INTERVAL):
                await available.wait()
        if self._view_model.frame.clocks:
            self._view_model.read_clocks()
        if self._view_model.read_spectator_reason() or self._view_model.frame.clocks:
            self._view_model.show()
        return available.is_set()

    async def wait_after_end(self) -> None:
        """Wait after the end of the session for data from the host, such as messages or an undo."""
        assert self._playable.data_available is not None
        self._view_model.show()
        await self._playable.data_available.wait()
        if self._playable.pending == SessionOver():
            self._playable.data_available.clear()

    def apply_next_line(self) -> Sequence[SessionEvent]:
        """Apply the next line, and return its events.

        Raises ``CardtableError`` if the line is not legal in this session.
        """
        try:
            return self._playable.apply_next()
        except IllegalAction as error:
            raise CardtableError(self._format_last_read(str(error))) from None

    def _format_last_read(self, reason: str) -> str:
        return f"As of {self._read_at.astimezone():%H:%M:%S}: {reason}"


class TableController:
    """Controller of one session on one screen."""

    def __init__(self, view_model: TableViewModel, robot_client: RobotClient) -> None:
        self.view_model, self.robot_client, self._cursor = view_model, robot_client, view_model.cursor
        self.playable = session = view_model.session
        self._input_wait: Wait[Change] | None = None
        """Current wait for input of the player, or the last one."""
        self._pause_wait: Wait[None] | None = None
        """Current pause, or the last one."""
        self._expected_position: tuple[Seat, int, int] | None = None
        """Seat, round and number of decisions that the player's last input leads to if no other event happens in
        between.
        """
        self._hand_before_undo: Cards | None = None
        """Hand of the player before an undo; ``None`` once the cursor stands on the cards that it has returned."""
        self._position_before_text: CursorPosition | None = None
        """Position of the cursor when the text of a question was opened again; ``None`` once the cursor is back."""
        self._refusals = 0
        """Number of refused choices since a question was asked."""
        self._stand_in_notice = ""
        """Notice that the last robot has exceeded its time, which is shown until the player has decided."""
        self._session_lock = asyncio.Lock()
        self.first_paint = asyncio.Event()
        """Event that is set after the first picture; work that the first picture does not need waits for it."""
        self._spectator = SessionFollower(view_model, self._run_exclusive)
        self._tricks = TrickDisplay(view_model, self._pause_at_trick)
        self.hint_task = HintTask(view_model, robot_client)
        local = session.local
        self._coach = CoachClient(local, self._show_verdict) if local and local.can_be_coached else None
        self._apply_coach_setting()
        view_model.preferences.listeners.append(self._apply_settings)

    @property
    def local(self) -> SessionRunner:
        """The session that is played in this program; must not be read if a host plays it."""
        assert self.playable.local is not None
        return self.playable.local

    @property
    def frame(self) -> TableFrame:
        return self.view_model.frame

    @property
    def _settings(self) -> Settings:
        return self.view_model.preferences.settings

    async def run(self) -> None:
        """Play the session to its end, or until an error, which is shown in the banner.

        Raises ``GameFailed`` if the code of the game has raised an exception, since its views may be unusable then.
        """
        try:
            await self._run_session()
        except GameFailed:
            raise
        except CardtableError as error:
            self.view_model.show(notice=str(error))

    async def close(self) -> None:
        """Release the session once no thread uses it; ``run`` must have been cancelled before."""
        self.hint_task.stop()
        if self._coach:
            await self._coach.stop()
        self.view_model.preferences.listeners.remove(self._apply_settings)
        await self._run_exclusive(self.playable.close)

    async def say(self, text: str, seat: Seat) -> None:
        """Send a chat message from ``seat`` to the table.

        Raises ``CardtableError`` if the message cannot be stored.
        """
        await self._run_exclusive(lambda: self.playable.say(text, seat))
        self.on_message()

    async def get_journal(self) -> Journal:
        return await self._run_exclusive(self.playable.journal)

    @property
    def file(self) -> JournalFile:
        return self.local.session.file

    async def save(self) -> str:
        """Retry writing unsaved lines; return a description of those that are still unsaved, or ""."""
        unsaved = await self._run_exclusive(self.local.session.save)
        self.view_model.show()
        return unsaved

    async def save_into(self, folder: Path) -> None:
        """Write the whole journal to another folder and continue there; the old file is left unchanged.

        Raises ``CardtableError`` if writing to that folder fails, too; the session then stays in its folder.
        """
        await self._run_exclusive(lambda: self.local.session.save_into(folder))
        self.view_model.show()

    async def _run_session(self) -> None:
        playable, local = self.playable, self.playable.local
        if local and local.referee.round:
            await self.first_paint.wait()
            await self._run_exclusive(local.load_recent_messages)
        if local and local.session.notice:
            local.add_message(CustomLogEntry(None, local.session.notice))
        self.view_model.refresh()
        while playable.data_available or not isinstance(playable.pending, SessionOver):
            if found := await self._await_change():
                change, at_once = found
                await self._show_events(await self._run_exclusive(change), at_once=at_once)
        self._show_verdict()
        self.view_model.show()

    async def _await_change(self) -> tuple[Change, bool] | None:
        """Wait for the input, decision or pause that the session needs next, and return the change to it, if any.

        The second value is True if only the state after the change is shown, and not its events one by one.
        """
        playable = self.playable
        match playable.pending:
            case AwaitingNextRound():
                return await self._await_round_end(), False
            case AwaitingRobot(seat=seat):
                return await self._await_robot(seat)
            case AwaitingPlayer():
                return await self._await_player()
            case AwaitingHandover() | AwaitingReader():
                return await self._await_input(), False
            case AwaitingScript(seat=seat):
                if seat is not None:  # it acts at the pace of a robot
                    self.view_model.show()
                    await self.first_paint.wait()
                    await self._pause(Pacing.compute_robot_time)
            case SessionOver():
                await self._spectator.wait_after_end()
                return None
            case AwaitingRemote(lines=0):
                await self._spectator.wait_for_line()
                return None
            case AwaitingRemote(lines=lines):
                if playable.data_available and lines <= MAX_SHOWN_EVENTS:
                    await self._pause(Pacing.compute_robot_time)
                return self._spectator.apply_next_line, lines > (MAX_SHOWN_EVENTS if playable.data_available else 1)
            case AutoAdvance():
                pass
            case _:
                assert_never(playable.pending)
        return playable.advance, False

    async def _await_round_end(self) -> Change:
        self.view_model.change_playback(PlaybackControls.cancel_steps)  # the next single step deals
        change = await self._await_input(Pacing.compute_round_pause)
        self._count_passing(self._input_wait)
        self.view_model.change_playback(PlaybackControls.finish_step)
        return change

    def submit(self, choice: Action | Change | None, decisions: int | None = None) -> None:
        """End the wait for input, if there is one, with the player's action or another change.

        ``None`` is no choice. ``decisions`` is the number of decisions that a change adds for the viewing seat,
        negative if it takes some back; with ``None`` the next prompt counts as unpredictable.
        """
        if choice is None or not (self._input_wait and self.is_awaiting_input):
            return
        if isinstance(choice, Action):
            decisions = len(choice.steps)
            choice = partial(play_choice, self.playable, choice)
        self._input_wait.outcome.set_result(choice)
        self._expected_position = None if decisions is None else self._compute_position(decisions)

    def proceed(self) -> None:
        """Continue where the table waits for no decision, such as at a curtain or after a round."""
        is_handover = isinstance(self.playable.pending, AwaitingHandover)
        self.submit(self.local.confirm_handover if is_handover else self.playable.advance)

    @property
    def is_awaiting_input(self) -> bool:
        return self._input_wait is not None and not self._input_wait.outcome.done()

    async def submit_password(self, password: str) -> str | None:
        """Check the password of the player named on the curtain; return the reason for a refusal, if it is refused."""
        return await self._run_exclusive(lambda: self.local.submit_password(password))

    def on_remote_data(self) -> None:
        """Apply data from the host while the player's input is awaited, because it may change the prompt."""
        if self.is_awaiting_input:
            self.submit(self._spectator.apply_next_line)

    def refuse_aids(self) -> bool:
        """Return True, and tell the player, if hints and the last deal are not allowed now."""
        if self.frame.allows_aids:
            return False
        self._cursor.show_message(NO_AIDS)
        return True

    def on_message(self) -> None:
        self.view_model.refresh_messages()
        self.view_model.show()

    async def request_stand_in(self, request: Callable[[Seat], str]) -> None:
        """Ask the host to let a robot play for the disconnected player to act; show the reason if that is refused.

        ``request`` sends the request for a seat, and returns the reason for a refusal, or "".
        """
        absent = self.frame.absent_seat_to_act
        if absent is not None:
            reason = await self._run_exclusive(lambda: request(absent))
            if reason:
                self._cursor.show_message(reason)
            elif self.view_model.read_spectator_reason():
                self.view_model.show()

    def skip_pause(self) -> bool:
        """End the current pause; return False if no pause was in progress."""
        if not self.frame.shows_trick:
            return False
        if self._pause_wait and not self._pause_wait.outcome.done():
            self._pause_wait.outcome.set_result(None)
            self._expected_position = self._compute_position()
        return True

    def count_refusal(self) -> Change | None:
        """Count Enter on a choice that the rules refuse, and return the change that tells the answer to a question.

        It is ``None`` at the first refusal, and if nothing was refused, or no card chosen yet.
        """
        session, cursor = self.playable, self._cursor
        has_chosen = cursor.in_box or cursor.hand.armed or cursor.hand.chosen
        if not self.frame.question or not cursor.reason or cursor.needs_confirmation or not has_chosen:
            return None
        self._refusals += 1
        if self._refusals == 1 or not isinstance(session, TransientSession) or not session.can_tell_answer:
            return None
        return partial(session.tell_answer, f"{cursor.reason.rstrip('.')}.")

    def read_text_again(self, session: PromptedSession) -> None:
        """Show the text of the question again, after which the cursor returns to where it is now."""
        self._position_before_text = self._cursor.position
        self.submit(session.read_again)

    def take_back(self) -> None:
        """Take back to the last decision of the only human player, or show why that is impossible.

        The player is asked first if the session would no longer be rated for it. The call is ignored while no input is
        awaited, at a curtain and in a lesson.
        """
        local, choices = self.playable.local, self._settings.min_choices
        frame = self.frame
        if not self.is_awaiting_input or frame.has_curtain or frame.prompt or not frame.human_count:
            return
        if local and (number := local.compute_undo_distance(choices)):
            self._hand_before_undo = frame.view.hand
            if local.is_rated_so_far and local.header.seats[local.people[0]].name != GUEST:
                self._cursor.propose("Undo? The session then no longer counts.", partial(local.take_back, choices))
            else:
                self.submit(partial(local.take_back, choices), decisions=-number)
            return
        reason = local.explain_undo_refusal(choices) if local else "others play on other machines"
        self._cursor.show_message(reason.capitalize() if reason == NOTHING_YET else f"Can't undo: {reason}")

    async def claim_rest(self) -> None:
        """Check whether the rest of the round can change the points; if not, play it out, else show the verdict.

        The check runs in a thread. Its verdict is dropped if play has continued in the meantime. A host plays every
        round card by card.
        """
        view, local = self.frame.view, self.playable.local
        if not self.is_awaiting_input or not self._cursor.waiting:
            return
        self._cursor.show_message("Checking every way to play the rest")
        verdict = await asyncio.to_thread(local.referee.check_claim(view.seat)) if local else ClaimVerdict.OPEN
        if self.frame.view is view and self.is_awaiting_input:
            self._cursor.show_message(verdict.value)
            if local and verdict is ClaimVerdict.DECIDED:
                self.submit(local.claim_rest)

    async def _await_player(self) -> tuple[Change, bool]:
        frame, cursor, local = self.frame, self._cursor, self.playable.local
        self._refusals = 0
        cursor.begin_decision(frame.game_view.decision(frame.view, frame.names), frame.names)
        if frame.prompt and frame.prompt.question:
            cursor.begin_question(frame.prompt)
        if self._position_before_text is not None:
            cursor.return_to(self._position_before_text)
            self._position_before_text = None
        if self._hand_before_undo is not None:
            cursor.point_at_returned_cards(frame.view.hand & ~self._hand_before_undo)
            self._hand_before_undo = None
        has_seen_no_card = local is not None and local.referee.compute_undo_distance(frame.seat) > 0
        is_expected = self._expected_position == self._compute_position()
        self.view_model.update(is_predictable=has_seen_no_card and is_expected and not cursor.in_box)
        self._expected_position = None
        if self._coach and self._settings.coach != "off":
            self._coach.prepare()
            if self.local.is_rated_so_far:
                cursor.show_message(format_coach_note(speaks_of_all=self._settings.coach == "all"), NOT_RATED)
        clock_task = start_task(self._update_clocks())
        try:
            legal = frame.view.legal
            get_delay = None if frame.prompt else partial(Pacing.compute_forced_delay, legal=legal)
            change = await self._await_input(get_delay, partial(self.playable.play, legal[0]))
        finally:
            clock_task.cancel()
        cursor.end_decision()
        if self.frame.notice == self._stand_in_notice:
            self.view_model.update(notice="")
        return change, local is not None and change == local.claim_rest

    async def _update_clocks(self) -> None:
        """Update the clocks once per second while a player is to act, and apply the timeout when one has run out."""
        while (left := self.playable.seconds_left) is not None:
            self.view_model.read_clocks()
            self.view_model.show()
            if left <= 0:
                self.submit(self.local.apply_timeout)
            await asyncio.sleep(left % CLOCK_INTERVAL or CLOCK_INTERVAL)

    def _compute_position(self, more_decisions: int = 0) -> tuple[Seat, int, int]:
        """Return the seat, round and number of decisions after ``more_decisions`` more of them."""
        round_, decisions = self.playable.progress
        return self.frame.seat, round_, decisions + more_decisions

    async def _await_input(self, get_seconds: GetSeconds | None = None, default: Change | None = None) -> Change:
        """Return the change made by the player's input, or ``default`` if there is none within ``get_seconds``.

        ``None`` stands for no time limit, and for ``advance`` of the session.
        """
        local = self.playable.local
        self._input_wait = self._create_wait(get_seconds, default or self.playable.advance)
        can_take_back = local is not None and local.compute_undo_distance(self._settings.min_choices) > 0
        self._show_verdict()
        self.view_model.show(can_take_back=can_take_back)
        return await self._input_wait.run()

    async def _pause(self, get_seconds: GetSeconds | None, started_at: float | None = None) -> None:
        self._pause_wait = self._create_wait(get_seconds, None, started_at)
        await self._pause_wait.run()

    async def _pause_at_trick(self, get_seconds: GetSeconds | None) -> None:
        self._expected_position = None
        await self._pause(get_seconds)
        self._count_passing(self._pause_wait)

    def _count_passing(self, wait: Wait[Change] | Wait[None] | None) -> None:
        """Tell the input guard of a pause that has ended by itself: a key may have been meant for what was shown."""
        if wait and wait.has_run_out:
            self.view_model.update(passings=self.frame.passings + 1)

    def _create_wait(self, get_seconds: GetSeconds | None, default: T, started_at: float | None = None) -> Wait[T]:
        return Wait(lambda: get_seconds(self.view_model.pacing) if get_seconds else None, default, started_at)

    def _apply_settings(self) -> None:
        """Apply changed settings or playback controls to the order of the hand and to the current wait."""
        self.view_model.reorder_hand()
        self._apply_coach_setting()
        for wait in (self._input_wait, self._pause_wait):
            if wait:
                wait.restart()

    def _apply_coach_setting(self) -> None:
        if self.playable.local:
            self.playable.local.is_coached = self._settings.coach != "off"

    def _show_verdict(self) -> None:
        """Show what the coach says about the last decision, once, if the player has time to read it now.

        A verdict that arrives earlier is shown when input is awaited. The message log retains it.
        """
        frame, coach = self.frame, self._coach
        if coach is None or frame.has_curtain or not (self.is_awaiting_input or frame.is_over):
            return
        if verdict := coach.take_verdict(self._settings.coach):
            texts = format_verdict(verdict)
            refusal = coach.explain_undo_refusal(self._settings.min_choices)
            offer = f"Can't undo it: {refusal}." if refusal else "{take_back} undoes it."
            self.local.add_message(CustomLogEntry(None, texts[0]))
            self.view_model.refresh_messages()
            if not self._cursor.needs_confirmation:
                self._cursor.show_message(*[f"{text} {offer}" for text in texts])

    def change_playback(self, change: Callable[[PlaybackControls], PlaybackControls]) -> None:
        """Replace the playback controls with ``change`` of them; clears the message in the prompt."""
        self.view_model.change_playback(change)
        self._apply_settings()
        self._cursor.show_message("")

    def view_seat_to_act(self) -> None:
        self.change_playback(PlaybackControls.pause)
        frame = self.frame
        if frame.view.turn >= 0:
            self.view_model.move_viewing_seat(frame.view.turn - frame.seat)

    async def _await_robot(self, seat: Seat) -> tuple[Change, bool] | None:
        """Return the play that a robot chooses; ``None`` if it failed and the player has it try again."""
        started_at, is_finishing = asyncio.get_running_loop().time(), self.local.is_finishing_round
        self.view_model.show(thinking_robot=None if seat in self.playable.people else seat)
        await self.first_paint.wait()
        try:
            action, worlds, notice = await self.robot_client.choose(self.local.create_robot_request())
        except GameFailed:
            raise
        except CardtableError as error:
            change = await self._wait_to_try_again(str(error))
            return None if change == self.playable.advance else (change, False)
        if notice:
            self._stand_in_notice = notice
            self.local.add_message(CustomLogEntry(None, notice))
            self.view_model.refresh_messages()
            self.view_model.update(notice=notice)
        if not is_finishing:
            await self._pause(Pacing.compute_robot_time, started_at)
        self.view_model.update(thinking_robot=None)
        self.view_model.change_playback(PlaybackControls.finish_step)
        return partial(self.local.play, action, worlds=worlds), is_finishing

    async def _wait_to_try_again(self, reason: str) -> Change:
        """Show why a robot could not choose, and wait until the player asks it again or takes back a decision."""
        before = self.frame.notice
        self.view_model.update(thinking_robot=None, robot_failed=True, notice=f"{{play}} try again  {reason}")
        try:
            return await self._await_input()
        finally:
            self.view_model.update(robot_failed=False, notice=before)

    async def _show_events(self, session_events: Sequence[SessionEvent], *, at_once: bool) -> None:
        """Show the events of a change one by one, or only the final state if ``at_once``.

        The round that ends the session is shown before its result, as any other round.
        """
        self.view_model.read_spectator_reason()
        local = self.playable.local
        if self._coach:
            self._coach.follow_session()
        observed = [event for event in session_events if isinstance(event, ObservedEvent)]
        trick = self._tricks.find_trick_of_text(observed[-1]) if observed else None
        if not at_once and not (local and local.hot_seat.is_unattended):
            await self._tricks.show_steps(observed, leaves_last=trick is not None)
        was_over = self.frame.is_over
        self.view_model.refresh()
        if self.frame.ends_with_round and not was_over:
            self.view_model.update(stage=Stage.ROUND_END)
            while await self._await_round_end() != self.playable.advance:
                pass  # nothing else changes a session that is over
            self.view_model.refresh()
        if trick:
            self.view_model.set_views(trick, self.frame.seat)
        if UNRATED in session_events and TAKEN_BACK in session_events:
            self._cursor.show_message("Undone: this session no longer counts")

    async def _run_exclusive(self, function: Callable[[], T]) -> T:
        """Return the result of ``function``, which uses the session in a worker thread; other users wait.

        The function runs to completion even if the caller is cancelled.
        """

        async def run_in_thread() -> T:
            async with self._session_lock:
                return await asyncio.to_thread(function)

        return await asyncio.shield(run_in_thread())
