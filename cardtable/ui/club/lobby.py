"""Lobby of a club, in which a player sees people, tables and chat, takes a seat, or opens a table."""

from collections.abc import Callable, Hashable, Iterable
from functools import partial
from typing import Final

from textual.screen import Screen

from cardtable.club.client.client import ClubClient, ClubObserver, format_round_call
from cardtable.club.client.connection import Ended, Login
from cardtable.club.client.remote_session import RemoteSession
from cardtable.club.protocol import (
    CheckIn,
    ClientMessage,
    DeviceWord,
    OpenTable,
    ResumeSession,
    RoundCall,
    Say,
    TableInfo,
    Talk,
)
from cardtable.club.table_text import format_people, format_talk
from cardtable.engine.game import Seat
from cardtable.engine.options import read
from cardtable.engine.text_format import capitalize_first, sanitize
from cardtable.games import GAMES
from cardtable.records.ratings import Player
from cardtable.robots.kit.levels import LEVELS
from cardtable.store import club_tokens
from cardtable.store.seating import DEFAULT_LEVEL, GUEST
from cardtable.ui.club.open_table_page import OpenTablePage
from cardtable.ui.club.people_pages import (
    ClubPage,
    ClubPeoplePage,
    InvitationPage,
    ask_credential,
    create_action_row,
    list_account_rows,
    list_people_rows,
    paint_refusal,
    show_device_word,
)
from cardtable.ui.club.results_pages import SeasonsPage
from cardtable.ui.club.table_rows import (
    Requests,
    Room,
    create_closed_row,
    create_empty_felt_row,
    create_table_row,
    create_unfinished_row,
    list_requests,
)
from cardtable.ui.club.table_screen import ClubTableScreen
from cardtable.ui.keys.bindings import CLUB, FooterKeys
from cardtable.ui.toolkit import scroll_list
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.form import (
    EMPTY_ROW,
    Column,
    ColumnStops,
    FormPage,
    FormRow,
    make_heading_row,
    make_input_row,
    make_text_row,
)
from cardtable.ui.toolkit.page import PageScreen, ask, paint_page_header, run_with_questions, start_worker
from cardtable.ui.toolkit.painting.canvas import Canvas, wrap
from cardtable.ui.toolkit.painting.layout import MARGIN
from cardtable.ui.toolkit.scroll_list import INDENT
from cardtable.ui.toolkit.seat_plan import FELTS
from cardtable.ui.toolkit.text_input import TextInput

MAX_MESSAGE_LENGTH: Final = 200
CHAT_ROW: Final = "talk"
NEW_TABLE_ROW: Final = "new"
"""Names of the rows for chat and for a new table; the name of a table's row is the id of the table."""
_MIN_ROOM_SIZE: Final = (80, 24)
"""Minimum columns and rows of a terminal in which the tables are felts, with people and talk beside them."""
_MIN_PANEL_WIDTH: Final = 32
"""Minimum width of people and talk beside the tables, in columns."""
_PANEL_FRAME_ROWS: Final = 7
"""Rows of header, footer, margins, heading and input line around people and talk."""
CALL_ROW: Final = "call"
"""Name of the row on which a player checks in to a round of a tournament."""
WORD_ROW: Final = "word"
"""Name of the row with the word by which a guest returns to the club over ssh."""
LEVEL_CHOICES: Final = LEVELS[1:]
"""Levels of the robots that can take free seats; the lowest level is left out because it is for tests."""


class LobbyPage(FormPage, ClubObserver):
    """Lobby of one club; it owns the connection to the club and the table screens of its sessions."""

    SCOPE = CLUB

    def __init__(self, context: PageContext, url: str, login: Login, *, exits_program: bool) -> None:
        """Create the lobby of the club at the WebSocket address ``url``; the client connects once the page is open.

        ``login`` holds the credentials of the first attempt. ``exits_program`` is True if a host runs the program only
        for this lobby, so that the program ends with it.
        """
        super().__init__(context)
        self._exits_program = exits_program
        self._url, self._login = url, login
        self._chat_input = TextInput(MAX_MESSAGE_LENGTH)
        self._tables: dict[str, ClubTableScreen] = {}
        self._seat_offsets: dict[str, int] = {}
        """Offset of the selected seat among the free seats of each table; it is taken modulo their number."""
        self._level = DEFAULT_LEVEL
        self._return_word = club_tokens.find_pending_word()
        """Word by which the player can return over ssh.

        It is empty if there is none or once the player has confirmed having written it down.
        """
        if self._return_word:
            self.cursor = NEW_TABLE_ROW  # an early key press must not confirm the word
        self._listed_tables: dict[str, list[TableInfo]] = {}
        """Tables and unfinished sessions as shown last, by the part of the page."""
        self._last_table = ""
        """Id of the table that was opened last; empty once the cursor has moved since the return from it."""
        self._call: RoundCall | None = None
        self._checked_in_call: RoundCall | None = None
        """Call to a round of a tournament as shown last, also after it has ended while the cursor is on its row."""
        self._known_tables: set[str] = set()
        """Ids of the tables in the lobby after the last change."""
        self._has_placed_cursor = False
        """True once the club has sent tables and unfinished sessions, so that the cursor is on the one to enter."""
        self._connect()

    def is_connected_to(self, url: str) -> bool:
        """Return True if the lobby belongs to the club at ``url``, and its visit has not ended.

        It is also True while the client reconnects.
        """
        return url == self._url and not self.client.connection.end_reason

    def _connect(self, known_talk: Iterable[Talk] = ()) -> None:
        self.client = ClubClient(self._url, self._login, self, self.context.nick, known_talk)

    def on_mount(self) -> None:
        """Start the connection to the club, and report an error in the file of tickets."""
        if error := club_tokens.load()[1]:
            self.app.notify(error, markup=False, severity="warning")
        self._connection_task = start_worker(self, "visit", self.client.run)

    # Events from the club

    def handle_change(self) -> None:
        client = self.client
        for info in client.tables.values():
            if info.table not in self._known_tables and info.master == client.nick and not info.playing:
                self.move_cursor_to(info.table)  # the player has just opened it
        self._known_tables = {*client.tables}
        self._show_round_call()
        if client.connection.is_connected and not self._has_placed_cursor:
            table = self._find_table_to_enter()
            self._has_placed_cursor = table is not None or client.has_listed_unfinished
            if self._has_placed_cursor and self.cursor in (None, NEW_TABLE_ROW) and not self._return_word:
                self.move_cursor_to(table or NEW_TABLE_ROW)
        if self.is_attached:
            self.on_resumed()
            if self.app.screen is not self.screen:  # no key reaches what is shown here
                self._listed_tables.clear()
        if client.required_credential and self.is_attached:
            self.call_later(run_with_questions, self.app, self._ask_credential, client.required_credential)
        for screen in self.app.screen_stack:
            if isinstance(screen, PageScreen) and isinstance(screen.page, ClubPage):
                screen.page.update_content()
        self.repaint()

    def _show_round_call(self) -> None:
        """Move the cursor to a new call to a round of a tournament, unless the player is typing."""
        call, before = self.client.round_call, self._call
        if call or self.cursor != CALL_ROW:
            self._call = call
        if call and call != before:
            if self.cursor != CHAT_ROW:
                self.move_cursor_to(CALL_ROW)
            if self.context.preferences.settings.beep:
                self.app.bell()
            if (
                self.is_attached
                and self.app.screen is not self.screen
                and not isinstance(self.app.screen, ClubTableScreen)
            ):
                self.app.notify(f"{format_round_call(call)}. Check in in the lobby.", markup=False)

    def _find_table_to_enter(self) -> str | None:
        """Return the player's own table, else the first one with a free seat, else their unfinished session."""
        client = self.client
        tables = [info for info in client.tables.values() if not client.find_missing_requirement(info.game)]
        own = [info.table for info in tables if client.find_own_seat(info) is not None]
        free = [info.table for info in tables if not info.playing and any(not info.name for info in info.seats)]
        return next(iter([*own, *free, *[info.table for info in client.unfinished]]), None)

    def handle_account(self, nick: str, token: str) -> None:
        """Reconnect as a player of the club, after the club has granted a registration or sign-in."""
        self._connection_task.cancel()
        self._login, talk = Login(nick, token=token), self.client.talk
        self._connect(self.client.known_talk)
        self.client.talk.extend(talk)
        self.cursor, self._has_placed_cursor = NEW_TABLE_ROW, False
        self.on_mount()

    async def _ask_credential(self, credential: str) -> None:
        """Ask the player for a missing credential and connect again; leave the lobby if the player cancels.

        Nothing happens while another screen covers the lobby.
        """
        if self.app.screen is not self.screen:
            return

        login, state = self.client.connection.login, self.client.connection.state
        can_wait = isinstance(state, Ended) and state.can_wait
        empty_label = "" if credential != "password" else "wait for a place" if can_wait else "choose another nick"
        tried = {"nick": login.nick, "code": login.word or login.code, "password": login.nick}[credential]
        before = tried or login.token  # a token is refused if the club has a new code, or its owner has registered
        reason = sanitize(self.client.connection.end_reason) if before else ""
        answer = await ask_credential(self.context, credential, reason, login.nick, empty_label)
        if answer is None:
            await self.action_leave()
            return
        if not (answer or can_wait):
            await self._ask_credential("nick")
            return
        self._login = login.add_credential(credential, answer)
        self._connect()
        self.on_mount()

    def handle_table_ready(self, session: RemoteSession) -> None:
        before = self._tables.pop(session.previous_table or session.table, None)
        table = self._tables[session.table] = ClubTableScreen(self.context, session, self.client, self._send)
        self._last_table = session.table
        if before is not None and before.is_attached:
            self.app.call_later(self._replace_table, before, table)
        else:
            self.app.push_screen(table)

    async def _replace_table(self, before: ClubTableScreen, table: ClubTableScreen) -> None:
        """Replace the table screen ``before`` by ``table``, and close the pages above it."""
        while before in self.app.screen_stack:
            await self.app.pop_screen()
        await self.app.push_screen(table)

    def is_program_ending(self, session: RemoteSession) -> bool:
        """Return True if the screen of a closed session has not been left, so that the program must be ending."""
        return self._tables.get(session.table) in self.app.screen_stack

    def handle_device_word(self, word: DeviceWord) -> None:
        show_device_word(self.context, word)

    def handle_table_update(self, session: RemoteSession) -> None:
        if session.table in self._tables:
            self._tables[session.table].update_session()

    def handle_club_message(self, session: RemoteSession) -> None:
        if session.table in self._tables:
            self._tables[session.table].update_chat()

    # Painting

    def build_columns(self, canvas: Canvas) -> list[Column]:
        """Return the tables, and the people and the talk beside them as in a room; a small terminal has one column."""
        client = self.client
        panel = max(_MIN_PANEL_WIDTH, canvas.width * 3 // 10) if _has_room(canvas) else 0
        width = canvas.width - 2 * MARGIN - panel
        felt = next(felt for min_rows, felt in FELTS if canvas.height >= min_rows)
        room = Room(felt, width) if panel else None
        rows = self._list_table_rows("tables", client.tables.values(), partial(self._create_table_row, room))
        if room and client.connection.is_connected and not rows:
            rows = [create_empty_felt_row(room)]
        gap = [EMPTY_ROW] if room else []
        tables = [
            make_heading_row("Tables"),
            *[part for row in rows for part in (row, *gap)],
            self._create_new_table_row(),
        ]
        if unfinished := self._list_table_rows("unfinished", client.unfinished, self._create_unfinished_row):
            tables += [EMPTY_ROW, make_heading_row("Your unfinished sessions"), *unfinished]
        error_text = sanitize(client.connection.end_reason or client.connection.connection_error)
        if error_text and not client.connection.is_connected and not client.required_credential:
            retry_remark = "" if client.connection.end_reason else ". The program keeps trying."
            tables = [make_text_row(f"{capitalize_first(error_text)}{retry_remark}"), EMPTY_ROW, *tables]
        if self._return_word and client.connection.is_connected and not client.lobby.is_member:
            tables = [self._create_word_row(), EMPTY_ROW, *tables]
        if self._call:
            tables = [self._create_call_row(self._call), EMPTY_ROW, *tables]
        if accounts := list_account_rows(client, self.context, self._send):
            accounts = [EMPTY_ROW, *accounts]
        if not panel:
            talk = self._list_talk_rows(max(canvas.height // 3, 2), width)
            return [Column(MARGIN, width, [*tables, EMPTY_ROW, *talk, *accounts])]
        people = list_people_rows(client, canvas.height // 3, panel)
        talk = self._list_talk_rows(max(canvas.height - len(people) - _PANEL_FRAME_ROWS, 2), panel)
        boxes = [*people, FormRow(draw=_paint_gap), *talk] if people else talk
        return [
            Column(MARGIN, width, [*tables, *accounts]),
            Column(canvas.width - panel, panel, boxes, has_panel=True),
        ]

    def _list_talk_rows(self, count: int, width: int) -> list[FormRow]:
        """Return the last ``count`` lines of the talk, wrapped to ``width`` columns, and the line to say something."""
        lines = [line for text in self._list_messages(count) for line in wrap(text, width - 2 * INDENT)]
        return [
            make_heading_row("Talk"),
            *[make_text_row(line, INDENT) for line in lines[-count:]],
            make_input_row(
                CHAT_ROW,
                self._chat_input,
                "say something to everyone",
                self._send_chat,
                {"play": "send", "leave": "tables", "new": "", "rankings": ""},  # those type letters here
                label=":",
                stops=ColumnStops(1, INDENT, 0),
            ),
        ]

    def _list_messages(self, count: int) -> list[str]:
        """Return the last chat messages, each after its sender; those of the club have none."""
        return [
            format_talk(self.client, said, said.who) if said.who else sanitize(f"**** {said.text}")
            for said in self.client.visible_talk[-count:]
        ]

    def _create_call_row(self, call: RoundCall) -> FormRow:
        """Return the row on which the player checks in, or which tells that the call has ended."""
        is_open = self.client.round_call is not None
        if is_open:
            text = "Press Enter here to check in."
        elif call == self._checked_in_call:
            text = "You have checked in; wait here."
        else:
            text = "The call has ended, or you checked in elsewhere."

        def check_in() -> None:
            self._checked_in_call = call
            self._send(CheckIn(call.tournament))

        label, on_press = ("check in", check_in) if is_open else ("", None)
        return create_action_row(CALL_ROW, f"{format_round_call(call)}.", on_press, label, text)

    def _create_word_row(self) -> FormRow:
        def draw(area: scroll_list.BlockArea) -> None:
            loss = area.canvas.theme.inks.loss
            area.write(3, 0, f"To come back as {self.client.nick} use this word:", area.name_ink, bold=area.has_cursor)
            area.write(3, 1, self._return_word, loss, bold=True)
            area.write(3, 2, "Write it down, then press Enter here.", area.quiet_ink)

        return FormRow(
            name=WORD_ROW, rows=3, draw=draw, on_press=self._confirm_word, keys={"play": "I have written it down"}
        )

    def _confirm_word(self) -> None:
        self._return_word = ""
        club_tokens.mark_word_noted()
        self.move_cursor_to(NEW_TABLE_ROW)
        self.repaint()

    def _list_table_rows(
        self, part: str, current: Iterable[TableInfo], create_row: Callable[[TableInfo], FormRow]
    ) -> list[FormRow]:
        """Return the rows of the ``current`` tables; a table that has closed under the cursor keeps its row.

        So a key that is pressed while the table closes does not reach its neighbour. ``part`` is the part of the page.
        """
        listed = [*current]
        if not self._has_table(self.cursor):
            for index, info in enumerate(self._listed_tables.get(part, [])):
                if info.table == self.cursor:
                    listed.insert(index, info)
        self._listed_tables[part] = listed
        return [create_row(info) if self._has_table(info.table) else create_closed_row(info) for info in listed]

    def _has_table(self, name: Hashable) -> bool:
        return name in self.client.tables or any(info.table == name for info in self.client.unfinished)

    def _create_unfinished_row(self, table_info: TableInfo) -> FormRow:
        return create_unfinished_row(table_info, partial(self._send, ResumeSession(table_info.table)))

    def _create_table_row(self, room: Room | None, table_info: TableInfo) -> FormRow:
        return create_table_row(
            self.client,
            table_info,
            self._find_selected_seat(table_info),
            self._level,
            partial(self._step_choice, table_info),
            self._send,
            room,
        )

    def _find_selected_seat(self, table_info: TableInfo) -> Seat | None:
        """Return the free seat that the player has selected at a table; return ``None`` if there is no choice.

        There is none at a table that is in play, resumed or full, nor for the game master, who selects the robots'
        level instead.
        """
        free = [seat for seat, info in enumerate(table_info.seats) if not info.name]
        has_begun = table_info.playing or table_info.resuming or self.client.find_missing_requirement(table_info.game)
        if has_begun or not free or table_info.master == self.client.nick:
            return None
        return free[self._seat_offsets.get(table_info.table, 0) % len(free)]

    def _step_choice(self, table_info: TableInfo, step: int) -> None:
        """Select the next (1) or previous (-1) free seat at a table or, as its game master, the level of the robots."""
        if table_info.master == self.client.nick:
            self._level = LEVEL_CHOICES[(LEVEL_CHOICES.index(self._level) + step) % len(LEVEL_CHOICES)]
        else:
            self._seat_offsets[table_info.table] = self._seat_offsets.get(table_info.table, 0) + step

    def _create_new_table_row(self) -> FormRow:
        row = create_action_row(NEW_TABLE_ROW, "A new table", self.action_set_table, "open")
        if self.client.connection.is_connected and not self.client.tables:
            row.help_text, row.indent = "No table is open yet. Open one, and others can sit down.", 3
        return row

    def paint_body(self, canvas: Canvas) -> FooterKeys:
        client, keys = self.client, self.current_row.keys
        self.paint_columns(canvas)
        title = sanitize(client.lobby.club_name, 40) or "Club"
        paint_page_header(canvas, title, self._format_state(canvas), client.nick)
        paint_refusal(canvas, client)
        return {**keys, **self.SCOPE.footer, **keys}

    def _format_state(self, canvas: Canvas) -> str:
        if self.client.required_credential:
            return "joining"
        if self.client.connection.is_connected:
            nicks = self.client.lobby.present_nicks
            return f"{len(nicks)} here" if _has_room(canvas) else f"here: {format_people(self.client)}"
        return "not connected" if self.client.connection.end_reason else "connecting ..."

    @property
    def can_press(self) -> bool:
        """True if Enter has an effect.

        It has none on tables that have closed, and on those whose game cannot be played here.
        """
        return self.current_row.on_press is not None

    @property
    def has_readable_rules(self) -> bool:
        """True if the cursor is on a table whose game can be played here."""
        row = self._selected_table
        return row is not None and not self.client.find_missing_requirement(row.game)

    @property
    def requests(self) -> Requests:
        """What keys do at the table under the cursor; empty on other rows."""
        row = self._selected_table
        return list_requests(self.client, row, self._find_selected_seat(row), self._level) if row else {}

    @property
    def _selected_table(self) -> TableInfo | None:
        return self.client.tables.get(str(self.cursor))

    # Actions

    def move_cursor_to(self, name: Hashable) -> None:
        """Move the cursor, and remove the reason why the last request was refused."""
        self.client.refusal = self._last_table = ""
        self._call = self._call if name == CALL_ROW else self.client.round_call
        super().move_cursor_to(name)

    def on_resumed(self) -> None:
        """Move the cursor to the table from which the player has returned, once the club has listed it again.

        A call to a round of a tournament comes first.
        """
        if self._last_table and self.client.round_call and self.app.screen is self.screen:
            self.move_cursor_to(CALL_ROW)
        elif self._last_table and self._has_table(self._last_table) and self.app.screen is self.screen:
            self.move_cursor_to(self._last_table)

    def _send(self, message: ClientMessage) -> None:
        start_worker(self, "asks", self.client.send_request, message)

    def _send_chat(self) -> None:
        if sanitize(self._chat_input.text).strip():
            self._send(Say(self._chat_input.text))
            self._chat_input.add_to_history()

    def action_request(self, name: str) -> None:
        """Send the request of a key at the table under the cursor."""
        _, message = self.requests.get(name, ("", None))
        if message:
            self._send(message)

    def action_rules(self) -> None:
        """Open the rules of the game at the table under the cursor, with the table's house rules marked."""
        if row := self._selected_table:
            game = GAMES[row.game]
            self.show("rules", row.game, read(game.options, row.options, len(row.seats)))

    def action_invite(self) -> None:
        """Open the page of the invitations to the private table under the cursor."""
        if row := self._selected_table:
            self.app.push_screen(PageScreen(InvitationPage(self.context, self.client, self._send, row.table)))

    def action_people(self) -> None:
        self.app.push_screen(PageScreen(ClubPeoplePage(self.context, self.client, self._send)))

    async def action_set_table(self) -> None:
        """Open the form for a new table, and send its result to the host."""
        request: OpenTable | None = await ask(PageScreen(OpenTablePage(self.context)))
        if request is not None:
            self._send(request)

    def action_archive(self) -> None:
        """Open the archive; without a profile in this home, show the sessions of the nick used at this club."""
        self.show("archive", self._guest_nick)

    def action_statistics(self) -> None:
        self.show("statistics", Player(self._guest_nick, stranger=GUEST) if self._guest_nick else self.context.nick)

    @property
    def _guest_nick(self) -> str:
        """Nick under which the archive lists a player without a profile in this home; empty for other players."""
        return self.client.nick if self.context.nick == GUEST else ""

    def action_seasons(self) -> None:
        self.app.push_screen(PageScreen(SeasonsPage(self.context, self.client, self._send)))

    async def action_leave(self) -> None:
        """Leave the chat row, else return to the previous page, or end the program if it runs only for this lobby."""
        if self.cursor == CHAT_ROW and self.client.connection.is_connected:
            self.action_talk()
        elif self._exits_program:
            self.app.exit()
        else:
            await super().action_leave()

    def action_talk(self) -> None:
        """Move the cursor to the chat row, or from the chat row to the first table."""
        first = next(iter(self.client.tables), NEW_TABLE_ROW)
        self.move_cursor_to(first if self.cursor == CHAT_ROW else CHAT_ROW)

    def on_unmount(self) -> None:
        self._connection_task.cancel()


def _has_room(canvas: Canvas) -> bool:
    return canvas.width >= _MIN_ROOM_SIZE[0] and canvas.height >= _MIN_ROOM_SIZE[1]


def _paint_gap(area: scroll_list.BlockArea) -> None:
    area.canvas.fill(area.x, area.y, area.canvas.width - area.x, 1, area.canvas.theme.grounds.felt)


def create_screen(
    context: PageContext,
    url: str,
    nick: str,
    code: str = "",
    token: str = "",
    exits_program: bool = False,
    word: str = "",
) -> Screen[None]:
    """Return the screen with the lobby of the club at the WebSocket address ``url``.

    ``nick``, ``code``, ``token`` and ``word`` are the credentials of the first login, and the lobby asks for those
    that are missing. ``exits_program`` is True if the program ends with the lobby.
    """
    login = Login(nick, code=code, token=token, word=word)
    return PageScreen(LobbyPage(context, url, login, exits_program=exits_program))
