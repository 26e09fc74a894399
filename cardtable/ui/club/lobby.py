"""The lobby of a club: who is here, the tables, talk; sitting down, opening and beginning a table."""

from functools import partial
from typing import Final

import msgspec
from textual.screen import Screen

from cardtable.club.guest_run import GuestRun
from cardtable.club.link import Login
from cardtable.club.shown import TableRow
from cardtable.club.table_words import offered
from cardtable.club.visiting import Visiting
from cardtable.club.wire import (
    FromGuest,
    Leave,
    LookOn,
    OpenTable,
    Say,
    SitDown,
    Start,
    TakeUp,
)
from cardtable.engine.contract import Seat
from cardtable.engine.options import read
from cardtable.engine.text import clean
from cardtable.games import GAMES
from cardtable.records.players import Player
from cardtable.robots.kit.levels import LEVELS
from cardtable.store import club_tokens
from cardtable.store.seating import GUEST, USUAL_LEVEL
from cardtable.ui.club.guest_table import GuestTable
from cardtable.ui.club.introducing import WAYS, ask_missing, ask_way
from cardtable.ui.club.lines import table_line, unfinished_line
from cardtable.ui.club.open_table import OpenTablePage
from cardtable.ui.draw import column
from cardtable.ui.draw.canvas import Canvas
from cardtable.ui.draw.layout import MARGIN
from cardtable.ui.keys.club_scopes import CLUB
from cardtable.ui.keys.scopes import Key
from cardtable.ui.page.footer import Keys
from cardtable.ui.page.form import Column, FormPage
from cardtable.ui.page.page import paint_page_header
from cardtable.ui.page.room import Room
from cardtable.ui.page.rows import FREE, FormRow, heading, words
from cardtable.ui.page.screen import PageScreen
from cardtable.ui.toolkit.text_input import TextInput, paint_text_input

TALK: Final = "talk"
NEW: Final = "new"
"""The names of the line for talk, and of that for a new table; those of tables are their numbers."""
WIDE: Final = 100
"""Columns from which on talk stands beside the tables."""
WORD: Final = "word"
"""The name of the line that shows what a guest by ssh comes back with."""
MOST_SAID: Final = 200
LEVELS_OFFERED: Final = LEVELS[1:]
"""Of robots that take free seats: the first is for tests."""


class LobbyPage(FormPage):
    """One club, as long as she is there."""

    ABOUT = "in the lobby of a club"
    SCOPE = CLUB

    def __init__(self, room: Room, url: str, login: Login, *, alone: bool) -> None:
        """``alone``: she is at the host's own machine, and the program ends when she leaves the club."""
        super().__init__(room)
        self._alone = alone
        self._url, self._login = url, login
        self._talk = TextInput(MOST_SAID)
        self._tables: dict[str, GuestTable] = {}
        self._free: dict[str, int] = {}
        """By table, how many free seats on from the first the one is that she would take."""
        self._level = USUAL_LEVEL
        self._word = club_tokens.word_to_note()
        """With which she comes back by ssh, until she says that she has noted it."""
        if self._word:
            self.cursor = NEW  # a key that was pressed too early confirms nothing
        self._opened: set[str] = set()
        """Tables of which she is the game master."""
        self._visit()

    def is_in(self, url: str) -> bool:
        """Whether she is in the club of this address, or comes back to it by herself."""
        return url == self._url and not self.visiting.over

    def _visit(self) -> None:
        self.visiting = visiting = Visiting(self._url, self._login, self.room.me)
        visiting.changed, visiting.seated, visiting.told = self._news, self._seated, self._told
        visiting.let_in, visiting.said = self._let_in, self._said_at

    def on_mount(self) -> None:
        """Come in."""
        if trouble := club_tokens.load()[1]:
            self.app.notify(trouble, markup=False, severity="warning")
        self._coming = self.run_worker(self.visiting.run(), group="visit")

    # What comes

    def _news(self) -> None:
        visiting = self.visiting
        opened = {row.table for row in visiting.tables.values() if row.master == visiting.nick}
        for table in opened - self._opened:
            self.point(table)
        self._opened = opened
        if visiting.missing and self.is_attached:
            self.call_later(self._ask_for, visiting.missing)
        for shown in self._tables.values():
            shown.news()
        self.repaint()

    def _let_in(self, nick: str, token: str) -> None:
        """She is a player of the club now: she comes in anew."""
        self._coming.cancel()
        self._login = Login(nick, token=token)
        self._visit()
        self.on_mount()

    def _ask_for(self, missing: str) -> None:
        """Ask for what she has to say to be let in, and try again."""
        if self.app.screen is not self.screen:
            return

        login = self.visiting.login

        def answered(said: str | None) -> None:
            if said is None:
                self.action_leave()
                return
            members = {"token": "", "refused_tokens": (*login.refused_tokens, login.token), missing: said}
            self._login = msgspec.structs.replace(login, **members)
            self._visit()
            self.on_mount()

        before = {"nick": login.nick, "code": login.code, "password": login.password}[missing]
        why = clean(self.visiting.over) if before else ""
        ask_missing(self.app, self.look, missing, why, login.nick, answered)

    def _seated(self, run: GuestRun) -> None:
        before = self._tables.pop(run.instead or run.table, None)
        table = self._tables[run.table] = GuestTable(self.room, run, self.visiting, self._ask)
        if before is not None and before.is_attached:
            self.app.call_later(self._instead, before, table)
        else:
            self.app.push_screen(table)

    async def _instead(self, before: GuestTable, table: GuestTable) -> None:
        """One table in the place of another, also where a page lies over that."""
        while before in self.app.screen_stack:
            await self.app.pop_screen()
        await self.app.push_screen(table)

    def _told(self, run: GuestRun) -> None:
        table = self._tables.get(run.table)
        if table is not None:
            table.heard()

    def _said_at(self, run: GuestRun) -> None:
        if run.table in self._tables:
            self._tables[run.table].told()

    # What is to be seen

    def columns(self, canvas: Canvas) -> list[Column]:
        """The tables, and beside or below them what is said."""
        width = canvas.width - 2 * MARGIN
        visiting = self.visiting
        tables = [heading("Tables"), *[self._line(row) for row in visiting.tables.values()], self._new_line()]
        if visiting.unfinished:
            lines = [unfinished_line(row, partial(self._ask, TakeUp(row.table))) for row in visiting.unfinished]
            tables += [FREE, heading("Your unfinished sessions"), *lines]
        talk = [heading("Talk"), *[words(self._said(each), 3) for each in self._last(canvas)], self._talk_line()]
        if visiting.there and not visiting.member and visiting.passwords_pass:
            talk += [FREE, *[self._way(*way) for way in WAYS]]
        if not visiting.there and not visiting.over and visiting.trouble:
            why = clean(visiting.trouble)
            tables = [words(f"{why[:1].upper()}{why[1:]}. The program keeps trying."), FREE, *tables]
        if self._word and visiting.there and not visiting.member:
            tables = [self._word_line(), FREE, *tables]
        if canvas.width < WIDE:
            return [Column(MARGIN, width, [*tables, FREE, *talk])]
        half = width // 2
        return [Column(MARGIN, half, tables), Column(MARGIN + half + 2, width - half - 2, talk)]

    def _last(self, canvas: Canvas) -> list[tuple[str, str]]:
        return [(each.who, each.text) for each in self.visiting.talk][-max(canvas.height // 3, 2) :]

    def _said(self, said: tuple[str, str]) -> str:
        who, text = said
        return clean(f"{who}: {text}" if who else f"**** {text}")

    def _talk_line(self) -> FormRow:
        def draw(where: column.Place) -> None:
            x, width, empty = where.x + 3, where.width - 4, "say something to all"
            paint_text_input(where.canvas, x, where.y, width, self._talk, empty, has_focus=where.at)

        return FormRow(
            name=TALK,
            draw=draw,
            text_input=self._talk,
            does=self._say,
            keys=(("play", "say it"),),
        )

    def _word_line(self) -> FormRow:
        def draw(where: column.Place) -> None:
            loss = where.canvas.theme.inks.loss
            where.text(3, 0, f"To come back as {self.visiting.nick} you need this word:", where.name, bold=where.at)
            where.text(3, 1, self._word, loss, bold=True)
            where.text(3 + len(self._word) + 3, 1, "Write it down, then press Enter here.", where.quiet)

        return FormRow(name=WORD, rows=2, draw=draw, does=self._note_word, keys=(("play", "I have written it down"),))

    def _note_word(self) -> None:
        self._word = ""
        club_tokens.note_word()
        self.point(NEW)
        self.repaint()

    def _way(self, name: str, text: str) -> FormRow:
        def draw(where: column.Place) -> None:
            where.text(3, 0, text, where.name, bold=where.at)

        return FormRow(name=name, draw=draw, does=partial(self._become, name), keys=(("play", text.lower()),))

    def _line(self, row: TableRow) -> FormRow:
        does = partial(self._go_to, row)
        return table_line(self.visiting, row, self._seat_at(row), self._level, partial(self._choose, row), does)

    def _seat_at(self, row: TableRow) -> Seat | None:
        """The free seat that she would take; ``None`` where she has nothing to choose."""
        free = [seat for seat, place in enumerate(row.places) if not place.name]
        if row.playing or not free or row.master == self.visiting.nick:
            return None
        return free[self._free.get(row.table, 0) % len(free)]

    def _choose(self, row: TableRow, step: int) -> None:
        """Another seat, or as the game master another level of robots."""
        if row.master == self.visiting.nick:
            self._level = LEVELS_OFFERED[(LEVELS_OFFERED.index(self._level) + step) % len(LEVELS_OFFERED)]
        else:
            self._free[row.table] = self._free.get(row.table, 0) + step

    def _new_line(self) -> FormRow:
        def draw(where: column.Place) -> None:
            where.text(3, 0, "A new table", where.name, bold=where.at)

        says = (
            ""
            if self.visiting.tables or not self.visiting.there
            else "No table is open yet. Open one, and others can sit down."
        )
        return FormRow(name=NEW, draw=draw, does=self.action_set_table, says=says, indent=3, keys=(("play", "open"),))

    def fill(self, canvas: Canvas) -> Keys:
        """Who is here, tables and talk."""
        visiting = self.visiting
        self.paint_lines(canvas)
        here = ", ".join([clean(name, 20) + " (guest)" * (name in visiting.guests) for name in visiting.people])
        state = "coming in" if visiting.missing else "" if visiting.there else visiting.over or "connecting ..."
        title = clean(visiting.club, 40) or "Club"
        paint_page_header(canvas, title, state or f"here: {here}", visiting.nick)
        if visiting.refused:
            canvas.text(
                MARGIN, canvas.height - 2, clean(visiting.refused, canvas.width - 2 * MARGIN), canvas.theme.inks.loss
            )
        return [*self.line.keys, ("new", "new table"), ("switch", "talk"), ("leave", "leave")]

    def works(self, key: Key) -> bool:
        """Whether the key does something now."""
        row = self._row
        if row is not None and key.name in ("play", "rules") and self.visiting.lacks(row.game):
            return False
        if key.name == "rules":
            return row is not None
        if key.name == "watch":
            return row is not None and row.playing and not self.visiting.lacks(row.game)
        if key.name == "give_up":
            return row is not None and not row.playing and self.visiting.seat_at(row) is not None
        return True

    @property
    def _row(self) -> TableRow | None:
        return self.visiting.tables.get(str(self.cursor))

    # What she does

    def _ask(self, message: FromGuest) -> None:
        self.run_worker(self.visiting.ask(message), group="asks")

    def _say(self) -> None:
        if clean(self._talk.text).strip():
            self._ask(Say(self._talk.text))
            self._talk.remember()

    def _go_to(self, row: TableRow) -> None:
        visiting, seat = self.visiting, self.visiting.seat_at(row)
        here = seat is not None and not row.places[seat].away
        if row.playing and seat is None:
            self._ask(SitDown(row.table, offered(visiting, row)))
        elif row.playing or (row.taken_up and not here):
            self._ask(SitDown(row.table))
        elif row.taken_up or row.master == visiting.nick:
            self._ask(Start(row.table, self._level))
        else:
            self._ask(SitDown(row.table, self._seat_at(row)))

    def _become(self, way: str) -> None:
        """A player of the club, by what she types."""
        ask_way(self.app, self.look, way, self.visiting.nick, self._ask)

    def action_look_on(self) -> None:
        """Look on at the table under the cursor."""
        if row := self._row:
            self._ask(LookOn(row.table))

    def action_rules(self) -> None:
        """The rules of the game of the table under the cursor, with its house rules."""
        if row := self._row:
            game = GAMES[row.game]
            self.show("rules", row.game, read(game.options, row.options, len(row.places)))

    def action_stand_up(self) -> None:
        """Give up the seat at a table that fills."""
        if row := self._row:
            self._ask(Leave(row.table))

    def action_set_table(self) -> None:
        """Open a table."""

        def opened(wish: OpenTable | None) -> None:
            if wish is not None:
                self._ask(wish)

        self.app.push_screen(PageScreen(OpenTablePage(self.room)), opened)

    def action_archive(self) -> None:
        """Her sessions, those of this club that are over among them."""
        self.show("archive", self._as_guest)

    def action_statistics(self) -> None:
        """What her sessions come to."""
        self.show("statistics", Player(self._as_guest, stranger=GUEST) if self._as_guest else self.room.me)

    @property
    def _as_guest(self) -> str:
        """By what she is found in her sessions of the club who is no player at home."""
        return self.visiting.nick if self.room.me == GUEST else ""

    def action_leave(self) -> None:
        """Back to the picker, or where she is at the host's own machine, out."""
        if self._alone:
            self.app.exit()
        else:
            super().action_leave()

    def action_talk(self) -> None:
        """To the line for talk, and back to the tables."""
        first = next(iter(self.visiting.tables), NEW)
        self.point(first if self.cursor == TALK else TALK)

    def on_unmount(self) -> None:
        """Go."""
        self._coming.cancel()


def screen(room: Room, url: str, nick: str, code: str = "", token: str = "", alone: bool = False) -> Screen[None]:
    """The lobby of the club at an address; ``alone`` where the program is there for nothing else."""
    return PageScreen(LobbyPage(room, url, Login(nick, code=code, token=token), alone=alone))
