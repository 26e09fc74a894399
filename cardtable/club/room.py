"""The room of a club: who is here, its tables, and what guests want of them."""

import asyncio
from collections.abc import Callable
from typing import Final

from cardtable import games
from cardtable.club import wire
from cardtable.club.happenings import happenings
from cardtable.club.members import GuestBook, KnownGuest, NotLetIn, TableOf
from cardtable.club.notice_board import NoticeBoard
from cardtable.club.playing import Playing, Think
from cardtable.club.tables import FillingTable, PlayedTable, Refusal
from cardtable.club.visit import Visit
from cardtable.club.wire import LetIn, NotDone, Seated, TableRow, Talk, Welcome
from cardtable.engine.contract import CONTRACT, Seat
from cardtable.engine.table import IllegalAction
from cardtable.play.news import MOST_SAID
from cardtable.store import sessions
from cardtable.store.errors import CardtableError
from cardtable.store.text import clean

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
        self.name, self.members, self._think, self._most = name, members, think, most_tables
        self._tell_keeper = tell
        self._visits: list[Visit] = []
        self._filling: dict[str, FillingTable] = {}
        self._played = {
            table.session: PlayedTable(table.session, table.master, table.grace, think, self._changed)
            for table in members.tables
        }
        self._board = NoticeBoard()
        self._telling: asyncio.TimerHandle | None = None
        self._open = True

    async def open(self) -> None:
        """Look at the tables that were played before.  One that cannot be opened any more is left out."""
        for id_, table in [*self._played.items()]:
            try:
                await table.wake()
                await table.sleep()
            except CardtableError:
                del self._played[id_]
        self._board.rows = self._now()
        self._keep()

    async def close(self, why: str) -> None:
        """Tell everybody, and let go of all sessions."""
        self._open = False
        for visit in self._visits:
            visit.end(why)
        for table in self._played.values():
            await table.close()
        if self._telling:
            self._telling.cancel()

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

    def enter(self, person: KnownGuest, token: str, address: str = "") -> Visit:
        """Somebody who was let in comes; who is here already is here once more."""
        visit = Visit(person.nick, address)
        if person.nick not in self.people:
            self._tell_keeper(f"{person.nick} comes in")
        self._visits.append(visit)
        told = self.people, self.tables, CONTRACT, games.packages(), self._guests
        visit.answer(Welcome(self.name, person.nick, token, person.member, *told))
        self._board.somebody_comes()
        self._changed()
        return visit

    async def leave(self, visit: Visit) -> None:
        """A connection has ended.  Seats stay."""
        self._visits.remove(visit)
        if visit.nick not in self.people:
            self._tell_keeper(f"{visit.nick} leaves")
        if not self._open:
            return
        for table in [*visit.listeners]:
            await self._away(visit, table)
        for id_, filling in [*self._filling.items()]:
            if not any(nick in self.people for nick in filling.seats):
                del self._filling[id_]
        self._changed()

    async def _away(self, visit: Visit, table: str) -> None:
        listener, played = visit.listeners.pop(table), self._played[table]
        await played.leave(listener)
        if played.over and self._played.get(table) is played:  # not if another one has left at the same time
            self._forget(table)

    # What they want

    async def hear(self, visit: Visit, message: wire.Asked) -> None:
        """Do what somebody asks for, or tell her why not."""
        try:
            await self._do(visit, message)
        except (CardtableError, IllegalAction, NotLetIn) as error:
            visit.answer(NotDone(clean(str(error), MOST_SAID)))
        self._changed()

    async def _do(self, visit: Visit, message: wire.Asked) -> None:
        match message:
            case wire.Say(text, table):
                await self._say(visit, clean(" ".join(text.split()), MOST_SAID), table)
            case wire.OpenTable():
                self._new(visit, message)
            case wire.TakeUp(session):
                self._take_up(visit, session)
            case wire.SitDown(table, seat):
                await self._sit_down(visit, table, seat)
            case wire.LookOn(table):
                await self._attend(visit, self._of(table), None)
            case wire.Leave(table):
                await self._leave_table(visit, table)
            case wire.Start(table, level):
                await self._start(visit, table, level)
            case wire.Register() | wire.SignIn():
                visit.answer(await self._as_player(visit, message))
            case wire.Act() | wire.Ready() | wire.AskRounds() | wire.StandIn():
                await self._at_table(visit, message)
            case _:
                raise Refusal("you are in already")

    async def _at_table(self, visit: Visit, message: wire.Act | wire.Ready | wire.AskRounds | wire.StandIn) -> None:
        """What somebody does at a table that is played."""
        self._at(visit, message.table)
        playing = await self._of(message.table).wake()
        match message:
            case wire.Act(table, at, action):
                await playing.act(self._seat(visit, table), at, action)
            case wire.Ready(table, number):
                await playing.ready(self._seat(visit, table), number)
            case wire.AskRounds(table):
                visit.answer(wire.Rounds(table, await playing.rounds()))
            case wire.StandIn(table, seat):
                await playing.stand_in(seat, self._seat(visit, table))

    async def _as_player(self, visit: Visit, message: wire.Register | wire.SignIn) -> LetIn:
        """Somebody who came in as a guest is a player of the club."""
        if isinstance(message, wire.Register):
            return LetIn(visit.nick, await self.members.register(visit.nick, message.password, visit.address))
        return LetIn(message.nick, await self.members.sign_in(message.nick, message.password, visit.address))

    async def _say(self, visit: Visit, text: str, table: str) -> None:
        if not text:
            raise Refusal("there is nothing to say")
        if table:
            seat = self._at(visit, table)
            said = text if seat is not None else f"{visit.nick}: {text}"
            await (await self._playing(table)).say(said, seat)
            return
        for each in self._visits:
            each.talk(Talk(text, visit.nick))

    def _new(self, visit: Visit, wish: wire.OpenTable) -> None:
        if len(self._filling) + len(self._played) >= self._most:
            raise Refusal(f"there are {self._most} tables, which is as many as this club has")
        filling = FillingTable(wish, visit.nick)
        self._filling[filling.id] = filling

    def _take_up(self, visit: Visit, session: str) -> None:
        found = next((summary for summary in sessions.unfinished() if summary.id == session), None)
        header = found.header if found else None
        if header is None or visit.nick not in [header.seats[seat].name for seat in header.people]:
            raise Refusal("no unfinished session of yours has this number")
        if session not in self._played:
            self._played[session] = PlayedTable(session, visit.nick, 60, self._think, self._changed)
            self._keep()

    async def _sit_down(self, visit: Visit, table: str, seat: Seat | None) -> None:
        if table in self._filling:
            self._filling[table].sit_down(visit.nick, seat)
            return
        played = self._of(table)
        await played.wake()
        if (own := played.seat_of(visit.nick)) is None:
            await played.sleep()
            raise Refusal("no seat is free there")
        await self._attend(visit, played, own)

    async def _leave_table(self, visit: Visit, table: str) -> None:
        if table in visit.listeners:
            await self._away(visit, table)
            self._board.catch_up(visit)
        elif table in self._filling:
            filling = self._filling[table]
            filling.leave(visit.nick)
            if not any(filling.seats):
                del self._filling[table]
        else:
            raise Refusal("you are not at that table")

    async def _start(self, visit: Visit, table: str, level: str) -> None:
        filling = self._filling.get(table)
        if filling is None:
            raise Refusal("that table is not one that fills")
        if filling.master != visit.nick:
            raise Refusal(f"{filling.master} is the game master")
        played = PlayedTable(table, filling.master, filling.grace, self._think, self._changed)
        del self._filling[table]  # while it begins nobody can begin it once more, sit down or stand up
        try:
            await played.begin(lambda: filling.begin(level))
        except CardtableError:
            self._filling[table] = filling
            raise
        self._played[table] = played
        self._keep()
        for each in [*self._visits]:
            if (seat := played.seat_of(each.nick)) is not None:
                await self._attend(each, played, seat)

    async def _attend(self, visit: Visit, played: PlayedTable, seat: Seat | None) -> None:
        """Somebody sits down at a table that is played, or looks on."""
        if played.id in visit.listeners:
            return
        playing = await played.wake()
        assert played.header is not None
        visit.answer(Seated(played.id, played.header, seat))
        visit.listeners[played.id] = await playing.listen(seat, visit.wake)
        visit.wake()  # what she was told first came before that

    async def _playing(self, table: str) -> Playing:
        return await self._of(table).wake()

    def _of(self, table: str) -> PlayedTable:
        if table not in self._played:
            raise Refusal("there is no such table")
        return self._played[table]

    def _at(self, visit: Visit, table: str) -> Seat | None:
        if table not in visit.listeners:
            raise Refusal("you are not at that table")
        return visit.listeners[table].seat

    def _seat(self, visit: Visit, table: str) -> Seat:
        seat = self._at(visit, table)
        if seat is None:
            raise Refusal("you look on there")
        return seat

    # What has changed

    def _forget(self, table: str) -> None:
        del self._played[table]
        self._keep()

    def _keep(self) -> None:
        tables = [TableOf(table.id, table.master, table.grace) for table in self._played.values()]
        self.members.keep(tuple(tables))

    def _changed(self) -> None:
        if self._telling is None and self._open:
            self._telling = asyncio.get_running_loop().call_later(SOON, self._tell)

    def _tell(self) -> None:
        if self._telling:
            self._telling.cancel()
        self._telling = None
        people, guests, rows = self.people, self._guests, self._now()
        for line in happenings(self._board.rows, rows):
            self._tell_keeper(line)
        self._board.tell(self._visits, people, guests, rows)

    def _now(self) -> dict[str, TableRow]:
        here, guests = set(self.people), set(self._guests)
        rows = {id_: filling.row(here, guests) for id_, filling in self._filling.items()}
        return rows | {id_: row for id_, table in self._played.items() if (row := table.row())}
