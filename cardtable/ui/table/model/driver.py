"""Runs a session: whose turn it is, robots in their process, pauses, the journal.

Shows everything through one ``Sight``; knows no widget.  The table is changed in a thread,
since each line is flushed to the disk before the move counts; only ``run`` changes it, and
makes no view meanwhile.
"""

import asyncio
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

from cardtable.engine.contract import CHANCE, OVER, Action, Event, Seat, View
from cardtable.engine.journal import Journal
from cardtable.engine.notes import DEALT_AGAIN, TAKEN_BACK, Ruling, Told
from cardtable.play.news import News
from cardtable.play.story import story
from cardtable.play.talk import said
from cardtable.store.errors import CardtableError
from cardtable.store.journal_file import JournalFile
from cardtable.store.sessions import Session
from cardtable.store.settings import Settings
from cardtable.store.whose_seat import players_at
from cardtable.ui.kit.piece import piece
from cardtable.ui.processes.robots import Thinker
from cardtable.ui.settings.preferences import Preferences
from cardtable.ui.table.model.clocks_shown import Clocks
from cardtable.ui.table.model.hot_seat import HotSeat
from cardtable.ui.table.model.looking_on import LookingOn
from cardtable.ui.table.model.onlooker import Onlooker
from cardtable.ui.table.model.pacing import Pacing, Seconds, for_ever, pause
from cardtable.ui.table.model.sight import Sight, Stage
from cardtable.ui.table.model.the_rest import TheRest
from cardtable.ui.table.model.watching import Watch
from cardtable.ui.table.overlays.hint import Adviser
from cardtable.wording.names import called
from cardtable.wording.words import YOU


class Driver:
    """Plays one session on one screen."""

    def __init__(self, session: Session, preferences: Preferences, thinker: Thinker, show: Callable[[], None]) -> None:
        self.session, self._preferences = session, preferences
        self._thinker, self._show = thinker, show
        self._table = session.table
        self._people = [] if session.table.covered else session.header.people
        seats = range(session.table.seats)
        self._news = News(self._people or seats)
        bare = not self._people or session.table.options.items()["open_hands"] == "on"
        all_open = bare and not session.table.covered
        self._seen_from = seats if all_open else [*self._news.own]
        game, turn = session.table.game, self._table.turn
        me = turn if turn in self._people else next(iter(self._news.own))
        self.sight = Sight(game, piece(game.about.key), called(session.header, YOU), self._table.view(me))
        self.sight.people, self.sight.order = len(self._people), self._settings.hand_order
        self.sight.all_open, self.sight.open_hands = all_open, bool(self._people)
        if not self._people and not session.read_only:
            self.sight.watch = Watch.at(self._settings.pace, paused=self._table.round > 0)
        self.pacing = Pacing(preferences, self.sight.watch)
        self.onlooker = Onlooker(self.sight, self._news.own, show)
        self._answer: asyncio.Future[Action | None] | None = None
        self._hurried: asyncio.Future[None] | None = None
        self._seen: list[tuple[Event, dict[Seat, View], dict[Seat, View]]] = []
        self._before = self._views()
        self._taken_back = 0
        self._led_to: tuple[Seat, int, int] | None = None
        """Where the table stands once the last key is answered, if nothing else happens."""
        self._using = asyncio.Lock()
        self.painted = asyncio.Event()
        """Set once the first picture is there: what takes long and is not in it waits for that."""
        self.adviser = Adviser(self._table, self.sight, thinker, show)
        self._clocks = Clocks(session, self.sight, lambda: self.act(None), show)
        self.rest = TheRest(self._table, self.sight, lambda: self.act(None), show)
        self._table.watch = self._watch
        players = players_at(session.header)
        nicks = {seat: players.get(seat, "") for seat in self._people}
        self._hot_seat = HotSeat(self.sight, self._news, nicks)
        self._looking_on = LookingOn(session, self.sight, self._news, self._alone, show)
        self._renew()

    @property
    def _settings(self) -> Settings:
        return self._preferences.settings

    async def run(self) -> None:
        """Play to the end of the session, or until something does not let it go on, which is shown."""
        ticking = asyncio.create_task(self._clocks.tick()) if self._clocks.are_there else None
        try:
            await self._run()
        except CardtableError as error:
            self.sight.banner = str(error)
            self._show()
        finally:
            if ticking:
                ticking.cancel()

    async def close(self) -> None:
        """Let the session go, once nothing uses it any more; ``run`` has been cancelled before."""
        self.adviser.stop()
        await self._alone(self.session.close)

    async def say(self, text: str, seat: Seat) -> None:
        """Say something to everybody at the table.  Raises ``CardtableError`` where it cannot be kept."""
        speaker = seat if seat in self._people else None
        note = said(text, speaker)
        await self._alone(lambda: self._table.say(note.text, speaker))
        self._news.note(note)
        self._hot_seat.veil()
        self._show()

    async def journal(self) -> Journal:
        """The session so far, as it is written."""
        read: list[Journal] = []
        await self._alone(lambda: read.append(self.session.journal()))
        return read[0]

    @property
    def file(self) -> JournalFile:
        """Where each line goes."""
        return self.session.file

    async def save(self) -> str:
        """Try again to save what is not saved yet; what still is not, in words."""
        unsaved: list[str] = []
        await self._alone(lambda: unsaved.append(self.session.save()))
        self._look_at_trouble()
        self._show()
        return unsaved[0]

    async def save_into(self, folder: Path) -> None:
        """Go on in another folder.  Raises ``CardtableError`` where that fails, too."""
        await self._alone(lambda: self.session.save_into(folder))
        self._look_at_trouble()
        self._show()

    async def _run(self) -> None:
        table = self._table
        if table.round:
            await self.painted.wait()
            await asyncio.to_thread(lambda: story(self.session.path, self._news, hidden=table.covered))
        if self.session.notice:
            self._news.note(Told(None, self.session.notice))
        self._renew()
        if self.session.read_only:
            if self._hot_seat.must_call(self.sight.me):
                await self._curtain(self.sight.me)
            await self._looking_on.follow(self._change)
        else:
            while table.turn != OVER:
                self._renew()
                await self._step()
            await self._change(table.go_on)
        self.sight.stage, self.sight.ranks, self.sight.results = Stage.SESSION_END, table.ranks, table.totals
        self._renew()
        self._show()

    async def _step(self) -> None:
        """What is to happen next."""
        table, decided = self._table, self.rest.taken()
        if self._taken_back:
            number, self._taken_back = self._taken_back, 0
            await self._change(lambda: table.undo(number))
            self._news.note(TAKEN_BACK)
            self._led_to = self._stands()
        elif decided:
            self._news.note(Ruling(table.turn, "plays out"))
            await self._change(table.play_out, at_once=True)
        elif table.turn == CHANCE:
            await (self._round_end() if table.round == len(table.scores) > 0 else self._change(table.go_on))
        elif silent := table.game.silent(table.view(table.turn)):
            await self._play(table.turn, silent)
        elif self.session.header.seats[table.turn].robot:
            await self._robot(table.turn)
        else:
            await self._person(table.turn)

    def act(self, action: Action | None) -> None:
        """The person's action, or ``None`` to go on; of no effect while nobody is asked."""
        if self.asked:
            assert self._answer is not None
            self._answer.set_result(action)
            self._led_to = self._stands(1) if action is not None else None

    @property
    def asked(self) -> bool:
        """Whether the driver waits for ``act``."""
        return self._answer is not None and not self._answer.done()

    async def give(self, password: str) -> str:
        """Try the password of the person who is called: why it is not taken; nothing (``""``) if it is right."""
        called = self.sight.called
        return await asyncio.to_thread(self._hot_seat.give, called, password) if called is not None else ""

    def hurry(self) -> bool:
        """End the pause that is on, if there is one; whether there was."""
        if not self.sight.lingering:
            return False
        if self._hurried and not self._hurried.done():
            self._hurried.set_result(None)
            self._led_to = self._stands()
        return True

    def take_back(self) -> None:
        """Take back to the last decision of the only person, where the table lets her; else say why not."""
        if not self.asked or self.sight.stage is Stage.CURTAIN or not self._people:
            return
        if len(self._people) > 1:
            why = "several people play"
        else:
            self._taken_back = self._way_back
            if self._taken_back:
                self.act(None)
                return
            why = self._table.why_stays(self._people[0], self._settings.fewest_choices)
        self.sight.reason = f"No way back: {why}"
        self._show()

    @property
    def _way_back(self) -> int:
        """How many decisions lie since the last one of the only person that was not played by itself."""
        return self._table.since(self._people[0], self._settings.fewest_choices)

    async def _round_end(self) -> None:
        self.sight.stage = Stage.ROUND_END
        self.pacing.arrived()
        await self._ask(self.pacing.round_end)
        if self._hot_seat.hides:  # all of them have looked at the points: nobody sits at the keyboard
            self._hot_seat.clear()
        if not self._taken_back:
            self.pacing.stepped()
            await self._change(self._table.go_on)
        if not self._hot_seat.hides:
            self.sight.stage = Stage.PLAY

    async def _person(self, seat: Seat) -> None:
        sight = self.sight
        if self._hot_seat.must_call(seat):
            await self._curtain(seat)
        sight.waiting = True
        decision = sight.decision = sight.piece.decision(sight.view, sight.names)
        sight.option = decision.start if decision else 0
        sight.in_box = decision is not None and not decision.cards_first
        foreseen = not sight.in_box and self._table.since(seat) > 0
        sight.follows, self._led_to = foreseen and self._led_to == self._stands(), None
        legal = sight.view.legal
        action = await self._ask(lambda: self.pacing.forced(legal), legal[0])
        sight.waiting, sight.decision, sight.in_box = False, None, False
        if action is not None:
            await self._play(seat, action)
        elif self._taken_back or self.rest.decided:
            return
        elif self._clocks.session_lost(seat):
            await self._forfeit(seat)
        elif self._clocks.round_void:
            await self._deal_again()

    def _stands(self, decided: int = 0) -> tuple[Seat, int, int]:
        """Where the table stands for who sits there, once so much is decided; any other decision or deal changes it."""
        return self.sight.me, self._table.round, self._table.decisions + decided

    async def _forfeit(self, seat: Seat) -> None:
        """The time of ``seat`` is over, and so is the session."""
        await self._change(lambda: self._table.forfeit(seat, "clock"))
        self._news.note(Ruling(seat, "lost"))

    async def _deal_again(self) -> None:
        """The round is void; the same dealer deals it again."""
        await self._change(lambda: self._table.void("clock"))
        self._news.note(DEALT_AGAIN)

    async def _curtain(self, seat: Seat) -> None:
        """Hide the table until the person at ``seat`` says that she is there."""
        self._hot_seat.call(seat, self._views())
        self._renew()
        await self._ask()
        while self._hot_seat.locked(seat):
            await self._ask()
        self._hot_seat.sit_down(seat)
        self._renew()

    async def _ask(self, seconds: Seconds = for_ever, otherwise: Action | None = None) -> Action | None:
        """What the person says; ``otherwise`` once so many seconds have gone."""
        answer = self._answer = asyncio.get_running_loop().create_future()
        self.sight.way_back = len(self._people) == 1 and self._way_back > 0
        self._show()
        try:
            await pause(seconds, answer)
            return answer.result() if answer.done() else otherwise
        finally:
            self._answer = None

    async def _robot(self, seat: Seat) -> None:
        loop, table = asyncio.get_running_loop(), self._table
        self.sight.thinking = seat
        self._show()
        await self.painted.wait()
        from cardtable.robots import worker  # noqa: PLC0415 - after the first picture

        began = loop.time()
        level = self.session.header.seats[seat].robot
        assert level is not None
        view = table.view(seat)
        request = worker.Request(table.game.about.key, level, view, table.seed, table.decisions)
        action = await self._thinker.choose(request)
        await pause(self.pacing.decision, loop.create_future(), began)
        self.sight.thinking = None
        self.pacing.stepped()
        await self._play(seat, action)

    async def _play(self, seat: Seat, action: Action) -> None:
        chair = self._table.chair(seat)
        await self._change(lambda: chair.play(action))

    async def _change(self, change: Callable[[], None], *, at_once: bool = False) -> None:
        """Change the table, and show what came of it step by step or at once."""
        self._before = self._views()
        self._seen.clear()
        await self._alone(change)
        sight = self.sight
        sight.reason = ""
        for event, before, after in self._seen:
            self._news.hear(sight.game, event, before, after, datetime.now(UTC))
            hidden = at_once or sight.stage is Stage.CURTAIN
            told = [] if hidden else [sight.piece.frames(event, before[seat], after[seat]) for seat in after]
            for number, frames in enumerate(zip(*told, strict=True), start=1):
                by_itself = number == len(told[0]) and after[sight.me].finished > before[sight.me].finished
                await self._linger(dict(zip(after, frames, strict=True)), times=2 if by_itself else 1)
        self._renew()

    async def _alone(self, use: Callable[[], None]) -> None:
        """Use the session in a thread while nothing else does: to the end, even where nobody waits for it any more."""

        async def used() -> None:
            async with self._using:
                await asyncio.to_thread(use)

        await asyncio.shield(used())

    def _watch(self, event: Event) -> None:
        after = self._views()
        self._seen.append((event, self._before, after))
        self._before = after

    def _views(self) -> dict[Seat, View]:
        """What everybody sees who is told what happens: nobody is told what only another may know."""
        return {seat: self._table.view(seat) for seat in self._seen_from}

    async def _linger(self, frame: Mapping[Seat, View], times: int) -> None:
        """Show views for as long as the settings say, or until a key.

        A trick that played itself stays ``times`` as long: all its cards are new.
        """
        if self.pacing.trick(times) == 0:
            return
        sight = self.sight
        sight.see(frame, sight.me)
        sight.lingering, self._led_to = True, None
        sight.hand.renew(sight.own_cards, ())
        self._hurried = asyncio.get_running_loop().create_future()
        self._show()
        await pause(lambda: self.pacing.trick(times), self._hurried)
        sight.lingering = False

    def _renew(self) -> None:
        """Bring the sight up to date with the table."""
        sight, table = self.sight, self._table
        sight.see(self._views(), sight.me)
        view = sight.view
        sight.scores, sight.messages = table.scores, self._news.own[sight.me]
        sight.advice, sight.aimed, sight.asking = None, False, False
        sight.hand.renew(sight.own_cards, view.legal)
        must = sight.game.must(view)
        if must is not None and sight.hand.may(must):
            sight.hand.at = must
        self._hot_seat.veil()
        self._clocks.read()
        self._look_at_trouble()

    def rearrange(self) -> None:
        """Have the hand in the order that the settings say; the cursor stays on its card."""
        sight = self.sight
        sight.order = self._settings.hand_order
        if sight.hand.cards:
            sight.hand.cards = sight.own_cards

    def _look_at_trouble(self) -> None:
        self.sight.banner, self.sight.unsaved = self._banner(), self.session.trouble is not None

    def _banner(self) -> str:
        trouble = self.session.trouble
        return f"{{save_elsewhere}} another folder  {trouble}" if trouble else self._looking_on.banner
