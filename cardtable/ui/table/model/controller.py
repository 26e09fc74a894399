"""Sits at the loop that runs a session, for the screen: pauses, robots in their process, what is seen meanwhile.

Knows no widget.  The session is changed in a thread, since each line is flushed to the disk
before the move counts, and nothing of it is looked at meanwhile.
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
from cardtable.ui.table.model.view_state import CancellableTimer, PlaybackSpeed, Seconds, TableViewState, for_ever
from cardtable.ui.toolkit.keys.input_guard import InputGuard
from cardtable.ui.toolkit.preferences import Preferences

if TYPE_CHECKING:  # the first picture is there sooner without it
    from cardtable.robots.hints import Advice
    from cardtable.ui.table.model.spectating import Spectator


class HintTask:
    """Has the expert's advice shown, asked once for a place."""

    def __init__(
        self,
        run: PlayableSession,
        showing: TableViewModel,
        cursor: Cursor,
        thinker: RobotClient,
        show: Callable[[], None],
    ) -> None:
        self._run, self._showing, self._cursor, self._thinker, self._show = run, showing, cursor, thinker, show
        self._advising: asyncio.Task[None] | None = None
        self._wanted: View | None = None

    def advise(self) -> None:
        """Point at what the expert would do; of no effect while nobody is to act who could be advised."""
        frame = self._showing.frame()
        if frame.advice and not frame.advice.lines:  # there was none: ask again
            self._showing.forget_advice()
            frame = self._showing.frame()
        if frame.advice:
            self._point_at_best(frame.advice)
            self._show()
        elif frame.advisable:
            self._wanted = frame.view
            if self._advising is None or self._advising.done():
                self._advising = asyncio.create_task(self._advise())

    def forget(self) -> None:
        """Drop the advice that was asked for and is still to come: its hint is no longer shown."""
        self._wanted = None

    def stop(self) -> None:
        """No advice is wanted any more."""
        if self._advising:
            self._advising.cancel()

    async def _advise(self) -> None:
        """Show the advice, if it is still wanted; where play has gone on and it was asked for again, the new one."""
        while view := self._unadvised():
            advice = await self._advice(view)
            if self._unadvised() is view:
                self._showing.advise(view, advice)
                self._point_at_best(advice)
                self._show()

    def _point_at_best(self, advice: "Advice") -> None:
        if advice.lines:
            self._cursor.point_at(advice.lines[0].action)

    def _unadvised(self) -> View | None:
        """The view in which advice is wanted that is not there yet."""
        frame = self._showing.frame()
        return frame.view if frame.advisable and frame.view is self._wanted and frame.advice is None else None

    async def _advice(self, view: View) -> "Advice":
        from cardtable.robots.hints import Advice  # noqa: PLC0415 - seldom asked for

        try:
            watched = self._showing.pacing.watch is not None
            return await self._thinker.advise(self._run.question(view, to_another=watched))
        except CardtableError as error:
            return Advice(str(error), (), "")


T = TypeVar("T")
Change: TypeAlias = Callable[[], Sequence[SessionEvent]]
"""What was decided: it changes the session, and tells what happened."""
TICK: Final = 1.0
"""Seconds from one picture of a clock that runs to the next."""


MOST_BEHIND: Final = 12
"""Things that have come from a host and are still shown one by one."""


class TableController:
    """Plays one session on one screen."""

    def __init__(
        self,
        run: PlayableSession,
        preferences: Preferences,
        thinker: RobotClient,
        cursor: Cursor,
        show: Callable[[], None],
    ) -> None:
        self._run, self._preferences = run, preferences
        self._thinker, self._cursor, self._show = thinker, cursor, show
        self.showing = TableViewModel(run, preferences, cursor)
        self.pacing = self.showing.pacing
        self._wait: CancellableTimer[Change | None] | None = None
        """What is waited for."""
        self._asks = False
        """Whether that is what the person says."""
        self._expected_position: tuple[Seat, int, int] | None = None
        """Where the table stands once the last key is answered, if nothing else happens."""
        self._using = asyncio.Lock()
        self.painted = asyncio.Event()
        """Set once the first picture is there: what takes long and is not in it waits for that."""
        self.adviser = HintTask(run, self.showing, cursor, thinker, show)
        preferences.listeners.append(self._look_at_settings)

    @cached_property
    def _looking_on(self) -> "Spectator":
        from cardtable.ui.table.model.spectating import Spectator  # noqa: PLC0415 - seldom looked on

        return Spectator(self._run, self.showing, self._run_exclusive, self._show)

    @property
    def session(self) -> Session:
        """The session, where it is played here."""
        assert self._run.session is not None
        return self._run.session

    @property
    def at_home(self) -> bool:
        """Whether it is played here."""
        return self._run.session is not None

    @property
    def record(self) -> Path | None:
        """Where its journal lies, if that is at this machine."""
        return self._run.record

    @property
    def frame(self) -> TableViewState:
        """All that is shown now."""
        return self.showing.frame()

    @property
    def _settings(self) -> Settings:
        return self._preferences.settings

    async def run(self) -> None:
        """Play to the end of the session, or until something does not let it go on, which is shown.

        Raises ``GameFailed``: then there may be nothing to show.
        """
        try:
            await self._play()
        except GameFailed:
            raise
        except CardtableError as error:
            self.showing.banner = str(error)
            self._show()

    async def close(self) -> None:
        """Let the session go, once nothing uses it any more; ``run`` has been cancelled before."""
        self.adviser.stop()
        self._preferences.listeners.remove(self._look_at_settings)
        await self._run_exclusive(self._run.close)

    async def say(self, text: str, seat: Seat) -> None:
        """Say something to everybody at the table.  Raises ``CardtableError`` where it cannot be kept."""
        await self._run_exclusive(lambda: self._run.say(text, seat))
        self.showing.refresh_messages()
        self._show()

    async def journal(self) -> Journal:
        """The session so far, as it is written."""
        return await self._run_exclusive(self._run.journal)

    @property
    def header(self) -> Header:
        """What the session was begun with, and who sits where."""
        return self._run.header

    @property
    def undone(self) -> int:
        """Decisions taken back so far."""
        return self._run.undone

    @property
    def file(self) -> JournalFile:
        """Where each line goes."""
        return self.session.file

    async def save(self) -> str:
        """Try again to save what is not saved yet; what still is not, in words."""
        unsaved = await self._run_exclusive(self.session.save)
        self._show()
        return unsaved

    async def save_into(self, folder: Path) -> None:
        """Go on in another folder.  Raises ``CardtableError`` where that fails, too."""
        await self._run_exclusive(lambda: self.session.save_into(folder))
        self._show()

    async def _play(self) -> None:
        run = self._run
        if run.progress[0]:
            await self.painted.wait()
            await asyncio.to_thread(run.load_recent_messages)
        if run.session and run.session.notice:
            run.add_message(CustomLogEntry(None, run.session.notice))
        self.showing.refresh()
        while run.data_available or not isinstance(run.pending, SessionOver):
            await self._step()
        self._show()

    async def _step(self) -> None:
        """Wait for what the loop wants, and have it done."""
        run = self._run
        match run.pending:
            case AwaitingNextRound():
                self.pacing.on_round_end()
                change = await self._ask(self.pacing.round_end, run.go_on)
                self.pacing.on_step()
                await self._change(change)
            case AwaitingRobot(seat=seat):
                await self._robot(seat)
            case AwaitingPlayer():
                await self._person()
            case AwaitingHandover():
                await self._change(await self._ask())
            case SessionOver():
                await self._looking_on.stay()
            case AwaitingRemote(lines=0):
                await self._looking_on.wait()
            case AwaitingRemote(lines=lines):
                if run.data_available and lines <= MOST_BEHIND:
                    await self._pause(self.pacing.decision)
                await self._change(self._looking_on.take, at_once=lines > (MOST_BEHIND if run.data_available else 1))
            case _:
                await self._change(run.go_on)

    def submit(self, action: Action | None) -> None:
        """The person's action, or ``None`` to go on; of no effect while nobody is asked."""
        if action is not None:
            self._decide(partial(self._run.play, action), decided=1)
        elif isinstance(self._run.pending, AwaitingHandover):
            self._decide(self._run.confirm_handover)
        else:
            self._decide(self._run.go_on)

    def _decide(self, change: Change, decided: int | None = None) -> None:
        """What was decided, if anybody was asked; ``decided``: that is so many decisions of who sits there."""
        if self.is_awaiting_input:
            assert self._wait is not None
            self._wait.end(change)
            self._expected_position = None if decided is None else self._stands(decided)

    @property
    def is_awaiting_input(self) -> bool:
        """Whether the driver waits for ``submit``."""
        return self._asks and self._wait is not None and not self._wait.over

    async def give(self, password: str) -> str:
        """Try the password of the person who is called: why it is not taken; nothing (``""``) if it is right."""
        return await asyncio.to_thread(self._run.submit_password, password)

    def heard(self) -> None:
        """Something has come from elsewhere while a person may be asked: what she is asked may be another thing now."""
        if self.is_awaiting_input:
            self._decide(self._looking_on.take)

    def listen(self) -> None:
        """Show what was told beside the session."""
        self.showing.refresh_messages()
        self._show()

    async def stand_in(self) -> None:
        """Have a robot play for who is away and would be to act, or say why not."""
        turn = self.showing.seen.view.turn
        if turn in self.showing.seen.away:
            why = await asyncio.to_thread(self._run.stand_in, turn)
            self._cursor.say(why)
            self._show()

    def skip_pause(self) -> bool:
        """End the pause that is on, if there is one; whether there was."""
        if not self.showing.lingering:
            return False
        if self._wait and not self._wait.over:
            self._wait.end(None)
            self._expected_position = self._stands()
        return True

    def take_back(self) -> None:
        """Take back to the last decision of the only person, where the table lets her; else say why not."""
        run, choices = self._run, self._settings.fewest_choices
        if not self.is_awaiting_input or self.showing.seen.stage is Stage.CURTAIN or not run.people:
            return
        if number := run.undo_distance(choices):
            self._decide(lambda: run.take_back(choices), decided=-number)
            return
        self._cursor.say(f"No way back: {run.undo_refusal(choices)}")

    async def play_out(self) -> None:
        """Have the rest played out, or say why not; nothing where play has gone on meanwhile."""
        view = self.showing.seen.view
        if not self.is_awaiting_input or not self._cursor.waiting:
            return
        self._cursor.say("Trying every way to play on")
        found = await asyncio.to_thread(self._run.rest(view.seat))
        if self.showing.seen.view is view and self.is_awaiting_input:
            self._cursor.say(found.value)
            if found is ClaimVerdict.DECIDED:
                self._decide(self._run.play_out)

    async def _person(self) -> None:
        frame, cursor, legal = self.frame, self._cursor, self.showing.seen.view.legal
        cursor.ask(frame.piece.decision(frame.view, frame.names))
        foreseen = not cursor.in_box and self._run.is_last_actor(frame.me)
        self.showing.follows, self._expected_position = foreseen and self._expected_position == self._stands(), None
        ticking = asyncio.create_task(self._tick())
        try:
            change = await self._ask(lambda: self.pacing.forced_delay(legal), partial(self._run.play, legal[0]))
        finally:
            ticking.cancel()
        cursor.asked()
        await self._change(change, at_once=change == self._run.play_out)

    async def _tick(self) -> None:
        """Show the clocks while a person is to act, and end the wait when one has run out."""
        while (left := self._run.seconds_left) is not None:
            self.showing.read_clocks()
            self._show()
            if left <= 0:
                self._decide(self._run.apply_timeout)
            await asyncio.sleep(left % TICK or TICK)

    def _stands(self, decided: int = 0) -> tuple[Seat, int, int]:
        """Where the table stands for who sits there, once so much is decided; any other decision or deal changes it."""
        round_, decisions = self._run.progress
        return self.showing.seen.me, round_, decisions + decided

    async def _ask(self, seconds: Seconds = for_ever, otherwise: Change | None = None) -> Change:
        """What the person decides; ``otherwise`` once so many seconds have gone."""
        self._asks, self._wait = True, CancellableTimer(seconds, otherwise)
        self.showing.way_back = self._run.undo_distance(self._settings.fewest_choices) > 0
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

    def _look_at_settings(self) -> None:
        """They are others, or who watches wants it faster or slower."""
        self.showing.rearrange()
        if self._wait:
            self._wait.look_again()

    def watch(self, change: Callable[[PlaybackSpeed], PlaybackSpeed]) -> None:
        """Go on as who watches says now; what was said of something else is done with."""
        assert self.pacing.watch is not None
        self.pacing.watch = change(self.pacing.watch)
        self._look_at_settings()
        self._cursor.say("")

    def look_from(self, step: int) -> None:
        """Look from the seat ``step`` places on."""
        self.showing.look_from(step)
        self._show()

    def look_at_turn(self) -> None:
        """Look from the seat that is to act, while all stands still."""
        self.watch(PlaybackSpeed.pause)
        seen = self.showing.seen
        if seen.view.turn >= 0:
            self.look_from(seen.view.turn - seen.me)

    async def _robot(self, seat: Seat) -> None:
        began = asyncio.get_running_loop().time()
        self.showing.thinking = seat
        self._show()
        await self.painted.wait()
        try:
            action = await self._thinker.choose(self._run.request())
        except GameFailed:
            raise
        except CardtableError as error:
            await self._wait_to_try_again(str(error))
            return
        await self._pause(self.pacing.decision, began)
        self.showing.thinking = None
        self.pacing.on_step()
        await self._change(partial(self._run.play, action))

    async def _wait_to_try_again(self, why: str) -> None:
        """Say why a robot could not choose, and wait until the person has it asked again, or takes back a decision."""
        showing, before = self.showing, self.showing.banner
        showing.thinking, showing.failed, showing.banner = None, True, f"{{play}} try again  {why}"
        try:
            change = await self._ask()
        finally:
            showing.failed, showing.banner = False, before
        if change != self._run.go_on:
            await self._change(change)

    async def _change(self, change: Change, *, at_once: bool = False) -> None:
        """Change the session, and show what came of it step by step or at once."""
        happened = await self._run_exclusive(change)
        if not at_once and not self._run.is_hidden:
            for it in happened:
                if isinstance(it, ObservedEvent):
                    await self._show_tricks(it)
        self.showing.refresh()
        if UNRATED in happened:
            self._cursor.say("Taken back: this session no longer counts")

    async def _show_tricks(self, seen: ObservedEvent) -> None:
        """What is to be seen for a while of an event, one after the other.

        A trick that played itself stays twice as long: all its cards are new.
        """
        frame, after = self.frame, seen.after
        told = [frame.piece.frames(seen.event, seen.before[seat], after[seat]) for seat in after]
        for number, views in enumerate(zip(*told, strict=True), start=1):
            by_itself = number == len(told[0]) and after[frame.me].finished > seen.before[frame.me].finished
            await self._linger(dict(zip(after, views, strict=True)), times=2 if by_itself else 1)

    async def _run_exclusive(self, use: Callable[[], T]) -> T:
        """Use the session in a thread while nothing else does: to the end, even where nobody waits for it any more."""

        async def used() -> T:
            async with self._using:
                return await asyncio.to_thread(use)

        return await asyncio.shield(used())

    async def _linger(self, views: Mapping[Seat, View], times: int) -> None:
        """Show views for as long as the settings say, or until a key."""
        if self.pacing.trick(times) == 0:
            return
        self.showing.hold(views)
        self._expected_position = None
        self._show()
        await self._pause(lambda: self.pacing.trick(times))
        self.showing.lingering = False


class GuardState:
    """Tells the guard when something else is asked for, and whether it was the person's own key that led to it."""

    def __init__(self, guard: InputGuard, once_painted: Callable[[Callable[[], None]], object]) -> None:
        """``once_painted`` calls something as soon as all that has changed can be seen."""
        self.guard, self._once_painted = guard, once_painted
        self._hidden = False
        self._place: tuple[object, ...] = ()
        """What was asked for when it could be seen last."""
        self._advice: object = None
        self._asking = False

    def forget(self) -> None:
        """When it is seen again it is as if something else were asked for."""
        self._place = ()

    def surprises(self, frame: TableViewState) -> None:
        """What is seen now came as a surprise, or the same Enter or click might come twice."""
        if frame.stage is not Stage.CURTAIN:
            self._asks()

    def look(self, frame: TableViewState, *, hidden: bool) -> None:
        """Look at what is asked for now, which is yet to be painted.

        ``hidden``: whether it cannot be seen, since something else is shown.
        """
        was_hidden, self._hidden = self._hidden, hidden
        if hidden:
            return
        place = frame.stage, frame.called, frame.lingering, frame.waiting, frame.view
        advised, asked = frame.advice is not self._advice, frame.asking is not self._asking
        curtain = frame.stage is Stage.CURTAIN and frame.people > 1
        if place != self._place:
            own = bool(self._place) and frame.waiting and frame.follows
        elif advised or asked:
            own = not (advised or frame.asking)
        elif curtain and was_hidden:
            own = False
        else:
            return
        self._place, self._advice, self._asking = place, frame.advice, frame.asking
        self._asks(curtain=curtain, own=own)

    def _asks(self, *, curtain: bool = False, own: bool = False) -> None:
        self.guard.on_new_prompt(curtain=curtain, own=own)
        self._once_painted(self.guard.on_painted)
