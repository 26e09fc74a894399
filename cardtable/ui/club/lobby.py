"""The lobby of a club: who is here, the tables, talk; sitting down, opening and beginning a table."""

from functools import partial
from typing import Final

import msgspec
from textual.screen import Screen

from cardtable.club.guest_run import GuestRun
from cardtable.club.shown import PlaceShown, TableRow
from cardtable.club.visiting import Visiting
from cardtable.club.wire import VERSION, Hello, Leave, LookOn, OpenTable, Say, SitDown, Start
from cardtable.games import ABOUT
from cardtable.store import club_tokens
from cardtable.store.text import clean
from cardtable.ui.club.open_table import OpenTablePage
from cardtable.ui.draw import column
from cardtable.ui.draw.canvas import Canvas
from cardtable.ui.draw.entry import Entry, paint_entry
from cardtable.ui.draw.layout import MARGIN
from cardtable.ui.keys.scopes import CLUB, Key
from cardtable.ui.page.dialog import Dialog
from cardtable.ui.page.footer import Keys
from cardtable.ui.page.form import Column, FormPage
from cardtable.ui.page.page import paint_page_header
from cardtable.ui.page.room import Room
from cardtable.ui.page.rows import FREE, FormRow, heading, words
from cardtable.ui.page.screen import PageScreen
from cardtable.ui.table.screen import TableScreen

TALK: Final = "talk"
NEW: Final = "new"
"""The names of the line for talk, and of that for a new table; those of tables are their numbers."""
WIDE: Final = 100
"""Columns from which on talk stands beside the tables."""
MOST_SAID: Final = 200
QUESTIONS: Final = {
    "nick": ("What are you called here?", "a nick of 3 to 8 letters"),
    "code": ("What is the code of the club?", "who has opened it knows it"),
    "password": ("What is your password?", "the one that your nick has at this club"),
}


class LobbyPage(FormPage):
    """One club, as long as she is there."""

    ABOUT = "in the lobby of a club"
    SCOPE = CLUB

    def __init__(self, room: Room, url: str, hello: Hello, *, alone: bool) -> None:
        """``alone``: she is at the host's own machine, and the program ends when she leaves the club."""
        super().__init__(room)
        self._alone = alone
        self._url, self._hello = url, hello
        self._entry = Entry(MOST_SAID)
        self._tables: dict[str, TableScreen] = {}
        self._opened: set[str] = set()
        """Tables of which she is the game master."""
        self._visit()

    def is_in(self, url: str) -> bool:
        """Whether she is in the club of this address, or comes back to it by herself."""
        return url == self._url and not self.visiting.over

    def _visit(self) -> None:
        self.visiting = visiting = Visiting(self._url, self._hello)
        visiting.changed, visiting.seated, visiting.told = self._news, self._seated, self._told

    def on_mount(self) -> None:
        """Come in."""
        self._coming = self.run_worker(self.visiting.run(), group="visit")

    # What comes

    def _news(self) -> None:
        visiting = self.visiting
        if visiting.token and visiting.token != self._hello.token:
            self._hello = msgspec.structs.replace(self._hello, nick=visiting.nick, token=visiting.token)
            club_tokens.keep(self._url, visiting.nick, visiting.token)
        opened = {row.table for row in visiting.tables.values() if row.master == visiting.nick}
        for table in opened - self._opened:
            self.point(table)
        self._opened = opened
        if visiting.missing and self.is_attached:
            self.call_later(self._ask_for, visiting.missing)
        self.repaint()

    def _ask_for(self, missing: str) -> None:
        """Ask for what she has to say to be let in, and try again."""
        if self.app.screen is not self.screen:
            return
        title, text = QUESTIONS[missing]

        def answered(said: str | None) -> None:
            if said is None:
                self.action_leave()
                return
            members = {"token": "", missing: said}
            self._hello = msgspec.structs.replace(self._hello, **members)
            self._visit()
            self.on_mount()

        said = f"{clean(self.visiting.over)}. You can say it here: {text}."
        field = self._hello.nick if missing == "nick" else ""
        self.app.push_screen(
            Dialog(self.look, title, said, "come in", field=field, secret=missing == "password"), answered
        )

    def _seated(self, run: GuestRun) -> None:
        table = self._tables[run.table] = TableScreen(self.room, run)
        self.app.push_screen(table)

    def _told(self, run: GuestRun) -> None:
        table = self._tables.get(run.table)
        if table is not None and table.is_attached:
            table.driver.heard()

    # What is to be seen

    def columns(self, canvas: Canvas) -> list[Column]:
        """The tables, and beside or below them what is said."""
        width = canvas.width - 2 * MARGIN
        tables = [heading("Tables"), *[self._line(row) for row in self.visiting.tables.values()]]
        tables.append(self._new_line())
        talk = [heading("Talk"), *[words(self._said(each), 3) for each in self._last(canvas)], self._talk_line()]
        if canvas.width < WIDE:
            return [Column(MARGIN, width, [*tables, FREE, *talk])]
        half = width // 2
        return [Column(MARGIN, half, tables), Column(MARGIN + half + 2, width - half - 2, talk)]

    def _last(self, canvas: Canvas) -> list[tuple[str, str]]:
        return [(each.who, each.text) for each in self.visiting.talk][-max(canvas.height // 3, 2) :]

    def _said(self, said: tuple[str, str]) -> str:
        who, text = said
        return f"{who}: {text}" if who else f"**** {text}"

    def _talk_line(self) -> FormRow:
        entry = self._entry

        def draw(where: column.Place) -> None:
            paint_entry(where.canvas, where.x + 3, where.y, where.width - 4, entry, "say something to all")

        return FormRow(
            name=TALK,
            draw=draw,
            types=lambda character, _anew: entry.insert(character),
            rubs_out=entry.rub_out,
            steps=entry.move,
            clears=entry.clear,
            does=self._say,
            keys=(("play", "say it"),),
        )

    def _new_line(self) -> FormRow:
        def draw(where: column.Place) -> None:
            where.text(3, 0, "A new table", where.name, bold=where.at)

        says = "" if self.visiting.tables else "No table is open yet. Others can sit down at one that you open."
        return FormRow(name=NEW, draw=draw, does=self.action_set_table, says=says, indent=3, keys=(("play", "open"),))

    def _line(self, row: TableRow) -> FormRow:
        def draw(where: column.Place) -> None:
            inks = where.canvas.theme.inks
            end = where.text(3, 0, _title(row.game), where.name, bold=where.at)
            if row.name:
                where.text(end - where.x + 2, 0, row.name, inks.soft)
            where.text(3, 1, ", ".join([self._place(place) for place in row.places]), where.muted)
            where.text(3, 2, self._state(row), where.quiet)

        return FormRow(name=row.table, rows=3, draw=draw, does=partial(self._go_to, row), keys=self._keys(row))

    def _place(self, place: PlaceShown) -> str:
        name = clean(place.name, 20)
        return f"{name} (away)" if place.away else name or "free"

    def _state(self, row: TableRow) -> str:
        if lacks := self.visiting.lacks(row.game):
            return lacks
        looks = f", {row.looking_on} looking on" if row.looking_on else ""
        if not row.playing:
            return f"{row.master} begins it when all are there"
        return f"round {row.round}, {row.turn or 'nobody'} to act{looks}"

    def _keys(self, row: TableRow) -> Keys:
        if self.visiting.lacks(row.game):
            return ()
        mine = self.visiting.seat_at(row) is not None
        if row.playing:
            return (("play", "go on"),) if mine else (("watch", "look on"),)
        if mine and row.master == self.visiting.nick:
            return (("play", "begin, robots take free seats"), ("give_up", "stand up"))
        return (("give_up", "stand up"),) if mine else (("play", "sit down"),)

    def fill(self, canvas: Canvas) -> Keys:
        """Who is here, tables and talk."""
        visiting = self.visiting
        self.paint_lines(canvas)
        here = ", ".join([clean(name, 20) for name in visiting.people])
        state = "" if visiting.there else visiting.over or "connecting ..."
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
        if row is not None and key.name == "play" and self.visiting.lacks(row.game):
            return False
        if key.name == "watch":
            return row is not None and row.playing and not self.visiting.lacks(row.game)
        if key.name == "give_up":
            return row is not None and not row.playing and self.visiting.seat_at(row) is not None
        return True

    @property
    def _row(self) -> TableRow | None:
        return self.visiting.tables.get(str(self.cursor))

    # What she does

    def _ask(self, message: Say | OpenTable | SitDown | LookOn | Leave | Start) -> None:
        self.run_worker(self.visiting.ask(message), group="asks")

    def _say(self) -> None:
        if self._entry.text.strip():
            self._ask(Say(self._entry.text))
            self._entry.clear()

    def _go_to(self, row: TableRow) -> None:
        mine = self.visiting.seat_at(row) is not None
        if not mine or row.playing:
            self._ask(SitDown(row.table))
        elif row.master == self.visiting.nick:
            self._ask(Start(row.table))

    def action_look_on(self) -> None:
        """Look on at the table under the cursor."""
        if row := self._row:
            self._ask(LookOn(row.table))

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


def _title(game: str) -> str:
    about = ABOUT.get(game)
    return about.title if about else clean(game, 20)


def screen(room: Room, url: str, nick: str, code: str = "", token: str = "", alone: bool = False) -> Screen[None]:
    """The lobby of the club at an address; ``alone`` where the program is there for nothing else."""
    return PageScreen(LobbyPage(room, url, Hello(VERSION, nick, code=code, token=token), alone=alone))
