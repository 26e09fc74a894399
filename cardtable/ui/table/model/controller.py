"""Controller of the table screen: runs a session with its pauses, robots, hints and clocks.

The controller uses no widgets. It changes the session in a worker thread, because each journal line is flushed to the
disk before the action counts; nothing else uses the session while the thread runs.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar

from cardtable.engine.claim import ClaimVerdict
from cardtable.engine.errors import CardtableError, GameFailed
from cardtable.engine.game import Action, Seat, View
from cardtable.engine.journal import Header, Journal
from cardtable.engine.log_entries import UNRATED, CustomLogEntry
from cardtable.session.robot_client import RobotClient
from cardtable.session.session_events import (
    AwaitingHandover,
    AwaitingNextRound,
    AwaitingPlayer,
    AwaitingRemote,
    AwaitingRobot,
    ObservedEvent,
    SessionEvent,
    SessionOver,
    Stage,
)
from cardtable.session.session_protocol import PlayableSession
from cardtable.store.journal_file import JournalFile
from cardtable.store.sessions import Session
from cardtable.store.settings import Settings
from cardtable.ui.table.model.cursor import Cursor
from cardtable.ui.table.model.view_model import TableViewModel
from cardtable.ui.table.model.view_state import CancellableTimer, PlaybackSpeed, Seconds, TableViewState, no_time_limit
from cardtable.ui.toolkit.keys.input_guard import InputGuard
from cardtable.ui.toolkit.preferences import Preferences

if TYPE_CHECKING:  # shortens the time to the first picture
    from cardtable.robots.hints import Advice
    from cardtable.ui.table.model.spectating import Spectator


class HintTask:
    """Task that requests the expert's advice for the current view and shows the hint."""

    def __init__(
        self,
        session: PlayableSession,
        view_model: TableViewModel,
        cursor: Cursor,
        robot_client: RobotClient,
        show: Callable[[], None],
    ) -> None:
        self._run, self._showing, self._cursor, self._thinker, self._show = (
            session,
            view_model,
            cursor,
            robot_client,
            show,
        )
        self._advising: asyncio.Task[None] | None = None
        self._wanted: View | None = None

    def advise(self) -> None:
        """Show a hint for the current view and move the cursor to the recommended action.

        Known advice is shown at once. Otherwise it is requested in a task, once for each view. The call has no effect
        if no hint can be given now.
        """
        frame = self._showing.frame()
        if frame.advice and not frame.advice.lines:  # the last request returned no advice: repeat it
            self._showing.forget_advice()
            frame = self._showing.frame()
        if frame.advice:
            self._point_at_best(frame.advice)
            self._show()
        elif frame.can_request_hint:
            self._wanted = frame.view
            if self._advising is None or self._advising.done():
                self._advising = asyncio.create_task(self._advise())

    def forget(self) -> None:
        """Discard requested advice that has not arrived yet; a running request ends without effect."""
        self._wanted = None

    def stop(self) -> None:
        if self._advising:
            self._advising.cancel()

    async def _advise(self) -> None:
        """Fetch and show advice until the requested view has some; ignore advice for a view that has been replaced."""
        while view := self._view_to_advise():
            advice = await self._advice(view)
            if self._view_to_advise() is view:
                self._showing.advise(view, advice)
                self._point_at_best(advice)
                self._show()

    def _point_at_best(self, advice: "Advice") -> None:
        if advice.lines:
            self._cursor.point_at(advice.lines[0].action)

    def _view_to_advise(self) -> View | None:
        """Return the current view if advice was requested for it and has not arrived, else ``None``."""
        frame = self._showing.frame()
        return frame.view if frame.can_request_hint and frame.view is self._wanted and frame.advice is None else None

    async def _advice(self, view: View) -> "Advice":
        from cardtable.robots.hints import Advice  # noqa: PLC0415 - lazy: startup

        try:
            watched = self._showing.pacing.watch is not None
            return await self._thinker.advise(self._run.hint_request(view, to_another=watched))
        except CardtableError as error:
            return Advice(str(error), (), "")


T = TypeVar("T")
Change: TypeAlias = Callable[[], Sequence[SessionEvent]]
"""Function that changes the session and returns the events that this caused."""
TICK: Final = 1.0
"""Seconds between two updates of a running clock."""


MOST_BEHIND: Final = 12
"""Maximum number of pending events from a host that are shown one by one; a longer backlog is shown at once."""


class TableController:
    """Controller of one session on one screen."""

    def __init__(
        self,
        session: PlayableSession,
        preferences: Preferences,
        robot_client: RobotClient,
        cursor: Cursor,
        show: Callable[[], None],
    ) -> None:
        self._run, self._preferences = session, preferences
        self._thinker, self._cursor, self._show = robot_client, cursor, show
        self.view_model = TableViewModel(session, preferences, cursor)
        self.pacing = self.view_model.pacing
        self._wait: CancellableTimer[Change | None] | None = None
        """Timer of the current wait for input or pause, or of the last one."""
        self._asks = False
        """True if the current wait is for input of the player."""
        self._expected_position: tuple[Seat, int, int] | None = None
        """Seat, round and number of decisions that the player's last input leads to if no other event happens in
        between.
        """
        self._using = asyncio.Lock()
        self.painted = asyncio.Event()
        """Event that is set after the first picture; work that the first picture does not need waits for it."""
        self.adviser = HintTask(session, self.view_model, cursor, robot_client, show)
        preferences.listeners.append(self._apply_settings)

    @cached_property
    def _spectator(self) -> "Spectator":
        from cardtable.ui.table.model.spectating import Spectator  # noqa: PLC0415 - lazy: startup

        return Spectator(self._run, self.view_model, self._run_exclusive, self._show)

    @property
    def session(self) -> Session:
        """Session that is played in this program; must not be read if a host plays it."""
        assert self._run.session is not None
        return self._run.session

    @property
    def at_home(self) -> bool:
        """True if the session is played in this program, False if a host plays it."""
        return self._run.session is not None

    @property
    def record(self) -> Path | None:
        """Path of the journal, or ``None`` if it is not on this machine."""
        return self._run.journal_path

    @property
    def frame(self) -> TableViewState:
        return self.view_model.frame()

    @property
    def _settings(self) -> Settings:
        return self._preferences.settings

    async def run(self) -> None:
        """Play the session to its end, or until an error, which is shown in the banner.

        Raises ``GameFailed`` if the code of the game has raised an exception, since its views may be unusable then.
        """
        try:
            await self._play()
        except GameFailed:
            raise
        except CardtableError as error:
            self.view_model.banner = str(error)
            self._show()

    async def close(self) -> None:
        """Release the session once no thread uses it; ``run`` must have been cancelled before."""
        self.adviser.stop()
        self._preferences.listeners.remove(self._apply_settings)
        await self._run_exclusive(self._run.close)

    async def say(self, text: str, seat: Seat) -> None:
        """Send a chat message from ``seat`` to the table.

        Raises ``CardtableError`` if the message cannot be stored.
        """
        await self._run_exclusive(lambda: self._run.say(text, seat))
        self.view_model.refresh_messages()
        self._show()

    async def journal(self) -> Journal:
        """Return the journal of the session up to now."""
        return await self._run_exclusive(self._run.journal)

    @property
    def header(self) -> Header:
        """Header of the journal: game, options, seed and occupants of the seats."""
        return self._run.header

    @property
    def undone(self) -> int:
        """Number of decisions that have been taken back so far."""
        return self._run.undone

    @property
    def file(self) -> JournalFile:
        return self.session.file

    async def save(self) -> str:
        """Retry writing unsaved lines; return a description of those that are still unsaved, or ""."""
        unsaved = await self._run_exclusive(self.session.save)
        self._show()
        return unsaved

    async def save_into(self, folder: Path) -> None:
        """Write the whole journal to another folder and continue there; the old file is left unchanged.

        Raises ``CardtableError`` if writing to that folder fails, too; the session then stays in its folder.
        """
        await self._run_exclusive(lambda: self.session.save_into(folder))
        self._show()

    async def _play(self) -> None:
        run = self._run
        if run.progress[0]:
            await self.painted.wait()
            await self._run_exclusive(run.load_recent_messages)
        if run.session and run.session.notice:
            run.add_message(CustomLogEntry(None, run.session.notice))
        self.view_model.refresh()
        while run.data_available or not isinstance(run.pending, SessionOver):
            await self._step()
        self._show()

    async def _step(self) -> None:
        """Wait for the input, decision or pause that the session needs next, and apply it."""
        run = self._run
        match run.pending:
            case AwaitingNextRound():
                self.pacing.on_round_end()
                change = await self._await_input(self.pacing.round_end, run.advance)
                self.pacing.on_step()
                await self._apply(change)
            case AwaitingRobot(seat=seat):
                await self._play_robot(seat)
            case AwaitingPlayer():
                await self._await_player()
            case AwaitingHandover():
                await self._apply(await self._await_input())
            case SessionOver():
                await self._spectator.wait_after_end()
            case AwaitingRemote(lines=0):
                await self._spectator.wait()
            case AwaitingRemote(lines=lines):
                if run.data_available and lines <= MOST_BEHIND:
                    await self._pause(self.pacing.decision)
                await self._apply(self._spectator.take, at_once=lines > (MOST_BEHIND if run.data_available else 1))
            case _:
                await self._apply(run.advance)

    def submit(self, action: Action | None) -> None:
        """Submit the player's action, or ``None`` to continue or to confirm a handover.

        The call is ignored while no input is awaited.
        """
        if action is not None:
            self._decide(partial(self._run.play, action), decided=1)
        elif isinstance(self._run.pending, AwaitingHandover):
            self._decide(self._run.confirm_handover)
        else:
            self._decide(self._run.advance)

    def _decide(self, change: Change, decided: int | None = None) -> None:
        """End the wait for input, if there is one, with this change.

        ``decisions`` is the number of decisions that the change adds for the viewing seat, negative if it takes some
        back; with ``None`` the next prompt counts as unpredictable.
        """
        if self.is_awaiting_input:
            assert self._wait is not None
            self._wait.end(change)
            self._expected_position = None if decided is None else self._position_after(decided)

    @property
    def is_awaiting_input(self) -> bool:
        """True while ``submit`` has an effect."""
        return self._asks and self._wait is not None and not self._wait.is_done

    async def submit_password(self, password: str) -> str:
        """Check the password of the player named on the curtain; return the reason for a refusal, or ""."""
        return await self._run_exclusive(lambda: self._run.submit_password(password))

    def on_remote_data(self) -> None:
        """Apply data from the host while the player's input is awaited, because it may change the prompt."""
        if self.is_awaiting_input:
            self._decide(self._spectator.take)

    def on_remote_message(self) -> None:
        self.view_model.refresh_messages()
        self._show()

    async def stand_in(self) -> None:
        """Ask the host to let a robot play for the disconnected player to act; show the reason if that is refused."""
        turn = self.view_model.snapshot.view.turn
        if turn in self.view_model.snapshot.disconnected:
            why = await self._run_exclusive(lambda: self._run.request_substitute(turn))
            self._cursor.say(why)
            self._show()

    def skip_pause(self) -> bool:
        """End the current pause; return False if no pause was in progress."""
        if not self.view_model.lingering:
            return False
        if self._wait and not self._wait.is_done:
            self._wait.end(None)
            self._expected_position = self._position_after()
        return True

    def take_back(self) -> None:
        """Take back to the last decision of the only human player, or show why that is impossible.

        The call is ignored while no input is awaited and at a curtain.
        """
        run, choices = self._run, self._settings.min_choices
        if not self.is_awaiting_input or self.view_model.snapshot.stage is Stage.CURTAIN or not run.people:
            return
        if number := run.undo_distance(choices):
            self._decide(lambda: run.take_back(choices), decided=-number)
            return
        self._cursor.say(f"No way back: {run.undo_refusal(choices)}")

    async def play_out(self) -> None:
        """Check whether the rest of the round can change the points; if not, play it out, else show the verdict.

        The check runs in a thread. Its verdict is dropped if play has continued in the meantime.
        """
        view = self.view_model.snapshot.view
        if not self.is_awaiting_input or not self._cursor.waiting:
            return
        self._cursor.say("Trying every way to play on")
        verdict = await asyncio.to_thread(self._run.check_claim(view.seat))
        if self.view_model.snapshot.view is view and self.is_awaiting_input:
            self._cursor.say(verdict.value)
            if verdict is ClaimVerdict.DECIDED:
                self._decide(self._run.claim_rest)

    async def _await_player(self) -> None:
        frame, cursor, legal = self.frame, self._cursor, self.view_model.snapshot.view.legal
        cursor.ask(frame.piece.decision(frame.view, frame.names))
        foreseen = not cursor.in_box and self._run.is_last_actor(frame.seat)
        self.view_model.follows, self._expected_position = (
            foreseen and self._expected_position == self._position_after(),
            None,
        )
        ticking = asyncio.create_task(self._tick())
        try:
            change = await self._await_input(lambda: self.pacing.forced_delay(legal), partial(self._run.play, legal[0]))
        finally:
            ticking.cancel()
        cursor.end_decision()
        await self._apply(change, at_once=change == self._run.claim_rest)

    async def _tick(self) -> None:
        """Update the clocks once per second while a player is to act, and apply the timeout when one has run out."""
        while (left := self._run.seconds_left) is not None:
            self.view_model.read_clocks()
            self._show()
            if left <= 0:
                self._decide(self._run.apply_timeout)
            await asyncio.sleep(left % TICK or TICK)

    def _position_after(self, decided: int = 0) -> tuple[Seat, int, int]:
        """Return the seat, round and number of decisions after ``more_decisions`` more of them."""
        round_, decisions = self._run.progress
        return self.view_model.snapshot.seat, round_, decisions + decided

    async def _await_input(self, seconds: Seconds = no_time_limit, otherwise: Change | None = None) -> Change:
        """Return the change made by the player's input, or ``default`` if there is none within ``get_seconds()``."""
        self._asks, self._wait = True, CancellableTimer(seconds, otherwise)
        self.view_model.way_back = self._run.undo_distance(self._settings.min_choices) > 0
        self._show()
        try:
            change = await self._wait.outcome()
            assert change is not None
            return change
        finally:
            self._asks = False

    async def _pause(self, seconds: Seconds, began: float | None = None) -> None:
        self._wait = CancellableTimer(seconds, None, began)
        await self._wait.outcome()

    def _apply_settings(self) -> None:
        """Apply changed settings or playback controls to the order of the hand and to the running timer."""
        self.view_model.rearrange()
        if self._wait:
            self._wait.restart()

    def watch(self, change: Callable[[PlaybackSpeed], PlaybackSpeed]) -> None:
        """Replace the playback controls with ``change`` of them; clears the message in the prompt."""
        assert self.pacing.watch is not None
        self.pacing.watch = change(self.pacing.watch)
        self._apply_settings()
        self._cursor.say("")

    def look_from(self, step: int) -> None:
        """Move the viewing seat by ``step`` places, clockwise if positive."""
        self.view_model.look_from(step)
        self._show()

    def look_at_turn(self) -> None:
        """Pause, and make the seat to act the viewing seat."""
        self.watch(PlaybackSpeed.pause)
        seen = self.view_model.snapshot
        if seen.view.turn >= 0:
            self.look_from(seen.view.turn - seen.seat)

    async def _play_robot(self, seat: Seat) -> None:
        began = asyncio.get_running_loop().time()
        self.view_model.thinking = seat
        self._show()
        await self.painted.wait()
        try:
            action = await self._thinker.choose(self._run.robot_request())
        except GameFailed:
            raise
        except CardtableError as error:
            await self._wait_to_try_again(str(error))
            return
        await self._pause(self.pacing.decision, began)
        self.view_model.thinking = None
        self.pacing.on_step()
        await self._apply(partial(self._run.play, action))

    async def _wait_to_try_again(self, why: str) -> None:
        """Show why a robot could not choose, and wait until the player asks it again or takes back a decision."""
        showing, before = self.view_model, self.view_model.banner
        showing.thinking, showing.failed, showing.banner = None, True, f"{{play}} try again  {why}"
        try:
            change = await self._await_input()
        finally:
            showing.failed, showing.banner = False, before
        if change != self._run.advance:
            await self._apply(change)

    async def _apply(self, change: Change, *, at_once: bool = False) -> None:
        """Apply a change to the session, then show its events one by one, or only the final state if ``at_once``."""
        happened = await self._run_exclusive(change)
        if not at_once and not self._run.is_hidden:
            for event in happened:
                if isinstance(event, ObservedEvent):
                    await self._show_tricks(event)
        self.view_model.refresh()
        if UNRATED in happened:
            self._cursor.say("Taken back: this session no longer counts")

    async def _show_tricks(self, seen: ObservedEvent) -> None:
        """Show the views between the states before and after an event, such as a complete trick, each for its pause.

        The last one is shown twice as long if the event ended the round: the trick then played itself, so that all its
        cards are new to the player.
        """
        frame, after = self.frame, seen.after
        frames = [frame.piece.intermediate_views(seen.event, seen.before[seat], after[seat]) for seat in after]
        for number, views in enumerate(zip(*frames, strict=True), start=1):
            by_itself = number == len(frames[0]) and after[frame.seat].finished > seen.before[frame.seat].finished
            await self._show_for_a_while(dict(zip(after, views, strict=True)), times=2 if by_itself else 1)

    async def _run_exclusive(self, use: Callable[[], T]) -> T:
        """Return the result of ``function``, which uses the session in a worker thread; other users wait.

        The function runs to completion even if the caller is cancelled.
        """

        async def used() -> T:
            async with self._using:
                return await asyncio.to_thread(use)

        return await asyncio.shield(used())

    async def _show_for_a_while(self, views: Mapping[Seat, View], times: int) -> None:
        """Show these views, by seat, for ``factor`` times the usual pause after a trick, or until a key is pressed.

        If the settings have no such pause, they are not shown.
        """
        if self.pacing.trick(times) == 0:
            return
        self.view_model.hold(views)
        self._expected_position = None
        self._show()
        await self._pause(lambda: self.pacing.trick(times))
        self.view_model.lingering = False


class GuardState:
    """Reporter of new prompts to the input guard; distinguishes those that the player's own key has caused."""

    def __init__(self, guard: InputGuard, once_painted: Callable[[Callable[[], None]], object]) -> None:
        """``call_after_repaint`` calls a function after the next repaint."""
        self.guard, self._once_painted = guard, once_painted
        self._hidden = False
        self._place: tuple[object, ...] = ()
        """Prompt that was visible last; empty if there was none."""
        self._advice: object = None
        self._asking = False

    def forget(self) -> None:
        """Treat the prompt as new when it is checked again."""
        self._place = ()

    def surprises(self, frame: TableViewState) -> None:
        """Report a picture that the player did not expect, or after which Enter or a click may be repeated in error."""
        if frame.stage is not Stage.CURTAIN:
            self._asks()

    def look(self, frame: TableViewState, *, hidden: bool) -> None:
        """Compare the prompt of ``frame``, which has not been painted yet, with the one before, and report a new one.

        ``hidden`` is True if another screen or an overlay covers the prompt.
        """
        was_hidden, self._hidden = self._hidden, hidden
        if hidden:
            return
        place = frame.stage, frame.handover_seat, frame.shows_trick, frame.waiting, frame.view
        advised, asked = frame.advice is not self._advice, frame.needs_confirmation is not self._asking
        curtain = frame.stage is Stage.CURTAIN and frame.people > 1
        if place != self._place:
            own = bool(self._place) and frame.waiting and frame.is_predictable
        elif advised or asked:
            own = not (advised or frame.needs_confirmation)
        elif curtain and was_hidden:
            own = False
        else:
            return
        self._place, self._advice, self._asking = place, frame.advice, frame.needs_confirmation
        self._asks(curtain=curtain, own=own)

    def _asks(self, *, curtain: bool = False, own: bool = False) -> None:
        self.guard.on_new_prompt(curtain=curtain, own=own)
        self._once_painted(self.guard.on_painted)
