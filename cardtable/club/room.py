"""The room of a club: who is here, its tables, and what guests want of them."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from cardtable import games
from cardtable.club import wire
from cardtable.club.floor import Floor
from cardtable.club.happenings import happenings
from cardtable.club.limits import HostLog, Paces
from cardtable.club.members import GuestBook, KnownGuest, NotLetIn
from cardtable.club.notice_board import NoticeBoard
from cardtable.club.past import PastSessions
from cardtable.club.playing import RETRY, Think
from cardtable.club.shown import TableRow
from cardtable.club.tables import Refusal
from cardtable.club.visit import Visit
from cardtable.club.whence import Whence
from cardtable.club.wire import LetIn, NotDone, Talk, Welcome
from cardtable.engine.contract import CONTRACT
from cardtable.engine.errors import CardtableError
from cardtable.engine.table import IllegalAction
from cardtable.engine.text import clean, one_line
from cardtable.play.news import MOST_SAID
from cardtable.store.errors import reason

TALK_A_SECOND: Final = 2.0
"""How often a person may talk, on the average; three times as often at once."""
SOON: Final = 0.25
"""Seconds in which what changes in the lobby is told together."""


class ClubRoom:
    """One club while it is open."""

    def __init__(
        self,
        name: str,
        members: GuestBook,
        think: Think,
        *,
        most_tables: int = 100,
        tell: Callable[[str], object] = lambda _line: None,
    ) -> None:
        """``think`` has a robot choose; ``tell`` gets a line for each happening."""
        self.name, self.members = name, members
        members.here, members.save_failed = lambda: self.people, self._changed
        self._log = HostLog(tell)
        self._visits: list[Visit] = []
        self.floor: Final = Floor(members, think, self._visits, self._changed, most=most_tables)
        self._board = NoticeBoard()
        self._talk_paces = Paces(TALK_A_SECOND)
        self._past = PastSessions()
        self._telling: asyncio.TimerHandle | None = None
        self._open = True
        self._saving_fails = ""
        """Why the host cannot save, as its keeper was told last."""
        self._retrying: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Look which sessions that were played before are still there."""
        await self.floor.forget_lost()

    async def close(self, why: str) -> None:
        """Tell everybody, and let go of all sessions."""
        self._open = False
        for visit in self._visits:
            visit.end(why)
        await self.floor.close()
        self._log.close()
        if self._telling:
            self._telling.cancel()
        if self._retrying:
            self._retrying.cancel()

    # Who is here

    @property
    def people(self) -> tuple[str, ...]:
        """Who is here, in the order in which they came."""
        return tuple(dict.fromkeys(visit.nick for visit in self._visits))

    @property
    def tables(self) -> tuple[TableRow, ...]:
        """The tables as they were told of last."""
        return tuple(self._board.rows.values())

    @property
    def _guests(self) -> tuple[str, ...]:
        return tuple(filter(self.members.is_guest, self.people))

    def enter(self, person: KnownGuest, token: str, whence: Whence) -> Visit:
        """Somebody who was let in comes; who is here already is here once more."""
        visit = Visit(person.nick, whence)
        if person.nick not in self.people:
            self._log.tell(f"{person.nick} comes in {whence.how}".rstrip(), person.nick)
        self._visits.append(visit)
        told = self.people, self.tables, CONTRACT, games.packages(), self._guests
        visit.answer(Welcome(self.name, person.nick, token, person.member, *told, readable=not whence.secret))
        self._board.somebody_comes()
        self._changed()
        return visit

    async def leave(self, visit: Visit) -> None:
        """A connection has ended.  Seats stay."""
        self._visits.remove(visit)
        if visit.nick not in self.people:
            self._log.tell(f"{visit.nick} leaves", visit.nick)
        if not self._open:
            return
        await self.floor.gone(visit)
        self._changed()

    # What they want

    async def hear(self, visit: Visit, message: wire.Asked) -> None:
        """Do what somebody asks for, or tell her why not."""
        try:
            await self._do(visit, message)
        except (CardtableError, IllegalAction, NotLetIn) as error:
            visit.answer(NotDone(clean(error.why if isinstance(error, CardtableError) else str(error), MOST_SAID)))
        except OSError as error:
            visit.answer(NotDone(f"the club cannot do that now: {clean(reason(error), MOST_SAID)}"))
        self._changed()

    async def _do(self, visit: Visit, message: wire.Asked) -> None:
        match message:
            case wire.Say(text, table):
                await self._say(visit, one_line(text.strip(), MOST_SAID), table)
            case wire.Register() | wire.SignIn():
                visit.answer(await self._as_player(visit, message))
            case wire.AskFinished():
                visit.answer(wire.Finished(await self._past.of(visit.nick)))
            case wire.AskJournal(session):
                if visit.awaits(wire.PastJournal):
                    raise Refusal("one session after the other")
                visit.answer(wire.PastJournal(session, await self._past.journal(visit.nick, session)))
            case _:
                await self.floor.hear(visit, message)
                self._board.catch_up(visit)

    async def _as_player(self, visit: Visit, message: wire.Register | wire.SignIn) -> LetIn:
        """Somebody who came in as a guest is a player of the club."""
        if isinstance(message, wire.Register):
            return LetIn(visit.nick, await self.members.register(visit.nick, message.password, visit.whence))
        return LetIn(*await self.members.sign_in(message.nick, message.password, visit.whence))

    async def _say(self, visit: Visit, text: str, table: str) -> None:
        if not clean(text).strip():
            raise Refusal("type something to say")
        if not self._talk_paces.of(visit.nick).one():
            raise Refusal("you talk too fast; wait a few seconds")
        if table:
            await self.floor.say(visit, text, table)
            return
        for each in self._visits:
            each.talk(Talk(text, visit.nick))

    # What has changed

    def _changed(self) -> None:
        if self._telling is None and self._open:
            self._telling = asyncio.get_running_loop().call_later(SOON, self._tell)

    def _tell(self) -> None:
        if self._telling:
            self._telling.cancel()
        self._telling = None
        people, guests, rows = self.people, self._guests, self.floor.rows()
        for master, line in happenings(self._board.rows, rows):
            self._log.tell(line, master)
        self._board.tell(self._visits, people, guests, rows)
        self._tell_of_saving()

    # What the disk refuses

    @property
    def saving_fails(self) -> str:
        """Why the host cannot save, in the words of the system; the empty string while it can."""
        refused = [playing.unsaved for table in self.floor.played.values() if (playing := table.awake)]
        return next((error.reason for error in refused if error), self.members.unsaved)

    def _tell_of_saving(self) -> None:
        """Tell the keeper when saving begins to fail and when it works again, and retry what no table retries."""
        now = self.saving_fails
        if bool(now) != bool(self._saving_fails):
            self._log.tell(f"saving fails: {now}; tables wait until it works" if now else "saving works again")
        self._saving_fails = now
        if self.members.unsaved and self._retrying is None:
            self._retrying = asyncio.create_task(self._retry_saving())

    async def _retry_saving(self) -> None:
        while self.members.unsaved:
            await asyncio.sleep(RETRY)
            with suppress(CardtableError):
                await self.members.keep(self.members.tables)
        self._retrying = None
        self._changed()
