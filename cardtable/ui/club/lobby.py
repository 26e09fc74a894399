"""Lobby of a club, where a player sees people, tables and chat, sits down, or opens a table."""

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import msgspec
from textual.app import App
from textual.screen import Screen

from cardtable.club.client.client import QUESTIONS, ClubClient
from cardtable.club.client.connection import Login
from cardtable.club.client.remote_session import RemoteSession
from cardtable.club.protocol import (
    ClientMessage,
    Leave,
    LookOn,
    OpenTable,
    Register,
    ResumeSession,
    Say,
    SignIn,
    SitDown,
    Start,
    TableInfo,
)
from cardtable.club.table_text import (
    format_time,
    game_title,
    house_rules,
    offered_seat,
    people_words,
    place_words,
    state_words,
)
from cardtable.engine.game import Seat
from cardtable.engine.options import Choice, choices, read
from cardtable.engine.text_format import sanitize
from cardtable.games import GAMES, KEYS, all_keys
from cardtable.records.ratings import Player
from cardtable.robots.kit.levels import LEVELS
from cardtable.store import club_tokens, passwords
from cardtable.store.seating import GUEST, USUAL_LEVEL
from cardtable.ui.club.guest_table import GuestTable
from cardtable.ui.toolkit import scroll_list
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.dialog import Dialog
from cardtable.ui.toolkit.footer import Keys
from cardtable.ui.toolkit.form import (
    EMPTY_ROW,
    Column,
    ColumnStops,
    FormPage,
    FormRow,
    HouseRules,
    choice,
    heading,
    label_of,
    next_value,
    words,
)
from cardtable.ui.toolkit.keys.bindings import CLUB, CLUB_TABLE, KeyBinding
from cardtable.ui.toolkit.page import PageScreen, paint_page_header
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import MARGIN
from cardtable.ui.toolkit.painting.themes import Appearance
from cardtable.ui.toolkit.text_input import TextInput, paint_text_input

STOPS: Final = ColumnStops(3, 24, 24)
GRACES: Final = (30, 60, 120, 300)
"""Times in seconds, to choose from, for which a table waits for an absent player."""


class OpenTablePage(FormPage):
    """Page with the form of a new table; the result of its screen is the request to open the table."""

    ABOUT = "at a new table of a club"
    SCOPE = CLUB_TABLE
    ASKS_BEFORE_LEAVING = True

    def __init__(self, context: PageContext) -> None:
        super().__init__(context)
        self._key = KEYS[0]
        self._seats: dict[str, int] = {}
        self._rules = HouseRules()
        self._lot, self._grace = True, 60

    @property
    def _number(self) -> int:
        return self._seats.get(self._key, GAMES[self._key].about.usual_seats)

    def columns(self, canvas: Canvas) -> list[Column]:
        game = GAMES[self._key]
        chosen = self._rules.options(game, self._number).items()
        lines = [
            choice("game", "Game", game.about.title, self._next_game, STOPS, bold=True),
            choice("seats", "Seats", str(self._number), self._next_number, STOPS, fixed=len(game.about.seats) == 1),
            choice("lot", "Seating", "by lot" if self._lot else "as you sit down", self._turn_lot, STOPS),
            choice("grace", "If somebody is away", f"wait {self._grace} s", self._next_grace, STOPS),
            EMPTY_ROW,
            heading("House rules"),
            *[self._rule(rule, str(chosen[rule.name])) for rule in choices(game.options) if rule.name != "seats"],
        ]
        return [Column(MARGIN, canvas.width - 2 * MARGIN, lines)]

    def _rule(self, rule: Choice, value: str) -> FormRow:
        return choice(rule.name, label_of(rule), value, partial(self._next_value, rule), STOPS)

    def paint_body(self, canvas: Canvas) -> Keys:
        self.paint_lines(canvas)
        paint_page_header(canvas, "New table", "others sit down, you begin")
        return [("up down", "choose"), ("left right", "change"), ("play", "open it"), ("leave", "back")]

    def _next_game(self, step: int) -> None:
        keys = all_keys()
        self._key = keys[(keys.index(self._key) + step) % len(keys)]

    def _next_number(self, step: int) -> None:
        numbers = GAMES[self._key].about.seats
        self._seats[self._key] = numbers[(numbers.index(self._number) + step) % len(numbers)]

    def _turn_lot(self, _step: int) -> None:
        self._lot = not self._lot

    def _next_grace(self, step: int) -> None:
        self._grace = GRACES[(GRACES.index(self._grace) + step) % len(GRACES)]

    def _next_value(self, rule: Choice, step: int) -> None:
        game = GAMES[self._key]
        value = self._rules.options(game, self._number).items()[rule.name]
        self._rules.choose(game, rule, next_value(rule, value, step))

    def action_open(self) -> None:
        """Close the page with the request as its result."""
        if self._covered:
            return
        options = self._rules.options(GAMES[self._key], self._number).items()
        self.screen.dismiss(OpenTable(self._key, self._number, options, grace=self._grace, lot=self._lot))


REGISTER: Final = "register"
SIGN_IN: Final = "sign in"
WAYS: Final = (
    (REGISTER, "Become a player of this club, with a password"),
    (SIGN_IN, "Sign in as the player you are"),
)
"""Actions by which a guest becomes a player of the club: name of the row in the lobby, and its text."""
_STAYS: Final = "stays a guest"


def ask_missing(
    app: App[Any], appearance: Appearance, missing: str, why: str, nick: str, answered: Callable[[str | None], None]
) -> None:
    """Ask the player for a credential that the club requires at log-in.

    ``credential`` is a key of ``QUESTIONS``. ``refusal`` is the reason why the previous answer was refused; empty at
    the first attempt. ``on_answer`` receives the typed text, or ``None`` if the player cancels.
    """
    title, text = QUESTIONS[missing]
    field = nick if missing == "nick" else ""
    said = f"{why[:1].upper()}{why[1:]}." if why else text
    secret = missing == "password"
    app.push_screen(Dialog(appearance, title, said, "comes in", "leaves", field=field, secret=secret), answered)


def ask_way(app: App[Any], appearance: Appearance, way: str, nick: str, say: Callable[[ClientMessage], None]) -> None:
    """Ask a guest for the data to register or to sign in, then pass the request to ``send``.

    ``action`` is ``REGISTER`` or ``SIGN_IN``; ``nick`` is the nick that the guest would register.
    """
    if way == REGISTER:
        text = f"With it {nick} is yours here, and your sessions are rated."
        _ask_new_password(app, appearance, text, lambda password: say(Register(password)))
        return

    def named(nick: str | None) -> None:
        if nick is not None:
            title, text = QUESTIONS["password"]
            _ask_password(app, appearance, title, text, "signs in", lambda password: say(SignIn(nick, password)))

    text = "The nick that you have as a player here."
    app.push_screen(Dialog(appearance, "Who are you?", text, "goes on", _STAYS, field=""), named)


def _ask_new_password(app: App[Any], appearance: Appearance, text: str, then: Callable[[str], None]) -> None:
    """Ask for a new password and its repetition, again until both are equal and acceptable.

    ``text`` explains the purpose of the password, or why the last one was refused.
    """

    def typed(password: str) -> None:
        if wrong := passwords.password_error(password, password):
            ask_again(wrong)
        else:
            text = "The same password again, so that no slip of a finger locks you out."
            _ask_password(app, appearance, "Once more", text, "registers", lambda again: typed_twice(password, again))

    def typed_twice(password: str, again: str) -> None:
        if wrong := passwords.password_error(password, again):
            ask_again(wrong)
        else:
            then(password)

    def ask_again(wrong: str) -> None:
        _ask_new_password(app, appearance, f"{wrong[:1].upper()}{wrong[1:]}.", then)

    _ask_password(app, appearance, "Choose a password", text, "goes on", typed)


def _ask_password(
    app: App[Any], appearance: Appearance, title: str, text: str, yes: str, then: Callable[[str], None]
) -> None:
    def typed(password: str | None) -> None:
        if password is not None:
            then(password)

    app.push_screen(Dialog(appearance, title, text, yes, _STAYS, field="", secret=True), typed)


def table_line(
    client: ClubClient,
    row: TableInfo,
    seat: Seat | None,
    level: str,
    steps: Callable[[int], None],
    does: Callable[[], object],
) -> FormRow:
    """Return the form row of a table.

    ``seat`` is the free seat that the player has selected, ``None`` if there is no choice. ``level`` is the level of
    the robots that would take the free seats.
    """

    def draw(where: scroll_list.Place) -> None:
        inks = where.canvas.theme.inks
        begins = where.right(0, f"since {format_time(row.since)}", where.quiet)
        end = where.text(3, 0, game_title(row.game), where.name, bold=where.at) - where.x
        where.text(end + 2, 0, sanitize(row.name, 40), inks.soft, most=max(begins - end - 4, 0))
        where.text(3, 1, ", ".join(_places(row, seat if where.at else None)), where.muted)
        where.text(3, 2, state_words(client, row, level), where.quiet)
        where.text(3, 3, rules, where.quiet)

    rules = house_rules(client, row)
    changes = steps if _steps(client, row) else None
    return FormRow(
        name=row.table, rows=3 + bool(rules), draw=draw, on_press=does, on_step=changes, keys=_keys(client, row)
    )


def unfinished_line(row: TableInfo, does: Callable[[], object]) -> FormRow:
    """Return the form row of an unfinished session that the player can resume."""

    def draw(where: scroll_list.Place) -> None:
        inks = where.canvas.theme.inks
        begins = where.right(0, f"played {format_time(row.since)}", where.quiet)
        end = where.text(3, 0, game_title(row.game), where.name, bold=where.at) - where.x
        about = "  ".join(filter(None, (sanitize(row.name, 40), f"round {row.round}" if row.round else "")))
        where.text(end + 2, 0, about, inks.soft, most=max(begins - end - 4, 0))
        where.text(3, 1, ", ".join([sanitize(place.name, 20) for place in row.places]), where.muted)

    return FormRow(name=row.table, rows=2, draw=draw, on_press=does, keys=(("play", "call the others"),))


def _places(row: TableInfo, seat: Seat | None) -> list[str]:
    return [f"[{place_words(place)}]" if each == seat else place_words(place) for each, place in enumerate(row.places)]


def _steps(client: ClubClient, row: TableInfo) -> bool:
    """Return True if the player can select a free seat at the table, or as its game master the level of robots."""
    if row.playing or row.taken_up or client.missing_requirement(row.game):
        return False
    return row.master == client.nick or any(not place.name for place in row.places)


def _keys(client: ClubClient, row: TableInfo) -> Keys:
    if client.missing_requirement(row.game):
        return ()
    seat = client.seat_at(row)
    if row.playing:
        if offered_seat(client, row) is not None:
            return (("play", "take the seat"), ("watch", "watch"))
        return (("play", "go on"),) if seat is not None else (("watch", "watch"),)
    if row.taken_up:
        if seat is None:
            return ()
        here = not row.places[seat].away
        return (("play", "go on with robots"), ("give_up", "stand up")) if here else (("play", "sit down"),)
    if row.master == client.nick:
        return (("play", "begin, robots take free seats"), ("left right", "their level"), ("give_up", "stand up"))
    chooses: Keys = (("left right", "which seat"),)
    if seat is not None:
        return (("play", "to that seat"), *chooses, ("give_up", "stand up"))
    return (("play", "sit down"), *chooses)


TALK: Final = "talk"
NEW: Final = "new"
"""Names of the rows for chat and for a new table; the row of a table is named by the table's id."""
WIDE: Final = 100
"""Minimum width of a terminal, in columns, in which the chat is beside the tables."""
WORD: Final = "word"
"""Name of the row with the word by which a guest returns over ssh."""
MOST_SAID: Final = 200
LEVELS_OFFERED: Final = LEVELS[1:]
"""Levels of robots that can take free seats; the lowest level is left out because it is for tests."""


class LobbyPage(FormPage):
    """Page of one club, which owns the connection to it."""

    ABOUT = "in the lobby of a club"
    SCOPE = CLUB

    def __init__(self, context: PageContext, url: str, login: Login, *, alone: bool) -> None:
        """Prepare the lobby and its client.

        ``exits_program`` is True if the program runs at the host for this player only, so that it ends with the lobby.
        """
        super().__init__(context)
        self._alone = alone
        self._url, self._login = url, login
        self._talk = TextInput(MOST_SAID)
        self._tables: dict[str, GuestTable] = {}
        self._free: dict[str, int] = {}
        """Offset of the selected seat among the free seats, by table."""
        self._level = USUAL_LEVEL
        self._word = club_tokens.word_to_note()
        """Word by which the player can return over ssh; empty once they have confirmed that they wrote it down."""
        if self._word:
            self.cursor = NEW  # an early key press must not confirm the word
        self._opened: set[str] = set()
        """Ids of the tables of which the player is the game master."""
        self._connect()

    def is_in(self, url: str) -> bool:
        """Return True if the lobby is connected, or tries to reconnect, to the club at ``url``."""
        return url == self._url and not self.visiting.end_reason

    def _connect(self) -> None:
        self.visiting = visiting = ClubClient(self._url, self._login, self.context.nick)
        visiting.changed, visiting.on_table_ready, visiting.on_table_update = (
            self._news,
            self._seated,
            self._session_changed,
        )
        visiting.on_account_granted, visiting.on_club_message = self._let_in, self._chat_changed

    def on_mount(self) -> None:
        """Start the connection to the club."""
        if trouble := club_tokens.load()[1]:
            self.app.notify(trouble, markup=False, severity="warning")
        self._connection_task = self.run_worker(self.visiting.run(), group="visit")

    # Events from the club

    def _news(self) -> None:
        visiting = self.visiting
        opened = {row.table for row in visiting.tables.values() if row.master == visiting.nick}
        for table in opened - self._opened:
            self.move_cursor_to(table)
        self._opened = opened
        if visiting.required_credential and self.is_attached:
            self.call_later(self._ask_for, visiting.required_credential)
        for shown in self._tables.values():
            shown.club_changed()
        self.repaint()

    def _let_in(self, nick: str, token: str) -> None:
        """Reconnect as a player of the club after the club has granted registration or sign-in."""
        self._connection_task.cancel()
        self._login = Login(nick, token=token)
        self._connect()
        self.on_mount()

    def _ask_for(self, missing: str) -> None:
        """Ask the player for a missing credential, then connect again; leave the lobby if they cancel."""
        if self.app.screen is not self.screen:
            return

        login = self.visiting.login

        def answered(said: str | None) -> None:
            if said is None:
                self.action_leave()
                return
            members = {"token": "", "refused_tokens": (*login.refused_tokens, login.token), missing: said}
            self._login = msgspec.structs.replace(login, **members)
            self._connect()
            self.on_mount()

        before = {"nick": login.nick, "code": login.code, "password": login.password}[missing]
        why = sanitize(self.visiting.end_reason) if before else ""
        ask_missing(self.app, self.look, missing, why, login.nick, answered)

    def _seated(self, session: RemoteSession) -> None:
        before = self._tables.pop(session.instead or session.table, None)
        table = self._tables[session.table] = GuestTable(self.context, session, self.visiting, self._ask)
        if before is not None and before.is_attached:
            self.app.call_later(self._replace_table, before, table)
        else:
            self.app.push_screen(table)

    async def _replace_table(self, before: GuestTable, table: GuestTable) -> None:
        """Replace the screen of a table, closing any page above it."""
        while before in self.app.screen_stack:
            await self.app.pop_screen()
        await self.app.push_screen(table)

    def _session_changed(self, session: RemoteSession) -> None:
        table = self._tables.get(session.table)
        if table is not None:
            table.session_changed()

    def _chat_changed(self, session: RemoteSession) -> None:
        if session.table in self._tables:
            self._tables[session.table].chat_changed()

    # Painting

    def columns(self, canvas: Canvas) -> list[Column]:
        """Return the tables and the chat, which are side by side in a wide terminal."""
        width = canvas.width - 2 * MARGIN
        visiting = self.visiting
        tables = [heading("Tables"), *[self._line(row) for row in visiting.tables.values()], self._new_line()]
        if visiting.unfinished:
            lines = [unfinished_line(row, partial(self._ask, ResumeSession(row.table))) for row in visiting.unfinished]
            tables += [EMPTY_ROW, heading("Your unfinished sessions"), *lines]
        talk = [
            heading("Talk"),
            *[words(self._format_message(each), 3) for each in self._last(canvas)],
            self._talk_line(),
        ]
        if visiting.is_connected and not visiting.member and visiting.can_send_password:
            talk += [EMPTY_ROW, *[self._way(*way) for way in WAYS]]
        if not visiting.is_connected and not visiting.end_reason and visiting.connection_error:
            why = sanitize(visiting.connection_error)
            tables = [words(f"{why[:1].upper()}{why[1:]}. The program keeps trying."), EMPTY_ROW, *tables]
        if self._word and visiting.is_connected and not visiting.member:
            tables = [self._word_line(), EMPTY_ROW, *tables]
        if canvas.width < WIDE:
            return [Column(MARGIN, width, [*tables, EMPTY_ROW, *talk])]
        half = width // 2
        return [Column(MARGIN, half, tables), Column(MARGIN + half + 2, width - half - 2, talk)]

    def _last(self, canvas: Canvas) -> list[tuple[str, str]]:
        return [(each.who, each.text) for each in self.visiting.talk][-max(canvas.height // 3, 2) :]

    def _format_message(self, said: tuple[str, str]) -> str:
        who, text = said
        return sanitize(f"{who}: {text}" if who else f"**** {text}")

    def _talk_line(self) -> FormRow:
        def draw(where: scroll_list.Place) -> None:
            x, width, empty = where.x + 3, where.width - 4, "say something to all"
            paint_text_input(where.canvas, x, where.y, width, self._talk, empty, has_focus=where.at)

        return FormRow(
            name=TALK,
            draw=draw,
            text_input=self._talk,
            on_press=self._say,
            keys=(("play", "say it"),),
        )

    def _word_line(self) -> FormRow:
        def draw(where: scroll_list.Place) -> None:
            loss = where.canvas.theme.inks.loss
            where.text(3, 0, f"To come back as {self.visiting.nick} you need this word:", where.name, bold=where.at)
            where.text(3, 1, self._word, loss, bold=True)
            where.text(3 + len(self._word) + 3, 1, "Write it down, then press Enter here.", where.quiet)

        return FormRow(
            name=WORD, rows=2, draw=draw, on_press=self._note_word, keys=(("play", "I have written it down"),)
        )

    def _note_word(self) -> None:
        self._word = ""
        club_tokens.note_word()
        self.move_cursor_to(NEW)
        self.repaint()

    def _way(self, name: str, text: str) -> FormRow:
        def draw(where: scroll_list.Place) -> None:
            where.text(3, 0, text, where.name, bold=where.at)

        return FormRow(name=name, draw=draw, on_press=partial(self._become, name), keys=(("play", text.lower()),))

    def _line(self, row: TableInfo) -> FormRow:
        does = partial(self._go_to, row)
        return table_line(self.visiting, row, self._seat_at(row), self._level, partial(self._choose, row), does)

    def _seat_at(self, row: TableInfo) -> Seat | None:
        """Return the free seat that the player has selected at a table; ``None`` if they cannot choose one.

        At a running or full table there is no choice, and the game master chooses the level of robots instead.
        """
        free = [seat for seat, place in enumerate(row.places) if not place.name]
        if row.playing or not free or row.master == self.visiting.nick:
            return None
        return free[self._free.get(row.table, 0) % len(free)]

    def _choose(self, row: TableInfo, step: int) -> None:
        """Select the next (1) or previous (-1) free seat, or as the game master the level of the robots."""
        if row.master == self.visiting.nick:
            self._level = LEVELS_OFFERED[(LEVELS_OFFERED.index(self._level) + step) % len(LEVELS_OFFERED)]
        else:
            self._free[row.table] = self._free.get(row.table, 0) + step

    def _new_line(self) -> FormRow:
        def draw(where: scroll_list.Place) -> None:
            where.text(3, 0, "A new table", where.name, bold=where.at)

        says = (
            ""
            if self.visiting.tables or not self.visiting.is_connected
            else "No table is open yet. Open one, and others can sit down."
        )
        return FormRow(
            name=NEW, draw=draw, on_press=self.action_set_table, help_text=says, indent=3, keys=(("play", "open"),)
        )

    def paint_body(self, canvas: Canvas) -> Keys:
        visiting = self.visiting
        self.paint_lines(canvas)
        here = people_words(visiting)
        state = (
            "coming in"
            if visiting.required_credential
            else ""
            if visiting.is_connected
            else visiting.end_reason or "connecting ..."
        )
        title = sanitize(visiting.club, 40) or "Club"
        paint_page_header(canvas, title, state or f"here: {here}", visiting.nick)
        if visiting.refusal:
            canvas.text(
                MARGIN, canvas.height - 2, sanitize(visiting.refusal, canvas.width - 2 * MARGIN), canvas.theme.inks.loss
            )
        return [*self.line.keys, ("new", "new table"), ("switch", "talk"), ("leave", "leave")]

    def is_enabled(self, key: KeyBinding) -> bool:
        row = self._row
        if row is not None and key.name in ("play", "rules") and self.visiting.missing_requirement(row.game):
            return False
        if key.name == "rules":
            return row is not None
        if key.name == "watch":
            return row is not None and row.playing and not self.visiting.missing_requirement(row.game)
        if key.name == "give_up":
            return row is not None and not row.playing and self.visiting.seat_at(row) is not None
        return True

    @property
    def _row(self) -> TableInfo | None:
        return self.visiting.tables.get(str(self.cursor))

    # Actions

    def _ask(self, message: ClientMessage) -> None:
        self.run_worker(self.visiting.ask(message), group="asks")

    def _say(self) -> None:
        if sanitize(self._talk.text).strip():
            self._ask(Say(self._talk.text))
            self._talk.remember()

    def _go_to(self, row: TableInfo) -> None:
        visiting, seat = self.visiting, self.visiting.seat_at(row)
        here = seat is not None and not row.places[seat].away
        if row.playing and seat is None:
            self._ask(SitDown(row.table, offered_seat(visiting, row)))
        elif row.playing or (row.taken_up and not here):
            self._ask(SitDown(row.table))
        elif row.taken_up or row.master == visiting.nick:
            self._ask(Start(row.table, self._level))
        else:
            self._ask(SitDown(row.table, self._seat_at(row)))

    def _become(self, way: str) -> None:
        """Ask the player for the data of ``action``, to register or to sign in."""
        ask_way(self.app, self.look, way, self.visiting.nick, self._ask)

    def action_look_on(self) -> None:
        """Watch the table under the cursor."""
        if row := self._row:
            self._ask(LookOn(row.table))

    def action_rules(self) -> None:
        """Open the rules of the game at the table under the cursor, with the house rules of the table marked."""
        if row := self._row:
            game = GAMES[row.game]
            self.show("rules", row.game, read(game.options, row.options, len(row.places)))

    def action_stand_up(self) -> None:
        """Give up the player's seat at the table under the cursor."""
        if row := self._row:
            self._ask(Leave(row.table))

    def action_set_table(self) -> None:
        """Open the form of a new table, then send its request."""

        def opened(wish: OpenTable | None) -> None:
            if wish is not None:
                self._ask(wish)

        self.app.push_screen(PageScreen(OpenTablePage(self.context)), opened)

    def action_archive(self) -> None:
        """Open the archive; for a guest without a profile, filtered by the nick used at this club."""
        self.show("archive", self._as_guest)

    def action_statistics(self) -> None:
        self.show("statistics", Player(self._as_guest, stranger=GUEST) if self._as_guest else self.context.nick)

    @property
    def _as_guest(self) -> str:
        """Nick under which the archive lists a player without a profile in this home; empty if the player has one."""
        return self.visiting.nick if self.context.nick == GUEST else ""

    def action_leave(self) -> None:
        """Return to the picker, or end the program if it serves only this lobby."""
        if self._alone:
            self.app.exit()
        else:
            super().action_leave()

    def action_talk(self) -> None:
        """Move the cursor to the chat line; from there, move it back to the tables."""
        first = next(iter(self.visiting.tables), NEW)
        self.move_cursor_to(first if self.cursor == TALK else TALK)

    def on_unmount(self) -> None:
        self._connection_task.cancel()


def screen(
    context: PageContext, url: str, nick: str, code: str = "", token: str = "", alone: bool = False
) -> Screen[None]:
    """Return the lobby of the club at ``url``.

    ``nick``, ``code`` and ``token`` are sent at log-in; the lobby asks for what is missing. ``exits_program`` is True
    if the program ends with the lobby.
    """
    return PageScreen(LobbyPage(context, url, Login(nick, code=code, token=token), alone=alone))
